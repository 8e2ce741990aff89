"""Monty Hall, written as a newcomer would: the chooser's state holds the car."""

from typing import NamedTuple

from oddsmith import DRAW, Die, Game, move


class Monty(Game):
    """Choose door 0; the host opens another with a goat; stay or switch."""

    players: int = 1

    class State(NamedTuple):
        car: int = -1
        stage: int = 0

    def winner(self, s):
        return 0 if s.stage == 2 else DRAW if s.stage == 3 else None

    @move(dice=Die([0, 1, 2]), when=lambda self, s: s.stage == 0)
    def hide(self, s, door):
        return self.State(door, 1)

    @move(when=lambda self, s: s.stage == 1)
    def stay(self, s):
        return self.State(s.car, 2 if s.car == 0 else 3)

    @move(when=lambda self, s: s.stage == 1)
    def switch(self, s):
        return self.State(s.car, 3 if s.car == 0 else 2)
