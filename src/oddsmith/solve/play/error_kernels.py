# mypy: disable-error-code="untyped-decorator"
"""Compiled kernels of certificates: errors e with a strict drop; `problem.py` has the proof.

Errors are raised by sweeps until the inequality of the certificate holds in every node (i, q),
rounding included. Vectors are as in `problem_kernels.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.solve.bellman.sweeps import allowed
from oddsmith.solve.play.problem_kernels import largest_component
from oddsmith.solve.rounding import UNIT

TINY = 1e-30
"""The strict drop of a certificate, and the floor of an error."""

RELAXATIONS = 4
"""Sweeps that make the errors of a component smaller once they hold."""


@kernel
def gather_errors(
    many: int, order: Any, begin: int, end: int, place: Any, free: bool, sign: float,
    endless: float, choice: Any, row: Any, col: Any, weight: Any, total: Any, shift: Any,
    x: Any, pick: Any, e_: Any,
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
    x: Any, pick: Any, e_: Any, max_sweeps: float, signals: Any,
) -> Any:  # fmt: skip
    """Errors e > 0 that make a certificate, component by component; `problem.py` has the proof.

    Where `free`, the mover is allowed every choice, else only the pick, as everybody else. Returns
    -1, or the component in which no certificate was found.
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
            shift, x, pick, e_, option, edge, to, chance, rise, given,
        )  # fmt: skip
        if most < 0.0:
            return k
        # Begin with the largest error that comes from outside: then sweeps need add little.
        mine[:nodes] = most
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
            sweeps += 1
            signals[0], signals[1] = largest, begin
            if holds:
                break
            if signals[-1] != 0 or sweeps >= allowed(nodes, max_sweeps) or largest > 1e-3:
                return k
        # What is needed given errors that hold, holds again: so errors can only get smaller.
        for _ in range(RELAXATIONS):
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
