"""Value iteration as a picture: one line a state, from nothing known to what it is worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from oddsmith.show.pictures.spec import Axis, Dash, Layer, Line, Panel, Picture, Texts

DASHES: tuple[Dash, ...] = ("solid", "dash", "dot")

DISTANCE = 0.045
"""The least distance of names beside the lines' ends, as a share of the axis."""


def iteration_picture(
    rounds: Any,
    names: Sequence[str],
    limits: Sequence[float],
    written: Sequence[str],
    *,
    title: str,
    small: str,
    fields: str,
    percent: bool,
) -> Picture:
    """Lines of `rounds` (rounds × states), with each state's name and limit at its end.

    `written` is each limit in words: a fraction where it is known exactly.
    """
    last = len(rounds) - 1
    low, high = (0.0, 1.0) if percent else _span(rounds)
    layers: list[Layer] = []
    at = np.arange(len(rounds))
    for s, limit in enumerate(limits):
        ink, dash = f"ink {s % 8}", DASHES[s // 8 % len(DASHES)]
        layers.append(Line(at, rounds[:, s], ink=ink, dash=dash))
        layers.append(Line([last, last * 1.05], [limit, limit], ink=ink, dash="dash", width=1.2))
    places = apart(limits, DISTANCE * (high - low), low, high)
    for s, (name, text) in enumerate(zip(names, written, strict=True)):
        label = f"{name} → {text}"
        layers.append(Texts([last * 1.07], [places[s]], [label], ink=f"ink {s % 8}", align="left"))
    room = 1.1 + 0.011 * max(len(f"{n} → {w}") for n, w in zip(names, written, strict=True))
    worth = "chance of whoever moves to win" if percent else "expected score of whoever moves"
    return Picture(
        title=f"{title}: value iteration",
        small=small,
        panels=(
            Panel(
                layers,
                x=Axis("rounds of value iteration", low=0, high=last * room, ticks=_ticks(last)),
                y=Axis(worth, low=low, high=high, format="percent" if percent else "value"),
                title=f"one line a state, named by {fields}",
            ),
        ),
        size=(9.0, 5.4),
        alt=f"Estimates of what {len(names)} states are worth, round by round, as they converge.",
    )


def _span(rounds: Any) -> tuple[float, float]:
    low, high = float(rounds.min()), float(rounds.max())
    room = 0.04 * max(high - low, 1e-9)
    return low - room, high + room


def _ticks(last: int) -> tuple[tuple[float, str], ...]:
    step = next((n for n in (1, 2, 5, 10, 20, 50, 100, 200, 500) if last <= 8 * n), 1000)
    return tuple((float(k), f"{k:,}") for k in range(0, last + 1, step))


def apart(values: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places near values for words that must not overlap: at least a gap from each other.

    >>> apart([0.5, 0.51, 0.9], 0.1, 0.0, 1.0)
    [0.455, 0.555, 0.9]
    """
    order = sorted(range(len(values)), key=lambda i: values[i])
    groups: list[tuple[float, list[int]]] = []  # the middle of each, and who is in it
    for i in order:
        groups.append((float(values[i]), [i]))
        while len(groups) > 1:
            (one, first), (two, second) = groups[-2:]
            if two - one >= gap * (len(first) + len(second)) / 2 - 1e-12:
                break
            both = first + second
            groups[-2:] = [(sum(float(values[k]) for k in both) / len(both), both)]
    places = [0.0] * len(values)
    for middle, members in groups:
        half = gap * (len(members) - 1) / 2
        middle = min(max(middle, low + half), high - half)
        for n, i in enumerate(members):
            places[i] = round(middle - half + n * gap, 12)
    return places
