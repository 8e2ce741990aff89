"""Questions without a step bound about a process, as `bellman/bounds.py` takes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.model.amounts import Floats
from oddsmith.model.model import Model
from oddsmith.solve.bellman.bounds import Criterion, Transitions, bound
from oddsmith.solve.process.aim import Aim, Objective, Values


def solve(process: Model, objective: Objective, aim: Aim) -> Values:
    """Bounds in every state."""
    assert aim.maximise or process.is_chain or not objective.total, "see Objective.for_the_least"
    chance, stop = process.chance, objective.stop
    of = Transitions(
        process.choice, process.row, process.col, chance.index, chance.values, chance.exact
    )
    lower, upper = np.where(stop, objective.lower, 0.0), np.where(stop, objective.upper, 0.0)
    criterion = Criterion(objective.earned, objective.endless, aim.maximise, aim.tolerance)
    how = bound(of, stop, lower, upper, criterion, aim.progress)
    known = (lower[stop] == upper[stop]) & ((lower[stop] == 0.0) | (lower[stop] == 1.0))
    return Values(lower, upper, how=how, sharp=objective.gain is None and bool(known.all()))


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
