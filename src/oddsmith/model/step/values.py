"""What an expression comes to while rules are translated, and its shape.

A `Known` value is an object that Python has computed already. All others are computed when the
game is played: a `Whole` number (64 bits, with bounds that are known now), a `Truth` value, a
`Several` of values (a tuple, a NamedTuple or a list, whose length is known), a `Pick` of some known
objects by its number, or a `Maybe`, which is None or a value.

Where two paths meet, values are joined: the same known object stays known, two known numbers
become a `Whole`, other known objects a `Pick`, None and something a `Maybe`. A truth value and a
whole number do not join: Python tells them apart, and so do we. A shape is what a value is but for
what it comes to: values of one shape have the same words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from oddsmith.model.native.numbers import Whole, literal


class Refused(Exception):  # noqa: N818
    """What cannot be translated, in words, and the line it is on."""

    def __init__(self, what: str, place: str = "") -> None:
        super().__init__(what)
        self.what, self.place = what, place

    def __str__(self) -> str:
        return f"{self.what} ({self.place})" if self.place else self.what


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """An object of Python's that is there already; 1 is not True here, as types matter."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Known) and same(self.value, other.value)

    def __hash__(self) -> int:
        return hash(type(self.value))


@dataclass(frozen=True, slots=True)
class Truth:
    """A truth value: its name in the code."""

    ref: str


@dataclass(frozen=True, slots=True)
class Real:
    """A float: its name in the code. States hold none, but rules may compute with them."""

    ref: str


@dataclass(frozen=True, slots=True)
class Several:
    """A tuple, a NamedTuple or a list of values."""

    items: tuple[Value, ...]
    kind: type = tuple


@dataclass(frozen=True, slots=True)
class Pick:
    """One of some known objects, by its number."""

    objects: tuple[Any, ...]
    ref: str


@dataclass(frozen=True, slots=True)
class Maybe:
    """None where `none` is true, else a value."""

    none: str
    value: Value


@dataclass(frozen=True, slots=True)
class Span:
    """A range whose ends are only known in play; it is gone through, and nothing else."""

    start: Known | Whole
    stop: Known | Whole
    step: int


Value = Known | Whole | Truth | Real | Several | Pick | Maybe | Span


# Shapes -------------------------------------------------------------------------------------------

WHOLE, TRUTH, REAL = ("whole",), ("truth",), ("real",)
Shape = tuple[Any, ...]


class Same:
    """A known object as part of a shape: equal only to itself, or to its like of the same type."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and same(self.value, other.value)

    def __hash__(self) -> int:
        return hash(type(self.value))


def same(one: Any, other: Any) -> bool:
    """Whether two known objects cannot be told apart."""
    if one is other:
        return True
    if type(one) is not type(other) or isinstance(one, float):
        return False
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool | int | str) and one == other


def shape_of(value: Value) -> Shape:
    """What a value is but for what it comes to."""
    match value:
        case Known(known):
            return ("known", Same(known))
        case Whole():
            return WHOLE
        case Truth():
            return TRUTH
        case Real():
            return REAL
        case Several(items, kind):
            return ("several", kind, tuple(map(shape_of, items)))
        case Pick(objects):
            return ("pick", tuple(map(Same, objects)))
        case Maybe(_, inner):
            return ("maybe", shape_of(inner))
    return ("span", Same(value))


def computed(shape: Shape) -> Shape:
    """The shape of what is like a known value, but is only known in play."""
    if shape[0] == "known":
        value = shape[1].value
        if type(value) is bool:
            return TRUTH
        if type(value) is int:
            return WHOLE
        if type(value) is float:
            return REAL
        if isinstance(value, tuple | list):
            parts = tuple(computed(("known", Same(item))) for item in value)
            return ("several", type(value), parts)
        return shape
    if shape[0] == "several":
        return ("several", shape[1], tuple(map(computed, shape[2])))
    return ("maybe", computed(shape[1])) if shape[0] == "maybe" else shape


def joined(one: Shape, other: Shape) -> Shape:
    """The shape that two paths leave; refused if Python would tell them apart in kind."""
    if one == other:
        return one
    if _is_none(one) or _is_none(other):
        rest = other if _is_none(one) else one
        return rest if rest[0] == "maybe" else ("maybe", computed(rest))
    if "maybe" in (one[0], other[0]):
        inner = (s[1] if s[0] == "maybe" else s for s in (one, other))
        return ("maybe", joined(*inner))
    plain = computed(one), computed(other)
    if plain[0] == plain[1]:
        return plain[0]
    if plain[0][0] == plain[1][0] == "several":
        return _joined_tuples(*plain)
    picks = _picked(one), _picked(other)
    if picks[0] is None or picks[1] is None:
        raise Refused(f"a value that is {called(one)} on one path and {called(other)} on another")
    return ("pick", tuple(dict.fromkeys((*picks[0], *picks[1]))))


def _joined_tuples(one: Shape, other: Shape) -> Shape:
    if one[1] is not other[1] or len(one[2]) != len(other[2]):
        raise Refused(f"a value that is {called(one)} on one path and {called(other)} on another")
    parts = (joined(a, b) for a, b in zip(one[2], other[2], strict=True))
    return ("several", one[1], tuple(parts))


def _is_none(shape: Shape) -> bool:
    return shape[0] == "known" and shape[1].value is None


def _picked(shape: Shape) -> tuple[Same, ...] | None:
    """The objects that a value of a shape may be, if it is one of known objects."""
    if shape[0] == "known" and not _is_computed(shape[1].value):
        return (shape[1],)
    return shape[1] if shape[0] == "pick" else None


def _is_computed(value: Any) -> bool:
    """Whether a known value joins with another to one that is computed."""
    return type(value) in (bool, int, float) or isinstance(value, tuple | list)


def called(shape: Shape) -> str:
    """A shape in Python's words."""
    match shape[0]:
        case "known":
            value = shape[1].value
            if type(value) is int:
                return "a whole number"
            return "a truth value" if type(value) is bool else f"{value!r:.60}"
        case "whole":
            return "a whole number"
        case "truth":
            return "a truth value"
        case "real":
            return "a float"
        case "several":
            kind = shape[1].__name__
            return f"a {kind} of {len(shape[2])}" if kind in ("tuple", "list") else f"a {kind}"
        case "pick":
            return f"one of {len(shape[1])} objects"
    return "a range" if shape[0] == "span" else f"None or {called(shape[1])}"


# Words --------------------------------------------------------------------------------------------


def words_of(shape: Shape) -> Iterator[str]:
    """The LLVM types of what values of a shape are made of."""
    match shape[0]:
        case "whole" | "pick":
            yield "i64"
        case "truth":
            yield "i1"
        case "real":
            yield "double"
        case "several":
            for part in shape[2]:
                yield from words_of(part)
        case "maybe":
            yield "i1"
            yield from words_of(shape[1])


def made_of(shape: Shape, refs: Iterator[str]) -> Value:
    """The value of a shape that has these words."""
    match shape[0]:
        case "known":
            return Known(shape[1].value)
        case "whole":
            return Whole(next(refs))
        case "truth":
            return Truth(next(refs))
        case "real":
            return Real(next(refs))
        case "several":
            return Several(tuple(made_of(part, refs) for part in shape[2]), shape[1])
        case "pick":
            return Pick(tuple(one.value for one in shape[1]), next(refs))
    return Maybe(next(refs), made_of(shape[1], refs))


def refs_of(value: Value, shape: Shape) -> Iterator[str]:
    """The words of a value as one of a shape that it can be joined to."""
    match shape[0]:
        case "whole":
            yield str(value.value) if isinstance(value, Known) else value.ref  # type: ignore[union-attr]
        case "truth":
            yield _truth_ref(value)
        case "real":
            yield literal(value.value) if isinstance(value, Known) else value.ref  # type: ignore[union-attr]
        case "several":
            for item, part in zip(items_of(value), shape[2], strict=True):
                yield from refs_of(item, part)
        case "pick":
            yield _pick_ref(value, shape)
        case "maybe":
            if isinstance(value, Known) and value.value is None:
                yield "true"
                yield from (NOTHING[word] for word in words_of(shape[1]))
            elif isinstance(value, Maybe):
                yield value.none
                yield from refs_of(value.value, shape[1])
            else:
                yield "false"
                yield from refs_of(value, shape[1])


NOTHING = {"i1": "false", "i64": "0", "double": "0.0"}
"""The words where there is no value."""


def _truth_ref(value: Value) -> str:
    if isinstance(value, Known):
        return "true" if value.value else "false"
    assert isinstance(value, Truth)
    return value.ref


def _pick_ref(value: Value, shape: Shape) -> str:
    """The number of an object; where the lists differ, one must begin like the other."""
    if isinstance(value, Known):
        return str(shape[1].index(Same(value.value)))
    assert isinstance(value, Pick)
    if tuple(map(Same, value.objects)) != shape[1][: len(value.objects)]:
        raise Refused("a choice between objects that two paths list differently")
    return value.ref


def items_of(value: Value) -> tuple[Value, ...]:
    """What a tuple or a list holds."""
    if isinstance(value, Several):
        return value.items
    if isinstance(value, Known) and isinstance(value.value, tuple | list | range):
        return tuple(map(Known, value.value))
    raise Refused(f"going through {called(shape_of(value))}")


def all_known(values: Sequence[Value]) -> bool:
    """Whether Python knows all of them already."""
    return all(isinstance(value, Known) for value in values)
