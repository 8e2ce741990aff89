"""Fast Pig."""

from functools import cached_property
from typing import NamedTuple

from oddsmith import Game, OptionError, move, policy, put
from oddsmith.games._jeopardy import highest
from oddsmith.games.hog import check_most, thrown


class FastPig(Game):
    """One roll a turn, of as many dice as you dare, for the most points.

    In turn, a player chooses how many dice to roll, and rolls them once. If no 1 shows, their sum
    is scored; if a 1 shows, nothing is. There is no goal: best is what scores most on average, as
    Fendel et al. have it. For the race to a goal by such rolls see Hog.

    `turns`: of each player (default 1). `players` (default 1, a solitaire): each plays for their
    own points; the highest win, together where they are equal. `most`: the greatest number of
    dice (default 10).

    Source: Fendel et al. (1997) in T. W. Neller, C. G. M. Presser, Optimal Play of the Dice Game
    Pig, The UMAP Journal 25 (2004) 25–47, appendix.
    """

    title = "Fast Pig"

    players: int = 1
    turns: int = 1
    most: int = 10

    class State(NamedTuple):
        """Points of each player, whose turn it is, and how many rounds have been played."""

        scores: tuple[int, ...]
        turn: int
        played: int

    def validate(self):
        """There is a turn, and dice can be counted."""
        if self.turns < 1:
            raise OptionError(f"Fast Pig needs one turn or more, not {self.turns}.")
        check_most(self.most)

    @cached_property
    def throws(self):
        """What each number of dice scores."""
        return tuple(thrown(count) for count in range(self.most + 1))

    def start(self):
        """Nobody has a point."""
        return self.State((0,) * self.players, 0, 0)

    def ranges(self):
        """A player can roll sixes every turn."""
        points = range(6 * self.most * self.turns + 1)
        return {"scores": points, "played": range(self.turns + 1)}

    def winner(self, s):
        """Whoever has the highest score after all turns."""
        return highest(s.scores, 0, True) if s.played == self.turns else None

    def score(self, s):
        """The points."""
        return s.scores

    @move(
        dice=lambda self, s, number: self.throws[number],
        each=lambda self: range(1, self.most + 1),
    )
    def roll(self, s, number, points):
        """Roll so many dice at once."""
        scores = put(s.scores, s.turn, s.scores[s.turn] + points)
        turn = (s.turn + 1) % self.players
        return self.State(scores, turn, s.played + 1 if turn == 0 else s.played)

    @policy
    def always(self, s, number=5):
        """Roll so many dice every turn, or the most allowed; 5 or 6 score most on average."""
        return f"roll {min(number, self.most)}"
