"""The driver of compiled exploration: owns the arrays, feeds blocks of states to the kernel.

The kernel runs in a thread of its own without the interpreter lock, so that this one can show
progress, hear Ctrl-C and notice a rule that never returns.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import LimitError, NotCompilable, OddsmithError, RuleError
from oddsmith.model.explore_interpreted import Interpreted, check_limit
from oddsmith.model.model import SMALL_TRANSITIONS, Model, smallest
from oddsmith.model.names import GameNames
from oddsmith.model.of_rules import model_of_rules
from oddsmith.model.replay import check_symmetry, row_of_rules
from oddsmith.model.symmetry import first_asymmetric
from oddsmith.results import contradiction
from oddsmith.rules import interpret
from oddsmith.rules.layout import Layout
from oddsmith.runtime import memory
from oddsmith.runtime.watch import new_signals, watched

if TYPE_CHECKING:
    from oddsmith.model.step.steps import Steps

DIRECT_CODES = 1 << 28
"""Up to so many codes the table of states is indexed by the code itself (4 bytes each)."""

LARGE_TRANSITIONS = 50_000_000
"""Models with more are kept in the smallest types that hold them."""

BLOCK_EDGES = 1 << 20
"""Outcomes a block may have: the size of the buffers a kernel call fills."""


class Growing:
    """A numpy array that grows at its end (in place: the system moves pages, not bytes)."""

    def __init__(self, dtype: npt.DTypeLike, width: int | None = None) -> None:
        self.array = np.empty((0,) if width is None else (0, width), dtype)
        self.used = 0

    def reserve(self, size: int) -> None:
        """Make room for so many entries in all."""
        if size > len(self.array):
            size = max(size, len(self.array) * 3 // 2)
            self.array.resize((size, *self.array.shape[1:]), refcheck=False)

    def append(self, values: npt.NDArray[Any]) -> None:
        """Add entries."""
        self.reserve(self.used + len(values))
        self.array[self.used : self.used + len(values)] = values
        self.used += len(values)

    def finish(self) -> npt.NDArray[Any]:
        """The entries, with no room to spare."""
        self.array.resize((self.used, *self.array.shape[1:]), refcheck=False)
        return self.array


@dataclass
class Block:
    """The buffers of one kernel call, relative to the first state of the block."""

    choice_count: npt.NDArray[Any]
    row_count: npt.NDArray[Any]
    total: npt.NDArray[Any]
    action: npt.NDArray[Any]
    owner: npt.NDArray[Any]
    winners: npt.NDArray[Any]
    scores: npt.NDArray[Any]
    col: npt.NDArray[Any]
    weight: npt.NDArray[Any]
    shift: npt.NDArray[Any]


def explore_compiled(search: Interpreted) -> Model:
    """Explore by compiled rules, starting afresh; `search` has seen the first states."""
    began = time.perf_counter()
    from oddsmith.model.compiled import steps_of

    work = _Compiled(search, steps_of(search.game, search.layout))
    work.compile()
    return work.run(began)


class _Compiled:
    """One compiled exploration: the growing model and the tables of the kernel."""

    def __init__(self, search: Interpreted, steps: Steps) -> None:
        layout = search.layout
        assert isinstance(layout, Layout)
        self.search, self.steps, self.game = search, steps, search.game
        self.widest, self.dice = steps.widest, steps.tables
        self.symmetric = search.symmetric
        self.names = [c.name for c in layout.columns]
        self.layout = layout
        self.kernel_layout = _without_turn(layout) if self.symmetric else layout
        self.ranked = "rank" in steps.addresses
        self.direct = self.ranked or 0 < self.kernel_layout.codes <= DIRECT_CODES
        self.players = search.game.players if self.symmetric else 1
        self.seats = layout.seats() if self.symmetric else np.zeros((0, 1), np.int64)
        self.keys = Growing(np.int64, 1 if self.ranked else self.kernel_layout.words)
        self.marks = Growing(np.int64)
        self.slot = Growing(np.int32)
        self.at = new_signals(3)
        self.columns: dict[str, Growing] = {
            "choice_count": Growing(np.uint8),
            "row_count": Growing(np.uint32),
            "total": Growing(np.int64),
            "action": Growing(np.uint8),
            "owner": Growing(np.int8),
            "winners": Growing(np.int64),
            "scores": Growing(np.int64, self.game.players),
            "col": Growing(np.int32),
            "weight": Growing(np.uint8),
            "shift": Growing(np.uint8),
        }

    def compile(self) -> None:
        """Compile the kernel, or load it from the cache, by expanding no state."""
        from oddsmith.model import kernels
        from oddsmith.model.compiled import cached_call

        self._enter_start()
        weight = self.columns["weight"]
        weight.array = weight.array.astype(smallest(int(self.dice.total.max())))
        cached_call(kernels.expand, lambda: self._expand(0, 0))

    def run(self, began: float) -> Model:
        """Explore to the end."""
        self.compile_seconds = time.perf_counter() - began
        began = time.perf_counter()
        done = 0
        while done < self.count:
            last = min(self.count, done + max(1, BLOCK_EDGES // self.widest))
            reason, expanded = self._expand(done, last)
            done += expanded
            self._settle(reason, done)
            spent = time.perf_counter() - began
            self.search.progress.update(
                "exploring", done, None, f"{self.count:,} states, {done / spent:,.0f}/s"
            )
            self._check_limits()
        if self.symmetric:
            self._check_symmetry()
        return self._model(time.perf_counter() - began)

    def _enter_start(self) -> None:
        from oddsmith.model import kernels

        states = self.search.states[: self.search.begun]
        rows = np.array([self.layout.row(state) for state in states], np.int64)
        if self.ranked:
            words = np.array([[self.game.rank(state)] for state in states], np.int64)  # type: ignore[attr-defined]
            if words.min() < 0:
                raise RuleError(f"{type(self.game).__name__}.rank gives a number below zero.")
            self.table = np.zeros(max(1 << 16, self._ranks(int(words.max()))), np.int32)
        else:
            words = self.kernel_layout.pack(rows)
            codes = self.kernel_layout.codes if self.direct else 1 << 16
            self.table = np.zeros(codes, np.int32)
        self.count = len(states)
        self.keys.reserve(self.count)
        if not self.direct:
            self._reserve_table(self.count)
        for number in range(self.count):
            kernels.find_or_add(words[number], self.keys.array, self.table, self.direct, number)
        if self.ranked:
            self.marks.append(np.array([kernels.mix(row) for row in rows], np.int64))

    def _ranks(self, largest: int) -> int:
        """How many places a table by ranks has, if that many fit in memory."""
        free = memory.free_here()
        if largest >= 1 << 31 or (free is not None and 8 * largest > free):
            raise NotCompilable(
                f"rank gives numbers up to {largest:,}, and a table of so many places does not fit "
                f"in memory (number the states without gaps, or leave rank away)"
            )
        return largest + 1

    def _expand(self, first: int, last: int) -> tuple[int, int]:
        """Run the kernel on a block; append what it found; (reason it ended, states done)."""
        from oddsmith.model import kernels

        size = last - first
        edges = size * self.widest
        moves = size * len(self.game.actions)
        self.keys.reserve(self.count + edges)
        if self.ranked:
            self.marks.reserve(self.count + edges)
        if not self.direct:
            self._reserve_table(self.count + edges)
        before = len(self.slot.array)
        self.slot.reserve((self.count + edges) * self.players)
        self.slot.array[before:] = -1
        block = Block(
            choice_count=np.empty(size, np.int64),
            row_count=np.empty(moves, np.int64),
            total=np.empty(moves, np.int64),
            action=np.empty(moves, np.int64),
            owner=np.empty(size, np.int64),
            winners=np.empty(size, np.int64),
            scores=np.zeros((size * self.game.has_score, self.game.players), np.int64),
            col=np.empty(edges, np.int32),
            weight=np.empty(edges, np.int64),
            shift=np.empty(edges if self.symmetric else 0, np.uint8),
        )
        layout, dice = self.kernel_layout, self.dice
        turn = self.names.index("turn") if self.symmetric else 0

        def work() -> Any:
            return kernels.expand(
                self.steps.table, first, last, self.count, self.ranked, self.direct, self.symmetric,
                layout.low, layout.radix, layout.word, turn, self.seats, self.game.players,
                len(self.game.actions), dice.faces, dice.weights, dice.start, dice.total,
                self.keys.array, self.marks.array, self.table, block.choice_count,
                block.row_count, block.total, block.action, block.owner, block.winners,
                block.scores, block.col, block.weight, block.shift, self.slot.array, self.at,
            )  # fmt: skip

        reason, expanded, self.count, choices, edges = self._watched(work)
        sizes = dict.fromkeys(("choice_count", "owner", "winners", "scores"), expanded)
        for name, column in self.columns.items():
            size = sizes.get(name, choices if name in ("row_count", "total", "action") else edges)
            column.append(getattr(block, name)[:size])
        return reason, expanded

    def _check_symmetry(self) -> None:
        """Refuse players who are declared interchangeable and are not, in whatever state."""
        from oddsmith.model import kernels

        layout, turn = self.kernel_layout, self.names.index("turn")
        keys, tables = self.keys.array, self.dice

        def look(first: int, last: int) -> int:
            return kernels.asymmetric(  # type: ignore[no-any-return]
                self.steps.table, first, last, self.ranked, layout.low, layout.radix, layout.word,
                turn, self.seats, len(self.game.actions), tables.faces, tables.start, keys,
                self.game.has_score,
            )  # fmt: skip

        signals = new_signals(2)

        def show() -> None:
            self.search.progress.update("comparing seats", signals[0], self.count, "states")

        found = watched(lambda: first_asymmetric(self.count, look, signals), signals, show)
        if found < 0:
            return
        state = self._state(found)
        check_symmetry(self.game, self.layout, state)
        contradiction.refuse(
            f"the compiled rules of {self.game.name} are not the same from every seat in "
            f"{state!r}, and Python's are",
            {"state": repr(state)},
        )

    def _watched(self, work: Callable[[], Any]) -> Any:
        """Run the kernel; give it up if it hangs in one state."""
        self.at[:] = (-1, 0, 0)
        state, since = -1.0, time.monotonic()

        def look() -> None:
            nonlocal state, since
            if self.at[0] != state:
                state, since = self.at[0], time.monotonic()
            elif state >= 0 and time.monotonic() - since > interpret.RULE_SECONDS:
                raise interpret.loops_for_ever(self.game, self._state(int(state)))

        try:
            return watched(work, self.at, look)
        except (OddsmithError, NotCompilable, MemoryError):
            raise
        except Exception as error:
            if self.at[0] < 0:
                raise
            raise self._not_compilable(int(self.at[0]), str(error)) from None

    def _not_compilable(self, index: int, reason: str) -> Exception:
        """Why compiled rules do not go on in a state; the interpreter raises if they are wrong."""
        state = self._state(index)
        with interpret.time_limit(self.game, state):
            row_of_rules(self.game, self.layout, state, self.symmetric)
        return NotCompilable(f"{reason or 'an error'} in {state!r}")

    def _state(self, index: int) -> Any:
        words = self.keys.array[index : index + 1]
        if self.ranked:
            return self.game.unrank(int(words[0, 0]))  # type: ignore[attr-defined]
        return self.kernel_layout.state(self.kernel_layout.unpack(words)[0])

    def _settle(self, reason: int, index: int) -> None:
        """Mend what made a block end early, or raise what is wrong."""
        from oddsmith.model import kernels

        if reason == kernels.DONE:
            return
        if reason == kernels.TABLE_FULL:
            size = max(self._ranks(int(self.at[1])), 2 * len(self.table))
            self.table = np.concatenate(
                [self.table, np.zeros(size - len(self.table), self.table.dtype)]
            )
            return
        state = self._state(index)
        refusal = self._not_compilable(index, "a number beyond 64 bits")
        if reason == kernels.BAD_RANK:
            raise RuleError(
                f"{type(self.game).__name__}.rank gives two states the same number or one below "
                f"zero, or unrank another state back, after a move from {state!r}."
            )
        raise refusal

    def _reserve_table(self, states: int) -> None:
        from oddsmith.model import kernels

        size = len(self.table)
        while size < 2 * states:
            size *= 2
        if size > len(self.table):
            self.table = np.zeros(size, np.int32)
            kernels.rehash(self.keys.array, self.count, self.table)

    def _check_limits(self) -> None:
        check_limit(self.game, self.count, self.search.max_states)
        free = memory.free_here()
        if free is not None and free < 256 * memory.MIB:
            raise LimitError(
                f"Memory ran out exploring {self.game.name} at {self.count:,} states: simulate "
                f"instead, or use a machine with more memory."
            )

    def _model(self, seconds: float) -> Model:
        del self.table, self.slot, self.marks
        found = {name: column.finish() for name, column in self.columns.items()}
        self.columns.clear()
        self.keys.used = self.count
        keys = self.keys.finish()
        if len(found["col"]) <= SMALL_TRANSITIONS:
            found["weight"] = found["weight"].astype(np.int64)
        large = len(found["col"]) > LARGE_TRANSITIONS
        if large:  # every byte counts; of smaller models kernels know one type only
            for name in ("total", "winners"):
                found[name] = found[name].astype(np.min_scalar_type(-1 - int(found[name].max())))
        rate = self.count / seconds if seconds else 0.0
        packed, ranks = (None, keys[:, 0]) if self.ranked else (keys, None)
        return model_of_rules(
            self.game,
            GameNames(self.game, self.kernel_layout, packed=packed, ranks=ranks),
            choice=_pointers(found.pop("choice_count"), large),
            row=_pointers(found.pop("row_count"), large),
            col=found["col"],
            weight=found["weight"],
            total=found["total"],
            action=found["action"],
            owner=found["owner"],
            winners=found["winners"],
            scores=found["scores"] if self.game.has_score else None,
            shift=found["shift"] if self.symmetric else None,
            how=f"compiled in {self.compile_seconds:.1f} s, then {rate:,.0f} states a second",
            compile_seconds=self.compile_seconds,
            begins=self.search.start_lane,
        )


def _pointers(counts: npt.NDArray[Any], large: bool) -> npt.NDArray[Any]:
    fits = large and int(counts.sum(dtype=np.int64)) < 1 << 31
    pointers = np.zeros(len(counts) + 1, np.int32 if fits else np.int64)
    np.cumsum(counts, out=pointers[1:])
    return pointers


def _without_turn(layout: Layout) -> Layout:
    """The layout of mover-relative states: the mover is always in seat 0."""
    columns = tuple(
        replace(column, radix=1) if column.name == "turn" else column for column in layout.columns
    )
    return Layout(layout.game, columns, layout.template)
