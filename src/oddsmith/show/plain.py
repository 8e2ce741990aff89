"""Text for streams that cannot write it all: signs become what an old terminal has.

What is shown is written for people in Unicode; a stream may know ASCII only, or a page of Windows.
Of what it cannot write, letters lose their marks, lines of tables become - | and +, signs become
words of programmers (<=, +-, ...). JSON is escaped instead, which loses nothing.
"""

from __future__ import annotations

import codecs
import sys
import unicodedata
from io import TextIOWrapper

SIGNS = {
    "–": "-", "—": "-", "−": "-", "‑": "-", "…": "...", "×": "x", "·": "*", "•": "*", "÷": "/",
    "±": "+-", "≈": "~", "∼": "~", "≤": "<=", "≥": ">=", "≠": "!=", "∞": "inf", "√": "sqrt",
    "∈": "in", "∑": "sum", "Σ": "sum", "→": "->", "←": "<-", "↔": "<->", "⇒": "=>", "↦": "->",
    "∧": "&", "∨": "|", "¬": "!", "’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "«": '"',
    "»": '"', "ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "œ": "oe", "π": "pi",
    "ε": "eps", "λ": "lambda", "μ": "mu", "σ": "sigma", "φ": "phi", "ζ": "zeta", "½": "1/2",
    "⁄": "/", "✓": "ok", "✗": "x", "■": "#", "□": ".", "●": "*", "○": "o",
}  # fmt: skip


def plain(text: str) -> str:
    """A text in ASCII, as well as it can be said there.

    >>> plain("0.5 ± 1e-9 ≤ Müller’s ─┼─ █▌ x² 猫")
    "0.5 +- 1e-9 <= Muller's -+- ## x^2 ?"
    """
    return "".join(map(_plain, text))


def _plain(sign: str) -> str:
    if sign.isascii():
        return sign
    if sign in SIGNS:
        return SIGNS[sign]
    name = unicodedata.name(sign, "")
    if name.startswith("BOX DRAWINGS"):
        if name.endswith("HORIZONTAL") and "VERTICAL" not in name:
            return "-"
        return "|" if name.endswith("VERTICAL") and "HORIZONTAL" not in name else "+"
    if "BLOCK" in name or "SHADE" in name:
        return "#"
    parts = unicodedata.normalize("NFKD", sign)
    known = "".join(c if c.isascii() else SIGNS.get(c, "") for c in parts)
    if name.startswith("SUPERSCRIPT"):
        return f"^{known}"
    return known or ("" if unicodedata.combining(sign) else " " if sign.isspace() else "?")


def _signs(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return plain(error.object[error.start : error.end]), error.end


def _escapes(error: UnicodeError) -> tuple[str, int]:
    """JSON's own way to write any character, beyond 16 bits as two halves."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    halves = (units[i : i + 2].hex() for i in range(0, len(units), 2))
    return "".join(f"\\u{half}" for half in halves), error.end


codecs.register_error("oddsmith.signs", _signs)
codecs.register_error("oddsmith.json", _escapes)


def forgiving(json: bool = False) -> None:
    """Let nothing that is printed, or typed, fail for the encoding of its stream."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            escaped = json and stream is sys.stdout
            stream.reconfigure(errors="oddsmith.json" if escaped else "oddsmith.signs")
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
