"""The chance to reach something, in every state: `left U right`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from oddsmith.model.amounts import Bools, Floats
from oddsmith.model.model import Model
from oddsmith.solve.process.aim import Aim, Objective, Values


def until(process: Model, left: Bools, right: Bools, aim: Aim) -> Values:
    """The chance to come to a state of `right` through states of `left` only."""
    worth = right.astype(np.float64)
    exact = [Fraction(int(x)) for x in right] if aim.exact or aim.picks else None
    return terminal(process, right | ~left, worth, worth, aim, exact)


def terminal(
    process: Model,
    stop: Bools,
    lower: Floats,
    upper: Floats,
    aim: Aim,
    exact: Sequence[Fraction] | None = None,
) -> Values:
    """The expected worth of the state at which play stops, nothing if it never does.

    `lower` and `upper` bound what the stopping states are worth (from 0 to 1); `exact` has it as
    fractions, where those are wanted.
    """
    from oddsmith.solve.process.best import best_bounds

    known = None if exact is None else lambda: (exact, None)
    return best_bounds(process, Objective(stop, lower, upper, fractions=known), aim)
