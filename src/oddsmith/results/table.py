"""Results as tables: plain text for the terminal, HTML for a notebook."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from itertools import islice

from oddsmith.results.answer import Answer
from oddsmith.results.digits import PLAIN, NumberFormat
from oddsmith.results.distribution import ExactDistribution, quantile_text
from oddsmith.results.generating import GeneratingFunction
from oddsmith.results.offers import HEADER
from oddsmith.results.result import Result

HEAD = 12
"""Rows shown of a long table before the middle is left out."""

NARROW = 15
"""Letters of a fraction in a table of many."""


def text_of(result: Result, number_format: NumberFormat = PLAIN) -> str:
    """The result as plain text, exact answers as the format has them."""
    parts = [title(result)]
    for header, rows in _tables(result, number_format):
        parts.append(align(header, rows))
    if result.generating_function is not None:
        parts.append(generating_text(result.generating_function))
    parts.append(_evidence(result, number_format))
    if result.evidence.plan is not None:
        parts.append(align(HEADER, result.evidence.plan.rows()))
    return "\n\n".join(part for part in parts if part)


def html_of(result: Result) -> str:
    """The result as HTML."""
    parts = [f"<p><b>{html.escape(title(result))}</b></p>"]
    for header, rows in _tables(result, PLAIN):
        head = "".join(f"<th>{html.escape(cell)}</th>" for cell in header)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in rows
        )
        parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    if result.generating_function is not None:
        parts.append(f"<pre>{html.escape(generating_text(result.generating_function))}</pre>")
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


def _tables(result: Result, number_format: NumberFormat) -> list[tuple[list[str], list[list[str]]]]:
    tables = []
    rows = result.rows()
    if rows:
        bounds = _bound_names(result, number_format)
        cells = [
            [
                name + " (approximate)" * answer.approximate,
                *_cells(answer, number_format, len(bounds)),
            ]
            for name, answer in rows
        ]
        root = _root_cells(result, number_format)
        if root:
            cells[[name for name, _ in rows].index("standard deviation")][1:] = root
        tables.append((["", "value", *bounds], cells))
    if result.quantiles:
        quantiles = result.quantiles.items()
        levels = [[f"{level:.0%} of games", quantile_text(at)] for level, at in quantiles]
        moves = "moves, of those played" if result.method == "estimate" else "moves"
        tables.append((["last at most", moves], levels))
    if result.exact_distribution is not None:
        tables.append(_length_table(result.exact_distribution, number_format))
    if result.visits:
        named = [
            [v.where, _short(v.ever, number_format), _short(v.times, number_format)]
            for v in result.visits
        ]
        tables.append((["where", "ever", "times"], named))
    if result.values is not None:
        tables.append(_value_table(result))
    return tables


def _length_table(
    lengths: ExactDistribution, number_format: NumberFormat
) -> tuple[list[str], list[list[str]]]:
    """The chances of the first lengths, and how far they add up."""
    narrow = replace(number_format, limit=NARROW)
    rows = [
        [f"{at:,}", *_fraction_cells(chance, narrow), *_fraction_cells(reached, narrow)]
        for (at, chance), (_, reached) in islice(
            zip(lengths.chances, lengths.cumulative, strict=True), HEAD
        )
    ]
    columns = ["chance", *_exact_names(number_format), "at most", *_exact_names(number_format)]
    if len(lengths) > HEAD:
        rows.append([f"… {len(lengths) - HEAD:,} more", *[""] * len(columns)])
    beyond = _fraction_cells(lengths.left, narrow)
    rows.append([f"longer than {lengths.horizon:,}", *beyond, *[""] * len(beyond)])
    return ["length", *columns], rows


def _fraction_cells(exact: Fraction, number_format: NumberFormat) -> list[str]:
    if number_format.alone:
        return [number_format(exact)]
    shown = number_format(exact)
    return [f"{float(exact):.6g}", "" if number_format.shortens(exact) else shown]


def generating_text(function: GeneratingFunction) -> str:
    """A generating function, or its size where it is long, and what it says."""
    lines = ["G(z) = sum of P(length = k) z^k"]
    if function.is_long:
        lines[0] += (
            f" = N(z)/D(z), of degrees "
            f"{len(function.numerator) - 1:,} and {function.order:,}, with "
            f"coefficients of up to {function.most_digits:,} digits (--fractions FILE writes them)"
        )
    else:
        lines[0] += f"\n     = {function}"
    mean, variance = float(function.mean), float(function.variance)
    if function.ends < 1:
        lines.append(f"G(1) = {float(function.ends):.12g}: the other games never end")
    lines.append(f"mean {mean:.12g}, variance {variance:.12g}, deviation {variance**0.5:.12g}")
    if function.longest is not None:
        which = "no game" if function.ends == 1 else "no game that ends"
        lines.append(f"{which} is longer than {function.longest:,} moves")
    else:
        lines.append(
            f"each chance follows from the {function.order:,} before it; in the long run, the "
            f"chance to last longer falls by the factor {function.rate:.10g} a move"
        )
    return "\n".join(lines)


def _value_table(result: Result) -> tuple[list[str], list[list[str]]]:
    values = result.values
    assert values is not None
    shown = range(min(HEAD, len(values)))
    rows = [
        [repr(values.states[i]), *(_short(a, PLAIN) for a in values.answers(i).values())]
        for i in shown
    ]
    if len(values) > HEAD:
        rows.append([f"… and {len(values) - HEAD:,} more", *[""] * len(values.columns)])
    return ["state", *values.columns], rows


def _bound_names(result: Result, number_format: NumberFormat) -> list[str]:
    return {"exact": _exact_names(number_format), "float": []}.get(result.method, ["from", "to"])


def _exact_names(number_format: NumberFormat) -> list[str]:
    """The columns of an exact answer besides its value; a decimal is the value itself."""
    return [] if number_format.alone else [number_format.name]


def _cells(answer: Answer, number_format: NumberFormat, bounds: int) -> list[str]:
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


def _root_cells(result: Result, number_format: NumberFormat) -> list[str]:
    """The standard deviation where it is the root of a fraction, and no fraction itself."""
    square, root = result.variance, result.deviation
    if square is None or root is None or square.exact is None or root.exact is not None:
        return []
    shown = number_format.root(square.exact)
    return [shown] if number_format.alone else [f"{root.value:.15g}", shown]


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


def _short(answer: Answer | None, number_format: NumberFormat) -> str:
    if answer is None:
        return "–"
    if answer.exact is not None:
        if number_format.alone:
            return number_format(answer.exact)
        text = replace(number_format, limit=NARROW)(answer.exact)
        if number_format.rewrites or len(text) <= NARROW:
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
