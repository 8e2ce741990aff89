"""Whether players who are declared interchangeable are so, in every state of a compiled model.

Positions are explored as their movers see them, so the rules must say the same from every seat: a
state turned by some seats must have the winners, the scores, the mover and the legal moves turned,
and whatever a move leads to. One state in which they do not makes the odds those of another game,
however rare it is; so all are looked at, by the native functions, on all cores.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

PIECE = 1 << 16
"""So many states are looked at in one go."""


def first_asymmetric(states: int, look: Callable[[int, int], int], signals: Any) -> int:
    """The number of a state that is not the same from every seat; -1 if there is none.

    `look` gives the first such state from one number up to another, or -1.
    """
    pieces = [(first, min(first + PIECE, states)) for first in range(0, states, PIECE)]

    def one(piece: tuple[int, int]) -> int:
        if signals[-1] != 0:
            return -1
        signals[0] = piece[0]
        return look(*piece)

    if len(pieces) == 1:
        return one(pieces[0])
    with ThreadPoolExecutor(os.cpu_count()) as cores:
        return next((found for found in cores.map(one, pieces) if found >= 0), -1)
