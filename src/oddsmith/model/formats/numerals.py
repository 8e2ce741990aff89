"""Numerals: numbers as text and back, exactly.

`0.1` is one tenth and `1/3` a third; a float is written with as few digits as tell it from every
other float, at most 17. A fraction that has to be a decimal is written exactly where it ends within
`MOST_PLACES`, and otherwise as its float: `rounded` names one, so that whoever writes can say so.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from oddsmith.errors import LimitError
from oddsmith.model.amounts import Amounts

_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?")
_FRACTION = re.compile(r"[+-]?\d+/\d+")
MOST_DIGITS = 4_000
"""Digits of the longest whole number that is written or read."""
MOST_PLACES = 40
"""Places of the longest decimal that is written where a float would be rounded."""
LARGEST_EXPONENT = MOST_DIGITS
SUSPECT = 6
"""A decimal with so many digits is likely to have been rounded."""
ROUNDED = (
    "The file has {}: they are taken as they stand, and exact answers are exact for them, not for "
    "what may have been rounded to them."
)


def decimal(value: float | Fraction) -> str:
    """A number in decimals: exact where that is short, or else as its float.

    >>> decimal(Fraction(1, 8)), decimal(Fraction(1, 3)), decimal(1e-20), decimal(5.0)
    ('0.125', '0.3333333333333333', '1e-20', '5')
    """
    if isinstance(value, float):
        return _shortest(value)
    try:
        text = _shortest(float(value))
    except OverflowError:
        text = "0"
    if Fraction(text) == value:
        return text
    places = max(_power(value.denominator, 2), _power(value.denominator, 5))
    scaled = value * 10**places
    if scaled.denominator == 1 and places <= MOST_PLACES:
        digits = f"{abs(scaled.numerator):0{places + 1}d}"
        sign = "-" if value < 0 else ""
        return f"{sign}{digits[: len(digits) - places]}.{digits[len(digits) - places :]}".rstrip(
            "."
        )
    if text == "0" or abs(value) < sys.float_info.min:  # where floats end, or lose digits
        check_digits(value)
        text = str(Context(prec=17).divide(Decimal(value.numerator), Decimal(value.denominator)))
    return text


def _shortest(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def _power(number: int, prime: int) -> int:
    """How often a prime divides a number."""
    count = 0
    while number % prime == 0 and count <= MOST_PLACES:
        number //= prime
        count += 1
    return count


def fraction_text(value: Fraction) -> str:
    """A fraction: `1`, `1/36`."""
    check_digits(value)
    return str(value)


def program_text(value: Fraction) -> str:
    """A fraction in PRISM source: whole numbers beyond 32 bits are written as doubles.

    PRISM's whole numbers end there and Storm's at 64 bits; doubles are exact in both where they
    compute exactly (`1.0/3000000000.0`).
    """
    parts = fraction_text(value).split("/")
    return "/".join(part if -(1 << 31) < int(part) < 1 << 31 else f"{part}.0" for part in parts)


def check_digits(value: Fraction) -> None:
    """Refuse to write what would not be read again."""
    longest = max(abs(value.numerator), value.denominator).bit_length()
    if longest > MOST_DIGITS * 3.3219:
        raise LimitError(
            f"The model has a fraction of some {int(longest / 3.3219):,} digits; files have no "
            f"more than {MOST_DIGITS:,}."
        )


def texts(amounts: Amounts, fractions: bool) -> list[str]:
    """The numbers of a table as text: as fractions where they are known and wanted."""
    if amounts.exact is None:
        return [decimal(float(value)) for value in amounts.values]
    return [fraction_text(value) if fractions else decimal(value) for value in amounts.exact]


def rounded(several: Iterable[Amounts | None]) -> Fraction | None:
    """A fraction that is no decimal of its text, if there is one."""
    for amounts in several:
        if amounts is not None and amounts.exact is not None:
            for place in np.unique(amounts.index).tolist():
                value: Fraction = amounts.exact[place]
                if Fraction(decimal(value)) != value:
                    return value
    return None


def rounding_notes(*tables: Table) -> tuple[str, ...]:
    """What is to be said about decimals that were read, and are taken at their word."""
    suspects = [table.suspect for table in tables if table.suspect]
    return tuple(ROUNDED.format(f"decimals such as {one[:24]}") for one in suspects[:1])


def parse(text: str) -> Fraction | None:
    """The number that a text is; None if it is none."""
    if len(text) > 2 * MOST_DIGITS + 2 or not text.isascii():
        return None
    if _FRACTION.fullmatch(text):
        top, bottom = text.split("/")
        if max(len(top), len(bottom)) > MOST_DIGITS + 1:
            return None
        return Fraction(int(top), int(bottom)) if int(bottom) else None
    if not _DECIMAL.fullmatch(text):
        return None
    mantissa, _, exponent = text.lower().partition("e")
    if len(mantissa) > MOST_DIGITS + 1:
        return None
    if exponent and abs(int(exponent)) > LARGEST_EXPONENT:
        return None
    return Fraction(text)


class Table:
    """Numbers read from a file, each different text parsed once."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}
        self.exact: list[Fraction] = []
        self._number: dict[Fraction, int] = {}
        self.suspect = ""
        """A decimal with so many digits that it is likely to have been rounded."""

    def __call__(self, text: str) -> int:
        """The place of the number in the table; -1 if the text is no number."""
        place = self._known.get(text)
        if place is None:
            value = parse(text)
            place = -1 if value is None else self.add(value)
            if value is not None and not self.suspect and is_long(text):
                halves = value.denominator & (value.denominator - 1) == 0  # nothing to round
                self.suspect = "" if halves else text
            if place >= 0:
                self._known[text] = place
        return place

    def add(self, value: Fraction) -> int:
        """The place of a number in the table."""
        place = self._number.setdefault(value, len(self.exact))
        if place == len(self.exact):
            self.exact.append(value)
        return place


def is_long(text: str) -> bool:
    """Whether a decimal has so many digits that it is likely to have been rounded."""
    mantissa = text.lower().partition("e")[0].replace(".", "").strip("+-").lstrip("0")
    return "/" not in text and len(mantissa) >= SUSPECT


def amounts(index: npt.ArrayLike, exact: Sequence[Fraction]) -> Amounts:
    """Amounts from places in a table of fractions."""
    values = np.array([_float(value) for value in exact], np.float64)
    return Amounts(np.asarray(index, np.int32), values, list(exact))


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
