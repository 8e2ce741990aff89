"""What jeopardy dice games share: how a race for points ends, and a turn total at risk.

No game itself: a name that begins with an underscore is not in the catalogue.
"""

from functools import cached_property
from typing import ClassVar, Literal, NamedTuple

from oddsmith import Game, OptionError, policy, put

Ending = Literal["first", "equal-turns", "one-more"]
Ties = Literal["leader", "shared"]


def highest(scores, first, shared):
    """Who has the highest score, asked in turn from `first` on: that player in every entry.

    Where ties are `shared`, everybody who has it is in their own entry.
    """
    best = first
    for step in range(len(scores)):
        player = (first + step) % len(scores)
        if scores[player] > scores[best]:
            best = player
    found = scores
    for player in range(len(scores)):
        tied = shared and scores[player] == scores[best]
        found = put(found, player, player if tied else best)
    return found


class Race(Game):
    """A race for points, and what happens when a player's score has reached the goal.

    `ending`:

    - first (default): that player has won.
    - equal-turns: the players who come after in the same round may still exceed that score, or
      any higher one attained since; then the highest wins.
    - one-more: everybody else has one more turn; then the highest wins.

    `ties`, among the highest: leader (default), the one who had that score first wins, for it was
    to be exceeded; shared, they win together.
    """

    goal: int = 100
    ending: Ending = "first"
    ties: Ties = "leader"

    class State(NamedTuple):
        """Points of each player, and whose turn it is."""

        scores: tuple[int, ...]
        turn: int

    @property
    def interchangeable(self):  # type: ignore[override]
        """Seats are alike, unless it matters who began: rounds of equal turns end with a seat."""
        return () if self.ending == "equal-turns" else ("scores",)

    def validate(self):
        """Somebody must have to score."""
        if self.goal < 1:
            raise OptionError(f"The goal must be one point or more, not {self.goal}.")

    @cached_property
    def one_turn_more(self):
        """Whether everybody else has one more turn."""
        return self.ending == "one-more"

    @cached_property
    def equal_turns(self):
        """Whether a round is played to its end."""
        return self.ending == "equal-turns"

    @cached_property
    def shared(self):
        """Whether players with the same score win together."""
        return self.ties == "shared"

    def winner(self, s):
        """Whoever has the highest score when the last turn is over."""
        return highest(s.scores, s.turn, self.shared) if self.is_over(s) else None

    def is_over(self, s):
        """Whether the last turn is over. Whoever moves then is the one to be exceeded."""
        if self.one_turn_more:
            return s.scores[s.turn] >= self.goal
        if self.equal_turns:
            return s.turn == 0 and max(s.scores) >= self.goal
        return s.scores[s.turn - 1] >= self.goal

    def best_other(self, s):
        """The highest score of the players who wait."""
        best = 0
        for player in range(self.players):
            if player != s.turn:
                best = max(best, s.scores[player])
        return best


class Jeopardy(Race):
    """A race in which a player rolls on and risks the turn total, or holds and scores it.

    Whoever need only hold to win has won. Where that is not so and a higher score can matter, a
    player who leads with `beyond` points more than the goal must hold (default 50): nobody would
    risk them, and the game stays finite.
    """

    beyond: int = 50

    best_roll: ClassVar[int]
    """The most points that one roll can add."""
    again: ClassVar[str] = "roll"
    """The move that risks the turn total."""

    class State(NamedTuple):
        """Points of each player, whose turn it is, and the points of the turn so far."""

        scores: tuple[int, ...]
        turn: int
        total: int

    def validate(self):
        """A goal, and no fewer points than it."""
        super().validate()
        if self.beyond < 0:
            raise OptionError(f"A player cannot be made to hold {-self.beyond} before the goal.")

    @cached_property
    def limit(self):
        """The points with which a player who leads must hold."""
        return self.goal if self.ending == "first" else self.goal + self.beyond

    def start(self):
        """Nobody has a point."""
        return self.State((0,) * self.players, 0, 0)

    def ranges(self):
        """Each player goes at most one roll beyond the limit, or beyond the one who leads."""
        points = range(self.limit + self.players * self.best_roll)
        return {"scores": points, "total": points}

    # What a move can do -------------------------------------------------------------------

    def add(self, s, points):
        """Points for the turn total, and the turn goes on."""
        return s._replace(total=s.total + points)

    def bank(self, s, points):
        """Points for the score, and the turn is over."""
        scores = put(s.scores, s.turn, s.scores[s.turn] + points)
        return self.State(scores, (s.turn + 1) % self.players, 0)

    def bust(self, s):
        """The turn is over and its total lost."""
        return self.bank(s, 0)

    def ruin(self, s):
        """The turn is over, its total lost and all the score."""
        return self.bank(s, -s.scores[s.turn])

    # How it ends --------------------------------------------------------------------------

    def winner(self, s):
        """Whoever need only hold to win, or has the highest score when the last turn is over."""
        if self.is_last(s) and self.points(s) >= self.needed(s):
            return highest(put(s.scores, s.turn, self.points(s)), s.turn, False)
        return highest(s.scores, s.turn, self.shared) if self.is_over(s) else None

    def is_last(self, s):
        """Whether nobody plays after this turn, if it takes the lead with the goal reached."""
        if self.one_turn_more:
            return s.scores[(s.turn + 1) % self.players] >= self.goal
        if self.equal_turns:
            return s.turn == self.players - 1
        return True

    def points(self, s):
        """What the mover would have after holding."""
        return s.scores[s.turn] + s.total

    def needed(self, s):
        """With how many points the mover would lead and have reached the goal."""
        return max(self.goal, self.best_other(s) + 1)

    def may_roll(self, s):
        """Whether the mover is short of the limit or of the lead."""
        return self.points(s) < self.limit or self.points(s) <= self.best_other(s)

    # Ways to play -------------------------------------------------------------------------

    def plan(self, s, enough):
        """Hold with enough points, or with those needed; when others have them, get them."""
        if self.points(s) >= self.needed(s):
            return "hold"
        if enough and self.best_other(s) < self.goal:
            return "hold"
        return self.again

    @policy
    def hold_at(self, s, points=20):
        """Roll until the turn total has so many points, or reaches the goal."""
        return self.plan(s, s.total >= points)

    @policy
    def race(self, s):
        """Roll until the goal is reached, every turn."""
        return self.plan(s, False)

    @policy
    def odds(self, s):
        """Roll while one more roll is expected to gain more than it loses (Knizia 1999)."""
        roll = self.actions[self.action_numbers[self.again]]
        assert roll.die is not None
        expected = 0
        for face, weight in roll.die.items():
            after = roll.function(self, s, face)
            expected += weight * (after.scores[s.turn] + after.total)
        return self.plan(s, expected <= roll.die.total * self.points(s))
