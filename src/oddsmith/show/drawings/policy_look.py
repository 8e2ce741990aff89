"""What pictures of a policy share: names of axes, small print, and a colour for each move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import OptionError
from oddsmith.model.condition import PART
from oddsmith.policies import regions
from oddsmith.policies.table import NO_MOVE, Table
from oddsmith.rules.game import Game
from oddsmith.rules.options import suggestion
from oddsmith.show.drawings.cells import Cells
from oddsmith.show.drawings.heading import setting
from oddsmith.show.pictures.spec import Ints, Key
from oddsmith.show.pictures.theme import LIGHT, gradient, hexadecimal

MOST_NAMED = 12
"""Moves that a legend names."""

TURBO = (
    *("#3d358b", "#455ed3", "#4682f8", "#37a8fa", "#1fc9dd", "#19e3b9", "#3cf58e", "#71fe5f"),
    *("#a1fd3d", "#c8ef34", "#e7d739", "#fbb838", "#fe932a", "#f46617", "#e2430a", "#c82803"),
    "#a11201",
)
"""For more moves than there are inks (the colour map turbo by A. Mikhailov)."""


@dataclass(frozen=True)
class Look:
    """What the numbers of a state are called in a picture."""

    table: Table
    labels: Mapping[str, str] = field(default_factory=dict)
    """What to call a number, where not by its own name."""

    def __post_init__(self) -> None:
        for name in self.labels:
            self.table.names.column(name)  # an unknown name is an error here

    def label(self, name: str) -> str:
        """The label of an axis."""
        table = self.table
        if name in self.labels:
            return self.labels[name]
        if not table.relative or name.split("[")[0] not in table.game.interchangeable:
            return name
        seat = int(name.split("[")[1].split("]")[0])
        if seat == 0:
            return f"{name}, the mover's"
        return f"{name}, the opponent's" if table.game.players == 2 else f"{name}, {seat} after"

    def small(self, cells: Cells) -> str:
        """The small print: what was fixed, players and options."""
        game = self.table.game
        where = [self.where(cells)] if cells.where else []
        return " · ".join([*where, setting(game.players, game.described)])

    def where(self, cells: Cells) -> str:
        """What was fixed, in words."""
        parts = []
        for part in cells.where.split("&") if cells.where else []:
            match = PART.match(part)
            assert match is not None
            name, comparison, number = match.groups()
            sign = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥"}.get(comparison, comparison)
            parts.append(f"{self.labels.get(name, name)} {sign} {number}")
        return ", ".join(parts)


def moves_on(cells: Cells) -> Ints:
    """The move in each cell: NO_MOVE where the game is over, -1 where there is no state."""
    action = np.where(regions.decided(cells.table), cells.table.action, NO_MOVE)
    return cells.of(action.astype(np.int64), -1)


def inks(table: Table, code: npt.NDArray[Any], few: Sequence[str]) -> dict[int, str]:
    """The colour of each move by its number.

    In a game with few moves each has its own in every picture; of many, those that occur have one.
    """
    moves = list(range(len(table.game.actions)))
    if len(moves) > len(few):
        moves = [int(move) for move in np.unique(code) if 0 <= move < NO_MOVE]
    return dict(zip(moves, palette(len(moves), few), strict=True))


def palette(count: int, few: Sequence[str]) -> list[str]:
    """So many colours: the given ones if they are enough."""
    if count <= len(few):
        return list(few[:count])
    return hexadecimal(gradient(TURBO, np.linspace(0, 1, count)))


def present(code: npt.NDArray[Any]) -> list[int]:
    """The moves that occur: as the game has them if a legend can name all, else by frequency."""
    found, counts = np.unique(code[code >= 0], return_counts=True)
    if len(found) > MOST_NAMED:
        found = found[np.argsort(-counts, kind="stable")]
    return [int(move) for move in found]


def keys(named: Sequence[tuple[str, str]]) -> list[Key]:
    """A legend of names with their colours, as many as it may have."""
    found = [Key(name, colour) for name, colour in named[:MOST_NAMED]]
    return found + left_out(len(named) - MOST_NAMED)


def left_out(count: int) -> list[Key]:
    """What a legend says of those that it does not name."""
    return [Key(f"… and {count} more", "paper")] if count > 0 else []


def number_of(game: Game, move: str) -> int:
    """The number of a move by its name."""
    names = game.action_numbers
    if move not in names:
        raise OptionError(f"{game.name} has no move {move!r}: {suggestion(move, names)}")
    return names[move]


def called(table: Table, move: int) -> str:
    """The name of a move by its number."""
    return "game over" if move == NO_MOVE else table.game.actions[move].name


FLAT_INKS = tuple(f"ink {i}" for i in range(len(LIGHT.inks)))
"""The colours of moves on a map: the theme's."""
