"""Variables: the numbers that states of programs and files are made of, packed in bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import OptionError
from oddsmith.model.names import Names
from oddsmith.runtime.frozen import freeze, read_only

Ints = npt.NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Variable:
    """A number that every state has: a whole number from low to high, or a truth value."""

    name: str
    low: int
    high: int
    is_bool: bool = False

    @property
    def bits(self) -> int:
        """Bits that hold the number, less its lowest value."""
        return (self.high - self.low).bit_length()


class Layout:
    """Where each variable lies in the words of a packed state.

    A field never straddles two words; fields are placed in order, each in the first word with
    room after the last field.
    """

    def __init__(self, variables: Sequence[Variable]) -> None:
        self.variables = tuple(variables)
        self.word: list[int] = []
        self.shift: list[int] = []
        word, used = 0, 0
        for v in self.variables:
            if used + v.bits > 64:
                word, used = word + 1, 0
            self.word.append(word)
            self.shift.append(used)
            used += v.bits
        self.words = word + 1
        self.number = {v.name: i for i, v in enumerate(self.variables)}

    def unpack(self, packed: npt.NDArray[np.uint64], variable: int) -> npt.NDArray[np.int64]:
        """The values of a variable in packed states (states × words)."""
        v = self.variables[variable]
        if v.bits == 0:
            return np.full(len(packed), v.low, np.int64)
        field_ = packed[:, self.word[variable]] >> np.uint64(self.shift[variable])
        if v.bits < 64:
            field_ &= np.uint64((1 << v.bits) - 1)
        return field_.astype(np.int64) + v.low

    def pack(self, columns: Sequence[Ints]) -> npt.NDArray[np.uint64]:
        """Packed states from the values of every variable."""
        count = len(columns[0]) if columns else 1
        packed = np.zeros((count, self.words), np.uint64)
        for i, v in enumerate(self.variables):
            field_ = (np.asarray(columns[i], np.int64) - v.low).astype(np.uint64)
            packed[:, self.word[i]] |= field_ << np.uint64(self.shift[i])
        return packed


class State(tuple[int | bool, ...]):
    """What every variable is in one state: `state.x`, printed as (x=3, done=true)."""

    names: tuple[str, ...]

    @classmethod
    def of(cls, names: tuple[str, ...], values: Sequence[int | bool]) -> State:
        """The state with these values."""
        made = cls(values)
        made.names = names
        return made

    def __getattr__(self, name: str) -> int | bool:
        try:
            return self[self.names.index(name)]
        except ValueError:
            raise AttributeError(f"a state has no variable {name!r}") from None

    def __repr__(self) -> str:
        return f"({text_of(self.names, self)})"


def text_of(names: Sequence[str], values: Sequence[int | bool]) -> str:
    """One state for people: `s=3, done=true`."""
    return ", ".join(
        f"{name}={'true' if value else 'false'}" if isinstance(value, bool) else f"{name}={value}"
        for name, value in zip(names, values, strict=True)
    )


@dataclass(frozen=True, eq=False)
class Valuations(Names):
    """States by what every variable is in them."""

    layout: Layout
    packed: npt.NDArray[np.uint64]
    """States × words."""

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.packed)

    def __getitem__(self, index: int) -> State:
        values = zip(self.variables, self.values(index), strict=True)
        return State.of(self.columns, [bool(x) if v.is_bool else x for v, x in values])

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in order."""
        return self.layout.variables

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(v.name for v in self.variables)

    @cached_property
    def rows(self) -> npt.NDArray[np.int64]:
        """Every state as a row of whole numbers (states × variables)."""
        rows = np.empty((len(self), len(self.variables)), np.int64)
        for i in range(len(self.variables)):
            rows[:, i] = self.layout.unpack(self.packed, i)
        return read_only(rows)

    def column(self, name: int | str) -> npt.NDArray[np.int64]:
        """The values of one variable in all states."""
        if isinstance(name, str) and name not in self.layout.number:
            raise OptionError(
                f"A state has no variable {name!r}; it has {', '.join(self.columns)}."
            )
        number = self.layout.number[name] if isinstance(name, str) else name
        return self.layout.unpack(self.packed, number)

    def values(self, state: int) -> list[int]:
        """The values of all variables in one state."""
        one = self.packed[state : state + 1]
        return [int(self.layout.unpack(one, i)[0]) for i in range(len(self.variables))]

    def describe(self, state: int) -> str:
        """One state for people: `s=3, done=true`."""
        return text_of(self.columns, self[state]) or f"state {state}"

    def place(self, state: Any) -> int:
        """The number of a state."""
        word = self.layout.pack([np.array([value]) for value in state])[0]
        return int(np.nonzero((self.packed == word).all(axis=1))[0][0])

    def subset(self, indices: npt.NDArray[Any]) -> Valuations:
        """The valuations of some states, in the order given."""
        return Valuations(self.layout, self.packed[indices])

    @property
    def nbytes(self) -> int:
        """Bytes the states take."""
        return self.packed.nbytes
