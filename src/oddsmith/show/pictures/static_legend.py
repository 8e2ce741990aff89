"""The legend of a static picture: every name once, in rows over the panels, or in a column."""

from __future__ import annotations

from typing import Any, Literal

from oddsmith.show.pictures.spec import Dash
from oddsmith.show.pictures.theme import Theme
from oddsmith.show.pictures.words import width_of

DASHES: dict[Dash, Any] = {"solid": "-", "dash": (0, (4, 2.5)), "dot": (0, (1, 1.6))}
"""How matplotlib writes a dash."""

Sign = Literal["line", "patch", "point", "band", "arrow"]
SIZE = 9.0
ROW = 0.195
"""How high a row is, in inches."""

HANDLE = 0.5
"""How much room there is for a sign and around a name, in inches."""


class Legend:
    """Names with their signs, gathered while panels are drawn."""

    def __init__(self, paper: Theme) -> None:
        self.paper = paper
        self.handles: dict[tuple[str, str], Any] = {}

    def add(self, name: str, colour: str, sign: Sign, dash: Dash | None = None) -> None:
        """A name, unless it is empty or there already."""
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        ink = self.paper.colour(colour)
        if not name or (name, ink) in self.handles:
            return
        handle: Any
        if sign in ("patch", "band"):
            handle = Patch(color=ink, label=name, alpha=0.35 if sign == "band" else None)
        elif sign == "line":
            style = DASHES[dash or "solid"]
            handle = Line2D([], [], color=ink, linewidth=1.8, linestyle=style, label=name)
        else:
            marker = ">" if sign == "arrow" else "o"
            line = "-" if sign == "arrow" else ""
            handle = Line2D([], [], color=ink, marker=marker, ls=line, ms=5, mew=0, label=name)
        if name.startswith("_"):  # matplotlib would leave it out
            handle.set_label("\u200b" + name)
        self.handles[name, ink] = handle

    def rows(self, inches: float) -> int:
        """Over how many rows of such a width the names go."""
        return -(-len(self.handles) // self._columns(inches)) if self.handles else 0

    def _columns(self, inches: float) -> int:
        widest = max(width_of(name, SIZE) for name, _ in self.handles) + HANDLE
        return max(min(int(inches / widest), len(self.handles)), 1)

    def draw(self, figure: Any, inches: float, top: float) -> float:
        """Draw it from a height on, and say how high it is (both in inches from the top).

        Names that take several rows stand beside a panel that is alone, and take no height.
        """
        if not self.handles:
            return 0.0
        rows = self.rows(inches)
        alone = rows > 1 and len(figure.axes) == 1 and figure.axes[0].name != "3d"
        width, height = figure.get_size_inches()
        edge = (width - inches) / 2
        style = {
            "handles": list(self.handles.values()),
            "frameon": False,
            "fontsize": SIZE,
            "handlelength": 1.6,
            "columnspacing": 1.4,
            "borderpad": 0,
            "borderaxespad": 0,
        }
        if alone:
            figure.axes[0].legend(loc="upper left", bbox_to_anchor=(1.02, 1), **style)
            return 0.0
        at = (edge / width, 1 - (top + 0.06) / height)
        legend = figure.legend(
            loc="upper left", bbox_to_anchor=at, ncols=self._columns(inches), **style
        )
        legend.set_in_layout(False)
        return 0.06 + rows * ROW
