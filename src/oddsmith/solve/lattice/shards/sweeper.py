"""The numbers of a lattice on a cluster, and turns on them; see `Sweeper` in sweep.py.

**The same bits.** The sums of a turn are added up in the order of the slabs, so an answer depends
on the number of slabs, not on workers, their deaths or the clock. The order of the axes decides
in which order chances to be blocked are added, so numbers may differ in their last bits from those
of one process; the bounds are the same.
"""

from __future__ import annotations

import math
import operator
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from oddsmith.errors import OddsmithError, OptionError
from oddsmith.rules.board.track import Track
from oddsmith.runtime import memory
from oddsmith.runtime.cluster import LOCAL, Cluster
from oddsmith.solve.lattice.shards.anchors import ROUNDS, Anchors
from oddsmith.solve.lattice.shards.cuts import Box, Cuts, Order, axes_of, boxes
from oddsmith.solve.lattice.shards.tasks import (
    Turns,
    checksum,
    cut,
    emptied,
    filled,
    joined,
    loaded,
    norms,
    played,
    saved,
    subtracted,
    tables_of,
)
from oddsmith.solve.lattice.shards.worker_memory import SLABS, WorkerMemory


@dataclass(frozen=True)
class Slabs:
    """The array, or a copy: futures of pairs (slab, sums of the turns that made it)."""

    order: Order
    futures: tuple[Any, ...]


class ShardedSweeper:
    """The numbers of a lattice on a cluster, and turns on them; see `Sweeper` in sweep.py.

    `cluster` is "local" (a process a core) or the address of a Dask
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
        self.cluster = Cluster(cluster)
        try:
            self.anchors = Anchors(scratch)
        except BaseException:
            self.cluster.close()
            raise
        try:
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
        folder = self.anchors.folder
        probe = folder / "probe"
        probe.write_text("oddsmith\n")
        about = self.cluster.ask_workers(str(probe))
        for address, worker in about.items():
            if not worker.sees:
                raise OddsmithError(
                    f"The worker {address} cannot read and write in {folder.parent}: scratch "
                    f"must be a directory that all workers share."
                )
        threads = sum(worker.threads for worker in about.values())
        self.shards = 1 if self.players < 3 else min(self.track.size, shards or threads)
        self._cuts = Cuts(self.track.size, self.players, self.shards)
        workers = about.values()
        self._memory = WorkerMemory(self._what, self.bytes, self.track.size, self.shards, workers)
        self._memory.check(folder)
        self._tables = self.cluster.submit(tables_of, self.track, self.dtype)

    # Slabs -------------------------------------------------------------------------------------

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
            for a, b in (self._cuts.sides(i) for i in range(self.shards))
        ]
        shapes = [self._cuts.shape(i) for i in range(self.shards)]
        futures = self._each(filled, shapes, self.dtype, value, ones)
        self._slabs = Slabs(tuple(range(self.players)), futures)
        self.anchors.forget()
        self.anchors.set(self._turns, 0.0)

    def _pieces(self, slabs: Slabs, order: Order) -> list[list[Any]]:
        """For each new slab in another order, its pieces, one from every old slab."""
        axes = axes_of(slabs.order, order)
        return [
            [self.cluster.submit(cut, slabs.futures[old], box, axes) for old, box in parts]
            for parts in self._cuts.pieces(slabs.order, order)
        ]

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

    def _play(
        self,
        movers: Sequence[int],
        visits: bool = False,
        rewards: Sequence[tuple[float, float]] | None = None,
    ) -> list[tuple[Any, ...]]:
        """Have turns played: of each stretch of turns, the futures of the slabs."""
        done, stretches = 0, []
        step = 1 if rewards is None else -1
        for order, some in self._cuts.stretches(self._slabs.order, movers, step):
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
            Turns(self.players, *self._cuts.sides(i), axes, visits, rewards)
            for i in range(self.shards)
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

    def _norms(self, factor: float) -> Any:
        self._settle()
        kept = None if factor == 0.0 else self._kept_here()
        return np.array(self.cluster.results(self._each(norms, self._slabs, kept, factor)))

    def norm(self) -> float:
        """The sum of all absolute values."""
        return self.gap(0.0)

    def maximum(self) -> float:
        """The largest number."""
        return float(self._norms(0.0)[:, 2].max())

    def take(self, indices: Any) -> float:
        """The sum of the numbers at some places, which are then zero."""
        self._settle()
        found = []
        slabs = list(self._slabs.futures)
        for shard, places in self._cuts.places(self._slabs.order, np.asarray(indices, np.int64)):
            slabs[shard] = self.cluster.submit(emptied, slabs[shard], places)
            found.append(self.cluster.submit(operator.itemgetter(1), slabs[shard]))
        self._slabs = Slabs(self._slabs.order, tuple(slabs))
        return math.fsum(self.cluster.results(found)) if found else 0.0

    # Copies ------------------------------------------------------------------------------------

    def can_keep(self) -> bool:
        """Whether there is room for a copy."""
        return self._memory.has_copy()

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
        return math.fsum(self._norms(factor)[:, :2].flat)

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
        order, futures = self._slabs.order, self._slabs.futures
        axes = axes_of(order, tuple(range(self.players)))
        for shard, inside, place in self._cuts.parts(order, box):
            yield place, self.cluster.submit(cut, futures[shard], inside, axes)

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
            first, last = (place * step for place in self._cuts.sides(shard))
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
        if self._kept is None and self.anchors.due(self._turns, self.players):
            self.anchor()

    def anchor(self) -> None:
        """Write the slabs to files, and forget how they were made."""
        self._settle()
        began = time.monotonic()
        paths, sums = self._save()
        self._kept = None
        self._root(paths, sums)
        self.anchors.set(self._turns, time.monotonic() - began)

    def _save(self) -> tuple[list[Path], list[int]]:
        """Write the slabs to new files: their paths and checksums."""
        paths = self.anchors.new_files(self.shards)
        sums = self.cluster.results(self._each(saved, self._slabs, [str(p) for p in paths]))
        return paths, sums

    def _root(self, paths: list[Path], sums: list[int]) -> None:
        """Have the slabs come from files; older files are needed no more."""
        shapes = [self._cuts.shape(i) for i in range(self.shards)]
        names = [str(path) for path in paths]
        self._slabs = Slabs(self._slabs.order, self._each(loaded, names, self.dtype, shapes, sums))
        self.anchors.forget(but=paths[0].parent)

    def close(self) -> None:
        """Let the workers go, and delete the files."""
        self._kept = None
        self.cluster.close()
        self.anchors.delete()


def _added(turn: Sequence[tuple[Any, Any]]) -> tuple[tuple[float, float, float], Any]:
    """The sums of a turn from those of its slabs, in their order."""
    sums = np.array([found for found, _ in turn])
    won, threw, rested = (math.fsum(sums[:, k : k + 2].flat) for k in (0, 2, 4))
    return (won, threw, rested), np.sum([arrived for _, arrived in turn], axis=0)
