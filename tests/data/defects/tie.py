from typing import NamedTuple

from oddsmith import Die, Game, move


class Tie(Game):
    """One throw ends it a hair less often than not; otherwise the second move does."""

    players: int = 1

    class State(NamedTuple):
        s: int = 0

    def winner(self, s):
        return 0 if s.s == 2 else None

    @move(dice=lambda self, s: FIRST if s.s == 0 else SURE)
    def go(self, s, roll):
        return self.State(roll)


FIRST = Die({2: 2**45 - 1, 1: 2**45 + 1})
SURE = Die({2: 1})
