"""Questions without a step bound about a process, as `bellman/bounds.py` takes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.model.amounts import Bools, Floats
from oddsmith.model.model import Model
from oddsmith.solve.bellman.bounds import Question, Transitions, bound
from oddsmith.solve.process.aim import EARNED, INFINITE, NOTHING, Aim, Values


def solve(
    process: Model,
    stop: Bools,
    lower: Floats,
    upper: Floats,
    gain: Floats | None,
    endless: int,
    aim: Aim,
) -> Values:
    """Bounds in every state; `lower` and `upper` have the worth where play stops."""
    assert endless != EARNED or aim.maximise or process.is_chain, "see rewards.total_reward"
    chance = process.chance
    of = Transitions(
        process.choice, process.row, process.col, chance.index, chance.values, chance.exact
    )
    earned = np.empty(0) if gain is None else gain
    asked = Question(earned, worth_of_endless(endless), aim.maximise, aim.tolerance)
    how = bound(of, stop, lower, upper, asked, aim.progress)
    known = (lower[stop] == upper[stop]) & ((lower[stop] == 0.0) | (lower[stop] == 1.0))
    return Values(lower, upper, how=how, sharp=endless == NOTHING and bool(known.all()))


def worth_of_endless(endless: int) -> float:
    """What play without an end is worth, besides what it earns."""
    return np.inf if endless == INFINITE else 0.0


def gains(process: Model, rewards: Any) -> Floats:
    """What each choice earns: its own reward and that of its state.

    There may be many millions, so nothing is added that is nothing.
    """
    state, choice = rewards.state, rewards.choice
    gain: Floats | None = None if choice is None or not choice.values.any() else choice.floats
    if state is not None and state.values.any():
        own = state.floats
        if not process.is_chain:
            own = np.repeat(own, np.diff(process.choice))
        gain = own if gain is None else gain + own
    return np.zeros(process.choices) if gain is None else gain
