"""Exploration by the plain interpreter: any rules; it can stop after a while and go on."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from oddsmith.errors import LimitError
from oddsmith.model.model import Model, weight_type
from oddsmith.model.names import GameNames, mover_view
from oddsmith.model.of_rules import model_of_rules
from oddsmith.model.replay import row_of_rules
from oddsmith.rules import interpret
from oddsmith.rules.game import Game
from oddsmith.rules.layout import Layout, leaves
from oddsmith.runtime.progress import Progress

TOO_MANY = ", the limit that was set: raise --max-states (max_states), or simulate instead."


class Interpreted:
    """Breadth-first search by the plain interpreter; can stop after a while and go on."""

    def __init__(
        self,
        game: Game,
        layout: Layout | str,
        start: Any,
        symmetry: bool,
        max_states: int | None,
        progress: Progress,
    ) -> None:
        self.game, self.layout, self.progress = game, layout, progress
        self.max_states = max_states
        self.symmetric = bool(symmetry and game.interchangeable and game.players > 1)
        self.origin = start
        self.start, self.start_lane = self._view(start)
        self.number: dict[Any, int] = {self.start: 0}
        self.states = [self.start]
        for state in interpret.further_states(game, layout):
            view, _ = self._view(state)
            if self.number.setdefault(view, len(self.states)) == len(self.states):
                self.states.append(view)
        self.begun = len(self.states)
        """The states that exploration begins with."""
        self.choice, self.row = [0], [0]
        self.col: list[int] = []
        self.weight: list[int] = []
        self.shift: list[int] = []
        self.total: list[int] = []
        self.action: list[int] = []
        self.owner: list[int] = []
        self.winners: list[int] = []
        self.scores: list[tuple[int, ...]] = []

    def _view(self, state: Any) -> tuple[Any, int]:
        return mover_view(self.game, state) if self.symmetric else (state, 0)

    def run(self, budget: int | None) -> bool:
        """Search for so many moves and outcomes (None: to the end); whether it is complete."""
        began = time.perf_counter()
        while len(self.winners) < len(self.states):
            done = len(self.winners)
            # The first states are always interpreted: that words errors and shows the dice.
            if budget is not None and done >= 100 and len(self.total) + len(self.col) > budget:
                return False
            if done % 1000 == 999:
                spent = time.perf_counter() - began
                self.progress.update("exploring", done, None, f"{done / spent:,.0f} states/s")
            with interpret.time_limit(self.game, self.states[done]):
                self.expand(self.states[done])
            check_limit(self.game, len(self.states), self.max_states)
        return True

    def expand(self, state: Any) -> None:
        """Play every legal move with every roll in one state; number the states that come of it."""
        won, mover, score, choices = row_of_rules(self.game, self.layout, state, self.symmetric)
        self.winners.append(won)
        self.owner.append(mover)
        if self.game.has_score:
            self.scores.append(score)
        for number, total, outcomes in choices:
            for view, lane, weight in outcomes:
                target = self.number.setdefault(view, len(self.states))
                if target == len(self.states):
                    self.states.append(view)
                self.col.append(target)
                self.shift.append(lane)
                self.weight.append(weight)
            self.total.append(total)
            self.action.append(number)
            self.row.append(len(self.col))
        self.choice.append(len(self.total))

    def model(self, how: str) -> Model:
        """The model that was found."""
        packed, objects = None, None
        layout = self.layout
        if isinstance(layout, Layout):
            rows = [list(leaves(state)) for state in self.states]
            layout = _still_fits(layout, rows)
            if isinstance(layout, Layout):
                packed = layout.pack(np.array([[v for _, v in row] for row in rows], np.int64))
        if packed is None:
            objects = tuple(self.states)
        return model_of_rules(
            self.game,
            GameNames(self.game, layout, packed=packed, objects=objects),
            choice=np.array(self.choice, np.int64),
            row=np.array(self.row, np.int64),
            col=np.array(self.col, np.int32),
            weight=np.array(self.weight, weight_type(max(self.total, default=1), len(self.weight))),
            total=np.array(self.total, np.int64),
            action=np.array(self.action, np.uint8),
            owner=np.array(self.owner, np.int8),
            winners=np.array(self.winners, np.int64),
            scores=np.array(self.scores, np.int64) if self.game.has_score else None,
            shift=np.array(self.shift, np.uint8) if self.symmetric else None,
            how=how,
            begins=self.start_lane,
        )


def _still_fits(layout: Layout, rows: list[list[tuple[str, Any]]]) -> Layout | str:
    """The layout if all states have it (it was read off the first), or the reason why not."""
    shape = [column.name for column in layout.columns]
    for row in rows:
        if [name for name, _ in row] != shape:
            return "tuples inside its states change their length"
        for name, value in row:
            if not isinstance(value, int):
                return f"field {name} holds {type(value).__name__} values, not whole numbers"
    return layout


def check_limit(game: Game, states: int, max_states: int | None) -> None:
    """Stop at the limit that the user set."""
    if max_states is not None and states > max_states:
        raise LimitError(f"{game.name} has more than {max_states:,} states{TOO_MANY}")
