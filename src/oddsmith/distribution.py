"""ExactDistribution: how long a game lasts, length by length, in fractions."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from operator import itemgetter


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
        found = bisect_right(self.chances, length, key=itemgetter(0))
        return self.cumulative[found - 1][1] if found else Fraction(0)

    @property
    def left(self) -> Fraction:
        """The chance to last longer than the horizon."""
        return 1 - self.at_most(self.horizon)

    def quantile(self, level: float | Fraction) -> int | None:
        """The shortest length that at least this share of games does not exceed.

        The level is the decimal as it is written: 0.05 is one twentieth. None where the length
        lies beyond the horizon.
        """
        wanted = Fraction(str(level))
        return next((length for length, reached in self.cumulative if reached >= wanted), None)
