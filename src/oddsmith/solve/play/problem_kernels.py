# mypy: disable-error-code="untyped-decorator"
"""Compiled kernels of a problem as it stands: components, turns, what a choice is worth.

See `problem.py` for the mathematics. Vectors over states and seats are flat: the entry of state s
and seat q is at s * seats + q. The argument `seats` is a tuple with one entry a seat: its length
is known when compiling.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.solve.rounding import UNIT


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
