# mypy: disable-error-code="untyped-decorator"
"""Compiled kernels on Markov chains in compressed rows; see `chain.py` for the mathematics.

Vectors have one row a place (a live state) and one column a lane (a seat of the mover in a
mover-relative chain; one column in a plain chain).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.solve.rounding import UNIT

PROBE = 32
"""Sweeps over which the rate of convergence is measured."""

TRIED = 10_000
"""Where more sweeps than this are allowed they are tried: an estimate so early may be far off."""


@kernel
def sweeps_needed(before: float, now: float, goal: float) -> Any:
    """Sweeps still needed at the rate of the last PROBE ones, which led from before to now."""
    if now >= before or goal <= 0.0:
        return np.inf
    return PROBE * np.log(goal / now) / np.log(now / before)


@kernel
def restrict(order: Any, place: Any, row: Any, col: Any, weight: Any, shift: Any) -> Any:
    """The transitions between live states, renumbered by place."""
    new_row = np.empty(len(order) + 1, np.int64)
    edges = 0
    for i in range(len(order)):
        new_row[i] = edges
        for e in range(row[order[i]], row[order[i] + 1]):
            if place[col[e]] >= 0:
                edges += 1
    new_row[len(order)] = edges
    new_col = np.empty(edges, np.int32)
    new_weight = np.empty(edges, weight.dtype)
    new_shift = np.empty(edges if len(shift) > 0 else 0, shift.dtype)
    edges = 0
    for i in range(len(order)):
        for e in range(row[order[i]], row[order[i] + 1]):
            if place[col[e]] >= 0:
                new_col[edges] = place[col[e]]
                new_weight[edges] = weight[e]
                if len(shift) > 0:
                    new_shift[edges] = shift[e]
                edges += 1
    return new_row, new_col, new_weight, new_shift


@kernel
def push(
    seats: Any, bounds: Any, row: Any, col: Any, weight: Any, total: Any, leave: Any, shift: Any,
    y: Any, r: Any, tolerance: float, max_sweeps: float, signals: Any,
) -> Any:  # fmt: skip
    """Forward Gauss–Seidel: push the residual r along the transitions, collecting it in y.

    Component by component in topological order; inside a component sweep until at most its
    share of the tolerance is left in it. Keeps y + (I - Pᵀ)⁻¹ r unchanged. Returns the number
    of components done: fewer than all if one seems to need more than `max_sweeps`.

    `leave` is the weight of each state's transitions to other states, 0 < leave ≤ total.

    `seats` is a tuple with one entry a lane: its length is known when compiling, which unrolls
    the loops over lanes. y and r are flat. `turned` holds what a state passes on, turned by
    each possible shift.
    """
    lanes = len(seats)
    turned = np.zeros(lanes * lanes)
    states = len(total)
    for c in range(len(bounds) - 1):
        first, last = bounds[c], bounds[c + 1]
        share = tolerance * ((last - first) / states)
        sweeps, mark = 0, 0.0
        while True:
            for s in range(first, last):
                # Leaving s at last: the visits are a geometric series in 1 - leave / total.
                scale = 1.0 / leave[s]
                some = 0.0
                for j in range(lanes):
                    m = r[s * lanes + j] * scale
                    r[s * lanes + j] = 0.0
                    some += abs(m)
                    y[s * lanes + j] += m * total[s]
                    for k in range(lanes):
                        to = j + k if j + k < lanes else j + k - lanes
                        turned[k * lanes + to] = m
                if some == 0.0:
                    continue
                for e in range(row[s], row[s + 1]):
                    t = np.int64(col[e])
                    turn = np.int64(shift[e]) if lanes > 1 else 0
                    if t == s and turn == 0:
                        continue
                    t *= lanes
                    turn *= lanes
                    w = np.float64(weight[e])
                    for j in range(lanes):
                        r[t + j] += w * turned[turn + j]
            sweeps += 1
            signals[3] = max(signals[3], sweeps)
            if last - first == 1 and lanes == 1:
                break
            left = 0.0
            for i in range(first * lanes, last * lanes):
                left += abs(r[i])
            signals[0], signals[1], signals[2] = left, sweeps, first
            if left <= share:
                break
            if sweeps == PROBE:
                mark = left
            probed = sweeps == 2 * PROBE and max_sweeps <= TRIED
            too_slow = probed and sweeps_needed(mark, left, share) > max_sweeps
            if too_slow or sweeps >= max_sweeps or signals[-1] != 0:
                return c
    return len(bounds) - 1


@kernel
def pull(
    bounds: Any, row: Any, col: Any, weight: Any, total: Any, leave: Any, pin: Any,
    x: Any, b: Any, tolerance: float, max_sweeps: float, signals: Any,
) -> Any:  # fmt: skip
    """Backward Gauss–Seidel: x = b + P x, component by component against the topological order.

    Sweeps a component until no entry changes by more than the tolerance, or by more than
    rounding does (a stopping rule, not a proof). Columns of x are independent questions; column
    q is pinned where pin[s] = q: there x keeps its value. Returns the number of components not
    done: 0, unless one seems to need more than `max_sweeps`.
    """
    columns = x.shape[1]
    value = np.empty(columns)
    for c in range(len(bounds) - 2, -1, -1):
        first, last = bounds[c], bounds[c + 1]
        sweeps, mark = 0, 0.0
        while True:
            change, largest = 0.0, 0.0
            for s in range(last - 1, first - 1, -1):
                for q in range(columns):
                    value[q] = 0.0
                for e in range(row[s], row[s + 1]):
                    t = col[e]
                    if t != s:
                        w = np.float64(weight[e])
                        for q in range(columns):
                            value[q] += w * x[t, q]
                for q in range(columns):
                    if len(pin) > 0 and pin[s] == q:
                        continue
                    new = (value[q] + b[s, q] * total[s]) / leave[s]
                    change = max(change, abs(new - x[s, q]))
                    largest = max(largest, abs(new))
                    x[s, q] = new
            sweeps += 1
            signals[0], signals[1], signals[2] = change, sweeps, first
            signals[3] = max(signals[3], sweeps)
            if last - first == 1 or change <= max(tolerance, 4 * UNIT * largest):
                break
            if sweeps == PROBE:
                mark = change
            probed = sweeps == 2 * PROBE and max_sweeps <= TRIED
            too_slow = probed and sweeps_needed(mark, change, tolerance) > max_sweeps
            if too_slow or sweeps >= max_sweeps or signals[-1] != 0:
                return c + 1
    return 0


@kernel
def forward_residual(
    row: Any, col: Any, weight: Any, total: Any, shift: Any,
    y: Any, r: Any, size: Any, degree: Any,
) -> Any:  # fmt: skip
    """Turn r = e into the residual e - (I - Pᵀ) y; returns a bound on the sum of its errors.

    `size` collects the sum of the magnitudes that went into each entry, `degree` their number:
    a sum of d products, each with two roundings (four where weights exceed 2^53), and one
    more term is off by at most (d + 6) u times that.
    """
    lanes = y.shape[1]
    for s in range(len(y)):
        for e in range(row[s], row[s + 1]):
            t = col[e]
            degree[t] += 1
            k = np.int64(shift[e]) if lanes > 1 else 0
            w = np.float64(weight[e])
            for j in range(lanes):
                m = w * (y[s, j] / total[s])
                to = j + k if j + k < lanes else j + k - lanes
                r[t, to] += m
                size[t, to] += abs(m)
    error = 0.0
    for s in range(len(y)):
        for j in range(lanes):
            r[s, j] -= y[s, j]
            size[s, j] += abs(y[s, j])
            error += (degree[s] + 6) * UNIT * size[s, j]
    return error * (1.0 + 1e-6)


@kernel
def backward_residual(
    row: Any, col: Any, weight: Any, total: Any, pin: Any, x: Any, b: Any, r: Any, error: Any
) -> None:
    """r = b - (I - P) x on unpinned entries, with a bound on the error of each entry."""
    for s in range(len(x)):
        for q in range(x.shape[1]):
            if len(pin) > 0 and pin[s] == q:
                r[s, q] = error[s, q] = 0.0
                continue
            sum_, size = 0.0, 0.0
            for e in range(row[s], row[s + 1]):
                m = np.float64(weight[e]) * x[col[e], q]
                sum_ += m
                size += abs(m)
            r[s, q] = b[s, q] + sum_ / total[s] - x[s, q]
            size = size / total[s] + abs(b[s, q]) + abs(x[s, q])
            error[s, q] = (row[s + 1] - row[s] + 7) * UNIT * size * (1.0 + 1e-6)


@kernel
def _add(sums: Any, place: int, term: float) -> None:
    """Neumaier's compensated addition into sums[place] = (sum, compensation, magnitude)."""
    s = sums[place, 0]
    t = s + term
    if abs(s) >= abs(term):
        sums[place, 1] += (s - t) + term
    else:
        sums[place, 1] += (term - t) + s
    sums[place, 0] = t
    sums[place, 2] += abs(term)


@kernel
def outcome_sums(
    order: Any, row: Any, col: Any, weight: Any, total: Any, shift: Any, outcome: Any,
    length: Any, y: Any, players: int,
) -> Any:  # fmt: skip
    """From visits y the chance of each outcome: rows (sum, compensation, magnitude).

    Rows 0 … players-1: that player wins; row players: a draw; row players+1: expected length.
    Works on the transitions of the whole model; `outcome` holds winner bits where it is over.
    """
    lanes = y.shape[1]
    sums = np.zeros((players + 2, 3))
    for i in range(len(order)):
        s = order[i]
        for j in range(lanes):
            visits = y[i, j]
            if visits == 0.0:
                continue
            _add(sums, players + 1, visits * length[i])
            for e in range(row[s], row[s + 1]):
                bits = outcome[col[e]]
                if bits < 0:
                    continue
                term = np.float64(weight[e]) * (visits / total[i])
                if bits == 0:
                    _add(sums, players, term)
                    continue
                turn = (j + np.int64(shift[e])) % players if lanes > 1 else 0
                for p in range(players):
                    if (bits >> p) & 1:
                        _add(sums, (p + turn) % players, term)
    return sums


@kernel
def score_sums(
    order: Any, row: Any, col: Any, weight: Any, total: Any, shift: Any, outcome: Any,
    scores: Any, y: Any,
) -> Any:  # fmt: skip
    """From visits y the expected score of each player: rows (sum, compensation, magnitude)."""
    lanes, players = y.shape[1], scores.shape[1]
    sums = np.zeros((players, 3))
    for i in range(len(order)):
        s = order[i]
        for j in range(lanes):
            if y[i, j] == 0.0:
                continue
            for e in range(row[s], row[s + 1]):
                t = col[e]
                if outcome[t] < 0:
                    continue
                term = np.float64(weight[e]) * (y[i, j] / total[i])
                turn = (j + np.int64(shift[e])) % players if lanes > 1 else 0
                for p in range(players):
                    _add(sums, (p + turn) % players, term * scores[t, p])
    return sums


@kernel
def boundary(order: Any, row: Any, col: Any, weight: Any, total: Any, value: Any, b: Any) -> None:
    """Add to b what one move from each live state earns: the sum of chance × value there.

    `value` has one row a state of the model (zero where live) and the columns of b.
    """
    for i in range(len(order)):
        for e in range(row[order[i]], row[order[i] + 1]):
            for q in range(b.shape[1]):
                b[i, q] += np.float64(weight[e]) * value[col[e], q] / total[i]


@kernel
def free_depth(row: Any, col: Any, length: Any) -> int:
    """How many moves that do not count one pass over the states can play one after the other.

    A pass goes through the states in their order, so these are paths of free moves that ascend.
    """
    depth = np.ones(len(length), np.int64)
    deepest = 1
    for s in range(len(length)):
        if length[s] != 0.0:
            continue
        deepest = max(deepest, depth[s])
        for e in range(row[s], row[s + 1]):
            if col[e] > s:
                depth[col[e]] = max(depth[col[e]], depth[s] + 1)
    return deepest


@kernel
def play_forward(
    row: Any, col: Any, weight: Any, total: Any, ending: Any, length: Any, now: Any, later: Any,
    begun: bool, chances: Any, goal: float, trifle: float, most_free: int, budget: int,
    signals: Any,
) -> Any:  # fmt: skip
    """Play the distribution `now` forward, one counted move after the other.

    `ending` is each state's chance that its move ends the game. `chances` is filled with the
    chance of the next length and those after it, until it is full or no more than `goal` goes on.
    Moves that do not count are played at once, until no more than a `trifle` waits for one; that
    stays for the next length. Returns how many chances were filled in, what goes on, what was
    late in all, how often the mass was moved, and whether moves that do not count went on for more
    than `most_free` passes. It also stops when the mass was moved more often than the `budget` has.
    """
    n = len(now)
    left, late, passes, filled = 0.0, 0.0, 0, 0
    has_free = False
    for s in range(n):
        has_free |= length[s] == 0.0
    while filled < len(chances):
        ended, carried = 0.0, 0.0
        if begun:
            for s in range(n):
                m = now[s]
                if m == 0.0 or length[s] == 0.0:
                    continue
                now[s] = 0.0
                share = ending[s] * m
                sum_ = ended + share
                carried += (ended - sum_) + share if ended >= share else (share - sum_) + ended
                ended = sum_
                m /= total[s]
                for e in range(row[s], row[s + 1]):
                    later[col[e]] += weight[e] * m
            for s in range(n):
                now[s] += later[s]
                later[s] = 0.0
            passes += 1
        begun = True
        waiting, settling = 0.0, 0
        while has_free:
            waiting = 0.0
            for s in range(n):
                if length[s] == 0.0:
                    waiting += now[s]
            if waiting <= trifle:
                break
            if settling == most_free or passes >= budget or signals[-1] != 0.0:
                return filled, left, late, passes, settling == most_free
            for s in range(n):
                m = now[s]
                if m == 0.0 or length[s] != 0.0:
                    continue
                now[s] = 0.0
                share = ending[s] * m
                sum_ = ended + share
                carried += (ended - sum_) + share if ended >= share else (share - sum_) + ended
                ended = sum_
                m /= total[s]
                for e in range(row[s], row[s + 1]):
                    now[col[e]] += weight[e] * m
            passes += 1
            settling += 1
        late += waiting
        chances[filled] = ended + carried
        filled += 1
        left, carried = 0.0, 0.0
        for s in range(n):
            sum_ = left + now[s]
            carried += (left - sum_) + now[s] if left >= now[s] else (now[s] - sum_) + left
            left = sum_
        left += carried
        signals[0], signals[1] = filled, left
        if left <= goal or passes >= budget or signals[-1] != 0.0:
            break
    return filled, left, late, passes, False
