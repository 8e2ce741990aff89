"""Numerals: numbers as text and back, exactly.

`0.1` is one tenth and `1/3` a third; a float is written with as few digits as tell it from every
other float, at most 17.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from oddsmith.model.process import Amounts

_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?")
_FRACTION = re.compile(r"[+-]?\d+/\d+")
LONGEST = 600
"""Characters of the longest numeral that is read."""
LARGEST_EXPONENT = 400


def decimal(value: float) -> str:
    """A number in decimals, as short as it can be: `1`, `0.5`, `1e-20`."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def fraction_text(value: Fraction) -> str:
    """A fraction: `1`, `1/36`."""
    return str(value)


def texts(amounts: Amounts, fractions: bool) -> list[str]:
    """The numbers of a table as text: as fractions where they are known and wanted."""
    if fractions and amounts.exact is not None:
        return [fraction_text(value) for value in amounts.exact]
    return [decimal(float(value)) for value in amounts.values]


def parse(text: str) -> Fraction | None:
    """The number that a text is; None if it is none."""
    if len(text) > LONGEST or not text.isascii():
        return None
    if _FRACTION.fullmatch(text):
        top, bottom = text.split("/")
        return Fraction(int(top), int(bottom)) if int(bottom) else None
    if not _DECIMAL.fullmatch(text):
        return None
    _, _, exponent = text.lower().partition("e")
    if exponent and abs(int(exponent)) > LARGEST_EXPONENT:
        return None
    return Fraction(text)


class Table:
    """Numbers read from a file, each different text parsed once."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}
        self.exact: list[Fraction] = []
        self._number: dict[Fraction, int] = {}

    def __call__(self, text: str) -> int:
        """The place of the number in the table; -1 if the text is no number."""
        place = self._known.get(text)
        if place is None:
            value = parse(text)
            place = -1 if value is None else self.add(value)
            if place >= 0:
                self._known[text] = place
        return place

    def add(self, value: Fraction) -> int:
        """The place of a number in the table."""
        place = self._number.setdefault(value, len(self.exact))
        if place == len(self.exact):
            self.exact.append(value)
        return place


def amounts(index: npt.ArrayLike, exact: Sequence[Fraction]) -> Amounts:
    """Amounts from places in a table of fractions."""
    values = np.array([_float(value) for value in exact], np.float64)
    return Amounts(np.asarray(index, np.int32), values, list(exact))


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
