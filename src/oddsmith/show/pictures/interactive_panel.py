"""What flat panels and panels in space share when plotly draws them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

from oddsmith.show.pictures.spec import Axis, Key, Panel, Scale
from oddsmith.show.pictures.theme import Theme, span

BAR = 88
"""Room for a scale beside a panel, in pixels."""


class Domain(NamedTuple):
    """Where a panel is on the paper, from 0 to 1, and how large the paper is in pixels."""

    x: tuple[float, float]
    y: tuple[float, float]
    width: float
    height: float

    @property
    def shape(self) -> float:
        """How wide the panel is for its height."""
        wide, high = (end - start for start, end in (self.x, self.y))
        return wide * self.width / (high * self.height)


def plain(text: str) -> str:
    """A text that plotly shows as it is: it reads tags otherwise."""
    return escape(text, quote=False).replace("\n", "<br>")


def clear(colour: str, alpha: float) -> str:
    """A colour that lets through what is behind it."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha})"


def digits(axis: Axis) -> str:
    """How plotly writes a number of an axis beside a pointer."""
    if axis.format == "percent":
        return ".5~p"
    return ".6~g" if axis.log else ",.6~r"


@dataclass
class DrawnPanel(ABC):
    """A panel of a plotly figure."""

    figure: Any
    panel: Panel
    paper: Theme
    place: int
    """Its number, from 0."""
    domain: Domain
    names: set[tuple[str, str]]
    """What the legend has already, with its colour."""

    @abstractmethod
    def draw(self) -> None:
        """Draw it."""

    @abstractmethod
    def add(self, trace: Any) -> None:
        """A trace between the axes of this panel."""

    @abstractmethod
    def sign(self, key: Key) -> None:
        """An entry of the legend for which nothing is drawn."""

    def named(self, name: str, colour: str) -> dict[str, Any]:
        """How a trace is named: in the legend, if nothing is called so yet."""
        new = bool(name) and (name, colour) not in self.names
        self.names.add((name, colour))
        return {"name": plain(name), "showlegend": new, "legendgroup": f"{name} {colour}"}

    def look_of(self, key: Key) -> dict[str, Any]:
        """What an entry of the legend shows."""
        ink = self.paper.colour(key.colour)
        if key.dash is None:
            return {"mode": "markers", "marker": {"color": ink, "symbol": "square", "size": 11}}
        return {"mode": "lines", "line": {"color": ink, "width": 3, "dash": key.dash}}

    def title(self) -> None:
        """The panel's own title, over it."""
        if self.panel.title:
            self.figure.add_annotation(
                text=f"<b>{plain(self.panel.title)}</b>",
                x=self.domain.x[0], y=self.domain.y[1], xref="paper", yref="paper",
                xanchor="left", yanchor="bottom", yshift=4, showarrow=False, font={"size": 14},
            )  # fmt: skip

    def axis(self, axis: Axis) -> dict[str, Any]:
        """What axes of both kinds have."""
        found: dict[str, Any] = {
            "title": {"text": plain(axis.text), "font": {"size": 13}},
            "tickfont": {"size": 12},
            "gridcolor": self.paper.faint,
            "linecolor": self.paper.muted,
            "zeroline": False,
            "separatethousands": True,
            "exponentformat": "power",
        }
        if axis.log:
            found["type"] = "log"
        if axis.format == "percent":
            found["tickformat"] = ".4~p"
        if axis.ticks is not None:
            found["tickvals"] = [at for at, _ in axis.ticks]
            found["ticktext"] = [plain(text) for _, text in axis.ticks]
        return found

    def colours(self, scale: Scale, values: Any) -> tuple[list[list[Any]], float, float]:
        """A scale as plotly has it, and its ends."""
        stops = self.paper.stops(scale)
        return [[i / (len(stops) - 1), c] for i, c in enumerate(stops)], *span(scale, values)

    def bar(self, scale: Scale) -> dict[str, Any]:
        """The scale itself, beside the panel."""
        low, high = self.domain.y
        return {
            "title": {"text": plain(scale.label), "side": "right", "font": {"size": 13}},
            "tickfont": {"size": 12},
            "x": self.domain.x[1] + (8 - BAR) / self.domain.width,
            "xanchor": "left",
            "y": (low + high) / 2,
            "len": 0.9 * (high - low),
            "thickness": 13,
            "outlinewidth": 0,
            "tickformat": ".4~p" if scale.format == "percent" else "",
        }

    def inner(self, bar: bool) -> list[float]:
        """From where to where the panel itself goes: less, if a scale stands beside it."""
        left, right = self.domain.x
        return [left, right - (BAR / self.domain.width if bar else 0)]
