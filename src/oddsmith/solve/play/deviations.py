"""What each seat can do in a component alone, while everybody else keeps to the picks.

That is a decision process of one side on the nodes (s, q): `method.md` has its equation. In an end
component of it the player reaches every node with probability one, so all are worth the same to
him: choices that stay inside neither gain nor lose, and only that all are worth less than endless
play tells that to stay is better (Eisentraut, Kelmendi, Křetínský and Weininger, Value iteration
for simple stochastic games, Inform. Comput. 285 (2022) 104886, for the two-player theory).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oddsmith.model import graph
from oddsmith.solve.play.problem import Floats

if TYPE_CHECKING:
    from oddsmith.solve.play.optimal import Work

NEAR = 1e-11
"""How far apart bounds of components in which sweeps find no certificate should be."""

TINY = 1e-30
"""The least error."""


class Deviations(NamedTuple):
    """The process of who deviates from the picks: nodes of some components, then those outside."""

    choice: Any
    row: Any
    col: Any
    origin: Any
    """Of each choice: c * seats + q."""
    edge: Any
    """Of each transition: its number in the model."""
    outer: Any
    """Of each node outside: t * seats + q."""


def deviations(work: Work, first: int, last: int, free: bool, tie: float) -> Deviations:
    """What each seat can do in components first … last-1; a mover who is `free`, any choice."""
    from oddsmith.solve.play import endless_kernels

    problem = work.problem
    begin, end = int(problem.bounds[first]), int(problem.bounds[last])
    return Deviations(
        *endless_kernels.deviations(
            work.seats, problem.order, begin, end, problem.endless, problem.place, free, tie,
            work.model.choice, *work.graph, work.x.ravel(), work.pick,
        )
    )  # fmt: skip


def stay(work: Work, k: int, player: int, margin: float) -> bool:
    """Make a player (-1: all) stay for ever where that is worth more; whether it is anywhere."""
    problem, model = work.problem, work.model
    many, flat = problem.seats, work.x.ravel()
    states = problem.order[problem.bounds[k] : problem.bounds[k + 1]]
    if work.x[states].min() >= problem.endless - margin:
        return False
    changed = False
    alone = deviations(work, k, k + 1, free=True, tie=margin)
    for nodes, options in graph.end_components(alone.choice, alone.row, alone.col):
        s, q = states[nodes // many], nodes % many
        if flat[s.astype(np.int64) * many + q].max() >= problem.endless - margin:
            continue
        if player >= 0 and (model.mover[s[0]] + q[0]) % many != player:
            continue
        choices = alone.origin[options]
        for c in choices[choices % many == 0] // many:
            there = int(np.searchsorted(model.choice, c, side="right")) - 1
            changed |= work.pick[there] != c - model.choice[there]
            work.pick[there] = c - model.choice[there]
    return changed


def errors_of(work: Work, first: int, last: int, free: bool, sign: float, e: Floats) -> float:
    """Errors for components first … last-1, written to e; returns the largest outside of them.

    What lies outside is worth x + e (x - e) at most (least). All is counted from the least that
    play can be worth, which is a whole number.
    """
    from oddsmith.solve.bellman.bounds import Criterion, Transitions, bound

    problem, model, many = work.problem, work.model, work.problem.seats
    begin, end = int(problem.bounds[first]), int(problem.bounds[last])
    alone = deviations(work, first, last, free, tie=np.inf)
    weight = model.weight[alone.edge]
    total = np.repeat(model.total[alone.origin // many], np.diff(alone.row))
    of = Transitions(
        alone.choice, alone.row, alone.col, np.arange(len(weight), dtype=np.int32), weight / total,
        Ratios(weight, total),
    )  # fmt: skip
    least = min(problem.endless, float(problem.worth.min(initial=0.0)))
    given = e.ravel()[alone.outer]
    outside = np.nextafter(work.x.ravel()[alone.outer] + sign * given, sign * np.inf)
    outside = np.maximum(np.nextafter(outside - least, sign * np.inf), 0.0)
    nodes = (end - begin) * many
    stop = np.arange(of.states) >= nodes
    lower = np.concatenate([np.zeros(nodes), outside])
    upper = lower.copy()
    criterion = Criterion(np.empty(0), problem.endless - least, True, max(NEAR, work.tolerance))
    bound(of, stop, lower, upper, criterion, work.progress)
    states = problem.order[begin:end]
    proved = (upper if sign > 0 else lower)[:nodes].reshape(-1, many) + least
    off = np.nextafter(sign * (np.nextafter(proved, sign * np.inf) - work.x[states]), np.inf)
    e[states] = np.maximum(off, TINY)
    return float(given.max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Ratios:
    """Chances as fractions, made when they are looked at."""

    weight: Any
    total: Any

    def __getitem__(self, i: int) -> Fraction:
        return Fraction(int(self.weight[i]), int(self.total[i]))
