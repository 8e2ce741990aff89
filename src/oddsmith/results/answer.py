"""Answer: a number and how well it is known.

It is an exact fraction, an interval that contains the truth, a confidence interval, or a plain
float.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from oddsmith.errors import OptionError
from oddsmith.results import digits as _digits
from oddsmith.results import gate
from oddsmith.results.digits import PLAIN, NumberFormat

ROOT_BITS = 128
"""Bits to which a square root is computed before it is made a float."""


@dataclass(frozen=True)
class Answer:
    """A number and what is known of it.

    >>> third = Answer.of_fraction(Fraction(1, 3))
    >>> third.exact, third.lower < third.exact < third.upper
    (Fraction(1, 3), True)
    >>> print(Answer(0.5, 0.375, 0.625))
    0.50 ± 0.13
    """

    value: float
    lower: float | None = None
    upper: float | None = None
    exact: Fraction | None = None
    approximate: bool = False
    """Whether the bounds, if any, hold with about the confidence that is said, not surely so."""

    def __post_init__(self) -> None:
        gate.number(self)

    @classmethod
    def of_fraction(cls, exact: Fraction) -> Answer:
        """An exact answer; the bounds are the floats around it."""
        value = _to_float(exact)
        if math.isinf(value):
            return cls(value, math.copysign(sys.float_info.max, value), value, exact)
        below, above = math.nextafter(value, -math.inf), math.nextafter(value, math.inf)
        same = Fraction(value) == exact
        return cls(value, value if same else below, value if same else above, exact)

    @classmethod
    def within(cls, value: float, error: float, low: float = 0.0, high: float = math.inf) -> Answer:
        """A certified answer: the truth is within `error` of the value, and in [low, high]."""
        lower = max(low, math.nextafter(value - error, -math.inf))
        upper = min(high, math.nextafter(value + error, math.inf))
        return cls(min(max(value, lower), upper), lower, upper)

    @classmethod
    def between(cls, value: float, lower: Fraction, upper: Fraction) -> Answer:
        """A certified answer whose bounds are known exactly: floats on the safe side of them.

        >>> Answer.between(0.3, Fraction(1, 4), Fraction(1, 3))
        Answer(value=0.3, lower=0.25, upper=0.33333333333333337, exact=None, approximate=False)
        """
        below, above = _to_float(lower), _to_float(upper)
        below = below if below <= lower else math.nextafter(below, -math.inf)
        above = above if above >= upper else math.nextafter(above, math.inf)
        return cls(min(max(value, below), above), below, above)

    @classmethod
    def root_of(cls, square: Fraction) -> Answer:
        """The square root of a fraction: a fraction where it is one, else floats around it.

        >>> print(Answer.root_of(Fraction(16, 9)), Answer.root_of(Fraction(2)))
        4/3 1.414213562373095 ± 4.5e-16
        """
        exact = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
        if exact * exact == square:
            return cls.of_fraction(exact)
        size = square.numerator.bit_length() - square.denominator.bit_length()
        bits = max(0, ROOT_BITS - size // 2)
        below = math.isqrt((square.numerator << 2 * bits) // square.denominator)
        near = Fraction(below, 1 << bits)
        return cls.between(_to_float(near), near, Fraction(below + 1, 1 << bits))

    @classmethod
    def infinite(cls) -> Answer:
        """An answer that is known to be infinite: by the graph, not by a large number."""
        return cls(math.inf, math.inf, math.inf)

    def tightened(self, lower: float, upper: float) -> Answer:
        """The answer with bounds on the same number that are known from elsewhere as well.

        >>> Answer(0.5, 0.375, 0.625).tightened(0.25, 0.5625).upper
        0.5625
        """
        assert self.lower is not None
        assert self.upper is not None
        gate.agree((self.lower, self.upper), (lower, upper))
        low, high = max(lower, self.lower), min(upper, self.upper)
        value = self.value if low <= self.value <= high else (low + high) / 2
        return Answer(value, low, high)

    @property
    def error(self) -> float | None:
        """How far the truth can be from the value."""
        if self.exact is not None:
            return 0.0
        if self.lower is None or self.upper is None:
            return None
        if self.lower == self.upper:  # also where both are infinite
            return 0.0
        return max(self.upper - self.value, self.value - self.lower)

    def decimal(self, digits: int) -> str:
        """An exact answer to so many digits after the point, rounded to the nearest.

        >>> Answer.of_fraction(Fraction(16, 27)).decimal(30)
        '0.592592592592592592592592592593'
        """
        return _digits.decimal(self._fraction(), digits)

    def continued_fraction(self, terms: int | None = None) -> list[int]:
        """The terms of an exact answer as a continued fraction: all, or the first few.

        >>> Answer.of_fraction(Fraction(16, 27)).continued_fraction()
        [0, 1, 1, 2, 5]
        """
        return _digits.continued_fraction(self._fraction(), terms)

    def convergents(self, terms: int | None = None) -> list[Fraction]:
        """Fractions with small denominators that come nearest to an exact answer.

        >>> [str(near) for near in Answer.of_fraction(Fraction(16, 27)).convergents()]
        ['0', '1', '1/2', '3/5', '16/27']
        """
        return list(_digits.convergents(self.continued_fraction(terms)))

    def _fraction(self) -> Fraction:
        if self.exact is None:
            raise OptionError(f"{self} is not known exactly: ask for method='exact' (--exact).")
        return self.exact

    def to_dict(self, number_format: NumberFormat = PLAIN) -> dict[str, Any]:
        """The answer as JSON has it: a fraction is the text p/q, and what the format asks for.

        JSON has no infinity: it is the text "inf".

        >>> Answer.infinite().to_dict()["value"]
        'inf'
        """
        exact = None if self.exact is None else _digits.in_full(self.exact)
        bounds = {"value": self.value, "lower": self.lower, "upper": self.upper}
        data: dict[str, Any] = {name: in_json(number) for name, number in bounds.items()}
        data |= {"exact": exact}
        data |= {"approximate": True} if self.approximate else {}
        return data | ({} if self.exact is None else number_format.entries(self.exact))

    def __str__(self) -> str:
        return self.text()

    def text(self, number_format: NumberFormat = PLAIN) -> str:
        """The answer for people, with its error; an exact one as the format has it."""
        if self.exact is not None:
            return number_format(self.exact)
        if self.approximate:
            return f"about {replace(self, approximate=False)}"
        if not self.error or math.isinf(self.value):
            return f"{self.value:.12g}"
        if math.isinf(self.error):
            return f"at least {self.lower!r}"
        digits = max(0, 1 - math.floor(math.log10(self.error)))
        first = -math.floor(math.log10(abs(self.value))) if self.value else digits
        if digits > 15 and first > 4:  # a very small number, known well
            value = f"{self.value:.{max(0, min(15, digits - first))}e}"
        else:
            value = f"{self.value:.{min(14 + max(first, 1), digits)}f}"
        return f"{value} ± {round_up(self.error + abs(float(value) - self.value))}"


def in_json(number: float | None) -> float | str | None:
    """A number as JSON can have it: infinity is a text, and what is no number is null."""
    if number is None or math.isnan(number):
        return None
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return number


def round_up(error: float) -> str:
    """An error with two digits, never less than it is.

    >>> round_up(0.125), round_up(3.14e-7), round_up(0.996)
    ('0.13', '3.2e-07', '1')
    """
    error = max(error, 1e-300)  # the least floats have no two digits
    exponent = math.floor(math.log10(error)) - 1
    digits = math.ceil(error / 10.0**exponent * (1 + 1e-12))
    return f"{float(f'{digits}e{exponent}'):.2g}"


def _to_float(exact: Fraction) -> float:
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return math.inf if exact > 0 else -math.inf
