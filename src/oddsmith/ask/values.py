"""The value of every state: each player's chance, the draw and the moves left from there.

Where a game without an end can come of a state, the moves left from there are infinitely many.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Unpack

import numpy as np

from oddsmith.errors import OptionError
from oddsmith.model import graph
from oddsmith.model.explore import Subject
from oddsmith.model.subject import subject_of
from oddsmith.questions import door
from oddsmith.questions.case import Case
from oddsmith.questions.question import Question
from oddsmith.questions.settings import Keywords, Settings
from oddsmith.results.result import Result
from oddsmith.results.states import StateValues
from oddsmith.solve import plan
from oddsmith.solve.chain import Chain, boundary
from oddsmith.solve.engines.graph import Prepared
from oddsmith.solve.sweeps import backward

VALUES = Question(
    "values",
    "the odds from every state",
    ("values",),
    2_000_000,
    no_estimates="Values of all states are exact, certified or float; simulate plays from one.",
)


@door.question
def values(subject: Subject, **settings: Unpack[Keywords]) -> Result:
    """The odds from every state that can be reached, by their names.

    Keywords are those of `Settings`; the method is exact, certified or float.

    >>> from oddsmith import game, values
    >>> race = game("coin-race")
    >>> ahead = race.State((1, 0), 1)
    >>> print(values(race).values[ahead]["win 1"])  # V = (1/2 + V/2)/2 + (2/3)/2
    7/9
    >>> chance = values(race, method="certified").values[ahead]["win 1"]
    >>> chance.lower < 7 / 9 < chance.upper
    True
    """
    chosen = Settings(**settings)
    subject = subject_of(subject, chosen)
    if chosen.method == "exact" and chosen.checkpoint is not None:
        raise OptionError("The values of all states have no checkpoint: leave it out.")
    return plan.answer(Case(VALUES, subject, chosen, _values, everywhere=True))


def _values(prepared: Prepared) -> Result:
    """The values from a chain."""
    settings, chain = prepared.settings, prepared.chain.unfolded()
    model = chain.model
    players = len(model.players)
    ends = _ends(chain)
    columns = (*(f"win {p + 1}" for p in range(players)), "draw", "length")
    if prepared.method == "exact":
        exact, how = _fractions(chain, ends, settings)
        for state in np.flatnonzero(chain.may_last_for_ever):
            exact[state][-1] = math.inf
        value = np.array([[float(x) for x in row] for row in exact])
        table = StateValues(model.names, columns, value, np.zeros_like(value), exact)
        return prepared.result([how], values=table)
    b = boundary(chain, ends)
    b[:, -1] = chain.length
    solution = backward(
        chain,
        b,
        tolerance=settings.tolerance,
        solver=settings.solver,
        progress=settings.progress,
        certify=prepared.method == "certified",
    )
    value, error = ends.copy(), np.zeros_like(ends)
    value[chain.order], error[chain.order] = solution.x, solution.error
    for q in range(players + 1):  # what the graph decides is exactly 0 or 1
        for decided, known in ((graph.prob0, 0.0), (graph.prob1, 1.0)):
            states = decided(model.state_row, model.col, ends[:, q] == 1.0)
            value[states, q], error[states, q] = known, 0.0
    value[chain.may_last_for_ever, -1], error[chain.may_last_for_ever, -1] = math.inf, 0.0
    table = StateValues(model.names, columns, value, error)
    return prepared.result([solution.method], values=table)


def _fractions(
    chain: Chain, ends: Any, settings: Settings
) -> tuple[list[list[Fraction | float]], str]:
    """The values of all states as fractions, and how they were found."""
    from flint import fmpq

    from oddsmith.solve.exact.lifted import LiftingPlan
    from oddsmith.solve.exact.linear import Report, solve_all
    from oddsmith.solve.exact.rational import as_fraction
    from oddsmith.solve.exact.values import system, totals_of

    fractions: list[list[Fraction | float]] = [[Fraction(int(x)) for x in row] for row in ends]
    report = Report()
    if chain.size:
        earned = np.zeros((chain.size, ends.shape[1]), object)
        earned[:, -1] = totals_of(chain) * chain.length.astype(np.int64)
        matrix, right, _ = system(chain, ends.astype(np.int64), earned)
        whole = [[fmpq(int(x)) for x in row] for row in right]
        solved = solve_all(matrix, whole, LiftingPlan(settings.progress), report)
        for state, row in zip(chain.order, solved, strict=True):
            fractions[state] = [as_fraction(x.p, x.q) for x in row]
    return fractions, str(report)


def _ends(chain: Chain) -> Any:
    """What each state is worth where the game is over: states × (players, draw, length)."""
    players = len(chain.model.players)
    worth = np.zeros((chain.model.states, players + 2))
    for p in range(players):
        worth[:, p] = (chain.outcome > 0) & (chain.outcome >> p & 1 == 1)
    worth[:, players] = chain.outcome == 0
    return worth
