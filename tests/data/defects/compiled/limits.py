from typing import NamedTuple

from oddsmith import Die, Game, d6, move

BIG = Die([2**63, 2**63 + 1])


class Faces(Game):
    players: int = 1

    class State(NamedTuple):
        n: int = 0

    def winner(self, s):
        return 0 if s.n >= 300 else None

    @move(dice=BIG)
    def go(self, s, r):
        return self.State(s.n + 1 + r % 2)


class Score(Game):
    players: int = 1

    class State(NamedTuple):
        n: int = 0

    def winner(self, s):
        return 0 if s.n >= 300 else None

    def score(self, s):
        return 3 ** (s.n - 250)

    @move(dice=d6)
    def go(self, s, r):
        return self.State(s.n + r)


class Range(Game):
    players: int = 1

    class State(NamedTuple):
        n: int = 0

    def ranges(self):
        return {"n": range(2**63 + 5)}

    def winner(self, s):
        return 0 if s.n >= 300 else None

    @move(dice=d6)
    def go(self, s, r):
        return self.State(s.n + r)
