"""Names: the states of a model by their own names, however they are stored.

A state of a game is its own `State`, a state of a program or a file the values of its variables
(`variables.py`). Either way states are, as a rule, rows of whole numbers, each with a name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import OptionError, RuleError
from oddsmith.rules.layout import Layout, layout_of
from oddsmith.runtime.frozen import freeze, read_only

if TYPE_CHECKING:
    from oddsmith.rules.game import Game

Int64s = npt.NDArray[np.int64]


class Names(ABC):
    """Every state of a model by its own name."""

    @property
    def why_no_rows(self) -> str:
        """Why the states are no rows of whole numbers; empty where they are."""
        return ""

    @abstractmethod
    def __len__(self) -> int:
        """Number of states."""

    @abstractmethod
    def __getitem__(self, index: int) -> Any:
        """The state with a number."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The names of the numbers of a state."""

    @property
    @abstractmethod
    def rows(self) -> Int64s:
        """Every state as a row of whole numbers (states × columns)."""

    @abstractmethod
    def column(self, name: str) -> Int64s:
        """The values of one number of the state, such as `positions[0]` or `turn`."""

    @abstractmethod
    def subset(self, indices: npt.NDArray[Any]) -> Names:
        """The names of some states, in the order given."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Bytes the states take."""

    @abstractmethod
    def place(self, state: Any) -> int:
        """The number of a state."""

    def take(self, indices: npt.NDArray[Any]) -> list[Any]:
        """Some states."""
        return [self[int(i)] for i in indices]

    def describe(self, state: int) -> str:
        """One state for people."""
        return repr(self[state])


@dataclass(frozen=True)
class GameNames(Names):
    """The states of a game: packed by their layout, ranked by the game, or kept as they are.

    Exactly one of `packed`, `ranks` and `objects` is given. `layout` is None, or a text that
    says why, when states are not rows of whole numbers.
    """

    game: Game
    layout: Layout | str
    packed: Int64s | None = None
    ranks: Int64s | None = None
    objects: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        for kept in (self.packed, self.ranks, self.objects):
            if kept is not None:
                return len(kept)
        return 0

    def __getitem__(self, index: int) -> Any:
        if self.objects is not None:
            return self.objects[index]
        if self.ranks is not None:
            return self.game.unrank(int(self.ranks[index]))  # type: ignore[attr-defined]
        assert isinstance(self.layout, Layout)
        assert self.packed is not None
        return self.layout.packed_state(self.packed[index].tolist())

    def take(self, indices: npt.NDArray[Any]) -> list[Any]:
        """Some states, faster than one by one."""
        if self.packed is None:
            return [self[int(i)] for i in indices]
        assert isinstance(self.layout, Layout)
        rows = self.layout.unpack(self.packed[indices]).tolist()
        return list(map(self.layout.builder, rows))

    def place(self, state: Any) -> int:
        """The number of a state."""
        if self.packed is not None:
            layout = self._rows_layout
            word = layout.pack(np.array([layout.row(state)], np.int64))[0]
            return int(np.nonzero((self.packed == word).all(axis=1))[0][0])
        if self.ranks is not None:
            return int(np.nonzero(self.ranks == self.game.rank(state))[0][0])  # type: ignore[attr-defined]
        assert self.objects is not None
        return self.objects.index(state)

    @property
    def nbytes(self) -> int:
        """Bytes the states take, where they are numbers."""
        kept = self.packed if self.packed is not None else self.ranks
        return 0 if kept is None else kept.nbytes

    def subset(self, indices: npt.NDArray[Any]) -> GameNames:
        """The names of some states, in the order given."""
        if self.objects is not None:
            return replace(self, objects=[self.objects[int(i)] for i in indices])
        packed = None if self.packed is None else self.packed[indices]
        ranks = None if self.ranks is None else self.ranks[indices]
        return replace(self, packed=packed, ranks=ranks)

    @property
    def why_no_rows(self) -> str:
        """Why the states are no rows of whole numbers; empty where they are."""
        return self.layout if isinstance(self.layout, str) else ""

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the numbers of a state."""
        return tuple(c.name for c in self._rows_layout.columns)

    @property
    def _rows_layout(self) -> Layout:
        if isinstance(self.layout, str):
            raise OptionError(f"The states of {self.game.name} are not rows: {self.layout}.")
        return self.layout

    @cached_property
    def rows(self) -> Int64s:
        """Every state as a row of whole numbers (states × columns)."""
        layout = self._rows_layout
        if self.packed is not None:
            return read_only(layout.unpack(self.packed))
        rows = np.empty((len(self), len(layout.columns)), np.int64)
        for i in range(len(self)):
            rows[i] = layout.row(self[i])
        return read_only(rows)

    def column(self, name: str) -> Int64s:
        """The values of one number of the state, such as `positions[0]` or `turn`."""
        names = self.columns
        if name not in names:
            raise OptionError(
                f"A state of {self.game.name} has no number {name!r}; it has {', '.join(names)}."
            )
        return self.rows[:, names.index(name)]

    def turned(self, base: npt.NDArray[Any], lane: npt.NDArray[Any]) -> GameNames:
        """The names of the states (base, lane) of the full chain: views turned back by lane.

        In a mover-relative state the mover sits in seat 0; when the mover is player j, the
        entry of player i is the one of seat i - j.
        """
        if not isinstance(self.layout, Layout):
            states = [turned(self.game, self[b], int(k)) for b, k in zip(base, lane, strict=True)]
            return GameNames(self.game, self.layout, objects=states)
        layout = layout_of(self.game, self.layout.template)
        assert isinstance(layout, Layout)
        rows = self.rows[base]
        players = self.game.players
        for seats in layout.seats():
            relative = rows[:, seats]
            source = (np.arange(players)[None, :] - lane[:, None]) % players
            rows[:, seats] = np.take_along_axis(relative, source, axis=1)
        turn = [c.name for c in layout.columns].index("turn")
        rows[:, turn] = lane
        return GameNames(self.game, layout, packed=layout.pack(rows))


def mover_view(game: Game, state: Any) -> tuple[Any, int]:
    """A state as its mover sees it, and the number of seats the view was turned by."""
    lane, players = state.turn, game.players
    if not 0 <= lane < players:
        raise RuleError(f"{type(game).__name__}: turn = {lane} is no player in {state!r}.")
    fields = {name: getattr(state, name) for name in game.interchangeable}
    for name, value in fields.items():
        if not isinstance(value, tuple) or len(value) != players:
            has = f"{len(value)} entries" if isinstance(value, tuple) else "one number"
            raise RuleError(
                f"{type(game).__name__}.interchangeable names {name!r}, which has {has} for "
                f"{players} players in {state!r}."
            )
    return turned(game, state, -lane), lane


def turned(game: Game, state: Any, seats: int) -> Any:
    """A state with every player moved on by some seats."""
    players = game.players
    fields = {name: getattr(state, name) for name in game.interchangeable}
    moved = {
        name: tuple(value[(i - seats) % players] for i in range(players))
        for name, value in fields.items()
    }
    return state._replace(turn=(state.turn + seats) % players, **moved)
