# mypy: disable-error-code="untyped-decorator"
"""Compiled kernels of value iteration: components gathered, swept until they come to rest.

Vectors are as in `problem_kernels.py`. A component is gathered into arrays of its own first: what
leads out of it is known and becomes a constant, a chance to stay in a state is taken out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.solve.bellman.leading import lead, never_leaving
from oddsmith.solve.bellman.sweeps import allowed
from oddsmith.solve.play.endless_kernels import as_good, better_to_stay
from oddsmith.solve.play.problem_kernels import largest_component
from oddsmith.solve.rounding import UNIT


@kernel
def gather(
    many: int, zero_sum: bool, order: Any, begin: int, end: int, place: Any, endless: float,
    choice: Any, row: Any, col: Any, weight: Any, total: Any, shift: Any, x: Any,
    my_choice: Any, my_row: Any, my_col: Any, my_turn: Any, chance: Any, given: Any, out: Any,
) -> None:  # fmt: skip
    """A component by itself: Q(c, q) = given(c, q) + Σ chance × x over transitions inside it.

    What leads out of the component is known and goes into `given`, its chance into `out`. A chance
    to stay in a state is taken out. In a zero-sum game one number a state is enough: where the
    turn passes, the mover gets 1 - x, so the chance counts negative and adds to what is given.
    """
    columns = 1 if zero_sum else many
    choices, edges = 0, 0
    for i in range(begin, end):
        s = np.int64(order[i])
        my_choice[i - begin] = choices
        for c in range(choice[s], choice[s + 1]):
            my_row[choices] = edges
            out[choices] = 0.0
            left = np.int64(total[c])
            for e in range(row[c], row[c + 1]):
                if col[e] == s and (many == 1 or shift[e] == 0):
                    left -= np.int64(weight[e])
            for q in range(columns):
                given[choices * columns + q] = 0.0 if left > 0 else endless
            scale = 1.0 / np.float64(left) if left > 0 else 0.0
            for e in range(row[c], row[c + 1]):
                t = np.int64(col[e])
                turn = np.int64(shift[e]) if many > 1 else 0
                if t == s and turn == 0:
                    continue
                p = np.float64(weight[e]) * scale
                there = place[t]
                inside = begin <= there < end
                if inside:
                    my_col[edges] = there - begin
                    my_turn[edges] = 0 if zero_sum else turn
                    chance[edges] = p
                    if zero_sum and turn != 0:
                        chance[edges] = -p
                        given[choices] += p
                    edges += 1
                else:
                    out[choices] += p
                    for q in range(columns):
                        at = q - turn if q >= turn else q - turn + many
                        given[choices * columns + q] += p * x[t * many + at]
            choices += 1
    my_choice[end - begin] = choices
    my_row[choices] = edges


@kernel
def sweep_one_number(
    size: int, compare: bool, my_choice: Any, my_row: Any, my_col: Any, chance: Any, given: Any,
    mine: Any, my_pick: Any,
) -> Any:  # fmt: skip
    """A sweep over a gathered component with one number a state; (change, largest value)."""
    change, largest = 0.0, 0.0
    for i in range(size - 1, -1, -1):
        base = my_choice[i]
        first, last = base + my_pick[i], base + my_pick[i] + 1
        if compare:
            first, last = base, my_choice[i + 1]
        best, found = first, -np.inf
        for c in range(first, last):
            value = given[c]
            for e in range(my_row[c], my_row[c + 1]):
                value += chance[e] * mine[my_col[e]]
            if value > found:
                best, found = c, value
        my_pick[i] = best - base
        change = max(change, abs(found - mine[i]))
        largest = max(largest, abs(found))
        mine[i] = found
    return change, largest


@kernel
def sweep_many_numbers(
    size: int, compare: bool, many: int, my_choice: Any, my_row: Any, my_col: Any, my_turn: Any,
    chance: Any, given: Any, mine: Any, my_pick: Any, new: Any,
) -> Any:  # fmt: skip
    """A sweep over a gathered component with a number a seat; (change, largest value)."""
    change, largest = 0.0, 0.0
    for i in range(size - 1, -1, -1):
        base = my_choice[i]
        best = base + my_pick[i]
        if compare:
            found = -np.inf
            for c in range(base, my_choice[i + 1]):
                value = given[c * many]
                for e in range(my_row[c], my_row[c + 1]):
                    turn = my_turn[e]
                    at = 0 if turn == 0 else many - turn
                    value += chance[e] * mine[my_col[e] * many + at]
                if value > found:
                    best, found = c, value
            my_pick[i] = best - base
        for q in range(many):
            new[q] = given[best * many + q]
        for e in range(my_row[best], my_row[best + 1]):
            turn, there = my_turn[e], my_col[e] * many
            for q in range(many):
                at = q - turn if q >= turn else q - turn + many
                new[q] += chance[e] * mine[there + at]
        for q in range(many):
            change = max(change, abs(new[q] - mine[i * many + q]))
            largest = max(largest, abs(new[q]))
            mine[i * many + q] = new[q]
    return change, largest


@kernel
def iterate(
    many: int, zero_sum: bool, order: Any, bounds: Any, last: int, place: Any, endless: float,
    choice: Any, row: Any, col: Any, weight: Any, total: Any, shift: Any, x: Any, pick: Any,
    tolerance: float, max_sweeps: float, at_last: bool, signals: Any,
) -> Any:  # fmt: skip
    """Value iteration (Gauss–Seidel) over components last-1 … 0; those from `last` on are known.

    Sweeps a component until no entry changes by more than the tolerance or than rounding does (a
    stopping rule, not a proof). `pick` is the place of the best choice among those of the state;
    all choices are compared once in a block of as many sweeps as there are seats, in between the
    picks are only evaluated. While the picks stay the same a block is an affine map (after one,
    the turn is back at the same player), so what is left of its slowest mode is taken away by
    extrapolation from two blocks (Aitken's Δ²). Returns -1, or the component that needs more
    sweeps than are `allowed`, or in which the picks go round for ever but are not worth that, or in
    which somebody would rather go round: in an end component wrong values sustain themselves.

    With `at_last`, the component last-1 is swept from the worth of endless play without any
    extrapolation for as long as that gets nearer, and with one number a state what comes of it is
    taken as it is: bounds will tell.
    """
    columns = 1 if zero_sum else many
    states, choices, edges = largest_component(order, bounds[: last + 1], choice, row)
    my_choice, my_row = np.empty(states + 1, np.int64), np.empty(choices + 1, np.int64)
    my_pick = np.empty(states, np.int64)
    my_col, my_turn = np.empty(edges, np.int64), np.empty(edges, np.int64)
    chance, given = np.empty(edges), np.empty(choices * columns)
    out, everywhere = np.empty(choices), np.ones(states, np.bool_)
    mine, mark, step = (
        np.empty(states * columns), np.empty(states * columns), np.empty(states * columns)
    )  # fmt: skip
    new = np.empty(columns)
    for k in range(last - 1, -1, -1):
        begin, end = bounds[k], bounds[k + 1]
        size = end - begin
        if size == 1 and choice[order[begin] + 1] == choice[order[begin]]:
            continue
        gather(
            many, zero_sum, order, begin, end, place, endless, choice, row, col, weight, total,
            shift, x, my_choice, my_row, my_col, my_turn, chance, given, out,
        )  # fmt: skip
        patient = at_last and k == last - 1
        cyclic = my_row[my_choice[size]] > 0
        for i in range(size):
            my_pick[i] = pick[order[begin + i]]
            for q in range(columns):
                mine[i * columns + q] = x[np.int64(order[begin + i]) * many + q]
                if patient:
                    mine[i * columns + q] = endless
        sweeps, since, compare, worst = 0, 0, True, np.inf
        look, seen = 1 << 17, np.inf
        while True:
            if columns == 1:
                change, largest = sweep_one_number(
                    size, compare, my_choice, my_row, my_col, chance, given, mine, my_pick
                )
            else:
                change, largest = sweep_many_numbers(
                    size, compare, many, my_choice, my_row, my_col, my_turn, chance, given, mine,
                    my_pick, new,
                )  # fmt: skip
            sweeps += 1
            signals[0], signals[1] = change, begin
            signals[2] = max(signals[2], sweeps)
            if not cyclic:
                break
            settled = change <= max(tolerance, 4 * UNIT * largest)
            if (settled and compare) or signals[-1] != 0:
                break
            if patient:
                if sweeps == look:
                    if change > 0.999 * seen:
                        break
                    look, seen = 2 * look, change
                continue
            if sweeps >= allowed(size * columns, max_sweeps):
                break
            # One sweep to forget how it began, two blocks to extrapolate from; then again.
            since += 1
            if since == 1:
                mark[: size * columns] = mine[: size * columns]
            elif since == 1 + many or since == 1 + 2 * many:
                across, along = 0.0, 0.0
                for at in range(size * columns):
                    moved = mine[at] - mark[at]
                    across += moved * step[at]
                    along += step[at] * step[at]
                    step[at], mark[at] = moved, mine[at]
                if since > 1 + many:
                    since = 0
                    rate = across / along if along > 0.0 else 0.0
                    if 0.0 < rate < 0.9999 and change < 0.5 * worst and not settled:
                        worst = change
                        for at in range(size * columns):
                            mine[at] += step[at] * (rate / (1.0 - rate))
            compare = settled or since == 0 or since == 1 + many
        for i in range(size):
            s = np.int64(order[begin + i])
            pick[s] = my_pick[i]
            for q in range(columns):
                x[s * many + q] = mine[i * columns + q]
            if zero_sum:
                x[s * many + 1] = 1.0 - mine[i]
        if cyclic and not (settled and compare):
            return k
        if cyclic:
            options = my_choice[size]
            for i in range(size):
                my_pick[i] += my_choice[i]
            parts = my_choice[: size + 1], my_row[: options + 1], my_col
            stays = never_leaving(*parts, out[:options], my_pick[:size])
            enough = 64 * max(tolerance, UNIT * largest)
            if stays.any():
                tie = enough if patient else 4 * UNIT * largest
                good = as_good(
                    many, columns, endless + enough, tie, *parts, my_turn, chance, given, mine,
                    stays,
                )  # fmt: skip
                leading = ~stays
                lead(leading, *parts, good, out[:options], everywhere[:size], my_pick[:size])
                stays = ~leading
                for i in range(size):
                    pick[order[begin + i]] = my_pick[i] - my_choice[i]
            if patient and columns == 1:
                continue
            for at in range(size * columns):
                if stays[at // columns] and abs(mine[at] - endless) > enough:
                    return k
            if better_to_stay(
                many, zero_sum, endless, enough, *parts, my_turn, chance, given, out, mine, my_pick
            ):  # fmt: skip
                return k
    return -1
