"""What workers run: pure functions, of a slab or of pieces of slabs.

Whoever runs them, however often, what they give has the same bits. A slab travels as a pair: its
numbers, and the sums of the turns that made it.
"""

from __future__ import annotations

import math
import os
import uuid
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddsmith.errors import OddsmithError
from oddsmith.rules.board.track import Track
from oddsmith.runtime.watch import new_signals
from oddsmith.solve.lattice.shards.cuts import Box, Order


@dataclass(frozen=True)
class Turns:
    """Turns on a slab: which axes move, one after the other."""

    players: int
    first: int
    last: int
    """The positions of the first token that the slab holds, the last one excluded."""
    axes: tuple[int, ...]
    visits: bool = False
    rewards: tuple[tuple[float, float], ...] | None = None
    """Backward: the rewards for winning and throwing in each turn."""

    def tiles(self, size: int, axis: int) -> tuple[int, int]:
        """The slab's tiles: the first token is their slowest digit, if it is one at all."""
        if self.last - self.first == size:
            return 0, size ** max(0, self.players - 2)
        step = size ** (self.players - 3)
        return self.first * step, self.last * step


def tables_of(track: Track, dtype: str) -> tuple[Any, Any]:
    """The track as kernels need it, forward and backward."""
    from oddsmith.solve.lattice.cpu import lists_of

    return lists_of(track, dtype, forward=True), lists_of(track, dtype, forward=False)


def filled(shape: tuple[int, ...], dtype: str, value: float, one: int | None) -> tuple[Any, Any]:
    """A slab with the same number everywhere, but a one at one place."""
    slab = np.full(shape, value, dtype)
    if one is not None:
        slab.reshape(-1)[one] = 1
    return slab, None


def cut(pair: Any, box: Box, axes: Order) -> Any:
    """A box out of a slab, its axes in another order."""
    part = pair[0][tuple(slice(*side) for side in box)].transpose(axes)
    return np.array(part, order="C")


def joined(axis: int, pieces: Sequence[Any]) -> tuple[Any, Any]:
    """A slab from pieces that follow each other along an axis."""
    return np.concatenate(pieces, axis), None


def played(tables: Any, turns: Turns, axis: int, pieces: Sequence[Any]) -> tuple[Any, Any]:
    """Turns on a new slab, put together from pieces, or on a copy of a slab (as a pair)."""
    slab = np.concatenate([p[0] if isinstance(p, tuple) else p for p in pieces], axis)
    if turns.rewards is not None:
        _play_backward(tables[1], turns, slab)
        return slab, None
    return slab, [_play_forward(tables[0], turns, slab, axis) for axis in turns.axes]


def _play_forward(lists: Any, turns: Turns, slab: Any, axis: int) -> tuple[Any, Any]:
    from oddsmith.solve.lattice import kernels

    size = len(lists.square)
    sums, arrived = np.zeros(6), np.zeros(size if turns.visits else 0)
    kernels.forward_tiles(
        slab.reshape(-1), turns.first * size ** (turns.players - 1), turns.players, axis,
        *turns.tiles(size, axis), lists, arrived, sums, new_signals(),
    )  # fmt: skip
    return sums, arrived


def _play_backward(lists: Any, turns: Turns, slab: Any) -> None:
    from oddsmith.solve.lattice import kernels

    size = len(lists.square)
    offset = turns.first * size ** (turns.players - 1)
    for axis, rewards in zip(turns.axes, turns.rewards or (), strict=True):
        kernels.backward_tiles(
            slab.reshape(-1), offset, turns.players, axis, *turns.tiles(size, axis), lists,
            *rewards, new_signals(),
        )  # fmt: skip


def norms(pair: Any, kept: Any, factor: float) -> Any:
    """Of a slab minus factor × another: the sum of absolute values in two parts, the maximum."""
    from oddsmith.solve.lattice import kernels

    found = np.zeros(3)
    found[2] = -np.inf
    slab, other = _flat(pair), _flat(kept if kept is not None else pair)
    kernels.norms(slab, other, factor, 0, slab.size, found)
    return found


def subtracted(pair: Any, kept: Any, factor: float) -> tuple[Any, Any]:
    """A slab minus factor × another."""
    from oddsmith.solve.lattice import kernels

    slab, other = pair[0].copy(), _flat(kept)
    kernels.subtract(slab.reshape(-1), other, slab.dtype.type(factor), 0, slab.size)
    return slab, None


def emptied(pair: Any, places: Any) -> tuple[Any, Any]:
    """A slab with zeros at some places, and the sum of what was there."""
    slab = pair[0].copy()
    flat = slab.reshape(-1)
    found = float(flat[places].sum(dtype=np.float64))
    flat[places] = 0
    return slab, found


def saved(pair: Any, path: str) -> int:
    """Write a slab to a file, all of it or nothing: the checksum."""
    temporary = f"{path}.{uuid.uuid4().hex}"
    with open(temporary, "wb") as file:  # noqa: PTH123
        file.write(_flat(pair).view(np.uint8).data)
    os.replace(temporary, path)  # noqa: PTH105
    return zlib.crc32(_flat(pair).view(np.uint8).data)


def checksum(path: str) -> int:
    """The checksum of a file."""
    return zlib.crc32(np.fromfile(path, np.uint8).data)


def loaded(path: str, dtype: str, shape: tuple[int, ...], expected: int) -> tuple[Any, Any]:
    """A slab from its file."""
    slab = np.fromfile(path, dtype)
    if slab.size != math.prod(shape) or zlib.crc32(slab.view(np.uint8).data) != expected:
        raise OddsmithError(f"The file {path} is damaged: another program has written there.")
    return slab.reshape(shape), None


def _flat(pair: Any) -> Any:
    """A slab's numbers one after the other; kernels are compiled for arrays one may write to."""
    return np.require(pair[0].reshape(-1), requirements=["C", "W"])
