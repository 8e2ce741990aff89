"""Answered: what every question gives back: numbers by name, each with how well it is known.

A `Result`, the answers of `check`, a comparison, a duel, a tournament and a policy's report differ
in how they print; what a program asks of them is the same: `answers` by name, `fractions` where
they are exact, `to_dict` and `to_json`.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from fractions import Fraction
from typing import Any

from oddsmith.results.answer import Answer
from oddsmith.results.digits import PLAIN, NumberFormat
from oddsmith.results.shown import Shown


class Answered(Shown):
    """Numbers by name, each with how well it is known."""

    @abstractmethod
    def named_answers(self) -> list[tuple[str, Answer]]:
        """Every number that was asked for, with its name."""

    @abstractmethod
    def to_dict(self, number_format: NumberFormat = PLAIN) -> Any:
        """What JSON has of it; exact answers also as the format has them."""

    @property
    def answers(self) -> dict[str, Answer]:
        """Every number that was asked for, by its name.

        >>> from oddsmith import check, duel, game, odds
        >>> str(odds(game("coin-race")).answers["player 1 wins"])
        '16/27'
        >>> str(check("coin-race", 'P=? [ F "win1" ]', exact=True).answers['P=? [ F "win1" ]'])
        '16/27'
        >>> list(duel(game("piglet", goal=3), "optimal", "random").answers)[-1]
        'optimal against random, a coin decides'
        """
        return dict(self.named_answers())

    def fractions(self) -> list[tuple[str, Fraction]]:
        """Every exact answer with its name: what `--fractions FILE` writes."""
        return [(name, one.exact) for name, one in self.named_answers() if one.exact is not None]

    def to_json(self, number_format: NumberFormat = PLAIN) -> str:
        """The same as JSON text."""
        return json.dumps(self.to_dict(number_format), indent=2, ensure_ascii=False, default=str)
