"""Paths counted until enough is known: of a chance, of a mean, of a bound."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from oddsmith.errors import LimitError, OptionError
from oddsmith.properties.syntax import Question
from oddsmith.results import gate
from oddsmith.results.answer import Answer
from oddsmith.results.evidence import Evidence
from oddsmith.rules.prism.expression import Constant
from oddsmith.runtime import memory
from oddsmith.runtime.progress import Progress
from oddsmith.solve.simulate import path_kernels as kernels
from oddsmith.solve.simulate.paths import PathQuestion, Walk, Walkers
from oddsmith.solve.simulate.statistics import (
    CHANCES,
    MEANS,
    Looks,
    Moments,
    Test,
    chance,
    settled,
)
from oddsmith.version import __version__

PATHS = 100_000
"""How many paths, if nothing is said."""

MOST_PATHS = 10_000_000
"""How many at most for a test that does not end."""

FIRST, FIRST_TESTED, LAST = 1 << 12, 1 << 8, 1 << 19
"""Paths before the first look at an interval or a test, and between two looks at most."""


@dataclass(frozen=True)
class Aim:
    """How much is wanted of an estimate."""

    games: int | None = None
    half_width: float | None = None
    confidence: float = 0.95
    seed: int = 1
    steps: int | None = None
    indifference: float = 0.01
    play: str | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        if self.games is not None and self.games < 1:
            raise OptionError(f"The number of paths must be positive, not {self.games}.")
        if self.half_width is not None and not 0 < self.half_width < math.inf:
            raise OptionError(f"The half-width must be positive, not {self.half_width}.")
        if not 0 < self.confidence < 1:
            raise OptionError(f"The confidence must be between 0 and 1, not {self.confidence}.")
        if self.seed < 0:
            raise OptionError(f"The seed must not be negative, as {self.seed} is.")
        if self.steps is not None and self.steps < 1:
            raise OptionError(f"The most steps of a path must be positive, not {self.steps}.")
        if not 0 < self.indifference < 0.5:
            raise OptionError(
                f"The indifference must be between 0 and 0.5, such as 0.01, not "
                f"{self.indifference}."
            )
        if self.play not in (None, "random"):
            raise OptionError(
                f"Paths of a model with choices are walked by a random player only: --play random, "
                f"not {self.play}."
            )


@dataclass(frozen=True)
class Estimate:
    """What paths say about a property."""

    name: str
    text: str
    value: Answer
    """For a test that stopped by itself: the share of paths, without an interval."""
    paths: int
    undecided: int
    steps: int
    seconds: float
    confidence: float
    seed: int
    how: str
    bounded: bool = False
    """Whether a bound was tested; then `holds` is the outcome, None if it is open."""
    holds: bool | None = None
    notes: tuple[str, ...] = ()
    interrupted: bool = False
    constants: Mapping[str, Any] = field(default_factory=dict)
    chance: bool = False
    """Whether the number is a chance."""

    def __post_init__(self) -> None:
        if self.chance:
            gate.chances(self.to_dict, self.value)

    def to_dict(self) -> dict[str, Any]:
        """The entry of `check --json`, and what is special to paths."""
        named = {"name": self.name} if self.name else {}
        verdict = {"holds": self.holds} if self.bounded else {}
        paths = {
            "states": None,
            "seconds": round(self.seconds, 6),
            "paths": self.paths,
            "undecided": self.undecided,
            "steps": self.steps,
            "confidence": self.confidence,
            "seed": self.seed,
            "method": self.how,
            "interrupted": self.interrupted,
            "transitions": None,
        }
        entry = named | {"property": self.text} | verdict | self.value.to_dict() | paths
        return entry | {k: v for k, v in self.evidence.to_dict().items() if k not in entry}

    @property
    def evidence(self) -> Evidence:
        """How it was found; a model that is not explored has neither size nor digest."""
        return Evidence(
            method="estimate",
            how=(self.how,),
            seconds=self.seconds,
            peak_memory_mb=memory.peak_mb(),
            version=__version__,
            seed=self.seed,
            games=self.paths,
            interrupted=self.interrupted,
        )

    @property
    def shown(self) -> str:
        """The answer for people."""
        number = "inf" if math.isinf(self.value.value) else str(self.value)
        if not self.bounded:
            return number
        verdict = {True: "true", False: "false", None: "undecided"}[self.holds]
        if self.value.lower is None:
            number = f"{self.value.value:.4g} of the paths"
        return f"{verdict} ({number})"


class Count:
    """Walks paths until enough is known of one property."""

    def __init__(
        self, question: Question, plan: PathQuestion, aim: Aim, progress: Progress
    ) -> None:
        self.question, self.plan, self.aim, self.progress = question, plan, aim, progress
        self.bound = None
        self.test: Test | None = None
        self.settled: bool | None = None
        if question.bound is not None:
            self.bound = float(cast(Constant, question.bound).value)
            if aim.half_width is not None and question.kind == "P":
                raise OptionError(
                    "A bound is tested until it is decided: --half-width is for P=?, and "
                    "--indifference for bounds."
                )
            if question.kind == "P":
                self.settled = settled(cast(str, question.relation), self.bound)
                self.test = Test(self.bound, aim.indifference, 1 - aim.confidence)
        if aim.confidence <= 0.5 and self.test is not None:
            raise OptionError("A test needs a confidence above 0.5.")
        self.limit = aim.games or self._limit()
        narrow = aim.half_width if plan.earn == kernels.NOTHING else None
        self.looks = iter(Looks(narrow, 1 - aim.confidence, FIRST))
        self.look, self.error = next(self.looks)
        self.paths = self.true = self.undecided = self.steps = 0
        self.never = 0
        self.moments = Moments()
        self.notes: list[str] = []

    def _limit(self) -> int:
        if self.test is not None:
            return MOST_PATHS
        return PATHS if self.aim.half_width is None else 10**12

    def run(self, walk: Walk) -> Estimate:
        """Walk; what was found, but for the property's name."""
        began, interrupted, over = time.perf_counter(), False, False
        walkers = Walkers(walk, self.plan.earn != kernels.NOTHING)

        def look(through: int) -> None:
            paths = self.paths + through
            speed = f"{paths / (time.perf_counter() - began):,.0f} paths/s"
            of = None if self.aim.half_width or self.test else self.limit
            known = f"{self._answer()}, " if self.paths else ""
            self.progress.update("walking", paths, of, known + speed)

        try:
            while self.paths < self.limit and not (over or interrupted):
                first = FIRST if self.test is None else FIRST_TESTED
                ahead = min(max(first, self.paths), LAST, self.limit - self.paths)
                ahead = min(ahead, self.look - self.paths)
                sample = walkers.sample(self.paths, ahead, look)
                interrupted = sample.interrupted
                self.steps += sample.steps
                over = self._add(sample.results, sample.values)
        finally:
            walkers.close()
        if not self.paths:
            raise KeyboardInterrupt
        return self._estimate(interrupted)

    def _add(self, results: Any, values: Any) -> bool:
        """Count more paths; whether that is enough."""
        if self.plan.negated:
            results = np.where(results == kernels.UNDECIDED, results, 1 - results)
        if self.test is not None:
            looked = self.test.add(results)
            results = results[:looked]
        undecided = int((results == kernels.UNDECIDED).sum())
        self.paths += len(results)
        self.undecided += undecided
        self.true += int((results == kernels.TRUE).sum())
        if self.test is not None:
            return self.test.above is not None
        if self.plan.earn == kernels.NOTHING:
            return self._is_known()
        if undecided:
            raise LimitError(
                f"{undecided:,} of {self.paths:,} paths had not reached the goal after "
                f"{self.aim.steps:,} steps, and what they go on to earn is unknown: raise --steps."
            )
        self.never += int((results == kernels.FALSE).sum())
        self.moments.add(values)
        return self.never > 0 or self._is_known()

    def _is_known(self) -> bool:
        wanted = self.aim.half_width
        if wanted is None:
            return False
        if self.plan.earn == kernels.NOTHING:
            if self.paths < self.look:
                return False
            if self.undecided / self.paths / 2 > wanted:
                share = self.undecided / self.paths
                raise LimitError(
                    f"{share:.1%} of the paths were not decided after {self.aim.steps:,} steps, so "
                    f"the chance cannot be known to ± {wanted}: raise --steps."
                )
        answer = self._answer()
        if answer.lower is None or answer.upper is None:
            return self.paths >= PATHS  # all the same: more would hardly tell
        if (answer.upper - answer.lower) / 2 <= wanted:
            return True
        if self.plan.earn == kernels.NOTHING:
            self.look, self.error = next(self.looks)
        return False

    def _answer(self) -> Answer:
        if self.never:
            return Answer(math.inf, math.inf, math.inf)
        if self.plan.earn != kernels.NOTHING:
            return self.moments.interval(self.aim.confidence)
        if self.test is not None:
            return Answer((self.true + self.undecided / 2) / self.paths)
        return chance(self.true, self.undecided, self.paths, self.error)

    def _estimate(self, interrupted: bool) -> Estimate:
        answer, sure = self._answer(), f"{100 * self.aim.confidence:.6g}% confidence"
        holds: bool | None = None
        if self.test is not None:
            how = (
                f"sequential test (Wald), {sure}, "
                f"indifferent within ± {self.aim.indifference:g} of the bound"
            )
            if self.test.above is not None:
                holds = self.test.above == (self.question.relation in (">=", ">"))
            elif not interrupted and self.settled is None:
                self.notes.append(
                    f"the test was not decided by {self.paths:,} paths: allow more by --games, or "
                    "widen --indifference"
                )
            if self.settled is not None:
                holds, how = self.settled, "a bound that is so, or not, whatever the chance is"
        elif self.plan.earn != kernels.NOTHING:
            how = f"{sure} intervals of means ({MEANS})"
            if answer.lower is None:
                self.notes.append(
                    f"all paths earned the same, so no interval is known: what comes once in more "
                    f"than {self.paths:,} paths may not have been seen"
                )
            holds = self._compared(answer)
        else:
            how = f"{sure} intervals ({CHANCES})"
        if self.never:
            self.notes.append(
                "a path stands still without having reached the goal, so the mean is infinite"
            )
        if self.undecided:
            self.notes.append(
                f"{self.undecided:,} of {self.paths:,} paths were not decided after "
                f"{self.aim.steps:,} steps and count both ways"
            )
        return Estimate(
            "", "", answer, self.paths, self.undecided, self.steps, 0.0, self.aim.confidence,
            self.aim.seed, how, self.bound is not None, holds, tuple(self.notes), interrupted,
            chance=self.plan.earn == kernels.NOTHING,
        )  # fmt: skip

    def _compared(self, answer: Answer) -> bool | None:
        """Whether a mean keeps its bound; None if its interval does not tell."""
        if self.bound is None or answer.lower is None or answer.upper is None:
            return None
        if answer.lower > self.bound:
            return self.question.relation in (">=", ">")
        if answer.upper < self.bound:
            return self.question.relation in ("<=", "<")
        return None
