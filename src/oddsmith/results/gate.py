"""The gate: no answer is given before it has been compared with itself.

Solvers are not trusted, and neither is what is made of their numbers. It cannot be gone around:
an `Answer` passes as it is made, whatever it is for, and so does what holds several of them.

- An `Answer` is a number, between bounds that are in order; its fraction is between them too.
- A chance is in [0, 1]; a length and a number of visits are not negative, and a place is not come
  to with more chance than times. What a position is worth is no chance: a `WorthBounds` is no
  `Answer`, and `solve/play/chances.py` alone makes one of the other, where they are equal.
- Somebody wins or nobody does: Σ win + draw = 1, in fractions exactly, in bounds
  Σ lower ≤ 1 ≤ Σ upper (≥ 1 where one end of the game has several winners). So a worth in the
  place of a chance does not pass where they differ by more than the bounds.
- A distribution has no negative chance and sums to one within what is unresolved; quantiles rise
  with their levels and are where the sums reach them. A variance is not negative, its deviation is
  its root, and no distribution spreads more than it says.
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
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from oddsmith.results import contradiction
from oddsmith.results.contradiction import LONG, chances_of, refuse, short, text

if TYPE_CHECKING:
    from oddsmith.properties.answer import Checked
    from oddsmith.results.answer import Answer
    from oddsmith.results.result import Result, StateValues

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
        reason = _between("a chance", one, 0, 1)
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
    """Let a result pass."""
    reason = (
        _first(_between(name, one, 0, 1) for name, one in chances_of(found))
        or (found.duration and _between("the expected length", found.duration, 0, math.inf))
        or (found.endless and _between("play without an end", found.endless, 0, 1))
        or _sum(found)
        or _first(_visit(v.where, v.ever, v.times) for v in found.visits)
        or _lengths(found)
        or _spread(found)
        or _fractions_of_lengths(found)
        or (None if found.values is None else _values(found.values, found.several_winners))
    )
    if reason:
        refuse(reason, contradiction.record(found))


def checked(found: Checked) -> None:
    """Let the answer to a property pass."""
    reason, ends = None, found.ends()
    if found.chance:
        reason = _first(_between(name or "a chance", x, 0, 1) for name, x in found.named_numbers())
    if reason is None and ends is not None and _crossed(*ends):
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


def _first(reasons: Iterable[Reason]) -> Reason:
    return next((reason for reason in reasons if reason is not None), None)


def _between(name: str, one: Answer, low: float, high: float) -> Reason:
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


def _sum(result: Result) -> Reason:
    """Whether somebody wins or nobody does."""
    if not result.win or result.draw is None:
        return None
    answers, what = [*result.win, result.draw], "chances to win and a draw"
    exact = [one.exact for one in answers if one.exact is not None]
    if len(exact) == len(answers):
        reason = _fractions(exact, result.several_winners)
        return reason and f"{what} {reason}"
    if result.method == "estimate":  # confidence intervals need not meet
        least = most = math.fsum(one.value for one in answers)
        near = SLACK
    else:
        least = math.fsum(-math.inf if one.lower is None else one.lower for one in answers)
        most = math.fsum(math.inf if one.upper is None else one.upper for one in answers)
        near = 0.0
    if most < 1 - near:
        return f"{what} sum to at most {most}"
    if least > 1 + near and not result.several_winners:
        return f"{what} sum to at least {least}"
    return None


def _fractions(parts: Sequence[Fraction], several: bool) -> Reason:
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


def _visit(where: str, ever: Answer | None, times: Answer) -> Reason:
    reason = _between(f"times {where}", times, 0, math.inf)
    if ever is None:
        return reason
    reason = reason or _between(f"ever {where}", ever, 0, 1)
    if reason is None and _crossed(ever, times):
        return f"{where} is come to with more chance than times"
    return reason


def _crossed(low: Answer, high: Answer) -> bool:
    """Whether an answer is above one that is at least as much."""
    if low.exact is not None and high.exact is not None:
        return less(high.exact, low.exact)
    if low.lower is None or high.upper is None:
        return high.value < low.value - SLACK * max(1.0, abs(low.value))
    return high.upper < low.lower


def _lengths(result: Result) -> Reason:
    """What is wrong with a distribution or its quantiles."""
    if not result.distribution:
        return None
    import numpy as np

    lengths, parts = _columns(result)
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


def _columns(result: Result) -> tuple[Any, Any]:
    """The lengths of a distribution, and their chances."""
    import numpy as np

    size = len(result.distribution)
    lengths = np.fromiter(map(itemgetter(0), result.distribution), np.float64, size)
    return lengths, np.fromiter(map(itemgetter(1), result.distribution), np.float64, size)


def _spread(result: Result) -> Reason:
    """What is wrong with a variance and its root, alone or beside the distribution."""
    mean, variance, deviation = result.duration, result.variance, result.deviation
    if variance is None or deviation is None:
        return None
    reason = _between("the variance", variance, 0, math.inf)
    reason = reason or _between("the standard deviation", deviation, 0, math.inf)
    if reason or mean is None or not math.isfinite(mean.value):
        return reason or "there is a variance, and no finite length"
    low, high = (_ends(deviation), _ends(variance))
    if less(_square(low[1]), high[0]) or less(high[1], _square(low[0])):
        return f"the standard deviation {deviation} is not the root of the variance {variance}"
    if result.method in ("estimate", "float"):  # without bounds nothing is excluded
        return None
    # About any number lengths have at least this mean square, and what is unresolved adds to it.
    lengths, parts = _columns(result)
    least = float(((lengths - mean.value) ** 2 * parts).sum())
    wide = (float(lengths.max(initial=0.0)) + mean.value) ** 2
    near = SLACK * (1 + least) + 2 * result.off * wide + ((mean.error or 0.0) + 1e-6) ** 2
    if less(high[1], least - near):
        return f"the variance is {variance}, and the distribution has at least {least}"
    if result.unresolved == 0 and less(least + near, high[0]):
        return f"the variance is {variance}, and the distribution has {least}"
    return None


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


def _fractions_of_lengths(result: Result) -> Reason:
    exact, function = result.exact_distribution, result.generating_function
    if exact is not None and (any(x < 0 for _, x in exact.chances) or not 0 <= exact.left <= 1):
        return "the distribution in fractions is none"
    mean = None if result.duration is None else result.duration.exact
    if function is not None and mean is not None and function.mean != mean:
        return "the expected length is not that of its generating function"
    variance = None if result.variance is None else result.variance.exact
    if function is not None and variance is not None and function.variance != variance:
        return "the variance is not that of its generating function"
    return None


def _values(table: StateValues, several: bool) -> Reason:
    """What is wrong with the values of all states."""
    rows, reason = [q for q, name in enumerate(table.columns) if name != "length"], None
    if table.exact is not None:
        reason = _first(_fractions([row[q] for q in rows], several) for row in table.exact)
        return reason and f"values of states: chances {reason}"
    part, error = table.value[:, rows], table.error[:, rows]
    low, high = part - error, part + error
    if not ((high >= -SLACK).all() and (low <= 1 + SLACK).all()):  # nor where one is no number
        reason = "a chance is not in [0, 1]"
    elif not (table.error >= 0).all() or not (table.value == table.value).all():
        reason = "what was found is not a number"
    elif not (high.sum(axis=1) >= 1 - 1e-15 * len(rows)).all():
        reason = "chances sum to less than one"
    elif not several and not (low.sum(axis=1) <= 1 + 1e-15 * len(rows)).all():
        reason = "chances sum to more than one"
    return reason and f"values of states: {reason}"
