# mypy: disable-error-code="untyped-decorator"
"""Compiled kernels of policy iteration: the equations of a component's picks, and better picks.

Vectors are as in `problem_kernels.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.solve.play.endless_kernels import never_leaving
from oddsmith.solve.play.problem_kernels import worth_of_choice


@kernel
def linear_system(
    seats: Any, order: Any, begin: int, end: int, endless: float, place: Any, choice: Any,
    row: Any, col: Any, weight: Any, total: Any, shift: Any, x: Any, pick: Any,
) -> Any:  # fmt: skip
    """The equations x = P x + b of a component under its picks, P in rows: (row, col, P, out, b).

    Unknown (i, q) has the number i * seats + q, i counted inside the component. Where the picks
    never leave the component, x is the worth of endless play: so there is one solution. `out` is
    what is left of each row of P.
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
    unknowns, used = (end - begin) * many, 0
    rows, cols = np.zeros(unknowns + 1, np.int64), np.empty(size * many, np.int64)
    values, out, b = np.empty(size * many), np.zeros(unknowns), np.zeros(unknowns)
    for i in range(begin, end):
        s = np.int64(order[i])
        c = choice[s] + np.int64(pick[s])
        over = choice[s + 1] == choice[s]
        left = 0 if over else np.int64(total[c])  # a chance to stay in the state is taken out
        for e in range(row[c], row[c] if over else row[c + 1]):
            if col[e] == s and (many == 1 or shift[e] == 0):
                left -= np.int64(weight[e])
        for q in range(many):
            me = (i - begin) * many + q
            if over or stays[i - begin]:
                b[me], out[me] = x[s * many + q] if over else endless, 1.0
                rows[me + 1] = used
                continue
            for e in range(row[c], row[c + 1]):
                t = np.int64(col[e])
                turn = np.int64(shift[e]) if many > 1 else 0
                if t == s and turn == 0:
                    continue
                chance = np.float64(weight[e]) / np.float64(left)
                at = q - turn if q >= turn else q - turn + many
                if begin <= place[t] < end:
                    cols[used], values[used] = (place[t] - begin) * many + at, chance
                    used += 1
                else:
                    out[me] += chance
                    b[me] += chance * x[t * many + at]
            rows[me + 1] = used
    return rows, cols[:used], values[:used], out, b


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
