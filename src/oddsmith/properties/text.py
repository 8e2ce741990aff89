"""Answers to properties as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddsmith.results.digits import PLAIN, NumberFormat
from oddsmith.results.table import align, exact_note

if TYPE_CHECKING:
    from oddsmith.properties.ask import Answers

MOST_NOTES = 6


def text_of(answers: Answers, number_format: NumberFormat = PLAIN) -> str:
    """One line an answer; the model above, warnings below."""
    first = answers.experiments[0].loaded
    process = first.process
    header = ["property", "value"]
    rows = []
    for experiment in answers.experiments:
        shown = [str(experiment.constants[name]) for name in answers.ranged]
        for one in experiment.checked:
            name = f"{one.name}: {one.text}" if one.name else one.text
            for state, text in one.lines(number_format):
                rows.append([name + (f"  in {state}" if state else ""), *shown, text])
    title = f"{answers.model}: {size(process.states, 'state')}"
    if not process.is_chain:
        title += f", {size(process.choices, 'choice')}"
    title += f", {size(process.transitions, 'transition')}"
    if answers.ranged:
        title = f"{answers.model}, {len(answers.experiments):,} experiments"
    parts = [title, align([header[0], *answers.ranged, header[1]], rows)]
    parts += _evidence(answers, number_format)
    found = [n for e in answers.experiments for n in e.loaded.process.notes]
    notes = list(dict.fromkeys([*found, *(n for one in answers for n in one.notes)]))
    if len(notes) > MOST_NOTES:
        notes[MOST_NOTES:] = [f"{len(notes) - MOST_NOTES:,} more notes like these"]
    if notes:
        parts.append("\n".join(f"note: {note}" for note in notes))
    return "\n\n".join(parts)


def _evidence(answers: Answers, number_format: NumberFormat) -> list[str]:
    """How it is known: in fractions, or within bounds that are proved."""
    told = [one for one in answers if one.named_numbers()]
    if not told:
        return []
    if all(one.evidence.method == "exact" for one in told):
        numbers = [a for one in told for _, a in one.named_numbers()]
        exact = [a.exact for a in numbers if a.exact is not None]
        short = any(map(number_format.shortens, exact))
        plain = number_format == PLAIN and not short
        if any(e.loaded.process.rounded for e in answers.experiments):
            return ["exact for the numbers in the file, which are decimals: see the note"]
        return ["exact: fractions, without rounding" if plain else exact_note(short, number_format)]
    return ["certified: the truth is within each ±, rounding included"]


def size(count: int, what: str) -> str:
    """A number of things."""
    return f"{count:,} {what}" + ("" if count == 1 else "s")
