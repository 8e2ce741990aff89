"""SKUNK."""

from functools import cached_property
from typing import NamedTuple

from oddsmith import DRAW, Game, OptionError, d6, move, policy, put

TWO_ONES = -1
"""What a roll of two ones is called; one 1 is called 0."""


def worth(roll):
    """The points that a roll of two dice adds, or what it loses."""
    if roll == (1, 1):
        return TWO_ONES
    return 0 if 1 in roll else sum(roll)


ROLL = d6.pool(2).map(worth)


class Skunk(Game):
    """Two-dice Pig in five turns each, one a letter of SKUNK; the higher score wins.

    In turn, a player rolls two dice as often as wanted. The sum is added to the turn total; a
    single 1 loses the turn total and ends the turn, two ones lose the whole score as well.
    Holding, at any time, banks the turn total and ends the turn. When both have had all their
    turns the higher score wins; equal scores are a draw.

    Source: D. Brutlag, Choice and Chance in Life: The Game of "Skunk", Mathematics Teaching in
    the Middle School 1 (1994) 28–33, as T. W. Neller and C. G. M. Presser tell it, Optimal Play
    of the Dice Game Pig, The UMAP Journal 25 (2004), appendix. They leave open:

    - Brutlag's class rolls together; here, as in Pig, turns alternate. For one player who goes
      for the highest score the same rules are the game `think`.
    - Nothing bounds a turn, but states must be finite: whoever has a turn total of `cap` (30) or
      more and would be `lead` (15) or more points ahead by holding must hold. It costs nothing:
      without this rule the best play, from any scores, never rolls there (beyond a total of 24
      never at a lead of more than 14; checked for five and for eight turns), and all digits of
      the odds stay. A player who is behind may always go on. A way to play such as hold-at-40
      needs a higher `cap`.

    Five turns (`turns`) are some ten million states.
    """

    title = "SKUNK"

    turns: int = 5
    cap: int = 30
    lead: int = 15

    class State(NamedTuple):
        """Scores, whose turn it is, its total so far, and how many turns the mover has left."""

        scores: tuple[int, int]
        turn: int
        total: int
        left: int

    def validate(self):
        """Two players with turns to play and room to roll."""
        if self.players != 2:
            raise OptionError(
                f"SKUNK is for two players, not {self.players}; alone, for points, play think."
            )
        if self.turns < 1 or self.cap < 1 or self.lead < 0:
            raise OptionError(
                f"SKUNK needs a turn each, a cap of 1 or more and a lead of 0 or more, not "
                f"{self.turns}, {self.cap} and {self.lead}."
            )

    def start(self):
        """Nobody has a point."""
        return self.State((0, 0), 0, 0, self.turns)

    @cached_property
    def highest(self):
        """The highest scores that first and second player can reach."""
        scores = [0, 0]
        for number in range(2 * self.turns):
            me = number % 2
            scores[me] = max(scores[me] + self.cap + 11, scores[1 - me] + self.lead + 11)
        return tuple(scores)

    def ranges(self):
        """As far as the cap and the lead let a turn go."""
        most = range(max(self.highest) + 1)
        return {"scores": most, "total": most, "left": range(self.turns + 1)}

    def winner(self, s):
        """When no turn is left: the higher score."""
        if s.left > 0:
            return None
        if s.scores[0] == s.scores[1]:
            return DRAW
        return 0 if s.scores[0] > s.scores[1] else 1

    def may_roll(self, s):
        """Not when far enough ahead with much to lose."""
        ahead = s.scores[s.turn] + s.total - s.scores[1 - s.turn]
        return s.total < self.cap or ahead < self.lead

    def ended(self, s, score):
        """The mover's turn is over, with this score."""
        scores = put(s.scores, s.turn, score)
        return self.State(scores, 1 - s.turn, 0, s.left - s.turn)

    @move(dice=ROLL, when=lambda self, s: self.may_roll(s))
    def roll(self, s, points):
        """Risk the turn total, and the score."""
        if points == TWO_ONES:
            return self.ended(s, 0)
        if points == 0:
            return self.ended(s, s.scores[s.turn])
        return s._replace(total=s.total + points)

    @move
    def hold(self, s):
        """Bank the turn total."""
        return self.ended(s, s.scores[s.turn] + s.total)

    def roll_name(self, roll):
        """The points, or what loses them."""
        return {0: "a 1", TWO_ONES: "two 1s"}.get(roll, str(roll))

    @policy
    def hold_at(self, s, points=20):
        """Roll until the turn total has so many points."""
        return "hold" if s.total >= points or not self.may_roll(s) else "roll"
