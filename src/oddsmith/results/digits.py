"""A fraction in digits: in full, in short, as a decimal, as a continued fraction.

Everything here is whole-number arithmetic, so every digit is right. Numbers with thousands of
digits are FLINT's, which multiplies, divides and writes them in almost linear time; Python's own
are quadratic, and stop at some thousands of digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from math import inf, isqrt, ulp
from typing import Any, cast

from oddsmith.errors import OptionError

FLINT_BITS = 10_000
"""Bits from which numbers are FLINT's: it writes these in a seventh of Python's time, 2,000 bits
in the same."""

SHORT = 64
"""Letters that a fraction may take on the screen."""

SHOWN_TERMS = 12
"""Terms of a continued fraction on the screen."""


def written(whole: int) -> str:
    """A whole number's digits, however many: Python itself stops at some thousands.

    >>> written(-12), len(written(10**9999))
    ('-12', 10000)
    """
    return str(large(whole))


def large(whole: int) -> Any:
    """The same number, as FLINT's if it is large."""
    if whole.bit_length() < FLINT_BITS:
        return whole
    from flint import fmpz

    return fmpz(whole)


def in_lowest_terms(numerator: int, denominator: int) -> Fraction:
    """A fraction whose parts are known to have no common factor: Python would look for one.

    >>> in_lowest_terms(16, 27)
    Fraction(16, 27)
    """
    kind: Any = Fraction
    if hasattr(kind, "_from_coprime_ints"):  # Python 3.12 and later
        return cast(Fraction, kind._from_coprime_ints(numerator, denominator))
    return cast(Fraction, kind(numerator, denominator, _normalize=False))


def nonzero_float(number: Fraction | float) -> float:
    """The float nearest to a number; only nought itself becomes 0, and the sign is kept.

    >>> nonzero_float(Fraction(1, 4)), nonzero_float(Fraction(-1, 10**400)), nonzero_float(0.0)
    (0.25, -5e-324, 0.0)
    """
    nearest = float(number)
    if nearest == 0.0 and number:
        return ulp(0.0) if number > 0 else -ulp(0.0)
    return nearest


def average(fractions: Sequence[Fraction]) -> Fraction:
    """The mean of some fractions, also of long ones.

    >>> average([Fraction(1, 2), Fraction(1, 3)])
    Fraction(5, 12)
    """
    from flint import fmpq

    total = sum((fmpq(each.numerator, each.denominator) for each in fractions), fmpq(0))
    mean = total / len(fractions)
    return in_lowest_terms(int(mean.p), int(mean.q))


def in_full(exact: Fraction) -> str:
    """A fraction as p/q, also where q is 1: one rule for whoever reads it.

    >>> in_full(Fraction(16, 27)), in_full(Fraction(3))
    ('16/27', '3/1')
    """
    return f"{written(exact.numerator)}/{written(exact.denominator)}"


def read_fraction(text: str) -> Fraction:
    """The fraction that `in_full` has written, or a whole number.

    >>> read_fraction("16/27"), read_fraction("3")
    (Fraction(16, 27), Fraction(3, 1))
    """
    from flint import fmpz

    top, _, bottom = text.partition("/")
    numerator, denominator = fmpz(top.strip()), fmpz(bottom.strip() or "1")
    if denominator == 0:
        raise ValueError(f"{text} divides by zero")
    common = numerator.gcd(denominator) * (1 if denominator > 0 else -1)
    return in_lowest_terms(int(numerator // common), int(denominator // common))


def short_fraction(exact: Fraction, limit: int = SHORT) -> str:
    """A fraction, or the number of its digits when it is too long to print.

    >>> short_fraction(Fraction(16, 27)), short_fraction(Fraction(2**300, 3**200))
    ('16/27', '0.00000766915923726600… (91 digits / 96 digits)')
    """
    top, bottom = written(abs(exact.numerator)), written(exact.denominator)
    text = ("-" if exact < 0 else "") + (top if bottom == "1" else f"{top}/{bottom}")
    if len(text) <= limit:
        return text
    return f"{_first_digits(exact)}… ({len(top)} digits / {len(bottom)} digits)"


def _first_digits(exact: Fraction, count: int = 15) -> str:
    """The first digits that are not zero, cut off: what follows them is left out, not rounded."""
    size = abs(exact)
    if size >= 1:
        zeros = 1 - len(written(size.numerator // size.denominator))
    else:
        zeros = len(written(size.denominator // size.numerator)) - 1 if size else 0
    if zeros > 30:  # so small that its size is what there is to say
        scaled = _quotient(size.numerator * 10 ** (zeros + count), size.denominator)
        digits, power = str(scaled), len(str(scaled)) - zeros - count - 1
        return ("-" if exact < 0 else "") + f"{digits[0]}.{digits[1:count]}e{power}"
    places = max(0, zeros + count)
    text = _pointed(_quotient(size.numerator * 10**places, size.denominator), places)
    return ("-" if exact < 0 else "") + text


def _quotient(top: int, bottom: int) -> Any:
    return large(top) // large(bottom)


def _pointed(scaled: Any, places: int) -> str:
    """A whole number of 10^-places, with its point."""
    digits = str(scaled).rjust(places + 1, "0")
    return digits if places == 0 else f"{digits[:-places]}.{digits[-places:]}"


def decimal(exact: Fraction, digits: int) -> str:
    """A fraction to so many digits after the point, rounded to the nearest, a tie to even.

    >>> decimal(Fraction(16, 27), 10), decimal(Fraction(-1, 8), 2), decimal(Fraction(5, 2), 0)
    ('0.5925925926', '-0.12', '2')
    """
    if digits < 0:
        raise OptionError(f"A decimal has 0 digits after the point or more, not {digits}.")
    top, bottom = large(abs(exact.numerator)), large(exact.denominator)
    scaled, rest = divmod(top * large(10**digits), bottom)
    if 2 * rest > bottom or (2 * rest == bottom and scaled % 2 == 1):
        scaled += 1
    sign = "-" if exact < 0 and scaled else ""
    return sign + _pointed(scaled, digits)


def root_decimal(square: Fraction, digits: int) -> str:
    """The square root of a fraction, no fraction itself, to so many digits after the point.

    >>> root_decimal(Fraction(2), 20), root_decimal(Fraction(1, 2), 3)
    ('1.41421356237309504880', '0.707')
    """
    twice = isqrt(4 * 10 ** (2 * digits) * square.numerator // square.denominator)
    return _pointed((twice + 1) // 2, digits)


def continued_fraction(exact: Fraction, terms: int | None = None) -> list[int]:
    """The terms a of a0 + 1/(a1 + 1/(a2 + …)), all of them or the first few.

    They are the quotients of Euclid's algorithm. The last of all is above 1, but for a0.

    >>> continued_fraction(Fraction(415, 93)), continued_fraction(Fraction(-7, 3))
    ([4, 2, 6, 7], [-3, 1, 2])
    >>> continued_fraction(Fraction(415, 93), terms=2)
    [4, 2]
    """
    if terms is not None and terms < 1:
        raise OptionError(f"A continued fraction has 1 term or more, not {terms}.")
    most = inf if terms is None else terms
    first, rest = divmod(large(exact.numerator), large(exact.denominator))
    quotients = [first]
    if rest:
        quotients += _quotients(large(exact.denominator), rest, most - 1, 0)[0]
    return [int(a) for a in quotients[: None if terms is None else terms]]


def _quotients(a: Any, b: Any, most: float, enough: int) -> tuple[list[Any], Any, Any]:
    """Quotients of Euclid's algorithm on a > b ≥ 0 until b has at most `enough` bits.

    Large numbers are divided by halves (Lehmer's idea, applied to itself as in the half-gcd): the
    quotients of the leading halves are those of the whole, but for the last few. Which they are is
    not estimated. Let M be the product of [[q, 1], [1, 0]] over the quotients kept. If the rest
    M⁻¹ (a, b) = (a', b') has a' > b' ≥ 0, then a/b is the continued fraction of those quotients
    with a'/b' > 1 behind them, and there is only one such: they are right. Else one is put back.
    """
    quotients: list[Any] = []
    while b and b.bit_length() > enough and len(quotients) < most:
        size = a.bit_length()
        if size >= FLINT_BITS and size - b.bit_length() < size // 8:
            cut = min(max(enough, size // 2), size - 64)
            half, *_ = _quotients(a >> cut, b >> cut, most - len(quotients), (size - cut) // 2)
            kept, a, b = _taken(a, b, half)
            quotients += kept
        if b and b.bit_length() > enough and len(quotients) < most:
            quotient, rest = divmod(a, b)
            quotients.append(quotient)
            a, b = b, rest
    return quotients, a, b


def _taken(a: Any, b: Any, quotients: list[Any]) -> tuple[list[Any], Any, Any]:
    """As many of the quotients as are right for a/b, and what they leave of a and b."""
    kept = list(quotients)
    p, q, r, s = _product(kept)  # (a, b) = ((p, q), (r, s)) (a', b')
    while kept:
        sign = -1 if len(kept) % 2 else 1
        left, rest = sign * (s * a - q * b), sign * (p * b - r * a)
        if left > rest >= 0:
            return kept, left, rest
        last = kept.pop()  # ((p, q), (r, s)) = before · ((last, 1), (1, 0))
        p, q, r, s = q, p - last * q, s, r - last * s
    return [], a, b


def _product(quotients: list[Any]) -> tuple[Any, Any, Any, Any]:
    """The product of [[q, 1], [1, 0]] over all quotients, by halves."""
    if len(quotients) > 16:
        middle = len(quotients) // 2
        p, q, r, s = _product(quotients[:middle])
        t, u, v, w = _product(quotients[middle:])
        return p * t + q * v, p * u + q * w, r * t + s * v, r * u + s * w
    from flint import fmpz

    p, q, r, s = fmpz(1), fmpz(0), fmpz(0), fmpz(1)
    for quotient in quotients:
        p, q, r, s = p * quotient + q, p, r * quotient + s, r
    return p, q, r, s


def convergents(terms: Iterable[int]) -> Iterator[Fraction]:
    """The fractions that a continued fraction stands for when it is cut off, each nearer than
    any other fraction with a denominator as small.

    >>> [str(x) for x in convergents([3, 7, 15, 1])]
    ['3', '22/7', '333/106', '355/113']
    """
    before, top, under, bottom = 0, 1, 1, 0
    for term in terms:
        before, top = top, term * top + before
        under, bottom = bottom, term * bottom + under
        yield in_lowest_terms(top, bottom)


def continued_text(exact: Fraction, terms: int = SHOWN_TERMS) -> str:
    """The first terms as mathematicians write them.

    >>> continued_text(Fraction(415, 93)), continued_text(Fraction(415, 93), terms=2)
    ('[4; 2, 6, 7]', '[4; 2, …]')
    """
    first, *rest = continued_fraction(exact, terms + 1)
    shown = [written(term) for term in rest[: terms - 1]]
    if len(rest) >= terms:
        shown.append("…")
    return f"[{written(first)}" + (f"; {', '.join(shown)}]" if shown else "]")


def option(says: str, default: Any = None, **more: str) -> Any:
    """A field of `NumberFormat` that is a format: the option of commands that asks for it."""
    return field(default=default, metadata={"help": says, **more})


@dataclass(frozen=True)
class NumberFormat:
    """How exact answers are to be written: a decimal, a continued fraction, else a fraction.

    >>> print(NumberFormat()(Fraction(16, 27)), NumberFormat(digits=6)(Fraction(16, 27)))
    16/27 0.592593
    >>> print(NumberFormat(continued=True)(Fraction(16, 27)))
    [0; 1, 1, 2, 5]
    """

    digits: int | None = option("Exact answers to N digits after the point, rounded.", metavar="N")
    """Digits after the point of a decimal."""
    continued: bool = option("Exact answers as continued fractions.", False)
    file: str | None = None
    """Where the fractions have been written in full."""
    limit: int = SHORT
    """Letters that a fraction may take before it is shortened."""

    @property
    def chosen(self) -> list[str]:
        """The formats that were asked for: none, and fractions are written as they are."""
        return [one.name for one in FORMATS if getattr(self, one.name) != one.default]

    def __call__(self, exact: Fraction) -> str:
        """A fraction as it is to be written."""
        if self.digits is not None:
            return decimal(exact, self.digits)
        return continued_text(exact) if self.continued else short_fraction(exact, self.limit)

    @property
    def alone(self) -> bool:
        """Whether a number so written stands for its value: no float is shown beside it."""
        return self.digits is not None

    @property
    def note(self) -> str:
        """What is said below exact answers, if there is more to say than that they are exact."""
        if self.file is not None:
            return f"exact fractions, in full in {self.file}"
        return "exact, rounded to the nearest decimal, a tie to even" if self.alone else ""

    @property
    def name(self) -> str:
        """What a column of such numbers is called."""
        if self.digits is not None:
            return f"to {self.digits} digits"
        return "continued fraction" if self.continued else "exact"

    def root(self, square: Fraction) -> str:
        """The square root of a fraction, no fraction itself.

        >>> NumberFormat().root(Fraction(16, 3)), NumberFormat(digits=6).root(Fraction(16, 3))
        ('√(16/3)', '2.309401')
        """
        if self.digits is not None:
            return root_decimal(square, self.digits)
        text = short_fraction(square, self.limit)
        return "its root" if "…" in text else f"√({text})"

    def root_entries(self, square: Fraction) -> dict[str, str]:
        """What JSON has of the root of a fraction, besides its bounds."""
        return {"decimal": self.root(square)} if self.alone else {}

    def entries(self, exact: Fraction) -> dict[str, str]:
        """What JSON has besides the fraction itself.

        >>> NumberFormat(digits=4).entries(Fraction(1, 3)), NumberFormat().entries(Fraction(1, 3))
        ({'decimal': '0.3333'}, {})
        """
        if self.digits is not None:
            return {"decimal": self(exact)}
        return {"continued_fraction": self(exact)} if self.continued else {}

    def shortens(self, exact: Fraction) -> bool:
        """Whether the fraction itself is not what is shown."""
        return not self.chosen and "…" in self(exact)


FORMATS = tuple(one for one in fields(NumberFormat) if one.metadata)
"""The formats besides fractions as they are."""

PLAIN = NumberFormat()
"""Fractions, shortened where they are long."""
