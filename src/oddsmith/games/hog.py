"""Hog."""

from functools import cached_property

from oddsmith import Die, OptionError, move, policy, put
from oddsmith.games._jeopardy import Race

SAFE = Die(range(2, 7))

MOST_DICE = 24
"""More dice fall in more ways than 63 bits count."""


def thrown(count):
    """What so many dice score: their sum, or nothing if a 1 shows."""
    weights = dict((count * SAFE).items())
    return Die({0: 6**count - 5**count, **weights}) if count else Die([0])


def check_most(most):
    """Refuse fewer dice than one, or too many."""
    if not 1 <= most <= MOST_DICE:
        raise OptionError(f"A player can roll at most 1 to {MOST_DICE} dice, not {most}.")


class Hog(Race):
    """One roll a turn, of as many dice as you dare. The first to 100 wins.

    In turn, a player chooses how many dice to roll, and rolls them once. If no 1 shows, their sum
    is scored; if a 1 shows, nothing is. So it is Fast Pig played as a race to a goal.

    `most`: the greatest number of dice, 24 (default) or fewer. The rules have no such limit, but
    more dice fall in more ways than 63 bits count. Few positions ask for more: without a limit
    the first of two players would win 0.529865 instead of 0.529885. `ending` (first by default)
    and `ties` as in Pig.

    Source: T. W. Neller, I. Russell, Z. Markov, Solving the Dice Game Pig: an introduction to
    dynamic programming and value iteration (2005); Fast Pig in T. W. Neller, C. G. M. Presser,
    Optimal Play of the Dice Game Pig, The UMAP Journal 25 (2004) 25–47, appendix.
    """

    title = "Hog"

    most: int = MOST_DICE

    def validate(self):
        """Dice can be counted."""
        super().validate()
        check_most(self.most)

    @cached_property
    def throws(self):
        """What each number of dice scores."""
        return tuple(thrown(count) for count in range(self.most + 1))

    def start(self):
        """Nobody has a point."""
        return self.State((0,) * self.players, 0)

    def ranges(self):
        """One roll takes a player beyond the goal, or to it where more does not count."""
        return {"scores": range(self.top + 1)}

    @cached_property
    def top(self):
        """The highest score that counts."""
        return self.goal if self.ending == "first" else self.goal - 1 + 6 * self.most

    @move(
        dice=lambda self, s, number: self.throws[number],
        each=lambda self: range(1, self.most + 1),
    )
    def roll(self, s, number, points):
        """Roll so many dice at once."""
        score = min(self.top, s.scores[s.turn] + points)
        return self.State(put(s.scores, s.turn, score), (s.turn + 1) % self.players)

    @policy
    def always(self, s, number=5):
        """Roll so many dice every turn, or the most allowed; 5 or 6 score most on average."""
        return f"roll {min(number, self.most)}"
