"""The gate: no answer is given before it has been compared with itself.

Solvers are not trusted, and neither is what is made of their numbers. It cannot be gone around:
an `Answer` passes as it is made, whatever it is for, and so does what holds several of them.

- An `Answer` is a number, between bounds that are in order; its fraction is between them too.
- A chance is in [0, 1]; a length and a number of visits are not negative. What a position is worth
  is no chance: a `WorthBounds` is no `Answer`, and `solve/play/chances.py` alone makes one of the
  other, where they are equal.
- A `Result` is asked part by part what is impossible about it (`part.py`): who wins or nobody
  (`winning.py`), lengths (`lengths.py`), visits, values of states.
- A fraction and bounds that were found for the same question about a game of chance meet
  (`questions/door.py`), and so do two pairs of bounds on one number (`agree`).

Sums of floats are taken by `math.fsum`, which rounds once, so that comparing them with 1 is exact.
That long fractions sum to one is looked at modulo a prime: it costs one division each, a sum that
is one always passes, and another one passes with a chance below 10^-13.

What does not pass becomes a `ContradictionError`: a sentence, a file to send, and no number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from oddsmith.results import contradiction
from oddsmith.results.contradiction import LONG, refuse, short, text

if TYPE_CHECKING:
    from oddsmith.properties.answer import Checked
    from oddsmith.results.answer import Answer
    from oddsmith.results.result import Result

P = ParamSpec("P")
R = TypeVar("R")
Reason = str | None
"""What is wrong, if anything is."""

PRIME = (1 << 61) - 1
"""Fractions with denominators above `LONG` are summed modulo this prime."""
SLACK = 1e-9
"""How far chances that are no bounds (floats, distributions) may be off: they round and are cut."""


# What passes ---------------------------------------------------------------------------------


def number(one: Answer) -> None:
    """Let a number pass: every answer does, as it is made."""
    value, lower, upper, reason = one.value, one.lower, one.upper, None
    if lower is None or upper is None:
        reason = "what was found is not a number" if value != value else None
    elif not lower <= upper:
        reason = f"the lower bound {lower} is not below the upper bound {upper}"
    elif not lower <= value <= upper:
        reason = f"{value} is not between its bounds {lower} and {upper}"
    elif one.exact is not None and (less(one.exact, lower) or less(upper, one.exact)):
        reason = f"{short(one.exact)} is not between its bounds {lower} and {upper}"
    if reason is not None:
        refuse(reason, {"answer": contradiction.parts(one)})


def chances(record: Callable[[], dict[str, Any]], *answers: Answer) -> None:
    """Let answers pass that are chances."""
    for one in answers:
        reason = between("a chance", one, 0, 1)
        if reason is not None:
            refuse(reason, record())


def agree(one: tuple[Any, Any], other: tuple[Any, Any], subject: str = "") -> None:
    """Compare two pairs of bounds on one number (a fraction is both): they have to meet."""
    lows, highs = (one[0], other[0]), (one[1], other[1])
    wrong = any(x != x for x in (*lows, *highs))
    if wrong or any(less(high, low) for low in lows for high in highs):
        a, b = (" to ".join(dict.fromkeys(map(short, pair))) for pair in (one, other))
        sides = {"one": list(map(text, one)), "other": list(map(text, other))}
        refuse(f"one number was found to be from {a}, and from {b}", {"model": subject, **sides})


def result(found: Result) -> None:
    """Let a result pass: its parts say what is impossible about them."""
    reason = first(part.wrong() for part in found.parts())
    if reason is not None:
        refuse(reason, contradiction.record(found))


def checked(found: Checked) -> None:
    """Let the answer to a property pass."""
    reason, ends = None, found.ends()
    if found.chance:
        reason = first(between(name or "a chance", x, 0, 1) for name, x in found.named_numbers())
    if reason is None and ends is not None and crossed(*ends):
        reason = "the least value is above the greatest"
    if reason is not None:
        parts = {name or "answer": contradiction.parts(one) for name, one in found.named_numbers()}
        refuse(reason, {"property": found.text, "how": found.how, "answers": parts})


def table(game: Any, worth: Any, error: float, exact: Sequence[Sequence[Fraction]] | None) -> None:
    """Let what the states are worth in a table of a policy pass."""
    reason = None
    low, high = float(worth.min(initial=0.0)), float(worth.max(initial=0.0))
    if low != low or high != high or not error >= 0:
        reason = "what a state is worth is not a number"
    elif not game.has_score:
        wide = SLACK + (error if math.isfinite(error) else 1.0)
        wrong = low < -wide or high > 1 + wide
        rows = exact or ()
        wrong = wrong or any(not 0 <= x.numerator <= x.denominator for row in rows for x in row)
        reason = "what a state is worth is not in [0, 1]" if wrong else None
    if reason is not None:
        refuse(f"a policy: {reason}", contradiction.game(game) | {"least": low, "greatest": high})


# What is looked at ---------------------------------------------------------------------------


def first(reasons: Iterable[Reason]) -> Reason:
    """The first thing that is wrong."""
    return next((reason for reason in reasons if reason is not None), None)


def between(name: str, one: Answer, low: float, high: float) -> Reason:
    """Whether a number can be between two others."""
    if one.lower is None or one.upper is None:
        near = SLACK * max(1.0, abs(one.value))
        possible = low - near <= one.value <= high + near
    else:
        possible = one.lower <= high and low <= one.upper
    if one.exact is not None and high == 1:
        possible = possible and 0 <= one.exact.numerator <= one.exact.denominator
    return None if possible else f"{name}: {one} is impossible"


def less(a: Any, b: Any) -> bool:
    """a < b, for floats and fractions of any length, without rounding."""
    if isinstance(a, float) and (isinstance(b, float) or not math.isfinite(a)):
        return bool(a < b)
    if isinstance(b, float) and not math.isfinite(b):
        return b > 0
    (p, q), (r, s) = a.as_integer_ratio(), b.as_integer_ratio()
    return bool(p * s < r * q)


def whole(parts: Sequence[Fraction], several: bool) -> Reason:
    """Whether fractions are chances that sum to one (at least to one, if several may win)."""
    pairs = [(x.numerator, x.denominator) for x in parts]
    over = 1
    for top, bottom in pairs:
        if not 0 <= top <= bottom:
            return f"are not in [0, 1] ({short(Fraction(top, bottom))})"
        if bottom > over:
            over = bottom
    if over < LONG:
        over = math.lcm(*[bottom for _, bottom in pairs])
        total = sum([top * (over // bottom) for top, bottom in pairs])
        wrong = total < over if several else total != over
        return f"sum to {short(Fraction(total, over))}" if wrong else None
    if several or any(bottom % PRIME == 0 for _, bottom in pairs):
        return None
    modular = sum(top * pow(bottom, -1, PRIME) for top, bottom in pairs)
    return "do not sum to one" if modular % PRIME != 1 else None


def crossed(low: Answer, high: Answer) -> bool:
    """Whether an answer is above one that is at least as much."""
    if low.exact is not None and high.exact is not None:
        return less(high.exact, low.exact)
    if low.lower is None or high.upper is None:
        return high.value < low.value - SLACK * max(1.0, abs(low.value))
    return high.upper < low.lower
