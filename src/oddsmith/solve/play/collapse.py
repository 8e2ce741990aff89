"""End components: sets of states in which somebody could keep play for ever.

In an end component of what one player can do against fixed opponents, that player reaches every
state with probability one, so all its states are worth the same to him. Made equal, the choices
that stay inside neither gain nor lose, and the certificate need not speak of them, provided that
staying for ever is not worth more (Eisentraut, Kelmendi, Křetínský and Weininger, Value iteration
for simple stochastic games, Inform. Comput. 285 (2022) 104886, for the two-player theory).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from oddsmith.model import graph
from oddsmith.solve.play.problem import Floats
from oddsmith.solve.rounding import UNIT

if TYPE_CHECKING:
    from oddsmith.solve.play.optimal import Work

ROUNDS, SWEEPS = 20, 500
"""Rounds of policy iteration for the errors of a component, twice, and sweeps in each."""


def stay(work: Work, k: int, player: int, margin: float) -> bool:
    """Make a player (-1: all) stay for ever where that is worth more; whether it is anywhere.

    Choices that stay in an end component look as good as the pick that leaves it: only that
    all its states are worth less than endless play tells that they are better.
    """
    problem, model = work.problem, work.model
    many, flat = problem.seats, work.x.ravel()
    states = problem.order[problem.bounds[k] : problem.bounds[k + 1]]
    if work.x[states].min() >= problem.endless - margin:
        return False
    changed = False
    for nodes, choices in _end_components(work, flat, k, k + 1, free=True, tie=margin):
        s, q = states[nodes // many], nodes % many
        if flat[s.astype(np.int64) * many + q].max() >= problem.endless - margin:
            continue
        if player >= 0 and (model.mover[s[0]] + q[0]) % many != player:
            continue
        for c in choices[choices % many == 0] // many:
            there = int(np.searchsorted(model.choice, c, side="right")) - 1
            changed |= work.pick[there] != c - model.choice[there]
            work.pick[there] = c - model.choice[there]
    return changed


def collapse(
    work: Work, x: Floats, first: int, last: int, free: bool, sign: float, group: Any, inside: Any
) -> tuple[Any, Any]:
    """Find the end components in components first … last-1, level x out in them, number them."""
    problem, model = work.problem, work.model
    many, flat = problem.seats, x.ravel()
    states = problem.order[problem.bounds[first] : problem.bounds[last]].astype(np.int64)
    if not len(group):
        group = np.full(model.states * many, -1, np.int64)
        inside = np.zeros(model.choices * many, bool)
    else:
        group.reshape(-1, many)[states] = -1
        for s in states:
            inside[model.choice[s] * many : model.choice[s + 1] * many] = False
    for nodes, choices in _end_components(work, flat, first, last, free, tie=np.inf):
        places = states[nodes // many] * many + nodes % many
        level = sign * max((sign * flat[places]).max(), sign * problem.endless)
        flat[places], group[places], inside[choices] = level, places.min(), True
    return group, inside


def _end_components(
    work: Work, flat: Any, first: int, last: int, free: bool, tie: float
) -> list[Any]:
    """The end components of what each seat can do alone: nodes, and choices (c * seats + q)."""
    from oddsmith.solve.play import endless_kernels

    problem = work.problem
    begin, end = int(problem.bounds[first]), int(problem.bounds[last])
    choice, row, col, origin = endless_kernels.deviations(
        work.seats, problem.order, begin, end, problem.endless, problem.place, free, tie,
        work.model.choice, *work.graph, flat, work.pick,
    )  # fmt: skip
    found = graph.end_components(choice, row, col)
    return [(nodes, origin[choices]) for nodes, choices in found]


def lu_errors(
    work: Work, x: Floats, e: Floats, k: int, free: bool, sign: float, group: Any, inside: Any
) -> Floats:
    """Errors for component k that should make a certificate, by policy iteration with sparse LU.

    Each node takes the option that needs the largest error, until no other needs a larger one;
    sweeps in between spread the news. Empty if none are found.
    """
    from scipy.sparse import csc_array, csr_array, identity
    from scipy.sparse.linalg import splu

    from oddsmith.solve.play import error_kernels

    problem, model, many = work.problem, work.model, work.problem.seats
    begin, end = int(problem.bounds[k]), int(problem.bounds[k + 1])
    states = problem.order[begin:end].astype(np.int64)
    nodes = len(states) * many
    options = int((model.choice[states + 1] - model.choice[states]).sum()) * many
    edges = int((model.state_row[states + 1] - model.state_row[states]).sum()) * many
    option, edge = np.empty(nodes + 1, np.int64), np.empty(options + 1, np.int64)
    to, chance = np.empty(edges, np.int64), np.empty(edges)
    rise, given = np.empty(options), np.empty(options)
    most = error_kernels.gather_errors(
        many, problem.order, begin, end, problem.place, free, sign, problem.endless, model.choice,
        *work.graph, inside, x.ravel(), work.pick, e.ravel(), option, edge, to, chance, rise, given,
    )  # fmt: skip
    if most < 0.0:
        return np.empty(0)
    # The nodes of a collapsed end component are one unknown.
    mine = np.arange(nodes)
    if len(group):
        groups = group[(states[:, None] * many + np.arange(many)[None, :]).ravel()]
        mine = np.where(groups >= 0, nodes + groups, mine)
    unknown, mine = np.unique(mine, return_inverse=True)
    size, options = len(unknown), int(option[-1])
    owner = np.repeat(mine, np.diff(option))
    used = int(edge[options])
    steps = csr_array((chance[:used], mine[to[:used]], edge[: options + 1]), shape=(options, size))
    least = np.maximum(rise[:options], 0.0) * 1.5 + 8 * error_kernels.TINY
    least += 0.01 * float(least.mean()) if options else 0.0
    need, to = least + given[:options], mine[to[:used]]
    chosen = np.full(size, -1)
    chosen[owner] = np.arange(options)
    busy = np.nonzero(chosen >= 0)[0]
    found = np.full(size, most)
    for turn in range(2 * ROUNDS):
        if turn == ROUNDS:  # slow, where rounding is uneven: take the largest everywhere
            need += least.max() - least
        where = csr_array((np.ones(len(busy)), (busy, chosen[busy])), shape=(size, options))
        right = np.full(size, most)
        right[busy] = need[chosen[busy]] + 256 * UNIT * found.max()
        try:
            found = splu(csc_array(identity(size) - where @ steps)).solve(right)
        except RuntimeError:
            return np.empty(0)
        if not (np.isfinite(found).all() and (found > 0).all()):
            return np.empty(0)
        if not error_kernels.raise_errors(
            owner, edge, to, chance, need, found.copy(), chosen, SWEEPS
        ):
            break
    return np.ascontiguousarray(found[mine] * (1 + 1e-7))
