"""GeneratingFunction: all chances of a game's length as one fraction of two polynomials.

G(z) is the sum of P(length = k) z^k, and G(1) the chance to end at all. For a game with finitely
many states it is rational, N(z)/D(z) with whole-number coefficients. Everything about the length is
in it: G'(1) is the mean, G''(1) + G'(1) - G'(1)² the variance; D is a recurrence between the
chances; its root nearest to 0 says how fast the tail thins out. Where G(1) < 1 some games never
end: mean and variance are infinite.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from oddsmith.results.answer import Answer
from oddsmith.results.digits import PLAIN, NumberFormat, written

LONGEST = 160
"""Letters of a polynomial that is printed."""


@dataclass(frozen=True)
class GeneratingFunction:
    """N(z)/D(z) in lowest terms, D(0) > 0; coefficients from the constant one on.

    >>> toss = GeneratingFunction((0, 1), (2, -1), rate=0.5)  # z/(2 - z): until the first heads
    >>> print(toss)
    z / (2 - z)
    >>> print(toss.mean, toss.variance, [str(p) for p in toss.chances(3)])
    2 2 ['0', '1/2', '1/4', '1/8']
    """

    numerator: tuple[int, ...]
    denominator: tuple[int, ...]
    rate: float
    """What the chance to last longer is multiplied by for one more move, in the long run: one over
    the absolute value of the root of D that is nearest to 0. A float."""

    @property
    def ends(self) -> Fraction:
        """The chance to end at all, G(1)."""
        return Fraction(sum(self.numerator), sum(self.denominator))

    @property
    def mean(self) -> Fraction | float:
        """The expected length, G'(1); infinite if games may never end."""
        return self._moments[0] if self.ends == 1 else math.inf

    @property
    def variance(self) -> Fraction | float:
        """The variance of the length; infinite if games may never end."""
        mean, second = self._moments
        return second + mean - mean * mean if self.ends == 1 else math.inf

    @cached_property
    def _moments(self) -> tuple[Fraction, Fraction]:
        """G'(1) and G''(1), by the quotient rule applied to N = G D."""
        n, d = self.numerator, self.denominator
        d0, d1, d2 = (_derivative_at_1(d, order) for order in range(3))
        n1, n2 = (_derivative_at_1(n, order) for order in (1, 2))
        first = Fraction(n1 - d1, d0)  # where G(1) = 1
        return first, (n2 - 2 * d1 * first - d2) / d0

    @property
    def order(self) -> int:
        """How many chances before it determine a chance, by the recurrence."""
        return len(self.denominator) - 1

    @property
    def longest(self) -> int | None:
        """The length of the longest game, if games cannot be longer; else None."""
        return None if self.order else len(self.numerator) - 1

    def chances(self, longest: int) -> list[Fraction]:
        """The chances of lengths 0 to `longest`, by the recurrence."""
        chances: list[Fraction] = []
        for k in range(longest + 1):
            coefficient = self.numerator[k] if k < len(self.numerator) else 0
            back = range(1, min(k, self.order) + 1)
            past = sum((self.denominator[j] * chances[k - j] for j in back), Fraction(0))
            chances.append((coefficient - past) / self.denominator[0])
        return chances

    def fractions(self) -> Iterator[tuple[str, Fraction]]:
        """Moments and coefficients with their names, for a file."""
        for name, moment in (("mean", self.mean), ("variance", self.variance)):
            if isinstance(moment, Fraction):
                yield f"{name} of the length", moment
        for name, polynomial in (("N", self.numerator), ("D", self.denominator)):
            for power, coefficient in enumerate(polynomial):
                yield f"coefficient of z^{power} in {name}(z)", Fraction(coefficient)

    def to_dict(self, number_format: NumberFormat = PLAIN) -> dict[str, Any]:
        """As JSON has it: coefficients as text, they may have any number of digits."""
        return {
            "numerator": [written(c) for c in self.numerator],
            "denominator": [written(c) for c in self.denominator],
            "mean": _answer(self.mean).to_dict(number_format),
            "variance": _answer(self.variance).to_dict(number_format),
            "rate": self.rate,
        }

    def text(self) -> str:
        """The function, or its size where it is long, and what it says."""
        lines = ["G(z) = sum of P(length = k) z^k"]
        if self.is_long:
            lines[0] += (
                f" = N(z)/D(z), of degrees "
                f"{len(self.numerator) - 1:,} and {self.order:,}, with "
                f"coefficients of up to {self.most_digits:,} digits (--fractions FILE writes them)"
            )
        else:
            lines[0] += f"\n     = {self}"
        mean, variance = float(self.mean), float(self.variance)
        if self.ends < 1:
            lines.append(f"G(1) = {float(self.ends):.12g}: the other games never end")
        lines.append(f"mean {mean:.12g}, variance {variance:.12g}, deviation {variance**0.5:.12g}")
        if self.longest is not None:
            which = "no game" if self.ends == 1 else "no game that ends"
            lines.append(f"{which} is longer than {self.longest:,} moves")
        else:
            lines.append(
                f"each chance follows from the {self.order:,} before it; in the long run, the "
                f"chance to last longer falls by the factor {self.rate:.10g} a move"
            )
        return "\n".join(lines)

    def __str__(self) -> str:
        top, bottom = (polynomial_text(p) for p in (self.numerator, self.denominator))
        if not self.order and self.denominator[0] == 1:
            return top
        parts = [f"({text})" if " " in text else text for text in (top, bottom)]
        return " / ".join(parts)

    @property
    def most_digits(self) -> int:
        """Digits of the longest coefficient."""
        return max(len(written(abs(c))) for c in (*self.numerator, *self.denominator))

    @property
    def is_long(self) -> bool:
        """Whether it has more letters than are printed."""
        terms = len(self.numerator) + len(self.denominator)
        return terms > LONGEST or len(str(self)) > LONGEST


def _answer(moment: Fraction | float) -> Answer:
    return Answer.of_fraction(moment) if isinstance(moment, Fraction) else Answer.infinite()


def _derivative_at_1(polynomial: tuple[int, ...], order: int) -> int:
    """The value at 1 of a polynomial, or of its first or second derivative."""
    falling = (lambda k: 1, lambda k: k, lambda k: k * (k - 1))[order]
    return sum(falling(k) * c for k, c in enumerate(polynomial))


def polynomial_text(coefficients: tuple[int, ...]) -> str:
    """A polynomial in z as people write it, the lowest power first.

    >>> polynomial_text((0, 2, -1, 0, 1)), polynomial_text((0,))
    ('2z - z^2 + z^4', '0')
    """
    text = ""
    for power, coefficient in enumerate(coefficients):
        if not coefficient:
            continue
        variable = {0: "", 1: "z"}.get(power, f"z^{power}")
        size = written(abs(coefficient))
        shown = variable if size == "1" and variable else size + variable
        sign = "-" if coefficient < 0 else "+"
        text += f" {sign} {shown}" if text else shown if sign == "+" else f"-{shown}"
    return text or "0"
