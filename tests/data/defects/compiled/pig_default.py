"""Pig; a turn that ends leaves `total` to its default, 0."""

from typing import NamedTuple

from oddsmith import Game, d6, move, put


class MyPig(Game):
    goal: int = 40

    class State(NamedTuple):
        scores: tuple[int, int] = (0, 0)
        turn: int = 0
        total: int = 0

    def winner(self, s):
        return s.turn if s.scores[s.turn] + s.total >= self.goal else None

    @move(dice=d6)
    def roll(self, s, r):
        if r == 1:
            return self.State(s.scores, 1 - s.turn, 0)
        return self.State(s.scores, s.turn, s.total + r)

    @move(when=lambda self, s: s.total > 0)
    def hold(self, s):
        scores = put(s.scores, s.turn, s.scores[s.turn] + s.total)
        return self.State(scores, 1 - s.turn)
