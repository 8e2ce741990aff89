"""Piglet."""

from oddsmith import coin, move, policy
from oddsmith.games._jeopardy import Jeopardy


class Piglet(Jeopardy):
    """Pig with a coin; tails loses the turn. The first to ten wins.

    In turn, a player flips a coin as often as they like. Heads adds a point to the turn total;
    tails ends the turn and nothing is scored. Whoever holds adds the turn total to their score.
    A player who need only hold to win has won.

    `ending` (first by default), `ties` and `beyond` as in Pig.

    Source: T. W. Neller, C. G. M. Presser, Optimal Play of the Dice Game Pig, The UMAP Journal
    25 (2004) 25–47, who solve it by hand for a goal of 2. Fendel et al. (1997) call it Pig Tails.
    """

    title = "Piglet"
    best_roll = 1
    again = "flip"

    goal: int = 10
    beyond: int = 10

    @move(dice=coin, when=Jeopardy.may_roll)
    def flip(self, s, heads):
        """Risk the turn total."""
        return self.add(s, 1) if heads == 1 else self.bust(s)

    @move
    def hold(self, s):
        """Score the turn total."""
        return self.bank(s, s.total)

    def roll_name(self, roll):
        """The side of the coin."""
        return "heads" if roll else "tails"

    @policy
    def hold_at(self, s, points=1):
        """Flip until the turn total has so many points, or reaches the goal."""
        return self.plan(s, s.total >= points)
