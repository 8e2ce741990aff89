from typing import NamedTuple

from oddsmith import Game, move


class Idle(Game):
    """End it, or go aside and walk in circles for ever (moves that count)."""

    players: int = 1

    class State(NamedTuple):
        s: int = 0

    def winner(self, s):
        return 0 if s.s == 2 else None

    @move(when=lambda self, s: s.s == 0)
    def end(self, s):
        return self.State(2)

    @move
    def aside(self, s):
        return self.State(1)
