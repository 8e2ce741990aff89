from typing import NamedTuple

from oddsmith import Game, d6, move


def maybe(n):
    if n % 2 == 0:
        return n
    return None


class A(Game):
    players: int = 1
    kind: int = 0

    class State(NamedTuple):
        n: int = 0

    def winner(self, s):
        return 0 if s.n >= 300 else None

    @move(dice=d6)
    def go(self, s, r):
        if self.kind == 0:
            assert s.n < 200
        if self.kind == 1 and s.n > 150 and maybe(s.n) == 160:
            return self.State(s.n + 2)
        return self.State(s.n + 1)
