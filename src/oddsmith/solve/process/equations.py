"""The questions about a process in fractions: its equation, for `bellman/in_fractions.py`.

What the graph decides (worth nothing, one, infinite) the bounds have decided without rounding, so
it is taken from them and fixed. Where little is wanted until a target, the picks that are improved
must be *proper*: play under them stops with probability one wherever it can.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from oddsmith.errors import LimitError, OddsmithError
from oddsmith.model.amounts import Rewards
from oddsmith.model.model import Model
from oddsmith.questions import limits
from oddsmith.runtime.progress import Progress
from oddsmith.solve.bellman.in_fractions import Equation, GoesRoundError, Side, Solver
from oddsmith.solve.exact.rational import flint_fraction
from oddsmith.solve.process.aim import Objective, Values

Rows = Callable[[int], list[tuple[int, Fraction]]]


def rows_of(process: Model) -> Rows:
    """The outcomes of a choice as (state, chance) with chances as fractions."""
    exact = process.chance.exact
    if exact is None:
        raise LimitError(
            f"The chances of {process.name} are not fractions (logarithms, roots or very long "
            f"ones): leave out --exact."
        )
    if process.transitions > limits.FRACTION_TRANSITIONS:
        raise LimitError(
            f"{process.name} has {process.transitions:,} transitions; fractions are for up to "
            f"{limits.FRACTION_TRANSITIONS:,}. Leave out --exact."
        )
    row, col, index = process.row.tolist(), process.col.tolist(), process.chance.index.tolist()

    def outcomes(c: int) -> list[tuple[int, Fraction]]:
        return [(col[e], exact[index[e]]) for e in range(row[c], row[c + 1])]

    return outcomes


def choice_gains(process: Model, rewards: Rewards) -> list[Fraction]:
    """What each choice earns, as fractions."""
    found = [Fraction(0)] * process.choices
    for amounts, number in ((rewards.state, process.chooser), (rewards.choice, None)):
        if amounts is None:
            continue
        if amounts.exact is None:
            raise LimitError(
                f"The rewards of {process.name} are not fractions (logarithms, roots or very long "
                f"ones): leave out --exact."
            )
        index = amounts.index if number is None else amounts.index[number]
        exact = amounts.exact
        found = [a + exact[i] for a, i in zip(found, index.tolist(), strict=True)]
    return found


def solved(
    process: Model, objective: Objective, found: Values, sides: Sequence[Side], owner: Any,
    progress: Progress,
) -> Solver:  # fmt: skip
    """The values of every state; `found` has what the graph decides, and picks to begin with."""
    assert objective.fractions is not None
    worth, gain = objective.fractions()
    stop = objective.stop
    earned = None if gain is None else [flint_fraction(value) for value in gain]
    rows_of(process)  # refuses what has no fractions
    endless = None if objective.until else flint_fraction(Fraction(objective.endless))
    work = Solver(
        Equation.of(process, earned, endless),
        [flint_fraction(Fraction(0))] * process.states,
        (process.choice[:-1] if found.picks is None else found.picks).tolist(), sides, owner,
        progress=progress,
    )  # fmt: skip
    zero, infinite = ~stop & (found.upper == 0), ~stop & np.isinf(found.lower)
    sure = ~stop & (found.lower == 1) & (found.upper == 1)
    if gain is not None:
        sure[:] = False
    for s in np.flatnonzero(stop).tolist():
        work.x[s] = flint_fraction(worth[s])
    for s in np.flatnonzero(infinite).tolist():
        work.x[s] = None
    for s in np.flatnonzero(sure).tolist():
        work.x[s] = flint_fraction(Fraction(1))
    try:
        work.solve(stop | zero | infinite | sure)
    except GoesRoundError:
        raise OddsmithError(
            f"Exact values of {process.name} were not found: picks go round."
        ) from None
    return work
