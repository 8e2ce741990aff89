# mypy: disable-error-code="untyped-decorator"
"""Mover-relative models unfolded: which views are reached, the transitions of the full chain."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel


@kernel
def reached_lanes(row: Any, col: Any, shift: Any, lanes: int, start: int, lane: int) -> Any:
    """Which (state, seat) of the full chain are reached from (start, lane)."""
    reached = np.zeros((len(row) - 1, lanes), np.bool_)
    reached[start, lane] = True
    grew = True
    while grew:  # states are numbered as they were met, so few passes are needed
        grew = False
        for s in range(len(row) - 1):
            for j in range(lanes):
                if not reached[s, j]:
                    continue
                for e in range(row[s], row[s + 1]):
                    k = j + np.int64(shift[e])
                    if k >= lanes:
                        k -= lanes
                    if not reached[col[e], k]:
                        reached[col[e], k] = True
                        grew = grew or col[e] <= s
    return reached


@kernel
def unfold_transitions(
    old: Any, lane: Any, row: Any, old_row: Any, col: Any, weight: Any, shift: Any, number: Any
) -> Any:
    """Transitions of the full chain: choice c copies choice old[c] as seen from seat lane[c]."""
    new_col = np.empty(row[-1], np.int32)
    new_weight = np.empty(row[-1], weight.dtype)
    players = number.shape[1]
    for c in range(len(old)):
        e = row[c]
        for k in range(old_row[old[c]], old_row[old[c] + 1]):
            new_col[e] = number[col[k], (lane[c] + shift[k]) % players]
            new_weight[e] = weight[k]
            e += 1
    return new_col, new_weight
