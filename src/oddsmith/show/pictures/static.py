"""A picture drawn by matplotlib, for png, svg and pdf files.

Words are never read as mathematics: a dollar sign is a dollar sign. In an SVG they stay words, so
they can be searched, copied and read aloud.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from oddsmith.errors import MissingExtraError
from oddsmith.show.pictures.spec import Panel, Picture
from oddsmith.show.pictures.static_flat import draw_flat
from oddsmith.show.pictures.static_legend import Legend
from oddsmith.show.pictures.static_space import draw_view
from oddsmith.show.pictures.theme import Theme, theme
from oddsmith.show.pictures.words import wrapped

TITLE, FOOTNOTE, BODY = 13.0, 8.5, 9.0
"""Sizes of letters, in points."""

HEADER = 0.9
"""About how high the title, the small print and the legend are, in inches."""

EDGE = 0.12
"""Between what is drawn and the edge of the paper, in inches."""


@contextmanager
def styled(paper: Theme) -> Iterator[None]:
    """What matplotlib must know while it makes a figure and while it writes one."""
    try:
        from matplotlib import rc_context
    except ImportError:
        raise MissingExtraError(
            "A picture needs matplotlib, which is not installed: pip install 'oddsmith[plot]'."
        ) from None
    settings: dict[str, Any] = {
        "text.parse_math": False,
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans", "Verdana", "Helvetica", "Arial"],
        "font.size": BODY,
        "svg.fonttype": "none",
        "svg.hashsalt": "oddsmith",
        "text.color": paper.line,
        "axes.labelcolor": paper.line,
        "axes.edgecolor": paper.muted,
        "axes.facecolor": paper.paper,
        "figure.facecolor": paper.paper,
        "savefig.facecolor": paper.paper,
        "axes.axisbelow": True,
        "grid.color": paper.faint,
        "grid.linewidth": 0.8,
    }
    for axis in ("xtick", "ytick"):
        settings[f"{axis}.color"] = paper.muted
        settings[f"{axis}.labelcolor"] = paper.line
        settings[f"{axis}.labelsize"] = FOOTNOTE
    with rc_context(settings), warnings.catch_warnings():
        for nothing_to_do in ("Glyph .* missing", "Data has no positive values"):
            warnings.filterwarnings("ignore", nothing_to_do, UserWarning)
        yield


def figure_of(picture: Picture, paper: str = "light") -> Any:
    """The picture as a matplotlib figure; write it within `styled` of the same theme."""
    found = theme(paper)
    with styled(found):
        from matplotlib.figure import Figure

        figure = Figure(figsize=picture.size, layout="constrained")
        legend = Legend(found)
        _panels(figure, picture, found, legend)
        for key in picture.legend:
            legend.add(key.name, key.colour, "patch" if key.dash is None else "line", key.dash)
        _header(figure, picture, found, legend)
        return figure


def _header(figure: Any, picture: Picture, paper: Theme, legend: Legend) -> None:
    """The title, the small print and the legend at the top left; the panels get what is left."""
    width, height = picture.size
    top = EDGE
    for text, points, style in (
        (picture.title, TITLE, {"weight": "bold", "color": paper.line}),
        (picture.small, FOOTNOTE, {"color": paper.muted}),
    ):
        if not text:
            continue
        lines = wrapped(text, width - 2 * EDGE, points * (1.1 if points == TITLE else 1))
        where = (EDGE / width, 1 - top / height)
        words = figure.text(*where, lines, va="top", fontsize=points, linespacing=1.25, **style)
        words.set_in_layout(False)
        top += (lines.count("\n") + 1) * points * 1.3 / 72 + 0.04
    top += legend.draw(figure, width - 2 * EDGE, top)
    figure.get_layout_engine().set(
        rect=(0, 0, 1, 1 - top / height), w_pad=0.09, h_pad=0.09, wspace=0.03, hspace=0.04
    )


def _panels(figure: Any, picture: Picture, paper: Theme, legend: Legend) -> None:
    """Each panel in its place of a grid; one in space takes a place for each of its views."""
    columns = max(picture.columns, 1)
    rows = [picture.panels[i : i + columns] for i in range(0, len(picture.panels), columns)]
    wide = max(sum(_places(panel) for panel in row) for row in rows)
    grid = figure.add_gridspec(len(rows), max(wide, columns))
    shape = (picture.size[0] / wide) / ((picture.size[1] - HEADER) / len(rows))
    for r, row in enumerate(rows):
        place = 0
        for panel in row:
            if panel.z is None:
                axes = figure.add_subplot(grid[r, place])
                draw_flat(axes, panel, paper, legend, 0.8 * picture.size[0] / wide)
            else:
                for v, view in enumerate(panel.views):
                    axes = figure.add_subplot(grid[r, place + v], projection="3d")
                    draw_view(axes, panel, view, paper, shape=shape, first=v == 0)
            place += _places(panel)


def _places(panel: Panel) -> int:
    return 1 if panel.z is None else len(panel.views)
