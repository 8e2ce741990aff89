"""The lattice on a cluster: the array in slabs, one or more a worker.

The array's axes are in some `order` of the tokens, and it is cut along the first axis: a slab
holds positions a to b of token order[0] and all positions of the others. A turn of any other token
needs nothing from outside a slab. Before a turn of order[0] the array is cut anew, along another
token's axis: every slab is cut into W pieces along that axis, and each new slab is put together
from one piece of every old one,

    old[a..b, middle, c..d]  ->  new[c..d, a..b, middle].

The token whose turn is farthest off becomes the first: the one that has just played. With turns
in the order 0, 1, 2, … that is the token of the last axis, so the order rotates; backward it is
the other neighbour. So this happens once every N - 1 turns, and every number travels once:
8 S^N (1 - 1/W) bytes go from worker to worker every N - 1 turns, W the number of slabs. Tokens
obey the same rules, so that kernels need to know only which axis moves.

**Faults.** Every task is a pure function of its arguments. If a worker dies, Dask computes its
slabs again from what they were made of; as every cut mixes all slabs, that may be all turns since
the slabs were last *anchored*: written to files in a directory that all workers share, where from
then on they come from. That is done every few rounds, and takes at most a tenth of the time.

**The same bits.** The sums of a turn are added up in the order of the slabs, so an answer depends
on the number of slabs, not on workers, their deaths or the clock. The order of the axes decides
in which order chances to be blocked are added, so numbers may differ in their last bits from those
of one process; the bounds are the same.
"""

from __future__ import annotations

import math
import operator
import os
import shutil
import tempfile
import time
import uuid
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from oddsmith.errors import LimitError, OddsmithError, OptionError
from oddsmith.rules.board.track import Track
from oddsmith.runtime import memory
from oddsmith.runtime.cluster import LOCAL, Cluster
from oddsmith.runtime.watch import new_signals

ROUNDS, SECONDS = 8, 30.0
"""Slabs are anchored after so many rounds, or seconds, whichever is first,"""
SHARE, LONG = 10, 64
"""but only when that takes less than a tenth of the time; after so many rounds anyway."""
SLABS, SLABS_TO_KEEP = 3, 5
"""Slabs in memory for one of the array: itself, its pieces, the next; and with a copy."""
USABLE = 0.7
"""The part of a worker's memory that it fills before it spills to its disk."""

Order = tuple[int, ...]
Box = tuple[tuple[int, int], ...]


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


@dataclass(frozen=True)
class Slabs:
    """The array, or a copy: futures of pairs (slab, sums of the turns that made it)."""

    order: Order
    futures: tuple[Any, ...]


# Tasks: pure functions, run by workers ---------------------------------------------------------


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
    """Of a slab minus factor × another: sum and sum of absolute values in two parts, maximum."""
    from oddsmith.solve.lattice import kernels

    found = np.zeros(5)
    found[4] = -np.inf
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


# The client ------------------------------------------------------------------------------------


class ShardedSweeper:
    """The numbers of a lattice on a cluster, and turns on them; see `Sweeper` in sweep.py.

    `cluster` is "local" (a process a core, or as many as `workers`) or the address of a Dask
    scheduler; `shards` is the number of slabs (a thread of a worker each, if not given), and
    `scratch` a directory that this process and all workers can write to.
    """

    name = "cluster"
    keep_error = 0.0

    def __init__(
        self,
        track: Track,
        players: int,
        dtype: str = "float64",
        cluster: str = LOCAL,
        shards: int | None = None,
        workers: int | None = None,
        scratch: str | Path | None = None,
    ) -> None:
        self.track, self.players, self.dtype = track, players, dtype
        self.size: int = track.size**players
        self.sum_terms = track.size + track.terms
        if shards is not None and not 1 <= shards <= track.size:
            raise OptionError(f"The array has 1 to {track.size} slabs, not {shards}.")
        if cluster == LOCAL:
            memory.require(SLABS * self.bytes, self._what, "use float32, or simulate instead")
        elif scratch is None:
            raise OddsmithError(
                f"Sweeps on the cluster at {cluster} need a directory that all its workers share: "
                f"say which with --scratch."
            )
        self._kept: Slabs | None = None
        self._waiting: list[tuple[int, float, float]] = []
        self._draft: list[Path] = []
        self._turns, self._kept_at = 0, 0
        self._generation, self._anchor_cost = 0, 0.0
        self._folder: Path | None = None
        self.cluster = Cluster(cluster, workers)
        try:
            self._folder = _new_folder(scratch)
            self._settle_in(shards)
            self.place_start()
        except BaseException:
            self.close()
            raise

    @property
    def bytes(self) -> int:
        """Bytes of the array."""
        return int(self.size * np.dtype(self.dtype).itemsize)

    @property
    def _what(self) -> str:
        return f"The lattice of {self.players} tokens on {self.track.size} positions"

    def _settle_in(self, shards: int | None) -> None:
        """Get to know the workers, and decide how many slabs there are."""
        assert self._folder is not None
        probe = self._folder / "probe"
        probe.write_text("oddsmith\n")
        about = self.cluster.ask_workers(str(probe))
        for address, worker in about.items():
            if not worker.sees:
                raise OddsmithError(
                    f"The worker {address} cannot read and write in {self._folder.parent}: scratch "
                    f"must be a directory that all workers share."
                )
        threads = sum(worker.threads for worker in about.values())
        self.shards = 1 if self.players < 3 else min(self.track.size, shards or threads)
        self._cuts = [self.track.size * i // self.shards for i in range(self.shards + 1)]
        self._workers = len(about)
        limits = [worker.memory for worker in about.values() if worker.memory]
        self._room = USABLE * min(limits) if limits else math.inf
        self._check_room()
        self._tables = self.cluster.submit(tables_of, self.track, self.dtype)

    def _check_room(self) -> None:
        if self._needed(SLABS) > self._room:
            fit = max(1, int(self._room * self.track.size / (SLABS * self.bytes)))
            enough = math.ceil(self.track.size / fit)
            raise LimitError(
                f"{self._what} needs about {self._needed(SLABS) / memory.GIB:.2f} GiB on each of "
                f"{self._workers} workers, which have {self._room / memory.GIB:.2f} GiB: "
                f"use {enough} workers or more, or float32."
            )
        assert self._folder is not None
        free = shutil.disk_usage(self._folder).free
        if 2 * self.bytes > free:
            raise LimitError(
                f"{self._what} needs {2 * self.bytes / memory.GIB:.2f} GiB of disk in "
                f"{self._folder.parent}, where {free / memory.GIB:.2f} GiB are free: say another "
                f"directory with --scratch."
            )

    def _needed(self, slabs: int) -> float:
        """Bytes a worker needs to hold so many slabs for each of its own."""
        rows = -(-self.track.size // self.shards) * -(-self.shards // self._workers)
        return slabs * rows * self.bytes / self.track.size

    # Slabs -------------------------------------------------------------------------------------

    def _sides(self, shard: int) -> tuple[int, int]:
        """The positions of the first token in a slab."""
        return self._cuts[shard], self._cuts[shard + 1]

    def _shape(self, shard: int) -> tuple[int, ...]:
        first, last = self._sides(shard)
        return (last - first, *(self.track.size,) * (self.players - 1))

    def _each(self, function: Any, *arguments: Any) -> tuple[Any, ...]:
        """A task a slab; arguments that are slabs or lists have an entry a slab."""
        own = [a.futures if isinstance(a, Slabs) else a for a in arguments]
        return tuple(
            self.cluster.submit(
                function, *(a[i] if isinstance(a, (tuple, list)) else a for a in own)
            )
            for i in range(self.shards)
        )

    def _fresh(self, value: float, one: int | None = None) -> None:
        """All numbers anew; `one` is the place of a one."""
        self._waiting, self._draft = [], []
        step = self.size // self.track.size
        ones = [
            one - a * step if one is not None and a * step <= one < b * step else None
            for a, b in (self._sides(i) for i in range(self.shards))
        ]
        shapes = [self._shape(i) for i in range(self.shards)]
        futures = self._each(filled, shapes, self.dtype, value, ones)
        self._slabs = Slabs(tuple(range(self.players)), futures)
        self._forget_files()
        self._anchored(0.0)

    def _pieces(self, slabs: Slabs, order: Order) -> list[list[Any]]:
        """For each new slab in another order, its pieces, one from every old slab."""
        axes = tuple(slabs.order.index(token) for token in order)
        whole = (0, self.track.size)
        found: list[list[Any]] = []
        for new in range(self.shards):
            found.append([])
            for old, pair in enumerate(slabs.futures):
                box = [(0, self._shape(old)[0])] + [whole] * (self.players - 1)
                if axes[0] != 0:
                    box[axes[0]] = self._sides(new)
                elif new != old:
                    continue
                found[-1].append(self.cluster.submit(cut, pair, tuple(box), axes))
        return found

    def _moved(self, slabs: Slabs, order: Order) -> Slabs:
        """The same numbers, axes in another order."""
        if slabs.order == order:
            return slabs
        axis = order.index(slabs.order[0])
        pieces = self._pieces(slabs, order)
        return Slabs(
            order,
            tuple(self.cluster.submit(joined, axis, parts) for i, parts in enumerate(pieces)),
        )

    # Turns -------------------------------------------------------------------------------------

    def _segments(self, movers: Sequence[int], step: int) -> Iterator[tuple[Order, list[int]]]:
        """Turns that can be played one after the other in slabs, and the order of their axes."""
        order, found = self._slabs.order, list[int]()
        for mover in movers:
            if self.shards > 1 and mover == order[0]:
                if found:
                    yield order, found
                far = (mover - step) % self.players
                order, found = (far, *(token for token in order if token != far)), []
            found.append(mover)
        yield order, found

    def _play(
        self,
        movers: Sequence[int],
        visits: bool = False,
        rewards: Sequence[tuple[float, float]] | None = None,
    ) -> list[tuple[Any, ...]]:
        """Have turns played: of each stretch of turns, the futures of the slabs."""
        done, stretches = 0, []
        for order, some in list(self._segments(movers, 1 if rewards is None else -1)):
            axes = tuple(order.index(mover) for mover in some)
            own = None if rewards is None else tuple(rewards[done : done + len(some)])
            self._slabs = self._stretch(order, axes, visits, own)
            stretches.append(self._slabs.futures)
            done += len(some)
        self._turns += done
        if self._kept is not None and self._turns - self._kept_at > self.players:
            self._kept = None
        return stretches

    def _stretch(self, order: Order, axes: tuple[int, ...], visits: bool, rewards: Any) -> Slabs:
        slabs = self._slabs
        same = slabs.order == order
        pieces = [[f] for f in slabs.futures] if same else self._pieces(slabs, order)
        axis = order.index(slabs.order[0])
        turns = [
            Turns(self.players, *self._sides(i), axes, visits, rewards) for i in range(self.shards)
        ]
        futures = [
            self.cluster.submit(played, self._tables, turns[i], axis, parts)
            for i, parts in enumerate(pieces)
        ]
        return Slabs(order, tuple(futures))

    def _forward(self, movers: Sequence[int], visits: bool) -> list[tuple[Any, Any]]:
        """Turns: the sums (won, threw, rested) and arrivals of each."""
        self._settle()
        stretches = self._play(movers, visits)
        asked = [self._each(operator.itemgetter(1), list(futures)) for futures in stretches]
        found = iter(self.cluster.results([future for some in asked for future in some]))
        turns: list[Any] = []
        for some in asked:
            turns += zip(*(next(found) for _ in some), strict=True)
        del stretches, asked
        self._anchor_if_due()
        return [_added(turn) for turn in turns]

    def forward(self, mover: int, visits: bool = False) -> tuple[float, float, float, Any]:
        """Play a turn: mass that finished, that threw, that rested; arrivals if asked for."""
        sums, arrived = self._forward([mover], visits)[0]
        return (*sums, arrived if visits else None)

    def forward_many(self, mover: int, turns: int) -> Any:
        """Some turns, beginning with the mover's: an array of turns × (won, threw, rested)."""
        movers = [(mover + t) % self.players for t in range(turns)]
        return np.array([sums for sums, _ in self._forward(movers, False)])

    def backward(self, mover: int, win_reward: float, throw_reward: float) -> None:
        """Values before a turn from values after it. It is played when it is needed."""
        if self._draft:
            self._settle()
        self._waiting.append((mover, win_reward, throw_reward))
        if len(self._waiting) >= ROUNDS * self.players:
            self._settle()

    def _settle(self) -> None:
        """Do what has been put off: backward turns, writing."""
        if self._draft:
            self._read_draft()
        if self._waiting:
            turns, self._waiting = self._waiting, []
            self._play([turn[0] for turn in turns], rewards=[turn[1:] for turn in turns])
            self._anchor_if_due()

    # Numbers -----------------------------------------------------------------------------------

    def place_start(self) -> None:
        """All mass on the start."""
        one = sum(self.track.start * self.track.size**k for k in range(self.players))
        self._fresh(0.0, one)

    def fill(self, value: float) -> None:
        """The same number everywhere."""
        self._fresh(value)

    def _norms(self, factor: float = 0.0) -> Any:
        self._settle()
        kept = None if factor == 0.0 else self._kept_here()
        return np.array(self.cluster.results(self._each(norms, self._slabs, kept, factor)))

    def norm(self) -> float:
        """The sum of all absolute values."""
        return math.fsum(self._norms()[:, 2:4].flat)

    def maximum(self) -> float:
        """The largest number."""
        return float(self._norms()[:, 4].max())

    def take(self, indices: Any) -> float:
        """The sum of the numbers at some places, which are then zero."""
        self._settle()
        found = []
        slabs = list(self._slabs.futures)
        for shard, places in self._places(np.asarray(indices, np.int64)):
            slabs[shard] = self.cluster.submit(emptied, slabs[shard], places)
            found.append(self.cluster.submit(operator.itemgetter(1), slabs[shard]))
        self._slabs = Slabs(self._slabs.order, tuple(slabs))
        return math.fsum(self.cluster.results(found)) if found else 0.0

    def _places(self, indices: Any) -> Iterator[tuple[int, Any]]:
        """Where numbers are: slabs, and places in them."""
        tokens = np.unravel_index(indices, (self.track.size,) * self.players)
        digits = [tokens[token] for token in self._slabs.order]
        for shard in range(self.shards):
            first, last = self._sides(shard)
            here = (digits[0] >= first) & (digits[0] < last)
            if here.any():
                inside = (digits[0][here] - first, *(digit[here] for digit in digits[1:]))
                yield shard, np.ravel_multi_index(inside, self._shape(shard))

    # Copies ------------------------------------------------------------------------------------

    def can_keep(self) -> bool:
        """Whether there is room for a copy."""
        return self._needed(SLABS_TO_KEEP) <= self._room

    def keep(self) -> float:
        """Keep a copy for a round; the numbers do not change."""
        self._settle()
        self._kept, self._kept_at = self._slabs, self._turns
        return 0.0

    def _kept_here(self) -> Slabs:
        """The copy, in the order of the array."""
        if self._kept is None:
            raise RuntimeError("A copy is kept for one round.")
        self._kept = self._moved(self._kept, self._slabs.order)
        return self._kept

    def gap(self, factor: float) -> float:
        """The 1-norm of the numbers minus factor × the copy."""
        return math.fsum(self._norms(factor)[:, 2:4].flat)

    def deflate(self, factor: float) -> None:
        """Subtract factor × the copy."""
        self._settle()
        futures = self._each(subtracted, self._slabs, self._kept_here(), factor)
        self._slabs = Slabs(self._slabs.order, futures)
        self._kept = None

    # Reading and writing -----------------------------------------------------------------------

    def read(self, start: int, stop: int) -> Any:
        """Some of the numbers, in the order of the players."""
        self._settle()
        stop = min(stop, self.size)
        parts, futures = [], []
        for box in boxes(start, stop, self.track.size, self.players):
            parts.append((box, [*self._ask(box)]))
            futures += [future for _, future in parts[-1][1]]
        found = iter(self.cluster.results(futures))
        values = [np.empty(0, self.dtype)]
        for box, asked in parts:
            block = np.empty([b - a for a, b in box], self.dtype)
            for side, _ in asked:
                block[tuple(slice(*s) for s in side)] = next(found)
            values.append(block.reshape(-1))
        return np.concatenate(values)

    def _ask(self, box: Box) -> Iterator[tuple[Box, Any]]:
        """The parts of a box (sides within it) that slabs have, and their futures."""
        order = self._slabs.order
        split = order[0]
        axes = tuple(order.index(token) for token in range(self.players))
        for shard, pair in enumerate(self._slabs.futures):
            first, last = self._sides(shard)
            low, high = max(first, box[split][0]), min(last, box[split][1])
            if low < high:
                inside = [(low - first, high - first), *(box[token] for token in order[1:])]
                place = [(0, b - a) for a, b in box]
                place[split] = (low - box[split][0], high - box[split][0])
                yield tuple(place), self.cluster.submit(cut, pair, tuple(inside), axes)

    def write(self, start: int, values: Any) -> None:
        """Set some of the numbers. They go to the files from which slabs will be read again."""
        if not self._draft:
            self._settle()
            self._slabs = self._moved(self._slabs, tuple(range(self.players)))
            self._kept = None
            self._draft, _ = self._save()
        values = np.ascontiguousarray(values, self.dtype)
        step = self.size // self.track.size
        for shard, path in enumerate(self._draft):
            first, last = (place * step for place in self._sides(shard))
            low, high = max(first, start), min(last, start + len(values))
            if low < high:
                with path.open("r+b") as file:
                    file.seek((low - first) * values.itemsize)
                    file.write(values[low - start : high - start].tobytes())

    def _read_draft(self) -> None:
        paths, self._draft = self._draft, []
        sums = self.cluster.results(self._each(checksum, [str(path) for path in paths]))
        self._root(paths, sums)

    # Anchors -----------------------------------------------------------------------------------

    def _anchor_if_due(self) -> None:
        rounds = (self._turns - self._anchor_turn) / self.players
        seconds = time.monotonic() - self._anchor_time
        pays = seconds >= SHARE * self._anchor_cost
        due = (rounds >= ROUNDS or seconds >= SECONDS) and pays
        if self._kept is None and (due or rounds >= LONG):
            self.anchor()

    def anchor(self) -> None:
        """Write the slabs to files, and forget how they were made."""
        self._settle()
        began = time.monotonic()
        paths, sums = self._save()
        self._kept = None
        self._root(paths, sums)
        self._anchored(time.monotonic() - began)

    def _anchored(self, cost: float) -> None:
        self._anchor_turn, self._anchor_time = self._turns, time.monotonic()
        self._anchor_cost = cost

    def _save(self) -> tuple[list[Path], list[int]]:
        """Write the slabs to new files: their paths and checksums."""
        assert self._folder is not None
        self._generation += 1
        folder = self._folder / f"{self._generation:06d}"
        folder.mkdir()
        paths = [folder / f"{shard}.slab" for shard in range(self.shards)]
        sums = self.cluster.results(self._each(saved, self._slabs, [str(p) for p in paths]))
        return paths, sums

    def _root(self, paths: list[Path], sums: list[int]) -> None:
        """Have the slabs come from files; older files are needed no more."""
        shapes = [self._shape(i) for i in range(self.shards)]
        names = [str(path) for path in paths]
        self._slabs = Slabs(self._slabs.order, self._each(loaded, names, self.dtype, shapes, sums))
        self._forget_files(paths[0].parent)

    def _forget_files(self, but: Path | None = None) -> None:
        assert self._folder is not None
        for folder in self._folder.iterdir():
            if folder.is_dir() and folder != but:
                shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """Let the workers go, and delete the files."""
        self._kept = None
        self.cluster.close()
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> ShardedSweeper:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _new_folder(scratch: str | Path | None) -> Path:
    """A new directory for files of this sweeper."""
    try:
        if scratch is not None:
            Path(scratch).mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="oddsmith-", dir=scratch)).resolve()
    except OSError as error:
        raise OddsmithError(f"Nothing can be written in {scratch}: {error.strerror}.") from None


def _added(turn: Sequence[tuple[Any, Any]]) -> tuple[tuple[float, float, float], Any]:
    """The sums of a turn from those of its slabs, in their order."""
    sums = np.array([found for found, _ in turn])
    won, threw, rested = (math.fsum(sums[:, k : k + 2].flat) for k in (0, 2, 4))
    return (won, threw, rested), np.sum([arrived for _, arrived in turn], axis=0)


def boxes(start: int, stop: int, size: int, axes: int) -> Iterator[Box]:
    """A stretch of an array of size^axes numbers as boxes, one after the other.

    >>> list(boxes(2, 10, 4, 2))
    [((0, 1), (2, 4)), ((1, 2), (0, 4)), ((2, 3), (0, 2))]
    >>> list(boxes(0, 8, 4, 2))
    [((0, 2), (0, 4))]
    """
    if start >= stop:
        return
    if axes == 1:
        yield ((start, stop),)
        return
    inner = size ** (axes - 1)
    row, whole = start // inner, (0, size)
    if start % inner or stop < (row + 1) * inner:
        end = min(stop, (row + 1) * inner)
        for box in boxes(start - row * inner, end - row * inner, size, axes - 1):
            yield ((row, row + 1), *box)
        yield from boxes(end, stop, size, axes)
        return
    last = stop // inner
    yield ((row, last), *[whole] * (axes - 1))
    yield from boxes(last * inner, stop, size, axes)
