"""Dense numbers: which numbers there are among many, and which of them each one is."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Int64s = npt.NDArray[np.int64]

TABLE_RANGE = 4
"""Up to so many possible numbers for each that there is are counted in a table. Measured on 10^5 to
10^7 numbers: beyond, sorting them is as fast or faster."""


def dense(values: npt.NDArray[Any]) -> tuple[Int64s, Int64s]:
    """The different numbers in order, and the place of each number among them.

    >>> dense(np.array([7, -2, 7]))
    (array([-2,  7]), array([1, 0, 1]))
    """
    if not len(values):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    low = int(values.min())
    if int(values.max()) - low < TABLE_RANGE * len(values):
        shifted = (values - values.min()).astype(np.int64)
        there = np.flatnonzero(np.bincount(shifted))
        place = np.zeros(int(there[-1]) + 1, np.int64)
        place[there] = np.arange(len(there))
        if low > np.iinfo(np.int64).max:
            there = there.astype(np.uint64)
        return there + low, place[shifted]
    return np.unique(values, return_inverse=True)
