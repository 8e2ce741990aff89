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
def as_good(
    many: int, columns: int, least: float, tie: float, choice: Any, row: Any, col: Any, turn: Any,
    chance: Any, given: Any, mine: Any, where: Any,
) -> Any:  # fmt: skip
    """The choices that are as good as the best, of some states worth `least` or more."""
    good = np.zeros(len(row) - 1, np.bool_)
    for i in range(len(choice) - 1):
        if not where[i] or mine[i * columns] < least:
            continue
        for c in range(choice[i], choice[i + 1]):
            worth = given[c * columns]
            for e in range(row[c], row[c + 1]):
                at = 0 if columns == 1 or turn[e] == 0 else many - turn[e]
                worth += chance[e] * mine[col[e] * columns + at]
            good[c] = worth >= mine[i * columns] - tie
    return good


@kernel
def better_to_stay(
    many: int, zero_sum: bool, endless: float, tie: float, choice: Any, row: Any, col: Any,
    turn: Any, chance: Any, given: Any, out: Any, mine: Any, pick: Any,
) -> Any:  # fmt: skip
    """Whether somebody worth less than endless play can keep a gathered component to that.

    Nodes (i, q) worth less are crossed out until each that is left can stay among them: the mover
    by a choice as good as the best, everybody else by the pick.
    """
    columns, size = 1 if zero_sum else many, len(choice) - 1
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
                if out[c] > 0.0 or (c != pick[i] and q > 0):
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
