"""Objective, Aim and Values: what a question is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.model.amounts import Bools, Floats
from oddsmith.model.model import Model
from oddsmith.runtime.progress import Progress, Silent
from oddsmith.solve.endless import CHANCES, UNTIL_TARGET

Fractions = tuple[Sequence[Fraction], Sequence[Fraction] | None]


@dataclass(frozen=True, eq=False)
class Objective:
    """What play is worth: where it stops, on the way there, and if it never does.

    Chances to come to something earn nothing. Rewards until a target make play without an end
    infinitely much worth, total rewards nothing but what it earns; see `bellman/bounds.py`.
    """

    stop: Bools
    """Where play stops."""
    lower: Floats
    """What it is worth to stop in a state, between this and `upper`."""
    upper: Floats
    gain: Floats | None = None
    """What each choice earns, if anything does."""
    endless: float = CHANCES
    """What play without an end is worth, besides what it earns; see `solve/endless.py`."""
    fractions: Callable[[], Fractions] | None = None
    """The worth of stopping and the gain of choices as fractions, where there are any; it is called
    where they are wanted."""

    @property
    def until(self) -> bool:
        """Whether rewards are asked for until a target."""
        return self.endless == UNTIL_TARGET

    @property
    def total(self) -> bool:
        """Whether all rewards are asked for."""
        return self.gain is not None and not self.until

    @property
    def earned(self) -> Floats:
        """What each choice earns, as kernels take it: empty if nothing does."""
        return np.empty(0) if self.gain is None else self.gain

    def of_choices(self, choices: Any) -> Objective:
        """The same where some of the choices are left."""
        return self if self.gain is None else replace(self, gain=self.gain[choices])

    def for_the_least(self, model: Model) -> Objective:
        """The same for one who wants little.

        In total he tries to come where he can stay for nothing: that is a target.
        """
        if not self.total:
            return self
        from oddsmith.solve.bellman.collapse import avoiding

        idle = avoiding(model.choice, model.row, model.col, self.earned == 0.0)
        return replace(self, stop=self.stop | idle, endless=UNTIL_TARGET)


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
