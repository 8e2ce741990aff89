# mypy: disable-error-code="untyped-decorator"
"""Compiled loops for `oddsmith.policies.regions`."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel


@kernel
def follow_policy(
    choice: Any, row: Any, col: Any, shift: Any, owner: Any, players: int, pick: Any,
    follows: Any, start: int, lane: int,
) -> Any:  # fmt: skip
    """The (state, lane) that play can come to when the players who follow it make the picks.

    Everybody else makes any move. A plain model has one lane and no shift; in a mover-relative
    one the lane is the seat of the mover, who owns the state with number (owner + lane).
    """
    lanes = players if len(shift) else 1
    seen = np.zeros((len(choice) - 1, lanes), np.bool_)
    stack = np.empty(seen.size, np.int64)
    seen[start, lane] = True
    stack[0] = start * lanes + lane
    top = 1
    while top > 0:
        top -= 1
        s, j = stack[top] // lanes, stack[top] % lanes
        first, last = np.int64(choice[s]), np.int64(choice[s + 1])
        if last > first and follows[(owner[s] + j) % players]:
            first += pick[s]
            last = first + 1
        for e in range(row[first], row[last]):
            t, k = np.int64(col[e]), j
            if lanes > 1:
                k = (j + np.int64(shift[e])) % lanes
            if not seen[t, k]:
                seen[t, k] = True
                stack[top] = t * lanes + k
                top += 1
    return seen
