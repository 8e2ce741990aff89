"""A game's model as model checkers and file formats see it: where play is over there is a loop.

The closed model has every state of the full chain; a mover-relative model is unfolded. A state in
which the game is over gets a loop without a name. Its variables are the numbers of the game's
states (`positions[0]` is called `positions_0`), from the lowest to the highest value that occurs.

- Labels: besides the game's own there are `init` and `deadlock` (of a program, where it was stuck;
  nowhere in a game: one without moves is over). As in `odds`, a closed class in which no move
  counts any more (two geese in the well and the prison) is a draw, and over.
- Rewards of choices stay: so `R{"length"}=? [F "over"]` is the mean length. What an end earns
  (`score1`, `score2`, …) is earned on entering it: a choice earns the mean, over its outcomes, of
  what the player has scored where the outcome ends the game, and nothing for the others. So
  `R{"score1"}=? [F "over"]` is the mean score.
- Where somebody decides, there are the players `player1`, `player2`, …; in a chain there are none.
  It is a decision process where that is player 1 alone, for files of those do not say who it is.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.model import graph
from oddsmith.model.amounts import Amounts, Bools, Rewards
from oddsmith.model.ends import where_play_stays
from oddsmith.model.model import Kind, Model
from oddsmith.model.names import GameNames, Names
from oddsmith.model.variables import Layout, Valuations, Variable
from oddsmith.rules.hidden import refuse_process
from oddsmith.rules.layout import leaves


def closed(model: Model) -> Model:
    """The closed model of a game's; see the module's docstring."""
    if not model.is_chain and model.origin is not None:
        refuse_process(model.origin)
    model = model.unfolded()
    looped = _Looped(model)
    labels = {"init": np.zeros(model.states, bool), "deadlock": np.zeros(model.states, bool)}
    labels["init"][model.initial] = True
    stuck = where_play_stays(model, *graph.strong_components(model.state_row, model.col)).deadlock
    labels |= model.labels
    labels["over"] = labels["over"] | stuck
    labels["draw"] = labels["draw"] | stuck
    decided = not model.is_chain
    assert model.action is not None
    return Model(
        kind=_kind(model),
        choice=looped.choice,
        row=looped.row,
        col=looped.col,
        chances=looped.chances,
        initial=model.initial,
        names=model.names,
        labels=labels,
        rewards={name: looped.rewards(reward) for name, reward in model.rewards.items()},
        actions=(*model.actions, ""),
        action=looped.placed(model.action, len(model.actions)),
        players=model.players if decided else (),
        owner=np.asarray(model.owner).astype(np.int8) if decided else None,
        name=model.name,
        origin=model.origin,
    )


def _kind(model: Model) -> Kind:
    """What the closed model is: a decision process where player 1 alone decides."""
    if model.is_chain:
        return "dtmc"
    deciding = np.asarray(model.owner)[np.diff(model.choice) > 1]
    return "smg" if deciding.any() else model.kind


class _Looped:
    """A model's arrays with a loop in every state that has no choice."""

    def __init__(self, model: Model) -> None:
        self.model = model
        loops: Bools = np.diff(model.choice) == 0
        old = np.asarray(model.choice, np.int64)
        self.choice = old + np.concatenate([[0], np.cumsum(loops)])
        at = self.choice[:-1][loops]
        self.moves = np.ones(self.choice[-1], bool)
        self.moves[at] = False
        width = np.ones(len(self.moves), np.int64)
        width[self.moves] = np.diff(model.row)
        self.row = np.concatenate([[0], np.cumsum(width)])
        of_moves = np.ones(self.row[-1], bool)
        of_moves[self.row[at]] = False
        self.col = np.empty(len(of_moves), np.int32)
        self.col[~of_moves] = np.flatnonzero(loops)
        self.col[of_moves] = model.col
        self.chances = model.chance.placed(of_moves, Fraction(1))

    def placed(self, values: npt.NDArray[Any], loop: int) -> npt.NDArray[np.int32]:
        """Numbers of the model's choices, with one for every loop."""
        found = np.full(len(self.moves), loop, np.int32)
        found[self.moves] = values
        return found

    def rewards(self, reward: Rewards) -> Rewards:
        """What choices earn, ends included: on entering one."""
        earned = reward.choice
        if reward.state is not None:
            assert earned is None
            earned = _on_entering(self.model, reward.state)
        assert earned is not None
        return Rewards(choice=earned.placed(self.moves, Fraction(0)))


def _on_entering(model: Model, ends: Amounts) -> Amounts:
    """What each choice earns: the mean, over its outcomes, of what the ends among them earn."""
    over: Bools = np.diff(model.choice) == 0
    worth = np.where(over, ends.floats, 0).astype(np.int64)
    if not model.choices:
        return Amounts.of([])
    part = np.asarray(model.weight, np.int64) * worth[model.col]
    return Amounts.of_ratios(np.add.reduceat(part, model.row[:-1]), np.asarray(model.total))


def valuations_of(names: Names) -> Valuations:
    """The numbers of the states as variables; where a state is none, its number in the model."""
    from oddsmith.model.formats.identifiers import identifiers

    if names.why_no_rows:
        variables = [Variable("s", 0, max(len(names) - 1, 0))]
        columns = [np.arange(len(names), dtype=np.int64)]
    else:
        assert isinstance(names, GameNames)
        assert not isinstance(names.layout, str)
        rows = names.rows
        columns = [rows[:, i] for i in range(rows.shape[1])]
        is_bool = [isinstance(value, bool) for _, value in leaves(names.layout.template)]
        variables = [
            Variable(name, 0, 1, True)
            if truth
            else Variable(name, int(column.min()), int(column.max()))
            for name, column, truth in zip(
                identifiers(names.columns), columns, is_bool, strict=True
            )
        ]
    packing = Layout(variables)
    return Valuations(packing, packing.pack(columns))
