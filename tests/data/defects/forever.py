from typing import NamedTuple

from oddsmith import Game, coin, move


class Forever(Game):
    """Heads wins; tails goes on for ever: half of all games have no end."""

    players: int = 1

    class State(NamedTuple):
        s: int = 0

    def winner(self, s):
        return 0 if s.s == 1 else None

    @move(dice=coin, when=lambda self, s: s.s == 0)
    def toss(self, s, heads):
        return self.State(1 if heads else 2)

    @move(when=lambda self, s: s.s == 2)
    def go_on(self, s):
        return self.State(2)
