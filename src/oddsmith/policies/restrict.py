"""A model in which some players' decisions have been made: what is left of it, and what is free.

The states that can still be reached are found breadth first, so a policy is asked only about
states that it can come to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import LimitError, OptionError
from oddsmith.model.amounts import Ints, Rewards, Weights
from oddsmith.model.model import Model
from oddsmith.model.of_rules import kind_of
from oddsmith.model.spans import spans

FREE, RANDOM, UNKNOWN = -1, -2, -3
"""Instead of a choice: all of them stay; each is as likely as the others; not asked yet."""

Decide = Callable[[npt.NDArray[np.int64]], npt.NDArray[np.int64]]


def restrict(model: Model, decide: Decide, everywhere: bool = False) -> Model:
    """The model after decisions: `decide(states)` gives a choice for each, or FREE or RANDOM.

    Only states with more than one choice are asked about. A random decision becomes one choice
    with all the outcomes, so a model without free states is a Markov chain. States that can no
    longer be reached are left out, unless it is to be known `everywhere`.
    """
    from oddsmith.policies import restrict_kernels as kernels

    decided = np.full(model.states, UNKNOWN, np.int64)
    few = np.diff(model.choice) < 2
    decided[few] = FREE  # nothing to decide
    number = np.full(model.states, -1, np.int32)
    queue = np.empty(model.states, np.int32)
    queue[0], number[model.start] = model.start, 0
    done, reached = 0, 1
    if everywhere:
        queue[1:] = np.delete(np.arange(model.states, dtype=np.int32), model.start)
        number[queue] = np.arange(model.states, dtype=np.int32)
        reached = model.states
    waiting = np.empty(0, np.int32)
    while True:
        done, reached, undecided = kernels.spread(
            model.choice, model.row, model.col, decided, number, queue, done, reached
        )
        waiting = np.concatenate([waiting, undecided])
        if not len(waiting):
            break
        answers = decide(waiting.astype(np.int64))
        decided[waiting] = answers
        reached = kernels.follow(
            model.choice, model.row, model.col, decided, number, queue, waiting, reached
        )
        waiting = np.empty(0, np.int32)
    kept = queue[:reached]
    mixed = bool((decided[kept] == RANDOM).any())
    if mixed:
        _check_counts(model, kept[decided[kept] == RANDOM])
    parts = kernels.build(
        model.choice, model.row, model.col, model.weight, model.total, model.move,
        np.empty(0, np.uint8) if model.shift is None else model.shift, decided, number, kept,
        mixed,
    )  # fmt: skip
    choice, row, col, weight, total, action, shift = parts
    if mixed and total.min(initial=1) <= 0:
        raise LimitError(
            f"Random play of {model.name} mixes dice whose chances have no common measure "
            f"of 63 bits: simulate it instead."
        )
    if not mixed:
        weight = weight.astype(model.weight.dtype)
    owner = None if model.mover is None else model.mover[kept]
    chosen = _chosen(model, kept, decided[kept])
    return replace(
        model,
        kind=kind_of(choice, np.zeros(len(kept), np.int8) if owner is None else owner),
        choice=choice,
        row=row,
        col=col,
        chances=Weights(weight, total),
        initial=np.zeros(1, np.int64),
        names=model.names.subset(kept),
        labels={name: inside[kept] for name, inside in model.labels.items()},
        rewards={
            name: Rewards(
                None if reward.state is None else reward.state.at(kept),
                None if reward.choice is None else reward.choice.at(chosen),
            )
            for name, reward in model.rewards.items()
        },
        action=action,
        owner=owner,
        source=None,
        seats=None if model.seats is None else replace(model.seats, shift=shift),
        base=kept if model.base is None else model.base[kept],
    )


def _chosen(model: Model, kept: Ints, decided: Ints) -> Ints:
    """The choice of the model that each choice left is; the first where several are mixed."""
    first = np.where(decided >= 0, decided, model.choice[kept])
    every = np.diff(model.choice)[kept]
    counts = np.where(decided == FREE, every, np.minimum(every, 1))
    return spans(first, counts)


def _check_counts(model: Model, states: Any) -> None:
    """A random decision has one length: its moves must all count, or none of them."""
    counts = model.counts
    if counts.all() or not counts.any():
        return
    for s in states:
        span = slice(int(model.choice[s]), int(model.choice[s + 1]))
        if len(set(counts[span].tolist())) > 1:
            raise OptionError(
                f"Random play of {model.name} mixes moves that count towards its length "
                f"with moves that do not, in {model.state(int(s))!r}."
            )
