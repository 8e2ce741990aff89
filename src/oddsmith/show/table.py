"""Results as tables: plain text for the terminal, HTML for a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from oddsmith.result import Answer, Result

HEAD = 12
"""Rows shown of a long table before the middle is left out."""


def text_of(result: Result) -> str:
    """The result as plain text."""
    parts = [title(result)]
    for header, rows in _tables(result):
        parts.append(align(header, rows))
    parts.append(_evidence(result))
    return "\n\n".join(part for part in parts if part)


def html_of(result: Result) -> str:
    """The result as HTML."""
    parts = [f"<p><b>{html.escape(title(result))}</b></p>"]
    for header, rows in _tables(result):
        head = "".join(f"<th>{html.escape(cell)}</th>" for cell in header)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in rows
        )
        parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    parts.append(f"<p><small>{html.escape(_evidence(result))}</small></p>")
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


def _tables(result: Result) -> list[tuple[list[str], list[list[str]]]]:
    tables = []
    rows = result.rows()
    if rows:
        columns = ["", "value", *_bound_names(result)]
        tables.append((columns, [[name, *_cells(answer, result)] for name, answer in rows]))
    if result.quantiles:
        levels = [[f"{level:.0%} of games", f"{at:,}"] for level, at in result.quantiles.items()]
        tables.append((["last at most", "moves"], levels))
    if result.visits:
        named = [[v.where, _short(v.ever), _short(v.times)] for v in result.visits]
        tables.append((["where", "ever", "times"], named))
    if result.values is not None:
        tables.append(_value_table(result))
    return tables


def _value_table(result: Result) -> tuple[list[str], list[list[str]]]:
    values = result.values
    assert values is not None
    shown = range(min(HEAD, len(values)))
    rows = [
        [repr(values.states[i]), *(_short(a) for a in values.answers(i).values())] for i in shown
    ]
    if len(values) > HEAD:
        rows.append([f"… and {len(values) - HEAD:,} more", *[""] * len(values.columns)])
    return ["state", *values.columns], rows


def _bound_names(result: Result) -> list[str]:
    return {"exact": ["exact"], "float": []}.get(result.method, ["from", "to"])


def _cells(answer: Answer, result: Result) -> list[str]:
    if answer.exact is not None:
        from oddsmith.result import short_fraction

        return [f"{answer.value:.15g}", short_fraction(answer.exact)]
    if answer.lower is None or answer.upper is None:
        return [f"{answer.value:.12g}"]
    return [_digits(answer), *interval(answer)]


def _digits(answer: Answer) -> str:
    """As many digits as are known."""
    error = max(answer.error or 0.0, 1e-15)
    places = max(0, min(15, round(-_log10(error))))
    return f"{answer.value:.{places}f}"


def interval(answer: Answer) -> list[str]:
    """The bounds with as many digits as their distance makes sense of, rounded outwards."""
    assert answer.lower is not None
    assert answer.upper is not None
    width = max(answer.upper - answer.lower, 1e-16)
    places = max(1, min(17, 2 + round(-_log10(width))))
    unit = Decimal(1).scaleb(-places)
    low = Decimal(answer.lower).quantize(unit, ROUND_FLOOR)
    high = Decimal(answer.upper).quantize(unit, ROUND_CEILING)
    return [f"{low:f}", f"{high:f}"]  # outward: what is printed must hold too


def _log10(value: float) -> float:
    import math

    return math.log10(value)


def _short(answer: Answer | None) -> str:
    if answer is None:
        return "–"
    if answer.exact is not None and len(str(answer.exact)) <= 15:
        return f"{answer.value:.6f} = {answer.exact}"
    return f"{answer.value:.6f}"


METHOD_NOTES = {
    "exact": "exact fractions",
    "certified": "certified: the truth is inside each interval, rounding included",
    "float": "plain floating point, error not bounded",
    "estimate": "an estimate by simulation",
}


def _evidence(result: Result) -> str:
    e = result.evidence
    lines = [METHOD_NOTES[e.method]]
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
