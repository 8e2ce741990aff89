"""What the nodes of a claim are worth, by the solvers: numbers that a certificate then proves.

Solvers of processes know two kinds of play without an end: worth nothing, or infinitely much. A
claim in which it is worth the least of all is moved by that; one in which it is worth the most (a
draw, `G b`) is turned round, the largest then being the least; and in a chain, where everything is
a sum, what is above and what is below are solved apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from oddsmith.certificate.claim import Claim, Int64s
from oddsmith.certificate.nodes import Nodes
from oddsmith.model.amounts import Bools, Floats
from oddsmith.model.model import Model
from oddsmith.solve.endless import IN_TOTAL, UNTIL_TARGET
from oddsmith.solve.process.aim import Aim, Objective

ACCURATE = 1e-14
NEAR = 1e-10

Exact = Sequence[Fraction | float]


@dataclass(frozen=True, eq=False)
class NodeValues:
    """What nodes are worth, roughly or exactly, and the choices that make it so."""

    x: Floats
    exact: Exact | None = None
    picks: Int64s | None = None
    """By their numbers among all options."""


def solve(nodes: Nodes, claim: Claim, aim: Aim) -> NodeValues:
    """The worth of every node, if the sides of `aim` decide."""
    process = nodes.process()
    aim = replace(aim, tolerance=min(aim.tolerance, ACCURATE), picks=not process.is_chain)
    if claim.gain is not None:
        return _rewards(process, nodes, claim, aim)
    assert claim.endless is not None
    endless = claim.endless
    ends = [x - endless for row in claim.worth for x in row]
    above = _part(process, nodes.stop, ends, 1, aim) if max(ends, default=0) > 0 else None
    below = _part(process, nodes.stop, ends, -1, aim) if min(ends, default=0) < 0 else None
    assert process.is_chain or above is None or below is None
    known = [part for part in (above, below) if part is not None]
    x = np.full(nodes.count, float(endless)) + sum(part.x for part in known)
    exact = None
    if aim.exact:
        nothing = [Fraction(0)] * nodes.count
        parts = [part.exact or nothing for part in known] or [nothing]
        exact = [endless + sum(values) for values in zip(*parts, strict=True)]
    anything = None if process.is_chain else nodes.choice[:-1]
    return NodeValues(x, exact, known[0].picks if known else anything)


def _part(process: Model, stop: Bools, ends: list[Fraction], sign: int, aim: Aim) -> NodeValues:
    """What is above (1) or below (-1) the worth of endless play, as a chance to reach it."""
    from oddsmith.solve.process.reach import terminal

    scale = max(sign * x for x in ends)
    parts = [max(sign * x, Fraction(0)) / scale for x in ends]
    worth = np.zeros(process.states)
    worth[stop] = [float(x) for x in parts]
    exact: list[Fraction] | None = None
    if aim.exact:
        exact = [Fraction(0)] * process.states
        for s, x in zip(np.flatnonzero(stop).tolist(), parts, strict=True):
            exact[s] = x
    aim = aim if sign == 1 else replace(aim, maximise=not aim.maximise)
    found = terminal(process, stop, worth, worth, aim, exact)
    back = sign * scale
    told = None
    if found.exact is not None:
        told = [back * Fraction(x) for x in found.exact]
    return NodeValues(float(back) * (found.lower + found.upper) / 2, told, found.picks)


def _rewards(process: Model, nodes: Nodes, claim: Claim, aim: Aim) -> NodeValues:
    from oddsmith.solve.process.best import best_bounds

    zero = np.zeros(nodes.count)

    def fractions() -> Any:
        return [Fraction(0)] * nodes.count, nodes.exact_gains(claim)

    endless = UNTIL_TARGET if claim.endless is None else IN_TOTAL
    objective = Objective(nodes.stop, zero, zero, nodes.gains(claim), endless, fractions)
    if not process.is_chain and not aim.maximise:
        objective = objective.for_the_least(process)
    found = best_bounds(process, objective, aim)
    with np.errstate(invalid="ignore"):
        x = np.where(np.isinf(found.lower), np.inf, (found.lower + found.upper) / 2)
    picks = found.picks
    if picks is not None and objective.total:  # do not idle where nothing is earned
        senses = np.full(nodes.count, aim.maximise)
        picks = falling_picks(nodes, claim, x.tolist(), senses, picks, NEAR)
    return NodeValues(x, found.exact, picks)


def falling_picks(
    nodes: Nodes, claim: Claim, x: Sequence[Any], senses: Bools, first: Int64s, near: float = 0.0
) -> Int64s:
    """Choices that attain the values x: where several do, one by which ranks can fall.

    Who wants much must prove a lower bound, who wants little an upper one; each needs ranks where
    the bound is beyond what endless play is worth (see `checker.py`). `first` is taken where the
    worth is infinite. `near` is how far off x can be: nothing, if it is exact.
    """
    picks = first.copy()
    col, row, choice = nodes.col.tolist(), nodes.row.tolist(), nodes.choice.tolist()
    earns = (nodes.gains(claim) > 0).tolist()
    best = _tight(nodes, claim, x, near)
    endless = np.inf if claim.endless is None else claim.endless
    for sign in (1, -1):
        mine = senses if sign == 1 else ~senses
        ranked = nodes.stop | np.array([sign * (v - endless) <= near for v in x], bool)
        for s in best:
            if ranked[s] and mine[s] and best[s]:
                picks[s] = best[s][0]
        waiting, before = [s for s in best if not ranked[s]], -1
        while len(waiting) != before:
            before = len(waiting)
            for s in waiting:
                options = best[s] if mine[s] else range(choice[s], choice[s + 1])
                falling = [c for c in options if earns[c] or ranked[col[row[c] : row[c + 1]]].any()]
                if falling and (mine[s] or len(falling) == len(options)):
                    ranked[s] = True
                    picks[s] = falling[0] if mine[s] else picks[s]
            waiting = [s for s in waiting if not ranked[s]]
    return picks


def _tight(nodes: Nodes, claim: Claim, x: Sequence[Any], near: float) -> dict[int, list[int]]:
    """The options of each node (of finite worth) that are worth as much as it is."""
    chances: Sequence[Any]
    gain: Sequence[Any] | None
    if near:
        chances, gain = nodes.chance.tolist(), nodes.gains(claim).tolist()
    else:
        table = nodes.process().chance
        assert table.exact is not None
        chances = [table.exact[i] for i in table.index.tolist()]
        gain = nodes.exact_gains(claim)
    found: dict[int, list[int]] = {}
    for s in np.flatnonzero(~nodes.stop & np.array([v != np.inf for v in x])).tolist():
        found[s] = []
        for c in range(int(nodes.choice[s]), int(nodes.choice[s + 1])):
            value = 0 if gain is None else gain[c]
            for e in range(int(nodes.row[c]), int(nodes.row[c + 1])):
                value += chances[e] * x[int(nodes.col[e])]
            if abs(value - x[s]) <= near * max(1, abs(x[s])):
                found[s].append(c)
    return found
