"""The layers of a flat panel, drawn by plotly."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.show.pictures.geometry import arrow_curves, colours_beneath, extent, shape_colours
from oddsmith.show.pictures.interactive_panel import DrawnPanel, clear, digits, plain
from oddsmith.show.pictures.spec import (
    Arrows,
    Axis,
    Band,
    Bars,
    Heat,
    Key,
    Line,
    Mark,
    Points,
    Shapes,
    Texts,
    Tiles,
)
from oddsmith.show.pictures.words import mark_rows, turned

BIGGER = 96 / 72
"""Pixels of a screen in a point."""

MOST_POWERS = 8
"""Powers of ten that are written along an axis."""

MOST_CALLED = 40
"""Points of a layer that are called by their names; the others tell a pointer."""


class FlatPanel(DrawnPanel):
    """Lines, bars, maps, shapes and words: a method for each layer, of its name."""

    def draw(self) -> None:
        """Draw it."""
        for layer in self.panel.layers:
            getattr(self, type(layer).__name__.lower())(layer)
        self._axes()
        self._words_of_marks()
        self.title()

    @property
    def _number(self) -> str:
        return str(self.place + 1) if self.place else ""

    def add(self, trace: Any) -> None:
        """A trace between these axes."""
        trace.xaxis, trace.yaxis = f"x{self._number}", f"y{self._number}"
        self.figure.add_trace(trace)

    def sign(self, key: Key) -> None:
        """An entry of the legend."""
        from plotly.graph_objects import Scatter

        look = self.look_of(key) | self.named(key.name, self.paper.colour(key.colour))
        self.add(Scatter(x=[None], y=[None], **look))

    def _told(self, name: str = "") -> str:
        """What a pointer is told of a place."""
        lines = [plain(name)] if name else []
        for letter, axis in (("x", self.panel.x), ("y", self.panel.y)):
            lines.append(f"{plain(axis.text or letter)}: %{{{letter}:{digits(axis)}}}")
        return "<br>".join(lines) + "<extra></extra>"

    # Layers -----------------------------------------------------------------------------------

    def line(self, layer: Line) -> None:
        """A line."""
        from plotly.graph_objects import Scatter

        ink = self.paper.colour(layer.ink)
        self.add(
            Scatter(
                x=np.asarray(layer.x, float), y=np.asarray(layer.y, float), mode="lines",
                line={"color": ink, "width": layer.width * BIGGER, "dash": layer.dash,
                      "shape": "hv" if layer.step else "linear"},
                hovertemplate=self._told(layer.name) if layer.name else None,
                hoverinfo=None if layer.name else "skip",  # a guide without a name tells nothing
                **self.named(layer.name, ink),
            )
        )  # fmt: skip

    def band(self, layer: Band) -> None:
        """An interval at each place."""
        from plotly.graph_objects import Scatter

        ink = self.paper.colour(layer.ink)
        x, low, high = (np.asarray(part, float) for part in (layer.x, layer.low, layer.high))
        self.add(
            Scatter(
                x=np.concatenate([x, x[::-1]]), y=np.concatenate([high, low[::-1]]), mode="lines",
                fill="toself", fillcolor=clear(ink, 0.25), line={"width": 0, "color": ink},
                hoverinfo="skip", **self.named(layer.name, ink),
            )
        )  # fmt: skip

    def bars(self, layer: Bars) -> None:
        """Bars."""
        from plotly.graph_objects import Bar

        ink = self.paper.colour(layer.ink)
        self.add(
            Bar(
                x=np.asarray(layer.x, float), y=np.asarray(layer.height, float), base=layer.base,
                width=layer.width, marker={"color": ink, "line": {"width": 0}},
                text=None if layer.text is None else [plain(text) for text in layer.text],
                textposition="outside", hovertemplate=self._told(layer.name),
                **self.named(layer.name, ink),
            )
        )  # fmt: skip

    def points(self, layer: Points) -> None:
        """Points, called by their names if they are few."""
        from plotly.graph_objects import Scatter

        ink = self.paper.colour(layer.ink)
        texts = None if layer.text is None else [plain(text) for text in layer.text]
        called = texts is not None and len(texts) <= MOST_CALLED
        told = "%{text}<br>" if texts is not None else ""
        self.add(
            Scatter(
                x=np.asarray(layer.x, float), y=np.asarray(layer.y, float), text=texts,
                mode="markers+text" if called else "markers", textposition="top right",
                marker={"color": ink, "size": layer.size * BIGGER,
                        "line": {"width": 0.8, "color": self.paper.paper}},
                hovertemplate=told + self._told(layer.name), **self.named(layer.name, ink),
            )
        )  # fmt: skip

    def heat(self, layer: Heat) -> None:
        """A map of values."""
        from plotly.graph_objects import Heatmap

        colours, low, high = self.colours(layer.scale, layer.value)
        value = f"%{{z:{'.5~p' if layer.scale.format == 'percent' else ',.6~r'}}}"
        told = f"{plain(layer.scale.label)}: {value}<br>" + self._told()
        texts = None
        if layer.text is not None:
            texts = [[plain(str(text)) for text in row] for row in layer.text]
            told = "%{text}<extra></extra>"
        self.add(
            Heatmap(
                x=np.asarray(layer.x, float), y=np.asarray(layer.y, float),
                z=np.asarray(layer.value, float), zmin=low, zmax=high, colorscale=colours,
                showscale=layer.scale.bar, colorbar=self.bar(layer.scale), text=texts,
                hovertemplate=told, hoverongaps=False,
            )
        )  # fmt: skip

    def tiles(self, layer: Tiles) -> None:
        """A map of kinds: a scale with a step for each."""
        from plotly.graph_objects import Heatmap

        kind = np.asarray(layer.kind, int)
        inks = [self.paper.colour(colour) for colour in layer.colours]
        if not inks:
            return
        steps = [[at / len(inks), ink] for i, ink in enumerate(inks) for at in (i, i + 1)]
        names = np.array([*(plain(name) for name in layer.names), ""], object)
        self.add(
            Heatmap(
                x=np.asarray(layer.x, float), y=np.asarray(layer.y, float),
                z=np.where(kind < 0, np.nan, kind), zmin=-0.5, zmax=len(inks) - 0.5,
                colorscale=steps, showscale=False, text=names[kind].tolist(), hoverongaps=False,
                hovertemplate="%{text}<br>" + self._told(),
            )
        )  # fmt: skip
        for k in np.unique(kind[kind >= 0]):
            if layer.names[k] and (layer.names[k], inks[k]) not in self.names:
                self.sign(Key(layer.names[k], inks[k]))

    def shapes(self, layer: Shapes) -> None:
        """Polygons: those of a colour together, and in the middle of each what it tells."""
        from plotly.graph_objects import Scatter

        fill = np.array(shape_colours(layer, self.paper), object)
        corners = [np.asarray(each, float) for each in layer.corners]
        gap = np.full((1, 2), np.nan)
        edge = {"color": self.paper.colour(layer.edge), "width": layer.width * BIGGER}
        for ink in dict.fromkeys(fill):
            own = [corners[i] for i in np.nonzero(fill == ink)[0]]
            x, y = np.concatenate([part for p in own for part in (p, p[:1], gap)])[:-1].T
            self.add(
                Scatter(
                    x=x, y=y, mode="lines", fill="toself", fillcolor=ink, line=edge,
                    hoverinfo="skip", showlegend=False,
                )
            )  # fmt: skip
        if layer.text is not None:
            x, y = np.array([p.mean(axis=0) for p in corners]).T
            self.add(
                Scatter(
                    x=x, y=y, mode="markers", marker={"size": 24, "opacity": 0}, showlegend=False,
                    text=[plain(text) for text in layer.text],
                    hovertemplate="%{text}<extra></extra>",
                )
            )  # fmt: skip
        if layer.value is not None and layer.scale.bar:
            colours, low, high = self.colours(layer.scale, layer.value)
            self.add(
                Scatter(
                    x=[None], y=[None], mode="markers", showlegend=False,
                    marker={"color": [low], "cmin": low, "cmax": high, "colorscale": colours,
                            "showscale": True, "colorbar": self.bar(layer.scale)},
                )
            )  # fmt: skip

    def texts(self, layer: Texts) -> None:
        """Words; those in the colour of lines are turned light where they stand on dark."""
        from plotly.graph_objects import Scatter

        inks: Any = self.paper.colour(layer.ink)
        if layer.ink == "line":
            under = colours_beneath(self.panel.layers, self.paper, layer.x, layer.y)
            inks = [self.paper.readable(colour) for colour in under]
        side = {"left": "right", "right": "left", "center": "center"}[layer.align]
        words = [f"<b>{plain(text)}</b>" if layer.bold else plain(text) for text in layer.text]
        self.add(
            Scatter(
                x=np.asarray(layer.x, float), y=np.asarray(layer.y, float), mode="text",
                text=words, textposition=f"middle {side}", hoverinfo="skip", showlegend=False,
                textfont={"size": layer.size * BIGGER, "color": inks}, cliponaxis=False,
            )
        )  # fmt: skip

    def arrows(self, layer: Arrows) -> None:
        """Curves with a head at their ends, over a wider line of paper."""
        from plotly.graph_objects import Scatter

        ink = self.paper.colour(layer.ink)
        curves = arrow_curves(layer)
        if not curves:
            return
        gap = np.full((1, 2), np.nan)
        x, y = np.concatenate([part for curve in curves for part in (curve, gap)])[:-1].T
        sizes = np.concatenate([[*np.zeros(len(c) - 1), 8 + 2 * layer.width, 0] for c in curves])
        sizes = sizes[:-1]
        for wider, colour in ((2.5, self.paper.paper), (0, ink)):
            self.add(
                Scatter(
                    x=x, y=y, mode="lines+markers", hoverinfo="skip",
                    line={"color": colour, "width": layer.width * BIGGER + wider},
                    marker={"symbol": "arrow", "angleref": "previous", "color": colour,
                            "size": sizes + wider * (sizes > 0), "line": {"width": 0}},
                    **({"showlegend": False} if wider else self.named(layer.name, ink)),
                )
            )  # fmt: skip

    # Axes and marks ---------------------------------------------------------------------------

    def mark(self, layer: Mark) -> None:
        """A line across the panel."""
        letter, other = ("x", "y") if layer.across == "x" else ("y", "x")
        ends = {f"{letter}0": layer.at, f"{letter}1": layer.at, f"{other}0": 0, f"{other}1": 1}
        self.figure.add_shape(
            type="line", **ends,
            line={"color": self.paper.colour(layer.ink), "width": 1.4, "dash": layer.dash},
            **{f"{letter}ref": f"{letter}{self._number}",
               f"{other}ref": f"{other}{self._number} domain"},
        )  # fmt: skip

    def _words_of_marks(self) -> None:
        marks = [m for m in self.panel.layers if isinstance(m, Mark) and m.text]
        upright = [mark for mark in marks if mark.across == "x"]
        low, high = extent(self.panel, "x")
        shares = [(mark.at - low) / (high - low) for mark in upright]
        inches = (self.domain.x[1] - self.domain.x[0]) * self.domain.width / 96
        rows = mark_rows(upright, shares, inches)
        style = {"showarrow": False, "font": {"size": 12}, "bgcolor": clear(self.paper.paper, 0.75)}
        for mark, share, row in zip(upright, shares, rows, strict=True):
            self.figure.add_annotation(
                text=plain(mark.text), x=self._at(mark.at, self.panel.x), y=1,
                xref=f"x{self._number}", yref=f"y{self._number} domain", yanchor="top",
                xanchor="right" if turned(share) else "left", yshift=-18 * row, **style,
            )  # fmt: skip
        for mark in (mark for mark in marks if mark.across == "y"):
            self.figure.add_annotation(
                text=plain(mark.text), x=1, y=self._at(mark.at, self.panel.y),
                xref=f"x{self._number} domain", yref=f"y{self._number}",
                xanchor="right", yanchor="bottom", **style,
            )  # fmt: skip

    @staticmethod
    def _at(place: float, axis: Axis) -> float:
        """A place as annotations and ranges have it: on a log axis its power of ten."""
        return float(np.log10(place)) if axis.log else place

    def _axes(self) -> None:
        panel = self.panel
        maps = any(isinstance(layer, Heat | Tiles | Shapes) for layer in panel.layers)
        bars = any(isinstance(layer, Bars) for layer in panel.layers)
        bar = any(
            layer.scale.bar and (isinstance(layer, Heat) or layer.value is not None)
            for layer in panel.layers
            if isinstance(layer, Heat | Shapes)
        )
        for letter, axis in (("x", panel.x), ("y", panel.y)):
            found = self.axis(axis)
            found["title"]["standoff"] = 6
            found |= {
                "visible": not panel.bare,
                "automargin": True,
                "showgrid": not maps and not (bars and letter == "x"),
                "showline": True,
                "ticks": "outside",
                "tickcolor": self.paper.muted,
                "anchor": f"{'y' if letter == 'x' else 'x'}{self._number}",
                "domain": self.inner(bar) if letter == "x" else list(self.domain.y),
            }
            low, high = (self._at(end, axis) for end in extent(panel, letter))
            if axis.log:
                found["dtick"] = max(-(-abs(high - low) // MOST_POWERS), 1)
            found["range"] = self._range(letter, axis, low, high, tight=maps and not panel.bare)
            if panel.equal and letter == "y":
                found |= {"scaleanchor": f"x{self._number}", "constrain": "domain"}
            elif panel.equal:
                found["constrain"] = "domain"
            self.figure.update_layout({f"{letter}axis{self._number}": found})

    def _range(
        self, letter: str, axis: Axis, low: float, high: float, *, tight: bool
    ) -> list[float] | None:
        """The ends of an axis, with room for the words of marks; None if plotly shall find them."""
        worded = letter == "y" and any(
            isinstance(m, Mark) and m.text and m.across == "x" for m in self.panel.layers
        )
        if not (worded or tight or axis.low is not None or axis.high is not None):
            return None
        room = 0.0 if tight else 0.04 * (high - low)
        stands = any(isinstance(layer, Bars) for layer in self.panel.layers) and letter == "y"
        if axis.low is None and not stands:
            low -= room
        if axis.high is None:
            high += 3.5 * room if worded else room
        return [low, high]
