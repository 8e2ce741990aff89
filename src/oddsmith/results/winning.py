"""Who wins, or scores how much, as parts of a result.

Somebody wins or nobody does: Σ win + draw = 1, in fractions exactly, in bounds
Σ lower ≤ 1 ≤ Σ upper (≥ 1 where one end of the game has several winners). So a worth in the place
of a chance does not pass where they differ by more than the bounds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from oddsmith.results import gate
from oddsmith.results.gate import Reason
from oddsmith.results.part import Named, Number, Several

if TYPE_CHECKING:
    from oddsmith.results.result import Result


def alone(result: Result) -> bool:
    """Whether there is nobody to win against, only a score."""
    return result.players == 1 and bool(result.score)


class Wins(Several):
    """Each player's chance to win."""

    def numbers(self) -> Named:
        return [(f"player {i} wins", one) for i, one in enumerate(self.value, start=1)]

    def rows(self) -> Named:
        return [] if alone(self.result) else self.numbers()

    def wrong(self) -> Reason:
        reasons = (gate.between(name, one, 0, 1) for name, one in self.numbers())
        return gate.first(reasons) or _sum(self.result)


class Scores(Several):
    """Each player's expected score."""

    def numbers(self) -> Named:
        if alone(self.result):
            return [("expected score", self.value[0])]
        scores = enumerate(self.value, start=1)
        return [(f"expected score of player {i}", one) for i, one in scores]


class Draw(Number):
    """The chance that nobody wins."""

    def rows(self) -> Named:
        if not (self.value.exact or self.value.value or not self.result.win):
            return []
        return [(self.row if self.result.players > 1 else "player 1 loses", self.value)]


def _sum(result: Result) -> Reason:
    """Whether somebody wins or nobody does."""
    if result.draw is None:
        return None
    answers, what = [*result.win, result.draw], "chances to win and a draw"
    exact = [one.exact for one in answers if one.exact is not None]
    if len(exact) == len(answers):
        reason = gate.whole(exact, result.several_winners)
        return reason and f"{what} {reason}"
    if result.method == "estimate":  # confidence intervals need not meet
        least = most = math.fsum(one.value for one in answers)
        near = gate.SLACK
    else:
        least = math.fsum(-math.inf if one.lower is None else one.lower for one in answers)
        most = math.fsum(math.inf if one.upper is None else one.upper for one in answers)
        near = 0.0
    if most < 1 - near:
        return f"{what} sum to at most {most}"
    if least > 1 + near and not result.several_winners:
        return f"{what} sum to at least {least}"
    return None
