"""Pig."""

from typing import NamedTuple

from oddsmith import Game, OptionError, d6, move, policy, put


class Pig(Game):
    """Roll as long as you dare; a 1 loses the turn. The first to the goal wins.

    Source: T. W. Neller, C. G. M. Presser, Optimal Play of the Dice Game Pig, The UMAP Journal
    25 (2004) 25–47.
    """

    title = "Pig"
    interchangeable = ("scores",)

    goal: int = 100

    class State(NamedTuple):
        """Points of each player, whose turn it is, and the points of the turn so far."""

        scores: tuple[int, ...]
        turn: int
        total: int

    def validate(self):
        """Somebody must have to score."""
        if self.goal < 1:
            raise OptionError(f"The goal must be one point or more, not {self.goal}.")

    def start(self):
        """Nobody has a point."""
        return self.State((0,) * self.players, 0, 0)

    def ranges(self):
        """Nobody holds beyond the goal; the last roll may go beyond it."""
        return {"scores": range(self.goal), "total": range(self.goal + 6)}

    def winner(self, s):
        """Whoever need only hold to reach the goal."""
        return s.turn if s.scores[s.turn] + s.total >= self.goal else None

    @move(dice=d6)
    def roll(self, s, spots):
        """Risk the turn total."""
        if spots == 1:
            return self.State(s.scores, (s.turn + 1) % self.players, 0)
        return s._replace(total=s.total + spots)

    @move
    def hold(self, s):
        """Bank the turn total."""
        scores = put(s.scores, s.turn, s.scores[s.turn] + s.total)
        return self.State(scores, (s.turn + 1) % self.players, 0)

    @policy
    def hold_at(self, s, points=20):
        """Roll until the turn total has so many points."""
        return "hold" if s.total >= points else "roll"
