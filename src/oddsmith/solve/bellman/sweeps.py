# mypy: disable-error-code="untyped-decorator"
"""Sweeps over components, and the tests that prove bounds; `bounds.py` has the mathematics.

What is called once a state is inlined by Numba: a call that passes arrays costs more than the few
sums it makes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.solve.bellman.collapse import prepare
from oddsmith.solve.bellman.size import LARGEST, LEAST
from oddsmith.solve.rounding import UNIT

MOST_OUTCOMES = 1e8
"""Outcomes looked at, at most, before sweeps that do not come to rest are given up; what they have
found by then still bounds from below."""

LU_IS_CHEAP = 20_000
"""Nodes up to which sparse LU costs no more than a few hundred sweeps."""

WINDOW = 8
"""Sweeps over which the rate of convergence is measured."""


@kernel
def allowed(size: int, max_sweeps: float) -> float:
    """The sweeps after which a component of so many nodes is called slow."""
    return max_sweeps / 8 if size <= LU_IS_CHEAP else max_sweeps


@kernel
def sweep(
    order: Any, bounds: Any, begin: int, stop: Any, choice: Any, row: Any, col: Any, index: Any,
    values: Any, gain: Any, endless: float, maximise: bool, lower: Any, upper: Any, place: Any,
    tolerance: float, max_sweeps: float, signals: Any,
) -> Any:  # fmt: skip
    """Solve components begin, begin + 1, … in turn; -1, or the one that needs too many sweeps.

    The component `begin` itself is given all the sweeps it needs if `max_sweeps` is infinite; the
    limit holds for those after it.
    """
    for k in range(begin, len(bounds) - 1):
        if signals[-1] != 0:
            return k
        first, last = bounds[k], bounds[k + 1]
        if last - first == 1:
            s = order[first]
            if not stop[s]:
                one_state(s, choice, row, col, index, values, gain, endless, maximise, lower, upper)
            if k & 1023 == 0:
                signals[0] = first
            continue
        signals[0] = first
        states = order[first:last]
        parts = prepare(
            states, choice, row, col, index, values, gain, endless, maximise, lower, upper, place
        )
        if len(parts[1]) > 1:
            limit = max_sweeps if k == begin or max_sweeps < np.inf else 1e18
            if not iterate(parts, maximise, states, lower, upper, tolerance, limit, signals):
                return k
    return -1


@kernel(inline="always")
def one_state(
    s: int, choice: Any, row: Any, col: Any, index: Any, values: Any, gain: Any, endless: float,
    maximise: bool, lower: Any, upper: Any,
) -> None:  # fmt: skip
    """A component of one state: the best of its choices, the chance to stay taken out."""
    best_low = best_high = -1.0
    for c in range(choice[s], choice[s + 1]):
        low, high = one_choice(s, c, row, col, index, values, gain, endless, lower, upper)
        if best_low < 0.0:
            best_low, best_high = low, high
        elif maximise:
            best_low, best_high = max(best_low, low), max(best_high, high)
        else:
            best_low, best_high = min(best_low, low), min(best_high, high)
    lower[s], upper[s] = best_low, best_high


@kernel(inline="always")
def one_choice(
    s: int, c: int, row: Any, col: Any, index: Any, values: Any, gain: Any, endless: float,
    lower: Any, upper: Any,
) -> Any:  # fmt: skip
    """Bounds on the worth of a choice that is taken until it leaves its state."""
    low = high = leave = greatest = 0.0
    least = np.inf
    looped = False
    for e in range(row[c], row[c + 1]):
        t = col[e]
        if t == s:
            looped = True
            continue
        p = values[index[e]]
        leave += p
        low += p * lower[t]
        high += p * upper[t]
        least = min(least, lower[t])
        greatest = max(greatest, upper[t])
    earned = gain[c] if len(gain) > 0 else 0.0
    if leave == 0.0:
        forever = endless if earned == 0.0 else np.inf
        return forever, forever
    if low == np.inf:
        return np.inf, np.inf
    if low < LEAST:
        low = 0.0
    if greatest > 0.0:
        high = max(high, LEAST)
    low += earned
    high += earned
    if looped:
        low /= leave
        high /= leave
    off = (2 * (row[c + 1] - row[c]) + 12) * UNIT
    low *= 1.0 - off
    high *= 1.0 + off
    if high < LEAST and earned > 0.0:
        high = LEAST
    if low < LEAST:
        low = 0.0
    if earned == 0.0:  # a mean of what follows
        return max(low, least), min(high, greatest)
    return min(low, LARGEST), high


@kernel(inline="always")
def best_of(
    g: int, rows: Any, row: Any, col: Any, p: Any, constant: Any, factor: Any, x: Any,
    maximise: bool,
) -> Any:  # fmt: skip
    """The best option of a node, each moved by its factor."""
    best = -1.0
    for o in range(rows[g], rows[g + 1]):
        value = constant[o]
        for e in range(row[o], row[o + 1]):
            value += p[e] * x[col[e]]
        value *= factor[o]
        if best < 0.0 or (value > best) == maximise:
            best = value
    return best


@kernel
def inductive(
    rows: Any, row: Any, col: Any, p: Any, high: Any, up: Any, cap: float, y: Any,
    maximise: bool, tries: int,
) -> Any:  # fmt: skip
    """Sweep over a candidate until one sweep raises nothing: then it bounds from above."""
    for _ in range(tries):
        proved = True
        for g in range(len(y)):
            value = best_of(g, rows, row, col, p, high, up, y, maximise)
            value = min(cap, max(value, LEAST))
            if value > y[g]:
                proved = False
            y[g] = value
        if proved:
            return True
    return False


@kernel
def inductive_below(
    rows: Any, row: Any, col: Any, p: Any, low: Any, down: Any, x: Any, maximise: bool, tries: int
) -> Any:
    """Sweep over a candidate until one sweep lowers nothing: then it bounds from below.

    Only where the equations have one solution, as those of `prepare` have.
    """
    for _ in range(tries):
        proved = True
        for g in range(len(x)):
            value = max(0.0, best_of(g, rows, row, col, p, low, down, x, maximise))
            if value < x[g]:
                proved = False
            x[g] = value
        if proved:
            return True
    return False


@kernel
def raise_lower(
    rows: Any, row: Any, col: Any, p: Any, low: Any, down: Any, x: Any, diff: Any, maximise: bool
) -> Any:
    """One sweep from below; the largest change, relative where values exceed one."""
    change = 0.0
    for g in range(len(x)):
        value = best_of(g, rows, row, col, p, low, down, x, maximise)
        d = value - x[g]
        if d > 0.0 and value >= LEAST:  # smaller ones are slow to compute with, and no use
            x[g] = value
            diff[g] = d
            change = max(change, d / max(1.0, value))
        else:
            diff[g] = 0.0
    return change


@kernel
def spread(x: Any, y: Any) -> Any:
    """The largest gap between bounds, relative where values exceed one."""
    gap = 0.0
    for g in range(len(x)):
        gap = max(gap, (y[g] - x[g]) / max(1.0, x[g]))
    return gap


@kernel
def iterate(
    parts: Any, maximise: bool, states: Any, lower: Any, upper: Any, tolerance: float,
    max_sweeps: float, signals: Any,
) -> Any:  # fmt: skip
    """Bounds for a component by sweeps; False if they are too slow (nothing is written then)."""
    member, rows, row, col, p, _out, low, high, down, up, floor, cap = parts
    size = len(rows) - 1
    x = np.full(size, floor)
    y = np.full(size, cap)
    diff = np.zeros(size)
    candidate = np.empty(size)
    recent = np.full(WINDOW, np.inf)
    sweeps, failures, wait, proved = 0, 0, 0, cap < np.inf
    given = 0.0  # how far apart the bounds of the outside are: it cannot be better inside
    for o in range(len(low)):
        given = max(given, (high[o] - low[o]) / max(1.0, low[o]))
    aim = tolerance / 64
    enough = 8 * aim + 1.5 * given
    most = max(20_000.0, MOST_OUTCOMES / (1.0 + len(col)))
    while True:
        change = raise_lower(rows, row, col, p, low, down, x, diff, maximise)
        before = recent[sweeps % WINDOW]
        recent[sweeps % WINDOW] = change
        sweeps += 1
        signals[1], signals[2] = change, sweeps
        signals[3] = max(signals[3], sweeps)
        if signals[-1] != 0:
            return False
        if change == 0.0 or change < 2 * UNIT:
            rate = 0.0
        elif before < np.inf and change < before:
            rate = min((change / before) ** (1.0 / WINDOW), 1.0 - 1e-9)
        elif sweeps <= WINDOW:
            continue
        else:
            rate = 1.0 - 1e-9
        left = change * rate / (1.0 - rate)
        if left > aim and sweeps < most:
            if sweeps >= 32 and sweeps % 32 == 0 and max_sweeps < 1e17:
                needed = np.log(aim / left) / np.log(rate) if rate < 1.0 - 1e-8 else 1e18
                if needed > allowed(size, max_sweeps):
                    return False
            continue
        if wait > 0 and change > 0.0:
            wait -= 1
            continue
        stretch = 1.0 / (1.0 - rate) if rate < 1.0 - 1e-6 else 1e6
        for g in range(size):
            slack = (aim + given) * 4.0 ** max(0, failures - 3) * max(1.0, x[g])
            candidate[g] = min(cap, x[g] + 2.0 * diff[g] * stretch + slack)
        if inductive(rows, row, col, p, high, up, cap, candidate, maximise, 12 + 4 * failures):
            for g in range(size):
                y[g] = min(y[g], candidate[g])
            proved = True
            if failures > 3 or spread(x, y) <= enough:
                break
            # The bounds hold but are wide: go on from both sides while that helps.
            for _ in range(2000):
                before = spread(x, y)
                raise_lower(rows, row, col, p, low, down, x, diff, maximise)
                inductive(rows, row, col, p, high, up, cap, y, maximise, 1)
                after = spread(x, y)
                if after <= enough or after > 0.95 * before:
                    break
            break
        failures += 1
        wait = 4 * failures
        if failures == 6 and max_sweeps < 1e17:
            return False
        if failures > 40 or sweeps >= most:
            break
    if not proved:
        y[:] = cap
    write(member, rows, states, x, y, lower, upper)
    return True


@kernel
def write(member: Any, rows: Any, states: Any, x: Any, y: Any, lower: Any, upper: Any) -> None:
    """The bounds of nodes to their states; a node without options is worth nothing."""
    for i in range(len(states)):
        g = member[i]
        if g >= 0 and rows[g] == rows[g + 1]:
            lower[states[i]] = upper[states[i]] = 0.0
        elif g >= 0:
            lower[states[i]] = min(x[g], LARGEST) if x[g] >= LEAST else 0.0
            upper[states[i]] = max(y[g], lower[states[i]])
