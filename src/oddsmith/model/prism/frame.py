# mypy: disable-error-code="untyped-decorator"
"""What the loops of exploration share: the arrays, by address, and the counters.

A compiled function that is given an array counts its owners, and so do the functions it calls: by
the million that takes as long as the work. An array made from an address has no owner. So the
kernels get one small array, `where`, with the address and the length of every other one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import array_at, intrinsic, kernel

ARRAYS = (
    ("ctx", np.int64), ("slot_joint", np.int32), ("slot_part", np.int32),
    ("slot_first", np.int64), ("slot_last", np.int64), ("row_keep", np.uint64),
    ("row_add", np.uint64), ("row_chance", np.int64), ("joint_parts", np.int32),
    ("joint_action", np.int32), ("joint_player", np.int32), ("records", np.int64),
    ("outcomes", np.int64), ("ends", np.int64), ("packed", np.uint64), ("num", np.int64),
    ("den", np.int64), ("hashes", np.uint64), ("found", np.int32), ("spot", np.int64),
    ("seen", np.int32), ("choice_end", np.int64), ("choice_action", np.int32),
    ("choice_player", np.int32), ("state_end", np.int64), ("group", np.int64),
    ("odometer", np.int64), ("keys", np.uint64), ("table", np.uint32), ("choice", np.int64),
    ("row", np.int64), ("col", np.int32), ("chance", np.int32), ("action", np.int32),
    ("owner", np.int8), ("extra", np.int64), ("dead", np.int32), ("pairs", np.int64),
    ("places", np.int32), ("numbers", np.int64), ("used", np.int64), ("sizes", np.int64),
)  # fmt: skip
"""The arrays in the order of `where`, with their types."""

(CTX, SLOT_JOINT, SLOT_PART, SLOT_FIRST, SLOT_LAST, ROW_KEEP, ROW_ADD, ROW_CHANCE, JOINT_PARTS,
 JOINT_ACTION, JOINT_PLAYER, RECORDS, OUTCOMES, ENDS, PACKED, NUM, DEN, HASHES, FOUND, SPOT, SEEN,
 CHOICE_END, CHOICE_ACTION, CHOICE_PLAYER, STATE_END, GROUP, ODOMETER, KEYS, TABLE, CHOICE, ROW,
 COL, CHANCE, ACTION, OWNER, EXTRA, DEAD, PAIRS, PLACES, NUMBERS, USED,
 SIZES) = range(42)  # fmt: skip

(COUNT, AT, CHOICES, EDGES, BATCH, EXTRAS, DEADLOCKS, OVERLAPS, FIRST_OVERLAP, UNEVEN,
 FIRST_UNEVEN, UNEVEN_SLOT, NEEDED, COUNTERS) = range(14)  # fmt: skip
"""The counters, in `sizes`: states found, states expanded, choices, transitions, states to expand
at once, entries in `extra`, deadlocks, states with overlapping commands and the first of them,
whether chances were scaled and where first, and how much room is missing."""

DTMC, MDP, SMG = range(3)

DONE, PAUSED, NO_ROOM, WIDE, FAILED, TOO_LONG, MIXED, ODD_SUM = range(8)
"""Why exploration stops: finished; time to look around; arrays too small; one state has too many
outcomes for the buffers; an error in the next state; fractions too long for 64 bits; choices of
two players in one state; chances that do not sum to one."""


@intrinsic
def pointer(typing_context: Any, address: Any) -> Any:
    """An address as a pointer."""
    from numba import types

    signature = types.voidptr(types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from numba.core import cgutils

        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return signature, generate


@intrinsic
def call_expand(
    typing_context: Any, address: Any, ctx: Any, states: Any, first: Any, last: Any
) -> Any:
    """Call the program's `expand` at an address."""
    from numba import types

    signature = types.int64(*[types.int64] * 5)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from llvmlite import ir

        word = ir.IntType(64)
        function = ir.FunctionType(word, [word] * 4).as_pointer()
        return builder.call(builder.inttoptr(arguments[0], function), arguments[1:])

    return signature, generate


@kernel(forceinline=True)
def longs(where: Any, number: Any) -> Any:
    """An array of i64."""
    return array_at(pointer(where[number, 0]), (where[number, 1],), np.int64)


@kernel(forceinline=True)
def words_of(where: Any, number: Any) -> Any:
    """An array of u64."""
    return array_at(pointer(where[number, 0]), (where[number, 1],), np.uint64)


@kernel(forceinline=True)
def ints(where: Any, number: Any) -> Any:
    """An array of i32."""
    return array_at(pointer(where[number, 0]), (where[number, 1],), np.int32)


@kernel(forceinline=True)
def reals(where: Any, number: Any) -> Any:
    """An array of i64, read as doubles."""
    return array_at(pointer(where[number, 0]), (where[number, 1],), np.float64)
