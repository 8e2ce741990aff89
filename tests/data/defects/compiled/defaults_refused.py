"""A move leaves the last fields of the state to their defaults."""

from typing import NamedTuple

from oddsmith import Game, d6, move


class D(Game):
    players: int = 1

    class State(NamedTuple):
        n: int = 0
        t: int = 0
        lucky: bool = True

    def winner(self, s):
        return 0 if s.n >= 300 else -1 if s.t >= 120 else None

    @move(dice=d6)
    def go(self, s, r):
        if r == 1:
            return self.State(s.n + 1, s.t + 1, False)
        return self.State(s.n + (3 if s.lucky else 1), s.t + 1)


class E(Game):
    players: int = 1

    class State(NamedTuple):
        n: int = 0
        t: int = 0
        step: int = 3

    def ranges(self):
        return {"n": range(1000), "t": range(200), "step": range(8)}

    def winner(self, s):
        return 0 if s.n >= 300 else -1 if s.t >= 120 else None

    @move(dice=d6)
    def go(self, s, r):
        if r == 1:
            return self.State(s.n + 1, s.t + 1, 1)
        return self.State(s.n + s.step, s.t + 1)
