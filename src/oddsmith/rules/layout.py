"""Layout: how a state, a tree of whole numbers, is laid out as a row and packed into words.

The leaves of a state (each number inside its fields, nested tuples included) are the columns of
a row. A column with known range of m values is a digit of radix m; a column without one is a
digit of radix 2^32. Digits are packed in mixed radix into as few 63-bit words as they need,
first column most significant. With one word and a small product of radices the word is itself a
perfect index: no two states share it and no hashing is needed.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property, lru_cache
from operator import gt, lt
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import RuleError
from oddsmith.rules.state_values import kinds_of, refusal

if TYPE_CHECKING:
    from oddsmith.rules.game import Game

WORD = 1 << 62
FREE = 1 << 32
"""Radix of a number whose range is not known: it must fit in 32 bits."""

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Column:
    """One number of a state: its name, the field it is in and the values it can take."""

    name: str
    field: str
    low: int
    radix: int


@dataclass(frozen=True)
class Layout:
    """The columns of a game's states, and the packing of a row of them into words."""

    game: Game
    columns: tuple[Column, ...]
    template: Any = field(repr=False)

    @cached_property
    def low(self) -> Rows:
        """Smallest value of each column."""
        return np.array([c.low for c in self.columns], np.int64)

    @cached_property
    def radix(self) -> Rows:
        """Number of values of each column."""
        return np.array([c.radix for c in self.columns], np.int64)

    @cached_property
    def word(self) -> Rows:
        """The word each column is packed into."""
        words, product = [0] * len(self.columns), 1
        for i, column in enumerate(self.columns):
            if product * column.radix > WORD:
                words[i:] = [words[i] + 1] * (len(words) - i)
                product = 1
            product *= column.radix
        return np.array(words, np.int64)

    @property
    def words(self) -> int:
        """Number of words a state is packed into."""
        return int(self.word[-1]) + 1 if self.columns else 1

    @cached_property
    def codes(self) -> int:
        """Number of different words if there is one word, else 0."""
        product = 1
        for column in self.columns:
            product *= column.radix
        return product if self.words == 1 else 0

    def row(self, state: Any) -> list[int]:
        """The numbers of a state, column by column."""
        return list(map(int, numbers(state)))

    def pack(self, rows: Rows) -> Rows:
        """Rows (n × columns) to words (n × words)."""
        packed = np.zeros((len(rows), self.words), np.int64)
        for i in range(len(self.columns)):
            word = packed[:, self.word[i]]
            word *= self.radix[i]
            word += rows[:, i] - self.low[i]
        return packed

    def unpack(self, packed: Rows) -> Rows:
        """Words back to rows: the inverse of `pack`."""
        rest = packed.copy()
        rows = np.empty((len(packed), len(self.columns)), np.int64)
        for i in reversed(range(len(self.columns))):
            rest[:, self.word[i]], digit = np.divmod(rest[:, self.word[i]], self.radix[i])
            rows[:, i] = digit + self.low[i]
        return rows

    def state(self, row: Rows | list[int]) -> Any:
        """The state that a row stands for."""
        return _rebuild(self.template, iter(row))

    @cached_property
    def kinds(self) -> tuple[Any, ...]:
        """The types of what a state holds, if they are those of the template."""
        return kinds_of(self.template)

    @cached_property
    def bounds(self) -> tuple[list[int], list[int]]:
        """The smallest value of each column, and the largest."""
        return [c.low for c in self.columns], [c.low + c.radix - 1 for c in self.columns]

    def holds(self, state: Any) -> bool:
        """Whether all numbers of a state with the types of the template are in range."""
        found, (low, high) = numbers(state), self.bounds
        return not (any(map(lt, found, low)) or any(map(gt, found, high)))

    @cached_property
    def digits(self) -> list[tuple[int, int, int, int]]:
        """Column, word, radix and smallest value, in the order in which a word is unpacked."""
        entries = zip(self.word.tolist(), self.radix.tolist(), self.low.tolist(), strict=True)
        return [(i, *entry) for i, entry in enumerate(entries)][::-1]

    def packed_state(self, words: list[int]) -> Any:
        """The state that is packed into some words: one alone, faster than arrays."""
        row = [0] * len(self.columns)
        for i, word, radix, low in self.digits:
            words[word], digit = divmod(words[word], radix)
            row[i] = digit + low
        return self.builder(row)

    @cached_property
    def builder(self) -> Callable[[list[int]], Any]:
        """A function that makes the state of a row, for many rows."""
        return _builder(self.template, 0)[0]

    def seats(self) -> Rows:
        """For each interchangeable field, its columns in seat order (fields × players)."""
        names = self.game.interchangeable
        table = [[i for i, c in enumerate(self.columns) if c.field == name] for name in names]
        players = self.game.players
        blocks = []
        for name, found in zip(names, table, strict=True):
            if len(found) % players:
                raise RuleError(
                    f"{type(self.game).__name__}.interchangeable names {name!r}, which has "
                    f"{len(found)} numbers for {players} players: one entry a player is needed."
                )
            width = len(found) // players
            blocks += [found[k::width] for k in range(width)]
        return np.array(blocks, np.int64).reshape(-1, players)


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every number inside a state with its name, in order."""
    if isinstance(value, tuple):
        fields = getattr(value, "_fields", None)
        for i, item in enumerate(value):
            if fields is None:
                yield from leaves(item, f"{name}[{i}]")
            else:
                yield from leaves(item, f"{name}.{fields[i]}" if name else fields[i])
    else:
        yield name, value


def numbers(values: tuple[Any, ...]) -> list[Any]:
    """Every number inside a state, in order."""
    found = []
    for value in values:
        if isinstance(value, tuple):
            found += numbers(value)
        else:
            found.append(value)
    return found


def _rebuild(template: Any, row: Iterator[Any]) -> Any:
    if isinstance(template, tuple):
        items = [_rebuild(item, row) for item in template]
        make = getattr(type(template), "_make", tuple)
        return make(items)
    return _kind(template)(next(row))


def _kind(leaf: Any) -> Callable[[Any], Any]:
    """What makes a number of a row the leaf of a state: True, 3 or the member of an IntEnum."""
    return type(leaf) if isinstance(leaf, bool | Enum) else int


def _builder(template: Any, first: int) -> tuple[Callable[[list[int]], Any], int]:
    """A function that makes a value like the template of a row, and the column after its last."""
    if not isinstance(template, tuple):
        kind = _kind(template)
        return (lambda row: kind(row[first])), first + 1
    make = getattr(type(template), "_make", tuple)
    if all(type(item) is int for item in template):
        last = first + len(template)
        return (lambda row: make(row[first:last])), last
    parts, column = [], first
    for item in template:
        part, column = _builder(item, column)
        parts.append(part)
    return (lambda row: make([part(row) for part in parts])), column


def layout_of(game: Game, start: Any) -> Layout | str:
    """The layout of a game's states, or the reason why its states are not rows of numbers."""
    ranges = game.ranges()
    for name, values in ranges.items():
        if name not in game.State._fields:
            raise RuleError(f"{type(game).__name__}.ranges names {name!r}, which State has not.")
        if isinstance(values, range) and max(abs(values.start), abs(values.stop)) > WORD:
            raise RuleError(
                f"{type(game).__name__}.ranges: {name} must be numbers of at most 62 bits, not "
                f"{values!r}."
            )
        if not isinstance(values, range) or values.step != 1 or len(values) == 0:
            raise RuleError(
                f"{type(game).__name__}.ranges: {name} must be a range such as range(64), "
                f"not {values!r}."
            )
    columns = []
    for name, value in leaves(start):
        top = name.split("[")[0].split(".")[0]
        if not isinstance(value, int):
            return f"field {name} holds {type(value).__name__} values, not whole numbers"
        if isinstance(value, bool):
            columns.append(Column(name, top, 0, 2))
        elif top in ranges:
            columns.append(Column(name, top, ranges[top].start, len(ranges[top])))
        elif name == "turn":
            columns.append(Column(name, top, 0, game.players))
        else:
            columns.append(Column(name, top, -FREE // 2, FREE))
    layout = Layout(game, tuple(columns), start)
    check_ranges(layout, start, lambda: "start")
    return layout


def check_state(game: Game, layout: Layout | str, state: Any, origin: Callable[[], str]) -> None:
    """Refuse a state of the wrong type, or with a field of the wrong type or out of range.

    `origin` says where the state comes from, if there is something to be said.
    """
    if type(state) is not game.State:
        hint = ": does it end without `return`?" if state is None else "."
        raise RuleError(
            f"{type(game).__name__}.{origin()} must give a {type(game).__name__}.State, but gave "
            f"{state!r} ({type(state).__name__}){hint}"
        )
    kinds = kinds_of(state)
    if kinds not in game.seen.kinds:
        wrong = _wrong_types(game, state)
        if wrong:
            raise RuleError(f"{type(game).__name__}.{origin()} gave {state!r}: {wrong}.")
        game.seen.kinds.add(kinds)
    if isinstance(layout, Layout) and not (kinds == layout.kinds and layout.holds(state)):
        check_ranges(layout, state, origin)


def check_ranges(layout: Layout, state: Any, origin: Callable[[], str]) -> None:
    """Refuse a state with a number that is out of range."""
    for column, (name, value) in zip(layout.columns, leaves(state), strict=False):
        if column.name != name or not isinstance(value, int):
            continue
        if not column.low <= value < column.low + column.radix:
            _raise_range(f"{type(layout.game).__name__}.{origin()}", column, value, state)


def _wrong_types(game: Game, state: Any) -> str:
    """What is wrong with the types inside a state, in words; nothing if they are in order."""
    hints = _annotations(game.State)
    for name, value in zip(state._fields, state, strict=True):
        wrong = _misfit(hints.get(name), value)
        if wrong:
            return f"{name} {wrong}"
    return refusal(state, game.seen)


@lru_cache
def _annotations(state: Any) -> dict[str, Any]:
    """The types of a state's fields, where they can be told."""
    try:
        return typing.get_type_hints(state)
    except (NameError, TypeError):
        return {}


def whole_number_hint(value: Any) -> str:
    """How to make a whole number of what is nearly one, as the tail of a sentence."""
    numpys = type(value).__module__.partition(".")[0] == "numpy"
    near = numpys and getattr(value, "ndim", 1) == 0
    return ": write int(…) around it." if near or isinstance(value, bool) else ""


def _misfit(kind: Any, value: Any) -> str:
    """What is wrong with a value of an annotated field, in words; nothing if it fits."""
    if kind is int and isinstance(value, float) and value.is_integer():
        return f"must be a whole number, not {value!r}: write // where whole numbers are divided"
    if kind is int and (not isinstance(value, int) or isinstance(value, bool)):
        return f"must be a whole number, not {value!r}{whole_number_hint(value).rstrip('.')}"
    if kind is bool and not isinstance(value, bool):
        return f"must be True or False, not {value!r}"
    if typing.get_origin(kind) is not tuple:
        return ""
    if not isinstance(value, tuple):
        return f"must be a tuple, not {value!r}"
    kinds = typing.get_args(kind)
    if len(kinds) == 2 and kinds[1] is ...:
        kinds = (kinds[0],) * len(value)
    if len(kinds) != len(value):
        return f"must have {len(kinds)} entries, not {value!r}"
    return next(filter(None, map(_misfit, kinds, value)), "")


def _raise_range(where: str, column: Column, value: int, state: Any) -> None:
    last = column.low + column.radix - 1
    here = f"{where} gave {state!r}: {column.name} = {value}"
    text = f"{here} is outside its range {column.low} to {last}"
    if column.name == "turn":
        text += ": it says whose turn it is, and players are numbered from 0"
    elif column.radix == FREE:
        text += ": numbers of a state have 32 bits"
    raise RuleError(f"{text}.")
