"""Piggy."""

from typing import Literal

from oddsmith import d6, move, product, sicherman
from oddsmith.games._jeopardy import Jeopardy

PAIRS = {"standard": product(d6, d6), "sicherman": product(*sicherman)}


class Piggy(Jeopardy):
    """Pig with two dice, where doubles lose the turn. The first to 100 wins.

    In turn, a player rolls two dice as often as they like. Doubles end the turn and its total is
    lost; any other roll adds its sum to the turn total. Whoever holds adds the turn total to
    their score. A player who need only hold to win has won.

    `dice`: standard (default), or Sicherman's (1, 2, 2, 3, 3, 4 and 1, 3, 4, 5, 6, 8), whose sums
    are as likely but whose doubles are rarer. `ending` (first by default), `ties` and `beyond` as
    in Pig.

    Source: Peterson (2000) in T. W. Neller, C. G. M. Presser, Optimal Play of the Dice Game Pig,
    The UMAP Journal 25 (2004) 25–47, appendix: “Miscellaneous Variants”.
    """

    title = "Piggy"
    best_roll = 12

    dice: Literal["standard", "sicherman"] = "standard"

    @move(dice=lambda self: PAIRS[self.dice], when=Jeopardy.may_roll)
    def roll(self, s, dice):
        """Risk the turn total."""
        a, b = dice
        return self.bust(s) if a == b else self.add(s, a + b)

    @move
    def hold(self, s):
        """Score the turn total."""
        return self.bank(s, s.total)
