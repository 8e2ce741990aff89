"""Which numbers floating point can be trusted with.

All bounds on rounding are relative: a product of doubles is off by at most 2^-53 of itself. That
holds for results from 2^-1022 (2e-308) to 2^1024 (2e308). A chance below is rounded to few digits,
or to zero, which changes the graph; a reward above is rounded to infinity. Solvers take care of
sums and products (`LEAST`, `LARGEST`); what they are given is looked at once (`check_size`).
"""

from __future__ import annotations

import numpy as np

from oddsmith.errors import LimitError
from oddsmith.model.amounts import Amounts

SMALLEST, GREATEST = 1e-300, 1e300
"""What chances and rewards may be."""

LEAST = 1e-290
"""Below this, products may lose digits: an upper bound is raised to it, a lower one dropped."""

LARGEST = 1.7976931348623157e308
"""Infinity is what the graph decides, never where a sum has grown to: a lower bound stays below."""


def check_size(name: str, what: str, amounts: Amounts) -> None:
    """Refuse chances or rewards that are too small or too large for floating point."""
    size = np.abs(amounts.values)
    wrong = (size > GREATEST) | ((size < SMALLEST) & (size > 0.0))
    if amounts.exact is not None:
        for i in np.flatnonzero(size == 0.0).tolist():
            wrong[i] = amounts.exact[i] != 0
    if wrong.any():  # several amounts may share a table
        wrong &= np.bincount(amounts.index, minlength=len(wrong)) > 0
    if wrong.any():
        small = size[wrong].min() < 1.0
        beyond = f"below {SMALLEST:g}" if small else f"above {GREATEST:g}"
        advice = "leave it out" if small else "count in larger units"
        raise LimitError(
            f"{name} has a {what} {beyond}, which floating point cannot compute with: {advice}."
        )


def refuse_losses(name: str, reward: str, amounts: Amounts) -> None:
    """Refuse rewards below zero: what is earned for long would have no bound from below.

    PRISM programs cannot have them; files of other tools and scores of games can.
    """
    least = float(amounts.floats.min(initial=0.0))
    if least < 0:
        raise LimitError(
            f'The rewards "{reward}" of {name} go down to {least:g}; questions are about rewards '
            "of at least zero."
        )
