"""Late in the game a move gives a longer tuple, another order of fields, or no State at all."""

from typing import NamedTuple

from oddsmith import Game, d6, move


class Other(NamedTuple):
    t: tuple[int, ...]
    n: int


class Longer(Game):
    players: int = 1
    kind: int = 0

    class State(NamedTuple):
        n: int = 0
        t: tuple[int, ...] = (0, 0)

    def winner(self, s):
        return 0 if s.n >= 300 else -1 if s.n < -5 else None

    @move(dice=d6, when=lambda self, s: s.n < 250)
    def go(self, s, r):
        return self.State(s.n + 1, (r % 2, s.t[1]))

    @move(dice=d6, when=lambda self, s: s.n >= 250 and self.kind == 0)
    def late(self, s, r):
        return self.State(s.n + 1, (r % 2, 0, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7))

    @move(dice=d6, when=lambda self, s: s.n >= 250 and self.kind == 1)
    def late1(self, s, r):
        return Other((s.n + 1, r), r)

    @move(dice=d6, when=lambda self, s: s.n >= 250 and self.kind == 2)
    def late2(self, s, r):
        return (s.n + 1, (r, r))

    @move(dice=d6, when=lambda self, s: s.n >= 250 and self.kind == 3)
    def late3(self, s, r):
        return self.State(s.n + 1, (r,))
