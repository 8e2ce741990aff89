# mypy: disable-error-code="untyped-decorator"
"""Tiles: compiled guesses of what a state is worth that has never been met; see `ask/learn.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import uint64

from oddsmith.ahead import kernel


@kernel
def tile(row: Any, low: Any, shift: Any, level: int, slots: int) -> Any:
    """The slot of the tile that a state lies in at a level: a hash of its coarse numbers."""
    h = uint64(level + 1) * uint64(0x9E3779B97F4A7C15)
    for i in range(len(row)):
        h ^= uint64((row[i] - low[i]) >> shift[level, i])
        h *= uint64(0xBF58476D1CE4E5B9)
        h ^= h >> uint64(32)
    return np.int64(h & uint64(slots - 1))


@kernel
def guess(row: Any, low: Any, shift: Any, tiles: Any, prior: float, out: Any) -> None:
    """What a state is worth to each seat: the sum of the weights of its tiles.

    At each level the numbers of a state lose some bits, `shift` (levels × columns): a tile is all
    the states that look the same then.
    """
    out[:] = prior
    for level in range(len(shift)):
        slot = tile(row, low, shift, level, len(tiles))
        for q in range(len(out)):
            out[q] += tiles[slot, q]
