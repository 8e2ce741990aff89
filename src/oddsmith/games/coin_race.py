"""The simple game of the Goose paper."""

from typing import NamedTuple

from oddsmith import Game, OptionError, coin, move, put


class CoinRace(Game):
    """Toss a coin in turn; heads takes one step. The first to take two steps wins.

    Source: J. F. Groote, F. Wiedijk, H. Zantema, A Probabilistic Analysis of the Game of the
    Goose, SIAM Review 58 (2016), section 3: 16/27 for the first player of two, 16/3 tosses.
    """

    title = "Coin race"
    interchangeable = ("steps",)
    squares = "steps"

    goal: int = 2

    class State(NamedTuple):
        """Steps taken by each player, and whose turn it is."""

        steps: tuple[int, ...]
        turn: int

    def validate(self):
        """Somebody must have to take a step."""
        if self.goal < 1:
            raise OptionError(f"The goal must be one step or more, not {self.goal}.")

    def start(self):
        """Nobody has taken a step."""
        return self.State((0,) * self.players, 0)

    def ranges(self):
        """Nobody goes beyond the goal."""
        return {"steps": range(self.goal + 1)}

    def winner(self, s):
        """Whoever has reached the goal."""
        for player in range(self.players):
            if s.steps[player] == self.goal:
                return player
        return None

    @move(dice=coin)
    def toss(self, s, heads):
        """Toss the coin."""
        steps = put(s.steps, s.turn, s.steps[s.turn] + heads)
        return self.State(steps, (s.turn + 1) % self.players)

    def roll_name(self, roll):
        """The side of the coin."""
        return "heads" if roll else "tails"
