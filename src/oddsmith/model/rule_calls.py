# mypy: disable-error-code="untyped-decorator"
"""How compiled kernels reach the rules: by the addresses of a game's native functions.

Kernels are compiled once for all games. They take `steps`, the addresses of the functions that
`model/step` made of the rules, in the order below, and rows of numbers by their places in memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import intrinsic, kernel

WINNER, MOVER, LEGAL, DIE, PLAY, SCORE, RANK, UNRANK = range(8)
"""Places in `steps`, as `step.steps.NAMES` has them."""

FAILED = -(1 << 63)
"""What they give where the rules raise, or their numbers are beyond 64 bits."""


def _calling(words: int) -> Any:
    """What makes the call of a function of so many words at an address."""

    from numba import types

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from llvmlite import ir

        word = ir.IntType(64)
        function = ir.FunctionType(word, [word] * words).as_pointer()
        return builder.call(builder.inttoptr(arguments[0], function), arguments[1:])

    return types.int64(*[types.int64] * (words + 1)), generate


@intrinsic
def _call1(context: Any, address: Any, a: Any) -> Any:
    return _calling(1)


@intrinsic
def _call2(context: Any, address: Any, a: Any, b: Any) -> Any:
    return _calling(2)


@intrinsic
def _call4(context: Any, address: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    return _calling(4)


@kernel(forceinline=True)
def at(row: Any) -> Any:
    """Where a row is in memory."""
    return np.int64(row.ctypes.data)


@kernel(forceinline=True)
def winner_code(steps: Any, row: Any) -> Any:
    """Who has won, as in `Model.winners`."""
    return _call1(steps[WINNER], row)


@kernel(forceinline=True)
def mover_of(steps: Any, row: Any) -> Any:
    """Whose turn it is."""
    return _call1(steps[MOVER], row)


@kernel(forceinline=True)
def legal(steps: Any, move: Any, row: Any) -> Any:
    """Whether a move may be played: 1 or 0."""
    return _call2(steps[LEGAL], np.int64(move), row)


@kernel(forceinline=True)
def die_of(steps: Any, move: Any, row: Any) -> Any:
    """The number of the die that a move throws, -1 for none."""
    return _call2(steps[DIE], np.int64(move), row)


@kernel(forceinline=True)
def play(steps: Any, move: Any, row: Any, roll: Any, new: Any) -> Any:
    """Play a move with a roll; write the new state."""
    return _call4(steps[PLAY], np.int64(move), row, roll, new)


@kernel(forceinline=True)
def scores_into(steps: Any, row: Any, scores: Any) -> Any:
    """Write what each player has scored, where the game has scores."""
    return _call2(steps[SCORE], row, scores)


@kernel(forceinline=True)
def rank_of(steps: Any, row: Any) -> Any:
    """The game's own number for a state."""
    return _call1(steps[RANK], row)


@kernel(forceinline=True)
def unrank_into(steps: Any, rank: Any, row: Any) -> Any:
    """Write the state with a rank."""
    return _call2(steps[UNRANK], rank, row)
