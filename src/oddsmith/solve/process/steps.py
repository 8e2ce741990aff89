"""Questions with a number of steps: one vector, moved back step by step.

All sums have terms ≥ 0, so the relative error of a step is at most (d + 4) u, with d the most
outcomes of a choice and u the unit roundoff, and it adds up over the steps: k steps are off by at
most k (d + 4) u (1 + small) of the value (Higham, Accuracy and Stability of Numerical Algorithms,
3.1). The best of several choices is no further off than its choices are.

With --exact the same steps are made with fractions.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from oddsmith.errors import LimitError
from oddsmith.model.amounts import Bools, Floats, Rewards
from oddsmith.model.model import Model
from oddsmith.questions import limits
from oddsmith.solve.bellman.size import LARGEST, LEAST
from oddsmith.solve.process import one_side
from oddsmith.solve.process.aim import Aim, Values

UNIT = 2.0**-53
Move = Callable[[int, Floats, Floats], tuple[int, bool, Floats, Floats]]
MANY = 200_000
"""States from which on a step is made by two threads."""

MOST_STEPS = 10_000_000
"""Steps that are made at most: some ten seconds where a model is small."""


def next_step(process: Model, target: Bools, aim: Aim) -> Values:
    """The chance that the next state is in the target."""
    everywhere = np.ones(process.states, bool)
    found = Stepper(process, aim, target.astype(np.float64)).go(1, everywhere, None).values()
    return Values(found.lower, np.minimum(found.upper, 1.0), found.exact, None, found.how)


def bounded_until(
    process: Model, left: Bools, right: Bools, low: int, high: int | None, aim: Aim
) -> Values:
    """The chance of `left U[low,high] right`; `high` None for no bound."""
    if high is None:
        from oddsmith.solve.process.reach import until

        first = until(process, left, right, aim)
        if low == 0:
            return first
        both = [
            Stepper(process, aim, start, first.exact).go(low, left, None, outside=0.0).values()
            for start in (first.lower, first.upper)
        ]
        return Values(both[0].lower, both[1].upper, both[0].exact, None, both[0].how)
    stepper = Stepper(process, aim, right.astype(np.float64))
    stepper.go(high - low, left & ~right, None)
    if low == 0 and stepper.made < stepper.steps and stepper.steps > MOST_STEPS:
        return _at_rest(process, left, right, stepper, aim)
    found = stepper.go(low, left, None, outside=0.0).values()
    return Values(found.lower, np.minimum(found.upper, 1.0), found.exact, None, found.how)


def _at_rest(process: Model, left: Bools, right: Bools, stepper: Stepper, aim: Aim) -> Values:
    """A chance that has come to rest long before its last step.

    It only rises with the number of steps: what fewer steps prove is below it, and the chance
    without a bound above.
    """
    from oddsmith.solve.process.reach import until

    exact = stepper.exact
    stepper.steps = stepper.made
    above = until(process, left, right, replace(aim, exact=False, picks=False))
    return Values(stepper.values().lower, above.upper, exact, None, f"{stepper.made:,} steps")


def cumulative(process: Model, rewards: Rewards, steps: int, aim: Aim) -> Values:
    """What is earned in a number of steps."""
    everywhere = np.ones(process.states, bool)
    return Stepper(process, aim, np.zeros(process.states)).go(steps, everywhere, rewards).values()


def instantaneous(process: Model, rewards: Rewards, steps: int, aim: Aim) -> Values:
    """What the state after a number of steps earns."""
    everywhere = np.ones(process.states, bool)
    start = np.zeros(process.states) if rewards.state is None else rewards.state.floats
    exact = None
    if aim.exact and rewards.state is not None and rewards.state.exact is not None:
        exact = [rewards.state.exact[i] for i in rewards.state.index]
    stepper = Stepper(process, aim, start, exact)
    stepper.moved[:] = True  # a reward is rounded where no step is made, too
    return stepper.go(steps, everywhere, None).values()


class Stepper:
    """A vector that is moved back step by step; optionally the same in fractions."""

    def __init__(self, process: Model, aim: Aim, start: Floats, exact: Any = None) -> None:
        self.process, self.aim = process, aim
        self.x = start.copy()
        self.steps = self.made = 0
        self.moved = np.zeros(process.states, bool)
        self.least_start = float(start[start > 0].min(initial=1.0))
        self.exact: list[Fraction] | None = None
        if aim.exact:
            self.exact = list(exact) if exact is not None else [Fraction(v) for v in start]
        if aim.coalition is None:
            self.maximise = np.array([aim.maximise])
        else:
            self.maximise = aim.coalition == aim.maximise
        outcomes = int(np.diff(process.row).max(initial=1))
        self.rounding = (outcomes + 4) * UNIT

    def go(
        self, steps: int, moving: Bools, rewards: Rewards | None, outside: float | None = None
    ) -> Stepper:
        """Make steps in the states that move; the others keep their value.

        With `outside` they have that value from the first step on.
        """
        if steps <= 0:
            return self
        gain = np.empty(0) if rewards is None else one_side.gains(self.process, rewards)
        if self.exact is not None:
            self._exactly(steps, moving, rewards, outside)
        self.moved |= moving | (outside is not None)
        if rewards is not None and steps > MOST_STEPS and gain.any():
            raise LimitError(f"A sum over more than {MOST_STEPS:,} steps is not computed.")
        new = self.x.copy()
        move = self._mover(gain, moving)
        made, changed = 0, True
        while made < steps and changed:
            if made >= MOST_STEPS:
                raise LimitError(
                    f"After {made:,} steps nothing has come to rest: ask for fewer steps, or "
                    f"without a bound."
                )
            count = 1 if made == 0 and outside is not None else min(steps - made, self.at_once)
            passed, changed, self.x, new = move(count, self.x, new)
            if made == 0 and outside is not None:
                self.x[~moving] = outside
                changed = True
            made += passed
            self.aim.progress.update("steps", made, steps)
        self.steps += steps
        self.made += made
        return self

    def _mover(self, gain: Floats, moving: Bools) -> Move:
        """What makes some steps: how many, whether the last changed anything, both vectors."""
        from oddsmith.solve.process import step_kernels

        process = self.process
        arrays = (
            process.choice, process.row, process.col, process.chance.index, process.chance.values,
            gain, moving, self.maximise,
        )  # fmt: skip
        size = process.states
        if size < MANY:
            return lambda count, x, new: step_kernels.steps(count, *arrays, x, new)
        pool = ThreadPoolExecutor(1)
        half = size // 2

        def move(count: int, x: Floats, new: Floats) -> tuple[int, bool, Floats, Floats]:
            def part(first: int, last: int) -> bool:
                return bool(step_kernels.step(first, last, *arrays, x, new))

            upper_half = pool.submit(part, half, size)
            changed = part(0, half)
            return 1, upper_half.result() or changed, new, x

        return move

    @property
    def at_once(self) -> int:
        """Steps between two looks at the clock."""
        size = self.process.transitions + self.process.states
        return 1 if self.process.states >= MANY else max(1, 5_000_000 // (size + 1))

    def _exactly(
        self, steps: int, moving: Bools, rewards: Rewards | None, outside: float | None
    ) -> None:
        from oddsmith.solve.process.equations import choice_gains, rows_of

        assert self.exact is not None
        if steps**2 * self.process.transitions > limits.FRACTION_STEPS:
            many = f"{steps:,}" if steps < 10**18 else "So many"
            raise LimitError(
                f"{many} steps over {self.process.transitions:,} transitions are too many for "
                f"fractions: leave out --exact."
            )
        rows = rows_of(self.process)
        gain = choice_gains(self.process, rewards) if rewards is not None else None
        x = self.exact
        choice = self.process.choice.tolist()
        for made in range(steps):
            new = list(x)
            for s in range(len(x)):
                if not moving[s]:
                    new[s] = x[s] if outside is None else Fraction(outside)
                    continue
                best = max if self.maximise[s if len(self.maximise) > 1 else 0] else min
                new[s] = best(
                    sum((p * x[t] for t, p in rows(c)), gain[c] if gain else Fraction(0))
                    for c in range(choice[s], choice[s + 1])
                )
            if new == x and made > 0:
                break
            x = new
        self.exact = x

    def values(self) -> Values:
        """The vector with its bounds."""
        off = (self.steps + 1) * self.rounding * (1 + 1e-6)
        if off < 0.5:
            off /= 1 - off  # the compound of so many roundings
            lower, upper = self.x * (1 - off), self.x * (1 + off)
        else:
            lower, upper = np.zeros_like(self.x), np.full_like(self.x, np.inf)
        lower = np.where(self.x < LEAST, 0.0, lower)
        upper = np.where(self.x < LEAST, self.hidden, upper)
        lower, upper = (np.where(self.moved, b, self.x) for b in (lower, upper))
        lower = np.clip(lower, 0.0, LARGEST)  # a sum that has grown beyond floats is finite
        return Values(lower, upper, self.exact, None, f"{self.steps:,} steps")

    @property
    def hidden(self) -> Any:
        """What a vanishing number may hide: nothing if no product could have vanished."""
        chances = self.process.chance.values
        least = float(chances[chances > 0].min(initial=1.0))
        start = self.least_start
        safe = self.steps * -np.log2(least) - np.log2(start) < 900
        return np.where(self.x > 0, LEAST, 0.0) if safe else LEAST
