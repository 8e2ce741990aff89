"""Cells: the states of a table along two or three of their numbers, and the faces between them.

A cell is a state; it reaches half way to the next value that its number takes in any state, so
values that never occur leave no hole. Faces are rectangles with corners (n × 4 × 3); everything
here is geometry on arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import LimitError, OptionError
from oddsmith.model.amounts import Bools
from oddsmith.model.condition import PART, matching
from oddsmith.model.model import GOES_ON
from oddsmith.policies.regions import decided, model_of, varying
from oddsmith.policies.table import Table
from oddsmith.show.pictures.spec import Floats, Ints

MOST_CELLS = 50_000_000


@dataclass(frozen=True, eq=False)
class Cells:
    """States of a table on a grid: `states` holds the number of the state in each cell, or -1."""

    table: Table
    axes: tuple[str, ...]
    where: str
    """The condition that picked them; empty if none was needed."""
    values: tuple[Ints, ...]
    """The values along each axis."""
    states: npt.NDArray[np.int64]

    @cached_property
    def edges(self) -> tuple[Floats, ...]:
        """Where cells end along each axis: half way to the next value."""
        return tuple(_edges(values) for values in self.values)

    @property
    def known(self) -> Bools:
        """The cells that hold a state."""
        return self.states >= 0

    def of(self, column: npt.NDArray[Any], missing: Any) -> npt.NDArray[Any]:
        """A column of the table on the grid, with something else where there is no state."""
        return np.where(self.known, column[self.states], missing)


def _edges(values: Ints) -> Floats:
    if len(values) == 1:
        return np.array([values[0] - 0.5, values[0] + 0.5])
    middle = (values[1:] + values[:-1]) / 2
    first, last = values[0] - (middle[0] - values[0]), values[-1] + (values[-1] - middle[-1])
    return np.concatenate([[first], middle, [last]])


def cells_of(table: Table, axes: Sequence[str | None], where: str | None = None) -> Cells:
    """The states of a table that satisfy a condition, along some numbers of the state.

    An axis that is None is the first number that is left: not the turn, not named otherwise, and
    not the same in all of the states. The turn is the first player's, if nothing says whose.
    """
    where = _with_turn(table, axes, where)
    kept = matching(table.names, where) if where else np.ones(len(table), bool)
    over = model_of(table).winners != GOES_ON
    mine = np.nonzero(kept & decided(table))[0]
    if not len(mine):
        raise OptionError(
            f"There is nothing to decide in {table.game.name} where {where}."
            if where
            else f"There is nothing to decide in {table.game.name}."
        )
    named = _named_axes(table, axes, where, mine)
    ends = np.nonzero(kept & over)[0]
    rows = [table.names.column(name) for name in named]
    values = tuple(np.unique(row[np.concatenate([mine, ends])]) for row in rows)
    size = int(np.prod([float(len(each)) for each in values]))
    if size > MOST_CELLS:
        raise LimitError(
            f"A figure of {' × '.join(named)} would have {size:,} cells: keep fewer states with "
            f"where, such as {named[0]}<100."
        )
    grid = np.full(tuple(len(each) for each in values), -1, np.int64)
    for states in (ends, mine):  # where both share a cell, the one with a decision is shown
        places = [
            np.searchsorted(each, row[states]) for each, row in zip(values, rows, strict=True)
        ]
        flat = np.ravel_multi_index(tuple(places), grid.shape)
        grid.ravel()[flat] = states
    if np.count_nonzero(grid.ravel()[flat] == mine) < len(mine):
        raise _not_told_apart(table, named, mine)
    return Cells(table, named, where, values, grid)


def _with_turn(table: Table, axes: Sequence[str | None], where: str | None) -> str:
    """The condition, with a turn where the states have one that nothing names."""

    given = where or ""
    relative = table.relative or "turn" not in table.names.columns
    if relative or "turn" in [*axes, *_named(given)] or not table.names.column("turn").any():
        return given
    turn = f"turn={table.player or 0}"
    return f"{given} & {turn}" if given else turn


def _named(where: str) -> list[str]:
    """The numbers that a condition names."""
    return [match.group(1) for part in where.split("&") if (match := PART.match(part))]


def _named_axes(
    table: Table, axes: Sequence[str | None], where: str, mine: Ints
) -> tuple[str, ...]:
    for name in axes:
        if name is not None:
            table.names.column(name)  # an unknown name is an error here
    free = [n for n in varying(table.names, mine) if n != "turn" and n not in axes]
    wanted = sum(name is None for name in axes)
    if len(free) < wanted:
        among = f" where {where}" if where else ""
        raise OptionError(
            f"A figure with {len(axes)} axes needs as many numbers of the state: in "
            f"{table.game.name}{among} there {'is' if len(free) == 1 else 'are'} "
            f"{', '.join(free) or 'none'}."
        )
    found = tuple(free.pop(0) if name is None else name for name in axes)
    if len(set(found)) < len(found):
        raise OptionError(f"The axes {', '.join(found)} are not all different.")
    return found


def _not_told_apart(table: Table, axes: tuple[str, ...], mine: Ints) -> OptionError:
    others = [name for name in varying(table.names, mine) if name not in axes]
    such = f"{others[0]}={int(table.names.column(others[0])[mine[0]])}"
    return OptionError(
        f"Many states of {table.game.name} share a place along {' and '.join(axes)}: fix "
        f"{', '.join(others)} too, by a condition such as {such}."
    )


# Faces --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Faces:
    """Rectangles, the axis each is across, and the grid's cells on its two sides."""

    corners: Floats
    axis: Ints
    before: Ints
    """Flat number of the cell on the lower side, -1 where there is none."""
    after: Ints

    def __len__(self) -> int:
        return len(self.corners)

    def take(self, kept: npt.NDArray[Any]) -> Faces:
        """Some of the faces."""
        return Faces(self.corners[kept], self.axis[kept], self.before[kept], self.after[kept])


def _joined(found: Sequence[Faces]) -> Faces:
    return Faces(
        np.concatenate([f.corners for f in found]),
        np.concatenate([f.axis for f in found]),
        np.concatenate([f.before for f in found]),
        np.concatenate([f.after for f in found]),
    )


def boundary_faces(cells: Cells, code: npt.NDArray[Any]) -> Faces:
    """The faces between neighbours with different codes; a negative code is no cell.

    Neighbours are the nearest cells along an axis: across a gap, the face is in its middle.
    """
    return _joined([_between(cells, code, axis) for axis in range(code.ndim)])


def _between(cells: Cells, code: npt.NDArray[Any], axis: int) -> Faces:
    known = code >= 0
    here = np.expand_dims(
        np.arange(code.shape[axis]), tuple(a for a in range(code.ndim) if a != axis)
    )
    last = np.maximum.accumulate(np.where(known, here, -1), axis=axis)
    before = np.full(code.shape, -1, np.int64)
    ahead: list[Any] = [slice(None)] * code.ndim
    behind = list(ahead)
    ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
    before[tuple(ahead)] = last[tuple(behind)]
    lower = np.take_along_axis(code, np.maximum(before, 0), axis)
    place = np.nonzero(known & (before >= 0) & (lower != code))
    edges = cells.edges[axis]
    first = before[place]
    at = (edges[first + 1] + edges[place[axis]]) / 2
    other = list(place)
    other[axis] = first
    shape = code.shape
    return Faces(
        _corners(cells, place, axis, at),
        np.full(len(at), axis),
        np.ravel_multi_index(tuple(other), shape),
        np.ravel_multi_index(place, shape),
    )


def outer_faces(cells: Cells, inside: Bools) -> Faces:
    """The faces of a set of cells: those to a cell that is not in it, and the outermost."""
    found = []
    for axis in range(inside.ndim):
        padding = [(1, 1) if a == axis else (0, 0) for a in range(inside.ndim)]
        padded = np.pad(inside, padding).astype(np.int8)
        step = np.diff(padded, axis=axis)
        for sign in (1, -1):  # 1: the set begins here, -1: it has ended
            place = np.nonzero(step == sign)
            at = cells.edges[axis][place[axis]]
            corners = _corners(cells, place, axis, at)
            own = list(place)
            own[axis] = place[axis] - (sign < 0)
            flat = np.ravel_multi_index(tuple(own), inside.shape)
            none = np.full(len(at), -1)
            sides = (none, flat) if sign > 0 else (flat, none)
            found.append(Faces(corners, np.full(len(at), axis), *sides))
    return _joined(found)


def _corners(cells: Cells, place: tuple[Any, ...], axis: int, at: Floats) -> Floats:
    """Rectangles across an axis, each as wide as its cell along the others."""
    corners = np.empty((len(at), 4, 3))
    corners[:, :, axis] = at[:, None]
    one, other = (a for a in range(3) if a != axis)
    for a, turns in ((one, (0, 1, 1, 0)), (other, (0, 0, 1, 1))):
        edges = cells.edges[a]
        index = np.minimum(place[a], len(edges) - 2)
        for corner, turn in enumerate(turns):
            corners[:, corner, a] = edges[index + turn]
    return corners
