# mypy: disable-error-code="untyped-decorator"
"""Compiled loops for `picks.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel


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
    lead(stop, choice, row, col, good, toward, pick)
    return pick


@kernel
def lead(stop: Any, choice: Any, row: Any, col: Any, good: Any, toward: Any, pick: Any) -> None:
    """Change picks such that play goes toward where it stops.

    Where `toward` is set, a choice is taken among the good ones that leads, with positive chance,
    to a state from which play leads on: found backward from the states at which play stops.
    Elsewhere the opponents decide: play leads on if it does by all their good choices.
    """
    size = len(choice) - 1
    count = np.zeros(size + 1, np.int64)
    owner = np.empty(len(row) - 1, np.int32)
    for s in range(size):
        for c in range(choice[s], choice[s + 1]):
            owner[c] = s
            if good[c]:
                for e in range(row[c], row[c + 1]):
                    count[col[e] + 1] += 1
    for s in range(size):
        count[s + 1] += count[s]
    entering = np.empty(count[size], np.int32)
    cursor = count[:size].copy()
    for c in range(len(row) - 1):
        if good[c]:
            for e in range(row[c], row[c + 1]):
                entering[cursor[col[e]]] = c
                cursor[col[e]] += 1
    missing = np.zeros(size, np.int32)
    met = np.zeros(len(row) - 1, np.bool_)
    for s in range(size):
        for c in range(choice[s], choice[s + 1]):
            missing[s] += good[c]
    known = np.zeros(size, np.bool_)
    queue = np.empty(size, np.int32)
    head, tail = 0, 0
    for s in range(size):
        if stop[s]:
            known[s] = True
            queue[tail] = s
            tail += 1
    while head < tail:
        t = queue[head]
        head += 1
        for k in range(count[t], count[t + 1]):
            c = entering[k]
            s = owner[c]
            if known[s] or met[c]:
                continue
            met[c] = True
            missing[s] -= 1
            if toward[s] or missing[s] == 0:
                known[s] = True
                if toward[s]:
                    pick[s] = c
                queue[tail] = s
                tail += 1
