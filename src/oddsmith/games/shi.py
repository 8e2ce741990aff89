"""Shi's game of products."""

from functools import cached_property
from typing import NamedTuple

from oddsmith import DRAW, Game, OptionError, d6, move, policy


def worth(roll):
    """The points that a roll of two dice adds: their product, or nothing with a 1."""
    return 0 if 1 in roll else roll[0] * roll[1]


ROLL = d6.pool(2).map(worth)


class Shi(Game):
    """Pig with the product of two dice, in six turns each; the higher score wins.

    In turn, a player rolls two dice as often as wanted. Their product is added to the turn
    total; a 1, or two, loses the turn total and ends the turn. Holding, at any time, banks the
    turn total and ends the turn. When both have had all their turns (Shi calls them games, and
    the game a match) the higher score wins; equal scores are a draw.

    Source: Y. Shi, The Game PIG: Making Decisions Based on Mathematical Thinking, Teaching
    Mathematics and Its Applications 19 (2000) 30–34, as T. W. Neller and C. G. M. Presser tell
    it, Optimal Play of the Dice Game Pig, The UMAP Journal 25 (2004), appendix. They leave open:

    - Turns alternate, as in Pig.
    - What is banked is never lost, so only the difference of the scores matters; a state keeps
      that.
    - Nothing bounds a turn, but states must be finite: whoever has a turn total of `cap` (60) or
      more and would be `lead` (30) or more points ahead by holding must hold. It costs nothing:
      without this rule the best play of six turns never rolls there (beyond a total of 54 never
      at a lead of more than 14). A player who is behind may always go on. A way to play such as
      hold-at-80 needs a higher `cap`.
    """

    title = "Shi's game of products"

    turns: int = 6
    cap: int = 60
    lead: int = 30

    class State(NamedTuple):
        """Points that the first player is ahead, whose turn it is, its total, the turns left.

        The turns left are those of the mover, this one included.
        """

        ahead: int
        turn: int
        total: int
        left: int

    def validate(self):
        """Two players with turns to play and room to roll."""
        if self.players != 2:
            raise OptionError(f"Shi's game is for two players, not {self.players}.")
        if self.turns < 1 or self.cap < 1 or self.lead < 0:
            raise OptionError(
                f"Shi's game needs a turn each, a cap of 1 or more and a lead of 0 or more, not "
                f"{self.turns}, {self.cap} and {self.lead}."
            )

    def start(self):
        """Nobody has a point."""
        return self.State(0, 0, 0, self.turns)

    @cached_property
    def furthest(self):
        """The most points that anybody can be ahead by."""
        return self.turns * (max(self.cap, self.lead) + 35)

    def ranges(self):
        """As far as the cap and the lead let a turn go."""
        most = self.furthest
        total = max(self.cap, most + self.lead) + 36
        return {
            "ahead": range(-most, most + 1),
            "total": range(total),
            "left": range(self.turns + 1),
        }

    def winner(self, s):
        """When no turn is left: whoever is ahead."""
        if s.left > 0:
            return None
        if s.ahead == 0:
            return DRAW
        return 0 if s.ahead > 0 else 1

    def may_roll(self, s):
        """Not when far enough ahead with much to lose."""
        mine = s.ahead if s.turn == 0 else -s.ahead
        return s.total < self.cap or mine + s.total < self.lead

    def ended(self, s, points):
        """The mover's turn is over, and has brought so many points."""
        ahead = s.ahead + points if s.turn == 0 else s.ahead - points
        return self.State(ahead, 1 - s.turn, 0, s.left - s.turn)

    @move(dice=ROLL, when=lambda self, s: self.may_roll(s))
    def roll(self, s, points):
        """Risk the turn total."""
        return self.ended(s, 0) if points == 0 else s._replace(total=s.total + points)

    @move
    def hold(self, s):
        """Bank the turn total."""
        return self.ended(s, s.total)

    def roll_name(self, roll):
        """The points, or what loses them."""
        return str(roll) if roll else "a 1"

    @policy
    def hold_at(self, s, points=36):
        """Roll until the turn total has so many points."""
        return "hold" if s.total >= points or not self.may_roll(s) else "roll"
