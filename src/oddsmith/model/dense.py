"""Dense numbers: which numbers there are among many, and which of them each one is."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Int64s = npt.NDArray[np.int64]

SMALL = 1 << 24
"""Up to as many possible numbers are counted in a table, which is faster than sorting."""


def dense(values: npt.NDArray[Any]) -> tuple[Int64s, Int64s]:
    """The different numbers in order, and the place of each number among them.

    >>> dense(np.array([7, -2, 7]))
    (array([-2,  7]), array([1, 0, 1]))
    """
    if not len(values):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    low = int(values.min())
    if int(values.max()) - low < SMALL:
        shifted = (values - values.min()).astype(np.int64)
        there = np.flatnonzero(np.bincount(shifted))
        place = np.zeros(int(there[-1]) + 1, np.int64)
        place[there] = np.arange(len(there))
        if low > np.iinfo(np.int64).max:
            there = there.astype(np.uint64)
        return there + low, place[shifted]
    return np.unique(values, return_inverse=True)
