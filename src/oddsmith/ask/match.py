"""A match: one game as it goes on, move by move, and games played on from where it stands."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from oddsmith.policies.policy import Policy
from oddsmith.results.answer import Answer
from oddsmith.rules import interpret
from oddsmith.rules.game import Game
from oddsmith.rules.layout import Layout, layout_of
from oddsmith.rules.moves import Action
from oddsmith.solve.simulate.play import play_game
from oddsmith.solve.simulate.stream import Stream

MOST_MOVES = 100_000
"""A game played on at random that takes longer is an error."""

FEWEST_GAMES = 20
"""Games that an estimate takes, however long they last."""

ERROR = 0.05
"""How often an interval of an estimate may miss."""


@dataclass(frozen=True)
class Step:
    """A move that was made: by whom, with which roll, and what became of the state."""

    player: int
    action: Action
    roll: Any
    before: Any
    after: Any


@dataclass(frozen=True)
class Match:
    """Where a game stands. It does not change: `made` gives the match after a move."""

    game: Game
    state: Any
    length: int = 0
    """Moves made that count."""
    forced: tuple[Any, ...] = field(default=(), repr=False)
    """The states since anybody threw dice or had a choice: to come back to one is to loop."""

    @property
    def endless(self) -> bool:
        """Whether nobody can do or throw anything that would ever change it."""
        return self.state in self.forced

    @property
    def winners(self) -> int:
        """Who has won as the bits of a number: 0 for a draw, -1 while the game goes on."""
        return 0 if self.endless else interpret.winners(self.game, self.state)

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.winners != interpret.GOES_ON

    @property
    def mover(self) -> int:
        """Whose turn it is."""
        return interpret.mover(self.game, self.state)

    @property
    def legal(self) -> list[Action]:
        """The moves that may be made."""
        return [action for _, action in interpret.legal_actions(self.game, self.state)]

    @property
    def layout(self) -> Layout | str:
        """The layout of the game's states."""
        return layout_of(self.game, interpret.first_state(self.game))

    def made(self, action: Action, stream: Stream) -> tuple[Match, Step]:
        """The match after a move, and the move with its roll."""
        game, state = self.game, self.state
        with interpret.time_limit(game, state):
            die = interpret.die_for(game, action, state)
            roll = () if die is None else (stream.face(die),)
            after = interpret.play(game, self.layout, action, state, *roll)
        alone = die is None and len(self.legal) == 1
        step = Step(self.mover, action, roll[0] if roll else None, state, after)
        forced = (*self.forced, state) if alone else ()
        return replace(self, state=after, length=self.length + action.counts, forced=forced), step


class Playouts:
    """Games played on from where a match stands, by a first move and then by given policies."""

    def __init__(
        self, match: Match, policies: Sequence[Policy], stream: Stream, first: Action | None = None
    ) -> None:
        self.match, self.policies, self.stream, self.first = match, policies, stream, first
        self.games = 0
        self.sums = [0.0] * match.game.players
        self.squares = [0.0] * match.game.players
        self.drawn = self.together = False
        """Whether any game was won by nobody, and by several."""

    def play(self) -> None:
        """Play one more game to its end."""
        match = self.match
        if self.first is not None:
            match, _ = match.made(self.first, self.stream)
        winners, _, last = play_game(
            match.game, match.layout, match.state, self.stream, MOST_MOVES, self.policies
        )
        self.games += 1
        self.drawn |= winners == 0
        self.together |= winners.bit_count() > 1
        for player, worth in enumerate(interpret.worth_to(match.game, winners, last)):
            self.sums[player] += worth
            self.squares[player] += worth * worth

    def estimate(self, player: int) -> Answer:
        """What the games were worth to a player on average, with its 95 % confidence interval."""
        from oddsmith.solve.simulate import statistics

        games, total, squares = self.games, self.sums[player], self.squares[player]
        if self.match.game.has_score:
            variance = statistics.spread_of_sums(games, total, squares)
            return statistics.mean_interval(total / games, variance, games, 1 - ERROR)
        if self.drawn or self.together:
            return statistics.share(total, games, ERROR)
        return statistics.chance(round(total), 0, games, ERROR)


def play_on(every: Sequence[Playouts], seconds: float) -> None:
    """Play for so many seconds, a game of each in turn."""
    until = time.monotonic() + seconds
    while every[0].games < FEWEST_GAMES or time.monotonic() < until:
        for playouts in every:
            playouts.play()
