"""Who wins: the chances by seat, for one number of players or for several."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from oddsmith.results.answer import Answer
from oddsmith.results.result import Result
from oddsmith.show.drawings.heading import METHODS, bounds, setting, small_print
from oddsmith.show.pictures.spec import (
    Axis,
    Band,
    Bars,
    Floats,
    Layer,
    Line,
    Panel,
    Picture,
    Points,
)


def seats(results: Sequence[Result]) -> Picture:
    """Each player's chance to win, and the draw: by the number of players where it varies."""
    return _one(results[0]) if len(results) == 1 else _several(results)


def _one(result: Result) -> Picture:
    """Bars: a seat each, and the draw; or expected scores, where the game is played for them."""
    by_score = bool(result.score) and (result.players == 1 or not result.win)
    answers = list(result.score if by_score else result.win)
    names = [f"player {i + 1}" for i in range(len(answers))]
    drawn = None if by_score else result.draw
    if drawn is not None and drawn.value > 0:
        answers.append(drawn)
        names.append("draw" if result.players > 1 else "nobody")
    value = np.array([answer.value for answer in answers])
    at = np.arange(len(answers))
    text = [f"{v:.4g}" if by_score else f"{100 * v:.2f} %" for v in value]
    seated = at < (len(result.score) if by_score else len(result.win))
    layers: list[Layer] = [
        Bars(at[of], value[of], ink=ink, width=0.6, text=[text[i] for i in at[of]])
        for of, ink in ((seated, "ink 0"), (~seated, "ink 3"))
        if of.any()
    ]
    for i, answer in enumerate(answers):
        if (between := bounds(answer)) is not None:
            layers.append(Line([i, i], list(between), ink="line", width=1.4))
    if not by_score and result.players > 1:
        layers.append(_share(1 / result.players, value))
    what = "expected scores" if by_score else "who wins"
    panel = Panel(
        layers,
        x=Axis(low=-0.6, high=len(at) - 0.4, ticks=tuple(zip(at.tolist(), names, strict=True))),
        y=Axis("expected score", "points")
        if by_score
        else Axis("chance", low=0.0, high=min(1.08, 1.15 * float(value.max())), format="percent"),
    )
    title = f"{result.title}: {what}"
    told = ", ".join(f"{name} {shown}" for name, shown in zip(names, text, strict=True))
    return Picture(title, [panel], small=small_print(result), alt=f"{title}: {told}.")


def _share(share: float, value: Floats) -> Line:
    """The equal share as a line, with a gap where a bar's number stands."""
    room = 0.06 * float(value.max())
    under = [i for i, top in enumerate(value) if top < share < top + room]
    x = [-0.5, *(edge for i in under for edge in (i - 0.3, i, i + 0.3)), len(value) - 0.5]
    y = [share, *(height for _ in under for height in (share, math.nan, share)), share]
    return Line(x, y, "an equal share", "muted", "dash")


def _several(results: Sequence[Result]) -> Picture:
    """Lines: a seat each over the number of players."""
    layers: list[Layer] = []
    counts = [result.players for result in results]
    for seat in range(max(counts)):
        there = [result for result in results if seat < result.players]
        layers += _line(
            [result.players for result in there],
            [result.win[seat] for result in there],
            f"player {seat + 1}",
            f"ink {seat}",
        )
    drawn = [(r.players, r.draw) for r in results if r.draw is not None]
    if any(draw.value > 0 for _, draw in drawn):
        at, draws = zip(*drawn, strict=True)
        layers += _line(at, draws, "draw", "line", dashed=True)
    fair = [1 / n for n in counts]
    layers.append(Line(counts, fair, "an equal share", "muted", "dot", 1.2))
    most = max(*fair, *(answer.value for result in results for answer in result.win))
    panel = Panel(
        layers,
        x=Axis(
            "number of players",
            low=counts[0] - 0.3,
            high=counts[-1] + 0.3,
            ticks=tuple((float(n), str(n)) for n in counts),
        ),
        y=Axis("chance to win", low=0.0, high=min(1.02, 1.08 * most), format="percent"),
    )
    first = results[0]
    options = setting(1, first.options).removeprefix("1 player").removeprefix(", ")
    methods = ", ".join(dict.fromkeys(METHODS[result.method] for result in results))
    told = "; ".join(
        f"{r.players} players: " + ", ".join(f"{100 * a.value:.2f} %" for a in r.win)
        for r in results
    )
    title = f"{first.title}: who wins, by seat and number of players"
    small = " · ".join(filter(None, [options, methods]))
    return Picture(title, [panel], small=small, alt=f"{title}. {told}.")


def _line(
    at: Sequence[int], answers: Sequence[Answer], name: str, ink: str, *, dashed: bool = False
) -> list[Layer]:
    value = [answer.value for answer in answers]
    found: list[Layer] = []
    if any(bounds(answer) is not None for answer in answers):
        low = [a.value if a.lower is None else a.lower for a in answers]
        high = [a.value if a.upper is None else a.upper for a in answers]
        found.append(Band(at, low, high, ink=ink))
    if len(at) > 1:
        found.append(Line(at, value, name, ink, "dash" if dashed else "solid"))
    found.append(Points(at, value, name="" if len(at) > 1 else name, ink=ink, size=6))
    return found
