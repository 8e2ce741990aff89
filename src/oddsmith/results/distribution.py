"""How long a game lasts: quantiles and what is known of them, distributions in fractions.

The quantile of a level is the shortest length that at least this share of games does not exceed:
the least k with F(k) ≥ level, F(k) the chance of at most k moves. Levels are decimals as they are
written: 0.05 is one twentieth. Where F is known within bounds, they decide it if the level is not
between them at k or at the length before; else the quantile is `Between` two lengths. It is
infinite where so many games do not end at all.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from oddsmith.errors import OptionError

if TYPE_CHECKING:
    import numpy.typing as npt

UNIT = 2.0**-53


class Between(NamedTuple):
    """A length that is known by its bounds alone; `high` is infinite where there is none."""

    low: int
    high: float

    def __str__(self) -> str:
        if math.isinf(self.high):
            return f"{self.low:,} or more"
        return f"{self.low:,} to {int(self.high):,}"


Quantile = int | float | Between
"""A length; infinity (a float) where so many games never end; else what it is between."""


def quantile_text(at: Quantile) -> str:
    """A quantile for people.

    >>> quantile_text(1200), quantile_text(math.inf), quantile_text(Between(7, math.inf))
    ('1,200', 'inf', '7 or more')
    """
    return str(at) if isinstance(at, Between) else f"{at:,}"


def quantile_in_json(at: Quantile) -> int | str | list[int | str]:
    """A quantile as JSON has it: a number, "inf", or a list of two, from and to.

    >>> quantile_in_json(12), quantile_in_json(Between(7, math.inf))
    (12, [7, 'inf'])
    """
    if isinstance(at, Between):
        return [at.low, "inf" if math.isinf(at.high) else int(at.high)]
    return "inf" if math.isinf(at) else int(at)


def quantile_change(a: Quantile, b: Quantile) -> int | None:
    """By how much a quantile differs, if both are known and finite."""
    return b - a if isinstance(a, int) and isinstance(b, int) else None


def level_of(level: float | Fraction) -> Fraction:
    """A level as the decimal that it is written as."""
    if not 0 < level <= 1:
        raise OptionError(f"A share of games is above 0 and at most 1, such as 0.95, not {level}.")
    return Fraction(str(level))


def quantile(
    distribution: Sequence[tuple[int, float]],
    level: float | Fraction,
    off: float = 0.0,
    beyond: float = 0.0,
    complete: bool = False,
) -> Quantile:
    """The quantile of a distribution in floats, as far as they decide it.

    `off` is how far the chance of at most k moves can be off, for any k, before the floats are
    added up here; `beyond` bounds the chance to end after the last length. The distribution is
    `complete` if every game ends, none after the last length.

    >>> halves = [(1, 0.5), (2, 0.5)]
    >>> quantile(halves, 0.4), quantile(halves, 0.5, off=1e-9)
    (1, Between(low=1, high=2))
    """
    return quantiles(distribution, [level], off, beyond, complete)[level]


def quantiles(
    distribution: Sequence[tuple[int, float]],
    levels: Iterable[float | Fraction],
    off: float = 0.0,
    beyond: float = 0.0,
    complete: bool = False,
) -> dict[Any, Quantile]:
    """The quantiles of several levels; the chances are added up once for all of them."""
    reached = sums(distribution)
    off += len(reached) * UNIT * (1 + 1e-9)
    return {
        level: _quantile(distribution, reached, level, off, beyond, complete) for level in levels
    }


def sums(distribution: Sequence[tuple[int, float]]) -> npt.NDArray[Any]:
    """The chance of at most each length, added up one after another."""
    import numpy as np

    chances = map(itemgetter(1), distribution)
    return np.cumsum(np.fromiter(chances, np.float64, len(distribution)))


def _quantile(
    distribution: Sequence[tuple[int, float]],
    reached: npt.NDArray[Any],
    level: float | Fraction,
    off: float,
    beyond: float,
    complete: bool,
) -> Quantile:
    exact_level = level_of(level)
    least = float(exact_level)  # the least float that is not below the level
    if Fraction(least) < exact_level:
        least = math.nextafter(least, math.inf)
    last = distribution[-1][0] if distribution else -1

    def first(error: float) -> int | None:
        """The shortest length at which the level is reached if the error is this."""
        goal = _at_least(least, error)
        at = int(reached.searchsorted(goal))
        return distribution[at][0] if at < len(distribution) else None

    earliest, latest = first(off), first(-off)
    if latest is None and complete:
        latest = last
    if latest is not None:
        earliest = latest if earliest is None else earliest
        return latest if earliest == latest else Between(earliest, latest)
    if earliest is not None:
        return Between(earliest, math.inf)
    most = (float(reached[-1]) if len(reached) else 0.0) + off + beyond
    return math.inf if most * (1 + 1e-15) < least else Between(last + 1, math.inf)


def _at_least(least: float, error: float) -> float:
    """A float x such that a sum of at least x, changed by the error, is the least one or more.

    For a positive error, what is below x falls short of it; for a negative one, what is not below
    x has reached it.
    """
    goal = least - error
    return math.nextafter(goal, -math.inf if error > 0 else math.inf) if error else goal


def sample_quantile(counts: Sequence[tuple[int, int]], games: int, level: float) -> Quantile:
    """The quantile of games that were played: how many had each length, and of how many in all.

    >>> sample_quantile([(3, 1), (4, 1)], 2, 0.5)
    3
    """
    enough = level_of(level) * games
    reached = 0
    for length, count in counts:
        reached += count
        if reached >= enough:
            return length
    return Between(counts[-1][0] + 1 if counts else 0, math.inf)


@dataclass(frozen=True)
class ExactDistribution:
    """The chance of every length up to a horizon, as fractions, and what lies beyond it.

    >>> toss = ExactDistribution(((1, Fraction(1, 2)), (2, Fraction(1, 4))), horizon=2)
    >>> toss[2], toss.at_most(2), toss.left
    (Fraction(1, 4), Fraction(3, 4), Fraction(1, 4))
    >>> toss.quantile(Fraction(3, 4)), toss.quantile(Fraction(4, 5))
    (2, None)
    """

    chances: tuple[tuple[int, Fraction], ...]
    """(length, its chance), for lengths that can be."""
    horizon: int

    def __getitem__(self, length: int) -> Fraction:
        """The chance of one length."""
        if length > self.horizon:
            raise KeyError(f"{length} is beyond the horizon of {self.horizon}")
        return dict(self.chances).get(length, Fraction(0))

    def __len__(self) -> int:
        return len(self.chances)

    @cached_property
    def cumulative(self) -> tuple[tuple[int, Fraction], ...]:
        """(length, the chance to last at most so long), for lengths that can be."""
        sums = accumulate(chance for _, chance in self.chances)
        return tuple((length, sum_) for (length, _), sum_ in zip(self.chances, sums, strict=True))

    def at_most(self, length: int) -> Fraction:
        """The chance to last at most so long."""
        if length > self.horizon:
            raise KeyError(f"{length} is beyond the horizon of {self.horizon}")
        place = bisect_right(self.chances, length, key=itemgetter(0))
        return self.cumulative[place - 1][1] if place else Fraction(0)

    @property
    def left(self) -> Fraction:
        """The chance to last longer than the horizon."""
        return 1 - self.at_most(self.horizon)

    def quantile(self, level: float | Fraction) -> int | None:
        """The shortest length that at least this share of games does not exceed.

        The level is the decimal as it is written: 0.05 is one twentieth. None where the length
        lies beyond the horizon.
        """
        exact_level = level_of(level)
        return next((length for length, reached in self.cumulative if reached >= exact_level), None)
