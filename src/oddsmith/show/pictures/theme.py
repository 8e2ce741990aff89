"""Themes: the colours of a picture on light and on dark paper.

The inks follow Okabe and Ito's set, moved so that each has a contrast of at least 3 to 1 with the
paper (as WCAG 2 asks of graphics) and any two of them stay apart for people who do not see red or
green (a test simulates both). The scale from little to much begins near the paper and goes away
from it, in steps that are equal in CIELAB, so that equal differences look equal. The diverging
scale has grey at zero.

Both renderers take colours from here as texts `#rrggbb`, so they agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddsmith.errors import OptionError
from oddsmith.show.pictures.spec import Floats, Scale

PALE = 0.68
"""How much paper is mixed into a colour that is called pale."""


@dataclass(frozen=True)
class Theme:
    """The colours of a paper: see `spec` for what their names mean."""

    name: str
    paper: str
    line: str
    muted: str
    faint: str
    inks: tuple[str, ...]
    sequential: tuple[str, ...]
    diverging: tuple[str, ...]

    def colour(self, name: str) -> str:
        """A colour by its name, as `#rrggbb`."""
        if name.endswith(" pale"):
            return mixed(self.colour(name.removesuffix(" pale")), self.paper, PALE)
        if name.startswith("#"):
            return name
        if name.startswith("ink "):
            return self.inks[int(name.removeprefix("ink ")) % len(self.inks)]
        plain = {"paper": self.paper, "line": self.line, "muted": self.muted, "faint": self.faint}
        return plain[name]

    def stops(self, scale: Scale) -> tuple[str, ...]:
        """The colours of a scale, at equal distances."""
        return self.diverging if scale.name == "diverging" else self.sequential

    def painted(self, scale: Scale, values: Any) -> list[str]:
        """The colours of values on a scale; `faint` for what is not a number."""
        values = np.asarray(values, float).ravel()
        low, high = span(scale, values)
        known = np.isfinite(values)
        at = np.where(known, (values - low) / (high - low), 0.0)
        found = hexadecimal(gradient(self.stops(scale), np.clip(at, 0, 1)))
        return [text if k else self.faint for text, k in zip(found, known, strict=True)]

    def readable(self, under: str) -> str:
        """What is written over a colour: in line or in paper, whichever stands out more."""
        return max((self.line, self.paper), key=lambda ink: contrast(ink, under))


def span(scale: Scale, values: Any) -> tuple[float, float]:
    """From where to where a scale goes; a diverging one as far on both sides of zero."""
    known = np.asarray(values, float)
    known = known[np.isfinite(known)]
    least, most = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    if scale.name == "diverging":
        far = max(abs(least), abs(most))
        least, most = -far, far
    low = least if scale.low is None else scale.low
    high = most if scale.high is None else scale.high
    return (low, high) if high > low else (low - 0.5, low + 0.5)


def rgb(colour: str) -> Floats:
    """Red, green and blue of `#rrggbb`, from 0 to 1."""
    return np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255


def hexadecimal(colours: Any) -> list[str]:
    """Colours (rows of red, green and blue) as `#rrggbb`."""
    whole = np.rint(np.asarray(colours, float).reshape(-1, 3) * 255).astype(np.int64)
    packed = whole @ np.array([65536, 256, 1])
    texts, which = np.unique(packed, return_inverse=True)
    named = [f"#{value:06x}" for value in texts]
    return [named[i] for i in which]


def mixed(one: str, other: str, share: float) -> str:
    """A colour with a share of another."""
    return hexadecimal(rgb(one) * (1 - share) + rgb(other) * share)[0]


def gradient(stops: Sequence[str], at: Any) -> Floats:
    """Colours between stops at equal distances, for places from 0 to 1: rows."""
    colours = np.array([rgb(stop) for stop in stops])
    places = np.linspace(0, 1, len(stops))
    at = np.asarray(at, float)
    return np.stack([np.interp(at, places, colours[:, i]) for i in range(3)], axis=-1)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2: from 1 to 21."""
    light = sorted(_luminance(colour) + 0.05 for colour in (one, other))
    return light[1] / light[0]


def _luminance(colour: str) -> float:
    part = rgb(colour)
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return float(linear @ np.array([0.2126, 0.7152, 0.0722]))


LIGHT = Theme(
    name="light",
    paper="#ffffff",
    line="#1f2933",
    muted="#5b6673",
    faint="#e4e7eb",
    inks=(
        *("#2273c8", "#d97c00", "#2a9d78", "#7d2f74"),
        *("#6899b5", "#7a1414", "#80692c", "#1d2a94"),
    ),
    sequential=(
        *("#f5f6d6", "#deecb8", "#b9e1a2", "#8ed19c", "#66bf9c", "#3fad9e", "#139da3"),
        *("#008da5", "#007aa1", "#00699f", "#005596", "#253d7c", "#292559"),
    ),
    diverging=(
        *("#1d4e89", "#3f7fb9", "#82b1d6", "#bdd3e4", "#e4e5e7"),
        *("#efd0a8", "#e2a356", "#bd711c", "#854604"),
    ),
)
DARK = Theme(
    name="dark",
    paper="#14181f",
    line="#e6e9ee",
    muted="#9aa5b1",
    faint="#2b323c",
    inks=(
        *("#5ab4ff", "#c9771a", "#7fe5b4", "#b5609a"),
        *("#cdeef5", "#fb6a6a", "#f0dc4a", "#6a66d0"),
    ),
    sequential=(
        *("#292c47", "#2a3a66", "#225286", "#186791", "#117b99", "#0e8e9c", "#2a9f9b"),
        *("#47b198", "#5ec092", "#7dcf8a", "#a6dc89", "#d0e890", "#f7f5a6"),
    ),
    diverging=(
        *("#a5d4ff", "#6fb1ec", "#457fb4", "#345168", "#3a3f47"),
        *("#6b5136", "#a9752f", "#e0a04a", "#ffd08a"),
    ),
)
THEMES = {"light": LIGHT, "dark": DARK}


def theme(name: str) -> Theme:
    """A theme by its name."""
    if name not in THEMES:
        raise OptionError(f"There is no theme {name!r}: choose one of {', '.join(THEMES)}.")
    return THEMES[name]
