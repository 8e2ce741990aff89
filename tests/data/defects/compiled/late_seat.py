"""Declared symmetric, is not: after a round (turn 0) the game stops; ties go to player 2."""

from typing import NamedTuple

from oddsmith import Game, d6, move, put


class Race(Game):
    goal: int = 40

    class State(NamedTuple):
        squares: tuple[int, int] = (0, 0)
        turn: int = 0

    interchangeable = ("squares",)

    def winner(self, s):
        if s.turn == 0 and (s.squares[0] >= self.goal or s.squares[1] >= self.goal):
            return 0 if s.squares[0] > s.squares[1] else 1
        return None

    @move(dice=d6)
    def throw(self, s, r):
        return self.State(put(s.squares, s.turn, s.squares[s.turn] + r), 1 - s.turn)
