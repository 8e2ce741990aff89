"""Experiments as a plot: the answer against a constant."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oddsmith.errors import MissingExtraError, OptionError
from oddsmith.result import Answer

if TYPE_CHECKING:
    from oddsmith.properties.ask import Answers

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe and Ito's, which the colour-blind can tell apart."""


def draw(answers: Answers, path: str | Path) -> None:
    """Draw every property over the first constant that has a range, a line for the others."""
    if not answers.ranged:
        raise OptionError("There is nothing to draw: give a range, such as --const N=1:10.")
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("Plots need matplotlib: install oddsmith[plot].") from None
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
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes: Any = figure.add_subplot()
    for i, (name, points) in enumerate(lines.items()):
        points.sort(key=lambda point: point[0])
        xs = [x for x, _ in points]
        colour = COLOURS[i % len(COLOURS)]
        axes.plot(xs, [a.value for _, a in points], color=colour, label=name, marker="o", ms=3.5)
        axes.fill_between(
            xs, [a.lower for _, a in points], [a.upper for _, a in points], color=colour, alpha=0.2
        )
    axes.set_xlabel(across)
    axes.set_ylabel("value")
    axes.set_title(answers.model)
    axes.grid(alpha=0.3)
    axes.legend(fontsize="small")
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise OptionError(f"{path} cannot be written: {error}.") from None
