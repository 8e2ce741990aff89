"""Exploration of a program: all states that play can reach, as a `Model`.

The program is compiled (`native.py`) and its states are numbered breadth first (`kernels.py`);
this file owns the arrays, makes room in them, words errors and adds labels and rewards.

Memory while exploring: a state takes 8 bytes a word (64 bits of variables), 8 to 16 in the table,
8 of pointers; a choice 8, and 4 more where it has an action; a transition 8. The table is gone
when a byte a state for every label and 4 for every reward are added. Nothing is held twice.

Chances are exact. Where they are not fractions (logarithms), or fractions too long for 64 bits,
the program is compiled again with chances in floating point, and all is explored anew.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import LimitError, RuleError
from oddsmith.model.amounts import Bools, Rewards
from oddsmith.model.model import Model
from oddsmith.model.prism import frame, kernels
from oddsmith.model.prism.arithmetic import NotRationalError
from oddsmith.model.prism.evaluate import StateFailureError, TooLongError, failed, truths
from oddsmith.model.prism.initial import initial_states
from oddsmith.model.prism.instructions import bits_of
from oddsmith.model.prism.intern import Numbers
from oddsmith.model.prism.long_numbers import in_fractions
from oddsmith.model.prism.native import Native
from oddsmith.model.prism.rewards import Earner
from oddsmith.model.prism.room import Room, zeros
from oddsmith.model.prism.slots import EXACT, REAL_CHANCES, REALS
from oddsmith.model.variables import Valuations
from oddsmith.rules.prism import interpret
from oddsmith.rules.prism.program import Program
from oddsmith.rules.prism.source import Source, without_collection
from oddsmith.runtime import memory
from oddsmith.runtime.progress import Progress, Silent

BUDGET = 1 << 19
"""Outcomes between two looks at the clock and at Ctrl-C: some hundredths of a second."""

ROOM = 1 << 12
"""Outcomes of a batch: so few that they stay in the cache."""

BATCH = 512
"""States of a batch at most."""

GROWING = ("keys", "choice", "row", "col", "chance", "action", "owner", "extra", "dead")

MOST_STATES = (1 << 31) - 2
KINDS = {"dtmc": frame.DTMC, "mdp": frame.MDP, "smg": frame.SMG}


def explore(
    program: Program,
    *,
    max_states: int | None = None,
    progress: Progress | None = None,
    rewards: bool = True,
) -> Model:
    """All states of a program that play can reach, its labels, and (if wished) its rewards.

    Raises `LimitError` at more than `max_states` states, and where memory runs out.
    """
    for mode in (EXACT, REAL_CHANCES, REALS):
        try:
            with without_collection():
                native = Native(program, mode, rewards)
            process = _Exploration(native, max_states, progress or Silent()).run(rewards)
            return in_fractions(program, process, decided=mode == REALS)
        except (NotRationalError, TooLongError):
            continue
    raise RuleError(f"{program.source} computes with numbers beyond 64 bits.")


class _Exploration:
    """The arrays of an exploration, and what it does with them."""

    def __init__(self, native: Native, max_states: int | None, progress: Progress) -> None:
        self.native, self.program = native, native.program
        self.layout, self.words = native.layout, native.layout.words
        self.max_states, self.progress = max_states, progress
        self.kind = KINDS[self.program.kind]
        self.exact = native.mode == EXACT
        self.sizes = np.zeros(frame.COUNTERS, np.int64)
        self.sizes[frame.BATCH] = 1
        self.numbers = Numbers()
        self.numbers.one(*((1, 1) if self.exact else (bits_of(1.0), 0)))
        names = ["", *sorted({joint.action for joint in self.program.joints} - {""})]
        self.actions = tuple(names)
        self.joint_action = np.array([names.index(j.action) for j in self.program.joints], np.int32)
        self.joint_player = np.array([j.player for j in self.program.joints], np.int32)
        self.keep_actions = self.kind > 0 or any(
            action is not None for _, action in native.reward_names
        )
        kinds = dict(frame.ARRAYS)
        self.arrays = {name: Room(kinds[name]) for name in GROWING}
        self.table = zeros(1 << 12, np.uint32)
        self._make_buffers(ROOM)

    def _make_buffers(self, room: int) -> None:
        native = self.native
        self.room = room
        records = 2 * native.records_a_state + BATCH * 4
        outcomes = 2 * native.outcomes_a_state + ROOM
        parts = int(native.slots.parts.max(initial=1))
        lengths = {
            "records": 2 * records, "outcomes": outcomes * (self.words + 2), "ends": BATCH,
            "packed": room * self.words, "num": room, "den": room,
            "hashes": max(room, self.words), "found": room, "spot": room,
            "seen": max(64, 1 << (4 * room - 1).bit_length()), "choice_end": room + 1,
            "choice_action": room + 1, "choice_player": room + 1, "state_end": BATCH,
            "group": parts + 1, "odometer": parts,
        }  # fmt: skip
        kinds = dict(frame.ARRAYS)
        self.buffers = {name: np.zeros(size, kinds[name]) for name, size in lengths.items()}
        at = {name: buffer.ctypes.data for name, buffer in self.buffers.items()}
        self.ctx = np.array(
            [0, 0, 0, at["records"], at["outcomes"], records, outcomes, at["ends"]], np.int64
        )

    def run(self, rewards: bool) -> Model:
        """Explore to the end."""
        began = time.perf_counter()
        self._make_room(self.room)
        initial = self._enter_initial()
        while True:
            reason = self._advance()
            count, done = int(self.sizes[frame.COUNT]), int(self.sizes[frame.AT])
            if reason == frame.DONE:
                break
            if reason == frame.NO_ROOM:
                self._make_room(int(self.sizes[frame.NEEDED]))
            elif reason == frame.WIDE:
                self._make_buffers(2 * self.room)
            elif reason != frame.PAUSED:
                self._fail(reason, done)
            spent = time.perf_counter() - began
            self.progress.update(
                "exploring", done, None, f"{count:,} states, {done / spent:,.0f}/s"
            )
            self._check_limits()
            self._check_memory()
        self._check_limits()
        return self._process(initial, rewards)

    @property
    def bits(self) -> int:
        """How many bits of a hash are its place in the table."""
        return len(self.table).bit_length() - 1

    def _advance(self) -> int:
        slots, numbers = self.native.slots, self.numbers
        arrays: dict[str, npt.NDArray[Any]] = {
            "ctx": self.ctx, "slot_joint": slots.joint, "slot_part": slots.part,
            "slot_first": slots.first, "slot_last": slots.last, "row_keep": slots.keep,
            "row_add": slots.add, "row_chance": slots.chance, "joint_parts": slots.parts,
            "joint_action": self.joint_action, "joint_player": self.joint_player,
            "table": self.table, "pairs": numbers.pairs, "places": numbers.places,
            "numbers": numbers.numbers, "used": numbers.used, "sizes": self.sizes,
        }  # fmt: skip
        arrays |= self.buffers
        arrays |= {name: room.array for name, room in self.arrays.items()}
        where = np.empty((len(frame.ARRAYS), 2), np.int64)
        for i, (name, kind) in enumerate(frame.ARRAYS):
            assert arrays[name].dtype == kind
            where[i] = arrays[name].ctypes.data, arrays[name].size
        return int(
            kernels.advance(
                self.native.expand, self.words, self.kind, self.exact, self.keep_actions, BUDGET,
                self.bits, where,
            )
        )  # fmt: skip

    def _make_room(self, more: int) -> None:
        """Make room for so many more outcomes, choices and states."""
        sizes, arrays = self.sizes, self.arrays
        count = int(sizes[frame.COUNT])
        choices, edges = int(sizes[frame.CHOICES]), int(sizes[frame.EDGES])
        arrays["keys"].reserve((count + more) * self.words)
        arrays["choice"].reserve(count + more + 1)
        arrays["row"].reserve(choices + more + 1)
        arrays["col"].reserve(edges + more)
        arrays["chance"].reserve(edges + more)
        arrays["extra"].reserve(2 * (int(sizes[frame.EXTRAS]) + more))
        arrays["dead"].reserve(int(sizes[frame.DEADLOCKS]) + more)
        if self.keep_actions:
            arrays["action"].reserve(choices + more)
        if self.kind == 2:
            arrays["owner"].reserve(count + more)
        self.numbers.reserve(more + 4)
        size = len(self.table)
        while size < 2 * (count + more):
            size *= 2
        if size > len(self.table):
            size *= 2 if size < 1 << 20 else 1
            del self.table
            self.table = zeros(size, np.uint32)
            kernels.rehash(self.arrays["keys"].array, self.words, count, self.table, self.bits)

    def _enter_initial(self) -> npt.NDArray[np.int64]:
        packed = initial_states(self.native)
        if not len(packed):
            raise RuleError(f"init … endinit in {self.program.source}: no state satisfies it.")
        numbers = np.zeros(len(packed), np.int64)
        self._make_room(len(packed))
        kernels.enter(
            packed.ravel(), len(packed), self.words, self.arrays["keys"].array, self.table,
            self.bits, self.sizes, numbers,
        )  # fmt: skip
        return numbers

    # Errors and limits.

    def _values(self, state: int) -> list[int]:
        packed = self.arrays["keys"].array[state * self.words : (state + 1) * self.words]
        return Valuations(self.layout, packed.reshape(1, -1)).values(0)

    def _fail(self, reason: int, state: int) -> None:
        """Say what is wrong in a state, by the interpreter, or give this mode up."""
        if reason == frame.TOO_LONG:
            raise TooLongError
        values = self._values(state)
        options = interpret.choices(self.program, values)
        if reason != frame.MIXED:
            raise TooLongError  # right in fractions of any length: too long for 64 bits
        shown = interpret.describe_state(self.program, values)
        players = sorted({option.player for option in options})
        names = " and ".join(self.program.players[p] if p >= 0 else "nobody" for p in players)
        raise RuleError(
            f"In state {shown} there are choices of {names}: in a turn-based game one player "
            f"decides in each state."
        )

    def _check_limits(self) -> None:
        count = int(self.sizes[frame.COUNT])
        if self.max_states is not None and count > self.max_states:
            raise LimitError(
                f"{self.program.source} has more than {self.max_states:,} states: raise the limit "
                f"or make the model smaller."
            )
        if count > MOST_STATES - BUDGET:
            raise LimitError(f"{self.program.source} has more than {MOST_STATES:,} states.")

    def _check_memory(self) -> None:
        """Stop before the memory runs out: arrays are filled some time after they have grown."""
        free = memory.available()
        if free is not None and free < 256 * memory.MIB + self.table.nbytes:
            raise LimitError(
                f"Memory ran out exploring {self.program.source} at "
                f"{int(self.sizes[frame.COUNT]):,} states: use a machine with more memory or "
                f"make the model smaller."
            )

    # The result.

    def _process(self, initial: npt.NDArray[np.int64], rewards: bool) -> Model:
        sizes, arrays, program = self.sizes, self.arrays, self.program
        count, choices = int(sizes[frame.COUNT]), int(sizes[frame.CHOICES])
        edges = int(sizes[frame.EDGES])
        notes = self._notes()
        del self.table
        packed = arrays["keys"].finish(count * self.words).reshape(count, self.words)
        valuations = Valuations(self.layout, packed)
        choice = arrays["choice"].finish(count + 1)
        row = arrays["row"].finish(choices + 1)
        col = arrays["col"].finish(edges)
        chance = self.numbers.amounts(arrays["chance"].finish(edges))
        action = arrays["action"].finish(choices) if self.keep_actions else None
        owner = arrays["owner"].finish(count) if self.kind == 2 else None
        dead = arrays["dead"].finish(int(sizes[frame.DEADLOCKS]))
        extra = arrays["extra"].finish(2 * int(sizes[frame.EXTRAS])).reshape(-1, 2)
        labels = self._labels(valuations)
        labels["init"] = _marked(count, initial)
        labels["deadlock"] = _marked(count, dead)
        found: dict[str, Rewards] = {}
        if rewards:
            earner = Earner(
                program, self.native.machine, self.native.reward_names, self.actions, valuations,
                choice, action, extra, labels["deadlock"],
            )  # fmt: skip
            for r, structure in enumerate(program.rewards):
                found[structure.name] = earner.rewards(r)
        return Model(
            kind=program.kind,
            choice=choice,
            row=row,
            col=col,
            chances=chance,
            initial=np.sort(initial),
            names=valuations,
            labels=labels,
            rewards=found,
            actions=self.actions if self.kind else ("",),
            action=action if self.kind else None,
            players=program.players,
            owner=owner,
            name=program.source,
            notes=notes,
        )

    def _labels(self, valuations: Valuations) -> dict[str, Bools]:
        labels = {}
        for i, (name, expression) in enumerate(self.program.labels.items()):
            try:
                labels[name] = truths(self.native.machine, f"label{i}", valuations.packed)
            except StateFailureError as failure:
                raise failed(expression, valuations, failure.state) from None
        return labels

    def _notes(self) -> tuple[str, ...]:
        """Warnings: what was mended."""
        sizes, source = self.sizes, Source(self.program.text, self.program.source)
        notes = list(self.program.warnings)
        if sizes[frame.UNEVEN]:
            values = self._values(int(sizes[frame.FIRST_UNEVEN]))
            slot = int(sizes[frame.UNEVEN_SLOT])
            command = self.program.commands[self.native.slots.commands[slot]]
            notes.append(
                f"The chances of the command in line {source.position(command.at)[0]} do not sum "
                f"to exactly 1 in state {self._shown(values)}; they were scaled."
            )
        if overlaps := int(sizes[frame.OVERLAPS]):
            values = self._values(int(sizes[frame.FIRST_OVERLAP]))
            lines = sorted(
                {
                    source.position(self.program.commands[c].at)[0]
                    for option in interpret.choices(self.program, values)
                    for c in option.commands
                }
            )
            notes.append(
                f"In {overlaps:,} {'state' if overlaps == 1 else 'states'} several commands are "
                f"enabled, and each is taken with the same chance: in {self._shown(values)} those "
                f"in {_lines(lines)}."
            )
        if deadlocks := int(sizes[frame.DEADLOCKS]):
            values = self._values(int(self.arrays["dead"].array[0]))
            notes.append(
                f"{deadlocks:,} {'deadlock state' if deadlocks == 1 else 'deadlock states'} got a "
                f"loop: {self._shown(values)}{' is one' if deadlocks > 1 else ''}."
            )
        return tuple(notes)

    def _shown(self, values: Sequence[int]) -> str:
        return interpret.describe_state(self.program, values)


def _lines(lines: Sequence[int]) -> str:
    """Line numbers in words.

    >>> _lines([3]), _lines([3, 5, 9])
    ('line 3', 'lines 3, 5 and 9')
    """
    if len(lines) == 1:
        return f"line {lines[0]}"
    return f"lines {', '.join(map(str, lines[:-1]))} and {lines[-1]}"


def _marked(count: int, states: npt.NDArray[Any]) -> Bools:
    marks = np.zeros(count, np.bool_)
    marks[states] = True
    return marks
