"""Optimal play in fractions: every comparison is one of fractions, and a tie is a tie.

Policy iteration (`bellman/in_fractions.py`) begins with the picks of the floating-point solution,
so there is usually nothing to improve.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from oddsmith.errors import OddsmithError
from oddsmith.questions import limits
from oddsmith.results.digits import in_lowest_terms, nonzero_float
from oddsmith.runtime.progress import Progress
from oddsmith.solve.bellman.in_fractions import Equation, GoesRoundError, OnDemand, Side, Solver
from oddsmith.solve.exact.rational import flint_fraction
from oddsmith.solve.play.optimal import IMPROVEMENTS, Solution, Work, has_value, no_equilibrium
from oddsmith.solve.play.problem import Problem
from oddsmith.solve.rounding import UNIT


def solve_exactly(found: Solution, progress: Progress) -> tuple[list[tuple[Fraction, ...]], int]:
    """The worth of every state to every seat as fractions, and in how many states moves tie.

    The picks, values and margins of the solution are corrected where they were wrong.
    """
    problem, model = found.problem, found.problem.model
    sides = sides_of(problem)
    work = Solver(
        equation(problem), _ends(problem), (model.choice[:-1] + found.pick).tolist(), sides,
        model.mover.tolist(), IMPROVEMENTS * len(sides), progress,
    )  # fmt: skip
    over = np.diff(model.choice) == 0
    try:
        work.solve(over)
    except GoesRoundError as where:
        if not has_value(problem):
            raise no_equilibrium(problem, where.state) from None
        raise OddsmithError(
            f"Exact play of {model.name} goes round in circles near "
            f"{model.state(where.state)!r}: ask for method='certified'."
        ) from None
    values = [in_lowest_terms(int(value.p), int(value.q)) for value in work.x]
    seats = problem.seats
    fractions = [tuple(values[s * seats : (s + 1) * seats]) for s in range(problem.states)]
    found.x = np.array([float(value) for value in values]).reshape(-1, seats)
    found.pick[~over] = (np.array(work.pick) - model.choice[:-1])[~over]
    found.lower = found.upper = np.abs(found.x) * UNIT
    found.regret = 0.0
    found.margin = np.full(problem.states, np.inf)
    for s in np.flatnonzero(np.diff(model.choice) > 1).tolist():
        found.margin[s] = _margin(work, s)
    found.certain = found.margin > 0
    return fractions, int(np.count_nonzero(~found.certain))


def sides_of(problem: Problem) -> list[Side]:
    """Players improve their picks one after another, in a mover-relative model all at once."""
    if problem.seats == 1 or problem.model.shift is not None:
        return [Side()]
    return [Side(who=player) for player in reversed(range(problem.seats))]


def equation(problem: Problem) -> Equation:
    """The equation of a problem, in fractions."""

    model, seats = problem.model, problem.seats
    turn = problem.shift.tolist() if seats > 1 else ()
    return Equation.of(model, None, flint_fraction(problem.endless_exactly), seats, turn)


def settle(work: Work, k: int) -> bool:
    """Solve one component of a floating-point solution in fractions; False if it is too large.

    What lies outside of it is taken to be worth what is known of it. Values and picks are written.
    """
    problem, model, seats = work.problem, work.model, work.problem.seats
    inside = problem.order[problem.bounds[k] : problem.bounds[k + 1]].astype(np.int64)
    edges = model.state_row[inside + 1] - model.state_row[inside]
    if len(inside) * seats > limits.SMALL_STATES or edges.sum() * seats > limits.SMALL_TRANSITIONS:
        return False
    total = np.repeat(model.total, np.diff(model.row))
    chance = OnDemand(lambda e: flint_fraction(Fraction(int(model.weight[e]), int(total[e]))))
    flat, first = work.x.ravel(), model.choice
    sides = sides_of(problem)
    exactly = Solver(
        Equation(
            model.choice, model.row, model.col, range(model.transitions), chance, None,
            flint_fraction(problem.endless_exactly), seats, problem.shift,
        ),
        OnDemand(lambda node: flint_fraction(Fraction(float(flat[node])))),
        {s: int(first[s]) + int(work.pick[s]) for s in inside.tolist()},
        sides, model.owner, IMPROVEMENTS * len(sides), work.progress,
    )  # fmt: skip
    try:
        exactly.component(inside.tolist())
    except GoesRoundError:
        return False
    for s in inside.tolist():
        work.pick[s] = exactly.pick[s] - first[s]
        for node in range(s * seats, (s + 1) * seats):
            value = exactly.x[node]
            flat[node] = float(Fraction(int(value.p), int(value.q)))
    return True


def _ends(problem: Problem) -> list[Any]:
    """What the end of the game is worth to each seat, exactly; nothing yet where it goes on."""
    from flint import fmpq

    worth = problem.worth.ravel().tolist()
    if problem.model.scores is not None:
        return [fmpq(int(value)) for value in worth]
    # A share of a win is one over a small number, which its float tells.
    return [fmpq(1, round(1 / value)) if value else fmpq(0) for value in worth]


def _margin(work: Solver, s: int) -> float:
    """By how much the pick is better than any other choice; 0 is a tie."""
    own = range(work.choice[s], work.choice[s + 1])
    others = [_once_left(work, s, c) for c in own if c != work.pick[s]]
    margin = _once_left(work, s, work.pick[s]) - max(others)
    return nonzero_float(in_lowest_terms(int(margin.p), int(margin.q)))


def _once_left(work: Solver, s: int, c: int) -> Any:
    """Q(s, c, 0), the chance of staying in s taken out; endless if the choice never leaves."""
    loops = [
        work.chance[work.index[e]]
        for e in range(work.row[c], work.row[c + 1])
        if work.node(e, 0) == s * work.seats
    ]
    stay = sum(loops, work.zero)
    here = work.x[s * work.seats]
    return (work.worth(c) - stay * here) / (1 - stay) if stay != 1 else work.equation.endless
