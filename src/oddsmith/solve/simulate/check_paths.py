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
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist
from typing import Any, cast

import numpy as np

from oddsmith.errors import LimitError, OddsmithError, OptionError
from oddsmith.model.process import Amounts, Layout, Process, Rewards, Valuations
from oddsmith.progress import Progress, Silent
from oddsmith.properties.ask import PRISM_SUFFIXES, experiments, load
from oddsmith.properties.check import select
from oddsmith.properties.parse import joined, parse_properties
from oddsmith.properties.paths import whole
from oddsmith.properties.resolve import Resolver
from oddsmith.properties.settle import Precision
from oddsmith.properties.states import Evaluator
from oddsmith.properties.syntax import (
    Cumulative,
    Filter,
    Given,
    Instant,
    Property,
    PropertyFile,
    Quantified,
    Question,
    Temporal,
)
from oddsmith.result import Answer
from oddsmith.rules.prism.emit import NotRationalError
from oddsmith.rules.prism.evaluate import TooLongError
from oddsmith.rules.prism.expression import (
    Binary,
    Call,
    Conditional,
    Constant,
    Expression,
    Label,
    Read,
    Unary,
)
from oddsmith.rules.prism.program import Program
from oddsmith.rules.prism.slots import REAL_CHANCES, REALS
from oddsmith.rules.prism.source import Source
from oddsmith.solve.simulate import path_kernels as kernels
from oddsmith.solve.simulate.paths import Plan, ProcessWalk, ProgramWalk, Walk, Walkers
from oddsmith.solve.simulate.statistics import Moments, Test, chance

PATHS = 100_000
"""How many paths, if nothing is said."""

MOST_PATHS = 10_000_000
"""How many at most for a test that does not end."""

FIRST, LAST = 1 << 12, 1 << 19
"""Paths before the first look at an interval, and between two looks at most."""


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

    def to_dict(self) -> dict[str, Any]:
        """The entry of `check --json`, and what is special to paths."""
        named = {"name": self.name} if self.name else {}
        verdict = {"holds": self.holds} if self.bounded else {}
        numbers = {
            key: ("inf" if x > 0 else "-inf") if isinstance(x, float) and math.isinf(x) else x
            for key, x in self.value.to_dict().items()
        }
        return (
            named
            | {"property": self.text}
            | verdict
            | numbers
            | {
                "states": None,
                "seconds": round(self.seconds, 6),
                "paths": self.paths,
                "undecided": self.undecided,
                "steps": self.steps,
                "confidence": self.confidence,
                "seed": self.seed,
                "method": self.how,
                "interrupted": self.interrupted,
            }
        )

    @property
    def shown(self) -> str:
        """The answer for people."""
        number = "inf" if math.isinf(self.value.value) else str(self.value)
        if not self.bounded:
            return number
        verdict = {True: "true", False: "false", None: "undecided"}[self.holds]
        return f"{verdict} ({number})"


@dataclass(frozen=True)
class Estimates:
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
            one.to_dict()
            | (
                {"constants": {k: _spelled(v) for k, v in one.constants.items()}}
                if self.ranged
                else {}
            )
            for one in self.found
        ]
        return json.dumps(entries, indent=2, ensure_ascii=False)

    def __str__(self) -> str:
        from oddsmith.show.table import align

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


def _spelled(value: Fraction | bool) -> str | bool:
    return value if isinstance(value, bool) else str(value)


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
    from oddsmith.rules.prism import read_text

    aim = Aim(games, half_width, confidence, seed, steps, indifference, play)
    progress = progress or Silent()
    asked = [parse_properties(text, "the property") for text in properties]
    if file is not None:
        own = parse_properties(read_text(file), str(file))
        asked = [own, *(joined(own, one) for one in asked)]
    if not asked:
        raise OptionError("Simulate what? Give a property, such as 'P=? [ F<=100 x=3 ]'.")
    settings = experiments(constants)
    others = sorted({d.name for one in asked for d in one.constants})
    found: list[Estimate] = []
    name, interrupted = "", False
    for given in settings:
        subject = _subject(model, given, others, max_states, progress)
        name = subject.name
        for number, one in enumerate(asked):
            chosen = names if number == 0 and file is not None else None
            listed = one.properties if chosen is None else select(one, chosen)
            if number > 0 or file is None:
                listed = one.properties[:1]
            for question in listed:
                try:
                    answer = subject.estimate(one, question, given, aim, progress)
                except KeyboardInterrupt:
                    if not found:
                        raise
                    interrupted = True
                    break
                found.append(replace(answer, constants=given))
                interrupted = answer.interrupted
                if interrupted:
                    break
            if interrupted:
                break
        if interrupted:
            break
    ranged = tuple(k for k in settings[0] if len({s[k] for s in settings}) > 1)
    return Estimates(name, found, ranged, interrupted)


# Subjects: what is walked, and what names mean there ----------------------------------------


def _subject(
    model: Any, given: dict[str, Any], others: list[str], max_states: int | None, progress: Progress
) -> Subject:
    if isinstance(model, str | Path) and Path(model).suffix.lower() in PRISM_SUFFIXES:
        from oddsmith.rules.prism import read_program

        model = read_program(model, given, others=others)
    if isinstance(model, Program):
        return ProgramSubject(model)
    loaded = load(model, given, others=others, max_states=max_states, progress=progress)
    return ProcessSubject(loaded.process)


class Subject:
    """A model that paths are walked on."""

    name: str
    process: Process
    """Its names: labels, variables, rewards (and all the rest, if it is there)."""
    constants: Mapping[str, Fraction | bool]
    formulas: Mapping[str, Expression]
    notes: tuple[str, ...]

    def walks(self, plan: Plan, seed: int, origin: Source) -> list[Any]:
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
        declared = {d.name for d in file.constants}
        mine = {k: v for k, v in given.items() if k in declared}
        resolver = Resolver(self.process, file, self.constants, self.formulas, mine)
        question = resolver.property(one).expression
        plan = planned(question, resolver.origin, aim)
        assert isinstance(question, Question)
        if self.decides():
            self._check_player(question, resolver.origin, aim)
        for way in self.walks(plan, aim.seed, resolver.origin):
            try:
                found = _Count(question, plan, aim, progress).run(way())
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
            raise origin.error(
                f"A random player knows no best choices: ask {asked}… without min, max and players.",
                question.at,
            )


class ProcessSubject(Subject):
    """A process that is there."""

    def __init__(self, process: Process) -> None:
        self.process, self.name, self.notes = process, process.name, process.notes
        self.constants, self.formulas = {}, {}

    def decides(self) -> bool:
        """Whether there are choices."""
        return not self.process.is_chain

    def walks(self, plan: Plan, seed: int, origin: Source) -> list[Any]:
        """The one way to walk."""
        evaluator = Evaluator(self.process, origin, Precision(1e-9), Silent())
        sides = [None if e is None else evaluator.truth(e) for e in (plan.left, plan.right)]
        return [lambda: ProcessWalk(self.process, plan, seed, *sides)]


class ProgramSubject(Subject):
    """A program, which is not explored."""

    def __init__(self, program: Program) -> None:
        from oddsmith.rules.prism.native import layout_of

        self.program, self.name, self.notes = program, program.source, program.warnings
        self.constants, self.formulas = program.constants, program.formulas
        none = np.zeros(0, np.bool_)
        self.process = _names(
            program,
            layout_of(program),
            {name: none for name in (*program.labels, "init", "deadlock")},
        )

    def decides(self) -> bool:
        """Whether there are choices."""
        return self.program.kind != "dtmc"

    def walks(self, plan: Plan, seed: int, origin: Source) -> list[Any]:
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


def _names(program: Program, layout: Layout, labels: Mapping[str, Any]) -> Process:
    """A process without states that has a program's names."""
    zero = np.zeros(1, np.int64)
    return Process(
        program.kind, zero, zero, np.zeros(0, np.int32), Amounts.of([]), np.zeros(0, np.int64),
        Valuations(layout, np.zeros((0, layout.words), np.uint64)), labels,
        {structure.name: Rewards() for structure in program.rewards}, name=program.source,
    )  # fmt: skip


def unlabelled(e: Expression, program: Program) -> Expression:
    """A state formula in which labels are replaced by what they stand for."""
    match e:
        case Label(name):
            if name in program.labels:
                return program.labels[name]
            return _initial(program) if name == "init" else _deadlock(program)
        case Unary():
            return replace(e, operand=unlabelled(e.operand, program))
        case Binary():
            return replace(
                e, left=unlabelled(e.left, program), right=unlabelled(e.right, program)
            )
        case Conditional():
            test, yes, no = (unlabelled(x, program) for x in (e.test, e.yes, e.no))
            return replace(e, test=test, yes=yes, no=no)
        case Call():
            return replace(e, arguments=tuple(unlabelled(a, program) for a in e.arguments))
    return e


def _initial(program: Program) -> Expression:
    if program.initial is not None:
        return program.initial
    return _both(
        "&",
        [
            Binary(
                "=",
                Read(i, type="int"),
                Constant(Fraction(v.initial), type="int"),
                type="bool",
            )
            for i, v in enumerate(program.variables)
        ],
    )


def _deadlock(program: Program) -> Expression:
    """No joint has an enabled command in every part."""
    joints = [
        _both("&", [_both("|", [program.commands[c].guard for c in part]) for part in joint.parts])
        for joint in program.joints
    ]
    return _not(_both("|", joints))


def _both(operator: str, parts: Sequence[Expression]) -> Expression:
    """Parts joined by & or |, as a tree of little depth."""
    if not parts:
        return Constant(Fraction(operator == "&"), type="bool")
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return Binary(
        operator, _both(operator, parts[:middle]), _both(operator, parts[middle:]), type="bool"
    )


def _not(e: Expression) -> Expression:
    return Unary("!", e, type="bool")


# Properties ---------------------------------------------------------------------------------


def planned(question: Expression, origin: Source, aim: Aim) -> Plan:
    """What a property asks of a path; refuses what paths cannot answer."""
    if not isinstance(question, Question) or question.kind == "S":
        raise origin.error(
            "Paths answer P and R of one path formula, as in P=? [ F<=100 x=3 ]; check the rest.",
            question.at,
        )
    plan = _path(question.body, origin) if question.kind == "P" else _goal(question, origin)
    for e in (plan.left, plan.right):
        if e is not None:
            _check_plain(e, origin)
    if plan.high is None and aim.steps is None:
        raise origin.error(
            "This has no upper bound on steps, so a path may never be decided: say after how many "
            "it is given up, as in --steps 10000.",
            question.body.at,
        )
    return replace(plan, cap=aim.steps)


def _path(path: Expression, origin: Source) -> Plan:
    if isinstance(path, Unary):
        inner = _path(path.operand, origin)
        return replace(inner, negated=not inner.negated)
    if isinstance(path, Given):
        raise origin.error("Conditional probabilities are not simulated: check them.", path.at)
    assert isinstance(path, Temporal)
    window, left, right = (path.windows[0] if path.windows else None), path.left, path.right
    if window is not None and window.reward is not None:
        raise origin.error("Bounds on rewards are not simulated, only bounds on steps.", window.at)
    low = 0 if window is None else whole(window.low) or 0
    high = None if window is None else whole(window.high)
    match path.operator:
        case "X":
            return Plan(None, right, 1, 1)
        case "F" | "U":
            return Plan(left, right, low, high)
        case "G":
            return Plan(None, _not(right), low, high, negated=True)
    assert left is not None
    if path.operator == "W":  # see properties/paths.py
        neither = _both("&", [_not(left), _not(right)])
        return Plan(_both("&", [left, _not(right)]), neither, low, high, negated=True)
    return Plan(_not(left), _not(right), low, high, negated=True)


def _goal(question: Question, origin: Source) -> Plan:
    goal, reward = question.body, cast(str, question.reward)
    if isinstance(goal, Cumulative) and goal.steps is not None:
        steps = whole(goal.steps) or 0
        return Plan(low=steps, high=steps, reward=reward, earn=kernels.ON_THE_WAY)
    if isinstance(goal, Instant):
        steps = whole(goal.steps) or 0
        return Plan(low=steps, high=steps, reward=reward, earn=kernels.AT_THE_END)
    if isinstance(goal, Temporal):
        return Plan(right=goal.right, reward=reward, earn=kernels.ON_THE_WAY)
    raise origin.error("Of rewards, F, C<=k and I=k can be simulated; check the rest.", goal.at)


def _check_plain(e: Expression, origin: Source) -> None:
    waiting = [e]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Question | Quantified | Filter):
            raise origin.error(
                "A path does not tell what a formula in another one is about: nested P, R, S, E, A "
                "and filters are not simulated; check them.",
                one.at,
            )
        if isinstance(one, Unary):
            waiting.append(one.operand)
        elif isinstance(one, Binary):
            waiting += [one.left, one.right]
        elif isinstance(one, Conditional):
            waiting += [one.test, one.yes, one.no]
        elif isinstance(one, Call):
            waiting += one.arguments


# Counting -----------------------------------------------------------------------------------


class _Count:
    """Walks paths until enough is known of one property."""

    def __init__(self, question: Question, plan: Plan, aim: Aim, progress: Progress) -> None:
        self.question, self.plan, self.aim, self.progress = question, plan, aim, progress
        self.z = NormalDist().inv_cdf(0.5 + aim.confidence / 2)
        self.bound = None
        self.test: Test | None = None
        if question.bound is not None:
            self.bound = float(cast(Constant, question.bound).value)
            if aim.half_width is not None and question.kind == "P":
                raise OptionError(
                    "A bound is tested until it is decided: --half-width is for P=?, and "
                    "--indifference for bounds."
                )
            if question.kind == "P":
                self.test = Test(self.bound, aim.indifference, 1 - aim.confidence)
        if aim.confidence <= 0.5 and self.test is not None:
            raise OptionError("A test needs a confidence above 0.5.")
        self.limit = aim.games or self._limit()
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
                ahead = min(max(FIRST, self.paths), LAST, self.limit - self.paths)
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
            looked = self.test.add(results, kernels.UNDECIDED)
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
        if self.undecided / self.paths / 2 > wanted:
            share = self.undecided / self.paths
            raise LimitError(
                f"{share:.1%} of the paths were not decided after {self.aim.steps:,} steps, so the "
                f"chance cannot be known to ± {wanted}: raise --steps."
            )
        answer = self._answer()
        return (cast(float, answer.upper) - cast(float, answer.lower)) / 2 <= wanted

    def _answer(self) -> Answer:
        if self.never:
            return Answer(math.inf, math.inf, math.inf)
        if self.plan.earn != kernels.NOTHING:
            return self.moments.interval(self.aim.confidence)
        if self.test is not None:
            return Answer((self.true + self.undecided / 2) / self.paths)
        return chance(self.true, self.undecided, self.paths, self.z)

    def _estimate(self, interrupted: bool) -> Estimate:
        answer, sure = self._answer(), f"{100 * self.aim.confidence:.6g}% confidence"
        holds: bool | None = None
        if self.test is not None:
            how = (
                f"sequential test (Wald), {sure}, indifferent within ± {self.aim.indifference:g} of "
                "the bound"
            )
            if self.test.above is not None:
                holds = self.test.above == (self.question.relation in (">=", ">"))
            elif not interrupted:
                self.notes.append(
                    f"the test was not decided by {self.paths:,} paths: allow more by --games, or a "
                    "wider --indifference"
                )
        elif self.plan.earn != kernels.NOTHING:
            how = f"{sure} intervals of means (Student), approximate"
            holds = self._compared(answer)
        else:
            how = f"{sure} intervals (Wilson)"
        if self.never:
            self.notes.append(
                "a path stands still for ever without reaching the goal: the expectation is infinite"
            )
        if self.undecided:
            self.notes.append(
                f"{self.undecided:,} of {self.paths:,} paths were not decided after "
                f"{self.aim.steps:,} steps and count both ways"
            )
        return Estimate(
            "", "", answer, self.paths, self.undecided, self.steps, 0.0, self.aim.confidence,
            self.aim.seed, how, self.bound is not None, holds, tuple(self.notes), interrupted,
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
