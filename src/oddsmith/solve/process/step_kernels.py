# mypy: disable-error-code="untyped-decorator"
"""Compiled loops for `steps.py`."""

from __future__ import annotations

from typing import Any

from oddsmith.ahead import kernel


@kernel
def step(
    begin: int, end: int, choice: Any, row: Any, col: Any, index: Any, values: Any, gain: Any,
    moving: Any, maximise: Any, x: Any, new: Any,
) -> Any:  # fmt: skip
    """One step back for the states begin … end-1 that are `moving`; whether anything changed.

    `maximise` has one entry a state, or one for all; `gain` one a choice, or none.
    """
    changed = False
    for s in range(begin, end):
        if not moving[s]:
            if new[s] != x[s]:
                new[s] = x[s]
            continue
        largest = maximise[s] if len(maximise) > 1 else maximise[0]
        best = -1.0
        for c in range(choice[s], choice[s + 1]):
            value = gain[c] if len(gain) > 0 else 0.0
            for e in range(row[c], row[c + 1]):
                value += values[index[e]] * x[col[e]]
            if best < 0.0 or (value > best) == largest:
                best = value
        new[s] = best
        if best != x[s]:
            changed = True
    return changed


@kernel
def steps(
    count: int, choice: Any, row: Any, col: Any, index: Any, values: Any, gain: Any,
    moving: Any, maximise: Any, x: Any, new: Any,
) -> Any:  # fmt: skip
    """Several steps back, at most `count`: how many until nothing changed, and the vector."""
    for made in range(1, count + 1):
        changed = step(0, len(x), choice, row, col, index, values, gain, moving, maximise, x, new)
        x, new = new, x
        if not changed:
            return made, False, x, new
    return count, True, x, new
