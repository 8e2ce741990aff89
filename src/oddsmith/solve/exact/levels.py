# mypy: disable-error-code="untyped-decorator"
"""Which rows of triangular factors can be solved at the same time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def levels_down(row: Any, col: Any, done: int) -> Any:
    """The level of each row of a lower factor: one more than of those it needs.

    Rows from `done` on (the dense rest) are all on the last level.
    """
    n = len(row) - 1
    level, last = np.zeros(n, np.int64), 0
    for i in range(done):
        for e in range(row[i], row[i + 1]):
            level[i] = max(level[i], level[col[e]] + 1)
        last = max(last, level[i])
    for i in range(done, n):
        level[i] = last + 1
    return level


@njit(cache=True, nogil=True)
def levels_up(row: Any, col: Any, done: int) -> Any:
    """The level of each row of an upper factor; the dense rest is known before."""
    level = np.zeros(done, np.int64)
    for k in range(done - 1, -1, -1):
        for e in range(row[k], row[k + 1]):
            if col[e] < done:
                level[k] = max(level[k], level[col[e]] + 1)
    return level


def listed(level: Any) -> tuple[Any, Any]:
    """The rows level by level, and where each level begins.

    >>> rows, bounds = listed(np.array([1, 0, 1]))
    >>> rows.tolist(), bounds.tolist()
    ([1, 0, 2], [0, 1, 3])
    """
    order = np.argsort(level, kind="stable")
    counts = np.bincount(level) if len(level) else np.zeros(0, np.int64)
    return order.astype(np.int32), np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
