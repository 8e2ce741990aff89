"""Early a throw of two dice, later of three; `three` is also the die of another move."""

from typing import NamedTuple

from oddsmith import Game, d6, move

TWO, THREE = d6.pool(2), d6.pool(3)


class Pools(Game):
    players: int = 1

    class State(NamedTuple):
        n: int = 0
        t: int = 0

    def winner(self, s):
        return 0 if s.n >= 188 else -1 if s.t >= 40 else None

    @move(dice=lambda self, s: TWO if s.t < 20 else THREE, when=lambda self, s: s.t > 0)
    def some(self, s, roll):
        return self.State(s.n + max(roll), s.t + 1)

    @move(dice=THREE, when=lambda self, s: s.t == 0)
    def first(self, s, roll):
        return self.State(s.n + max(roll), s.t + 1)
