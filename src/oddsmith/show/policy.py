"""A policy in pictures: its best moves as a map, and in space the faces between them.

- `section`: two numbers of the state on the axes, the others fixed; coloured by the best move,
  strong where play can come to. The moves of another policy can be drawn over it.
- `surface`: three numbers; the faces between states with different best moves, all of them.
- `reachable`: the states that play can come to, as a solid.
- `moves`: those of them in which a given move is best.
- `contours`: the faces between states that are worth more and less than some levels.

Each gives a matplotlib figure, which `save` writes; the data behind it are in
`oddsmith.solve.play.regions`. These are figures 3 to 7 of T. W. Neller and C. G. M. Presser,
Optimal Play of the Dice Game Pig, The UMAP Journal 25 (2004), for any game.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import MissingExtraError, OptionError
from oddsmith.model.condition import PART
from oddsmith.rules.options import suggestion
from oddsmith.show.cells import Cells, Faces, boundary_faces, cells_of, outer_faces
from oddsmith.solve.play import regions
from oddsmith.solve.play.policy import Policy, as_policy
from oddsmith.solve.play.regions import By
from oddsmith.solve.play.restrict import RANDOM
from oddsmith.solve.play.table import NO_MOVE, Table

LEVELS = (0.03, 0.09, 0.27, 0.81)
VIEWS = ((28.0, -122.0), (28.0, -32.0))
"""Elevation and azimuth of the two views of a figure in space, in degrees."""

INKS = ("#2b6cb0", "#e2892b", "#2f9e6e", "#b5598f", "#74b9e6", "#c8452e", "#d9c53f", "#6b5fb5")
"""A colour for each move, told apart by colour-blind people too (after Okabe and Ito)."""

OVER, END, NOTHING, LINE = "#dfe2e6", "#8b95a1", "#ffffff", "#1f2933"
PALE = 0.68
"""How much white is mixed into the colour of what play cannot come to."""

SHADE = (0.84, 0.72, 1.0)
"""How bright a face is by the axis it is across: light falls from above."""

DPI = 120

MOST_NAMED = 12
"""Moves that a legend names."""

Colour = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Look:
    """What a figure is called, and what its axes are."""

    title: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    """What to call a number of the state, where not by its own name."""

    def label(self, table: Table, name: str) -> str:
        """The label of an axis."""
        if name in self.labels:
            return self.labels[name]
        if not table.relative or name.split("[")[0] not in table.game.interchangeable:
            return name
        seat = int(name.split("[")[1].split("]")[0])
        if seat == 0:
            return f"{name}, the mover's"
        return f"{name}, the opponent's" if table.game.players == 2 else f"{name}, {seat} after"

    def heading(self, cells: Cells, what: str) -> tuple[str, str]:
        """The title, and the small print under it."""
        game = cells.table.game
        title = self.title or f"{game.name}: {what}"
        players = "1 player" if game.players == 1 else f"{game.players} players"
        options = [f"{name} {value}" for name, value in game.described.items()]
        where = [self._where(cells.where)] if cells.where else []
        return title, " · ".join([*where, ", ".join([players, *options])])

    def _where(self, text: str) -> str:
        parts = []
        for part in text.split("&"):
            match = PART.match(part)
            assert match is not None
            name, comparison, number = match.groups()
            sign = {"==": "=", "!=": "≠", "<=": "≤", ">=": "≥"}.get(comparison, comparison)
            parts.append(f"{self.labels.get(name, name)} {sign} {number}")
        return ", ".join(parts)


def _look(table: Table, title: str | None, labels: Mapping[str, str] | None) -> Look:
    for name in labels or {}:
        table.names.column(name)  # an unknown name is an error here
    return Look(title, labels or {})


# A section ----------------------------------------------------------------------------------


def section(
    table: Table,
    x: str | None = None,
    y: str | None = None,
    *,
    where: str | None = None,
    compare: Any = None,
    by: By = "one",
    title: str | None = None,
    labels: Mapping[str, str] | None = None,
) -> Any:
    """A map of the best moves along two numbers of the state, the others fixed by `where`.

    What play can come to (see `regions.reachable`) has a strong colour. `compare` is another
    policy: dotted lines are drawn where its move changes.
    """
    look = _look(table, title, labels)
    cells = cells_of(table, (x, y), where)
    figure, axis = _flat_figure()
    code = _moves_on(cells)
    reached = cells.of(regions.reachable(table, by), False)
    shown = _present(table, code)
    axis.pcolormesh(
        *cells.edges, _painted(table, code, reached).transpose(1, 0, 2), rasterized=code.size > 4000
    )
    _outline(axis, cells, np.where(code == NO_MOVE, -1, code), colors=LINE, linewidths=1.1)
    handles = _move_patches(table, shown, code, reached)
    if compare is not None:
        handles.append(_compared(axis, cells, compare))
    axis.set_xlabel(look.label(table, cells.axes[0]))
    axis.set_ylabel(look.label(table, cells.axes[1]))
    _head(figure, axis, look.heading(cells, f"{table.name} moves"))
    axis.legend(
        handles=handles, loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, fontsize=9
    )
    return figure


def _moves_on(cells: Cells) -> npt.NDArray[Any]:
    """The move in each cell: NO_MOVE where the game is over, -1 where there is no state."""
    action = np.where(regions.decided(cells.table), cells.table.action, NO_MOVE)
    return cells.of(action.astype(np.int64), -1)


def _painted(table: Table, code: npt.NDArray[Any], reached: npt.NDArray[Any]) -> Colour:
    strong = _inks(table, code)[code]
    pale = strong + (1 - strong) * PALE
    painted: Colour = np.where((reached | (code == NO_MOVE))[..., None], strong, pale)
    painted[code < 0] = _rgb(NOTHING)
    return painted


def _outline(axis: Any, cells: Cells, code: npt.NDArray[Any], **style: Any) -> None:
    """Lines between cells with different codes, joined as far as they are straight."""
    from matplotlib.collections import LineCollection

    lines = []
    for across in (0, 1):
        swapped = code if across == 0 else code.T
        edges, along = cells.edges[across], cells.edges[1 - across]
        differ = (swapped[1:] != swapped[:-1]) & (swapped[1:] >= 0) & (swapped[:-1] >= 0)
        step = np.diff(np.pad(differ, ((0, 0), (1, 1))).astype(np.int8), axis=1)
        at, first = np.nonzero(step == 1)
        _, last = np.nonzero(step == -1)
        for i, a, b in zip(at, first, last, strict=True):
            ends = [(edges[i + 1], along[a]), (edges[i + 1], along[b])]
            lines.append(ends if across == 0 else [(q, p) for p, q in ends])
    axis.add_collection(LineCollection(lines, capstyle="round", **style))


def _compared(axis: Any, cells: Cells, compare: Any) -> Any:
    """Draw where the moves of another policy change; the entry of the legend."""
    from matplotlib.lines import Line2D

    table = cells.table
    policy = as_policy(table.game, compare)
    if not isinstance(policy, Policy):
        raise OptionError(f"Compare with a policy that is known by itself, not with {policy}.")
    model = regions.parts(table)[0]
    states = cells.states[_moves_on(cells) != NO_MOVE]
    states = states[states >= 0]
    chosen = policy.decide(model, states)
    if (chosen == RANDOM).any():
        raise OptionError(f"The policy {policy.name} takes any move: it has no changes to draw.")
    action = np.full(len(table), -1, np.int64)
    action[states] = model.action[chosen]
    style = {"linewidths": 1.8, "linestyles": (0, (1, 1.6))}
    _outline(axis, cells, cells.of(action, -1), colors="#000000", **style)
    return Line2D([], [], color="#000000", lw=1.8, ls=(0, (1, 1.6)), label=policy.name)


# In space -----------------------------------------------------------------------------------


def surface(
    table: Table,
    x: str | None = None,
    y: str | None = None,
    z: str | None = None,
    *,
    move: str | None = None,
    where: str | None = None,
    title: str | None = None,
    labels: Mapping[str, str] | None = None,
) -> Any:
    """The faces between states with different best moves, in two views.

    With a `move`, only those of the states in which it is best, to other moves and also to states
    in which the game is over.
    """
    number = None if move is None else _number(table, move)
    cells = cells_of(table, (x, y, z), where)
    code = _moves_on(cells)
    faces = boundary_faces(cells, code if move else np.where(code == NO_MOVE, -1, code))
    pair = np.sort(np.stack([code.ravel()[side] for side in (faces.before, faces.after)]), axis=0)
    if number is not None:
        own = (pair == number).any(axis=0)
        faces, pair = faces.take(own), pair[:, own]
    if not len(faces):
        raise OptionError(f"The policy {table.name} makes the same move in all of these states.")
    kinds, kind = np.unique(pair, axis=1, return_inverse=True)
    inks = _rainbow(kinds.shape[1])
    inks[kinds[1] == NO_MOVE] = _rgb(END)
    named = [" | ".join(_called(table, m) for m in kinds[:, i]) for i in range(len(inks))]
    if len(inks) == 1:
        painted = _scale("YlGnBu_r", 0.05 + 0.85 * _height(faces))
        inks = _scale("YlGnBu_r", np.array([0.3]))
    else:
        painted = inks[kind.ravel()]
    colours = _lit(faces, painted)
    words = f"where {table.name} moves change"
    figure = _space(cells, [(faces, colours)], _look(table, title, labels), words)
    counts = np.bincount(kind.ravel())
    return _with_legend(figure, [(named[i], inks[i]) for i in np.argsort(-counts)])


def _number(table: Table, move: str) -> int:
    names = table.game.action_numbers
    if move not in names:
        raise OptionError(f"{table.game.name} has no move {move!r}: {suggestion(move, names)}")
    return names[move]


def _called(table: Table, move: int) -> str:
    return "game over" if move == NO_MOVE else table.game.actions[move].name


def reachable(
    table: Table,
    x: str | None = None,
    y: str | None = None,
    z: str | None = None,
    *,
    where: str | None = None,
    by: By = "one",
    title: str | None = None,
    labels: Mapping[str, str] | None = None,
) -> Any:
    """The states that play can come to, by their best move, in two views.

    By one: whatever policy the opponents follow; by all: if everybody follows the policy.
    """
    words = f"states that {_who(table, by)} can reach"
    every = range(len(table.game.actions))
    return _solid(table, (x, y, z), where, by, every, words, _look(table, title, labels))


def moves(
    table: Table,
    move: str | None = None,
    x: str | None = None,
    y: str | None = None,
    z: str | None = None,
    *,
    where: str | None = None,
    by: By = "one",
    title: str | None = None,
    labels: Mapping[str, str] | None = None,
) -> Any:
    """The states that play can come to and in which a move is best: by default the first one."""
    move = move if move is not None else table.game.actions[0].name
    number = _number(table, move)
    words = f"states that {_who(table, by)} can reach and where {move} is best"
    look = _look(table, title, labels)
    return _solid(table, (x, y, z), where, by, [number], words, look)


def _who(table: Table, by: By) -> str:
    kind = table.name.replace("best response", "best-response")
    if table.player is not None:
        return f"the {kind} player {table.player + 1}"
    return f"{kind} players" if by == "all" else f"one {kind} player"


def _solid(
    table: Table, axes: Any, where: str | None, by: By, kept: Sequence[int], words: str, look: Look
) -> Any:
    """Cells as a solid, coloured by their moves."""
    cells = cells_of(table, axes, where)
    code = _moves_on(cells)
    inside = cells.of(regions.reachable(table, by), False) & np.isin(code, list(kept))
    if not inside.any():
        raise OptionError(f"There are no {words}{f' where {where}' if where else ''}.")
    faces = outer_faces(cells, inside)
    own = code.ravel()[np.maximum(faces.before, faces.after)]
    inks = _inks(table, code)
    colours = _lit(faces, inks[own])
    figure = _space(cells, [(faces, colours)], look, words, facing=True)
    shown = [m for m in _present(table, code[inside]) if m != NO_MOVE]
    named = [(table.game.actions[m].name, inks[m]) for m in shown]
    return _with_legend(figure, named)


def contours(
    table: Table,
    x: str | None = None,
    y: str | None = None,
    z: str | None = None,
    *,
    levels: Sequence[float] | None = None,
    where: str | None = None,
    title: str | None = None,
    labels: Mapping[str, str] | None = None,
) -> Any:
    """The faces between states that are worth more and less than some levels, in two views.

    The levels are 3, 9, 27 and 81 % unless others are given; of scores, four that are spread.
    """
    cells = cells_of(table, (x, y, z), where)
    worth = cells.of(table.worth[:, 0], np.nan)
    if levels is None:
        spread = np.nanquantile(worth, (0.2, 0.4, 0.6, 0.8))
        levels = [float(f"{v:.3g}") for v in spread] if table.game.has_score else LEVELS
    inks = _scale("viridis", np.linspace(0.08, 0.92, len(levels)))
    drawn, named = [], []
    for level, ink in zip(sorted(levels), inks, strict=True):
        code = np.where(np.isnan(worth), -1, (worth > level).astype(np.int64))
        faces = boundary_faces(cells, code)
        if len(faces):
            colours = _lit(faces, np.broadcast_to(ink, (len(faces), 3)))
            drawn.append((faces, colours))
            named.append((f"{level:g}" if table.game.has_score else f"{100 * level:g} %", ink))
    if not drawn:
        raise OptionError(
            f"No state is worth more, or none less, than {', '.join(f'{v:g}' for v in levels)}."
        )
    whose = "the mover" if table.player is None else f"player {table.player + 1}"
    look = _look(table, title, labels)
    words = f"what {table.name} play is worth to {whose}"
    figure = _space(cells, drawn, look, words, views=_views_of_least(worth))
    return _with_legend(figure, named)


def _views_of_least(worth: npt.NDArray[np.float64]) -> tuple[tuple[float, float], ...]:
    """Views from the corner where states are worth least: contours lie one behind the other."""
    low = np.argwhere(worth <= np.nanquantile(worth, 0.05)).mean(axis=0)
    known = np.argwhere(~np.isnan(worth)).mean(axis=0)
    corner = [45.0 if low[1] >= known[1] else -45.0, 135.0 if low[1] >= known[1] else -135.0]
    azimuth = corner[0] if low[0] >= known[0] else corner[1]
    return ((28.0, azimuth - 13), (28.0, azimuth + 77))


def _lit(faces: Faces, ink: Colour) -> Colour:
    """Colours of faces as light falls on them: darker on the sides."""
    lit: Colour = ink * np.asarray(SHADE)[faces.axis][:, None]
    return lit


def _height(faces: Faces) -> npt.NDArray[np.float64]:
    """How high faces are, from 0 to 1."""
    z = faces.corners[:, :, 2].mean(axis=1)
    found: npt.NDArray[np.float64] = (z - z.min()) / max(float(z.max() - z.min()), 1e-9)
    return found


def _facing(faces: Faces, view: tuple[float, float]) -> npt.NDArray[np.bool_]:
    """The faces of a solid that are turned to the eye."""
    elevation, azimuth = np.radians(view)
    eye = np.array(
        [
            np.cos(elevation) * np.cos(azimuth),
            np.cos(elevation) * np.sin(azimuth),
            np.sin(elevation),
        ]
    )
    outward = np.where(faces.before >= 0, 1, -1)  # the solid is on the lower side
    turned: npt.NDArray[np.bool_] = eye[faces.axis] * outward > 0
    return turned


def _space(
    cells: Cells,
    drawn: Sequence[tuple[Faces, Colour]],
    look: Look,
    what: str,
    *,
    facing: bool = False,
    views: Sequence[tuple[float, float]] = VIEWS,
) -> Any:
    """Faces in two views."""
    figure_class = _matplotlib()
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    figure = figure_class(figsize=(11.5, 5.4))
    for place, view in enumerate(views):
        axis = figure.add_axes((0.01 + 0.48 * place, 0.02, 0.49, 0.96), projection="3d")
        axis.view_init(*view)
        corners, colours = [], []
        for faces, colour in drawn:
            kept = _facing(faces, view) if facing else np.ones(len(faces), bool)
            corners.append(faces.corners[kept])
            colours.append(colour[kept])
        paint = np.concatenate(colours)
        axis.add_collection3d(
            Poly3DCollection(
                np.concatenate(corners),
                facecolors=paint,
                edgecolors=paint,  # or seams would show
                linewidths=0.35,
                rasterized=True,
            )
        )
        every = np.concatenate([faces.corners for faces, _ in drawn])
        for a, (letter, name) in enumerate(zip("xyz", cells.axes, strict=True)):
            getattr(axis, f"set_{letter}lim")(*_limits(cells.edges[a], every[:, :, a]))
            pad = 4 if letter == "z" else 6
            getattr(axis, f"set_{letter}label")(look.label(cells.table, name), labelpad=pad)
            pane = getattr(axis, f"{letter}axis").pane
            pane.set_facecolor("#f7f8fa")
            pane.set_edgecolor("#c9ced6")
        axis.tick_params(labelsize=8)
        axis.set_box_aspect((1, 1, 0.85), zoom=0.98)
    title, small = look.heading(cells, what)
    figure.text(0.03, 0.95, title, fontsize=13, weight="bold", color=LINE)
    figure.text(0.03, 0.915, small, fontsize=8.5, color="#5b6673")
    return figure


def _limits(edges: npt.NDArray[Any], drawn: npt.NDArray[Any]) -> tuple[float, float]:
    """From where to where an axis goes: all of it, or less if most of it would be empty."""
    first, last = float(edges[0]), float(edges[-1])
    low, high = float(drawn.min()), float(drawn.max())
    margin = 0.1 * (high - low) + 0.5
    if low - first > 0.35 * (last - first):
        first = low - margin
    if last - high > 0.35 * (last - first):
        last = high + margin
    return first, last


def _with_legend(figure: Any, named: Sequence[tuple[str, Colour]]) -> Any:
    """A legend in the upper right corner; a long one below."""
    handles = _patches(named)
    style = {"handles": handles, "frameon": False, "fontsize": 9}
    if len(handles) <= 4:
        figure.legend(loc="upper right", bbox_to_anchor=(0.985, 0.99), ncols=4, **style)
        return figure
    figure.legend(loc="lower center", bbox_to_anchor=(0.5, 0.005), ncols=5, **style)
    for axis in figure.axes:
        left, bottom, width, height = axis.get_position().bounds
        rows = 0.045 * -(-len(handles) // 5)
        axis.set_position((left, bottom + rows, width, height - rows))
    return figure


# Parts --------------------------------------------------------------------------------------


def _matplotlib() -> Callable[..., Any]:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError(
            "A figure needs matplotlib, which is not installed: pip install 'oddsmith[plot]'."
        ) from None
    found: Callable[..., Any] = Figure
    return found


def _flat_figure() -> tuple[Any, Any]:
    figure = _matplotlib()(figsize=(8.2, 5.2), layout="constrained")
    axis = figure.add_subplot()
    for side in ("top", "right"):
        axis.spines[side].set_visible(False)
    return figure, axis


def _head(figure: Any, axis: Any, heading: tuple[str, str]) -> None:
    axis.set_title(heading[0] + "\n", loc="left", fontsize=13, weight="bold", color=LINE)
    axis.text(0, 1.02, heading[1], transform=axis.transAxes, fontsize=8.5, color="#5b6673")


def _rgb(colour: str) -> Colour:
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255


def _inks(table: Table, code: npt.NDArray[Any]) -> Colour:
    """The colour of each move by its number; the last is that of a game that is over.

    In a game with few moves each has its own in every figure; of many, those that occur have one.
    """
    inks = np.zeros((NO_MOVE + 1, 3))
    coloured = list(range(len(table.game.actions)))
    if len(coloured) > len(INKS):
        coloured = [move for move in np.unique(code) if 0 <= move < NO_MOVE]
    inks[coloured] = _rainbow(len(coloured))
    inks[NO_MOVE] = _rgb(OVER)
    return inks


def _rainbow(count: int) -> Colour:
    """So many colours."""
    if count <= len(INKS):
        return np.array([_rgb(ink) for ink in INKS[:count]]).reshape(-1, 3)
    return _scale("turbo", np.linspace(0.05, 0.95, count))


def _scale(name: str, at: npt.NDArray[np.float64]) -> Colour:
    """Colours of a scale of matplotlib, from 0 to 1."""
    _matplotlib()
    from matplotlib import colormaps

    found: Colour = colormaps[name](at)[:, :3]
    return found


def _present(table: Table, code: npt.NDArray[Any]) -> list[int]:
    """The moves that occur: as the game has them if a legend can name all, else by frequency."""
    found, counts = np.unique(code[code >= 0], return_counts=True)
    if len(found) > MOST_NAMED:
        found = found[np.argsort(-counts, kind="stable")]
    return [int(move) for move in found]


def _patches(named: Sequence[tuple[str, Any]]) -> list[Any]:
    from matplotlib.patches import Patch

    handles = [Patch(color=ink, label=text) for text, ink in named[:MOST_NAMED]]
    left = len(named) - MOST_NAMED
    if left > 0:
        handles.append(Patch(color=NOTHING, label=f"… and {left} more"))
    return handles


def _move_patches(
    table: Table, shown: list[int], code: npt.NDArray[Any], reached: npt.NDArray[Any]
) -> list[Any]:
    """The legend of a section: each move, strong where it is reached, and the end of the game."""
    inks = _inks(table, code)
    named: list[tuple[str, Any]] = []
    for move in (m for m in shown if m != NO_MOVE):
        text = table.game.actions[move].name
        if (reached & (code == move)).any():
            named.append((text, inks[move]))
        if (~reached & (code == move)).any():
            named.append((f"{text}, not reachable", inks[move] + (1 - inks[move]) * PALE))
    if NO_MOVE in shown:
        named.append(("game over", inks[NO_MOVE]))
    return _patches(named)


# By name ------------------------------------------------------------------------------------

FIGURES: dict[str, Callable[..., Any]] = {
    "section": section,
    "surface": surface,
    "reachable": reachable,
    "moves": moves,
    "contours": contours,
}


@dataclass(frozen=True)
class Drawing:
    """A figure by its name, its file and its options; checked before anything is solved."""

    name: str
    path: str
    options: Mapping[str, Any]

    @classmethod
    def of(cls, name: str | None, path: str | None, options: Mapping[str, Any]) -> Drawing | None:
        """What is to be drawn, if anything is; an option that is None is not given."""
        given = {option: value for option, value in options.items() if value is not None}
        if name is None:
            if given or path is not None:
                raise OptionError(f"Which figure? --plot takes one of {', '.join(FIGURES)}.")
            return None
        if name not in FIGURES:
            raise OptionError(f"There is no figure {name!r}: choose one of {', '.join(FIGURES)}.")
        if path is None:
            raise OptionError(f"Name the file for the figure, such as --out {name}.png.")
        known = inspect.signature(FIGURES[name]).parameters
        for option in given:
            if option not in known:
                shown = "label" if option == "labels" else option
                raise OptionError(f"The figure {name} has no use for --{shown}.")
        _kind(path)
        _matplotlib()
        return cls(name, path, given)

    def draw(self, table: Table) -> None:
        """Draw it for a policy, and write it."""
        save(FIGURES[self.name](table, **self.options), self.path)


def number_list(text: str | None) -> list[float] | None:
    """Numbers from a text such as `0.03,0.09`."""
    if text is None:
        return None
    try:
        found = [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        found = []
    if not found or not np.isfinite(found).all():
        raise OptionError(f"Levels are numbers such as 0.03,0.09, not {text!r}.")
    return found


def _kind(path: str | Path) -> str:
    kind = Path(path).suffix.lower().lstrip(".")
    if kind not in ("png", "svg", "pdf"):
        raise OptionError(f"{path} cannot be written: a figure is a png, svg or pdf file.")
    return kind


def save(figure: Any, path: str | Path) -> None:
    """Write a figure: png, svg or pdf, by the ending of the file's name."""
    kind = _kind(path)
    from matplotlib import rc_context

    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    try:
        with rc_context({"svg.hashsalt": "oddsmith"}):
            figure.savefig(path, dpi=DPI, metadata=metadata)
        if kind == "png":
            _shrink(path)
    except OSError as error:
        raise OptionError(f"{path} cannot be written: {error.strerror}.") from None


def _shrink(path: str | Path) -> None:
    """Write a picture again with 256 colours: it has few, and is far smaller so."""
    from PIL import Image

    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    small.save(path, optimize=True)
