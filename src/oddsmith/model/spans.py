"""Spans of rows: which entries some rows have, one after another."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def spans(first: Any, counts: Any) -> npt.NDArray[np.int64]:
    """Numbers from each of `first` on, as many as `counts` says, one stretch after another.

    >>> spans(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    begin = np.concatenate([[0], np.cumsum(counts)])
    found: npt.NDArray[np.int64] = np.repeat(first - begin[:-1], counts) + np.arange(begin[-1])
    return found
