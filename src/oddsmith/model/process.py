"""Process: a model as a model checker sees it.

States, choices and transitions in compressed rows, as in `Model`: state s has the choices
`choice[s] … choice[s+1]-1`, choice c leads to the states `col[row[c]:row[c+1]]` with the chances
`chance[row[c]:row[c+1]]`. Every state has at least one choice (a deadlock has a loop). A process
with one choice a state is a Markov chain (`dtmc`), with several a decision process (`mdp`); in a
turn-based game (`smg`) every state has an owner who decides.

Chances and rewards are `Amounts`: an index into a table of distinct values. So a process is
exact whatever its size, and a transition takes eight bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from oddsmith.runtime.frozen import freeze, read_only

Ints = npt.NDArray[np.integer[Any]]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Kind = Literal["dtmc", "mdp", "smg"]


@dataclass(frozen=True, eq=False)
class Amounts:
    """Many numbers of which few differ: number i is `values[index[i]]`.

    `exact` has the same numbers as fractions; it is None where they are not known as such
    (logarithms, roots, or fractions too long for 64 bits).
    """

    index: npt.NDArray[np.int32]
    values: Floats
    exact: Sequence[Fraction] | None = None

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.index)

    @property
    def floats(self) -> Floats:
        """All the numbers, as floats."""
        return self.values[self.index]

    def fraction(self, i: int) -> Fraction:
        """Number i as a fraction."""
        assert self.exact is not None
        return self.exact[int(self.index[i])]

    @classmethod
    def of(cls, numbers: Sequence[Fraction | int]) -> Amounts:
        """Amounts from fractions, one by one; for small models."""
        table: dict[Fraction, int] = {}
        index = [table.setdefault(Fraction(x), len(table)) for x in numbers]
        exact = list(table)
        return cls(np.array(index, np.int32), np.array([float(x) for x in exact]), exact)

    @classmethod
    def of_floats(cls, numbers: Floats) -> Amounts:
        """Amounts from floats, not known exactly."""
        values, index = np.unique(numbers, return_inverse=True)
        return cls(index.astype(np.int32), values.astype(np.float64), None)


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


@dataclass(frozen=True, eq=False)
class Valuations:
    """What every variable is in every state."""

    layout: Layout
    packed: npt.NDArray[np.uint64]
    """States × words."""

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def variables(self) -> tuple[Variable, ...]:
        """The variables, in order."""
        return self.layout.variables

    def column(self, variable: int | str) -> npt.NDArray[np.int64]:
        """The values of one variable in all states."""
        number = self.layout.number[variable] if isinstance(variable, str) else variable
        return self.layout.unpack(self.packed, number)

    def values(self, state: int) -> list[int]:
        """The values of all variables in one state."""
        one = self.packed[state : state + 1]
        return [int(self.layout.unpack(one, i)[0]) for i in range(len(self.variables))]

    def describe(self, state: int) -> str:
        """One state for people: `s=3, done=true`."""
        shown = zip(self.variables, self.values(state), strict=True)
        return ", ".join(
            f"{v.name}={'true' if x else 'false'}" if v.is_bool else f"{v.name}={x}"
            for v, x in shown
        )


@dataclass(frozen=True, eq=False)
class Rewards:
    """A reward structure: what being in a state earns, and what taking a choice earns.

    The reward of a choice is the mean over its outcomes where outcomes earn differently.
    """

    state: Amounts | None = None
    choice: Amounts | None = None


@dataclass(frozen=True, eq=False)
class Process:
    """A Markov chain, decision process or turn-based game; see the module's docstring."""

    kind: Kind
    choice: npt.NDArray[np.int64]
    row: npt.NDArray[np.int64]
    col: npt.NDArray[np.int32]
    chance: Amounts
    initial: npt.NDArray[np.int64]
    """The initial states, in ascending order."""
    valuations: Valuations
    labels: Mapping[str, Bools] = field(default_factory=dict)
    """Named sets of states; "init" and "deadlock" are always there."""
    rewards: Mapping[str, Rewards] = field(default_factory=dict)
    actions: tuple[str, ...] = ("",)
    action: npt.NDArray[np.int32] | None = None
    """Which of the actions each choice has; None where all have the first."""
    players: tuple[str, ...] = ()
    owner: npt.NDArray[np.int8] | None = None
    """In a game, the player who decides in each state."""
    name: str = "the model"
    notes: tuple[str, ...] = ()
    """Warnings: overlapping commands, deadlocks that got a loop."""
    rounded: bool = False
    """Whether it was read from decimals or floats that are likely to be rounded fractions."""

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.choice) - 1

    @property
    def choices(self) -> int:
        """Number of choices."""
        return len(self.row) - 1

    @property
    def transitions(self) -> int:
        """Number of transitions."""
        return len(self.col)

    @property
    def is_chain(self) -> bool:
        """Whether no state has more than one choice."""
        return self.choices == self.states

    @cached_property
    def state_row(self) -> npt.NDArray[np.int64]:
        """Row pointers of the graph on states, all choices of a state together."""
        return self.row if self.is_chain else read_only(self.row[self.choice])

    @cached_property
    def chooser(self) -> npt.NDArray[np.int32]:
        """The state that each choice belongs to."""
        numbers = np.arange(self.states, dtype=np.int32)
        return read_only(np.repeat(numbers, np.diff(self.choice)))

    def describe(self, state: int) -> str:
        """One state for people."""
        return self.valuations.describe(state) or f"state {state}"
