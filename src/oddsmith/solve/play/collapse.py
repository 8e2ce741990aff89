"""Collapsing end components: sets of states in which somebody could keep play for ever.

In an end component of what one player can do against fixed opponents, that player reaches every
state with probability one, so all its states are worth the same to him. Made equal, the choices
that stay inside neither gain nor lose, and the certificate need not speak of them, provided that
staying for ever is not worth more (Eisentraut, Kelmendi, Křetínský and Weininger, Value iteration
for simple stochastic games, Inform. Comput. 285 (2022) 104886, for the two-player theory).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.model import graph
from oddsmith.solve.play.problem import Floats, Problem


def collapse(
    problem: Problem,
    x: Floats,
    pick: Any,
    k: int,
    free: bool,
    sign: float,
    group: Any,
    inside: Any,
) -> tuple[Any, Any]:
    """Find the end components of component k, level x out in them, and number them."""
    model, many = problem.model, problem.seats
    if not len(group):
        group = np.full(model.states * many, -1, np.int32)
        inside = np.zeros(model.choices * many, bool)
    states = problem.order[problem.bounds[k] : problem.bounds[k + 1]]
    local = {int(s): i for i, s in enumerate(states)}
    outside = len(states) * many
    choice, row, col, origin = [0], [0], [], []
    for s in (int(s) for s in states):
        for q in range(many):
            for c in range(int(model.choice[s]), int(model.choice[s + 1])):
                if c - model.choice[s] != pick[s] and not (free and q == 0):
                    continue
                for e in range(int(model.row[c]), int(model.row[c + 1])):
                    t = int(model.col[e])
                    turn = int(problem.shift[e]) if many > 1 else 0
                    col.append(local[t] * many + (q - turn) % many if t in local else outside)
                row.append(len(col))
                origin.append(c * many + q)
            choice.append(len(row) - 1)
    choice.append(len(row) - 1)  # the world outside: it has no choices
    flat = x.ravel()
    found = graph.end_components(np.array(choice), np.array(row), np.array(col, np.int32))
    for nodes, choices in found:
        places = np.array([int(states[n // many]) * many + n % many for n in nodes])
        level = sign * (sign * flat[places]).max()
        flat[places] = max(level, problem.endless) if sign > 0 else min(level, problem.endless)
        group[places] = int(group.max(initial=-1)) + 1
        inside[[origin[c] for c in choices]] = True
    return group, inside
