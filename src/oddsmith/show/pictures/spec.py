"""Picture: what is to be seen, said once; matplotlib and plotly both draw it.

A picture has a title and panels; a panel has axes and layers: lines, bars, maps, shapes, faces in
space. Numbers are in the units of the axes. Colours are names of the theme (see `theme.py`), so one
picture is drawn for light and for dark paper:

- "ink 0" to "ink 7": colours for things told apart by kind, also by colour-blind people;
- "line" (what is written and drawn), "muted" (small print, guides), "faint" (fields, empty
  squares), "paper" (the background);
- "#rrggbb" where a colour means the same on any paper;
- any of these and " pale": mixed with much paper.

Words in "line" over a map or a shape are written in what can be read there.

Values on a map or a surface are coloured by a named scale, from `low` to `high`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Dash = Literal["solid", "dash", "dot"]
Align = Literal["left", "center", "right"]
Format = Literal["value", "percent"]


@dataclass(frozen=True)
class Axis:
    """An axis: what it measures, in which unit, and from where to where."""

    label: str = ""
    unit: str = ""
    """Written after the label, in brackets."""
    low: float | None = None
    high: float | None = None
    log: bool = False
    format: Format = "value"
    """`percent`: 0.25 is written 25 %."""
    ticks: tuple[tuple[float, str], ...] | None = None
    """Places with their names, where they are not plain numbers."""

    @property
    def text(self) -> str:
        """The label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


@dataclass(frozen=True)
class Scale:
    """How values become colours."""

    name: Literal["sequential", "diverging"] = "sequential"
    """`sequential` from little to much; `diverging` for differences, grey at zero."""
    low: float | None = None
    high: float | None = None
    """None: from the values."""
    label: str = ""
    format: Format = "value"
    bar: bool = True
    """Whether the scale itself is drawn beside the panel."""


# Layers of a flat panel ---------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Line:
    """A line through points; with `step`, level from each point to the next."""

    x: Any
    y: Any
    name: str = ""
    """In the legend; empty for none."""
    ink: str = "ink 0"
    dash: Dash = "solid"
    width: float = 1.8
    step: bool = False


@dataclass(frozen=True, eq=False)
class Band:
    """What lies between two lines: an interval that contains the truth."""

    x: Any
    low: Any
    high: Any
    name: str = ""
    ink: str = "ink 0"


@dataclass(frozen=True, eq=False)
class Bars:
    """Bars that stand on zero, or on `base`."""

    x: Any
    height: Any
    name: str = ""
    ink: str = "ink 0"
    width: float = 0.8
    base: Any = 0.0
    text: Sequence[str] | None = None
    """What is written over each bar."""


@dataclass(frozen=True, eq=False)
class Points:
    """Points; `text` is what each is called."""

    x: Any
    y: Any
    name: str = ""
    ink: str = "ink 0"
    size: float = 6.0
    text: Sequence[str] | None = None


@dataclass(frozen=True)
class Mark:
    """A line across the panel at one place of an axis, with a word: a mean, a quantile."""

    at: float
    text: str = ""
    across: Literal["x", "y"] = "x"
    """The axis on which the place is."""
    ink: str = "muted"
    dash: Dash = "dash"


@dataclass(frozen=True, eq=False)
class Heat:
    """A map: a value for each cell, in rows of y (`value[y, x]`); not a number is no cell."""

    x: Any
    """The edges of cells, one more than there are columns."""
    y: Any
    value: Any
    scale: Scale = field(default_factory=Scale)
    text: Any = None
    """What a pointer is told about each cell, of the same shape; static pictures leave it out."""


@dataclass(frozen=True, eq=False)
class Tiles:
    """A map of kinds: the number of a kind for each cell (`kind[y, x]`), -1 for no cell."""

    x: Any
    y: Any
    kind: Any
    names: Sequence[str]
    colours: Sequence[str]
    """A name and a colour for each kind."""


@dataclass(frozen=True, eq=False)
class Shapes:
    """Polygons, each filled with a colour of its own or by its value on a scale."""

    corners: Sequence[Any]
    """For each an array of (x, y)."""
    fill: Sequence[str] | None = None
    value: Any = None
    scale: Scale = field(default_factory=Scale)
    edge: str = "line"
    width: float = 1.0
    text: Sequence[str] | None = None
    """What a pointer is told about each."""


@dataclass(frozen=True, eq=False)
class Texts:
    """Words at places."""

    x: Any
    y: Any
    text: Sequence[str]
    ink: str = "line"
    size: float = 8.0
    """In points."""
    align: Align = "center"
    bold: bool = False


@dataclass(frozen=True, eq=False)
class Arrows:
    """Arrows from places to places; `bend` is how far the middle is off the straight way,
    as a share of its length, to the left of the arrow."""

    x: Any
    y: Any
    to_x: Any
    to_y: Any
    ink: str = "muted"
    width: float = 1.2
    bend: float = 0.0
    name: str = ""


# Layers of a panel in space -----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Surface:
    """Heights over a grid (`z[y, x]`), coloured by height; not a number is a hole."""

    x: Any
    """The middles of the cells."""
    y: Any
    z: Any
    scale: Scale = field(default_factory=Scale)


@dataclass(frozen=True, eq=False)
class Faces:
    """Rectangles in space with colours of their own (red, green, blue from 0 to 1), lit already."""

    corners: Floats
    """Faces × 4 × 3."""
    colour: Floats
    """Faces × 3."""
    outward: Floats | None = None
    """For the surface of a solid: each face's normal; those turned away need not be drawn."""


@dataclass(frozen=True)
class Key:
    """An entry of the legend that no layer makes by itself."""

    name: str
    colour: str
    dash: Dash | None = None
    """None: a patch; else a line."""


Flat = Line | Band | Bars | Points | Mark | Heat | Tiles | Shapes | Texts | Arrows
Spatial = Surface | Faces
Layer = Flat | Spatial


@dataclass(frozen=True, eq=False)
class Panel:
    """Axes and what is drawn between them; with a `z` axis it is in space."""

    layers: Sequence[Layer]
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    z: Axis | None = None
    title: str = ""
    equal: bool = False
    """Whether a unit is as long on both axes."""
    bare: bool = False
    """Whether axes are left out, as for a board."""
    views: Sequence[tuple[float, float]] = ((28.0, -122.0),)
    """In space: elevation and azimuth, in degrees. Static pictures draw each view beside the
    other, interactive ones begin with the first."""
    aspect: tuple[float, float, float] = (1.0, 1.0, 0.85)


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """A picture: see the module's docstring. `save` draws it into a file."""

    title: str
    panels: Sequence[Panel]
    small: str = ""
    """The small print under the title: players, options, how it was found."""
    legend: Sequence[Key] = ()
    columns: int = 1
    """How many panels stand side by side."""
    size: tuple[float, float] = (8.2, 5.2)
    """In inches."""
    alt: str = ""
    """What the picture shows, in a sentence, for who cannot see it."""

    def save(self, path: str | Path, theme: str = "light") -> None:
        """Write it: png, svg and pdf by matplotlib, html by plotly (it turns and zooms)."""
        from oddsmith.show.pictures.files import save

        save(self, path, theme)

    def to_svg(self, theme: str = "light") -> str:
        """The picture as SVG text."""
        from oddsmith.show.pictures.files import svg_of

        return svg_of(self, theme)

    def to_html(self, theme: str = "light", *, alone: bool = True) -> str:
        """The picture as HTML that turns and zooms; `alone`: a page with all it needs."""
        from oddsmith.show.pictures.files import html_of

        return html_of(self, theme, alone)

    def __repr__(self) -> str:
        return f"<Picture: {self.title}>"

    def _repr_svg_(self) -> str:
        return self.to_svg()
