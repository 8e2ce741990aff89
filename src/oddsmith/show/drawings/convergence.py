"""How a solve converges, as a picture: bounds turn by turn, and their width by method."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.show.pictures.spec import Axis, Band, Dash, Layer, Line, Panel, Picture

DASHES: tuple[Dash, ...] = ("solid", "dash", "dot")

NARROW = 0.005
"""Turns are shown until every chance is known to this."""


def convergence_picture(found: Any, title: str, small: str) -> Picture:
    """The picture of a `Convergence` (see `oddsmith.ask.convergence`)."""
    games = f"{found.states:,} states that go on, {found.transitions:,} transitions"
    return Picture(
        title=f"{title}: how a solve converges",
        small=f"{small}; {games}" if small else games,
        panels=(_bounds(found), _widths(found)),
        columns=2,
        size=(10.5, 4.9),
        alt=(
            "Left: the lower and upper bound of every outcome's chance after each turn, closing in "
            "on the truth. Right: the width of the bounds against the work of each method."
        ),
    )


def _bounds(found: Any) -> Panel:
    wide = (found.high - found.low).max(axis=1) > NARROW
    last = min(int(np.count_nonzero(wide)) + 1, len(found.turns))
    turns, layers = found.turns[:last], list[Layer]()
    for q, name in enumerate(found.outcomes):
        low, high, ink = found.low[:last, q], found.high[:last, q], f"ink {q}"
        layers.append(Band(turns, low, high, name=name, ink=ink))
        layers += [Line(turns, edge, ink=ink, width=1.2) for edge in (low, high)]
    return Panel(
        layers,
        x=Axis("turns played", low=0, high=float(turns[-1])),
        y=Axis("chance", low=0, high=1, format="percent"),
        title="what is proved after so many turns",
    )


def _widths(found: Any) -> Panel:
    layers: list[Layer] = []
    first = len(found.outcomes)
    for m, course in enumerate(found.courses):
        ink, dash = f"ink {(first + m) % 8}", DASHES[m % len(DASHES)]
        # On a logarithmic axis zero work has no place: one product is where the lines begin.
        at = course.products > 0
        layers.append(
            Line(course.products[at], course.width[at], name=course.method, ink=ink, dash=dash)
        )
    return Panel(
        layers,
        x=Axis("products with the matrix", log=True),
        y=Axis("width of the bounds", log=True),
        title="how wide the bounds still are",
    )
