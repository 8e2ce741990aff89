"""What sampled paths say: intervals for chances and means, and tests of bounds.

A chance gets Wilson's score interval, as in `run.py`. Paths that were not decided within their
steps might be of either kind: the lower end of the interval is that of the chance of paths that
are surely true, the upper end that of the chance of paths that are not surely false. Each end is
missed with half of the error, so together they keep the confidence.

A mean reward gets Student's interval, which is right for many paths of a finite variance only: it
is called approximate.

A bound is tested by Wald's sequential probability ratio test (A. Wald, Ann. Math. Stat. 16 (1945)
117-186; H. L. S. Younes and R. G. Simmons, CAV 2002, for model checking): between the hypotheses
p ≥ θ + δ and p ≤ θ − δ, after m of n paths were true,

    L = m ln((θ+δ)/(θ−δ)) + (n−m) ln((1−θ−δ)/(1−θ+δ)),

the first is taken when L ≥ ln((1−α)/α), the second when L ≤ −ln((1−α)/α), and each is taken
wrongly with a chance of at most about α. Between θ − δ and θ + δ either answer may come.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.result import Answer
from oddsmith.solve.simulate.run import wilson


def chance(true: int, undecided: int, paths: int, z: float) -> Answer:
    """A chance from paths of which some were not decided.

    >>> print(chance(50, 0, 100, 1.96))
    0.500 ± 0.097
    >>> wide = chance(50, 10, 100, 1.96)
    >>> wide.lower == chance(50, 0, 100, 1.96).lower, wide.upper == chance(60, 0, 100, 1.96).upper
    (True, True)
    """
    lower, upper = wilson(true, paths, z)[0], wilson(true + undecided, paths, z)[1]
    return Answer((true + undecided / 2) / paths, lower, upper)


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
        2.0 ± 2.5
        """
        if self.count < 2:
            return Answer(self.mean, -math.inf, math.inf)
        from scipy.special import stdtrit

        spread = math.sqrt(self.squares / (self.count - 1) / self.count)
        half = float(stdtrit(self.count - 1, 0.5 + confidence / 2)) * spread
        return Answer(self.mean, self.mean - half, self.mean + half)


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
        limit = math.log((1 - self.error) / self.error)
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
