"""Study: what can be known about a game while it is played, computed when it is first asked.

Against opponents who play optimally, a move is worth what optimal play makes of it; against
others, what the best response to them does. A game of pure chance has its chances to win from
every state. A game that is too large for all this is played on from where it stands, some seconds
long, which gives estimates.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddsmith.errors import EndlessError, LimitError, OptionError
from oddsmith.model.explore import explore
from oddsmith.model.model import Model
from oddsmith.model.names import Names
from oddsmith.progress import Progress, Silent
from oddsmith.result import Answer, StateValues
from oddsmith.rules import interpret
from oddsmith.rules.game import Game
from oddsmith.rules.layout import Layout
from oddsmith.solve.play.match import Match, Playouts, play_on
from oddsmith.solve.play.policy import Policy, Random, as_policy
from oddsmith.solve.play.profile import optimal_table, profile
from oddsmith.solve.play.table import Advice, Table
from oddsmith.solve.settings import Settings
from oddsmith.solve.simulate.decisions import has_decisions
from oddsmith.solve.simulate.stream import Stream
from oddsmith.solve.values import values

MAX_STATES = 5_000_000
"""A larger game is not solved unless somebody insists."""

PATIENCE = 60.0
"""Nobody waits longer, in seconds, for what was not asked for by name."""

PLAYOUT_SECONDS = 3.0
"""How long games are played on for an estimate."""

Against = str | Policy | Sequence[str | Policy] | None


@dataclass(frozen=True)
class Outlook:
    """What a state is worth to each player: None for one of whom nothing is known alone."""

    worth: list[Answer | None]
    draw: Answer | None = None
    """The chance of a draw, where it is not part of the worth."""
    left: Answer | None = None
    """How many moves are expected to come."""
    games: int = 0
    """For an estimate: how many games were played."""


class Study:
    """What is known of a game; see the module's docstring."""

    def __init__(
        self,
        game: Game,
        seat: int = 0,
        against: Against = None,
        *,
        max_states: int | None = None,
        seconds: float = PLAYOUT_SECONDS,
        say: Callable[[str], None] = lambda text: None,
        watch: Callable[[], AbstractContextManager[Progress]] | None = None,
    ) -> None:
        self.game, self.seat = game, seat
        self.max_states, self.seconds = max_states, seconds
        self.say, self.watch = say, watch or _unwatched
        self.refusal = ""
        """Why the game is not solved, once that is known."""
        self._model: Model | None = None
        self._best: Table | None = None
        self._table: Table | None = None
        self._values: StateValues | None = None
        self.others: list[Policy] = []
        """How the other players play, by seat; empty while nobody had to decide."""
        self.chance = not has_decisions(game)
        """Whether it seems a game of pure chance."""
        if against is not None:
            self.others = self._given(against)
        elif not self.chance:
            self.others = self._usual()

    # The opponents ------------------------------------------------------------------------

    def policies(self, mine: Policy) -> list[Policy]:
        """A policy for every seat; `mine` for the one who asks."""
        if not self.others:
            self.others = self._usual()
        return [*self.others[: self.seat], mine, *self.others[self.seat :]]

    def _given(self, against: Against) -> list[Policy]:
        """The opponents that were asked for."""
        game, count = self.game, self.game.players - 1
        if count == 0:
            raise OptionError(f"{game.name} is played alone: there is nobody to play against.")
        if self.chance:
            raise OptionError(f"{game.name} leaves nothing to decide: there is no way to play it.")
        parts = against.split(",") if isinstance(against, str) else against
        wanted = list(parts) if isinstance(parts, Sequence) else [parts]
        if len(wanted) not in (1, count):
            raise OptionError(
                f"You play against {count} other{'s' * (count > 1)}, but {len(wanted)} ways to "
                f"play were given: give one for all, or one for each."
            )
        found = [as_policy(game, each) for each in wanted * (count if len(wanted) == 1 else 1)]
        seats = [seat for seat in range(game.players) if seat != self.seat]
        return [self._checked(each, seat) for each, seat in zip(found, seats, strict=True)]

    def _checked(self, policy: Policy | str, seat: int) -> Policy:
        if policy == "best-response":
            raise OptionError(
                "The best response would be to you, and nobody knows how you play: choose optimal."
            )
        if policy == "optimal":
            return self.best(insist=True)
        assert isinstance(policy, Policy)
        if isinstance(policy, Table) and policy.player not in (None, seat):
            raise OptionError(
                f"The policy {policy.name} is for player {policy.player + 1}, "
                f"not for player {seat + 1}."
            )
        return policy

    def _usual(self) -> list[Policy]:
        """Optimal opponents, or if the game is too large, those that it names."""
        count = self.game.players - 1
        if count == 0:
            return []
        try:
            return [self.best()] * count
        except (LimitError, EndlessError, MemoryError) as error:
            self._refuse(error)
            return [usual_policy(self.game)] * count

    # Solving ------------------------------------------------------------------------------

    def model(self, insist: bool = False) -> Model:
        """The game's model, if it is not too large for somebody who waits."""
        if self._model is None:
            if self.refusal and not insist:
                raise LimitError(self.refusal)
            limit = self.max_states if insist else self.max_states or MAX_STATES
            with self._patiently(insist) as progress:
                self._model = explore(self.game, max_states=limit, progress=progress)
            self.say(f"It has {self._model.full_states:,} states.")
        return self._model

    def best(self, insist: bool = False) -> Table:
        """Optimal play."""
        if self._best is None:
            model = self.model(insist)
            with self._patiently(insist) as progress:
                self._best = optimal_table(model, Settings(progress=progress))
        return self._best

    @property
    def solved(self) -> Table | None:
        """The table that values moves, if it is there already."""
        if self._table is None and self.others:
            first = self.others[0]
            shared = all(each is first for each in self.others)
            if shared and isinstance(first, Table) and first.player is None:
                self._table = first
        return self._table

    def table(self) -> Table:
        """The table that values moves: optimal play, or the best response to the opponents."""
        found = self.solved
        if found is None:
            if self.game.players == 1:
                found = self.best()
            else:
                model = self.model()
                play: list[Any] = self.policies(Random())
                play[self.seat] = "best-response"
                with self._patiently() as progress:
                    policies = profile(model, play, Settings(progress=progress)).policies
                assert isinstance(policies[self.seat], Table)
                found = policies[self.seat]
            self._table = found
        return self._table

    def chances(self) -> StateValues:
        """The chances from every state of a game of pure chance."""
        if self._values is None:
            model = self.model()
            with self._patiently() as progress:
                self._values = values(model, method="float", progress=progress).values
        assert self._values is not None
        return self._values

    @contextmanager
    def _patiently(self, insist: bool = False) -> Iterator[Progress]:
        with self.watch() as progress:
            yield progress if insist else _Patient(self.game, progress)

    def _refuse(self, error: BaseException) -> None:
        """Keep why the game cannot be solved, and say it once."""
        if not self.refusal:
            self.refusal = str(error) or f"There is not enough memory to solve {self.game.name}."
            self.say(self.refusal)
'''
