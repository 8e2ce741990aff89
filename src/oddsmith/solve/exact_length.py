"""How long a game lasts, in fractions: played forward up to a horizon."""

from __future__ import annotations

from fractions import Fraction

from oddsmith import memory
from oddsmith.distribution import ExactDistribution
from oddsmith.errors import OptionError
from oddsmith.progress import Progress
from oddsmith.solve.chain import Chain
from oddsmith.solve.counted import counted

MOST_UNASKED = 400
"""The horizon is no farther than this, unless a farther one is asked for."""


def exact_distribution(chain: Chain, horizon: int, progress: Progress) -> ExactDistribution:
    """The chance of every length up to the horizon."""
    if horizon < 0:
        raise OptionError(f"The horizon is a number of moves, 0 or more, not {horizon}.")
    moves = counted(chain)
    memory.require(moves.bytes_at(horizon), "An exact distribution", "ask for a nearer --horizon")
    chances = []
    for length, (top, bottom) in enumerate(moves.terms()):
        if top:
            chances.append((length, Fraction(top, bottom)))
        if length == horizon:
            break
        if length % 16 == 0:
            progress.update("lengths in fractions", length, horizon)
    return ExactDistribution(tuple(chances), horizon)
