"""A board as a picture: its squares with what happens on them, or coloured by a value.

Drawn from the data of `board_json.drawing_of`, so the page and the files show the same board.
Squares of one kind have one colour, and say in words what they do; jumps forwards are straight
arrows, jumps back are bent ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from oddsmith.rules.board.effects import EFFECTS
from oddsmith.show.pictures.spec import (
    Arrows,
    Axis,
    Key,
    Layer,
    Panel,
    Picture,
    Scale,
    Shapes,
    Texts,
)

KINDS = {
    "start": ("", "ink 4"),
    "finish": ("", "ink 6"),
    "goto-forward": ("leads on", "ink 2"),
    "goto-back": ("leads back", "ink 5"),
    **{key: (effect.legend, effect.colour) for key, effect in EFFECTS.items()},
}
"""What the legend calls a kind of square, if it does, and its colour."""

TAIL = 0.2
"""Arrows begin and end so far to the right of a square's middle and above it: words are below."""

HEAD = 0.9
"""Inches for the title, the small print and the legend."""

MOST_INCHES, LARGEST_SQUARE = 8.6, 0.95
SMALLEST_PRINT = 4.6
"""Points; what would be smaller is left out."""

LETTER = 0.58
"""How wide a letter is, as a share of its size."""


@dataclass(frozen=True)
class Sheet:
    """A drawing on paper: how large its squares are, and where (y grows upwards here)."""

    drawing: Mapping[str, Any]

    @property
    def squares(self) -> Sequence[Mapping[str, Any]]:
        """The squares from start to finish."""
        found: Sequence[Mapping[str, Any]] = self.drawing["squares"]
        return found

    @property
    def square_inches(self) -> float:
        """How wide a square is."""
        longest = max(self.drawing["width"], self.drawing["height"])
        return float(min(LARGEST_SQUARE, MOST_INCHES / longest))

    @property
    def size(self) -> tuple[float, float]:
        """The picture's, in inches."""
        side = self.square_inches
        width, height = (side * self.drawing[name] for name in ("width", "height"))
        return max(4.6, width + 0.3), max(2.0, height + HEAD)

    def corners(self, square: Mapping[str, Any]) -> Any:
        """A square's corners."""
        return self.flipped(np.array(square["corners"], float))

    def flipped(self, points: Any) -> Any:
        """Points of the drawing on paper."""
        return np.stack([points[..., 0], self.drawing["height"] - points[..., 1]], axis=-1)

    def middle(self, square: Mapping[str, Any]) -> tuple[float, float]:
        """A square's middle."""
        return square["x"], self.drawing["height"] - square["y"]

    def print_size(self, text: str, wanted: float, square: Mapping[str, Any]) -> float:
        """The size in points at which a text fits into a square; 0 if it would be too small."""
        wide, high = np.ptp(np.array(square["corners"], float), axis=0)
        room = 0.92 * 72 * self.square_inches * float(wide)
        # Smaller squares have smaller print, and a large finish has larger.
        most = wanted * self.square_inches / 0.86 * min(1.6, float(wide), float(high))
        size = min(most, room / (LETTER * max(1, len(text))))
        return size if size >= SMALLEST_PRINT else 0.0

    def panel(self, layers: Sequence[Layer]) -> Panel:
        """A panel without axes that holds the board."""
        return Panel(
            layers,
            x=Axis(low=-0.05, high=self.drawing["width"] + 0.05),
            y=Axis(low=-0.05, high=self.drawing["height"] + 0.05),
            equal=True,
            bare=True,
        )


# The board itself ---------------------------------------------------------------------------


def board(drawing: Mapping[str, Any], title: str, small: str = "") -> Picture:
    """The board: each square with its number, its name and what it does; jumps as arrows."""
    sheet = Sheet(drawing)
    fill = [_fill(square["kind"]) for square in sheet.squares]
    told = [_told(square) for square in sheet.squares]
    shapes = Shapes([sheet.corners(s) for s in sheet.squares], fill=fill, edge="muted", text=told)
    writing = [
        *_numbers(sheet, 9.5),
        *_written(sheet, _name, -0.12, 8.0),
        *_written(sheet, words, -0.34, 8.0),
    ]
    kinds = dict.fromkeys(s["kind"] for s in sheet.squares if s["kind"] in KINDS)
    named = {KINDS[kind][0]: _fill(kind) for kind in kinds if KINDS[kind][0]}
    layers: list[Layer] = [shapes, *_arrows(sheet), *writing]
    return Picture(
        title,
        [sheet.panel(layers)],
        small=small,
        legend=[Key(name, colour) for name, colour in named.items()],
        size=sheet.size,
        alt=f"The board, {len(told)} squares: " + "; ".join(t for t in told if ":" in t),
    )


def words(square: Mapping[str, Any]) -> str:
    """What a square does, in as few words as fit into it.

    >>> words({"number": 6, "kind": "goto-forward", "effect": "goto 12"})
    '→ 12'
    """
    if square["kind"] in ("start", "finish", "plain"):
        return "" if square["kind"] == "plain" else str(square["kind"])
    if square["kind"] == "restart":
        return "→ start"
    return str(square["effect"]).replace("goto", "→").removesuffix(", share")


def _fill(kind: str) -> str:
    return f"{KINDS[kind][1]} pale" if kind in KINDS else "paper"


def _number(square: Mapping[str, Any]) -> str:
    return str(square["number"])


def _name(square: Mapping[str, Any]) -> str:
    return str(square["name"])


def _told(square: Mapping[str, Any]) -> str:
    """A square in a line, for a pointer or a reader."""
    called = f"{square['number']} {square['name']}".strip()
    does = words(square) if square["effect"] == "nothing" else square["effect"]
    return f"{called}: {does}" if does else called


def _written(
    sheet: Sheet,
    text_of: Callable[[Mapping[str, Any]], str],
    above: float,
    wanted: float,
    *,
    ink_of: Callable[[Mapping[str, Any]], str] = lambda square: "line",
    bold: bool = False,
) -> Iterator[Texts]:
    """A text in each square, so far above its middle; a layer for each size and ink."""
    found: dict[tuple[float, str], list[tuple[float, float, str]]] = {}
    for square in sheet.squares:
        text = text_of(square)
        size = sheet.print_size(text, wanted, square)
        if text and size:
            x, y = sheet.middle(square)
            key = (round(size * 2) / 2, ink_of(square))
            found.setdefault(key, []).append((x, y + above, text))
    for (size, ink), places in found.items():
        across, up, texts = zip(*places, strict=True)
        yield Texts(across, up, texts, ink=ink, size=size, bold=bold)


def _numbers(
    sheet: Sheet,
    wanted: float,
    *,
    ink_of: Callable[[Mapping[str, Any]], str] = lambda square: "line",
) -> Iterator[Texts]:
    """The number of each square, in its upper left corner."""
    for layer in _written(sheet, _number, 0.0, wanted, ink_of=ink_of, bold=True):
        numbers = [int(text) for text in layer.text]
        first = sheet.squares[0]["number"]
        corners = np.array([sheet.corners(sheet.squares[n - first]) for n in numbers])
        left, top = corners[:, :, 0].min(axis=1), corners[:, :, 1].max(axis=1)
        yield replace(layer, x=left + 0.08, y=top - 0.2, align="left")


def _arrows(sheet: Sheet) -> Iterator[Arrows]:
    """Jumps forwards, straight, and back, bent. Those to the start are told in words only."""
    middles = {square["number"]: sheet.middle(square) for square in sheet.squares}
    first = sheet.drawing["start"]
    jumps = [jump for jump in sheet.drawing["jumps"] if jump["to"] != first]
    for forwards, ink, bend in ((True, "ink 2", 0.0), (False, "ink 5", 0.12)):
        some = [jump for jump in jumps if (jump["to"] > jump["from"]) == forwards]
        if some:
            (x, y), (to_x, to_y) = (
                (np.array([middles[jump[end]] for jump in some]) + TAIL).T for end in ("from", "to")
            )
            yield Arrows(x, y, to_x, to_y, ink=ink, width=1.6, bend=bend)


# Coloured by a value ------------------------------------------------------------------------


def heat(
    drawing: Mapping[str, Any],
    values: Mapping[int, float],
    title: str,
    small: str = "",
    *,
    scale: Scale,
    told: Mapping[int, str],
) -> Picture:
    """The board coloured by a value of each square; squares without one are faint.

    `told` is what a pointer is told about a square beside the value.
    """
    sheet = Sheet(drawing)
    low, high = _limits(scale, values)
    scale = Scale(scale.name, low, high, scale.label, scale.format)
    known = [square for square in sheet.squares if square["number"] in values]
    empty = [square for square in sheet.squares if square["number"] not in values]

    def at(square: Mapping[str, Any]) -> float | None:
        return values.get(square["number"])

    def shown(square: Mapping[str, Any]) -> str:
        return "" if at(square) is None else short(values[square["number"]], scale)

    def ink(square: Mapping[str, Any]) -> str:
        value = at(square)
        if value is None:
            return "muted"
        return "paper" if (value - low) / (high - low) > 0.5 else "line"

    def more(square: Mapping[str, Any]) -> str:
        extra = told.get(square["number"]) or shown(square) or "nobody stands here"
        return f"{_told(square)}\n{extra}"

    layers: list[Layer] = [
        Shapes(
            [sheet.corners(s) for s in empty],
            fill=["faint"] * len(empty),
            edge="muted",
            width=0.6,
            text=[more(s) for s in empty],
        ),
        Shapes(
            [sheet.corners(s) for s in known],
            value=np.array([values[s["number"]] for s in known]),
            scale=scale,
            edge="muted",
            width=0.6,
            text=[more(s) for s in known],
        ),
        *_numbers(sheet, 7.0, ink_of=ink),
        *_written(sheet, shown, -0.06, 9.5, ink_of=ink, bold=True),
        *_written(sheet, lambda s: _name(s) or words(s), -0.36, 6.5, ink_of=ink),
    ]
    width, height = sheet.size
    return Picture(title, [sheet.panel(layers)], small=small, size=(width + 0.9, height), alt=title)


def short(value: float, scale: Scale) -> str:
    """A value in a square: three digits at most.

    >>> short(0.4567, Scale(format="percent")), short(1.6269, Scale()), short(0.0449, Scale())
    ('45.7', '1.63', '0.04')
    """
    if scale.format == "percent":
        return "100" if value > 0.9995 else f"{100 * value:.1f}"
    return f"{value:.2f}" if value < 9.995 else f"{value:.3g}"


def _limits(scale: Scale, values: Mapping[int, float]) -> tuple[float, float]:
    found = list(values.values())
    low = min(found) if scale.low is None else scale.low
    high = max(found) if scale.high is None else scale.high
    return (low, high) if high > low else (low, low + 1.0)
