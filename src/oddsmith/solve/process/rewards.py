"""Expected rewards: until a target is reached, or for ever."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from oddsmith.model.amounts import Bools, Rewards
from oddsmith.model.model import Model
from oddsmith.solve.process import bellman
from oddsmith.solve.process.aim import EARNED, INFINITE, Aim, Values

if TYPE_CHECKING:
    from oddsmith.solve.process.best import Fractions


def reach_reward(process: Model, rewards: Rewards, target: Bools, aim: Aim) -> Values:
    """What is earned before the target is reached; infinite where it is not surely reached."""
    from oddsmith.solve.process.best import best_bounds

    nothing = np.zeros(process.states)
    exact = _fractions(process, rewards)
    gain = bellman.gains(process, rewards)
    return best_bounds(process, target, nothing, nothing.copy(), gain, INFINITE, aim, exact)


def total_reward(process: Model, rewards: Rewards, aim: Aim) -> Values:
    """What is earned for ever: finite where, surely, at some time nothing more is.

    Who wants little tries to come where he can stay for nothing: that is a target. So it matters
    who has a choice at all (`sense_of`), not who asks.
    """
    from oddsmith.solve.process.best import best_bounds, sense_of

    gain = bellman.gains(process, rewards)
    nothing = np.zeros(process.states)
    exact = _fractions(process, rewards)
    if process.is_chain or sense_of(process, aim) is not False:
        never = np.zeros(process.states, bool)
        return best_bounds(process, never, nothing, nothing.copy(), gain, EARNED, aim, exact)
    from oddsmith.solve.bellman.collapse import avoiding

    idle = avoiding(process.choice, process.row, process.col, gain == 0.0)
    return best_bounds(process, idle, nothing, nothing.copy(), gain, INFINITE, aim, exact)


def _fractions(process: Model, rewards: Rewards) -> Callable[[], Fractions]:
    """What stopping states are worth (nothing) and choices earn, as fractions, when wanted."""

    def fractions() -> Fractions:
        from oddsmith.solve.process.equations import choice_gains

        return [Fraction(0)] * process.states, choice_gains(process, rewards)

    return fractions
