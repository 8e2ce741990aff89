"""Arithmetic with numbers that are known by their bounds, one in every state.

`Values` holds, for each state, an interval [lower, upper] that contains the number, and the
number itself as a fraction where fractions were asked for. Every operation rounds outward, unless
the float that comes out is exact, so the intervals keep their promise; a number that does not
exist (0/0, inf - inf) is NaN in both bounds, and one of which nothing is known is [-inf, inf].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np

from oddsmith.model.amounts import Amounts, Bools, Floats
from oddsmith.solve.process.aim import Values

Exact = Sequence[Fraction | float]


def down(x: Floats, inexact: Bools) -> Floats:
    """The next float below, where the number was rounded."""
    return np.where(inexact & np.isfinite(x), np.nextafter(x, -np.inf), x)


def up(x: Floats, inexact: Bools) -> Floats:
    """The next float above, where the number was rounded."""
    return np.where(inexact & np.isfinite(x), np.nextafter(x, np.inf), x)


def around(number: Fraction) -> tuple[float, float]:
    """The floats next to a fraction, from below and from above; twice itself if it is one.

    >>> around(Fraction(1, 2))
    (0.5, 0.5)
    >>> low, high = around(Fraction(1, 10))
    >>> Fraction(low) < Fraction(1, 10) <= Fraction(high)
    True
    """
    try:
        near = number.numerator / number.denominator
    except OverflowError:
        big = math.nextafter(math.inf, 0.0)
        return (big, math.inf) if number > 0 else (-math.inf, -big)
    same = Fraction(near)
    if same == number:
        return near, near
    if same < number:
        return near, math.nextafter(near, math.inf)
    return math.nextafter(near, -math.inf), near


def constant(number: Fraction, states: int) -> Values:
    """The same number in all states."""
    low, high = (np.broadcast_to(np.float64(x), (states,)) for x in around(number))
    return Values(
        low, high, _Lookup(Amounts(np.broadcast_to(np.int32(0), (states,)), low, [number]))
    )


def of_amounts(amounts: Amounts) -> Values:
    """Numbers that an expression has in every state."""
    if amounts.exact is None:
        floats = amounts.floats
        return Values(down(floats, np.isfinite(floats)), up(floats, np.isfinite(floats)))
    bounds = np.array([around(x) for x in amounts.exact]).reshape(-1, 2)[amounts.index]
    return Values(bounds[:, 0].copy(), bounds[:, 1].copy(), _Lookup(amounts))


class _Lookup(Sequence[Fraction]):
    """The fractions of Amounts, one by one."""

    def __init__(self, amounts: Amounts) -> None:
        self.amounts = amounts

    def __len__(self) -> int:
        return len(self.amounts)

    def __getitem__(self, i: int) -> Fraction:  # type: ignore[override]
        return self.amounts.fraction(i)


def complement(values: Values) -> Values:
    """1 - x for probabilities, exact where floats can be: the rest of a sum is known exactly."""
    exact = None if values.exact is None else [1 - x for x in values.exact]
    low, high = 1.0 - values.upper, 1.0 - values.lower
    # 1 - low is exact for low in [1/2, 1], and for the others low itself is.
    low = np.maximum(down(low, (1.0 - low) != values.upper), 0.0)
    high = np.minimum(up(high, (1.0 - high) != values.lower), 1.0)
    return Values(low, high, exact, values.picks, values.how, values.sharp)


def negative(a: Values) -> Values:
    """-x."""
    exact = None if a.exact is None else [-x for x in a.exact]
    return Values(-a.upper, -a.lower, exact)


def add(a: Values, b: Values) -> Values:
    """x + y."""
    with np.errstate(invalid="ignore", over="ignore"):
        low, high = a.lower + b.lower, a.upper + b.upper
        low = down(low, _rounded_sum(a.lower, b.lower, low))
        high = up(high, _rounded_sum(a.upper, b.upper, high))
    return _checked(low, high, _exactly(a, b, lambda x, y: x + y))


def _rounded_sum(x: Floats, y: Floats, total: Floats) -> Bools:
    """Whether a sum was rounded (Knuth's two-sum)."""
    part = total - x
    return np.asarray(((x - (total - part)) + (y - part)) != 0.0)


def multiply(a: Values, b: Values) -> Values:
    """x · y."""
    with np.errstate(invalid="ignore", over="ignore"):
        products = [x * y for x in (a.lower, a.upper) for y in (b.lower, b.upper)]
    low, high = np.minimum.reduce(products), np.maximum.reduce(products)
    plain = _simple(a) | _simple(b)
    return _checked(down(low, ~plain), up(high, ~plain), _exactly(a, b, lambda x, y: x * y))


def divide(a: Values, b: Values) -> Values:
    """x / y: nothing is known where the divisor may be zero, and 0/0 is no number."""
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        quotients = [x / y for x in (a.lower, a.upper) for y in (b.lower, b.upper)]
    low, high = np.minimum.reduce(quotients), np.maximum.reduce(quotients)
    plain = ((a.lower == 0) & (a.upper == 0)) | ((b.lower == b.upper) & (np.abs(b.lower) == 1))
    low, high = down(low, ~plain), up(high, ~plain)
    unknown = (b.lower <= 0) & (b.upper >= 0)
    none = (b.lower == 0) & (b.upper == 0)
    low, high = np.where(unknown, -np.inf, low), np.where(unknown, np.inf, high)
    low, high = np.where(none, np.nan, low), np.where(none, np.nan, high)
    return _checked(low, high, _exactly(a, b, _quotient))


def _quotient(x: Fraction | float, y: Fraction | float) -> Fraction | float:
    return math.nan if y == 0 else x / y


def smaller(a: Values, b: Values) -> Values:
    """min(x, y)."""
    exact = _exactly(a, b, min)
    return Values(np.minimum(a.lower, b.lower), np.minimum(a.upper, b.upper), exact)


def larger(a: Values, b: Values) -> Values:
    """max(x, y)."""
    exact = _exactly(a, b, max)
    return Values(np.maximum(a.lower, b.lower), np.maximum(a.upper, b.upper), exact)


def where(test: Bools, yes: Values, no: Values) -> Values:
    """Yes or no, state by state."""
    exact: Exact | None = None
    if yes.exact is not None and no.exact is not None:
        exact = [yes.exact[i] if t else no.exact[i] for i, t in enumerate(test)]
    return Values(np.where(test, yes.lower, no.lower), np.where(test, yes.upper, no.upper), exact)


Verdict = tuple[Bools, Bools]
"""Where something is true for sure, and where it is false for sure."""


def compared(a: Values, relation: str, b: Values, states: Bools) -> Verdict:
    """A comparison in some states: decided by fractions if there are, else by bounds."""
    if relation in ("<", "<="):
        return compared(b, ">" if relation == "<" else ">=", a, states)
    if a.exact is not None and b.exact is not None:
        return _compared_exactly(a.exact, relation, b.exact, states)
    a, b = _sharpened(a, b), _sharpened(b, a)
    match relation:
        case ">=":
            return a.lower >= b.upper, a.upper < b.lower
        case ">":
            return a.lower > b.upper, a.upper <= b.lower
    same = (a.lower == a.upper) & (b.lower == b.upper) & (a.lower == b.lower)
    apart = (a.lower > b.upper) | (a.upper < b.lower)
    return (same, apart) if relation == "=" else (apart, same)


def _sharpened(a: Values, b: Values) -> Values:
    """Chances that are neither 0 nor 1, if that is known, moved off them to be compared with such.

    The least step a float can make stands for any distance; only next to a number that is 0 or 1
    without rounding does it make a difference.
    """
    if not a.sharp:
        return a
    known = b.lower == b.upper
    above = known & (a.lower == 0) & (a.upper > 0)
    below = known & (a.upper == 1) & (a.lower < 1)
    return replace(
        a,
        lower=np.where(above, np.nextafter(0.0, 1.0), a.lower),
        upper=np.where(below, np.nextafter(1.0, 0.0), a.upper),
    )


_EXACTLY: dict[str, Callable[[Fraction | float, Fraction | float], bool]] = {
    ">=": lambda x, y: x >= y,
    ">": lambda x, y: x > y,
    "=": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
}


def _compared_exactly(a: Exact, relation: str, b: Exact, states: Bools) -> Verdict:
    yes, no = np.zeros(len(states), np.bool_), np.zeros(len(states), np.bool_)
    test = _EXACTLY[relation]
    for i in np.flatnonzero(states).tolist():
        x, y = a[i], b[i]
        if x == x and y == y:  # not NaN
            (yes if test(x, y) else no)[i] = True
    return yes, no


def _simple(a: Values) -> Bools:
    """Whether a number is 0, 1 or -1, with which products are exact."""
    return np.asarray((a.lower == a.upper) & ((a.lower == 0) | (np.abs(a.lower) == 1)))


def _exactly(
    a: Values,
    b: Values,
    operation: Callable[[Fraction | float, Fraction | float], Fraction | float],
) -> Exact | None:
    if a.exact is None or b.exact is None:
        return None
    return [operation(x, y) for x, y in zip(a.exact, b.exact, strict=True)]


def _checked(low: Floats, high: Floats, exact: Exact | None) -> Values:
    """NaN in one bound is NaN in both."""
    none = np.isnan(low) | np.isnan(high)
    return Values(np.where(none, np.nan, low), np.where(none, np.nan, high), exact)
