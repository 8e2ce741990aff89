from typing import NamedTuple

from oddsmith import Die, Game, move

DICE = (Die({2: 10**9 - 1, 1: 1}), Die({2: 1, 1: 10**9 - 1}))


class Hang(Game):
    """Nearly always over after one move; once in 10^9 games it lasts 10^9 moves. Mean: 2."""

    players: int = 1

    class State(NamedTuple):
        s: int = 0

    def winner(self, s):
        return 0 if s.s == 2 else None

    @move(dice=lambda self, s: DICE[s.s])
    def go(self, s, roll):
        return self.State(roll)
