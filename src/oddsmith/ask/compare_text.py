"""Comparisons as plain text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from oddsmith.results.digits import PLAIN, NumberFormat
from oddsmith.results.distribution import Quantile, quantile_change, quantile_text
from oddsmith.results.evidence import Method
from oddsmith.results.table import METHOD_NOTES, align, exact_note, interval, title

if TYPE_CHECKING:
    from oddsmith.ask.compare import Comparison, Figure

MOST_CHANGES = 15
"""Changed rules that are listed."""


def text_of(comparison: Comparison, number_format: NumberFormat = PLAIN) -> str:
    """The comparison as plain text, exact differences as the format has them."""
    parts = [_titles(comparison), _changes(comparison)]
    bounds = _bounds({comparison.a.method, comparison.b.method})
    rows = [_row(figure, bounds, number_format) for figure in comparison.figures]
    names = [number_format.name] if bounds == ["exact"] else bounds
    parts.append(align(["", "A", "B", "change", *names], rows))
    if comparison.quantiles:
        lengths = [
            [f"{level:.0%} of games", quantile_text(a), quantile_text(b), _change(a, b)]
            for level, (a, b) in comparison.quantiles.items()
        ]
        parts.append(align(["last at most", "A", "B", "change"], lengths))
    parts.append(_evidence(comparison, number_format))
    return "\n\n".join(part for part in parts if part)


def _titles(comparison: Comparison) -> str:
    files = [f" ({name})" if name else "" for name in comparison.files]
    return f"A  {title(comparison.a)}{files[0]}\nB  {title(comparison.b)}{files[1]}"


def _bounds(methods: set[Method]) -> list[str]:
    """The columns that say how well a difference is known."""
    if "float" in methods:
        return []
    return ["exact"] if methods == {"exact"} else ["from", "to"]


def _changes(comparison: Comparison) -> str:
    lines = [f"  {line}" for line in comparison.changes[:MOST_CHANGES]]
    left = len(comparison.changes) - MOST_CHANGES
    if left > 0:
        lines.append(f"  … and {left} more")
    return "\n".join(["what differs:", *lines]) if lines else ""


def _row(figure: Figure, bounds: list[str], number_format: NumberFormat) -> list[str]:
    change = figure.difference
    cells = [figure.name, f"{figure.a.value:.6f}", f"{figure.b.value:.6f}"]
    if change is None or math.isinf(change.value):
        return [*cells, *["–" if change is None else "inf"] * (1 + len(bounds))]
    cells.append(f"{change.value:+.6g}" if change.value else "0")
    if bounds == ["exact"]:
        assert change.exact is not None
        cells.append(number_format(change.exact))
    elif bounds:
        cells += interval(change)
    return cells


def _change(a: Quantile, b: Quantile) -> str:
    change = quantile_change(a, b)
    return "–" if change is None else f"{change:+,}" if change else "0"


def _evidence(comparison: Comparison, number_format: NumberFormat) -> str:
    a, b = comparison.a, comparison.b
    if a.method == b.method == "exact":
        notes = [
            exact_note(
                any(number_format.shortens(exact) for _, exact in comparison.fractions()),
                number_format,
            )
        ]
    elif a.method == b.method:
        notes = [METHOD_NOTES[a.method]]
    else:
        notes = [f"{name}: {METHOD_NOTES[one.method]}" for name, one in (("A", a), ("B", b))]
    facts = [f"{a.evidence.seconds + b.evidence.seconds:.2f} s"]
    if a.evidence.states and b.evidence.states:
        facts.insert(0, f"{a.evidence.states:,} and {b.evidence.states:,} states")
    return "\n".join([*notes, ", ".join(facts)])
