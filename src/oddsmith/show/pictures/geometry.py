"""What both renderers compute before they draw: curves, what lies beneath a word, faces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.show.pictures.spec import (
    Arrows,
    Band,
    Bars,
    Faces,
    Floats,
    Heat,
    Layer,
    Mark,
    Panel,
    Shapes,
    Surface,
    Tiles,
)
from oddsmith.show.pictures.theme import Theme, gradient, span

CURVE = 24
"""Pieces of a bent arrow."""

FINEST = 160
"""Cells of a surface that are drawn along an axis; a finer one is thinned out."""


def arrow_curves(arrows: Arrows) -> list[Floats]:
    """Each arrow as points: a straight line, or a parabola whose middle is `bend` off it."""
    ends = np.array([arrows.x, arrows.y, arrows.to_x, arrows.to_y], float).reshape(4, -1).T
    t = np.linspace(0, 1, CURVE + 1 if arrows.bend else 2)[:, None]
    curves = []
    for x, y, to_x, to_y in ends:
        start, along = np.array([x, y]), np.array([to_x - x, to_y - y])
        left = np.array([-along[1], along[0]])
        curves.append(start + t * along + 4 * t * (1 - t) * arrows.bend * left)
    return curves


def extent(panel: Panel, letter: str) -> tuple[float, float]:
    """From where to where the layers of a flat panel go along an axis, or as the axis says."""
    found: list[Any] = []
    for layer in panel.layers:
        if isinstance(layer, Shapes):
            place = 0 if letter == "x" else 1
            found += [np.asarray(corners, float)[:, place] for corners in layer.corners]
        elif isinstance(layer, Surface | Faces):
            continue  # in space
        elif isinstance(layer, Mark):
            found += [layer.at] if layer.across == letter else []
        elif letter == "x":
            wide = layer.width / 2 if isinstance(layer, Bars) else 0
            middle = np.asarray(layer.x, float)
            found += [middle - wide, middle + wide]
        elif isinstance(layer, Bars):
            found += [layer.base, np.add(layer.base, layer.height)]
        elif isinstance(layer, Band):
            found += [layer.low, layer.high]
        else:
            found.append(layer.y)
    every = np.concatenate([np.ravel(np.asarray(part, float)) for part in [[], *found]])
    axis = panel.x if letter == "x" else panel.y
    every = every[np.isfinite(every) & ((every > 0) | (not axis.log))]
    low, high = (float(every.min()), float(every.max())) if every.size else (0.1, 1.0)
    low = low if axis.low is None else axis.low
    high = high if axis.high is None else axis.high
    return (low, high) if low != high else (0.5 * low, 1.5 * low) if low else (-0.5, 0.5)


# What lies beneath a word -------------------------------------------------------------------


def colours_beneath(
    layers: Sequence[Layer], theme: Theme, x: Any, y: Any
) -> npt.NDArray[np.object_]:
    """The colour that layers have put at some places: of the last map or shape there, or paper."""
    x, y = np.asarray(x, float).ravel(), np.asarray(y, float).ravel()
    found = np.full(len(x), theme.paper, object)
    for layer in layers:
        if isinstance(layer, Shapes):
            for corners, colour in zip(layer.corners, shape_colours(layer, theme), strict=True):
                found[_inside(np.asarray(corners, float), x, y)] = colour
        elif isinstance(layer, Heat | Tiles):
            column, row = (np.searchsorted(e, v) - 1 for e, v in ((layer.x, x), (layer.y, y)))
            colours = _cell_colours(layer, theme)
            there = (column >= 0) & (row >= 0)
            there &= (column < colours.shape[1]) & (row < colours.shape[0])
            known = np.nonzero(there)[0]
            for i in known[colours[row[known], column[known]] != ""]:
                found[i] = colours[row[i], column[i]]
    return found


def shape_colours(shapes: Shapes, theme: Theme) -> list[str]:
    """The colour that each shape is filled with."""
    if shapes.value is not None:
        return theme.painted(shapes.scale, shapes.value)
    if shapes.fill is not None:
        return [theme.colour(name) for name in shapes.fill]
    return [theme.paper] * len(shapes.corners)


def _cell_colours(layer: Heat | Tiles, theme: Theme) -> npt.NDArray[np.object_]:
    """The colour of each cell, empty for none."""
    if isinstance(layer, Heat):
        value = np.asarray(layer.value, float)
        colours = np.array(theme.painted(layer.scale, value), object).reshape(value.shape)
        colours[~np.isfinite(value)] = ""
        return colours
    palette = np.array([*(theme.colour(name) for name in layer.colours), ""], object)
    cells: npt.NDArray[np.object_] = palette[np.asarray(layer.kind, int)]
    return cells


def _inside(corners: Floats, x: Floats, y: Floats) -> npt.NDArray[np.bool_]:
    """Which points are in a polygon: those from which a ray meets it an odd number of times."""
    inside = np.zeros(len(x), bool)
    for (ax, ay), (bx, by) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        crosses = (ay > y) != (by > y)
        slope = (bx - ax) / (by - ay) if by != ay else 0.0
        inside ^= crosses & (x < ax + (y - ay) * slope)
    return inside


# In space -----------------------------------------------------------------------------------


def surface_faces(surface: Surface, theme: Theme) -> Faces:
    """A surface as faces between the middles of four cells; none where a height is missing."""
    x, y, z = (np.asarray(part, float) for part in (surface.x, surface.y, surface.z))
    every = [max(-(-len(axis) // FINEST), 1) for axis in (x, y)]
    x, y, z = x[:: every[0]], y[:: every[1]], z[:: every[1], :: every[0]]
    grid = np.stack([*np.meshgrid(x, y), z], axis=-1)
    corners = np.stack([grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]], axis=2)
    corners = corners.reshape(-1, 4, 3)
    corners = corners[np.isfinite(corners).all(axis=(1, 2))]
    low, high = span(surface.scale, surface.z)
    at = np.clip((corners[:, :, 2].mean(axis=1) - low) / (high - low), 0, 1)
    return Faces(corners, gradient(theme.stops(surface.scale), at))


def turned_to(faces: Faces, view: tuple[float, float]) -> npt.NDArray[np.bool_]:
    """The faces that are turned to the eye; all, if they are not those of a solid."""
    if faces.outward is None:
        return np.ones(len(faces.corners), bool)
    found: npt.NDArray[np.bool_] = faces.outward @ eye(view) > 0
    return found


def eye(view: tuple[float, float]) -> Floats:
    """The direction from which a view is seen: elevation and azimuth in degrees."""
    elevation, azimuth = np.radians(view)
    flat = np.cos(elevation)
    return np.array([flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)])


def merged(faces: Faces) -> Faces:
    """The same faces in fewer: neighbours in a plane of the same colour become one.

    Only for rectangles across an axis, as cells have them; others are left as they are.
    """
    low, high = faces.corners.min(axis=1), faces.corners.max(axis=1)
    flat = (low == high).sum(axis=1) == 1
    across = np.argmax(low == high, axis=1)
    parts = [Faces(faces.corners[~flat], faces.colour[~flat])]
    for axis in range(3):
        own = flat & (across == axis)
        box = np.concatenate([low[own], high[own], faces.colour[own]], axis=1)
        for along in (a for a in range(3) if a != axis):
            box = _joined(box, along)
        one, other = (a for a in range(3) if a != axis)
        corners = np.repeat(box[:, None, :3], 4, axis=1)
        corners[:, (1, 2), one] = box[:, None, 3 + one]
        corners[:, (2, 3), other] = box[:, None, 3 + other]
        parts.append(Faces(corners, box[:, 6:]))
    return Faces(
        np.concatenate([part.corners for part in parts]),
        np.concatenate([part.colour for part in parts]),
    )


def _joined(box: Floats, along: int) -> Floats:
    """Boxes (low, high and colour in a row) joined where one begins as another ends."""
    if not len(box):
        return box
    begin, end = along, 3 + along
    same = [column for column in range(box.shape[1]) if column not in (begin, end)]
    box = box[np.lexsort((box[:, begin], *(box[:, column] for column in same)))]
    follows = (box[1:, same] == box[:-1, same]).all(axis=1) & (box[1:, begin] == box[:-1, end])
    first = np.concatenate([[True], ~follows])
    joined: Floats = box[first].copy()
    joined[:, end] = box[np.concatenate([~follows, [True]]), end]
    return joined
