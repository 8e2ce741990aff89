"""How long play lasts, as parts of a result.

A distribution has no negative chance and sums to one within what is unresolved; quantiles rise with
their levels and are where the sums reach them. A variance is not negative, its deviation is its
root, and no distribution spreads more than it says. What a generating function says of mean and
variance is what they are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from oddsmith.results.answer import Answer, in_json
from oddsmith.results.digits import NumberFormat, in_full
from oddsmith.results.distribution import (
    ExactDistribution,
    Quantile,
    quantile_in_json,
    quantile_text,
)
from oddsmith.results.gate import SLACK, Reason, less
from oddsmith.results.part import Number, Part
from oddsmith.results.table import HEAD, NARROW, Block, exact_names

if TYPE_CHECKING:
    from oddsmith.results.generating import GeneratingFunction  # noqa: F401 (it is named in text)
    from oddsmith.results.result import Result

Chances = Sequence[tuple[int, float]]


@dataclass(frozen=True)
class Moments:
    """What is known of a sum of gains over a play."""

    mean: Answer
    variance: Answer | None = None
    """None where the mean is infinite."""
    deviation: Answer | None = None

    def parts(self) -> dict[str, Any]:
        """They as parts of a result about a length."""
        return {"duration": self.mean, "variance": self.variance, "deviation": self.deviation}


class Deviation(Number):
    """The root of the variance; of a fraction it is mostly none, and is shown as a root."""

    def cells(self, answer: Answer, number_format: NumberFormat, bounds: int) -> list[str]:
        square = self._square
        if square is None:
            return super().cells(answer, number_format, bounds)
        shown = number_format.root(square)
        return [shown] if number_format.alone else [f"{answer.value:.15g}", shown]

    def to_dict(self, number_format: NumberFormat) -> dict[str, Any]:
        more = {} if self._square is None else number_format.root_entries(self._square)
        return {self.name: self.value.to_dict(number_format) | more}

    @property
    def _square(self) -> Fraction | None:
        """The variance, if it is a fraction whose root is none."""
        variance = self.result.variance
        return None if variance is None or self.value.exact is not None else variance.exact


class Quantiles(Part[dict[float, Quantile]]):
    """The lengths that shares of games do not exceed."""

    empty = dict

    def blocks(self, number_format: NumberFormat) -> list[Block]:
        levels = [[f"{level:.0%} of games", quantile_text(at)] for level, at in self.value.items()]
        moves = "moves, of those played" if self.result.method == "estimate" else "moves"
        return [(["last at most", moves], levels)]

    def to_dict(self, number_format: NumberFormat) -> dict[str, Any]:
        return {}  # they stand with the distribution


class Distribution(Part[Chances]):
    """The chance of each length in floats, and what JSON says with it."""

    empty = tuple

    def to_dict(self, number_format: NumberFormat) -> dict[str, Any]:
        result, levels = self.result, self.result.quantiles.items()
        return {
            "mean": None if result.duration is None else in_json(result.duration.value),
            "quantiles": {str(level): quantile_in_json(at) for level, at in levels},
            self.name: [[length, chance] for length, chance in self.value],
            "unresolved": result.unresolved,
        }

    def frame(self, pandas: Any) -> Any:
        columns = ["length", "probability"]
        return None if self.result.win else pandas.DataFrame(self.value, columns=columns)

    def wrong(self) -> Reason:
        import numpy as np

        result, (lengths, parts) = self.result, _columns(self.value)
        near, sums = SLACK + result.off, np.cumsum(np.concatenate([[0.0], parts]))
        beyond = (result.unresolved or 0.0) + sums[-1]
        never = 0.0 if result.endless is None else result.endless.upper or result.endless.value
        if (lengths[:-1] >= lengths[1:]).any():
            return "lengths are not in order"
        if not (parts.min() >= -near and parts.max() <= 1 + near):
            return "a length has a chance that is none"
        if not (sums[-1] <= 1 + near and (beyond + never >= 1 - near or result.interrupted)):
            return f"chances of lengths sum to {sums[-1]}, and {beyond - sums[-1]} is left"
        for level, at in result.quantiles.items():
            low, high = (at, at) if isinstance(at, int | float) else (at.low, at.high)
            before = sums[lengths.searchsorted(low)]
            then = sums[lengths.searchsorted(high, side="right")]
            wrong = before > level + near or not 0 <= low <= high
            if math.isfinite(high):
                wrong = wrong or (then if high <= lengths[-1] else beyond) < level - near
            if wrong:
                return f"{level:.0%} of games last at most {at}: the distribution says otherwise"
        return None


class Fractions(Part[ExactDistribution]):
    """The chances of the first lengths as fractions."""

    def blocks(self, number_format: NumberFormat) -> list[Block]:
        value, narrow = self.value, replace(number_format, limit=NARROW)
        rows = [
            [f"{at:,}", *_fraction_cells(chance, narrow), *_fraction_cells(reached, narrow)]
            for (at, chance), (_, reached) in islice(
                zip(value.chances, value.cumulative, strict=True), HEAD
            )
        ]
        exact = exact_names(number_format)
        columns = ["chance", *exact, "at most", *exact]
        if len(value) > HEAD:
            rows.append([f"… {len(value) - HEAD:,} more", *[""] * len(columns)])
        beyond = _fraction_cells(value.left, narrow)
        rows.append([f"longer than {value.horizon:,}", *beyond, *[""] * len(beyond)])
        return [(["length", *columns], rows)]

    def to_dict(self, number_format: NumberFormat) -> dict[str, Any]:
        def entries(exact: Fraction) -> dict[str, str]:
            return {"exact": in_full(exact)} | number_format.entries(exact)

        return {
            self.name: [{"length": at} | entries(chance) for at, chance in self.value.chances],
            "horizon": self.value.horizon,
            "left": entries(self.value.left),
        }

    def fractions(self) -> list[tuple[str, Fraction]]:
        lengths = [(f"length {at}", chance) for at, chance in self.value.chances]
        return [*lengths, (f"longer than {self.value.horizon}", self.value.left)]

    def frame(self, pandas: Any) -> Any:
        lines = [(at, float(chance), in_full(chance)) for at, chance in self.value.chances]
        return pandas.DataFrame(lines, columns=["length", "probability", "exact"])

    def wrong(self) -> Reason:
        possible = all(x >= 0 for _, x in self.value.chances) and 0 <= self.value.left <= 1
        return None if possible else "the distribution in fractions is none"


class Generating(Part["GeneratingFunction"]):
    """All lengths as one fraction of polynomials."""

    def blocks(self, number_format: NumberFormat) -> list[Block]:
        return [self.value.text()]

    def fractions(self) -> list[tuple[str, Fraction]]:
        return list(self.value.fractions())

    def wrong(self) -> Reason:
        mean, variance = self.result.duration, self.result.variance
        if mean is not None and mean.exact not in (None, self.value.mean):
            return "the expected length is not that of its generating function"
        if variance is not None and variance.exact not in (None, self.value.variance):
            return "the variance is not that of its generating function"
        return None


def spread(result: Result) -> Reason:
    """What is wrong with a variance beside its root, the mean and the distribution."""
    mean, variance, deviation = result.duration, result.variance, result.deviation
    if variance is None or deviation is None:
        return None
    if mean is None or not math.isfinite(mean.value):
        return "there is a variance, and no finite length"
    low, high = (_ends(deviation), _ends(variance))
    if less(_square(low[1]), high[0]) or less(high[1], _square(low[0])):
        return f"the standard deviation {deviation} is not the root of the variance {variance}"
    if result.method in ("estimate", "float"):  # without bounds nothing is excluded
        return None
    # About any number lengths have at least this mean square, and what is unresolved adds to it.
    lengths, parts = _columns(result.distribution)
    least = float(((lengths - mean.value) ** 2 * parts).sum())
    wide = (float(lengths.max(initial=0.0)) + mean.value) ** 2
    near = SLACK * (1 + least) + 2 * result.off * wide + ((mean.error or 0.0) + 1e-6) ** 2
    if less(high[1], least - near):
        return f"the variance is {variance}, and the distribution has at least {least}"
    if result.unresolved == 0 and less(least + near, high[0]):
        return f"the variance is {variance}, and the distribution has {least}"
    return None


def _columns(distribution: Chances) -> tuple[Any, Any]:
    """The lengths of a distribution, and their chances."""
    import numpy as np

    size = len(distribution)
    lengths = np.fromiter(map(itemgetter(0), distribution), np.float64, size)
    return lengths, np.fromiter(map(itemgetter(1), distribution), np.float64, size)


def _ends(one: Answer) -> tuple[Any, Any]:
    """The bounds of an answer, or roughly where it is."""
    if one.exact is not None:
        return one.exact, one.exact
    if one.lower is None or one.upper is None:
        near = SLACK * max(1.0, abs(one.value))
        return max(0.0, one.value - near), one.value + near
    return one.lower, one.upper


def _square(number: Any) -> Any:
    return number if number == math.inf else Fraction(number) ** 2


def _fraction_cells(exact: Fraction, number_format: NumberFormat) -> list[str]:
    if number_format.alone:
        return [number_format(exact)]
    shown = number_format(exact)
    return [f"{float(exact):.6g}", "" if number_format.shortens(exact) else shown]
