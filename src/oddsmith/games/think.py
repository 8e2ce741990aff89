"""THINK."""

from typing import NamedTuple

from oddsmith import Game, OptionError, move, policy
from oddsmith.games.skunk import ROLL, TWO_ONES


class Think(Game):
    """Two-dice Pig in five turns, played alone for the highest expected score.

    A turn is rolling two dice as often as wanted. The sum is added to the turn total; a single
    1 loses the turn total and ends the turn, two ones lose the whole score as well. Holding, at
    any time, banks the turn total and ends the turn. Points when all `turns` (5) are over count.

    Source: R. Falk, M. Tadmor-Troyanski, THINK: A Game of Choice and Chance, Teaching Statistics
    21 (1999) 24–27, in the solitaire version of T. W. Neller and C. G. M. Presser, Optimal Play
    of the Dice Game Pig, The UMAP Journal 25 (2004), appendix: with s points and t in this turn,
    rolling while s + 11 t ≤ 200 (`odds-at-most`) is almost as good as the best there is. (In
    THINK proper all players use the same rolls; each who goes for points alone plays as here.)

    Nothing bounds a turn, but states must be finite: a turn total of `cap` (50) or more must be
    held. It costs nothing: a roll adds 200/36 points on average and loses t with a chance of
    11/36, so that beyond t = 18 nobody who goes for points rolls; the best play of five turns
    and of twenty never does.
    """

    title = "THINK"

    players: int = 1
    turns: int = 5
    cap: int = 50

    class State(NamedTuple):
        """Points banked, points of the turn so far, and turns left, this one included."""

        points: int
        total: int
        left: int

    def validate(self):
        """One player with turns to play and room to roll."""
        if self.players != 1:
            raise OptionError(
                f"THINK is solitaire, not for {self.players} players; two play skunk."
            )
        if self.turns < 1 or self.cap < 1:
            raise OptionError(
                f"THINK needs a turn and a cap of 1 or more, not {self.turns} and {self.cap}."
            )

    def start(self):
        """No point yet."""
        return self.State(0, 0, self.turns)

    def ranges(self):
        """The last roll of a turn may go beyond the cap."""
        most = self.cap + 11
        return {
            "points": range(self.turns * most + 1),
            "total": range(most + 1),
            "left": range(self.turns + 1),
        }

    def winner(self, s):
        """Over when no turn is left; there is nobody to lose to."""
        return 0 if s.left == 0 else None

    def score(self, s):
        """The points banked."""
        return s.points

    @move(dice=ROLL, when=lambda self, s: s.total < self.cap)
    def roll(self, s, points):
        """Risk the turn total, and what is banked."""
        if points == TWO_ONES:
            return self.State(0, 0, s.left - 1)
        if points == 0:
            return self.State(s.points, 0, s.left - 1)
        return s._replace(total=s.total + points)

    @move
    def hold(self, s):
        """Bank the turn total."""
        return self.State(s.points + s.total, 0, s.left - 1)

    def roll_name(self, roll):
        """The points, or what loses them."""
        return {0: "a 1", TWO_ONES: "two 1s"}.get(roll, str(roll))

    @policy
    def odds_at_most(self, s, limit=200, weight=11):
        """Roll while the points banked and `weight` times the turn total are at most `limit`."""
        rolls = s.points + weight * s.total <= limit and s.total < self.cap
        return "roll" if rolls else "hold"

    @policy
    def odds_less(self, s, limit=200, weight=11):
        """Roll while the points banked and `weight` times the turn total are below `limit`."""
        rolls = s.points + weight * s.total < limit and s.total < self.cap
        return "roll" if rolls else "hold"

    @policy
    def hold_at(self, s, points=18):
        """Roll until the turn total has so many points."""
        return "hold" if s.total >= min(points, self.cap) else "roll"
