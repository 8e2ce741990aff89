"""What samples say: intervals for chances and means, and tests of bounds.

**Chances.** A chance gets the interval of Clopper and Pearson (C. J. Clopper, E. S. Pearson,
Biometrika 26 (1934) 404-413): the chances p for which neither so many successes nor so few would
be rarer than α/2. It holds the truth with at least the confidence 1 - α that is claimed, however
rare the event and however few the games; its ends are quantiles of beta distributions. Several
intervals hold each by itself. Paths that were not decided within their steps might be of either
kind: the lower end is that of the paths that are surely true, the upper end that of the paths that
are not surely false. Each end is missed with half of the error, so together they keep the
confidence. A mean of numbers from 0 to 1 that are not all 0 or 1 gets the ends of Hoeffding
(W. Hoeffding, JASA 58 (1963) 13-30, theorem 1): the m for which n KL(mean, m) <= ln(2/α).

**Until it is known.** Whoever looks again and again, and stops when the interval is narrow, errs
more often than each interval says. So the error is shared out to the looks beforehand (`Looks`):
each may err by its share, the shares add up to α, and whichever look ends it, its interval holds.

**Means.** The mean of lengths, scores and rewards gets Student's interval. It is approximate, and
called so wherever it is shown: nothing is known of what did not come up, and one game in a million
may earn a million. For the same reason numbers that were all the same have no interval at all.

**Variances.** The variance s² of n lengths gets the interval of a normal distribution of variance
(m₄ - s⁴) / n, m₄ the fourth moment about their mean (H. Cramér, Mathematical Methods of Statistics,
1946, chapters 27 and 28), and the deviation that of its root. It is approximate for the same
reason, and more so: a few long games make m₄.

**Tests.** A bound on a chance is tested by Wald's sequential probability ratio test (A. Wald, Ann.
Math. Stat. 16 (1945) 117-186; H. L. S. Younes and R. G. Simmons, CAV 2002, for model checking):
between the hypotheses p ≥ θ + δ and p ≤ θ - δ, after m of n paths were true,

    L = m ln((θ+δ)/(θ-δ)) + (n-m) ln((1-θ-δ)/(1-θ+δ)),

the first is taken when L ≥ ln(1/α), the second when L ≤ -ln(1/α). Each is taken wrongly with a
chance of at most α: if p ≤ θ - δ, exp(L) is a supermartingale that begins at 1, and by Ville's
inequality it ever comes to 1/α with a chance of at most α; likewise exp(-L) if p ≥ θ + δ. Between
θ - δ and θ + δ either answer may come. A bound that every chance meets, or none, is no question
for paths (`settled`).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.results.answer import Answer

CHANCES = "Clopper-Pearson, each by itself"
MEANS = "Student, approximate"
"""What is said of the two kinds of intervals."""


def clopper_pearson(successes: int, trials: int, error: float) -> tuple[float, float]:
    """The interval of Clopper and Pearson for a chance; it misses it with at most this error.

    >>> low, high = clopper_pearson(0, 10, 0.05)
    >>> low, round(high, 4)
    (0.0, 0.3085)
    """
    from scipy.special import betaincinv

    def least(some: int) -> float:
        """The least chance with which so many of the trials or more are not too rare."""
        return float(betaincinv(some, trials - some + 1, error / 2)) if some else 0.0

    low, share = least(successes), successes / trials
    return min(low, share), max(1.0 - least(trials - successes), share)


def chance(true: int, undecided: int, paths: int, error: float) -> Answer:
    """A chance from paths of which some were not decided.

    >>> print(chance(50, 0, 100, 0.05))
    0.50 ± 0.11
    >>> wide = chance(50, 10, 100, 0.05)
    >>> wide.lower == chance(50, 0, 100, 0.05).lower, wide.upper == chance(60, 0, 100, 0.05).upper
    (True, True)
    """
    lower = clopper_pearson(true, paths, error)[0]
    upper = clopper_pearson(true + undecided, paths, error)[1]
    return Answer((true + undecided / 2) / paths, lower, upper)


def share(sum_: float, count: int, error: float) -> Answer:
    """A mean of numbers from 0 to 1, some of them between, by Hoeffding's inequality.

    >>> print(share(50, 100, 0.05))
    0.50 ± 0.14
    """
    mean, most = min(1.0, sum_ / count), math.log(2 / error) / count

    def end(beyond: float) -> float:
        """The number between the mean and `beyond` that is as far as the error allows."""
        near, far = mean, beyond
        for _ in range(60):
            middle = (near + far) / 2
            inside = _divergence(mean, middle) <= most
            near, far = (middle, far) if inside else (near, middle)
        return far

    return Answer(mean, end(0.0), end(1.0))


def _divergence(mean: float, m: float) -> float:
    """How far a coin of mean m is from one of another mean (Kullback and Leibler)."""
    parts = ((mean, m), (1 - mean, 1 - m))
    return sum(a * (math.log(a) - _log(b)) for a, b in parts if a > 0)


@dataclass(frozen=True)
class Looks:
    """When to look at intervals of chances, and the error that the interval of each look may have.

    Let n be enough games for any chance, with half of the error. Looks are at n / 2^i games, as
    far down as `first`, at n, and at 2^i n where undecided paths need more. The look at n has half
    of the error, those at n / 2^i and 2^i n have 1 / 2^(i + 2) of it: together not more than all.
    """

    half_width: float | None
    error: float
    first: int
    unit: int = 1
    """Looks are after multiples of so many games."""

    def __iter__(self) -> Iterator[tuple[int, float]]:
        """After how many games to look, and the error then; once with no number if never."""
        if self.half_width is None:
            yield 10**18, self.error
            return
        most = enough(self.half_width, self.error / 2)
        before = max(0, math.floor(math.log2(most / self.first))) if most > self.first else 0
        for i in range(-before, 62):
            share = 1 / 2 if i == 0 else 2.0 ** -(abs(i) + 2)
            games = -(-most >> -i) if i < 0 else most << i
            yield -(-games // self.unit) * self.unit, self.error * share


def enough(half_width: float, error: float) -> int:
    """So many games that an interval of any chance is no wider than twice the half-width."""
    high = 2
    while _widest(high, error) > half_width:
        high *= 2
    low = high // 2
    while high - low > max(1, high // 1000):
        middle = (low + high) // 2
        low, high = (middle, high) if _widest(middle, error) > half_width else (low, middle)
    return high


def _widest(games: int, error: float) -> float:
    low, high = clopper_pearson(games // 2, games, error)
    return (high - low) / 2


def mean_interval(mean: float, variance: float, count: int, confidence: float) -> Answer:
    """A mean with Student's interval; without one where nothing is known of the spread.

    `variance` is that of the sample, its sum divided by count - 1.

    >>> print(mean_interval(2.0, 1.0, 3, 0.95), mean_interval(2.0, 0.0, 3, 0.95))
    about 2.0 ± 2.5 about 2
    """
    if count < 2 or math.sqrt(variance) <= 1e-12 * abs(mean):  # what is less is rounding
        return Answer(mean, approximate=True)
    from scipy.special import stdtrit

    half = float(stdtrit(count - 1, 0.5 + confidence / 2)) * math.sqrt(variance / count)
    return Answer(mean, mean - half, mean + half, approximate=True)


def variance_interval(
    variance: float, fourth: float | None, count: int, confidence: float
) -> Answer:
    """A variance with an approximate interval, from the fourth moment where that is known.

    >>> print(variance_interval(1.0, 3.0, 20_000, 0.95))
    about 1.000 ± 0.02
    """
    room = 0.0 if fourth is None else (fourth - variance * variance) / count
    if not room > 1e-24 * variance * variance:  # what is less is rounding
        return Answer(variance, approximate=True)
    from scipy.special import ndtri

    half = float(ndtri(0.5 + confidence / 2)) * math.sqrt(room)
    return Answer(variance, max(0.0, variance - half), variance + half, approximate=True)


def root(square: Answer) -> Answer:
    """The square root of an approximate answer, and of its ends."""
    if square.lower is None or square.upper is None:
        return Answer(math.sqrt(square.value), approximate=True)
    low, high = math.sqrt(square.lower), math.sqrt(square.upper)
    return Answer(math.sqrt(square.value), low, high, approximate=True)


def spread_of_sums(count: int, total: float, squares: float) -> float:
    """The variance of a sample by its sum and its sum of squares; 0 where rounding hides it."""
    if count < 2:
        return 0.0
    apart = count * Fraction(squares) - Fraction(total) ** 2
    whole = isinstance(squares, int) or (squares < 2**53 and squares.is_integer())
    if apart <= (0 if whole else Fraction(squares) * count / 10**12):
        return 0.0
    return float(apart / (count * (count - 1)))


@dataclass
class Moments:
    """The count, mean and sum of squared distances of numbers, added in batches (Chan 1979)."""

    count: int = 0
    mean: float = 0.0
    squares: float = 0.0

    def add(self, values: npt.NDArray[np.float64]) -> None:
        """Add some numbers."""
        if not len(values):
            return
        mean, count = float(values.mean()), self.count + len(values)
        apart = mean - self.mean
        self.squares += float(((values - mean) ** 2).sum())
        self.squares += apart * apart * self.count * len(values) / count
        self.mean += apart * len(values) / count
        self.count = count

    def interval(self, confidence: float) -> Answer:
        """The mean, with Student's interval.

        >>> moments = Moments()
        >>> moments.add(np.array([1.0, 2.0, 3.0]))
        >>> print(moments.interval(0.95))
        about 2.0 ± 2.5
        """
        return mean_interval(
            self.mean, self.squares / max(1, self.count - 1), self.count, confidence
        )


def settled(relation: str, bound: float) -> bool | None:
    """What is so of a bound whatever the chance is; None where the chance matters.

    >>> settled(">=", 0.0), settled(">", 1.0), settled("<", 0.0), settled(">", 0.5)
    (True, False, False, None)
    """
    compare = {">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt}
    least, most = (compare[relation](end, bound) for end in (0.0, 1.0))
    return least if least == most else None


@dataclass
class Test:
    """A sequential test of a bound on a chance; see the module's docstring.

    `above` is None until it is decided; an undecided path speaks against both answers.

    >>> test = Test(0.5, 0.05, 0.05)
    >>> test.add(np.full(1000, 1, np.int8))
    15
    >>> test.above
    True
    """

    __test__ = False  # for pytest: this is none of its own

    bound: float
    indifference: float
    error: float
    above: bool | None = None
    least: float = 0.0
    """The ratio if undecided paths are false."""
    most: float = 0.0
    """The ratio if they are true."""

    def add(self, results: npt.NDArray[Any]) -> int:
        """Look at more paths one by one: false (0), true (1), or undecided (anything else).

        Returns how many were looked at; the test is over where these are not all.
        """
        p, q = min(1.0, self.bound + self.indifference), max(0.0, self.bound - self.indifference)
        limit = math.log(1 / self.error)
        true, false = _log(p) - _log(q), _log(1 - p) - _log(1 - q)  # one of them may be infinite
        least = self.least + np.cumsum(np.where(results == 1, true, false))
        most = self.most + np.cumsum(np.where(results == 0, false, true))
        over = np.flatnonzero((least >= limit) | (most <= -limit))
        if len(over):
            at = int(over[0])
            self.above = bool(least[at] >= limit)
            self.least, self.most = float(least[at]), float(most[at])
            return at + 1
        if len(results):
            self.least, self.most = float(least[-1]), float(most[-1])
        return len(results)


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf
