"""The small print under a picture's title: players, options, how it was found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from oddsmith.results.answer import Answer
from oddsmith.results.result import Result

METHODS = {
    "exact": "exact",
    "certified": "certified",
    "float": "plain floating point",
    "estimate": "estimated by simulation",
}

VISIBLE = 5e-4
"""Errors of chances that are smaller cannot be seen."""


def setting(players: int, options: Mapping[str, Any]) -> str:
    """Players and options in a line.

    >>> setting(2, {"inn.wait": 3})
    '2 players, inn.wait 3'
    """
    counted = "1 player" if players == 1 else f"{players} players"
    return ", ".join([counted, *(f"{name} {value}" for name, value in options.items())])


def small_print(result: Result, *more: str) -> str:
    """What a picture of a result is about, and how the numbers were found."""
    how = METHODS[result.method]
    if result.evidence.games is not None:
        how += f", {result.evidence.games:,} games"
    if result.interrupted:
        how += ", interrupted"
    return " · ".join([setting(result.players, result.options), how, *filter(None, more)])


def bounds(answer: Answer) -> tuple[float, float] | None:
    """Between which numbers an answer is, where that can be seen."""
    if answer.lower is None or answer.upper is None or (answer.error or 0.0) < VISIBLE:
        return None
    return answer.lower, answer.upper
