"""What one rule does: the odds and the expected length as it varies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddsmith.results.answer import Answer
from oddsmith.results.result import Result
from oddsmith.show.drawings.heading import METHODS, bounds, setting
from oddsmith.show.pictures.spec import Axis, Band, Layer, Line, Mark, Panel, Picture, Points


@dataclass(frozen=True)
class Kind:
    """Answers that are drawn together: others would hide how they change."""

    begins: tuple[str, ...]
    """How their names begin."""
    title: str
    axis: Axis
    ink: str = ""
    """The colour of all of them; empty: a colour for each player."""

    def has(self, name: str) -> bool:
        """Whether an answer is one of them."""
        return name.startswith(self.begins) and "loses" not in name


KINDS = (
    Kind(("player",), "who wins", Axis("chance", format="percent")),
    Kind(("draw",), "draw", Axis("chance", format="percent"), "ink 3"),
    Kind(("expected score",), "scores", Axis("expected score", "points")),
    Kind(("expected length",), "how long", Axis("expected length", "moves"), "line"),
)


def sensitivity(
    rule: str, written: Any, values: Sequence[Any], results: Sequence[Result]
) -> Picture:
    """The answers of a game for each value of a rule; `written` is the value it has as it is."""
    numeric = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    at = np.array(values, float) if numeric else np.arange(len(values), dtype=float)
    there = written in values or (numeric and at.min() <= float(written) <= at.max())
    place = (float(written) if numeric else float(values.index(written))) if there else None
    names = dict.fromkeys(name for result in results for name, _ in result.rows())
    panels = []
    for kind in KINDS:
        named = [name for name in names if kind.has(name)]
        if named and not (kind is KINDS[0] and _always_one(named, results)):
            panels.append(_panel(kind, named, rule, at, values, results, place, numeric))
    first = results[0]
    options = {name: value for name, value in first.options.items() if name != rule}
    methods = ", ".join(dict.fromkeys(METHODS[result.method] for result in results))
    title = f"{first.title}: what {rule} does"
    small = f"{setting(first.players, options)} · {methods}"
    return Picture(
        title,
        panels,
        small=small,
        columns=len(panels),
        size=(max(6.4, 4.4 * len(panels)), 4.6),
        alt=f"{title}, for {rule} = {', '.join(map(str, values))}.",
    )


def _always_one(names: Sequence[str], results: Sequence[Result]) -> bool:
    """Whether a single player always wins: nothing to see."""
    return len(names) == 1 and all(dict(r.rows())[names[0]].value > 1 - 1e-9 for r in results)


def _panel(
    kind: Kind,
    names: Sequence[str],
    rule: str,
    at: Any,
    values: Sequence[Any],
    results: Sequence[Result],
    place: float | None,
    numeric: bool,
) -> Panel:
    layers: list[Layer] = []
    for number, name in enumerate(names):
        answers = [dict(result.rows()).get(name) for result in results]
        ink = kind.ink or f"ink {number}"
        layers += _line(at, answers, name if len(names) > 1 else "", ink, joined=numeric)
    if place is not None:
        layers.append(Mark(place, "as written", ink="muted"))
    ticks = None
    if not numeric or len(values) <= 12:
        ticks = tuple((float(x), str(v)) for x, v in zip(at, values, strict=True))
    return Panel(layers, x=Axis(rule, ticks=ticks), y=kind.axis, title=kind.title)


def _line(
    at: Any, answers: Sequence[Answer | None], name: str, ink: str, *, joined: bool
) -> list[Layer]:
    """The answers over the values of the rule; those between two words mean nothing."""
    value = np.array([np.nan if a is None else a.value for a in answers])
    found: list[Layer] = []
    if any(a is not None and bounds(a) is not None for a in answers):
        low = [np.nan if a is None or a.lower is None else a.lower for a in answers]
        high = [np.nan if a is None or a.upper is None else a.upper for a in answers]
        found.append(Band(at, low, high, ink=ink))
    if joined:
        found.append(Line(at, value, name, ink))
    if len(value) <= 40 or not joined:
        found.append(Points(at, value, "" if joined else name, ink, size=5 if joined else 9))
    return found
