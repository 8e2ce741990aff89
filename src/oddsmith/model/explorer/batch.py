# mypy: disable-error-code="untyped-decorator"
"""One step: how any rules say what can happen, a batch of packed states at a time.

A state is *packed* into a few words of 64 bits, in whatever way its front end likes. What the rules
say in states is said by a **filler**: a function of the C calling convention, known by its address,

    int32 fill(int64 *frame)

It expands the states first … last-1 and writes what comes of them into buffers, the *batch*. It
is told in the words of its frame (frame[0] is not its own)

    frame[1]  own       an address of whatever it needs besides: tables, buffers, other functions
    frame[2]  where     the address of a table: of every array in `ARRAYS`, address and length
    frame[3]  first     state s is the words keys[s * words … (s+1) * words - 1]
    frame[4]  last

and it answers in the same words

    frame[1]  done      how many states it has expanded
    frame[2]  reason    why it did not expand the next, if it did not (see below)
    frame[3]  outcomes  how many it has written, of all states together
    frame[4]  choices
    frame[5]  also

and returns 0 (anything else: memory ran out). So a kernel that takes four whole numbers and gives
five, made ahead, is a filler as it is (`Kernel.address`), and so is machine code made of rules.

**The batch.** State first + i has the choices `state_end[i-1] … state_end[i] - 1`, and choice c the
outcomes `choice_end[c-1] … choice_end[c] - 1` (from 0 for the first):

    of a state    player         who decides
                  ended          as many words as the front end keeps: who has won, the scores
    of a choice   choice_action  the number of the action
    of an outcome packed         the state it leads to
                  num, den       its chance: num / den; the bits of a double, and 0; or a weight and
                                 the sum of the weights (`WHOLE`, `EXACT`, `REALS` in the settings)
                  seats          how many seats the view turns, where players are interchangeable

A state without choices is an end. `also` has pairs (choice, action): further actions of a choice
that several commands were merged into, in the order of the choices.

Outcomes may lead to the same state: the explorer merges them into the first and adds the chances.
States are numbered breadth first in the order in which outcomes lead to them, so the order of
choices and outcomes is part of what the rules say: every filler of the same rules, and the plain
interpreter, must have the same.

**Room.** No more than `len(num)` outcomes, `len(num)` choices and `len(player)` states fit. Before
a state for which there may be no room the filler stops; if that is the first of all, the reason is
`WIDE`, and it is called again with larger buffers. It stops before a state with an error in the
same way: only when that state comes first is its reason heard. Reasons from `OWN` on are its front
end's, which words the error. While it computes, it may write the number of the state at hand to
`signals[0]`: rules that never return are then told by their state.

Other users of the same convention: whoever wants the successors of some states and no model (a
walk, a sweep over an implicit model) makes the arrays up to `ended`, puts the states in `keys`, and
calls the filler.

An array that a compiled function is given has its owners counted, by that function and by those it
calls: by the million that takes as long as the work. An array made from an address has no owner;
hence the one small table of addresses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.ahead import array_at, kernel
from oddsmith.model.native.calls import pointer

ARRAYS = (
    # What a filler reads.
    ("keys", np.uint64), ("signals", np.float64),
    # What a filler writes.
    ("packed", np.uint64), ("num", np.int64), ("den", np.int64), ("seats", np.uint8),
    ("choice_end", np.int64), ("choice_action", np.int32), ("also", np.int64),
    ("state_end", np.int64), ("player", np.int8), ("ended", np.int64),
    # What an explorer writes: the rows of a model.
    ("choice", np.int64), ("row", np.int64), ("col", np.int32), ("chance", np.uint8),
    ("shift", np.uint8), ("total", np.int64), ("action", np.int32), ("owner", np.int8),
    ("end", np.int64), ("extra", np.int64), ("dead", np.int32),
    # What it needs for that: states by their numbers, numbers by theirs, counters.
    ("table", np.uint32), ("hashes", np.uint64), ("number", np.int32), ("spot", np.int64),
    ("seen", np.int64), ("pairs", np.int64), ("places", np.int32), ("numbers", np.int64),
    ("used", np.int64), ("sizes", np.int64), ("limits", np.int64), ("settings", np.int64),
    ("frame", np.int64),
)  # fmt: skip
"""The arrays in the order of the table, with their types. (`chance` is of bytes for the table: its
entries have the width that the settings say.)"""

(KEYS, SIGNALS, PACKED, NUM, DEN, SEATS, CHOICE_END, CHOICE_ACTION, ALSO, STATE_END, PLAYER, ENDED,
 CHOICE, ROW, COL, CHANCE, SHIFT, TOTAL, ACTION, OWNER, END, EXTRA, DEAD, TABLE, HASHES, NUMBER,
 SPOT, SEEN, PAIRS, PLACES, NUMBERS, USED, SIZES, LIMITS, SETTINGS, FRAME) = range(36)  # fmt: skip

(COUNT, AT, CHOICES, EDGES, EXTRAS, DEADS, USED_PAIRS, USED_NUMBERS, BATCH, NEEDED,
 COUNTERS) = range(11)  # fmt: skip
"""The counters, in `sizes`: states met, states expanded, choices, transitions, entries in `extra`
and in `dead`, (two that only `limits` has: entries in the table of chances,) states to expand at
once, and what a reason to stop is about. `limits` says how far the first eight may have come for
another batch to fit."""

(WORDS, CHANCES, BYTES, LOOPS, OWNERS, ACTIONS, TURNING, ENDS, DIRECT, OF_SETTINGS) = range(10)
"""The settings: words of a state; what chances are; bytes of an entry of `chance`; whether a state
without choices gets a loop; whether owners, actions and turns of the view are kept; words of
`ended`; whether a state's first word is its place in the table."""

WHOLE, EXACT, REALS = range(3)
"""What chances are: weights kept as they are, fractions, doubles."""

(DONE, PAUSED, NO_ROOM, WIDE, BEYOND, NO_MEMORY, CLASH, TOO_LONG, OWN) = range(9)
"""Why exploration stops: finished; time to look around; arrays too small; one state has too many
outcomes for the buffers; a place beyond the table of states; no memory; two states in one place;
chances too long for 64 bits; and from there on, reasons of the front end."""


def table_of(
    kinds: Sequence[tuple[str, Any]], arrays: Mapping[str, npt.NDArray[Any]]
) -> npt.NDArray[np.int64]:
    """The addresses and lengths of arrays, for kernels; whoever makes it keeps the arrays."""
    table = np.zeros((len(kinds), 2), np.int64)
    for i, (name, kind) in enumerate(kinds):
        array = arrays[name]
        assert (array.dtype, array.flags.c_contiguous) == (kind, True), name
        table[i] = array.ctypes.data, array.size
    return table


@kernel(forceinline=True)
def table_at(address: Any, arrays: Any) -> Any:
    """A table of so many arrays."""
    return array_at(pointer(address), (arrays, 2), np.int64)


def _reader(kind: Any) -> Any:
    """What gives an array of a table, by its number there."""

    @kernel(forceinline=True)
    def read(where: Any, number: Any) -> Any:
        return array_at(pointer(where[number, 0]), (where[number, 1],), kind)

    return read


longs, ints, players_of = _reader(np.int64), _reader(np.int32), _reader(np.int8)
words_of, entries, shorts = _reader(np.uint64), _reader(np.uint32), _reader(np.uint16)
bytes_of, reals = _reader(np.uint8), _reader(np.float64)
