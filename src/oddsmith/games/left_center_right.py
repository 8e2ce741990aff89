"""Left-Center-Right."""

from functools import cached_property
from typing import NamedTuple

from oddsmith import Die, Game, OptionError, move, put
from oddsmith.combinatorics import rank_composition_at_most, unrank_composition_at_most

LEFT, CENTER, RIGHT, KEEP = range(4)
FACES = Die({LEFT: 1, CENTER: 1, RIGHT: 1, KEEP: 3})


def passed(roll):
    """How many tokens go left, to the center and right."""
    return (roll.count(LEFT), roll.count(CENTER), roll.count(RIGHT))


THROWS = tuple(FACES.pool(count).map(passed) for count in range(4))


class LeftCenterRight(Game):
    """Pass tokens by dice; the last player to hold any wins.

    Everybody starts with three tokens. In turn, a player throws one die for each token held, at
    most three. Each die passes a token to the left (one face), to the center (one), to the
    right (one), or keeps it (three). What is in the center is out of play. A player without
    tokens is skipped, and that is no turn, but may receive tokens and be back. The game ends
    when one player holds all the tokens in play.

    Source: the exact analysis of Left-Center-Right among the project's five texts, a table of
    chances and expected turns for two to seven players.
    """

    title = "Left-Center-Right"
    interchangeable = ("tokens",)

    players: int = 3
    stake: int = 3

    class State(NamedTuple):
        """Tokens of each player, and whose turn it is."""

        tokens: tuple[int, ...]
        turn: int

    def validate(self):
        """It takes two to pass a token, and a token."""
        if self.players < 2 or self.stake < 1:
            raise OptionError(
                f"Left-Center-Right needs two players and a token each, not {self.players} "
                f"players with {self.stake}."
            )

    def start(self):
        """Everybody with the stake."""
        return self.State((self.stake,) * self.players, 0)

    def ranges(self):
        """Nobody can hold more than all tokens."""
        return {"tokens": range(self.stake * self.players + 1)}

    def rank(self, s):
        """The number of a state: its tokens as a weak composition of at most all, its turn."""
        return rank_composition_at_most(s.tokens, self.all) * self.players + s.turn

    def unrank(self, number):
        """The state with a number."""
        composition = number // self.players
        tokens = unrank_composition_at_most(composition, self.all, self.nothing)
        return self.State(tokens, number % self.players)

    @cached_property
    def all(self):
        """Tokens in play at the start."""
        return self.stake * self.players

    @cached_property
    def nothing(self):
        """No token for anybody."""
        return (0,) * self.players

    def winner(self, s):
        """Whoever holds all the tokens in play."""
        holders, last = 0, 0
        for player in range(self.players):
            if s.tokens[player] > 0:
                holders += 1
                last = player
        return last if holders == 1 else None

    def roll_name(self, roll):
        """How many tokens go where."""
        passed = zip(roll, ("left", "center", "right"), strict=True)
        return ", ".join(f"{count} {where}" for count, where in passed if count) or "keep"

    @move(dice=lambda self, s: THROWS[min(3, s.tokens[s.turn])])
    def throw(self, s, roll):
        """Throw a die a token and pass tokens accordingly."""
        left, center, right = roll
        me = s.turn
        before, after = (me - 1) % self.players, (me + 1) % self.players
        tokens = put(s.tokens, me, s.tokens[me] - left - center - right)
        tokens = put(tokens, after, tokens[after] + left)
        tokens = put(tokens, before, tokens[before] + right)
        turn = after
        while tokens[turn] == 0:
            turn = (turn + 1) % self.players
        return self.State(tokens, turn)
