"""What the brackets of a reward operator can hold besides F and a state formula.

Each goal says everything of itself: what its numbers may be, what it is worth in every state, and
what it asks of a path at random.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from oddsmith.properties.syntax import whole
from oddsmith.rules.prism.expression import Constant, Expression
from oddsmith.rules.prism.source import Rejected

if TYPE_CHECKING:
    from oddsmith.model.amounts import Rewards
    from oddsmith.model.model import Model
    from oddsmith.solve.process.aim import Aim, Values
    from oddsmith.solve.simulate.paths import PathQuestion

ToWhole = Callable[[Expression, str], Constant]
"""A constant expression as a whole number; the text says what it is."""


@dataclass(frozen=True)
class Goal(Expression):
    """Which rewards are added up."""

    def resolved(self, to_whole: ToWhole) -> Self:
        """The goal with numbers for its expressions."""
        return self

    @abstractmethod
    def worth(self, process: Model, rewards: Rewards, aim: Aim) -> Values:
        """The expected reward in every state."""

    def on_a_path(self, reward: str) -> PathQuestion | None:
        """What it asks of a path; None where paths do not tell."""
        return None


@dataclass(frozen=True)
class Cumulative(Goal):
    """`C<=k`: rewards of the first k steps; `C` without a number: of all steps."""

    steps: Expression | None
    strict: bool = False

    def resolved(self, to_whole: ToWhole) -> Self:
        """`C<k` becomes `C<=k-1`."""
        if self.steps is None:
            return self
        return replace(self, steps=_steps(self.steps, to_whole, int(self.strict)), strict=False)

    def worth(self, process: Model, rewards: Rewards, aim: Aim) -> Values:
        """By so many steps backward, or by the equations of the total."""
        if self.steps is None:
            from oddsmith.solve.process.rewards import total_reward

            return total_reward(process, rewards, aim)
        from oddsmith.solve.process.steps import cumulative

        return cumulative(process, rewards, whole(self.steps) or 0, aim)

    def on_a_path(self, reward: str) -> PathQuestion | None:
        """What the first steps earn."""
        return None if self.steps is None else _after(self.steps, reward, at_the_end=False)


@dataclass(frozen=True)
class Instant(Goal):
    """`I=k`: the reward of the state after k steps."""

    steps: Expression

    def resolved(self, to_whole: ToWhole) -> Self:
        """A number of steps."""
        return replace(self, steps=_steps(self.steps, to_whole, 0))

    def worth(self, process: Model, rewards: Rewards, aim: Aim) -> Values:
        """By so many steps backward."""
        from oddsmith.solve.process.steps import instantaneous

        return instantaneous(process, rewards, whole(self.steps) or 0, aim)

    def on_a_path(self, reward: str) -> PathQuestion:
        """What its last state earns."""
        return _after(self.steps, reward, at_the_end=True)


@dataclass(frozen=True)
class LongRun(Goal):
    """`S` in a reward operator: the mean reward a step in the long run."""

    def worth(self, process: Model, rewards: Rewards, aim: Aim) -> Values:
        """By recurrent classes."""
        from oddsmith.solve.process.longrun import long_run

        return long_run(process, rewards, aim)


def _steps(given: Expression, to_whole: ToWhole, less: int) -> Constant:
    steps = to_whole(given, "A number of steps")
    steps = replace(steps, value=steps.value - less)
    if steps.value < 0:
        raise Rejected("A number of steps is not negative.", given.at)
    return steps


def _after(given: Expression, reward: str, at_the_end: bool) -> PathQuestion:
    from oddsmith.solve.simulate import path_kernels as kernels
    from oddsmith.solve.simulate.paths import PathQuestion

    steps, earn = whole(given) or 0, kernels.AT_THE_END if at_the_end else kernels.ON_THE_WAY
    return PathQuestion(low=steps, high=steps, reward=reward, earn=earn)
