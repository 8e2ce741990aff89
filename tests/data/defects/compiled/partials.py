from functools import partial
from typing import NamedTuple

from oddsmith import Game, d6, move


def below(self, s, limit):
    return s.n < limit


class P(Game):
    players: int = 1

    class State(NamedTuple):
        n: int = 0

    def winner(self, s):
        return 0 if s.n >= 300 else None

    @move(dice=d6, when=partial(below, limit=500))
    def go(self, s, r):
        return self.State(s.n + r)
