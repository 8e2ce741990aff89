"""Aim and Values: what a question about a process is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from oddsmith.model.amounts import Bools, Floats
from oddsmith.runtime.progress import Progress, Silent

NOTHING, INFINITE, EARNED = 0, 1, 2
"""What play without an end is worth: nothing (chances), infinity (rewards until a target), what it
earns (total rewards); see `bellman/bounds.py`."""


@dataclass(frozen=True, eq=False)
class Aim:
    """Who wants what, and how well it is to be known."""

    maximise: bool = True
    """What those who decide want: the largest value or the least. No matter in a chain."""
    coalition: Bools | None = None
    """In a game, the states in which the coalition decides; elsewhere its opponents do, who want
    the contrary. None: all states."""
    tolerance: float = 1e-9
    """How far apart the bounds may be, relative to the value where that is above one."""
    exact: bool = False
    """Whether fractions are wanted."""
    picks: bool = False
    """Whether the best choices are wanted."""
    progress: Progress = field(default_factory=Silent)


@dataclass(frozen=True, eq=False)
class Values:
    """What a question is worth in every state: bounds that hold, rounding included."""

    lower: Floats
    upper: Floats
    """Infinite where the value is; the bounds of an infinite value are both infinite."""
    exact: Sequence[Fraction | float] | None = None
    """As fractions, if wanted (infinity is a float)."""
    picks: npt.NDArray[np.int64] | None = None
    """The choice (by its number) that is best in each state; None where nothing is decided, or
    where the best choice depends on more than the state."""
    how: str = ""
    sharp: bool = False
    """Of chances: whether every 0 and every 1 is known as such, so that other bounds mean that the
    chance is neither."""

    @property
    def middle(self) -> Floats:
        """Between the bounds; infinite only where that is decided, not for want of a bound."""
        with np.errstate(invalid="ignore"):
            between = self.lower + (self.upper - self.lower) / 2
        return np.where(np.isinf(self.upper), self.lower, between)

    @classmethod
    def known(cls, values: npt.ArrayLike, how: str = "") -> Values:
        """Values that are floats exactly."""
        floats = np.asarray(values, np.float64)
        exact = [Fraction(x) if np.isfinite(x) else float(x) for x in floats]
        return cls(floats, floats, exact, None, how)
