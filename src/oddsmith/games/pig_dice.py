"""Parker Brothers' Pig Dice."""

from oddsmith import d6, move, product
from oddsmith.games._jeopardy import Ending, Jeopardy

HEAD, TAIL = 1, 6
"""The pig's head is in the place of one die's 1, the tail in that of the other's 6."""


class PigDice(Jeopardy):
    """Pig with a Head and a Tail on its two dice; 7 loses the turn.

    One die has a pig's head in the place of its 1, the other a tail in the place of its 6. In
    turn, a player rolls both as often as they like:

    - numbers that add up to 7 end the turn, and its total is lost;
    - other numbers add their sum to the turn total;
    - a Head adds twice the number on the other die;
    - a Tail takes the number on the other die away, but the turn total is never negative;
    - Head and Tail double the turn total.

    Whoever holds adds the turn total to their score. When a score of `goal` (100) is held, all
    the others have one more turn to achieve the highest score.

    `ending` (one-more by default), `ties` (leader by default; the rules are silent) and `beyond`
    (40) as in Pig. Doubling takes nobody beyond twice the points that must be held, or those that
    take the lead: so the game is finite, and with two players that limits nothing.

    Source: Pig Dice, Parker Brothers 1942, in T. W. Neller, C. G. M. Presser, Optimal Play of the
    Dice Game Pig, The UMAP Journal 25 (2004) 25–47, appendix.
    """

    title = "Pig Dice"
    best_roll = 11

    ending: Ending = "one-more"
    beyond: int = 40

    def ranges(self):
        """As in any such game, but points may be doubled."""
        points = range(2 * self.limit + self.players * self.best_roll)
        return {"scores": points, "total": points}

    @move(dice=product(d6, d6), when=Jeopardy.may_roll)
    def roll(self, s, dice):
        """Risk the turn total."""
        a, b = dice
        if a == HEAD and b == TAIL:
            return self.add(s, self.doubling(s))
        if a == HEAD:
            return self.add(s, 2 * b)
        if b == TAIL:
            return self.add(s, -min(a, s.total))
        return self.bust(s) if a + b == 7 else self.add(s, a + b)

    def doubling(self, s):
        """What Head and Tail add: the turn total, as far as more can matter."""
        enough = self.needed(s)
        if not self.is_last(s):
            enough = max(enough, 2 * self.limit)
        return min(s.total, enough - self.points(s))

    @move
    def hold(self, s):
        """Score the turn total."""
        return self.bank(s, s.total)
