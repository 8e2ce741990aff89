"""The driver of exploration: owns the arrays, makes room in them, watches the loop.

The loop (`rows.py`) runs in a thread of its own without the interpreter lock, so that this one can
show progress, hear Ctrl-C and notice rules that never return. It pauses now and then, and whenever
an array is too small.

Memory while exploring: a state takes 8 bytes a word, 4 to 16 in the table of states, 8 of pointers
and what its front end keeps; a choice 8, 4 more where it has an action and 8 where it has a sum of
weights; a transition 4, and 1 to 8 for its chance. Arrays grow where they are and are made narrower
where they are: nothing is held twice.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from oddsmith.errors import LimitError
from oddsmith.model.explorer import batch, rows, states
from oddsmith.model.explorer.numbers import Numbers
from oddsmith.model.explorer.room import GrowingArray, zeros
from oddsmith.runtime import memory
from oddsmith.runtime.progress import Progress
from oddsmith.runtime.watch import new_signals, watched

BUDGET = 1 << 19
"""Outcomes between two looks at limits and at Ctrl-C: some hundredths of a second."""

ROOM = 1 << 12
"""Outcomes of a batch: so few that they stay in the cache."""

BATCH = 512
"""States of a batch at most."""

MOST_STATES = (1 << 31) - 2


class Filler(ABC):
    """Rules as an explorer needs them; what the function at `address` does is in `batch.py`."""

    name: str
    """What the rules are called, in sentences."""
    address: int
    own: int
    """What the function is told as `own`."""
    words: int
    codes: int = 0
    """How many values a state's first word has, where it is the place in a table; 0 for hashing."""
    chances: int = batch.EXACT
    weights: npt.DTypeLike = np.int64
    """The numbers that weights are kept as, where chances are weights."""
    ends: int = 0
    """Words that are kept of every state: who has won, the scores."""
    loops: bool = False
    """Whether a state without choices gets a loop, and is listed in `dead`."""
    owners: bool = False
    actions: bool = False
    turning: bool = False
    """Whether it is kept who decides; with which action; how the view turns."""
    patience = math.inf
    """Seconds that the rules may take in one state."""
    too_many: ClassVar[str]
    """What to do about more states than the user allows, as the end of a sentence."""
    too_little: ClassVar[str]
    """The same about too little memory."""

    @abstractmethod
    def failed(self, reason: int, explorer: Explorer) -> Exception:
        """What is wrong in the state after the last that was expanded."""

    def hangs(self, state: int, explorer: Explorer) -> Exception:
        """What is said of rules that never return."""
        raise NotImplementedError

    def places(self, largest: int) -> int:
        """How long the table must be for a code, where `codes` was too few."""
        return largest + 1


class Explorer:
    """The arrays of an exploration, and what it does with them."""

    def __init__(self, filler: Filler, max_states: int | None, progress: Progress) -> None:
        self.filler, self.max_states, self.progress = filler, max_states, progress
        self.words = filler.words
        whole = filler.chances == batch.WHOLE
        self.chance_kind = np.dtype(filler.weights if whole else np.int32)
        self.width = {
            "keys": filler.words, "choice": 1, "owner": int(filler.owners), "end": filler.ends,
            "row": 1, "total": int(whole), "action": int(filler.actions), "col": 1, "chance": 1,
            "shift": int(filler.turning), "extra": 2, "dead": int(filler.loops),
        }  # fmt: skip
        self.sizes, self.limits = (np.zeros(batch.COUNTERS, np.int64) for _ in range(2))
        self.sizes[batch.BATCH] = 1
        self.direct = filler.codes > 0
        self.settings = np.zeros(batch.OF_SETTINGS, np.int64)
        self.settings[:] = (
            filler.words, filler.chances, self.chance_kind.itemsize, filler.loops, filler.owners,
            filler.actions, filler.turning, filler.ends, self.direct,
        )  # fmt: skip
        self.signals = new_signals(2)
        self.numbers = Numbers()
        if not whole:
            self.numbers.one(*((REAL_ONE, 0) if filler.chances == batch.REALS else (1, 1)))
        kinds = dict(batch.ARRAYS) | {"chance": self.chance_kind}
        self.arrays = {name: GrowingArray(kinds[name]) for name in COLUMNS}
        self.table = zeros(filler.codes if self.direct else 1 << 12, np.uint32)
        self._make_buffers(ROOM)

    @property
    def count(self) -> int:
        """How many states there are so far."""
        return int(self.sizes[batch.COUNT])

    @property
    def done(self) -> int:
        """How many of them are expanded: the number of the state at hand."""
        return int(self.sizes[batch.AT])

    def keys(self) -> npt.NDArray[np.uint64]:
        """All packed states so far (states × words), as long as nothing grows or is finished."""
        return self.arrays["keys"].array[: self.count * self.words].reshape(-1, self.words)

    def key(self, state: int) -> npt.NDArray[np.uint64]:
        """A packed state."""
        packed: npt.NDArray[np.uint64] = self.keys()[state].copy()
        return packed

    def came_from(self, state: int) -> int:
        """The first state that leads to a state; itself if play begins there."""
        end, choices, edges = (int(self.sizes[k]) for k in (batch.AT, batch.CHOICES, batch.EDGES))
        arrays = {name: room.array for name, room in self.arrays.items()}
        met = np.flatnonzero(arrays["col"][:edges] == state)
        if not len(met):
            return state
        choice = np.searchsorted(arrays["row"][: choices + 1], met[0], "right") - 1
        return int(np.searchsorted(arrays["choice"][: end + 1], choice, "right")) - 1

    def expanded_for(self, outcome: int) -> int:
        """The state whose outcome this is in the batch, counted from the first of the batch."""
        done, choices = int(self.buffers["frame"][1]), int(self.buffers["frame"][4])
        choice = np.searchsorted(self.buffers["choice_end"][:choices], outcome, "right")
        return int(np.searchsorted(self.buffers["state_end"][:done], choice, "right"))

    # Room.

    def _make_buffers(self, room: int) -> None:
        self.room = room
        lengths = {
            "packed": room * self.words, "num": room, "den": room, "seats": room,
            "choice_end": room, "choice_action": room, "also": 2 * room, "state_end": BATCH,
            "player": BATCH, "ended": BATCH * self.filler.ends, "hashes": room, "number": room,
            "spot": room, "seen": 1 << (4 * room - 1).bit_length(), "frame": 8,
        }  # fmt: skip
        kinds = dict(batch.ARRAYS)
        self.buffers = {name: np.zeros(size, kinds[name]) for name, size in lengths.items()}
        self.buffers["seen"] -= 1

    def _make_room(self) -> None:
        """Make room for another batch, and more, in all arrays; note how far it reaches."""
        more, limits = self.room + BATCH + 1, self.limits
        limits[:] = FAR
        for name, counter in COLUMNS.items():
            if width := self.width[name]:
                column = self.arrays[name]
                column.reserve((int(self.sizes[counter]) + more) * width)
                limits[counter] = min(limits[counter], len(column.array) // width - more)
        if self.filler.chances != batch.WHOLE:
            self.numbers.reserve(more)
            limits[batch.USED_PAIRS] = len(self.numbers.places) // 2 - 2 * more
            limits[batch.USED_NUMBERS] = len(self.numbers.numbers) // 2 - more
        if not self.direct:
            self._make_table(more)
            limits[batch.COUNT] = min(limits[batch.COUNT], len(self.table) // 2 - more)

    def _make_table(self, more: int) -> None:
        size = len(self.table)
        while size < 2 * (self.count + more):
            size *= 2
        if size > len(self.table):
            size *= 2 if size < 1 << 20 else 1
            del self.table
            self.table = zeros(size, np.uint32)
            states.rehash(self.arrays["keys"].array, self.words, self.count, self.table)

    def _lengthen_table(self) -> None:
        """More places, for codes beyond those that there were."""
        longer = zeros(max(self.filler.places(self.needed), 2 * len(self.table)), np.uint32)
        longer[: len(self.table)] = self.table
        self.table = longer

    @property
    def needed(self) -> int:
        """What a reason to stop is about."""
        return int(self.sizes[batch.NEEDED])

    # Exploring.

    def run(self, packed: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """Explore to the end from some states; their numbers."""
        began = time.perf_counter()
        initial = self._enter(packed)
        reason = batch.PAUSED
        while reason != batch.DONE:
            reason = self._watched()
            if reason == batch.NO_ROOM:
                self._make_room()
            elif reason == batch.WIDE:
                self._make_buffers(2 * self.room)
                self._make_room()
            elif reason == batch.BEYOND:
                self._lengthen_table()
            elif reason == batch.NO_MEMORY:
                raise MemoryError
            elif reason not in (batch.DONE, batch.PAUSED):
                raise self.filler.failed(reason, self)
            spent = time.perf_counter() - began
            rate = f"{self.count:,} states, {self.done / spent:,.0f}/s"
            self.progress.update("exploring", self.done, None, rate)
            self._check_limits()
        del self.table
        return initial

    def _enter(self, packed: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """Number the states that play begins in."""
        numbers = np.empty(len(packed), np.int64)
        for first in range(0, len(packed), self.room):
            self._make_room()
            some = packed[first : first + self.room].ravel()
            self.buffers["packed"][: len(some)] = some
            count = int(states.number_all(self._where(), len(some) // self.words))
            assert count > 0
            self.sizes[batch.COUNT] = count
            there = self.buffers["number"][: len(some) // self.words]
            numbers[first : first + len(there)] = there - 1
        self._make_room()
        return numbers

    def _where(self) -> npt.NDArray[np.int64]:
        numbers = self.numbers
        arrays = {
            "signals": self.signals, "table": self.table, "pairs": numbers.pairs,
            "places": numbers.places, "numbers": numbers.numbers, "used": numbers.used,
            "sizes": self.sizes, "limits": self.limits, "settings": self.settings,
            "chance": self.arrays["chance"].array.view(np.uint8),
        }  # fmt: skip
        columns = {name: room.array for name, room in self.arrays.items()}
        return batch.table_of(batch.ARRAYS, columns | self.buffers | arrays)

    def _watched(self) -> int:
        """Run the loop; give it up if it hangs in one state."""
        self.signals[:] = (-1, 0)
        where, filler = self._where(), self.filler
        state, since = -1.0, time.monotonic()

        def look() -> None:
            nonlocal state, since
            if self.signals[0] != state:
                state, since = self.signals[0], time.monotonic()
            elif state >= 0 and time.monotonic() - since > filler.patience:
                raise filler.hangs(int(state), self)

        def work() -> int:
            return int(rows.advance(filler.address, filler.own, where, BUDGET))

        return watched(work, self.signals, look)

    def _check_limits(self) -> None:
        """Stop at the user's limit, and before memory runs out: arrays grow before they fill."""
        count, name = self.count, self.filler.name
        if self.max_states is not None and count > self.max_states:
            raise LimitError(
                f"{name} has more than {self.max_states:,} states{self.filler.too_many}"
            )
        if count > MOST_STATES - BUDGET:
            raise LimitError(f"{name} has more than {MOST_STATES:,} states.")
        free = memory.available()
        if free is not None and free < 256 * memory.MIB + (not self.direct) * self.table.nbytes:
            raise LimitError(
                f"Memory ran out exploring {name} at {count:,} states: {self.filler.too_little}"
            )

    # Results.

    def column(
        self, name: str, kind: npt.DTypeLike | None = None, step: int = 1
    ) -> npt.NDArray[Any]:
        """A finished array, perhaps of narrower numbers, or one in `step` of them."""
        size = int(self.sizes[COLUMNS[name]]) + (name in ("choice", "row"))
        return self.arrays[name].finish(size * self.width[name] // step, kind, step)


COLUMNS = {
    "keys": batch.COUNT, "choice": batch.AT, "owner": batch.AT, "end": batch.AT,
    "row": batch.CHOICES, "total": batch.CHOICES, "action": batch.CHOICES,
    "col": batch.EDGES, "chance": batch.EDGES, "shift": batch.EDGES,
    "extra": batch.EXTRAS, "dead": batch.DEADS,
}  # fmt: skip
"""What grows, and the counter that says how far it has."""

FAR = 1 << 62


REAL_ONE = int(np.float64(1).view(np.int64))
