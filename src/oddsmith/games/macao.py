"""Macao."""

from functools import cached_property
from typing import Literal, NamedTuple

from oddsmith import DRAW, Game, OptionError, d6, move, policy, put


class Macao(Game):
    """Add up rolls of a die; the highest total up to nine wins.

    In turn, each player rolls one die, once at least and then as often as wanted, and adds up
    the rolls. Whoever goes beyond nine (`target`) is out. The highest total left wins.

    Source: the rules of Macao at dice-play.com and in Wikipedia, "Macao (dice game)"; the game
    is one of R. Knizia's, Dice Games Properly Explained, 1999, whom T. W. Neller and C. G. M.
    Presser name for it without telling the rules. Open points:

    - `ties`: those with the same highest total play again, the last of them first and on in the
      order of seats, and so do all if all are out ("again", as at dice-play.com); or it is a
      draw ("draw", of two players only).
    - `exact_wins`: whether exactly nine wins at once (no; a variant at dice-play.com).
    - There are no stakes, and one win is the game.
    - With exactly nine one must hold.
    """

    title = "Macao"
    interchangeable = ("totals",)

    target: int = 9
    ties: Literal["again", "draw"] = "again"
    exact_wins: bool = False

    class State(NamedTuple):
        """The total of each player, whose turn it is, and the total of the turn so far.

        A player's total is 0 before the turn, `target` + 1 for who has gone beyond the target,
        and `target` + 2 for who does not take part when others play again.
        """

        totals: tuple[int, ...]
        turn: int
        total: int

    def validate(self):
        """Players who can tell who has won, and a target that the first roll cannot miss."""
        if self.players < 2:
            raise OptionError(f"{self.title} needs two players, not {self.players}.")
        if self.ties == "draw" and self.players > 2:
            raise OptionError(
                f"{self.title} knows a draw of two players only, not of {self.players}: choose "
                f"ties=again."
            )
        if self.target < 6:
            raise OptionError(f"The target must be 6 or more, not {self.target}.")

    def start(self):
        """Nobody has rolled."""
        return self.State((0,) * self.players, 0, 0)

    def ranges(self):
        """Totals up to the target, and two words."""
        return {"totals": range(self.target + 3), "total": range(self.target + 1)}

    @cached_property
    def plays_off(self):
        """Whether ties are played again."""
        return self.ties == "again"

    def best(self, totals):
        """The highest total that counts, or `target` + 1 if all who play are out."""
        best = 0
        for player in range(self.players):
            if best < totals[player] <= self.target:
                best = totals[player]
        return best if best > 0 else self.target + 1

    def winner(self, s):
        """When all have played: the best."""
        if self.exact_wins and s.total == self.target:
            return s.turn
        best = self.best(s.totals)
        count, last = 0, 0
        for player in range(self.players):
            if s.totals[player] == 0:
                return None
            if s.totals[player] == best:
                count += 1
                last = player
        return last if count == 1 and best <= self.target else DRAW

    def ended(self, s, total):
        """The mover's turn is over with a total: who is next?"""
        totals = put(s.totals, s.turn, total)
        for step in range(1, self.players):
            seat = (s.turn + step) % self.players
            if totals[seat] == 0:
                return self.State(totals, seat, 0)
        best, count, first = self.best(totals), 0, s.turn
        for step in range(self.players):
            seat = (s.turn + 1 + step) % self.players
            if totals[seat] == best:
                count += 1
                first = seat
        if not self.plays_off or (count == 1 and best <= self.target):
            return self.State(totals, s.turn, 0)
        for seat in range(self.players):
            totals = put(totals, seat, 0 if totals[seat] == best else self.target + 2)
        return self.State(totals, first, 0)

    def may_roll(self, s):
        """Whether the mover may roll on."""
        return s.total < self.target

    def may_hold(self, s):
        """Whether the mover may hold."""
        return s.total > 0

    @move(dice=d6, when=lambda self, s: self.may_roll(s))
    def roll(self, s, spots):
        """Add a roll."""
        return self.added(s, spots)

    @move(when=lambda self, s: self.may_hold(s))
    def hold(self, s):
        """Be content with the total."""
        return self.ended(s, s.total)

    def added(self, s, spots):
        """A roll was added: out, or on."""
        total = s.total + spots
        if total > self.target:
            return self.ended(s, self.target + 1)
        return s._replace(total=total)

    def chosen(self, s, hold):
        """The name of the move for a player who wants to hold or to roll."""
        if hold:
            return "hold" if self.may_hold(s) else "roll"
        return "roll" if self.may_roll(s) else "hold"

    @policy
    def hold_at(self, s, points=7):
        """Roll until the total has so many points, where the rules let one choose."""
        return self.chosen(s, s.total >= points)
