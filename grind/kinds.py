"""The kinds of cases there are: how one is drawn, asked about, and written down for people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from grind import (
    board_questions,
    boards,
    game_questions,
    games,
    hostile,
    models,
    properties,
    rules,
)
from grind.shrink import shrink
from grind.tally import Tally

SHRINK_SECONDS = 30.0


def _smallest(data: Any, fails: Callable[[Any], bool], question: str) -> Any:
    """Any nested data of the shape of a case is a case."""
    return shrink(data, fails, SHRINK_SECONDS)


@dataclass(frozen=True)
class Kind:
    """A kind of cases."""

    draw: Callable[[Random], Any]
    grind: Callable[[Any, Tally], None]
    source: Callable[[Any], tuple[str, str]]
    """The ending and the text of a file that shows a case to a person."""
    share: float
    """How often it is drawn."""
    shrink: Callable[[Any, Callable[[Any], bool], str], Any] = _smallest
    """The smallest case that still fails in the question."""


def _nothing(data: Any) -> tuple[str, str]:
    return "", ""


KINDS = {
    "game": Kind(games.draw, game_questions.grind, _nothing, 1.0),
    "model": Kind(models.draw, properties.grind, models.source, 1.0),
    "board": Kind(boards.draw, board_questions.grind, boards.source, 0.5),
    "hostile": Kind(hostile.draw, hostile.grind, _nothing, 0.5),
    "rules": Kind(rules.draw, rules.grind, rules.source, 0.5, rules.shrink),
}
