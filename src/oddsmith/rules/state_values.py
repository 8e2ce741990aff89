"""What a state may hold: values that are equal exactly when they are the same.

Exploration tells states apart by `==` and finds them again by their hash, so that is what decides
which states there are. Whole numbers, truth values, texts, None, fractions, members of an
enumeration, and tuples, frozensets and frozen dataclasses of these are compared exactly. Floats
are not (0.1 + 0.2 is not 0.3, so one position becomes several), what can change has no hash, and
an object without an `__eq__` of its own equals only itself, so every visit makes a new state. And
1 == True == Fraction(1), two NamedTuples of equal entries are equal whatever their classes, and a
text equals the member of a `StrEnum`: where one place of a state holds numbers, tuples or texts of
two types, states that are not the same are taken for one. So are dataclasses that differ in a field
that they do not compare.

Whether a state is in order depends on the types inside it alone, and a game has few combinations
of those: each is looked at once (`Seen`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from types import BuiltinFunctionType, FunctionType, NoneType
from typing import Any

PLAIN = frozenset({int, bool, str, NoneType})
MUTABLE = {
    list: "a tuple",
    set: "a frozenset",
    dict: "a tuple",
    bytearray: "a tuple of numbers",
}


class Seen:
    """What has been seen of a game so far, so that nothing is looked at more than it needs."""

    def __init__(self) -> None:
        self.kinds: set[Any] = set()
        """Combinations of types that are in order."""
        self.types: dict[tuple[str, str], type] = {}
        """The type of the numbers, the tuples and the texts in each place of a state."""
        self.calls: dict[str, int] = {}
        """How often each rule has been asked twice."""
        self.finished = 0
        """How many calls of rules have come to an end."""


def kinds_of(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """The types of some values, with those inside them."""
    kinds = tuple(map(type, values))
    if PLAIN.issuperset(kinds):
        return kinds
    return tuple(
        [
            kind if kind in PLAIN else _kind(kind, value)
            for kind, value in zip(kinds, values, strict=True)
        ]
    )


def _kind(kind: type, value: Any) -> Any:
    if isinstance(value, tuple):
        return kind, kinds_of(value)
    if isinstance(value, frozenset):
        return kind, frozenset(kinds_of(tuple(value)))
    if dataclasses.is_dataclass(kind):
        return kind, kinds_of(_fields(value))
    return kind


def _fields(value: Any) -> tuple[Any, ...]:
    return tuple(getattr(value, field.name) for field in dataclasses.fields(value))


def places(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Every value inside a value, with the name of its place."""
    if isinstance(value, tuple):
        yield name, value
        names = getattr(value, "_fields", None)
        for i, item in enumerate(value):
            yield from places(item, f"{name}[{i}]" if names is None else f"{name}.{names[i]}")
    elif isinstance(value, frozenset):
        for item in value:
            yield from places(item, f"{name}, in its set,")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type) and _hashed(type(value)):
        yield name, value
        for field in dataclasses.fields(value):
            yield from places(getattr(value, field.name), f"{name}.{field.name}")
    else:
        yield name, value


def _hashed(kind: type) -> bool:
    """Whether objects are compared by their value and can be found by it."""
    return kind.__hash__ is not None and getattr(kind, "__eq__") is not object.__eq__  # noqa: B009


def refusal(state: Any, seen: Seen) -> str:
    """Why a state cannot be compared exactly, in words; nothing if it can."""
    types: dict[tuple[str, str], type] = {}
    for field, value in zip(state._fields, state, strict=True):
        for name, item in places(value, field):
            wrong = _why_not(name, item)
            if wrong:
                return wrong
            alike = _alike(item)
            if alike:
                key = name, alike
                before = types.setdefault(key, seen.types.get(key, type(item)))
                if before is not type(item):
                    return (
                        f"{name} is {item!r} ({_called(type(item))}) here and was "
                        f"{_called(before)} before, and Python takes such {alike} for equal: let "
                        f"it always be of one type"
                    )
    seen.types |= types
    return ""


def _alike(value: Any) -> str:
    """What kind of values Python compares with each other whatever their types."""
    kinds = (("numbers", int | Fraction), ("tuples", tuple), ("texts", str))
    return next((name for name, kind in kinds if isinstance(value, kind)), "")


def _called(kind: type) -> str:
    names = {int: "a whole number", bool: "True or False", Fraction: "a Fraction"}
    return names.get(kind, f"of the type {kind.__name__}")


def _why_not(name: str, value: Any) -> str:
    """Why one value cannot be compared exactly."""
    kind = type(value)
    if kind in PLAIN or isinstance(value, Enum | Fraction):
        return ""
    if kind.__module__.partition(".")[0] == "numpy":
        shown = f"{name} is {value!r}, which is numpy's"
        whole = getattr(value, "ndim", 1) == 0
        return f"{shown}: write {'int(…)' if whole else 'tuple(…) around a list of whole numbers'}"
    if isinstance(value, float | complex | Decimal):
        return (
            f"{name} is {value!r} ({kind.__name__}), and such numbers are rounded, so states that "
            f"are the same would be told apart: count in whole numbers (in tenths, in cents), or "
            f"use Fraction"
        )
    if kind.__hash__ is None:
        instead = next((to for known, to in MUTABLE.items() if issubclass(kind, known)), "a tuple")
        return (
            f"{name} is {value!r}, and a state must be immutable: use {instead}, not a "
            f"{kind.__name__}"
        )
    if dataclasses.is_dataclass(kind):
        for field in dataclasses.fields(value):
            if not field.compare:
                return (
                    f"{name} is {value!r}, which is compared without its field {field.name}, so "
                    f"that states that are not the same would be taken for one: remove "
                    f"compare=False"
                )
    if isinstance(value, type | FunctionType | BuiltinFunctionType) or not _hashed(kind):
        return (
            f"{name} is {value!r}, which equals nothing but itself, so that every visit would be a "
            f"new state: use numbers, an Enum, a NamedTuple or a frozen dataclass"
        )
    return ""
