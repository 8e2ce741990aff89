"""Pig."""

import itertools
from typing import Literal

from oddsmith import d6, move, policy
from oddsmith.games._jeopardy import Jeopardy


class Pig(Jeopardy):
    """Roll as long as you dare; a 1 loses the turn. The first to the goal wins.

    In turn, a player rolls a die as often as they like. 2 to 6 are added to the turn total; a 1
    ends the turn and nothing is scored. Whoever holds adds the turn total to their score. A
    player who need only hold to win has won.

    `ending`, what happens when a score of `goal` (100) is held: first (default), that player has
    won; equal-turns (Scarne), the players who come after in the same round may still exceed it or
    any higher score attained, and the highest wins; one-more, everybody else has one more turn,
    and the highest wins. In the latter two, `ties` among the highest: leader (default), the
    score must be exceeded, so who had it first wins; shared, they win together. And there a
    player who leads with `beyond` (50) points more than the goal must hold, so that the game is
    finite. `consolation`: what a roll of 1 scores, 0 (default), or 1 as in Boyan's version.
    `positions_of` play (default) are studied, or all that can be thought of, as the paper does:
    505,000 in which there is something to decide, some of which no roll leads to.

    Source: T. W. Neller, C. G. M. Presser, Optimal Play of the Dice Game Pig, The UMAP Journal
    25 (2004) 25–47; its appendix for Scarne (1945) and Boyan (1998).
    """

    title = "Pig"
    best_roll = 6

    consolation: Literal[0, 1] = 0
    positions_of: Literal["play", "all"] = "play"

    def positions(self):
        """Every score against every score, with every turn total that does not win yet."""
        if self.positions_of == "play":
            return
        for scores in itertools.product(range(self.goal), repeat=self.players):
            for total in range(self.goal - scores[0]):
                yield self.start()._replace(scores=scores, total=total)

    @move(dice=d6, when=Jeopardy.may_roll)
    def roll(self, s, spots):
        """Risk the turn total."""
        return self.bank(s, self.consolation) if spots == 1 else self.add(s, spots)

    @move
    def hold(self, s):
        """Score the turn total."""
        return self.bank(s, s.total)

    @policy
    def end_race(self, s):
        """End race or keep pace: roll for the goal when anybody is within 29 points of it.

        Otherwise hold at 21 and an eighth of what the best of the others is ahead, rounded to
        the nearest, halves up (Neller, Presser, Practical Play of the Dice Game Pig, 2010).
        """
        mine, best = s.scores[s.turn], self.best_other(s)
        if max(mine, best) >= self.goal - 29:
            return self.plan(s, False)
        return self.plan(s, s.total >= 21 + (best - mine + 4) // 8)
