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
from numba import njit

from oddsmith.solve.lattice.vector import BYTES, add, combine, load_row, store_row

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
    """[square, position]: chance of throws not played when the square is occupied."""
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
    at: Any
    at_row: Any
    """By square: the positions on it that can be blocked."""
    sent: Any
    sent_row: Any
    sent_chance: Any
    """By square: the sources whose throws are not played when it is occupied."""
    sums: Any
    sums_rows: Any
    sums_chance: Any
    """Two rows: the chances to finish, and a one for every position that throws."""


@njit(cache=True, nogil=True, fastmath=FAST)
def row_sum(x: Any, row: int, lanes: int) -> Any:
    """The sum of a row, in double precision."""
    found = 0.0
    for i in range(lanes):
        found += x[row, i]
    return found


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def occupy(
    lists: Any, players: int, mover: int, lane_axis: int, others: Any, taken: Any, stay: Any
) -> None:
    """The squares that the fixed tokens take, and the chance of each source to stay for them."""
    taken[:] = 0
    stay[:] = lists.itself
    for axis in range(players):
        if axis not in (mover, lane_axis):
            s = lists.square[others[axis]]
            if taken[s] == 0:
                taken[s] = 1
                for o in range(len(stay)):
                    stay[o] += lists.blocked[s, o]


@njit(cache=True, nogil=True)
def load(
    array: Any, base: int, stride: int, lane_stride: int, size: int, lanes: int, x: Any
) -> None:
    """Copy a tile to a buffer."""
    if lane_stride == 1 and lanes * array.itemsize >= BYTES:
        for o in range(size):
            load_row(array, base + o * stride, x, o, lanes)
        return
    start, step, lane_step = np.uintp(base), np.uintp(stride), np.uintp(lane_stride)
    for i in range(np.uintp(lanes)):
        row = start + i * lane_step
        for o in range(np.uintp(size)):
            x[o, i] = array[row + o * step]


@njit(cache=True, nogil=True)
def store(
    array: Any, base: int, stride: int, lane_stride: int, size: int, lanes: int, y: Any
) -> None:
    """Copy a buffer to its tile."""
    if lane_stride == 1 and lanes * array.itemsize >= BYTES:
        for o in range(size):
            store_row(array, base + o * stride, y, o, lanes)
        return
    start, step, lane_step = np.uintp(base), np.uintp(stride), np.uintp(lane_stride)
    for i in range(np.uintp(lanes)):
        row = start + i * lane_step
        for o in range(np.uintp(size)):
            array[row + o * step] = y[o, i]


@njit(cache=True, nogil=True)
def accumulate(sums: Any, k: int, value: Any) -> None:
    """sums[k] + sums[k + 1] += value, compensated (Neumaier)."""
    total = sums[k] + value
    if abs(sums[k]) >= abs(value):
        sums[k + 1] += (sums[k] - total) + value
    else:
        sums[k + 1] += (value - total) + sums[k]
    sums[k] = total


@njit(cache=True, nogil=True)
def buffer(array: Any, size: int, lanes: int) -> Any:
    """Rows of whole vectors, as they lie in the cache, for a tile of the array."""
    vector = BYTES // array.itemsize
    width = (lanes + vector - 1) // vector * vector
    found = np.zeros(size * width + vector, array.dtype)
    skip = -found.ctypes.data % BYTES // array.itemsize
    return found[skip : skip + size * width].reshape(size, width)


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True, fastmath=FAST)
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
    x, y, held = buffer(array, size, lanes), buffer(array, size, lanes), buffer(array, size, lanes)
    both = buffer(array, 2, lanes)
    stay = np.zeros(size, array.dtype)
    taken = np.zeros(len(lists.at) - 1, np.uint8)
    others = np.zeros(players, np.int64)
    one = array.dtype.type(1)
    square, rest, hold = lists.square, lists.rest, lists.hold
    for tile in range(first, last):
        if signals[-1] != 0:
            return
        base = place(tile, size, players, mover, lane_axis, others) - offset
        occupy(lists, players, mover, lane_axis, others, taken, stay)
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
            n = lists.into[q + 1] - lists.into[q]
            if n > 0 and taken[square[q]] == 0:
                combine(y, q, x, lists.into_rows, lists.into_chance, lists.into[q], n)
            else:
                y[q] = 0
        if players > 1:
            for i in range(lanes):
                for k in range(lists.at[square[i]], lists.at[square[i] + 1]):
                    y[lists.at_row[k], i] = 0
        for q in range(size):
            for k in range(lists.free[q], lists.free[q + 1]):
                add(y, q, x, lists.free_rows[k], lists.free_chance[k])
        for k in range(len(lists.special_chance)):
            o, q, s = lists.special[k]
            if taken[s] == 0:
                for i in range(lanes):
                    if players == 1 or square[i] != s:
                        part = lists.special_chance[k] * x[o, i]
                        if q >= 0:
                            y[q, i] += part
                        else:
                            won += part
        if len(visits) > 0:
            for q in range(size):
                visits[q] += row_sum(y, q, lanes)
        for o in range(size):
            if stay[o] != 0:
                add(y, o, x, o, stay[o])
            if rest[o] >= 0:
                add(y, rest[o], x, o, one)
            elif hold[o] and taken[square[o]] == 0:
                add(y, o, held, o, one)
        if players > 1:
            for i in range(lanes):
                if taken[square[i]] == 0:
                    for k in range(lists.sent[square[i]], lists.sent[square[i] + 1]):
                        y[lists.sent_row[k], i] += lists.sent_chance[k] * x[lists.sent_row[k], i]
        store(array, base, stride, lane_stride, size, lanes, y)
        accumulate(sums, 0, won)
        accumulate(sums, 2, threw)
        accumulate(sums, 4, rested)


@njit(cache=True, nogil=True, fastmath=FAST)
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
    x, y, z = buffer(array, size, lanes), buffer(array, size, lanes), buffer(array, size, lanes)
    stay = np.zeros(size, array.dtype)
    taken = np.zeros(len(lists.at) - 1, np.uint8)
    others = np.zeros(players, np.int64)
    square, rest, hold = lists.square, lists.rest, lists.hold
    for tile in range(first, last):
        if signals[-1] != 0:
            return
        base = place(tile, size, players, mover, lane_axis, others) - offset
        occupy(lists, players, mover, lane_axis, others, taken, stay)
        load(array, base, stride, lane_stride, size, lanes, x)
        z[:] = x
        for s in range(len(taken)):
            if taken[s] != 0:
                for k in range(lists.at[s], lists.at[s + 1]):
                    z[lists.at_row[k]] = 0
        if players > 1:
            for i in range(lanes):
                for k in range(lists.at[square[i]], lists.at[square[i] + 1]):
                    z[lists.at_row[k], i] = 0
        for o in range(size):
            if rest[o] >= 0:
                y[o] = x[rest[o]]
                continue
            n = lists.into[o + 1] - lists.into[o]
            if n > 0:
                combine(y, o, z, lists.into_rows, lists.into_chance, lists.into[o], n)
            else:
                y[o] = 0
            for k in range(lists.free[o], lists.free[o + 1]):
                add(y, o, x, lists.free_rows[k], lists.free_chance[k])
            if stay[o] != 0:
                add(y, o, x, o, stay[o])
            reward = throw_reward + win_reward * lists.finishing[o]
            for i in range(lanes):
                y[o, i] += reward
        for k in range(len(lists.special_chance)):
            o, q, s = lists.special[k]
            if taken[s] == 0:
                for i in range(lanes):
                    if players == 1 or square[i] != s:
                        worth = x[q, i] if q >= 0 else win_reward
                        y[o, i] += lists.special_chance[k] * worth
        if players > 1:
            for i in range(lanes):
                if taken[square[i]] == 0:
                    for k in range(lists.sent[square[i]], lists.sent[square[i] + 1]):
                        y[lists.sent_row[k], i] += lists.sent_chance[k] * x[lists.sent_row[k], i]
        for o in range(size):
            if hold[o] and taken[square[o]] == 0:
                for i in range(lanes):
                    if players == 1 or square[i] != square[o]:
                        y[o, i] = x[o, i]
        store(array, base, stride, lane_stride, size, lanes, y)


@njit(cache=True, nogil=True, fastmath=FAST)
def norms(array: Any, kept: Any, factor: float, first: int, last: int, found: Any) -> None:
    """Of array - factor * kept, a stretch: the sum, the sum of absolute values, the maximum."""
    for start in range(first, last, 64):
        stop = min(last, start + 64)
        total = absolute = 0.0
        most = -np.inf
        for i in range(np.uintp(start), np.uintp(stop)):
            value = np.float64(array[i]) - factor * np.float64(kept[i])
            total += value
            absolute += abs(value)
            most = max(most, value)
        accumulate(found, 0, total)
        accumulate(found, 2, absolute)
        found[4] = max(found[4], most)


@njit(cache=True, nogil=True, fastmath=FAST)
def subtract(array: Any, kept: Any, factor: Any, first: int, last: int) -> None:
    """array -= factor * kept, a stretch."""
    for i in range(np.uintp(first), np.uintp(last)):
        array[i] -= factor * kept[i]
