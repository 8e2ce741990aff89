"""How long a game lasts, in fractions: played forward up to a horizon.

Also what floats leave open: a quantile whose level lies within the rounding of a sum, or meets it
exactly, is decided here, if that is cheap enough.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from oddsmith.errors import LimitError, OptionError
from oddsmith.questions import limits
from oddsmith.results.distribution import Between, ExactDistribution, Quantile, level_of
from oddsmith.runtime import memory
from oddsmith.runtime.progress import Progress
from oddsmith.solve.chain import Chain
from oddsmith.solve.counted import Counted, counted

MOST_UNASKED = 400
"""The horizon is no farther than this, unless a farther one is asked for."""

MOST_DIGITS, MOST_PLACES = 1e9, 1e6
"""Digits that may be multiplied to decide a quantile, and places of them that may be looked at."""


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


def decided(
    chain: Chain, quantiles: Mapping[float, Quantile], ends: Fraction | None, progress: Progress
) -> dict[float, Quantile]:
    """The quantiles, with those that are between two lengths decided in fractions where that pays.

    `ends` is the chance to end at all, where it is known. A level above it is reached never. One
    that it just meets is reached by the longest game, which has at most one counted move a state,
    or never: with a cycle on the way, every length leaves a little.
    """
    found = dict(quantiles)
    if ends is not None:
        never = [level for level in found if ends < level_of(level)]
        found |= dict.fromkeys(never, math.inf)
    waiting = [(level, at) for level, at in found.items() if isinstance(at, Between)]
    if not waiting or chain.size > limits.FRACTION_LENGTHS:
        return found
    try:
        moves = counted(chain)
    except LimitError:
        return found
    for level, at in waiting:
        found[level] = _decided(moves, level_of(level), at, ends, progress)
    return found


def _decided(
    moves: Counted, level: Fraction, at: Between, ends: Fraction | None, progress: Progress
) -> Quantile:
    """One quantile: the least length at which the sum of fractions reaches the level."""
    weights = sum(matrix.nnz for matrix in moves.digits)
    places = moves.total.bit_length() / moves.bits  # that numbers grow by in a move
    most = min(MOST_DIGITS / (places * (weights + moves.states) + 1), MOST_PLACES / (places + 1))
    farthest = int((2 * most) ** 0.5)
    if at.low > farthest:
        return at
    reached, longest = 0, moves.states
    for length, (top, bottom) in enumerate(moves.terms()):
        reached = reached * moves.total + top if length else top
        if reached * level.denominator >= level.numerator * bottom:
            return length
        if length >= longest and ends == level:
            return math.inf
        if length == farthest:
            return Between(max(at.low, length + 1), at.high)  # as far as it is known
        if length % 16 == 0:
            progress.update("quantiles in fractions", length, at.low)
    # The longest game is over: what has not ended by now never will.
    return math.inf
