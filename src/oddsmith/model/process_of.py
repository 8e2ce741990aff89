"""From a game's model to a process: what model checkers and file formats see of a game.

The process has every state of the full chain; a mover-relative model is unfolded. A state in
which the game is over gets a loop without a name. Its variables are the numbers of the game's
states (`positions[0]` is called `positions_0`), from the lowest to the highest value that occurs.

- Labels: `init`, `deadlock` (nowhere: a game without moves is over), `over`, `draw`, and `win1`,
  `win2`, … where that player has won, alone or with others. As in `odds`, a closed class in which
  no move counts any more (two geese in the well and the prison) is a draw, and over.
- Rewards, earned by choices: `turns` is one a move, `length` one a move that counts towards the
  length of the game; so `R{"length"}=? [F "over"]` is the mean length. In a game with scores,
  `score1`, `score2`, … are earned on entering an end: a choice earns the mean, over its outcomes,
  of what the player has scored where the outcome ends the game, and nothing for the others. So
  `R{"score1"}=? [F "over"]` is the mean score.
- A game nobody decides anything in is a `dtmc`; one in which one player decides, an `mdp`; an
  `smg` otherwise. Where somebody decides, there are the players `player1`, `player2`, ….

Chances are exact: weight / total, reduced, each different fraction stored once.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.model import graph
from oddsmith.model.ends import where_play_stays
from oddsmith.model.formats.dense import dense
from oddsmith.model.formats.identifiers import identifiers
from oddsmith.model.model import GOES_ON, Model
from oddsmith.model.process import (
    Amounts,
    Kind,
    Layout,
    Process,
    Rewards,
    Valuations,
    Variable,
)
from oddsmith.rules.hidden import refuse_process
from oddsmith.rules.layout import leaves

Int64s = npt.NDArray[np.int64]


def process_of(model: Model) -> Process:
    """The process of a game's model; see the module's docstring."""
    if not model.is_chain:
        refuse_process(model.game)
    model = model.unfolded()
    game = model.game
    loops = np.diff(model.choice) == 0
    kind, players = _kind(model)
    looped = _Looped(model, loops)
    labels = {"init": np.zeros(model.states, bool), "deadlock": np.zeros(model.states, bool)}
    labels["init"][model.start] = True
    stuck = where_play_stays(model, *graph.strong_components(model.state_row, model.col)).deadlock
    labels["over"] = (model.winners != GOES_ON) | stuck
    labels["draw"] = (model.winners == 0) | stuck
    for player in range(game.players):
        won = (model.winners > 0) & (model.winners >> player & 1 == 1)
        labels[f"win{player + 1}"] = won
    rewards = {
        name: Rewards(choice=_whole(looped.choices_of(values)))
        for name, values in model.rewards.items()
    }
    if model.scores is not None:
        for player in range(game.players):
            scored = _scored(model, np.asarray(model.scores)[:, player])
            rewards[f"score{player + 1}"] = Rewards(choice=looped.amounts(scored))
    return Process(
        kind=kind,
        choice=looped.choice,
        row=looped.row,
        col=looped.col,
        chance=looped.chance,
        initial=np.array([model.start], np.int64),
        valuations=_valuations(model),
        labels=labels,
        rewards=rewards,
        actions=(*(a.name for a in game.actions), ""),
        action=looped.choices_of(model.action, len(game.actions)).astype(np.int32),
        players=players,
        owner=np.asarray(model.owner).astype(np.int8) if players else None,
        name=game.name,
    )


def _kind(model: Model) -> tuple[Kind, tuple[str, ...]]:
    """What the process is, and who plays in it."""
    if model.is_chain:
        return "dtmc", ()
    deciding = np.unique(np.asarray(model.owner)[np.diff(model.choice) > 1])
    players = tuple(f"player{i + 1}" for i in range(model.game.players))
    return "mdp" if len(deciding) == 1 else "smg", players


class _Looped:
    """A model's arrays with a loop in every state that has no choice."""

    def __init__(self, model: Model, loops: npt.NDArray[np.bool_]) -> None:
        states = model.states
        old = np.asarray(model.choice, np.int64)
        self.choice = old + np.concatenate([[0], np.cumsum(loops)])
        at = self.choice[:-1][loops]
        self.is_loop = np.zeros(self.choice[-1], bool)
        self.is_loop[at] = True
        width = np.ones(len(self.is_loop), np.int64)
        width[~self.is_loop] = np.diff(model.row)
        self.row = np.concatenate([[0], np.cumsum(width)])
        of_loop = np.zeros(self.row[-1], bool)
        of_loop[self.row[at]] = True
        self.col = np.empty(len(of_loop), np.int32)
        self.col[of_loop] = np.arange(states, dtype=np.int32)[loops]
        self.col[~of_loop] = model.col
        total = np.repeat(np.asarray(model.total), np.diff(model.row))
        chance = _fractions(np.asarray(model.weight), total)
        assert chance.exact is not None
        exact = list(chance.exact)
        if Fraction(1) not in exact:
            exact.append(Fraction(1))
        index = np.empty(len(of_loop), np.int32)
        index[of_loop] = exact.index(Fraction(1))
        index[~of_loop] = chance.index
        self.chance = _table(index, exact)

    def choices_of(self, values: npt.NDArray[Any], loop: int = 0) -> Int64s:
        """Numbers of the model's choices, with one for every loop."""
        found = np.full(len(self.is_loop), loop, np.int64)
        found[~self.is_loop] = values
        return found

    def amounts(self, amounts: Amounts) -> Amounts:
        """Amounts of the model's choices, with nothing for every loop."""
        assert amounts.exact is not None
        exact = list(amounts.exact)
        if Fraction(0) not in exact:
            exact.append(Fraction(0))
        return _table(self.choices_of(amounts.index, exact.index(Fraction(0))), exact)


def _table(index: npt.NDArray[Any], exact: Sequence[Fraction]) -> Amounts:
    values = np.array([float(x) for x in exact], np.float64)
    return Amounts(index.astype(np.int32), values, exact)


def _whole(numbers: Int64s) -> Amounts:
    values, index = dense(numbers)
    return _table(index, [Fraction(int(x)) for x in values])


def _scored(model: Model, scores: npt.NDArray[Any]) -> Amounts:
    """What each choice earns: the mean score over the outcomes that end the game."""
    ends = model.winners != GOES_ON
    worth = np.where(ends, scores, 0).astype(np.int64)
    part = np.asarray(model.weight, np.int64) * worth[model.col]
    if not model.choices:
        return Amounts.of([])
    return _fractions(np.add.reduceat(part, model.row[:-1]), np.asarray(model.total))


def _fractions(numerators: npt.NDArray[Any], denominators: npt.NDArray[Any]) -> Amounts:
    """Amounts from whole numbers over whole numbers, each different fraction once."""
    if not len(numerators):
        return _table(np.empty(0, np.int32), [])
    top, bottom, index = _pairs(numerators.astype(np.int64), denominators.astype(np.int64))
    table: dict[Fraction, int] = {}
    renumbered = [
        table.setdefault(Fraction(int(a), int(b)), len(table))
        for a, b in zip(top, bottom, strict=True)
    ]
    return _table(np.array(renumbered, np.int32)[index], list(table))


def _pairs(a: Int64s, b: Int64s) -> tuple[Int64s, Int64s, Int64s]:
    """The different pairs of numbers, and which of them each pair is."""
    first, which_first = dense(a)
    second, which_second = dense(b)
    pairs, index = dense(which_first * len(second) + which_second)
    return first[pairs // len(second)], second[pairs % len(second)], index


def _valuations(model: Model) -> Valuations:
    """The numbers of the states as variables; where a state is none, its number in the model."""
    layout = model.names.layout
    if isinstance(layout, str):
        variables = [Variable("s", 0, max(model.states - 1, 0))]
        columns = [np.arange(model.states, dtype=np.int64)]
    else:
        rows = model.names.rows
        columns = [rows[:, i] for i in range(rows.shape[1])]
        names = identifiers(c.name for c in layout.columns)
        is_bool = [isinstance(value, bool) for _, value in leaves(layout.template)]
        variables = [
            Variable(name, 0, 1, True)
            if truth
            else Variable(name, int(column.min()), int(column.max()))
            for name, column, truth in zip(names, columns, is_bool, strict=True)
        ]
    packing = Layout(variables)
    return Valuations(packing, packing.pack(columns))
