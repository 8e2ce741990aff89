"""Paths at random, of programs that are never explored and of processes that are there.

A program's walkers are packed states. The program's own machine code expands them, some hundred at
a time, as in exploration (`model/prism/native.py`), and its labels and formulas are machine code
as well; a compiled loop (`path_kernels.py`) draws what happens. A joint of many modules is never
multiplied out: each module draws for itself, so a step takes time in the number of commands, not
of successors, and memory does not depend on the states at all. Where several commands of a chain
are enabled each is as likely, and a deadlock loops, as `explore` has it; choices of a decision
process, where a random player is wanted, are as likely each.

Which paths there are depends on the seed alone. Threads take blocks of them.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from oddsmith.errors import OddsmithError, RuleError
from oddsmith.model.amounts import Bools, Rewards
from oddsmith.model.model import Model
from oddsmith.model.native.machine import Machine
from oddsmith.model.native.numbers import OVERFLOW
from oddsmith.model.prism.evaluate import TooLongError, failed
from oddsmith.model.prism.initial import initial_states
from oddsmith.model.prism.jit import truth_function
from oddsmith.model.prism.native import Native
from oddsmith.model.prism.rewards import Earner
from oddsmith.model.prism.slots import REALS
from oddsmith.model.variables import Valuations
from oddsmith.rules.prism import interpret
from oddsmith.rules.prism.expression import Expression
from oddsmith.rules.prism.program import Program
from oddsmith.rules.prism.source import without_collection
from oddsmith.runtime.watch import INTERVAL, Workers
from oddsmith.solve.simulate import path_kernels as kernels
from oddsmith.solve.simulate.board import key_of

WALKERS = 256
"""Walkers in turn: as many as leave all that they need in the cache."""

OUTCOMES = 1 << 12
"""Outcomes of walkers expanded together."""

LEAST, MOST = 64, 4096
"""Paths of a block."""


@dataclass(frozen=True)
class PathQuestion:
    """What is asked of a path: `left U[low,high] right` (None: true everywhere), or its negation.

    Rewards are earned on the way or at the end (`kernels.ON_THE_WAY`, `AT_THE_END`).
    """

    left: Expression | None = None
    right: Expression | None = None
    low: int = 0
    high: int | None = None
    negated: bool = False
    reward: str | None = None
    earn: int = kernels.NOTHING
    cap: int | None = None
    """Steps after which a path is given up."""

    @property
    def numbers(self) -> npt.NDArray[np.int64]:
        """The plan as the kernels read it."""
        ends = [-1 if end is None else end for end in (self.high, self.cap)]
        return np.array([self.low, *ends, self.earn], np.int64)


class Walk(Protocol):
    """Something that walks paths."""

    def walk(
        self, first: int, results: npt.NDArray[np.int8], values: npt.NDArray[np.float64],
        signals: Any,
    ) -> int | None:  # fmt: skip
        """Walk paths first, first + 1, …; the steps made, or None where it was told to stop."""


class ProgramWalk:
    """Walks on a program."""

    def __init__(self, program: Program, plan: PathQuestion, seed: int, mode: int) -> None:
        self.program, self.plan, self.key = program, plan, _key(seed)
        with without_collection():
            self.native = Native(program, mode, plan.reward is not None)
        layout = self.native.layout
        sides = [e for e in (plan.left, plan.right) if e is not None]
        reals = mode == REALS
        texts = [truth_function(f"side{i}", layout, e, reals) for i, e in enumerate(sides)]
        self.formulas = Machine("\n".join(texts), speed=0)
        number_of = {id(e): i for i, e in enumerate(sides)}
        self.sides = [
            0 if e is None else self.formulas.address(f"side{number_of[id(e)]}")
            for e in (plan.left, plan.right)
        ]
        self.actions = ["", *sorted({joint.action for joint in program.synchronisations} - {""})]
        number = {name: i for i, name in enumerate(self.actions)}
        self.joint_action = np.array([number[j.action] for j in program.synchronisations], np.int64)
        self.earners = self._earners()
        slots = self.native.slots
        chance = slots.chance[:, 0].copy().view(np.float64)
        self.upto = np.empty(len(chance))
        for begin, end in set(zip(slots.first.tolist(), slots.last.tolist(), strict=True)):
            if end >= 0:
                self.upto[begin:end] = np.cumsum(chance[begin:end])
        self.start = self._start()

    def _start(self) -> npt.NDArray[np.uint64]:
        states = initial_states(self.native)
        if len(states) != 1:
            raise one_start(len(states))
        start: npt.NDArray[np.uint64] = states[0].copy()
        return start

    def _earners(self) -> npt.NDArray[np.int64]:
        found = np.zeros(1 + len(self.actions), np.int64)
        if self.plan.reward is not None:
            number = [r.name for r in self.program.rewards].index(self.plan.reward)
            for (structure, action), name in self.native.reward_names.items():
                if structure == number and (action is None or action in self.actions):
                    at = 0 if action is None else 1 + self.actions.index(action)
                    found[at] = self.native.machine.address(name)
        return found

    def walk(
        self, first: int, results: npt.NDArray[np.int8], values: npt.NDArray[np.float64],
        signals: Any,
    ) -> int | None:  # fmt: skip
        """Walk paths first, first + 1, …; the steps made, or None where it was told to stop."""
        native, slots = self.native, self.native.slots
        words, walkers = native.layout.words, min(WALKERS, len(results))
        room = native.records_a_state + 4 * walkers, native.outcomes_a_state + OUTCOMES
        records = np.empty(2 * room[0], np.int64)
        outcomes = np.empty(room[1] * (words + 2), np.int64)
        ends, failure = np.empty(walkers, np.int64), np.zeros(2, np.int64)
        states = np.empty(walkers * words, np.uint64)
        ctx = np.array(
            [0, 0, 0, records.ctypes.data, outcomes.ctypes.data, *room, ends.ctypes.data], np.int64
        )
        code = kernels.Code(
            native.expand, self.sides[0], self.sides[1], self.earners, self.joint_action,
            slots.parts, slots.joint, slots.part, slots.first, slots.last, slots.keep.reshape(-1),
            slots.add.reshape(-1), self.upto, ctx, records, outcomes, ends,
        )  # fmt: skip
        reason, steps = kernels.walk_program(
            self.plan.numbers, self.key, first, self.start, code, states, results, values, signals,
            failure,
        )  # fmt: skip
        if reason == kernels.DONE:
            return int(steps)
        if reason == kernels.STOPPED:
            return None
        at = int(failure[0]) * words
        raise self._error(reason, int(failure[1]), states[at : at + words].copy())

    def _error(self, reason: int, bits: int, state: npt.NDArray[np.uint64]) -> Exception:
        """What is wrong in a state, as the interpreter says it."""
        valuations = Valuations(self.native.layout, state.reshape(1, -1))
        values = valuations.values(0)
        if reason == kernels.TOO_LONG or bits == OVERFLOW:
            return TooLongError()
        if reason in (kernels.BAD_LEFT, kernels.BAD_RIGHT):
            side = self.plan.left if reason == kernels.BAD_LEFT else self.plan.right
            return failed(cast(Expression, side), valuations, 0)
        try:
            if reason == kernels.BAD_REWARD:
                self._earner(valuations).rewards(
                    [r.name for r in self.program.rewards].index(cast(str, self.plan.reward))
                )
            interpret.choices(self.program, values)
        except RuleError as error:
            return error
        return TooLongError()

    def _earner(self, valuations: Valuations) -> Earner:
        """The rewards of one state with a choice for every action: it words what is wrong."""
        many = len(self.actions)
        return Earner(
            self.program, self.native.machine, self.native.reward_names, self.actions, valuations,
            np.array([0, many]), np.arange(many, dtype=np.int32), np.zeros((0, 2), np.int64),
            np.zeros(1, np.bool_),
        )  # fmt: skip


class ProcessWalk:
    """Walks on the arrays of a process."""

    def __init__(
        self, process: Model, plan: PathQuestion, seed: int, left: Bools | None, right: Bools | None
    ) -> None:
        self.process, self.plan, self.key = process, plan, _key(seed)
        if len(process.initial) != 1:
            raise one_start(len(process.initial))
        always = np.zeros(0, np.bool_)
        self.sides = always if left is None else left, always if right is None else right
        rewards = Rewards() if plan.reward is None else process.rewards[plan.reward]
        self.rewards = [
            np.zeros(0) if amounts is None else amounts.floats
            for amounts in (rewards.state, rewards.choice)
        ]
        self.choice = np.zeros(0, np.int64) if process.is_chain else process.choice

    def walk(
        self, first: int, results: npt.NDArray[np.int8], values: npt.NDArray[np.float64],
        signals: Any,
    ) -> int | None:  # fmt: skip
        """Walk paths first, first + 1, …; the steps made, or None where it was told to stop."""
        process = self.process
        reason, steps = kernels.walk_process(
            self.plan.numbers, self.key, first, int(process.initial[0]), *self.sides,
            *self.rewards, self.choice, process.row, process.col, process.chance.index,
            process.chance.values, min(WALKERS, len(results)), results, values, signals,
        )  # fmt: skip
        return int(steps) if reason == kernels.DONE else None


def _key(seed: int) -> npt.NDArray[np.uint32]:
    return np.array(key_of(seed), np.uint32)


def one_start(count: int) -> OddsmithError:
    """Why a model with several initial states is not walked."""
    if count == 0:
        return OddsmithError("No state is initial, so that no path begins.")
    return OddsmithError(
        f"The model has {count:,} initial states and a path begins in one: let the values of the "
        "variables say which."
    )


@dataclass(frozen=True)
class Sample:
    """Paths one after another: what came out of each, what it earned, all the steps made."""

    results: npt.NDArray[np.int8]
    values: npt.NDArray[np.float64]
    steps: int
    interrupted: bool = False


class Walkers:
    """Threads that walk paths."""

    def __init__(self, walk: Walk, earning: bool) -> None:
        self.walk, self.earning = walk, earning
        self.workers = Workers()

    def sample(self, first: int, count: int, look: Callable[[int], None]) -> Sample:
        """Walk paths first, first + 1, …; `look` is told now and then how many are through.

        Ctrl-C ends it with the paths before the first that is not through.
        """
        results = np.empty(count, np.int8)
        values = np.empty(count if self.earning else 0)
        size = max(LEAST, min(MOST, count // (8 * self.workers.count)))
        jobs = [
            self.workers.submit(
                partial(
                    self.walk.walk,
                    first + begin,
                    results[begin : begin + size],
                    values[begin : begin + size],
                    self.workers.signals,
                )
            )
            for begin in range(0, count, size)
        ]
        made: list[int] = []
        interrupted = False
        try:
            for job in jobs:
                made.append(cast(int, _patiently(job, partial(look, len(made) * size))))
        except KeyboardInterrupt:
            interrupted = True
            self.workers.close()
            for job in jobs[len(made) :]:
                steps = job.result()
                if steps is None:
                    break
                made.append(steps)
        except BaseException:
            self.workers.close()
            raise
        through = min(len(made) * size, count)
        return Sample(results[:through], values[:through], sum(made), interrupted)

    def close(self) -> None:
        """Stop."""
        self.workers.close()


def _patiently(job: Future[int | None], look: Callable[[], None]) -> int | None:
    """The result of a job; Ctrl-C is heard meanwhile."""
    while True:
        try:
            return job.result(timeout=INTERVAL)
        except FutureTimeout:
            look()
