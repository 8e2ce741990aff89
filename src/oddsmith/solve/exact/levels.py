# mypy: disable-error-code="untyped-decorator"
"""What can be done at the same time in solving with factors: tasks by levels.

A task is a row of the lower factor, the dense inverse of a component, or a row of the upper
factor. A task's level is one more than those of the tasks whose results it needs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.solve.exact.factor import Factors


@kernel
def _levels(bounds: Any, eliminated: Any, low_row: Any, low_col: Any, up_row: Any,
            up_col: Any) -> Any:  # fmt: skip
    n = len(low_row) - 1
    down, across, up = np.zeros(n, np.int64), np.full(len(eliminated), -1), np.full(n, -1)
    known = np.zeros(n, np.int64)  # the level after which an unknown is known
    for c in range(len(eliminated)):
        first, done, last = bounds[c], eliminated[c], bounds[c + 1]
        deepest = 0  # rows of the upper factor overwrite what rows of the lower one read
        for i in range(first, last):
            for e in range(low_row[i], low_row[i + 1]):
                j = low_col[e]
                down[i] = max(down[i], (down[j] if j >= first else known[j]) + 1)
            deepest = max(deepest, down[i])
            if i >= done:
                across[c] = max(across[c], down[i] + 1)
        for i in range(done, last):
            known[i] = across[c]
        for k in range(done - 1, first - 1, -1):
            known[k] = down[k]
            if up_row[k] < up_row[k + 1]:
                known[k] = deepest
                for e in range(up_row[k], up_row[k + 1]):
                    known[k] = max(known[k], known[up_col[e]])
                known[k] += 1
                up[k] = known[k]
    return down, across, up


def levels(factors: Factors) -> tuple[tuple[Any, Any], ...]:
    """The tasks (down, across, up) in the order of their levels, and where each level begins."""
    found = _levels(factors.bounds, factors.eliminated, *factors.lower[:2], *factors.upper[:2])
    count = 1 + max(int(level.max(initial=-1)) for level in found)
    return tuple(listed(level, count) for level in found)


def listed(level: Any, count: int) -> tuple[Any, Any]:
    """What has a level, level by level, and where each level begins.

    >>> tasks, bounds = listed(np.array([1, -1, 0, 1]), 3)
    >>> tasks.tolist(), bounds.tolist()
    ([2, 0, 3], [0, 1, 3, 3])
    """
    order = np.argsort(level, kind="stable")
    order = order[level[order] >= 0]
    bounds = np.searchsorted(level[order], np.arange(count + 1))
    return order.astype(np.int32), bounds.astype(np.int32)
