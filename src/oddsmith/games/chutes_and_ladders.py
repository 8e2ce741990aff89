"""Chutes and Ladders."""

from typing import ClassVar, NamedTuple

from oddsmith import Game, d6, move, put


class ChutesAndLadders(Game):
    """A race to square 100 with one die, up ladders and down chutes.

    Everybody starts off the board. In turn, a player throws one die and moves as many squares;
    at the foot of a ladder the piece climbs it, at the top of a chute it slides down. A throw
    that would lead past 100 is not played. Pieces do not disturb each other. The first on 100
    wins. By default one player plays alone, which is how the length is published.

    Source: the Milton Bradley board; S. C. Althoen, L. King, K. Schilling, How Long Is a Game of
    Snakes and Ladders?, The Mathematical Gazette 77 (1993) 71–76.
    """

    title = "Chutes and Ladders"
    interchangeable = ("positions",)
    squares = "positions"

    players: int = 1

    finish: ClassVar = 100
    first: ClassVar = 0
    overshoot_wins: ClassVar = False
    jumps: ClassVar = {
        **{1: 38, 4: 14, 9: 31, 21: 42, 28: 84, 36: 44, 51: 67, 71: 91, 80: 100},
        **{16: 6, 47: 26, 49: 11, 56: 53, 62: 19, 64: 60, 87: 24, 93: 73, 95: 75, 98: 78},
    }

    class State(NamedTuple):
        """Where each piece stands, and whose turn it is."""

        positions: tuple[int, ...]
        turn: int

    def start(self):
        """Every piece on the first square."""
        return self.State((self.first,) * self.players, 0)

    def ranges(self):
        """The squares of the board."""
        return {"positions": range(self.finish + 1)}

    @property
    def landing(self):
        """Where a piece ends that stops on a square."""
        return tuple(self.jumps.get(square, square) for square in range(self.finish + 1))

    def winner(self, s):
        """Whoever is on the last square."""
        for player in range(self.players):
            if s.positions[player] == self.finish:
                return player
        return None

    @move(dice=d6)
    def throw(self, s, spots):
        """Throw the die and move."""
        square = s.positions[s.turn] + spots
        if square > self.finish:
            square = self.finish if self.overshoot_wins else s.positions[s.turn]
        return self.State(
            put(s.positions, s.turn, self.landing[square]), (s.turn + 1) % self.players
        )
