"""Learned: a policy that `learn` has found, which guesses where it has never been."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.model.model import Model
from oddsmith.model.names import mover_view
from oddsmith.policies.policy import States
from oddsmith.policies.table import NO_MOVE, Table
from oddsmith.rules import interpret
from oddsmith.rules.game import Game


class Learned(Table):
    """A policy that was learned: a table of the states that were met, guesses for the others."""

    def __init__(self, *args: Any, tiles: Any, shift: Any, prior: float, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self.tiles, self.shift, self.prior = tiles, shift, prior

    def decide(self, model: Model, states: States) -> States:
        """The moves in some states of a model; one step ahead where a state was never met."""
        places = self.places(model, states)
        moves = np.where(places >= 0, self.action[places].astype(np.int64), NO_MOVE)
        unknown = np.nonzero(moves == NO_MOVE)[0]
        for i, state in zip(unknown, model.names.take(states[unknown]), strict=True):
            moves[i] = self._look_ahead(state)
        return self.choices(model, states, moves)

    def move(self, game: Game, state: Any) -> int | None:
        """The move in a state."""
        place = self._place(state)
        return self._look_ahead(state) if place < 0 else int(self.action[place])

    def _place(self, state: Any) -> int:
        view = mover_view(self.game, state)[0] if self.relative else state
        assert self._layout is not None
        return int(self._find(np.array([self._layout.row(view)], np.int64))[0])

    def _look_ahead(self, state: Any) -> int:
        """The move with the best outlook by what was learned and guessed."""
        mover, outlooks = interpret.mover(self.game, state), []
        for number, action in interpret.legal_actions(self.game, state):
            outcomes = interpret.outcomes(self.game, self._layout or "", action, state)
            total = sum(weight for weight, _, _ in outcomes)
            worth = sum(weight * self.worth_to(after, mover) for weight, _, after in outcomes)
            outlooks.append((worth / total, -number))
        return -max(outlooks)[1]

    def worth_to(self, state: Any, player: int) -> float:
        """What a state is thought to be worth to a player."""
        from oddsmith.policies.tiles import guess

        winners = interpret.winners(self.game, state)
        if winners != interpret.GOES_ON:
            return interpret.worth_to(self.game, winners, state)[player]
        first = state.turn if self.relative else interpret.mover(self.game, state)
        seat = (player - first) % self.game.players
        place = self._place(state)
        if place >= 0:
            return float(self.worth[place, seat])
        view = mover_view(self.game, state)[0] if self.relative else state
        assert self._layout is not None
        row = np.array(self._layout.row(view), np.int64)
        guessed = np.empty(self.game.players)
        guess(row, self._layout.low, self.shift, self.tiles, self.prior, guessed)
        return float(guessed[seat])

    def kept(self) -> dict[str, Any]:
        """What a file keeps beside the table."""
        return {"tiles": self.tiles, "shift": self.shift, "prior": np.array(self.prior)}
