# mypy: disable-error-code="untyped-decorator"
"""Compiled kernels of optimal play; see `problem.py` for the mathematics.

Vectors over states and seats are flat: the entry of state s and seat q is at s * seats + q. The
argument `seats` is a tuple with one entry a seat: its length is known when compiling.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.solve.chain import UNIT

TINY = 1e-30
"""The strict drop of a certificate, and the floor of an error."""

RELAXATIONS = 4
"""Sweeps that make the errors of a component smaller once they hold."""


@kernel
def grouped(component: Any, count: int) -> Any:
    """States sorted by component, and where each begins (a counting sort)."""
    bounds = np.zeros(count + 1, np.int64)
    for s in range(len(component)):
        bounds[component[s] + 1] += 1
    for c in range(count):
        bounds[c + 1] += bounds[c]
    place = bounds[:-1].copy()
    order = np.empty(len(component), np.int32)
    for s in range(len(component)):
        order[place[component[s]]] = s
        place[component[s]] += 1
    return order, bounds


@kernel
def owner_shift(row: Any, col: Any, owner: Any, players: int) -> Any:
    """How many seats the view turns in each transition of a plain model."""
    shift = np.empty(len(col), np.uint8)
    for s in range(len(row) - 1):
        for e in range(row[s], row[s + 1]):
            shift[e] = (owner[col[e]] - owner[s]) % players
    return shift


@kernel
def worth_of_choice(
    seats: Any, s: int, c: int, q: int, endless: float,
    row: Any, col: Any, weight: Any, total: Any, shift: Any, x: Any,
) -> Any:  # fmt: skip
    """Q(s, c, q), the chance of staying in s taken out; `endless` if the choice never leaves."""
    many = len(seats)
    sum_: Any = 0.0
    loop = np.int64(0)
    for e in range(row[c], row[c + 1]):
        t = np.int64(col[e])
        at: Any = q
        if many > 1:
            turn = np.int64(shift[e])
            if t == s and turn == 0:
                loop += np.int64(weight[e])
                continue
            at = q - turn if q >= turn else q - turn + many
        elif t == s:
            loop += np.int64(weight[e])
            continue
        sum_ += np.float64(weight[e]) * x[t * many + at]
    left = total[c] - loop
    return sum_ / left if left > 0 else endless


@kernel
def largest_component(order: Any, bounds: Any, choice: Any, row: Any) -> Any:
    """The most states, choices and transitions that a component has."""
    states, choices, edges = 0, 0, 0
    for k in range(len(bounds) - 1):
        some, more = 0, 0
        for i in range(bounds[k], bounds[k + 1]):
            s = order[i]
            some += choice[s + 1] - choice[s]
            more += row[choice[s + 1]] - row[choice[s]]
        states = max(states, bounds[k + 1] - bounds[k])
        choices, edges = max(choices, some), max(edges, more)
    return states, choices, edges


@kernel
def gather(
    many: int, zero_sum: bool, order: Any, begin: int, end: int, place: Any, endless: float,
    choice: Any, row: Any, col: Any, weight: Any, total: Any, shift: Any, x: Any,
    my_choice: Any, my_row: Any, my_col: Any, my_turn: Any, chance: Any, given: Any, leaves: Any,
) -> None:  # fmt: skip
    """A component by itself: Q(c, q) = given(c, q) + Σ chance × x over transitions inside it.

    What leads out of the component is known and goes into `given`; `leaves` says of each choice
    whether anything does. A chance to stay in a state is taken out. In a zero-sum game one number
    a state is enough: where the turn passes, the mover gets 1 - x, so the chance counts negative
    and adds to what is given.
    """
    columns = 1 if zero_sum else many
    choices, edges = 0, 0
    for i in range(begin, end):
        s = np.int64(order[i])
        my_choice[i - begin] = choices
        for c in range(choice[s], choice[s + 1]):
            my_row[choices] = edges
            leaves[choices] = False
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
                    leaves[choices] = True
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
def never_leaving(size: int, pick: Any, choice: Any, row: Any, col: Any, leaves: Any) -> Any:
    """The states of a gathered component from which play by the picks never leaves it."""
    into = np.zeros(size + 2, np.int64)  # a counting sort of the transitions by where they lead
    for i in range(size):
        c = choice[i] + pick[i]
        for e in range(row[c], row[c + 1]):
            into[col[e] + 2] += 1
    for i in range(1, size + 2):
        into[i] += into[i - 1]
    source = np.empty(into[size + 1], np.int64)
    stays, stack, top = np.ones(size, np.bool_), np.empty(size, np.int64), 0
    for i in range(size):
        c = choice[i] + pick[i]
        for e in range(row[c], row[c + 1]):
            source[into[col[e] + 1]] = i
            into[col[e] + 1] += 1
        if leaves[c]:
            stays[i] = False
            stack[top] = i
            top += 1
    while top > 0:
        top -= 1
        t = stack[top]
        for at in range(into[t], into[t + 1]):
            i = source[at]
            if stays[i]:
                stays[i] = False
                stack[top] = i
                top += 1
    return stays


@kernel
def turn_to_leave(
    size: int, many: int, columns: int, least: float, tie: float, choice: Any, row: Any, col: Any,
    turn: Any, chance: Any, given: Any, leaves: Any, mine: Any, pick: Any, stays: Any,
) -> None:  # fmt: skip
    """Where picks go round for ever, though worth more than `least`, take as good ones that do not.

    A state joins those that do not stay when a choice as good as its pick may lead to them.
    """
    passes, changed = 0, True
    while changed:
        changed = False
        for k in range(size):
            i = k if passes % 2 else size - 1 - k
            if not stays[i] or mine[i * columns] < least:
                continue
            for c in range(choice[i], choice[i + 1]):
                leads, worth = leaves[c], given[c * columns]
                for e in range(row[c], row[c + 1]):
                    at = 0 if columns == 1 or turn[e] == 0 else many - turn[e]
                    worth += chance[e] * mine[col[e] * columns + at]
                    leads = leads or not stays[col[e]]
                if leads and worth >= mine[i * columns] - tie:
                    pick[i], stays[i], changed = c - choice[i], False, True
                    break
        passes += 1


@kernel
def better_to_stay(
    size: int, many: int, zero_sum: bool, endless: float, tie: float, choice: Any, row: Any,
    col: Any, turn: Any, chance: Any, given: Any, leaves: Any, mine: Any, pick: Any,
) -> Any:  # fmt: skip
    """Whether somebody worth less than endless play can keep a gathered component to that.

    Nodes (i, q) worth less are crossed out until each that is left can stay among them: the mover
    by a choice as good as the best, everybody else by the pick.
    """
    columns = 1 if zero_sum else many
    left = np.zeros(size * many, np.bool_)
    count = 0
    for n in range(size * many):
        i, q = n // many, n % many
        worth = mine[i * columns + (0 if zero_sum else q)]
        left[n] = (1.0 - worth if zero_sum and q == 1 else worth) < endless - tie
        count += left[n]
    passes, changed = 0, True
    while changed and count > 0:
        changed = False
        for k in range(size * many):
            n = k if passes % 2 else size * many - 1 - k
            if not left[n]:
                continue
            i, q = n // many, n % many
            stays = False
            for c in range(choice[i], choice[i + 1]):
                if leaves[c] or (c - choice[i] != pick[i] and q > 0):
                    continue
                inside, worth = True, given[c * columns]
                for e in range(row[c], row[c + 1]):
                    seats = turn[e]
                    if zero_sum:
                        seats = 1 if chance[e] < 0.0 else 0
                    at = q - seats if q >= seats else q - seats + many
                    inside = inside and left[col[e] * many + at]
                    at = 0 if seats == 0 or zero_sum else many - seats
                    worth += chance[e] * mine[col[e] * columns + at]
                if inside and (q > 0 or worth >= mine[i * columns] - tie):
                    stays = True
                    break
            if not stays:
                left[n] = False
                count -= 1
                changed = True
        passes += 1
    return count > 0


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
    than `max_sweeps`, or in which the picks go round for ever but are not worth that, or in
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
    leaves = np.empty(choices, np.bool_)
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
            shift, x, my_choice, my_row, my_col, my_turn, chance, given, leaves,
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
            if sweeps >= max_sweeps:
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
            stays = never_leaving(size, my_pick, my_choice, my_row, my_col, leaves)
            enough = 64 * max(tolerance, UNIT * largest)
            if stays.any():
                tie = enough if patient else 4 * UNIT * largest
                turn_to_leave(
                    size, many, columns, endless + enough, tie, my_choice, my_row, my_col, my_turn,
                    chance, given, leaves, mine, my_pick, stays,
                )  # fmt: skip
                for i in range(size):
                    pick[order[begin + i]] = my_pick[i]
            if patient and columns == 1:
                continue
            for at in range(size * columns):
                if stays[at // columns] and abs(mine[at] - endless) > enough:
                    return k
            if better_to_stay(
                size, many, zero_sum, endless, enough, my_choice, my_row, my_col, my_turn, chance,
                given, leaves, mine, my_pick,
            ):  # fmt: skip
                return k
    return -1


@kernel
def improve(
    seats: Any, order: Any, begin: int, end: int, endless: float, choice: Any, row: Any, col: Any,
    weight: Any, total: Any, shift: Any, x: Any, pick: Any, margin: float, owner: Any, player: int,
) -> Any:  # fmt: skip
    """Better choices of a player (-1: of all), where better by more than the margin; how many."""
    changed = 0
    for i in range(begin, end):
        s = np.int64(order[i])
        base = choice[s]
        if choice[s + 1] - base < 2 or (player >= 0 and owner[s] != player):
            continue
        best: Any = np.int64(pick[s])
        found = worth_of_choice(
            seats, s, base + best, 0, endless, row, col, weight, total, shift, x
        )
        before = best
        for c in range(choice[s + 1] - base):
            value = worth_of_choice(
                seats, s, base + c, 0, endless, row, col, weight, total, shift, x
            )
            if value > found + margin:
                best, found = c, value
        if best != before:
            pick[s] = best
            changed += 1
    return changed


@kernel
def linear_system(
    seats: Any, order: Any, begin: int, end: int, endless: float, place: Any, choice: Any,
    row: Any, col: Any, weight: Any, total: Any, shift: Any, x: Any, pick: Any,
) -> Any:  # fmt: skip
    """The equations (I - P) x = b of a component under its picks, as (rows, columns, values, b).

    Unknown (i, q) has the number i * seats + q, i counted inside the component. Where the picks
    never leave the component, x is the worth of endless play: so there is one solution.
    """
    many = len(seats)
    size = end - begin
    my_choice, my_pick = np.arange(size + 1), np.zeros(size, np.int64)
    my_row, leaves, inner = np.zeros(size + 1, np.int64), np.zeros(size, np.bool_), 0
    for i in range(begin, end):
        c = choice[order[i]] + np.int64(pick[order[i]])
        inner += row[c + 1] - row[c] if choice[order[i] + 1] > choice[order[i]] else 0
    my_col, inner = np.empty(inner, np.int64), 0
    for i in range(begin, end):
        s = order[i]
        c = choice[s] + np.int64(pick[s])
        leaves[i - begin] = choice[s + 1] == choice[s]
        for e in range(row[c], row[c + 1] if choice[s + 1] > choice[s] else row[c]):
            there = np.int64(place[col[e]])
            if begin <= there < end:
                my_col[inner] = there - begin
                inner += 1
            else:
                leaves[i - begin] = True
        my_row[i - begin + 1] = inner
    stays = never_leaving(size, my_pick, my_choice, my_row, my_col, leaves)
    size = 0
    for i in range(begin, end):
        s = order[i]
        if choice[s + 1] > choice[s]:
            c = choice[s] + np.int64(pick[s])
            size += row[c + 1] - row[c]
        size += 1
    rows, cols = np.empty(size * many, np.int64), np.empty(size * many, np.int64)
    values, b = np.empty(size * many), np.zeros((end - begin) * many)
    used = 0
    for i in range(begin, end):
        s = np.int64(order[i])
        for q in range(many):
            me = (i - begin) * many + q
            rows[used], cols[used], values[used] = me, me, 1.0
            used += 1
        if choice[s + 1] == choice[s]:
            for q in range(many):
                b[(i - begin) * many + q] = x[s * many + q]
            continue
        c = choice[s] + np.int64(pick[s])
        if stays[i - begin]:
            for q in range(many):
                b[(i - begin) * many + q] = endless
            continue
        left = np.int64(total[c])  # a chance to stay in the state is taken out
        for e in range(row[c], row[c + 1]):
            if col[e] == s and (many == 1 or shift[e] == 0):
                left -= np.int64(weight[e])
        for e in range(row[c], row[c + 1]):
            t = np.int64(col[e])
            turn = np.int64(shift[e]) if many > 1 else 0
            if t == s and turn == 0:
                continue
            chance = np.float64(weight[e]) / np.float64(left)
            for q in range(many):
                at = q - turn if q >= turn else q - turn + many
                me = (i - begin) * many + q
                if begin <= place[t] < end:
                    rows[used], cols[used] = me, (place[t] - begin) * many + at
                    values[used] = -chance
                    used += 1
                else:
                    b[me] += chance * x[t * many + at]
    return rows[:used], cols[:used], values[:used], b


@kernel
def toward_the_end(
    seats: Any, order: Any, bounds: Any, k: int, endless: float, tie: float, place: Any,
    choice: Any, row: Any, col: Any, weight: Any, total: Any, shift: Any, x: Any, pick: Any,
) -> Any:  # fmt: skip
    """Among choices as good as the best, pick such that play can leave the component.

    Grows a set from outside the component: a state joins when a choice within `tie` of the best
    may lead into the set, and picks that choice; so play leaves with probability one. Returns
    how many states cannot join: there only play without an end is as good as the best.
    """
    begin, end = bounds[k], bounds[k + 1]
    joined = np.zeros(end - begin, np.bool_)
    left = end - begin
    grew = True
    while grew and left > 0:
        grew = False
        for i in range(end - 1, begin - 1, -1):
            if joined[i - begin]:
                continue
            s = np.int64(order[i])
            base = choice[s]
            best = -np.inf
            for c in range(choice[s + 1] - base):
                value = worth_of_choice(
                    seats, s, base + c, 0, endless, row, col, weight, total, shift, x
                )
                best = max(best, value)
            for c in range(choice[s + 1] - base):
                value = worth_of_choice(
                    seats, s, base + c, 0, endless, row, col, weight, total, shift, x
                )
                if value < best - tie:
                    continue
                leads = False
                for e in range(row[base + c], row[base + c + 1]):
                    there = place[col[e]]
                    if there < begin or there >= end or joined[there - begin]:
                        leads = True
                        break
                if leads:
                    joined[i - begin] = True
                    pick[s] = c
                    grew = True
                    left -= 1
                    break
    return left


@kernel
def gather_errors(
    many: int, order: Any, begin: int, end: int, place: Any, free: bool, sign: float,
    endless: float, choice: Any, row: Any, col: Any, weight: Any, total: Any, shift: Any,
    inside: Any, x: Any, pick: Any, e_: Any,
    option: Any, edge: Any, to: Any, chance: Any, rise: Any, given: Any,
) -> Any:  # fmt: skip
    """A component as its errors see it: e must exceed rise + given + Σ chance × e in each option.

    Node (i, q) is state i of the component and seat q; it has the options option[node] to
    option[node + 1]: every choice where the mover is free, else the pick. `rise` is an upper
    bound of sign * (Q_x - x), rounding included; `given` is what e adds from outside, the largest
    of which is returned, or -1 where staying for ever would be worth more.
    """
    options, edges, most = 0, 0, TINY
    for i in range(begin, end):
        s = np.int64(order[i])
        for q in range(many):
            me = s * many + q
            here = x[me]
            option[(i - begin) * many + q] = options
            for c in range(choice[s], choice[s + 1]):
                if c - choice[s] != pick[s] and not (free and q == 0):
                    continue
                if len(inside) > 0 and inside[c * many + q]:
                    continue
                edge[options] = edges
                up, size, more, left = 0.0, 0.0, 0.0, np.int64(total[c])
                for e in range(row[c], row[c + 1]):
                    t = np.int64(col[e])
                    turn = np.int64(shift[e]) if many > 1 else 0
                    at = q - turn if q >= turn else q - turn + many
                    w = np.float64(weight[e])
                    if t == s and at == q:
                        left -= np.int64(weight[e])
                        continue
                    difference = w * (x[t * many + at] - here)
                    up += difference
                    size += abs(difference)
                    there = place[t]
                    if begin <= there < end:
                        to[edges] = (there - begin) * many + at
                        chance[edges] = w
                        edges += 1
                    else:
                        more += w * e_[t * many + at]
                        most = max(most, e_[t * many + at])
                leaves = np.float64(left)
                if left <= 0:  # a choice that does nothing at all
                    if sign * here < sign * endless:
                        return -1.0
                    edges = edge[options]
                    continue
                # Sums of d products with at most six roundings each.
                slack = (row[c + 1] - row[c] + 8) * UNIT
                rise[options] = (sign * up + slack * size * (1.0 + 1e-6)) / leaves
                rise[options] += 2 * UNIT * abs(rise[options])
                given[options] = more / leaves * (1.0 + 2 * slack)
                for k in range(edge[options], edges):
                    chance[k] = chance[k] / leaves * (1.0 + 2 * slack)
                options += 1
                edge[options] = edges
    option[(end - begin) * many] = options
    edge[options] = edges
    return most


@kernel
def bound_errors(
    many: int, order: Any, bounds: Any, last: int, place: Any, free: bool, sign: float,
    endless: float, choice: Any, row: Any, col: Any, weight: Any, total: Any, shift: Any,
    group: Any, inside: Any, x: Any, pick: Any, e_: Any, first: Any, max_sweeps: int,
    few_nodes: int, few_sweeps: int, signals: Any,
) -> Any:  # fmt: skip
    """Errors e > 0 that make a certificate, component by component; `problem.py` has the proof.

    Where `free`, the mover is allowed every choice, else only the pick, as everybody else.
    `group` (states × seats, or empty) names the collapsed end component by one of its entries, -1
    elsewhere: there x is constant, and e is kept so; `inside` (choices × seats) marks the choices
    that stay in one. `first` (or empty) are the errors to begin with in component last-1. Returns
    -1, or the component in which no certificate was found: in `few_sweeps` if it has few nodes.
    """
    states, choices, edges = largest_component(order, bounds[: last + 1], choice, row)
    option, edge = np.empty(states * many + 1, np.int64), np.empty(choices * many + 1, np.int64)
    rise, given = np.empty(choices * many), np.empty(choices * many)
    to, chance = np.empty(edges * many, np.int64), np.empty(edges * many)
    mine = np.empty(states * many)
    for k in range(last - 1, -1, -1):
        begin, end = bounds[k], bounds[k + 1]
        nodes = (end - begin) * many
        if nodes == many and choice[order[begin] + 1] == choice[order[begin]]:
            continue
        most = gather_errors(
            many, order, begin, end, place, free, sign, endless, choice, row, col, weight, total,
            shift, inside, x, pick, e_, option, edge, to, chance, rise, given,
        )  # fmt: skip
        if most < 0.0:
            return k
        # Begin with the largest error that comes from outside: then sweeps need add little.
        mine[:nodes] = most
        if k == last - 1 and len(first) == nodes:
            mine[:nodes] = first
        limit = few_sweeps if nodes <= few_nodes else max_sweeps
        stands = np.empty(0, np.int64)
        if len(group) > 0:
            stands = members(order, begin, end, many, place, group)
            if (stands < 0).all():
                stands = stands[:0]
        sweeps = 0
        while True:
            holds, largest = True, 0.0
            for n in range(nodes - 1, -1, -1):
                now, better = mine[n], mine[n]
                for o in range(option[n], option[n + 1]):
                    more = given[o]
                    for j in range(edge[o], edge[o + 1]):
                        more += chance[j] * mine[to[j]]
                    need = rise[o] + more
                    need += 8 * UNIT * (abs(rise[o]) + more) + TINY
                    if need >= now:
                        holds = False
                        # Overshoot by a slack that further sweeps can come near to.
                        slack = 0.5 * abs(rise[o]) + 64 * UNIT * more + 8 * TINY
                        better = max(better, rise[o] + more + slack)
                mine[n] = better
                largest = max(largest, better)
            if len(stands) > 0:
                level_out(stands, mine)
            sweeps += 1
            signals[0], signals[1] = largest, begin
            if holds:
                break
            if signals[-1] != 0 or sweeps >= limit or largest > 1e-3:
                return k
        # What is needed given errors that hold, holds again: so errors can only get smaller.
        for _ in range(RELAXATIONS if len(stands) == 0 else 0):
            for n in range(nodes - 1, -1, -1):
                enough = 4 * TINY
                for o in range(option[n], option[n + 1]):
                    more = given[o]
                    for j in range(edge[o], edge[o + 1]):
                        more += chance[j] * mine[to[j]]
                    need = rise[o] + more
                    enough = max(enough, need + 32 * UNIT * (abs(rise[o]) + more) + 4 * TINY)
                mine[n] = min(mine[n], enough)
        for i in range(begin, end):
            for q in range(many):
                e_[np.int64(order[i]) * many + q] = mine[(i - begin) * many + q]
    return -1


@kernel
def raise_errors(
    owner: Any, edge: Any, to: Any, chance: Any, need: Any, e_: Any, chosen: Any, sweeps: int
) -> Any:
    """Sweep over options that need larger errors, and choose them; how many in the first sweep."""
    changed, before = 0, 0
    for k in range(sweeps):
        for i in range(len(owner)):
            o = i if k % 2 else len(owner) - 1 - i
            found = need[o]
            for j in range(edge[o], edge[o + 1]):
                found += chance[j] * e_[to[j]]
            if found > e_[owner[o]] * (1 + 1e-9):
                e_[owner[o]], chosen[owner[o]] = found, o
                changed += 1
        if k == 0:
            before = changed
        if changed == 0:
            break
        changed = 0
    return before


@kernel
def deviations(
    seats: Any, order: Any, begin: int, end: int, endless: float, place: Any, free: bool,
    tie: float, choice: Any, row: Any, col: Any, weight: Any, total: Any, shift: Any,
    x: Any, pick: Any,
) -> Any:  # fmt: skip
    """What each seat can do in a component alone, as a decision process on nodes (i, q).

    A mover who is `free` has the choices worth x less `tie` at least, everybody else the pick.
    The last node is the world outside, without choices. Returns (choice, row, col) of the
    process, and for each of its choices c * seats + q.
    """
    many = len(seats)
    nodes = (end - begin) * many
    options, edges = 0, 0
    for i in range(begin, end):
        s = order[i]
        options += choice[s + 1] - choice[s]
        edges += row[choice[s + 1]] - row[choice[s]]
    my_choice, my_row = np.zeros(nodes + 2, np.int64), np.zeros(options * many + 1, np.int64)
    my_col, origin = np.empty(edges * many, np.int32), np.empty(options * many, np.int64)
    options, edges = 0, 0
    for i in range(begin, end):
        s = np.int64(order[i])
        for q in range(many):
            for c in range(choice[s], choice[s + 1]):
                if c - choice[s] != pick[s]:
                    if not (free and q == 0):
                        continue
                    worth = worth_of_choice(
                        seats, s, c, 0, endless, row, col, weight, total, shift, x
                    )
                    if worth < x[s * many] - tie:
                        continue
                for e in range(row[c], row[c + 1]):
                    there = np.int64(place[col[e]])
                    turn = np.int64(shift[e]) if many > 1 else 0
                    at = q - turn if q >= turn else q - turn + many
                    my_col[edges] = nodes
                    if begin <= there < end:
                        my_col[edges] = (there - begin) * many + at
                    edges += 1
                origin[options] = c * many + q
                options += 1
                my_row[options] = edges
            my_choice[(i - begin) * many + q + 1] = options
    my_choice[nodes + 1] = options
    return my_choice, my_row[: options + 1], my_col[:edges], origin[:options]


@kernel
def members(order: Any, begin: int, end: int, many: int, place: Any, group: Any) -> Any:
    """For each node of a component the one that stands for its end component, -1 for none."""
    found = np.full((end - begin) * many, -1, np.int64)
    for n in range((end - begin) * many):
        first = np.int64(group[np.int64(order[begin + n // many]) * many + n % many])
        if first >= 0:
            found[n] = (np.int64(place[first // many]) - begin) * many + first % many
    return found


@kernel
def level_out(stands: Any, mine: Any) -> None:
    """Raise the errors to their maximum inside each collapsed end component."""
    for n in range(len(stands)):
        if stands[n] >= 0:
            mine[stands[n]] = max(mine[stands[n]], mine[n])
    for n in range(len(stands)):
        if stands[n] >= 0:
            mine[n] = mine[stands[n]]


@kernel
def margins(
    seats: Any, endless: float, choice: Any, row: Any, col: Any, weight: Any, total: Any,
    shift: Any, x: Any, upper: Any, lower: Any, pick: Any, margin: Any, certain: Any,
) -> None:  # fmt: skip
    """By how much each pick is better than the next best choice, and whether that is certain.

    `upper` and `lower` are how far the true worth can be above and below x. The margin is infinite
    where there is nothing to decide.
    """
    for s in range(len(choice) - 1):
        base = choice[s]
        options = choice[s + 1] - base
        margin[s] = np.inf
        certain[s] = True
        if options < 2:
            continue
        mine = base + np.int64(pick[s])
        picked = worth_of_choice(seats, s, mine, 0, endless, row, col, weight, total, shift, x)
        below = worth_of_choice(seats, s, mine, 0, 0.0, row, col, weight, total, shift, lower)
        for o in range(options):
            c = base + o
            if c == mine:
                continue
            value = worth_of_choice(seats, s, c, 0, endless, row, col, weight, total, shift, x)
            above = worth_of_choice(seats, s, c, 0, 0.0, row, col, weight, total, shift, upper)
            rounding = 64 * UNIT * (abs(picked) + abs(value)) + 2 * UNIT * (row[c + 1] - row[c])
            margin[s] = min(margin[s], picked - value)
            if picked - value <= (below + above) * (1 + 1e-9) + rounding:
                certain[s] = False
