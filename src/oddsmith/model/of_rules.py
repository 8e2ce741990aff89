"""From what exploring the rules of a game finds to a model: wins are labels, scores rewards.

Exploration says of each state who has won there, as the bits of a number, and of each end what
every player has scored. In the model that is said by names:

- labels: `over`, `draw`, and `win1`, `win2`, … where that player has won, alone or with others;
- rewards of choices: `turns` is one a move, `length` one a move that counts towards the length of
  the game;
- rewards of states, in a game with scores: `score1`, `score2`, … where the game is over.

Nobody decides anything in a `dtmc`, one player in an `mdp`, several in an `smg`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.model.amounts import Amounts, Bools, Ints, Rewards, Weights
from oddsmith.model.model import GOES_ON, Kind, Model, Seats
from oddsmith.model.names import GameNames
from oddsmith.rules.game import Game


def model_of_rules(
    game: Game,
    names: GameNames,
    *,
    choice: Ints,
    row: Ints,
    col: Ints,
    weight: Ints,
    total: Ints,
    action: Ints,
    owner: Ints,
    winners: Ints,
    scores: Ints | None,
    shift: Ints | None,
    begins: int,
    how: str,
    compile_seconds: float = 0.0,
) -> Model:
    """The model of a game; `begins` is the seat of who begins, where views turn by `shift`."""
    counts = np.array([a.counts for a in game.actions], np.uint8)[action]
    return Model(
        kind=kind_of(choice, owner),
        choice=choice,
        row=row,
        col=col,
        chances=Weights(weight, total),
        initial=np.zeros(1, np.int64),
        names=names,
        labels=end_labels(winners, game.players),
        rewards={
            "length": Rewards(choice=Amounts.of_table(counts, [Fraction(0), Fraction(1)])),
            "turns": Rewards(
                choice=Amounts.of_table(np.zeros(len(action), np.uint8), [Fraction(1)])
            ),
            **({} if scores is None else score_rewards(scores)),
        },
        actions=tuple(a.name for a in game.actions),
        action=action,
        players=tuple(f"player{p + 1}" for p in range(game.players)),
        owner=owner,
        name=game.name,
        seats=None if shift is None else Seats(game.players, shift, begins),
        origin=game,
        how=how,
        compile_seconds=compile_seconds,
    )


def kind_of(choice: Ints, owner: Ints) -> Kind:
    """What a game's model is."""
    deciding = np.asarray(owner)[np.diff(choice) > 1]
    if not len(deciding):
        return "dtmc"
    return "mdp" if (deciding == deciding[0]).all() else "smg"


def end_labels(winners: Ints, players: int) -> dict[str, Bools]:
    """Where play is over, drawn, and won by each player; from winners as bits."""
    bits = np.asarray(winners)
    labels: dict[str, Bools] = {"over": bits != GOES_ON, "draw": bits == 0}
    for player in range(players):
        labels[f"win{player + 1}"] = (bits > 0) & (bits >> player & 1 == 1)
    return labels


def score_rewards(scores: npt.NDArray[Any]) -> dict[str, Rewards]:
    """What each player earns by coming to each state."""
    return {
        f"score{p + 1}": Rewards(state=Amounts.of_whole(scores[:, p]))
        for p in range(scores.shape[1])
    }
