"""How often play comes somewhere, as bars: for games that are not drawn as a board."""

from __future__ import annotations

import re

import numpy as np

from oddsmith.results.result import Result
from oddsmith.show.drawings.heading import small_print
from oddsmith.show.pictures.spec import Axis, Bars, Panel, Picture

MOST_NAMED = 24
"""Places whose names fit under an axis; of more, some are named."""

MOST_WRITTEN = 16


def bars(result: Result) -> Picture:
    """The expected number of visits of each set of states, in order."""
    times = np.array([visit.times.value for visit in result.visits])
    names = [visit.where for visit in result.visits]
    common = re.match(r"(.+) = ", names[0])
    label = common[1] if common and all(n.startswith(common[0]) for n in names) else ""
    short = [name.removeprefix(f"{label} = ") if label else name for name in names]
    at = np.arange(len(names))
    step = -(-len(names) // MOST_NAMED)
    written = [f"{t:.3g}" for t in times] if len(names) <= MOST_WRITTEN else None
    panel = Panel(
        [Bars(at, times, text=written)],
        x=Axis(label or "place", ticks=tuple((float(i), short[i]) for i in at[::step])),
        y=Axis("expected visits", "times in a game", low=0.0),
    )
    title = f"{result.title}: how often play comes there"
    most = names[int(times.argmax())]
    alt = f"{title}; most often to {most}, {times.max():.3g} times."
    return Picture(title, [panel], small=small_print(result), alt=alt)
