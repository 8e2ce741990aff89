"""One equation of optimal play as a folded plane: the best of its moves over two unknowns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from oddsmith.show.pictures.geometry import eye
from oddsmith.show.pictures.spec import Axis, Faces, Floats, Key, Panel, Picture
from oddsmith.show.pictures.theme import rgb

COLOURS = ("#3b82c4", "#e0912a", "#2fa37c", "#a04c98", "#8a8f98", "#b5533c")
"""Of the planes, one a move: they are lit, so they are the same on any paper."""

MARKED = "#d81b3c"

CELLS = 12
"""Cells a side into which the unit square is cut, dark and light in turn."""

LIGHT = np.array([0.45, -0.65, 0.62])


def fold_picture(
    fold: Any, name: str, unknowns: Sequence[str], *, title: str, small: str, fields: str
) -> Picture:
    """The picture of a `Fold` (see `oddsmith.solve.play.iteration`)."""
    faces, colours, seen, best = [], [], [], []
    for move, called in enumerate(fold.moves):
        parts, colour = _plane(fold, move)
        if len(parts):
            seen.append(Key(f"{called} is best", COLOURS[move % len(COLOURS)]))
            faces.append(parts)
            colours.append(colour)
            best.append(move)
    corners = [(u, v) for u in (0.0, 1.0) for v in (0.0, 1.0)]
    heights = [_worth(fold, u, v).max() for u, v in corners]
    low, high = min(0.0, *heights), max(1.0, *heights)
    cube = _cube(fold.solution, 0.02)
    red = np.tile(rgb(MARKED), (len(cube), 1))
    shown = Faces(np.concatenate([*faces, cube]), np.concatenate([*colours, red]))
    u, v, x = fold.solution
    return Picture(
        title=f"{title}: an equation of optimal play is a folded plane",
        small=f"{small}; states are named by {fields}; at the solution {unknowns[0]} is "
        f"{u:.4g}, {unknowns[1]} is {v:.4g} and {name} is {x:.4g}",
        panels=(
            Panel(
                [shown],
                x=Axis(f"worth of {unknowns[0]}", low=0, high=1),
                y=Axis(f"worth of {unknowns[1]}", low=0, high=1),
                z=Axis(f"worth of {name}", low=low, high=high),
                views=(_view(fold, best),),
                aspect=(1.0, 1.0, 0.85),
            ),
        ),
        legend=[*seen, Key("the solution", MARKED)],
        size=(7.4, 6.2),
        alt=f"A plane over the unit square, folded where {' and '.join(fold.moves)} are as good.",
    )


def _worth(fold: Any, u: Any, v: Any) -> Floats:
    """What each move is worth at (u, v)."""
    return np.asarray(fold.constant + fold.slope[:, 0] * u + fold.slope[:, 1] * v)


def _plane(fold: Any, move: int) -> tuple[Floats, Floats]:
    """The part of a move's plane in which it is the best, as lit faces in cells."""
    a, (b, c) = fold.constant[move], fold.slope[move]
    normal = np.array([-b, -c, 1.0]) / np.sqrt(1 + b * b + c * c)
    shade = 0.62 + 0.38 * max(0.0, float(normal @ (LIGHT / np.linalg.norm(LIGHT))))
    base = rgb(COLOURS[move % len(COLOURS)]) * shade
    faces, colours = [], []
    for i in range(CELLS):
        for j in range(CELLS):
            x, y = np.array([i, i + 1]) / CELLS, np.array([j, j + 1]) / CELLS
            cell = [(x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1])]
            part = _best_part(fold, move, cell)
            colour = np.clip(base * (1.0 if (i + j) % 2 else 0.93), 0, 1)
            for n in range(1, len(part) - 1, 2):  # a fan of four-cornered faces
                four = [part[0], part[n], part[n + 1], part[min(n + 2, len(part) - 1)]]
                faces.append([(u, v, a + b * u + c * v) for u, v in four])
                colours.append(colour)
    return np.array(faces).reshape(-1, 4, 3), np.array(colours).reshape(-1, 3)


def _best_part(fold: Any, move: int, cell: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """A cell cut by the folds to where the move is the best (Sutherland & Hodgman, 1974)."""
    for other in range(len(fold.moves)):
        if other == move:
            continue
        gain = fold.constant[move] - fold.constant[other]
        by_u, by_v = fold.slope[move] - fold.slope[other]
        if gain == by_u == by_v == 0.0 and other < move:
            return []  # the same plane twice: the first has it
        kept: list[tuple[float, float]] = []
        for k, (u, v) in enumerate(cell):
            p, q = cell[k - 1]
            before, here = gain + by_u * p + by_v * q, gain + by_u * u + by_v * v
            if before * here < 0:
                t = before / (before - here)
                kept.append((p + t * (u - p), q + t * (v - q)))
            if here >= 0:
                kept.append((u, v))
        cell = kept
    return cell


def _view(fold: Any, moves: Sequence[int]) -> tuple[float, float]:
    """From where all planes are seen best: elevation and azimuth."""
    slope = fold.slope[list(moves)]
    normal = np.column_stack([-slope, np.ones(len(slope))])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)

    def seen(view: tuple[float, float]) -> float:
        return float((normal @ eye(view)).min())

    return max(((30.0, float(a)) for a in range(-170, 190, 10)), key=seen)


def _cube(at: tuple[float, float, float], half: float) -> Floats:
    """The faces of a small cube that stands on a point."""
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (0, 2)]) * half
    sides = [(0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5)]
    return np.array(corners[np.array(sides)] + np.array(at), np.float64)
