"""Frey's Pig."""

from oddsmith import d6, move
from oddsmith.games._jeopardy import Ending, Jeopardy


class Frey(Jeopardy):
    """Pig with two dice and a bonus for doubles, in equal turns.

    In turn, a player rolls two dice as often as they like. A single 1 ends the turn and its total
    is lost. Two 1s add 25 to the turn total, which is scored, and the turn is over. Other doubles
    add twice their sum to the turn total, all other rolls their sum. Whoever holds adds the turn
    total to their score.

    All have the same number of turns: when a score of `goal` (100) is held, the players who come
    after in the same round may still exceed it, and the highest wins. `ending` (equal-turns by
    default), `ties` and `beyond` as in Pig. That the 25 and the turn total are scored after
    two 1s is our reading of “adds 25 to the turn total and it becomes the opponent's turn”.

    Source: Skip Frey (1975) in T. W. Neller, C. G. M. Presser, Optimal Play of the Dice Game Pig,
    The UMAP Journal 25 (2004) 25–47, appendix: “Bonuses for Doubles”.
    """

    title = "Frey's Pig"
    best_roll = 25

    ending: Ending = "equal-turns"

    @move(dice=d6.pool(2), when=Jeopardy.may_roll)
    def roll(self, s, dice):
        """Risk the turn total."""
        a, b = dice
        if a == 1 and b == 1:
            return self.two_ones(s)
        if a == 1:
            return self.bust(s)
        return self.add(s, 2 * (a + b) if a == b else a + b)

    def two_ones(self, s):
        """The bonus of 25, and the turn is over."""
        return self.bank(s, s.total + 25)

    @move
    def hold(self, s):
        """Score the turn total."""
        return self.bank(s, s.total)
