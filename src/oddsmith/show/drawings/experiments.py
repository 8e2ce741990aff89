"""Experiments: the answer to each property against a constant."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from oddsmith.errors import OptionError
from oddsmith.results.answer import Answer
from oddsmith.show.pictures.spec import Axis, Band, Layer, Line, Panel, Picture, Points

if TYPE_CHECKING:
    from oddsmith.properties.ask import Answers

INKS = 8


def experiments(answers: Answers) -> Picture:
    """Every property over the first constant that has a range, a line for the others."""
    if not answers.ranged:
        raise OptionError("There is nothing to draw: give a range, such as --const N=1:10.")
    across, *others = answers.ranged
    lines: dict[str, list[tuple[float, Answer]]] = {}
    for experiment in answers.experiments:
        for one in experiment.checked:
            found = one.value if isinstance(one.answer, bool) else one.answer
            if not isinstance(found, Answer) or not math.isfinite(found.value):
                continue
            rest = ", ".join(f"{k} = {experiment.constants[k]}" for k in others)
            name = ", ".join(x for x in (one.name or one.text, rest) if x)
            lines.setdefault(name, []).append((float(experiment.constants[across]), found))
    if not lines:
        raise OptionError("There is nothing to draw: no answer is a number.")
    layers: list[Layer] = []
    for i, (name, points) in enumerate(lines.items()):
        points.sort(key=lambda point: point[0])
        x, ink = [at for at, _ in points], f"ink {i % INKS}"
        value = [answer.value for _, answer in points]
        low = [answer.value if answer.lower is None else answer.lower for _, answer in points]
        high = [answer.value if answer.upper is None else answer.upper for _, answer in points]
        layers += [
            Band(x, low, high, ink=ink),
            Line(x, value, name, ink),
            Points(x, value, ink=ink),
        ]
    words = "a property" if len(lines) == 1 else f"{len(lines)} properties"
    return Picture(
        answers.model,
        [Panel(layers, Axis(across), Axis("value"))],
        small=f"answers over {across}, with their bounds",
        alt=f"The value of {words} of {answers.model} over the constant {across}.",
    )
