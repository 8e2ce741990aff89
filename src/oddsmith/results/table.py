"""Results as tables: plain text for the terminal, HTML for a notebook."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import TYPE_CHECKING

from oddsmith.results.answer import Answer
from oddsmith.results.digits import PLAIN, NumberFormat

if TYPE_CHECKING:
    from oddsmith.results.result import Result

Block = tuple[list[str], list[list[str]]] | str
"""A table (its header and rows), or a text."""

HEAD = 12
"""Rows shown of a long table before the middle is left out."""

NARROW = 15
"""Letters of a fraction in a table of many."""


def text_of(result: Result, number_format: NumberFormat = PLAIN) -> str:
    """The result as plain text, exact answers as the format has them."""
    parts = [title(result)]
    blocks = _blocks(result, number_format)
    parts += [block if isinstance(block, str) else align(*block) for block in blocks]
    parts.append(_evidence(result, number_format))
    if result.evidence.plan is not None:
        parts += [align(header, rows) for header, rows in result.evidence.plan.tables()]
    return "\n\n".join(part for part in parts if part)


def html_of(result: Result) -> str:
    """The result as HTML."""
    import html

    parts = [f"<p><b>{html.escape(title(result))}</b></p>"]
    for block in _blocks(result, PLAIN):
        if isinstance(block, str):
            parts.append(f"<pre>{html.escape(block)}</pre>")
            continue
        header, rows = block
        head = "".join(f"<th>{html.escape(cell)}</th>" for cell in header)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in rows
        )
        parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    parts.append(f"<p><small>{html.escape(_evidence(result, PLAIN))}</small></p>")
    return "".join(parts)


def align(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns of equal width, the first to the left, numbers to the right."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines = []
    for row in [header, ["─" * width for width in widths], *rows]:
        cells = [
            cell.ljust(width) if i == 0 or not _numeric(rows, i) else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _numeric(rows: Sequence[Sequence[str]], column: int) -> bool:
    return any(row[column].lstrip("+-")[:1].isdigit() for row in rows)


def title(result: Result) -> str:
    """What was asked about: the game, its players and its options."""
    players = "1 player" if result.players == 1 else f"{result.players} players"
    options = [f"{name} {value}" for name, value in result.options.items()]
    return f"{result.title}, " + ", ".join([players, *options])


def _blocks(result: Result, number_format: NumberFormat) -> list[Block]:
    """The main table, and what each part has to show below it."""
    bounds = _bound_names(result, number_format)
    rows = [
        [
            name + " (approximate)" * answer.approximate,
            *part.cells(answer, number_format, len(bounds)),
        ]
        for part in result.shown()
        if part.main
        for name, answer in part.rows()
    ]
    blocks: list[Block] = [(["", "value", *bounds], rows)] if rows else []
    for part in result.parts():
        blocks += part.blocks(number_format)
    return blocks


def _bound_names(result: Result, number_format: NumberFormat) -> list[str]:
    return {"exact": exact_names(number_format), "float": []}.get(result.method, ["from", "to"])


def exact_names(number_format: NumberFormat) -> list[str]:
    """The columns of an exact answer besides its value; a decimal is the value itself."""
    return [] if number_format.alone else [number_format.name]


def cells(answer: Answer, number_format: NumberFormat, bounds: int) -> list[str]:
    """The value and its bounds, or its fraction; infinity is all of these itself."""
    if math.isinf(answer.value):
        return ["inf"] * (1 + bounds)
    if answer.exact is not None:
        if number_format.alone:
            return [number_format(answer.exact)]
        return [f"{answer.value:.15g}", number_format(answer.exact)]
    if answer.lower is None or answer.upper is None:
        return [f"{answer.value:.12g}", *["–"] * bounds]
    if bounds < 2:  # among exact answers: a root that is no fraction
        return [_digits(answer), *[" to ".join(interval(answer))] * bounds]
    return [_digits(answer), *interval(answer)]


def _digits(answer: Answer) -> str:
    """As many digits as are known."""
    error = max(answer.error or 0.0, 1e-15)
    places = max(0, min(15, round(-math.log10(error))))
    return f"{answer.value:.{places}f}"


def interval(answer: Answer) -> list[str]:
    """The bounds with as many digits as their distance makes sense of, rounded outwards."""
    assert answer.lower is not None
    assert answer.upper is not None
    if math.isinf(answer.lower) or math.isinf(answer.upper):
        return [f"{answer.lower:.12g}", f"{answer.upper:.12g}"]
    width = max(answer.upper - answer.lower, 1e-16)
    places = max(1, min(17, 2 + round(-math.log10(width))))
    unit = Decimal(1).scaleb(-places)
    low = Decimal(answer.lower).quantize(unit, ROUND_FLOOR)
    high = Decimal(answer.upper).quantize(unit, ROUND_CEILING)
    return [f"{low:f}", f"{high:f}"]  # outward: what is printed must hold too


def short_cell(answer: Answer | None, number_format: NumberFormat) -> str:
    """An answer in a table of many."""
    if answer is None:
        return "–"
    if answer.exact is not None:
        if number_format.alone:
            return number_format(answer.exact)
        text = replace(number_format, limit=NARROW)(answer.exact)
        if number_format.chosen or len(text) <= NARROW:
            return f"{answer.value:.6f} = {text}"
    return f"{answer.value:.6f}"


METHOD_NOTES = {
    "exact": "exact fractions",
    "certified": "certified: the truth is inside each interval, rounding included",
    "float": "plain floating point, error not bounded",
    "estimate": "an estimate by simulation",
}


def exact_note(short: bool, number_format: NumberFormat) -> str:
    """What is said below exact answers: how they are written, and where in full."""
    if number_format.note:
        return number_format.note
    if short:
        return "exact fractions; --fractions FILE writes them in full"
    return METHOD_NOTES["exact"]


def _evidence(result: Result, number_format: NumberFormat) -> str:
    e = result.evidence
    lines = [METHOD_NOTES[e.method]]
    if e.method == "exact":
        main = [answer.exact for _, answer in result.rows() if answer.exact is not None]
        others = [exact for _, exact in result.fractions()[len(main) :]]
        narrow = replace(number_format, limit=NARROW)
        short = any(map(number_format.shortens, main)) or any(map(narrow.shortens, others))
        lines = [exact_note(short, number_format)]
    if e.interrupted:
        lines[0] += " (interrupted: the bounds reached so far)"
    lines += e.how
    facts = []
    if e.states and not e.numbers:
        facts.append(f"{e.states:,} states, {e.transitions:,} transitions")
    if e.games is not None:
        facts.append(f"{e.games:,} games, seed {e.seed}")
    facts.append(f"{e.seconds:.2f} s")
    facts.append(f"{e.peak_memory_mb:,.0f} MiB")
    lines.append(", ".join(facts))
    return "\n".join(lines)
