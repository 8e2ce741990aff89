from typing import NamedTuple

from oddsmith import Game, d6, move, put


class RareSeat(Game):
    """Equal rounds to a goal; the higher score wins, and a tie, which is rare, is player 1's."""

    goal: int = 100
    interchangeable = ("pts",)

    class State(NamedTuple):
        pts: tuple[int, int] = (0, 0)
        turn: int = 0

    def ranges(self):
        return {"pts": range(self.goal + 6)}

    def winner(self, s):
        a, b = s.pts
        if a >= self.goal and a == b:
            return 0
        if min(a, b) >= self.goal or max(a, b) >= self.goal + 3:
            return 0 if a > b else 1
        return None

    @move(dice=d6)
    def throw(self, s, r):
        reached = min(self.goal + 5, s.pts[s.turn] + r)
        return self.State(put(s.pts, s.turn, reached), 1 - s.turn)
