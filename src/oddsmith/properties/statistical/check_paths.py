"""Statistical model checking: properties of a model, from paths at random.

A PRISM model is walked without being explored, so its size does not matter; what matters is how
long paths are and how rare what is asked for. Other models are there already and are walked on
their arrays. `P=? [ F<=100 x=3 ]` and `R=? [ C<=100 ]` get a confidence interval, `P>=0.9 [ … ]` a
sequential test (see `statistics.py`).

A path formula without an upper bound on steps is not decided by every finite path: such paths are
given up after a number of steps that the user says, and widen the interval.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from oddsmith.errors import OddsmithError, OptionError
from oddsmith.model.amounts import Amounts, Rewards
from oddsmith.model.model import Model
from oddsmith.model.prism.arithmetic import NotRationalError
from oddsmith.model.prism.evaluate import TooLongError
from oddsmith.model.prism.slots import REAL_CHANCES, REALS
from oddsmith.model.reading import program_of
from oddsmith.model.variables import Layout, Valuations
from oddsmith.properties.ask import experiments, load, of_file, ranged, spelled
from oddsmith.properties.check import asked_of
from oddsmith.properties.resolve import Resolver
from oddsmith.properties.settle import Precision
from oddsmith.properties.states import Evaluator
from oddsmith.properties.statistical.path_counts import Aim, Count, Estimate
from oddsmith.properties.statistical.path_plans import planned, unlabelled
from oddsmith.properties.syntax import Property, PropertyFile, Question
from oddsmith.questions import door
from oddsmith.results.shown import Shown
from oddsmith.rules.prism.expression import Expression
from oddsmith.rules.prism.program import Program
from oddsmith.rules.prism.source import Source
from oddsmith.runtime.progress import Progress, Silent
from oddsmith.solve.simulate.paths import PathQuestion, ProcessWalk, ProgramWalk


@dataclass(frozen=True, repr=False)
class Estimates(Shown):
    """All that was asked of a model's paths: it prints as a table and turns into JSON."""

    model: str
    found: Sequence[Estimate]
    ranged: tuple[str, ...] = ()
    interrupted: bool = False

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, number: int) -> Estimate:
        return self.found[number]

    def to_json(self) -> str:
        """A list with one entry an answer."""
        entries = [
            one.to_dict() | ({"constants": spelled(one.constants)} if self.ranged else {})
            for one in self.found
        ]
        return json.dumps(entries, indent=2, ensure_ascii=False)

    def __str__(self) -> str:
        from oddsmith.results.table import align

        rows = []
        for one in self.found:
            name = f"{one.name}: {one.text}" if one.name else one.text
            constants = [str(one.constants[key]) for key in self.ranged]
            rows.append([name, *constants, one.shown, f"{one.paths:,}", f"{one.steps:,}"])
        parts = [
            f"{self.model}: paths at random",
            align(["property", *self.ranged, "value", "paths", "steps"], rows),
        ]
        notes = list(
            dict.fromkeys(
                note for one in self.found for note in (one.how, f"seed {one.seed}", *one.notes)
            )
        )
        if self.interrupted:
            notes.append("interrupted: these are the paths walked so far")
        parts.append("\n".join(f"note: {note}" for note in notes))
        return "\n\n".join(parts)


@door.question
def estimate(
    model: Any,
    *properties: str,
    file: str | Path | None = None,
    names: Sequence[str] | None = None,
    constants: Any = None,
    games: int | None = None,
    half_width: float | None = None,
    confidence: float = 0.95,
    seed: int = 1,
    steps: int | None = None,
    indifference: float = 0.01,
    play: str | None = None,
    max_states: int | None = None,
    progress: Progress | None = None,
) -> Estimates:
    """Estimates of properties of a model, from paths at random.

    Parameters
    ----------
    model, properties, file, names, constants: as for `check`; a `Program` is a model too.
    games: how many paths; for the test of a bound, how many at most.
    half_width: walk until the number is known to ± this.
    confidence: of the intervals; a test errs with one minus this, in either direction.
    seed: the same seed walks the same paths.
    steps: the most steps of a path, for formulas without an upper bound.
    indifference: how near to its bound a chance may be so that either answer will do.
    play: "random" walks models with choices, each choice of a state as likely.
    max_states: of models that have to be built first (games).
    """
    aim = Aim(games, half_width, confidence, seed, steps, indifference, play)
    progress = progress or Silent()
    asked = asked_of(properties, file, names)
    if not asked:
        raise OptionError("Simulate what? Give a property, such as 'P=? [ F<=100 x=3 ]'.")
    settings = experiments(constants)
    others = sorted({d.name for one, _ in asked for d in one.constants})
    found: list[Estimate] = []
    interrupted = False
    try:
        for given in settings:
            subject = _subject(model, given, others, max_states, progress)
            for one, question in asked:
                answer = subject.estimate(one, question, given, aim, progress)
                found.append(replace(answer, constants=given))
                if answer.interrupted:
                    raise KeyboardInterrupt
    except KeyboardInterrupt:
        interrupted = True
        if not found:
            raise
    return Estimates(subject.name, found, ranged(settings), interrupted)


# Subjects: what is walked, and what names mean there ----------------------------------------


def _subject(
    model: Any, given: dict[str, Any], others: list[str], max_states: int | None, progress: Progress
) -> Subject:
    program = program_of(model, given, others)
    if program is not None:
        return ProgramSubject(program)
    loaded = load(model, given, others=others, max_states=max_states, progress=progress)
    return ProcessSubject(loaded.process)


class Subject:
    """A model that paths are walked on."""

    name: str
    process: Model
    """Its names: labels, variables, rewards (and all the rest, if it is there)."""
    constants: Mapping[str, Fraction | bool]
    formulas: Mapping[str, Expression]
    notes: tuple[str, ...]

    def walks(self, plan: PathQuestion, seed: int, origin: Source) -> list[Any]:
        """Ways to walk, each to be tried where the one before fails: functions of no argument."""
        raise NotImplementedError

    def decides(self) -> bool:
        """Whether there are choices."""
        raise NotImplementedError

    def estimate(
        self, file: PropertyFile, one: Property, given: Mapping[str, Any], aim: Aim,
        progress: Progress,
    ) -> Estimate:  # fmt: skip
        """What paths say about one property."""
        began = time.perf_counter()
        mine = of_file(file, given)
        resolver = Resolver(self.process, file, self.constants, self.formulas, mine)
        question = resolver.property(one).expression
        plan = planned(question, resolver.origin, aim.steps)
        assert isinstance(question, Question)
        if self.decides():
            self._check_player(question, resolver.origin, aim)
        for way in self.walks(plan, aim.seed, resolver.origin):
            try:
                found = Count(question, plan, aim, progress).run(way())
                break
            except (NotRationalError, TooLongError):
                continue
        else:
            raise OddsmithError(f"{self.name} computes with numbers beyond 64 bits.")
        notes = (*self.notes, *found.notes)
        if self.decides():
            notes += ("every choice of a state is as likely: a random player, not the best one",)
        seconds = time.perf_counter() - began
        return replace(found, name=one.name, text=one.text, seconds=seconds, notes=notes)

    def _check_player(self, question: Question, origin: Source, aim: Aim) -> None:
        if aim.play is None:
            raise OptionError(
                f"{self.name} has choices, and paths do not say which are best: check it instead, "
                f"or walk with a random player by --play random."
            )
        if question.optimum is not None or question.coalition is not None:
            asked = f"{question.kind}{question.relation or '='}"
            message = f"A random player knows no best choice: ask {asked}… without min or max."
            raise origin.error(message, question.at)


class ProcessSubject(Subject):
    """A process that is there."""

    def __init__(self, process: Model) -> None:
        self.process, self.name, self.notes = process, process.name, process.notes
        self.constants, self.formulas = {}, {}

    def decides(self) -> bool:
        """Whether there are choices."""
        return not self.process.is_chain

    def walks(self, plan: PathQuestion, seed: int, origin: Source) -> list[Any]:
        """The one way to walk."""
        evaluator = Evaluator(self.process, origin, Precision(1e-9), Silent())
        sides = [None if e is None else evaluator.truth(e) for e in (plan.left, plan.right)]
        return [lambda: ProcessWalk(self.process, plan, seed, *sides)]


class ProgramSubject(Subject):
    """A program, which is not explored."""

    def __init__(self, program: Program) -> None:
        from oddsmith.model.prism.native import layout_of

        self.program, self.name, self.notes = program, program.source, program.warnings
        self.constants, self.formulas = program.constants, program.formulas
        none = np.zeros(0, np.bool_)
        self.process = _names(
            program,
            layout_of(program),
            dict.fromkeys((*program.labels, "init", "deadlock"), none),
        )

    def decides(self) -> bool:
        """Whether there are choices."""
        return self.program.kind != "dtmc"

    def walks(self, plan: PathQuestion, seed: int, origin: Source) -> list[Any]:
        """With fractions where there are some, or all in floating point."""
        plain = replace(
            plan,
            left=None if plan.left is None else unlabelled(plan.left, self.program),
            right=None if plan.right is None else unlabelled(plan.right, self.program),
        )
        return [
            lambda mode=mode: ProgramWalk(self.program, plain, seed, mode)
            for mode in (REAL_CHANCES, REALS)
        ]


def _names(program: Program, layout: Layout, labels: Mapping[str, Any]) -> Model:
    """A process without states that has a program's names."""
    zero = np.zeros(1, np.int64)
    return Model(
        program.kind, zero, zero, np.zeros(0, np.int32), Amounts.of([]), np.zeros(0, np.int64),
        Valuations(layout, np.zeros((0, layout.words), np.uint64)), labels,
        {structure.name: Rewards() for structure in program.rewards}, name=program.source,
    )  # fmt: skip
