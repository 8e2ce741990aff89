"""The full chain of a mover-relative model: states (s, j), j the seat of the mover.

What a label or a reward says of seat i of a view, it says of player i + j of the full chain.
"""

from __future__ import annotations

import numpy as np

from oddsmith.model import lane_kernels
from oddsmith.model.amounts import Bools, Ints, Rewards, Weights
from oddsmith.model.model import Model
from oddsmith.model.names import GameNames
from oddsmith.model.of_rules import kind_of, score_rewards
from oddsmith.model.spans import spans


def unfolded(model: Model) -> Model:
    """The full chain of a mover-relative model."""
    seats, names = model.seats, model.names
    assert seats is not None
    assert model.action is not None
    assert isinstance(names, GameNames)
    base, lane = np.nonzero(model.lane_reached)
    number = np.full((model.states, seats.count), -1, np.int32)
    number[base, lane] = np.arange(len(base), dtype=np.int32)
    counts = np.diff(model.choice)[base]
    choice = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    old = spans(model.choice[:-1][base], counts)
    row = np.concatenate([[0], np.cumsum(np.diff(model.row)[old])]).astype(np.int64)
    col, weight = lane_kernels.unfold_transitions(
        old, np.repeat(lane, counts), row, model.row, model.col, model.weight, seats.shift, number
    )
    owner = lane.astype(np.int8)
    rewards = {
        name: Rewards(choice=reward.choice.at(old))
        for name, reward in model.rewards.items()
        if reward.choice is not None
    }
    if model.scores is not None:
        rewards |= score_rewards(_turned_scores(model.scores[base], lane))
    return Model(
        kind=kind_of(choice, owner),
        choice=choice,
        row=row,
        col=col,
        chances=Weights(weight, model.total[old]),
        initial=np.array([number[model.start, seats.begins]], np.int64),
        names=names.turned(base, lane),
        labels=_turned_labels(model, base, lane),
        rewards=rewards,
        actions=model.actions,
        action=model.action[old],
        players=model.players,
        owner=owner,
        name=model.name,
        origin=model.origin,
        how=model.how,
        compile_seconds=model.compile_seconds,
        base=base.astype(np.int32),
    )


def _turned_labels(model: Model, base: Ints, lane: Ints) -> dict[str, Bools]:
    """Sets of states as players are: a win of seat i of the view is one of player i + lane."""
    wins = [f"win{p + 1}" for p in range(len(model.players))]
    labels = {name: inside[base] for name, inside in model.labels.items() if name not in wins}
    by_seat = np.column_stack([model.labels[name] for name in wins])[base]
    by_player = _turned_scores(by_seat.astype(np.uint8), lane) > 0
    return labels | {name: by_player[:, p].copy() for p, name in enumerate(wins)}


def _turned_scores(by_seat: Ints, lane: Ints) -> Ints:
    """Numbers of seats as numbers of players."""
    players = by_seat.shape[1]
    seat = (np.arange(players)[None, :] - lane[:, None]) % players
    return np.take_along_axis(by_seat, seat, axis=1)
