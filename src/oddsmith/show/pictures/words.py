"""How both renderers write: numbers at ticks, wrapped lines, words beside marks."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from oddsmith.show.pictures.spec import Format, Mark

SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

LETTER = 0.6
"""How wide a letter is on average, in heights of the font."""


def number(value: float, style: Format = "value", *, powers: bool = False) -> str:
    """A number as it is written at a tick; with `powers` as a power of ten, also if it is small.

    >>> number(1500), number(0.25, "percent"), number(-2e-6), number(1e9), number(10, powers=True)
    ('1,500', '25 %', '−2·10⁻⁶', '10⁹', '10¹')
    """
    if style == "percent":
        return f"{number(100 * value)} %"
    if value and (powers or not 1e-4 <= abs(value) < 1e7):
        digits, power = f"{value:.3e}".split("e")
        digits = digits.rstrip("0").rstrip(".").replace("-", "−")
        ten = "10" + str(int(power)).translate(SUPERSCRIPT)
        return ten if digits == "1" else f"{digits}·{ten}"
    text = f"{value:,.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text.replace("-", "−")


def width_of(text: str, points: float) -> float:
    """About how wide a text is, in inches."""
    return len(text) * LETTER * points / 72


def wrapped(text: str, inches: float, points: float) -> str:
    """A text in lines that are about so wide at most."""
    letters = max(int(inches * 72 / (LETTER * points)), 20)
    return "\n".join(line for part in text.split("\n") for line in textwrap.wrap(part, letters))


def mark_rows(marks: Sequence[Mark], shares: Sequence[float], inches: float) -> list[int]:
    """The row of each mark's word, so that words in a row do not run into each other.

    `shares` says where the marks are, from 0 to 1 along an axis that is so many inches long.
    """
    rows = [0] * len(marks)
    ends: list[float] = []
    for index in sorted(range(len(marks)), key=lambda i: shares[i]):
        wide = (width_of(marks[index].text, 8) + 0.12) / inches
        start = shares[index] - (wide if turned(shares[index]) else 0.0)
        row = next((r for r, end in enumerate(ends) if end <= start), len(ends))
        ends[row : row + 1] = [start + wide]
        rows[index] = row
    return rows


def turned(share: float) -> bool:
    """Whether a word at such a place stands before its mark, as there is no room after it."""
    return share > 0.7
