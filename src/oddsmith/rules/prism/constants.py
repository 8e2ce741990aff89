"""Values of constants as a person writes them: `N=3,p=0.5`, and ranges `N=1:10`, `p=0:0.1:1`.

A range gives one experiment for each of its values, in PRISM's order low:step:high. Nothing is
evaluated: values are numbers, fractions such as 1/6, true and false.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from itertools import product

from oddsmith.errors import OptionError
from oddsmith.rules.prism.parse import number
from oddsmith.rules.prism.source import Rejected

MAX_EXPERIMENTS = 10_000

Value = Fraction | bool
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def given_constants(given: object) -> list[dict[str, Value]]:
    """What a caller gave: nothing, a text as `parse_constants` reads it, or values by name.

    A float is the decimal that it is written as, 0.1 a tenth.
    """
    if isinstance(given, str):
        return parse_constants(given)
    if not isinstance(given or {}, Mapping):
        raise OptionError(f"Constants are values by name, or a text such as 'N=3', not {given!r}.")
    return [{str(name): _exact(str(name), value) for name, value in dict(given or {}).items()}]  # type: ignore[call-overload]


def _exact(name: str, value: object) -> Value:
    if isinstance(value, bool):
        return value
    try:
        if isinstance(value, float):
            return Fraction(repr(float(value)))
        return _value(name, value) if isinstance(value, str) else Fraction(value)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        raise OptionError(
            f"Constant {name} must be a finite number, true or false, not {value!r}."
        ) from None


def parse_constants(text: str) -> list[dict[str, Value]]:
    """All combinations of the values given; one empty one for an empty text.

    >>> parse_constants("N=1:2,p=0.5")
    [{'N': Fraction(1, 1), 'p': Fraction(1, 2)}, {'N': Fraction(2, 1), 'p': Fraction(1, 2)}]
    """
    given: dict[str, list[Value]] = {}
    count = 1
    for part in text.split(",") if text.strip() else []:
        name, equals, written = (x.strip() for x in part.partition("="))
        if not equals or not _NAME.fullmatch(name):
            raise OptionError(
                f"Constants are given as name=value, separated by commas; {part.strip()!r} is not."
            )
        if name in given:
            raise OptionError(f"Constant {name} is given twice.")
        given[name] = _values(name, written, MAX_EXPERIMENTS // count)
        count *= len(given[name])
    return [dict(zip(given, values, strict=True)) for values in product(*given.values())]


def _values(name: str, written: str, limit: int) -> list[Value]:
    ends = [_value(name, x.strip()) for x in written.split(":")]
    if len(ends) == 1:
        return [*ends]
    if len(ends) > 3 or any(isinstance(x, bool) for x in ends):
        raise OptionError(f"A range of constant {name} is low:high or low:step:high.")
    low, step, high = (ends[0], Fraction(1), ends[1]) if len(ends) == 2 else ends
    if step <= 0:
        raise OptionError(f"The step of constant {name} must be above zero, not {step}.")
    if low > high:
        raise OptionError(f"The range of constant {name} is empty: {low} is more than {high}.")
    size = int((high - low) / step) + 1
    if size > limit:
        raise OptionError(
            f"The constants make more than {MAX_EXPERIMENTS:,} experiments; take larger steps."
        )
    return [Fraction(low + i * step) for i in range(size)]


def _value(name: str, written: str) -> Value:
    if written in ("true", "false"):
        return written == "true"
    sign = -1 if written.startswith("-") else 1
    top, slash, bottom = written.removeprefix("-").partition("/")
    if not _NUMBER.fullmatch(top.strip()) or (slash and not _NUMBER.fullmatch(bottom.strip())):
        raise OptionError(f"Constant {name} must be a number, true or false, not {written[:40]!r}.")
    try:
        value = number(top.strip()).value
        divisor = number(bottom.strip()).value if slash else Fraction(1)
    except Rejected as rejected:
        raise OptionError(f"Constant {name}: {rejected.message}") from None
    if divisor == 0:
        raise OptionError(f"Constant {name} divides by zero.")
    return sign * value / divisor
