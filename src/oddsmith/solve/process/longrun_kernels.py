# mypy: disable-error-code="untyped-decorator"
"""Compiled loops for `longrun.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel

UNIT = 2.0**-53


@kernel
def part(states: Any, usable: Any, choice: Any, row: Any, col: Any, index: Any, values: Any,
         gain: Any, place: Any) -> Any:  # fmt: skip
    """An end component by itself: options, outcomes with local numbers, gains."""
    size = len(states)
    options, edges = 0, 0
    for i in range(size):
        place[states[i]] = i
        for c in range(choice[states[i]], choice[states[i] + 1]):
            if usable[c]:
                options += 1
                edges += row[c + 1] - row[c]
    rows = np.zeros(size + 1, np.int64)
    option_row = np.zeros(options + 1, np.int64)
    target = np.empty(edges, np.int32)
    chance = np.empty(edges)
    earned = np.empty(options)
    o, filled = 0, 0
    for i in range(size):
        for c in range(choice[states[i]], choice[states[i] + 1]):
            if usable[c]:
                earned[o] = gain[c]
                for e in range(row[c], row[c + 1]):
                    target[filled] = place[col[e]]
                    chance[filled] = values[index[e]]
                    filled += 1
                o += 1
                option_row[o] = filled
        rows[i + 1] = o
    for i in range(size):
        place[states[i]] = -1
    return rows, option_row, target, chance, earned


@kernel
def drift(rows: Any, row: Any, target: Any, chance: Any, earned: Any, h: Any, new: Any,
          lazy: float) -> Any:  # fmt: skip
    """One sweep of relative value iteration; bounds on the gain from the drift of h.

    Each drift is a sum of differences, so that its rounding is small where h hardly differs.
    """
    low, high = np.inf, -np.inf
    for s in range(len(h)):
        best, off = -np.inf, 0.0
        for o in range(rows[s], rows[s + 1]):
            value, size = earned[o], abs(earned[o])
            for e in range(row[o], row[o + 1]):
                d = chance[e] * (h[target[e]] - h[s])
                value += d
                size += abs(d)
            if value > best:
                best = value
            off = max(off, (row[o + 1] - row[o] + 6) * UNIT * size)
        low = min(low, best - off)
        high = max(high, best + off)
        new[s] = h[s] + lazy * best
    shift = new[0]
    for s in range(len(h)):
        new[s] -= shift
    return low, high


@kernel
def iterate(rows: Any, row: Any, target: Any, chance: Any, earned: Any, h: Any, tolerance: float,
            sweeps: int) -> Any:  # fmt: skip
    """Relative value iteration until the bounds on the gain meet; the best bounds."""
    new = np.empty_like(h)
    low, high = -np.inf, np.inf
    for _ in range(sweeps):
        a, b = drift(rows, row, target, chance, earned, h, new, 0.75)
        low, high = max(low, a), min(high, b)
        h[:] = new
        if high - low <= tolerance * max(1.0, high):
            break
    return low, high
