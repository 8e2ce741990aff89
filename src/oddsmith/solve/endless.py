"""What play without an end is worth: decided here, for games and for models.

Nothing else tells the solutions of the equation of `docs/method.md` apart where play can be kept
going for ever. Solvers are given the number (`bellman/`), and so are certificates.

| question | worth of play without an end |
|---|---|
| chances to come to something | nothing: it never came there |
| rewards until a target | infinitely much: the target was missed (PRISM's convention) |
| total rewards | nothing besides what was earned, so infinitely much where that never stops |
| optimal play of N players | a draw, so 1/N; alone, nothing |
| optimal play for scores | nothing, or the least score of an end if that is less |

A best response has what the whole game has. Where a game *may not* go on for ever that is an error
before anything is solved (`chain.py`, `model/ends.py`).
"""

from __future__ import annotations

from fractions import Fraction
from math import inf

from oddsmith.model.model import Model

CHANCES = 0.0
UNTIL_TARGET = inf
IN_TOTAL = 0.0


def of_play(model: Model) -> Fraction:
    """What it is worth to each player of a game in which somebody decides."""
    if model.scores is not None:
        return Fraction(int(model.scores[model.winners >= 0].min(initial=0)))
    players = len(model.players)
    return Fraction(0) if players == 1 else Fraction(1, players)
