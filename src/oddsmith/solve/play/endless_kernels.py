# mypy: disable-error-code="untyped-decorator"
"""Compiled kernels of play that may stay in a component for ever: who stays, leaves, would rather.

Choices that go round inside a component look as good as one that leaves it, so values alone do not
tell them apart; these follow the transitions. Vectors are as in `problem_kernels.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.solve.play.problem_kernels import worth_of_choice


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
def deviations(
    seats: Any, order: Any, begin: int, end: int, endless: float, place: Any, free: bool,
    tie: float, choice: Any, row: Any, col: Any, weight: Any, total: Any, shift: Any,
    x: Any, pick: Any,
) -> Any:  # fmt: skip
    """What each seat can do in a component alone, as a decision process on nodes (i, q).

    A mover who is `free` has the choices worth x less `tie` at least, everybody else the pick.
    After those of the component come nodes outside, without choices, one for each transition
    there. Returns (choice, row, col) of the process, for each of its choices c * seats + q, for
    each transition its number, and for each node outside t * seats + q.
    """
    many = len(seats)
    nodes = (end - begin) * many
    options, edges = 0, 0
    for i in range(begin, end):
        s = order[i]
        options += choice[s + 1] - choice[s]
        edges += row[choice[s + 1]] - row[choice[s]]
    my_choice = np.zeros(nodes + edges * many + 1, np.int64)
    my_row, origin = np.zeros(options * many + 1, np.int64), np.empty(options * many, np.int64)
    my_col, edge = np.empty(edges * many, np.int32), np.empty(edges * many, np.int64)
    outer = np.empty(edges * many, np.int64)
    options, edges, out = 0, 0, 0
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
                    edge[edges] = e
                    if begin <= there < end:
                        my_col[edges] = (there - begin) * many + at
                    else:
                        my_col[edges] = nodes + out
                        outer[out] = np.int64(col[e]) * many + at
                        out += 1
                    edges += 1
                origin[options] = c * many + q
                options += 1
                my_row[options] = edges
            my_choice[(i - begin) * many + q + 1] = options
    my_choice[nodes + 1 : nodes + out + 1] = options
    return (
        my_choice[: nodes + out + 1], my_row[: options + 1], my_col[:edges], origin[:options],
        edge[:edges], outer[:out],
    )  # fmt: skip
