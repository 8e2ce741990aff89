# mypy: disable-error-code="untyped-decorator"
"""How compiled kernels reach the rules: by the addresses of a game's native functions.

Kernels are compiled once for all games. They take `steps`, the addresses of the functions that
`model/step` made of the rules, in the order below, and rows of numbers by their places in memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.model.native.calls import call1, call2, call4

WINNER, MOVER, LEGAL, DIE, PLAY, SCORE, RANK, UNRANK = range(8)
"""Places in `steps`, as `step.steps.NAMES` has them."""

FAILED = -(1 << 63)
"""What they give where the rules raise, or their numbers are beyond 64 bits."""


@kernel(forceinline=True)
def at(row: Any) -> Any:
    """Where a row is in memory."""
    return np.int64(row.ctypes.data)


@kernel(forceinline=True)
def winner_code(steps: Any, row: Any) -> Any:
    """Who has won, as in `Model.winners`."""
    return call1(steps[WINNER], row)


@kernel(forceinline=True)
def mover_of(steps: Any, row: Any) -> Any:
    """Whose turn it is."""
    return call1(steps[MOVER], row)


@kernel(forceinline=True)
def legal(steps: Any, move: Any, row: Any) -> Any:
    """Whether a move may be played: 1 or 0."""
    return call2(steps[LEGAL], np.int64(move), row)


@kernel(forceinline=True)
def die_of(steps: Any, move: Any, row: Any) -> Any:
    """The number of the die that a move throws, -1 for none."""
    return call2(steps[DIE], np.int64(move), row)


@kernel(forceinline=True)
def play(steps: Any, move: Any, row: Any, roll: Any, new: Any) -> Any:
    """Play a move with a roll; write the new state."""
    return call4(steps[PLAY], np.int64(move), row, roll, new)


@kernel(forceinline=True)
def scores_into(steps: Any, row: Any, scores: Any) -> Any:
    """Write what each player has scored, where the game has scores."""
    return call2(steps[SCORE], row, scores)


@kernel(forceinline=True)
def rank_of(steps: Any, row: Any) -> Any:
    """The game's own number for a state."""
    return call1(steps[RANK], row)


@kernel(forceinline=True)
def unrank_into(steps: Any, rank: Any, row: Any) -> Any:
    """Write the state with a rank."""
    return call2(steps[UNRANK], rank, row)
