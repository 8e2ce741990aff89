"""Rules in Python, compiled, as a filler; and the model of a game that comes of it."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import NotCompilable, RuleError
from oddsmith.model import game_filler, row_kernels, symmetry_kernels
from oddsmith.model.compiled import steps_of
from oddsmith.model.explore_interpreted import TOO_MANY, Interpreted
from oddsmith.model.explorer import batch
from oddsmith.model.explorer.driver import Explorer, Filler
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


def explore_compiled(search: Interpreted) -> Model:
    """Explore by compiled rules, starting afresh; `search` has seen the first states."""
    began = time.perf_counter()
    filler = GameFiller(search, steps_of(search.game, search.layout))
    compiled = time.perf_counter()
    explorer = Explorer(filler, search.max_states, search.progress)
    explorer.run(filler.begin)
    if filler.turning:
        filler.check_symmetry(explorer)
    return _model(filler, explorer, compiled - began, time.perf_counter() - compiled)


class GameFiller(Filler):
    """A game's native functions, and the tables that `game_filler.fill` needs besides."""

    chances = batch.WHOLE
    owners = actions = True
    too_many = TOO_MANY
    too_little = "simulate instead, or use a machine with more memory."

    def __init__(self, search: Interpreted, steps: Steps) -> None:
        layout = search.layout
        assert isinstance(layout, Layout)
        self.search, self.steps, self.game, self.full_layout = search, steps, search.game, layout
        self.patience = interpret.RULE_SECONDS
        self.name, self.turning = search.game.name, search.symmetric
        self.address = game_filler.fill.address
        self.layout = _without_turn(layout) if self.turning else layout
        self.ranked = "rank" in steps.addresses
        self.words = 2 if self.ranked else self.layout.words
        self.codes = self.layout.codes if self.layout.codes <= DIRECT_CODES else 0
        self.ends = 1 + self.game.players * self.game.has_score
        self.weights = smallest(int(steps.tables.total.max()))
        self.seats = layout.seats() if self.turning else np.zeros((0, self.game.players), np.int64)
        names = [column.name for column in layout.columns]
        self.turn = names.index("turn") if self.turning else 0
        dice, columns = steps.tables, len(names)
        game = (
            self.game.players, len(self.game.actions), self.turn, self.ranked, self.game.has_score,
            self.turning, steps.widest, 8 * dice.faces.shape[1],
        )  # fmt: skip
        self.arrays = {
            "game": np.array(game, np.int64), "steps": steps.table, "low": self.layout.low,
            "radix": self.layout.radix, "word": self.layout.word, "seats": self.seats,
            "faces": dice.faces, "weights": dice.weights, "die_start": dice.start,
            "die_total": dice.total, "row": np.empty(columns, np.int64),
            "new": np.empty(columns, np.int64), "scratch": np.empty(max(columns, 8), np.int64),
        }  # fmt: skip
        self.table = batch.table_of(game_filler.OWN, self.arrays)
        self.own = self.table.ctypes.data
        self.begin = self._begin()

    def _begin(self) -> npt.NDArray[np.uint64]:
        """The packed states that play begins in."""
        states = self.search.states[: self.search.begun]
        rows = np.array([self.full_layout.row(state) for state in states], np.int64)
        if not self.ranked:
            return self.layout.pack(rows).view(np.uint64)
        ranks = [self.game.rank(state) for state in states]  # type: ignore[attr-defined]
        if min(ranks) < 0:
            raise RuleError(f"{type(self.game).__name__}.rank gives a number below zero.")
        self.codes = max(1 << 16, self.places(max(ranks)))
        marks = [int(row_kernels.mix(row)) for row in rows]
        return np.array(list(zip(ranks, marks, strict=True)), np.int64).view(np.uint64)

    def places(self, largest: int) -> int:
        """How many places a table by ranks has, if that many fit in memory."""
        free = memory.free_here()
        if largest >= 1 << 31 or (free is not None and 8 * largest > free):
            raise NotCompilable(
                f"rank gives numbers up to {largest:,}, and a table of so many places does not fit "
                f"in memory (number the states without gaps, or leave rank away)"
            )
        return largest + 1

    def state(self, explorer: Explorer, number: int) -> Any:
        """A state by its own name."""
        words = explorer.key(number).view(np.int64)
        if self.ranked:
            return self.game.unrank(int(words[0]))  # type: ignore[attr-defined]
        return self.layout.state(self.layout.unpack(words.reshape(1, -1))[0])

    def hangs(self, number: int, explorer: Explorer) -> Exception:
        """What is said of rules that never return."""
        return interpret.loops_for_ever(self.game, self.state(explorer, number))

    def failed(self, reason: int, explorer: Explorer) -> Exception:
        """What is wrong in a state; the interpreter raises if the rules are."""
        at = explorer.done
        if reason == batch.CLASH:
            at += explorer.expanded_for(explorer.needed)
        elif reason == game_filler.NOT_BACK:
            at = explorer.came_from(at)
        state = self.state(explorer, at)
        with interpret.time_limit(self.game, state):
            row_of_rules(self.game, self.full_layout, state, self.turning)
        if reason in (batch.CLASH, game_filler.BAD_RANK, game_filler.NOT_BACK):
            return RuleError(
                f"{type(self.game).__name__}.rank gives two states the same number or one below "
                f"zero, or unrank another state back, after a move from {state!r}."
            )
        return NotCompilable(f"a number beyond 64 bits in {state!r}")

    def check_symmetry(self, explorer: Explorer) -> None:
        """Refuse players who are declared interchangeable and are not, in whatever state."""
        layout, dice, signals = self.layout, self.steps.tables, new_signals(2)
        keys = explorer.keys().view(np.int64)

        def look(first: int, last: int) -> int:
            return symmetry_kernels.asymmetric(  # type: ignore[no-any-return]
                self.steps.table, first, last, self.ranked, layout.low, layout.radix, layout.word,
                self.turn, self.seats, len(self.game.actions), dice.faces, dice.start, keys,
                self.game.has_score,
            )  # fmt: skip

        def show() -> None:
            self.search.progress.update("comparing seats", signals[0], explorer.count, "states")

        at = watched(lambda: first_asymmetric(explorer.count, look, signals), signals, show)
        if at < 0:
            return
        state = self.state(explorer, at)
        check_symmetry(self.game, self.full_layout, state)
        contradiction.refuse(
            f"the compiled rules of {self.game.name} are not the same from every seat in "
            f"{state!r}, and Python's are",
            {"state": repr(state)},
        )


def _model(filler: GameFiller, explorer: Explorer, compiling: float, exploring: float) -> Model:
    """What was explored, as a model; of large ones every byte counts, and of the others kernels
    know one type only."""
    count, edges = explorer.count, int(explorer.sizes[batch.EDGES])
    large = edges > LARGE_TRANSITIONS
    pointers = np.int32 if large and edges < 1 << 31 else np.int64
    weight, total = explorer.column("chance"), explorer.column("total")
    if edges <= SMALL_TRANSITIONS:
        weight = weight.astype(np.int64)
    ends = explorer.column("end").reshape(-1, filler.ends)
    winners, scores = (
        (ends[:, 0], None) if filler.ends == 1 else (ends[:, 0].copy(), ends[:, 1:].copy())
    )
    if large:
        total, winners = (a.astype(np.min_scalar_type(-1 - int(a.max()))) for a in (total, winners))
    keys = explorer.column("keys", np.int64, step=2 if filler.ranked else 1)
    names = {"ranks": keys} if filler.ranked else {"packed": keys.reshape(-1, filler.words)}
    rate = count / exploring if exploring else 0.0
    return model_of_rules(
        filler.game,
        GameNames(filler.game, filler.layout, **names),
        choice=explorer.column("choice", pointers),
        row=explorer.column("row", pointers),
        col=explorer.column("col"),
        weight=weight,
        total=total,
        action=explorer.column("action", np.uint8),
        owner=explorer.column("owner"),
        winners=winners,
        scores=scores,
        shift=explorer.column("shift") if filler.turning else None,
        how=f"compiled in {compiling:.1f} s, then {rate:,.0f} states a second",
        compile_seconds=compiling,
        begins=filler.search.start_lane,
    )


def _without_turn(layout: Layout) -> Layout:
    """The layout of mover-relative states: the mover is always in seat 0."""
    columns = tuple(
        replace(column, radix=1) if column.name == "turn" else column for column in layout.columns
    )
    return Layout(layout.game, columns, layout.template)
