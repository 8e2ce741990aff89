"""The layers of a flat panel, drawn by matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.show.pictures.geometry import arrow_curves, colours_beneath, shape_colours
from oddsmith.show.pictures.spec import (
    Arrows,
    Axis,
    Band,
    Bars,
    Heat,
    Line,
    Mark,
    Panel,
    Points,
    Scale,
    Shapes,
    Texts,
    Tiles,
)
from oddsmith.show.pictures.static_legend import DASHES, Legend
from oddsmith.show.pictures.theme import Theme, span
from oddsmith.show.pictures.words import mark_rows, number, turned

MANY = 4000
"""Cells from which on a map is stored as pixels, also in an svg or a pdf."""

MOST_CALLED = 40
"""Points of a layer that are called by their names."""


def draw_flat(axes: Any, panel: Panel, paper: Theme, legend: Legend, inches: float) -> None:
    """Draw a panel that is about so many inches wide."""
    drawing = _Drawing(axes, panel, paper, legend)
    for order, layer in enumerate(panel.layers):
        drawing.order = 2 + 0.01 * order
        if not isinstance(layer, Mark):  # which wait until the ends of the axes are known
            getattr(drawing, type(layer).__name__.lower())(layer)
    drawing.frame()
    drawing.marks(inches)


class _Drawing:
    """Axes of matplotlib, and what goes on them: a method for each layer, of its name."""

    def __init__(self, axes: Any, panel: Panel, paper: Theme, legend: Legend) -> None:
        self.axes, self.panel, self.paper, self.legend = axes, panel, paper, legend
        self.order = 2.0

    def line(self, layer: Line) -> None:
        self.axes.plot(
            np.asarray(layer.x, float),
            np.asarray(layer.y, float),
            color=self.paper.colour(layer.ink),
            linewidth=layer.width,
            linestyle=DASHES[layer.dash],
            drawstyle="steps-post" if layer.step else "default",
            solid_joinstyle="round",
            zorder=self.order,
        )
        self.legend.add(layer.name, layer.ink, "line", layer.dash)

    def band(self, layer: Band) -> None:
        ink = self.paper.colour(layer.ink)
        self.axes.fill_between(
            layer.x, layer.low, layer.high, color=ink, alpha=0.25, linewidth=0, zorder=self.order
        )
        self.legend.add(layer.name, layer.ink, "band")

    def bars(self, layer: Bars) -> None:
        ink = self.paper.colour(layer.ink)
        drawn = self.axes.bar(
            layer.x, layer.height, layer.width, layer.base, color=ink, zorder=self.order
        )
        if layer.text is not None:
            self.axes.bar_label(drawn, layer.text, padding=2, fontsize=8, zorder=5)
            self.axes.margins(y=0.12)
        self.legend.add(layer.name, layer.ink, "patch")

    def points(self, layer: Points) -> None:
        ink = self.paper.colour(layer.ink)
        self.axes.plot(
            layer.x, layer.y, "o", ms=layer.size, color=ink, mec=self.paper.paper, mew=0.6,
            zorder=self.order,
        )  # fmt: skip
        if layer.text is not None and len(layer.text) <= MOST_CALLED:
            for x, y, text in zip(layer.x, layer.y, layer.text, strict=True):
                self.axes.annotate(
                    text, (x, y), (0.6 * layer.size, 0.5 * layer.size), fontsize=8,
                    textcoords="offset points", zorder=5,
                )  # fmt: skip
        self.legend.add(layer.name, layer.ink, "point")

    def heat(self, layer: Heat) -> None:
        value = np.ma.masked_invalid(np.asarray(layer.value, float))
        self._bar(layer.scale, self._mesh(layer, value, self._scaled(layer.scale, layer.value)))

    def tiles(self, layer: Tiles) -> None:
        from matplotlib.colors import ListedColormap, Normalize

        kind = np.asarray(layer.kind, int)
        colours = [self.paper.colour(name) for name in layer.colours]
        norm = Normalize(-0.5, len(colours) - 0.5)
        self._mesh(
            layer, np.ma.masked_less(kind, 0), {"cmap": ListedColormap(colours), "norm": norm}
        )
        for k in np.unique(kind[kind >= 0]):
            self.legend.add(layer.names[k], layer.colours[k], "patch")

    def _mesh(self, layer: Heat | Tiles, value: Any, colours: dict[str, Any]) -> Any:
        pixels = value.size > MANY
        seams = {} if pixels else {"edgecolors": "face", "linewidth": 0.3}  # or they would show
        edges = (np.asarray(layer.x, float), np.asarray(layer.y, float))
        return self.axes.pcolormesh(
            *edges, value, rasterized=pixels, zorder=self.order, **colours, **seams
        )

    def shapes(self, layer: Shapes) -> None:
        from matplotlib.cm import ScalarMappable
        from matplotlib.collections import PolyCollection

        fill = shape_colours(layer, self.paper)
        edge = self.paper.colour(layer.edge) if layer.width else "none"
        corners = [np.asarray(each, float) for each in layer.corners]
        self.axes.add_collection(
            PolyCollection(
                corners, facecolors=fill, edgecolors=edge, linewidths=layer.width,
                joinstyle="round", zorder=self.order,
            )
        )  # fmt: skip
        if layer.value is not None:
            self._bar(layer.scale, ScalarMappable(**self._scaled(layer.scale, layer.value)))

    def texts(self, layer: Texts) -> None:
        """Words; those in the colour of lines are turned light where they stand on dark."""
        ink = self.paper.colour(layer.ink)
        inks = [ink] * len(layer.text)
        if layer.ink == "line":
            under = colours_beneath(self.panel.layers, self.paper, layer.x, layer.y)
            inks = [self.paper.readable(colour) for colour in under]
        for x, y, text, colour in zip(layer.x, layer.y, layer.text, inks, strict=True):
            self.axes.text(
                x, y, text, color=colour, fontsize=layer.size, ha=layer.align, va="center",
                weight="bold" if layer.bold else "normal", zorder=self.order + 1, clip_on=False,
            )  # fmt: skip

    def arrows(self, layer: Arrows) -> None:
        from matplotlib.patches import FancyArrowPatch
        from matplotlib.path import Path
        from matplotlib.patheffects import withStroke

        ink, halo = self.paper.colour(layer.ink), self.paper.paper
        for curve in arrow_curves(layer):
            self.axes.add_patch(
                FancyArrowPatch(
                    path=Path(curve), arrowstyle="-|>", mutation_scale=6 + 3 * layer.width,
                    color=ink, linewidth=layer.width, joinstyle="round", zorder=self.order,
                    path_effects=[withStroke(linewidth=layer.width + 2, foreground=halo)],
                )
            )  # fmt: skip
            self.axes.update_datalim(curve)
        self.legend.add(layer.name, layer.ink, "arrow")

    # What belongs to the panel ----------------------------------------------------------------

    def marks(self, inches: float) -> None:
        """Lines across, with words at their ends that do not run into each other."""
        for across in ("x", "y"):
            marks = [m for m in self.panel.layers if isinstance(m, Mark) and m.across == across]
            if not marks:
                continue
            draw = self.axes.axvline if across == "x" else self.axes.axhline
            for mark in marks:
                draw(mark.at, color=self.paper.colour(mark.ink), lw=1.1, ls=DASHES[mark.dash])
            worded = [mark for mark in marks if mark.text]
            if across == "y":
                for mark in worded:
                    self._word(mark, (1, mark.at), (-2, 2), "right", "bottom")
                continue
            ends = self.axes.transLimits.transform([(mark.at, 0) for mark in worded])[:, 0]
            rows = mark_rows(worded, ends, inches)
            for mark, share, row in zip(worded, ends, rows, strict=True):
                before = turned(share)
                place = (-3 if before else 3, -2 - 11.5 * row)
                self._word(mark, (mark.at, 1), place, "right" if before else "left", "top")

    def _word(self, mark: Mark, at: Any, offset: Any, ha: str, va: str) -> None:
        coordinates = ("data", "axes fraction") if mark.across == "x" else ("axes fraction", "data")
        clear = {"boxstyle": "square,pad=0.1", "fc": self.paper.paper, "ec": "none", "alpha": 0.75}
        self.axes.annotate(
            mark.text, at, offset, xycoords=coordinates, textcoords="offset points", ha=ha, va=va,
            fontsize=8, color=self.paper.colour("line"), zorder=6, bbox=clear,
        )  # fmt: skip

    def frame(self) -> None:
        """The title, the axes, their ends and their ticks."""
        axes, panel = self.axes, self.panel
        if panel.title:
            axes.set_title(panel.title, loc="left", fontsize=10, weight="bold")
        if panel.equal:
            axes.set_aspect("equal")
        axes.autoscale_view()
        self._headroom()
        for letter, axis in (("x", panel.x), ("y", panel.y)):
            self._axis(letter, axis)
        if panel.bare:
            axes.set_axis_off()
            return
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        maps = any(isinstance(layer, Heat | Tiles | Shapes) for layer in panel.layers)
        if not maps:
            bars = any(isinstance(layer, Bars) for layer in panel.layers)
            axes.grid(axis="y" if bars else "both")

    def _headroom(self) -> None:
        """Room for the words of marks over what is drawn, if the axis may go on."""
        worded = any(isinstance(m, Mark) and m.text and m.across == "x" for m in self.panel.layers)
        if worded and self.panel.y.high is None and not self.panel.y.log:
            low, high = self.axes.get_ylim()
            self.axes.set_ylim(low, high + 0.12 * (high - low))

    def _axis(self, letter: str, axis: Axis) -> None:
        from matplotlib.ticker import FuncFormatter, NullFormatter

        axes = self.axes
        if axis.log:
            getattr(axes, f"set_{letter}scale")("log")
        ends = [axis.low, axis.high]
        if ends != [None, None]:
            getattr(axes, f"set_{letter}lim")(*ends)
        getattr(axes, f"set_{letter}label")(axis.text)
        ruler = getattr(axes, f"{letter}axis")
        if axis.ticks is not None:
            ruler.set_ticks([at for at, _ in axis.ticks], [text for _, text in axis.ticks])
            ruler.set_minor_formatter(NullFormatter())
            return
        powers = axis.log and axis.format == "value" and _wide(*ruler.get_view_interval())
        ruler.set_major_formatter(
            FuncFormatter(lambda value, _: number(value, axis.format, powers=powers))
        )
        if axis.log:
            ruler.set_minor_formatter(NullFormatter())

    def _scaled(self, scale: Scale, values: Any) -> dict[str, Any]:
        from matplotlib.colors import LinearSegmentedColormap, Normalize

        colours = LinearSegmentedColormap.from_list(scale.name, self.paper.stops(scale), 1024)
        return {"cmap": colours, "norm": Normalize(*span(scale, values))}

    def _bar(self, scale: Scale, mapped: Any) -> None:
        """The scale itself, beside the panel."""
        from matplotlib.ticker import FuncFormatter

        if not scale.bar:
            return
        bar = self.axes.figure.colorbar(
            mapped, ax=self.axes, shrink=0.85, aspect=26, pad=0.02,
            format=FuncFormatter(lambda value, _: number(value, scale.format)),
        )  # fmt: skip
        bar.outline.set_visible(False)
        bar.set_label(scale.label)


def _wide(low: float, high: float) -> bool:
    """Whether numbers along an axis are better written as powers of ten."""
    return min(low, high) < 1e-3 or max(low, high) > 1e5
