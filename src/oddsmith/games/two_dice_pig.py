"""Two-dice Pig."""

from typing import Literal

from oddsmith import d6, move
from oddsmith.games._jeopardy import Jeopardy


class TwoDicePig(Jeopardy):
    """Pig with two dice; a 1 loses the turn, two of them all the score.

    In turn, a player rolls two dice as often as they like. If neither shows a 1, their sum is
    added to the turn total. One 1 ends the turn and its total is lost. Two 1s end the turn, and
    the turn total and the entire score are lost. Whoever holds adds the turn total to their
    score. The first to 100 (`goal`) wins: a player who need only hold to win has won.

    `bad`: the number to be feared, 1 (default; Piggy Ones) or 6 (Piggy Sixes). `ending` (first by
    default), `ties` and `beyond` as in Pig.

    Source: T. W. Neller, C. G. M. Presser, Optimal Play of the Dice Game Pig, The UMAP Journal
    25 (2004) 25–47, appendix: “Two Dice, 1 is Bad”, after Butler (2001), Beardon and Ayer (2001).
    """

    title = "Two-dice Pig"
    best_roll = 12

    bad: Literal[1, 6] = 1

    @move(dice=d6.pool(2), when=Jeopardy.may_roll)
    def roll(self, s, dice):
        """Risk the turn total, and the score."""
        a, b = dice
        if a == self.bad and b == self.bad:
            return self.ruin(s)
        if a == self.bad or b == self.bad:
            return self.bust(s)
        return self.add(s, a + b)

    @move
    def hold(self, s):
        """Score the turn total."""
        return self.bank(s, s.total)
