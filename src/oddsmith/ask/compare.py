"""What a change of rules does to every figure: two games side by side.

The difference of two exact answers is an exact fraction; of two certified ones, an interval that
contains the true difference; of plain floats, a plain float.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Unpack

from oddsmith.ask.length import LARGEST_TAIL, length
from oddsmith.ask.odds import odds
from oddsmith.errors import OddsmithError, OptionError
from oddsmith.questions import door, limits
from oddsmith.questions.case import most_states
from oddsmith.questions.settings import Keywords
from oddsmith.results.answer import Answer
from oddsmith.results.answered import Answered
from oddsmith.results.digits import PLAIN, NumberFormat
from oddsmith.results.distribution import Quantile, quantile_change, quantile_in_json
from oddsmith.results.result import Result
from oddsmith.rules.board.changes import changes
from oddsmith.rules.board.game import Board
from oddsmith.rules.game import Game, check_game


@dataclass(frozen=True)
class Figure:
    """One figure of both games."""

    name: str
    a: Answer
    b: Answer

    @property
    def difference(self) -> Answer | None:
        """What is added going from a to b, as well as it is known; nothing if both are infinite."""
        if math.isinf(self.a.value) and math.isinf(self.b.value):
            return None
        if self.a.exact is not None and self.b.exact is not None:
            return Answer.of_fraction(self.b.exact - self.a.exact)
        value = self.b.value - self.a.value
        if None in (self.a.lower, self.a.upper, self.b.lower, self.b.upper):
            return Answer(value)
        if math.isinf(value):
            return Answer(value, value, value)
        lower = math.nextafter(self.b.lower - self.a.upper, -math.inf)  # type: ignore[operator]
        upper = math.nextafter(self.b.upper - self.a.lower, math.inf)  # type: ignore[operator]
        return Answer(min(max(value, lower), upper), lower, upper)


@dataclass(frozen=True, repr=False)
class Comparison(Answered):
    """Two games side by side: prints as a table, turns into JSON."""

    a: Result
    b: Result
    figures: tuple[Figure, ...]
    changes: tuple[str, ...] = ()
    """Which rules differ, where both games say."""
    quantiles: dict[float, tuple[Quantile, Quantile]] = field(default_factory=dict)
    """Share of games -> the length it does not exceed, in both."""
    files: tuple[str, str] = ("", "")
    """The files of the two boards, where they are two."""

    interrupted = False

    def __getitem__(self, name: str) -> Figure:
        """A figure by its name, such as `player 1 wins`."""
        for figure in self.figures:
            if figure.name == name:
                return figure
        raise KeyError(name)

    def named_answers(self) -> list[tuple[str, Answer]]:
        """Every figure of both games, and its change."""
        return [
            (f"{figure.name}, {which}", answer)
            for figure in self.figures
            for which, answer in (("A", figure.a), ("B", figure.b), ("change", figure.difference))
            if answer is not None
        ]

    def to_dict(self, number_format: NumberFormat = PLAIN) -> dict[str, Any]:
        """The comparison as JSON has it."""
        return {
            "a": self.a.to_dict(number_format),
            "b": self.b.to_dict(number_format),
            "changes": list(self.changes),
            "figures": [
                {
                    "figure": figure.name,
                    "a": figure.a.to_dict(number_format),
                    "b": figure.b.to_dict(number_format),
                    "difference": change.to_dict(number_format) if change is not None else None,
                }
                for figure in self.figures
                for change in [figure.difference]
            ],
            "quantiles": {
                str(level): {
                    "a": quantile_in_json(a),
                    "b": quantile_in_json(b),
                    "difference": quantile_change(a, b),
                }
                for level, (a, b) in self.quantiles.items()
            },
        }

    def __str__(self) -> str:
        return self.text()

    def text(self, number_format: NumberFormat = PLAIN) -> str:
        """The comparison as a table, exact differences as the format has them."""
        from oddsmith.ask.compare_text import text_of

        return text_of(self, number_format)


@door.question
def compare(a: Game, b: Game, **settings: Unpack[Keywords]) -> Comparison:
    """The figures of two games, solved with the same settings, and their differences.

    Settings are those of `odds`. Where the numbers of players differ, what both games have is
    compared.

    >>> from oddsmith import compare, game
    >>> found = compare(game("coin-race"), game("coin-race", goal=3))
    >>> print(found["player 1 wins"].difference.exact, found.changes)
    -2/81 ('goal: 2 → 3',)
    """
    if settings.get("method") == "estimate":
        raise OptionError("A comparison solves both games: simulate each of them for estimates.")
    first, second = (odds(check_game(one), **settings) for one in (a, b))
    states = max(
        result.evidence.states or most_states(game) for game, result in ((a, first), (b, second))
    )
    return Comparison(
        first,
        second,
        tuple(_figures(first, second)),
        tuple(rule_changes(a, b)),
        _quantiles(a, b, states, dict(settings)),
        _files(a, b),
    )


def _files(a: Game, b: Game) -> tuple[str, str]:
    """The files of boards, to tell them apart by; no files where it is the same."""
    first, second = (one.file.path if isinstance(one, Board) else "" for one in (a, b))
    return ("", "") if first == second else (first, second)


def _figures(a: Result, b: Result) -> list[Figure]:
    """What both have, but for draws where neither can be one."""
    others = dict(b.numbers())
    both = [Figure(name, one, others[name]) for name, one in a.numbers() if name in others]
    return [one for one in both if one.name != "draw" or one.a.value or one.b.value]


def rule_changes(a: Game, b: Game) -> list[str]:
    """Which rules differ: squares of boards, else options of one and the same game."""
    players = [] if a.players == b.players else [f"players: {a.players} → {b.players}"]
    if isinstance(a, Board) and isinstance(b, Board):
        return players + changes(a.rules, b.rules)
    if type(a) is not type(b):
        return players
    return players + [
        f"{name}: {value} → {b.options[name]}"
        for name, value in a.options.items()
        if name != "players" and value != b.options[name]
    ]


def _quantiles(
    a: Game, b: Game, states: int, settings: dict[str, Any]
) -> dict[float, tuple[Quantile, Quantile]]:
    """The quantiles of both lengths, where they are cheap and there are any."""
    if states > limits.COMPARED_STATES:
        return {}
    try:
        quick = settings | {"method": "float", "tail": LARGEST_TAIL}
        first, second = (length(one, **quick) for one in (a, b))
    except OddsmithError:
        return {}
    return {level: (at, second.quantiles[level]) for level, at in first.quantiles.items()}
