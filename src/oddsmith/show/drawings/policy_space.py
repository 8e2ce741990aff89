"""A policy in space: the faces between its best moves, along three numbers of the state.

- `surface`: the faces between states with different best moves, all of them.
- `reachable`: the states that play can come to, as a solid.
- `moves`: those of them in which a given move is best.
- `contours`: the faces between states that are worth more and less than some levels.

These are figures 4 to 7 of T. W. Neller and C. G. M. Presser, Optimal Play of the Dice Game Pig,
The UMAP Journal 25 (2004), for any game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from oddsmith.errors import OptionError
from oddsmith.policies import regions
from oddsmith.policies.regions import By
from oddsmith.policies.table import NO_MOVE, Table
from oddsmith.show.drawings.cells import Cells, boundary_faces, cells_of, outer_faces
from oddsmith.show.drawings.cells import Faces as CellFaces
from oddsmith.show.drawings.policy_look import (
    Look,
    called,
    inks,
    keys,
    moves_on,
    number_of,
    palette,
    present,
)
from oddsmith.show.pictures.spec import Axis, Faces, Floats, Panel, Picture
from oddsmith.show.pictures.theme import gradient, hexadecimal, rgb

LEVELS = (0.03, 0.09, 0.27, 0.81)
VIEWS = ((28.0, -122.0), (28.0, -32.0))
"""Elevation and azimuth of the two views, in degrees."""

SOLID = ("#2b6cb0", "#e2892b", "#2f9e6e", "#b5598f", "#74b9e6", "#c8452e", "#d9c53f", "#6b5fb5")
"""Colours of solids: neither light nor dark, for both papers (after Okabe and Ito)."""

END = "#8b95a1"
WATER = ("#253494", "#225ea8", "#1d91c0", "#42b6c4", "#80cebb", "#c8e9b4")
"""Of one boundary by its height."""

VIRIDIS = ("#440154", "#3b528b", "#21918c", "#5ec962", "#e5e419")
"""Of contours, from low to high."""

SHADE = (0.84, 0.72, 1.0)
"""How bright a face is by the axis it is across: light falls from above."""

Painted = tuple[CellFaces, Floats]


def surface(
    table: Table,
    x: str | None = None,
    y: str | None = None,
    z: str | None = None,
    *,
    move: str | None = None,
    where: str | None = None,
    labels: Mapping[str, str] | None = None,
) -> Picture:
    """Where best moves change, in space.

    The faces between states with different best moves, in two views.

    With a `move`, only those of the states in which it is best, to other moves and also to states
    in which the game is over.
    """
    number = None if move is None else number_of(table.game, move)
    cells = cells_of(table, (x, y, z), where)
    code = moves_on(cells)
    faces = boundary_faces(cells, code if move else np.where(code == NO_MOVE, -1, code))
    pair = np.sort(np.stack([code.ravel()[side] for side in (faces.before, faces.after)]), axis=0)
    if number is not None:
        own = (pair == number).any(axis=0)
        faces, pair = faces.take(own), pair[:, own]
    if not len(faces):
        raise OptionError(f"The policy {table.name} makes the same move in all of these states.")
    kinds, kind = np.unique(pair, axis=1, return_inverse=True)
    colours = palette(kinds.shape[1], SOLID)
    colours = [END if m == NO_MOVE else c for m, c in zip(kinds[1], colours, strict=True)]
    named = [" | ".join(called(table, m) for m in pair) for pair in kinds.T]
    if len(colours) == 1:
        painted = gradient(WATER, _height(faces))
        colours = [WATER[2]]
    else:
        painted = np.array([rgb(colour) for colour in colours])[kind.ravel()]
    often = np.argsort(-np.bincount(kind.ravel()))
    return _in_space(
        cells,
        Look(table, labels or {}),
        [(faces, painted)],
        f"where {table.name} moves change",
        [(named[i], colours[i]) for i in often],
    )


def reachable(
    table: Table,
    x: str | None = None,
    y: str | None = None,
    z: str | None = None,
    *,
    where: str | None = None,
    by: By = "one",
    labels: Mapping[str, str] | None = None,
) -> Picture:
    """States that play can come to, in space.

    By their best move, in two views.

    By one: whatever policy the opponents follow; by all: if everybody follows the policy.
    """
    words = f"states that {_who(table, by)} can reach"
    every = range(len(table.game.actions))
    return _solid(Look(table, labels or {}), (x, y, z), where, by, every, words)


def moves(
    table: Table,
    move: str | None = None,
    x: str | None = None,
    y: str | None = None,
    z: str | None = None,
    *,
    where: str | None = None,
    by: By = "one",
    labels: Mapping[str, str] | None = None,
) -> Picture:
    """Reachable states in which a move is best.

    By default the first one.
    """
    move = move if move is not None else table.game.actions[0].name
    number = number_of(table.game, move)
    words = f"states that {_who(table, by)} can reach and where {move} is best"
    return _solid(Look(table, labels or {}), (x, y, z), where, by, [number], words)


def _who(table: Table, by: By) -> str:
    kind = table.name.replace("best response", "best-response")
    if table.player is not None:
        return f"the {kind} player {table.player + 1}"
    return f"{kind} players" if by == "all" else f"one {kind} player"


def _solid(
    look: Look, axes: Any, where: str | None, by: By, kept: Sequence[int], words: str
) -> Picture:
    """Cells as a solid, coloured by their moves."""
    table = look.table
    cells = cells_of(table, axes, where)
    code = moves_on(cells)
    inside = cells.of(regions.reachable(table, by), False) & np.isin(code, list(kept))
    if not inside.any():
        raise OptionError(f"There are no {words}{f' where {where}' if where else ''}.")
    faces = outer_faces(cells, inside)
    own = code.ravel()[np.maximum(faces.before, faces.after)]
    ink = inks(table, code, SOLID)
    painted = np.zeros((max(ink) + 1, 3))
    for move, colour in ink.items():
        painted[move] = rgb(colour)
    named = [(called(table, m), ink[m]) for m in present(code[inside])]
    return _in_space(cells, look, [(faces, painted[own])], words, named, solid=True)


def contours(
    table: Table,
    x: str | None = None,
    y: str | None = None,
    z: str | None = None,
    *,
    levels: Sequence[float] | None = None,
    where: str | None = None,
    labels: Mapping[str, str] | None = None,
) -> Picture:
    """What states are worth, as faces in space.

    The faces between states that are worth more and less than some levels, in two views.

    The levels are 3, 9, 27 and 81 % unless others are given; of scores, four that are spread.
    """
    cells = cells_of(table, (x, y, z), where)
    worth = cells.of(table.worth[:, 0], np.nan)
    if levels is None:
        spread = np.nanquantile(worth, (0.2, 0.4, 0.6, 0.8))
        levels = [float(f"{v:.3g}") for v in spread] if table.game.has_score else LEVELS
    drawn, named = [], []
    colours = hexadecimal(gradient(VIRIDIS, np.linspace(0.08, 0.92, len(levels))))
    for level, colour in zip(sorted(levels), colours, strict=True):
        faces = boundary_faces(cells, np.where(np.isnan(worth), -1, worth > level).astype(np.int64))
        if len(faces):
            drawn.append((faces, np.broadcast_to(rgb(colour), (len(faces), 3))))
            named.append((f"{level:g}" if table.game.has_score else f"{100 * level:g} %", colour))
    if not drawn:
        raise OptionError(
            f"No state is worth more, or none less, than {', '.join(f'{v:g}' for v in levels)}."
        )
    whose = "the mover" if table.player is None else f"player {table.player + 1}"
    words = f"what {table.name} play is worth to {whose}"
    look = Look(table, labels or {})
    return _in_space(cells, look, drawn, words, named, views=_views_of_least(worth))


def _views_of_least(worth: Floats) -> tuple[tuple[float, float], ...]:
    """Views from the corner where states are worth least: contours lie one behind the other."""
    low = np.argwhere(worth <= np.nanquantile(worth, 0.05)).mean(axis=0)
    known = np.argwhere(~np.isnan(worth)).mean(axis=0)
    corner = [45.0 if low[1] >= known[1] else -45.0, 135.0 if low[1] >= known[1] else -135.0]
    azimuth = corner[0] if low[0] >= known[0] else corner[1]
    return ((28.0, azimuth - 13), (28.0, azimuth + 77))


def _height(faces: CellFaces) -> Floats:
    """How high faces are, from 0 to 1."""
    z = faces.corners[:, :, 2].mean(axis=1)
    found: Floats = (z - z.min()) / max(float(z.max() - z.min()), 1e-9)
    return found


def _in_space(
    cells: Cells,
    look: Look,
    drawn: Sequence[Painted],
    words: str,
    named: Sequence[tuple[str, str]],
    *,
    solid: bool = False,
    views: Sequence[tuple[float, float]] = VIEWS,
) -> Picture:
    """Faces as a picture: darker on the sides, as light falls on them."""
    layers = [
        Faces(
            faces.corners,
            painted * np.asarray(SHADE)[faces.axis][:, None],
            _outward(faces) if solid else None,
        )
        for faces, painted in drawn
    ]
    every = np.concatenate([faces.corners for faces, _ in drawn])
    x, y, z = (
        Axis(look.label(name), "", *_limits(cells.edges[a], every[:, :, a]))
        for a, name in enumerate(cells.axes)
    )
    title = f"{look.table.game.name}: {words}"
    fixed = f" where {look.where(cells)}" if cells.where else ""
    return Picture(
        title,
        [Panel(layers, x, y, z, views=views)],
        small=look.small(cells),
        legend=keys(named),
        size=(11.5, 5.8),
        alt=f"{title}{fixed}: {len(every):,} faces in space along {x.label}, {y.label}, {z.label}.",
    )


def _outward(faces: CellFaces) -> Floats:
    """The normals of a solid's faces: the solid is on the side that has a cell."""
    return np.eye(3)[faces.axis] * np.where(faces.before >= 0, 1, -1)[:, None]


def _limits(edges: Floats, drawn: Floats) -> tuple[float, float]:
    """From where to where an axis goes: all of it, or less if most of it would be empty."""
    first, last = float(edges[0]), float(edges[-1])
    low, high = float(drawn.min()), float(drawn.max())
    margin = 0.1 * (high - low) + 0.5
    if low - first > 0.35 * (last - first):
        first = low - margin
    if last - high > 0.35 * (last - first):
        last = high + margin
    return first, last
