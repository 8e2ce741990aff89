"""What the operators and functions of PRISM compute, exactly.

Numbers are fractions, however large; floats appear only where a result is irrational: `log`, and
`pow` with an exponent that is not whole, when there is no exact answer. `round` rounds a half up,
`mod` is never negative, as in PRISM.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Number = int | Fraction | float
Value = int | Fraction | float | bool
"""A truth value is a bool."""

MAX_BITS = 200_000
"""Longer numbers are an error: pow(10, 1000000000) would fill the memory."""


class ArithmeticFailure(Exception):  # noqa: N818 - caught, never shown
    """A sum that has no answer, as a sentence without its place."""


def binary(operator: str, left: Any, right: Any) -> Value:
    """`left operator right`, for all operators that need both sides."""
    try:
        result: Value = _BINARY[operator](left, right)
        return result
    except OverflowError:
        raise ArithmeticFailure("This number is too large.") from None


def call(function: str, arguments: Sequence[Any]) -> Value:
    """One of PRISM's functions."""
    try:
        result: Value = _FUNCTIONS[function](*arguments)
        return result
    except OverflowError:
        raise ArithmeticFailure("This number is too large.") from None


def short(value: Value) -> str:
    """A number in a sentence: 5/6, or 0.83 where the fraction is long."""
    if isinstance(value, float) or max(abs(value.numerator), value.denominator).bit_length() > 40:
        try:
            return f"{float(value):.6g}"
        except OverflowError:
            return "a number too large to write"
    return str(value)


def is_exact(value: Value) -> bool:
    """Whether a value is no float."""
    return not isinstance(value, float)


def _times(left: Any, right: Any) -> Number:
    result: Number = left * right
    if isinstance(result, int | Fraction):
        _check_size(result)
    return result


def _check_size(value: int | Fraction) -> None:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise ArithmeticFailure("This number is too large.")


def _divide(left: Any, right: Any) -> Number:
    if right == 0:
        raise ArithmeticFailure("This divides by zero.")
    if isinstance(left, float) or isinstance(right, float):
        return float(left / right)
    result: Fraction = Fraction(left) / right
    _check_size(result)
    return result


def _mod(left: Any, right: Any) -> int:
    if right <= 0:
        raise ArithmeticFailure(f"mod needs a second number above zero, not {short(right)}.")
    return int(left) % int(right)


def _pow(base: Any, exponent: Any) -> Number:
    if isinstance(base, float) or isinstance(exponent, float):
        return _float_power(base, exponent)
    exponent = Fraction(exponent)
    if base == 0 and exponent < 0:
        raise ArithmeticFailure("pow(0, b) with b below zero divides by zero.")
    if exponent.denominator > 1:
        exact = _exact_root(Fraction(base), exponent)
        return _float_power(base, exponent) if exact is None else exact
    base = Fraction(base)
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if base not in (-1, 0, 1) and bits * abs(exponent) > MAX_BITS:
        raise ArithmeticFailure("This number is too large.")
    return Fraction(base ** int(exponent))


def _float_power(base: Any, exponent: Any) -> float:
    try:
        return math.pow(base, exponent)
    except ValueError:
        raise ArithmeticFailure("This power is not a real number.") from None


def _exact_root(base: Fraction, exponent: Fraction) -> Fraction | None:
    """pow(9/4, 3/2) is 27/8: the answer where it is a fraction."""
    degree = exponent.denominator
    if base < 0 or degree > 64 or abs(exponent.numerator) > 1000:
        return None
    top, bottom = _whole_root(base.numerator, degree), _whole_root(base.denominator, degree)
    if top is None or bottom is None or (top == 0 and exponent < 0):
        return None
    result = Fraction(top, bottom) ** exponent.numerator
    _check_size(result)
    return result


def _whole_root(value: int, degree: int) -> int | None:
    if value.bit_length() > 1000:
        return None
    guess = round(value ** (1 / degree))
    return guess if guess**degree == value else None


def _log(value: Any, base: Any) -> Number:
    if value <= 0 or base <= 0 or base == 1:
        raise ArithmeticFailure("log(x, b) needs x and b above zero, and b other than 1.")
    result = _natural_log(value) / _natural_log(base)
    whole = round(result)
    if is_exact(value) and is_exact(base) and 0 < abs(whole) < 4096:
        power = Fraction(base) ** whole
        return Fraction(whole) if power == value else result
    return Fraction(0) if value == 1 else result


def _natural_log(value: Any) -> float:
    """The logarithm of a number that may be beyond a double's range."""
    if isinstance(value, float):
        return math.log(value)
    return math.log(Fraction(value).numerator) - math.log(Fraction(value).denominator)


def _half_up(value: Any) -> int:
    whole: int = math.floor(value + Fraction(1, 2))
    return whole


_BINARY: dict[str, Any] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": _times,
    "/": _divide,
    "=": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
    "&": lambda left, right: left and right,
    "|": lambda left, right: left or right,
    "=>": lambda left, right: not left or right,
    "<=>": lambda left, right: left == right,
}
_FUNCTIONS: dict[str, Any] = {
    "min": lambda *arguments: min(arguments),
    "max": lambda *arguments: max(arguments),
    "floor": math.floor,
    "ceil": math.ceil,
    "round": _half_up,
    "pow": _pow,
    "mod": _mod,
    "log": _log,
}
