# mypy: disable-error-code="untyped-decorator"
"""Compiled loops for `picks.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.solve.bellman.leading import lead


@kernel
def worth(c: int, row: Any, col: Any, index: Any, values: Any, gain: Any, x: Any) -> Any:
    """What a choice is worth, given what states are."""
    value = gain[c] if len(gain) > 0 else 0.0
    for e in range(row[c], row[c + 1]):
        value += values[index[e]] * x[col[e]]
    return value


@kernel
def worths(picks: Any, row: Any, col: Any, index: Any, values: Any, gain: Any, x: Any) -> Any:
    """What some choices are worth."""
    found = np.empty(len(picks))
    for i in range(len(picks)):
        found[i] = worth(picks[i], row, col, index, values, gain, x)
    return found


@kernel
def approximate(
    order: Any, bounds: Any, stop: Any, choice: Any, row: Any, col: Any, index: Any, values: Any,
    gain: Any, maximise: Any, x: Any, tolerance: float, most: int, signals: Any,
) -> None:  # fmt: skip
    """Value iteration from below, component by component; states differ in who decides.

    For chances only: from below they come to what play is worth if without an end it is nothing.
    """
    for k in range(len(bounds) - 1):
        first, last = bounds[k], bounds[k + 1]
        if signals[-1] != 0:
            return
        signals[0] = first
        for sweep in range(most):
            change = 0.0
            for i in range(first, last):
                s = order[i]
                if stop[s]:
                    continue
                best = -1.0
                for c in range(choice[s], choice[s + 1]):
                    value, leave = gain[c] if len(gain) > 0 else 0.0, 0.0
                    for e in range(row[c], row[c + 1]):
                        if col[e] != s:
                            p = values[index[e]]
                            leave += p
                            value += p * x[col[e]]
                    if leave > 0.0:
                        value /= leave
                    if best < 0.0 or (value > best) == maximise[s]:
                        best = value
                if best > x[s]:
                    change = max(change, (best - x[s]) / max(1.0, best))
                    x[s] = best
            signals[1], signals[2] = change, sweep
            if last - first == 1 or change <= tolerance:
                break


@kernel
def best_choices(
    stop: Any, choice: Any, row: Any, col: Any, index: Any, values: Any, gain: Any, maximise: Any,
    toward: Any, x: Any, tie: float,
) -> Any:  # fmt: skip
    """A best choice of every state, such that play goes toward where it stops if it matters.

    Choices within `tie` of the best are taken to be as good.
    """
    size = len(choice) - 1
    pick = np.full(size, -1, np.int64)
    good = np.zeros(len(row) - 1, np.bool_)
    for s in range(size):
        best = -1.0
        for c in range(choice[s], choice[s + 1]):
            value = worth(c, row, col, index, values, gain, x)
            if best < 0.0 or (value > best) == maximise[s]:
                best = value
                pick[s] = c
        for c in range(choice[s], choice[s + 1]):
            value = worth(c, row, col, index, values, gain, x)
            if value == best or abs(value - best) <= tie * max(1.0, best):
                good[c] = True
    lead(stop.copy(), choice, row, col, good, np.empty(0), toward, pick)
    return pick
