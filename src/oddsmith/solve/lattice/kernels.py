# mypy: disable-error-code="untyped-decorator"
"""Compiled turns on the lattice, in place, a tile of fibres at a time.

The array holds S^N numbers, one axis a token. A turn of one player acts on every fibre along that
player's axis by a matrix that depends on the squares of the others only. A tile is S fibres: one
other token (on the last axis, or the one before it) takes all its positions, the *lanes*, and the
rest are fixed. The tile is copied to a buffer of S rows × L lanes that stays in the cache; rows
are combined lane by lane, which the compiler vectorises; what depends on a lane's own square is
corrected afterwards. So a tile is read once and written once.

`Lists` are the Track's matrices row by row, as `cpu.py` lays them out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.solve.lattice.vector import BYTES, add, add_by_lane, combine, load_row, store_row

FAST = {"contract", "reassoc", "nsz"}
"""Fused multiply-add and sums in any order: the bounds count additions, not their order."""


class Lists(NamedTuple):
    """What tiles need to know of a Track."""

    square: Any
    rest: Any
    hold: Any
    finishing: Any
    itself: Any
    """Chance of a throw that leaves the token where it is, whoever is there."""
    blocked: Any
    """[square, position]: chance of throws not played when the square is occupied; padded."""
    into: Any
    into_rows: Any
    into_chance: Any
    """Throws that an occupied target blocks: by target (forward) or by source (backward)."""
    free: Any
    free_rows: Any
    free_chance: Any
    """Throws that nobody can block, likewise."""
    special: Any
    special_chance: Any
    """(source, target, tested) of throws blocked by another square than their target's."""
    blockable: Any
    """Which positions an occupied square blocks."""
    same: Any
    same_lane: Any
    """By position: the lanes whose token is on its square."""
    woken: Any
    woken_row: Any
    """By position: the waiting rooms from which a rest leads there."""
    sums: Any
    sums_rows: Any
    sums_chance: Any
    """Two rows: the chances to finish, and a one for every position that throws."""


@kernel(fastmath=FAST)
def row_sum(x: Any, row: int, lanes: int) -> Any:
    """The sum of a row, in double precision."""
    found = 0.0
    for i in range(lanes):
        found += x[row, i]
    return found


@kernel
def place(tile: int, size: int, players: int, mover: int, lane_axis: int, others: Any) -> int:
    """Where a tile begins in the array; the fixed tokens' positions go to `others`."""
    base, stride, left = 0, 1, tile
    for axis in range(players - 1, -1, -1):
        if axis not in (mover, lane_axis):
            others[axis] = left % size
            base += others[axis] * stride
            left //= size
        stride *= size
    return base


@kernel
def occupy(
    lists: Any, players: int, mover: int, lane_axis: int, others: Any, taken: Any, stay: Any
) -> None:
    """The squares that the fixed tokens take, and the chance of each source to stay for them."""
    taken[:] = 0
    stay[0] = lists.itself
    one = stay.dtype.type(1)
    for axis in range(players):
        if axis not in (mover, lane_axis):
            s = lists.square[others[axis]]
            if taken[s] == 0:
                taken[s] = 1
                add(stay, 0, lists.blocked, s, one)


@kernel
def rows_are_whole(array: Any, lane_stride: int, lanes: int) -> bool:
    """Whether a row of a tile is one stretch of the array, at least a vector long."""
    return lane_stride == 1 and lanes * array.itemsize >= BYTES


@kernel
def load(
    array: Any, base: int, stride: int, lane_stride: int, size: int, lanes: int, x: Any
) -> None:
    """Copy a tile to a buffer."""
    if rows_are_whole(array, lane_stride, lanes):
        for o in range(size):
            load_row(array, base + o * stride, x, o, lanes)
        return
    start, step, lane_step = np.uintp(base), np.uintp(stride), np.uintp(lane_stride)
    for i in range(np.uintp(lanes)):
        row = start + i * lane_step
        for o in range(np.uintp(size)):
            x[o, i] = array[row + o * step]


@kernel
def store(
    array: Any, base: int, stride: int, lane_stride: int, size: int, lanes: int, y: Any
) -> None:
    """Copy a buffer to its tile."""
    start, step, lane_step = np.uintp(base), np.uintp(stride), np.uintp(lane_stride)
    for i in range(np.uintp(lanes)):
        row = start + i * lane_step
        for o in range(np.uintp(size)):
            array[row + o * step] = y[o, i]


@kernel
def leave_free(free: Any, square: Any, taken: Any, lanes: int) -> None:
    """One for lanes whose square no fixed token has taken: those block by themselves."""
    for i in range(lanes):
        free[0, i] = 1 - taken[square[i]]


@kernel
def stays_by_lane(array: Any, players: int, lanes: int, lists: Any) -> Any:
    """By position and lane: the chance of throws that the lane's own token blocks."""
    size = len(lists.square)
    found = buffer(array, size, lanes)
    if players > 1:
        for o in range(size):
            for i in range(lanes):
                found[o, i] = lists.blocked[lists.square[i], o]
    return found


@kernel
def accumulate(sums: Any, k: int, value: Any) -> None:
    """sums[k] + sums[k + 1] += value, compensated (Neumaier)."""
    total = sums[k] + value
    if abs(sums[k]) >= abs(value):
        sums[k + 1] += (sums[k] - total) + value
    else:
        sums[k + 1] += (value - total) + sums[k]
    sums[k] = total


@kernel
def buffer(array: Any, size: int, lanes: int) -> Any:
    """Rows of whole vectors, as they lie in the cache, for a tile of the array.

    Kernels get their memory in whole lines of the cache (`ahead/library.py`).
    """
    vector = BYTES // array.itemsize
    width = (lanes + vector - 1) // vector * vector
    return np.zeros((size, width), array.dtype)


@kernel
def geometry(size: int, players: int, mover: int) -> Any:
    """Strides of the mover's and the lanes' axis, the lanes' axis, and the number of lanes."""
    if players == 1:
        return 1, 1, -1, 1
    lane_axis = players - 1 if mover < players - 1 else players - 2
    return (
        size ** (players - 1 - mover),
        size ** (players - 1 - lane_axis),
        lane_axis,
        size,
    )


@kernel(fastmath=FAST)
def forward_tiles(
    array: Any, offset: int, players: int, mover: int, first: int, last: int, lists: Any,
    visits: Any, sums: Any, signals: Any,
) -> None:  # fmt: skip
    """One turn of the mover on some tiles: mass moves. Adds to sums: won, threw, rested.

    `array` begins at number `offset` of the whole. Sums of a tile are plain, tiles are added up
    with compensation. `visits`, if it has an entry a position, gets the mass that arrives there.
    """
    size = len(lists.square)
    stride, lane_stride, lane_axis, lanes = geometry(size, players, mover)
    by_row = rows_are_whole(array, lane_stride, lanes)
    x, held = buffer(array, size, lanes), buffer(array, size, lanes)
    y, both = buffer(array, 1 if by_row else size, lanes), buffer(array, 2, lanes)
    one = array.dtype.type(1)
    stay, free = buffer(array, 1, size), buffer(array, 1, lanes)
    lane_stays = stays_by_lane(array, players, lanes, lists)
    taken = np.zeros(len(lists.blocked), np.uint8)
    others = np.zeros(players, np.int64)
    square, rest, hold = lists.square, lists.rest, lists.hold
    for tile in range(first, last):
        if signals[-1] != 0:
            return
        base = place(tile, size, players, mover, lane_axis, others) - offset
        occupy(lists, players, mover, lane_axis, others, taken, stay)
        leave_free(free, square, taken, lanes)
        load(array, base, stride, lane_stride, size, lanes, x)
        rested = 0.0
        for o in range(size):
            if rest[o] >= 0:
                rested += row_sum(x, o, lanes)
            if hold[o] and taken[square[o]] == 0:  # who has no company does not throw
                for i in range(lanes):
                    alone = players == 1 or square[i] != square[o]
                    held[o, i] = x[o, i] if alone else 0
                    x[o, i] -= held[o, i]
                rested += row_sum(held, o, lanes)
        for k in range(2):
            first_term, terms = lists.sums[k], lists.sums[k + 1] - lists.sums[k]
            combine(both, k, x, lists.sums_rows, lists.sums_chance, first_term, terms)
        won, threw = row_sum(both, 0, lanes), row_sum(both, 1, lanes)
        for q in range(size):
            row = 0 if by_row else q
            n = lists.into[q + 1] - lists.into[q]
            if n > 0 and taken[square[q]] == 0:
                combine(y, row, x, lists.into_rows, lists.into_chance, lists.into[q], n)
                if players > 1:
                    for k in range(lists.same[q], lists.same[q + 1]):
                        y[row, lists.same_lane[k]] = 0
            else:
                y[row] = 0
            for k in range(lists.free[q], lists.free[q + 1]):
                add(y, row, x, lists.free_rows[k], lists.free_chance[k])
            for k in range(len(lists.special_chance)):
                o, target, s = lists.special[k]
                if target == q and taken[s] == 0:
                    for i in range(lanes):
                        if players == 1 or square[i] != s:
                            y[row, i] += lists.special_chance[k] * x[o, i]
            if len(visits) > 0:
                visits[q] += row_sum(y, row, lanes)
            add_by_lane(y, row, x, q, stay[0, q], lane_stays, free)
            for k in range(lists.woken[q], lists.woken[q + 1]):
                add(y, row, x, lists.woken_row[k], one)
            if hold[q] and taken[square[q]] == 0:
                add(y, row, held, q, one)
            if by_row:
                store_row(array, base + q * stride, y, 0, lanes)
        if not by_row:
            store(array, base, stride, lane_stride, size, lanes, y)
        for k in range(len(lists.special_chance)):
            o, target, s = lists.special[k]
            if target < 0 and taken[s] == 0:
                for i in range(lanes):
                    if players == 1 or square[i] != s:
                        won += lists.special_chance[k] * x[o, i]
        accumulate(sums, 0, won)
        accumulate(sums, 2, threw)
        accumulate(sums, 4, rested)


@kernel(fastmath=FAST)
def backward_tiles(
    array: Any, offset: int, players: int, mover: int, first: int, last: int, lists: Any,
    win_reward: float, throw_reward: float, signals: Any,
) -> None:  # fmt: skip
    """One turn of the mover on some tiles, backward: the value of each position before it.

    A position is worth what the turn leads to on the average, plus a reward for a throw and one
    for the chance to finish by it.
    """
    size = len(lists.square)
    stride, lane_stride, lane_axis, lanes = geometry(size, players, mover)
    by_row = rows_are_whole(array, lane_stride, lanes)
    x, z = buffer(array, size, lanes), buffer(array, size, lanes)
    y = buffer(array, 1 if by_row else size, lanes)
    stay, free = buffer(array, 1, size), buffer(array, 1, lanes)
    lane_stays = stays_by_lane(array, players, lanes, lists)
    taken = np.zeros(len(lists.blocked), np.uint8)
    others = np.zeros(players, np.int64)
    square, rest, hold = lists.square, lists.rest, lists.hold
    for tile in range(first, last):
        if signals[-1] != 0:
            return
        base = place(tile, size, players, mover, lane_axis, others) - offset
        occupy(lists, players, mover, lane_axis, others, taken, stay)
        leave_free(free, square, taken, lanes)
        load(array, base, stride, lane_stride, size, lanes, x)
        for q in range(size):  # z: what a throw finds there that an occupied square blocks
            if lists.blockable[q] and taken[square[q]] != 0:
                z[q] = 0
                continue
            z[q] = x[q]
            if lists.blockable[q] and players > 1:
                for k in range(lists.same[q], lists.same[q + 1]):
                    z[q, lists.same_lane[k]] = 0
        for o in range(size):
            row = 0 if by_row else o
            if rest[o] >= 0:
                y[row] = x[rest[o]]
            else:
                n = lists.into[o + 1] - lists.into[o]
                combine(y, row, z, lists.into_rows, lists.into_chance, lists.into[o], n)
                for k in range(lists.free[o], lists.free[o + 1]):
                    add(y, row, x, lists.free_rows[k], lists.free_chance[k])
                for k in range(len(lists.special_chance)):
                    source, target, s = lists.special[k]
                    if source == o and taken[s] == 0:
                        for i in range(lanes):
                            if players == 1 or square[i] != s:
                                worth = x[target, i] if target >= 0 else win_reward
                                y[row, i] += lists.special_chance[k] * worth
                add_by_lane(y, row, x, o, stay[0, o], lane_stays, free)
                reward = throw_reward + win_reward * lists.finishing[o]
                for i in range(lanes):
                    y[row, i] += reward
                if hold[o] and taken[square[o]] == 0:
                    for i in range(lanes):
                        if players == 1 or square[i] != square[o]:
                            y[row, i] = x[o, i]
            if by_row:
                store_row(array, base + o * stride, y, 0, lanes)
        if not by_row:
            store(array, base, stride, lane_stride, size, lanes, y)


@kernel(fastmath=FAST)
def norms(array: Any, kept: Any, factor: float, first: int, last: int, found: Any) -> None:
    """Of array - factor * kept, a stretch: the 1-norm in two parts, and the maximum."""
    for start in range(first, last, 64):
        stop = min(last, start + 64)
        absolute, most = 0.0, -np.inf
        for i in range(np.uintp(start), np.uintp(stop)):
            value = np.float64(array[i]) - factor * np.float64(kept[i])
            absolute += abs(value)
            most = max(most, value)
        accumulate(found, 0, absolute)
        found[2] = max(found[2], most)


@kernel(fastmath=FAST)
def subtract(array: Any, kept: Any, factor: Any, first: int, last: int) -> None:
    """array -= factor * kept, a stretch."""
    for i in range(np.uintp(first), np.uintp(last)):
        array[i] -= factor * kept[i]
