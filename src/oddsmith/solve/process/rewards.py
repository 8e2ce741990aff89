"""Expected rewards: until a target is reached, or for ever."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from oddsmith.model.amounts import Bools, Rewards
from oddsmith.model.model import Model
from oddsmith.solve import endless
from oddsmith.solve.process import one_side
from oddsmith.solve.process.aim import Aim, Fractions, Objective, Values
from oddsmith.solve.process.best import best_bounds, sense_of


def reach_reward(process: Model, rewards: Rewards, target: Bools, aim: Aim) -> Values:
    """What is earned before the target is reached; infinite where it is not surely reached."""
    return best_bounds(process, _objective(process, rewards, target, endless.UNTIL_TARGET), aim)


def total_reward(process: Model, rewards: Rewards, aim: Aim) -> Values:
    """What is earned for ever: finite where, surely, at some time nothing more is.

    It matters who has a choice at all (`sense_of`), not who asks.
    """
    never = np.zeros(process.states, bool)
    objective = _objective(process, rewards, never, endless.IN_TOTAL)
    if not process.is_chain and sense_of(process, aim) is False:
        objective = objective.for_the_least(process)
    return best_bounds(process, objective, aim)


def _objective(process: Model, rewards: Rewards, stop: Bools, forever: float) -> Objective:
    """Rewards until play stops, which is worth nothing itself."""

    def fractions() -> Fractions:
        from oddsmith.solve.process.equations import choice_gains

        return [Fraction(0)] * process.states, choice_gains(process, rewards)

    nothing = np.zeros(process.states)
    gain = one_side.gains(process, rewards)
    return Objective(stop, nothing, nothing, gain, forever, fractions)
