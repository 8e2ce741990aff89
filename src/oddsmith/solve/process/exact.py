"""Values as fractions: what floating point has bounded is solved again, beginning with its picks.

What the graph decides (worth nothing, one, infinite) the bounds have decided without rounding, so
it is taken from them; the rest is policy iteration in fractions. At the end every value must lie
within the certified bounds: a check that costs nothing. Games are in `two_sides.py`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from oddsmith.errors import OddsmithError
from oddsmith.model.model import Model
from oddsmith.results.digits import in_lowest_terms
from oddsmith.solve.bellman.in_fractions import Side
from oddsmith.solve.process.aim import Aim, Objective, Values
from oddsmith.solve.process.equations import solved
from oddsmith.solve.process.picks import Picks, exact_picks


def solve_exactly(
    process: Model, objective: Objective, aim: Aim, found: Values
) -> tuple[list[Fraction | float], Picks | None]:
    """The value of every state as a fraction (or infinity), and picks worth it, if wanted.

    One side decides.
    """
    work = solved(process, objective, found, [Side(aim.maximise)], None, aim.progress)
    assert all(value is not None for value in np.array(work.x, object)[np.isfinite(found.lower)])
    values = within_bounds(process, work.x, found)
    wanted = aim.picks and not process.is_chain
    return values, exact_picks(work, process, objective, aim.maximise) if wanted else None


def within_bounds(process: Model, x: Sequence[Any], found: Values) -> list[Fraction | float]:
    """Values as Python's fractions, compared with their certified bounds."""
    values: list[Fraction | float] = [
        inf if value is None else in_lowest_terms(int(value.p), int(value.q)) for value in x
    ]
    lower, upper = found.lower.tolist(), found.upper.tolist()
    for s, value in enumerate(values):
        rounded = _rounded(value)
        if not lower[s] <= rounded <= upper[s]:
            raise OddsmithError(
                f"The exact value {rounded} of {process.name} in {process.describe(s)} is "
                f"outside its certified bounds [{lower[s]}, {upper[s]}]: please report this."
            )
    return values


def _rounded(value: Fraction | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return sys.float_info.max
