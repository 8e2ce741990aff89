"""The lattice on the processor: the array in memory, turns in tiles on all cores."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.rules.board.track import Track
from oddsmith.runtime import memory
from oddsmith.runtime.watch import Workers, new_signals


class CpuSweeper:
    """The numbers of a lattice, and turns on them; see `Sweeper` in sweep.py."""

    name = "CPU"
    keep_error = 0.0

    def __init__(
        self, track: Track, players: int, dtype: str = "float64", threads: int | None = None
    ) -> None:
        self.track, self.players, self.dtype = track, players, dtype
        self.sum_terms = 2 * track.size + track.terms
        self._kept: Any = None
        self.size = track.size**players
        needed = self.needed(track, players, dtype)
        memory.require(
            needed,
            f"The lattice of {players} tokens on {track.size} positions",
            _what_would_fit(needed, dtype),
        )
        self.array: Any = np.zeros(self.size, dtype)
        self._ahead = lists_of(track, dtype, forward=True)
        self._back = lists_of(track, dtype, forward=False)
        self.workers = Workers(threads)
        _load_kernels(self._ahead, self._back, dtype)

    def close(self) -> None:
        """Let the numbers and the threads go."""
        self.workers.close()
        self.array = self._kept = None

    @staticmethod
    def needed(track: Track, players: int, dtype: str) -> int:
        """Bytes of memory."""
        return int(track.size**players * np.dtype(dtype).itemsize)

    @property
    def tiles(self) -> int:
        """Tiles of a turn."""
        return int(self.track.size ** max(0, self.players - 2))

    def place_start(self) -> None:
        """All mass on the start."""
        self.array[:] = 0
        index = 0
        for _ in range(self.players):
            index = index * self.track.size + self.track.start
        self.array[index] = 1

    def fill(self, value: float) -> None:
        """The same number everywhere."""
        self.array[:] = value

    def forward(self, mover: int, visits: bool = False) -> tuple[float, float, float, Any]:
        """Play a turn: mass that finished, that threw, that rested; arrivals if asked for."""
        from oddsmith.solve.lattice import kernels

        arrived = np.zeros((self.workers.count, self.track.size if visits else 0))
        sums = np.zeros((self.workers.count, 6))

        def some(first: int, last: int, worker: int) -> None:
            kernels.forward_tiles(
                self.array, 0, self.players, mover, first, last, self._ahead,
                arrived[worker], sums[worker], self.workers.signals,
            )  # fmt: skip

        self._share(some, self.tiles)
        total = sums.sum(axis=0)
        found = (float(total[0] + total[1]), float(total[2] + total[3]), float(total[4] + total[5]))
        return (*found, arrived.sum(axis=0) if visits else None)

    def forward_many(self, mover: int, turns: int) -> Any:
        """Some turns, beginning with the mover's: an array of turns × (won, threw, rested)."""
        return np.array([self.forward((mover + t) % self.players)[:3] for t in range(turns)])

    def backward(self, mover: int, win_reward: float, throw_reward: float) -> None:
        """Values before a turn from values after it."""
        from oddsmith.solve.lattice import kernels

        def some(first: int, last: int, worker: int) -> None:
            kernels.backward_tiles(
                self.array, 0, self.players, mover, first, last, self._back,
                win_reward, throw_reward, self.workers.signals,
            )  # fmt: skip

        self._share(some, self.tiles)

    def norm(self) -> float:
        """The sum of all absolute values."""
        return self.gap(0.0)

    def maximum(self) -> float:
        """The largest number."""
        return float(self._norms(0.0)[:, 2].max())

    def take(self, indices: Any) -> float:
        """The sum of the numbers at some places, which are then zero."""
        found = float(self.array[indices].sum(dtype=np.float64))
        self.array[indices] = 0
        return found

    def can_keep(self) -> bool:
        """Whether there is room for a copy."""
        free = memory.available()
        return self._kept is not None or free is None or free > 1.2 * self.array.nbytes

    def keep(self) -> float:
        """Keep a copy; the numbers do not change."""
        if self._kept is None:
            self._kept = np.empty_like(self.array)

        def some(first: int, last: int, worker: int) -> None:
            self._kept[first:last] = self.array[first:last]

        self._share(some, self.size)
        return 0.0

    def gap(self, factor: float) -> float:
        """The 1-norm of the numbers minus factor × the copy."""
        found = self._norms(factor)
        return float(found[:, 0].sum() + found[:, 1].sum())

    def deflate(self, factor: float) -> None:
        """Subtract factor × the copy."""
        from oddsmith.solve.lattice import kernels

        def some(first: int, last: int, worker: int) -> None:
            kernels.subtract(self.array, self._kept, self.array.dtype.type(factor), first, last)

        self._share(some, self.size)

    def _norms(self, factor: float) -> Any:
        from oddsmith.solve.lattice import kernels

        found = np.zeros((self.workers.count, 3))
        found[:, 2] = -np.inf
        kept = self.array if factor == 0.0 else self._kept

        def some(first: int, last: int, worker: int) -> None:
            kernels.norms(self.array, kept, factor, first, last, found[worker])

        self._share(some, self.size)
        return found

    def _share(self, job: Any, count: int) -> None:
        """Have a job on some things done by all threads, a stretch each."""
        threads = min(self.workers.count, count)
        cuts = [count * i // threads for i in range(threads + 1)]
        futures = [
            self.workers.submit(lambda i=i: job(cuts[i], cuts[i + 1], i))  # type: ignore[misc]
            for i in range(1, threads)
        ]
        job(cuts[0], cuts[1], 0)
        for future in futures:
            future.result()

    def read(self, start: int, stop: int) -> Any:
        """Some of the numbers."""
        return self.array[start:stop]

    def write(self, start: int, values: Any) -> None:
        """Set some of the numbers."""
        self.array[start : start + len(values)] = values


def _what_would_fit(needed: int, dtype: str) -> str:
    """Advice for when it does not fit."""
    device = f"a CUDA device of {memory.shown(needed)} or more (--engine cuda)"
    halved = dtype == "float64" and needed // 2 < (memory.available() or 0)
    first = "use --precision float32, " if halved else "use "
    return f"{first}{device}, a cluster (--cluster), or simulate instead"


_loaded: set[str] = set()
"""Types of numbers whose kernels have been loaded."""


def _load_kernels(ahead: Any, back: Any, dtype: str) -> None:
    """Load the kernels from their cache, or compile them, and give the compiler's memory back."""
    from oddsmith.solve.lattice import kernels

    if dtype in _loaded:
        return
    numbers, sums, signals = np.zeros(len(ahead.square), dtype), np.zeros(6), new_signals()
    kernels.forward_tiles(numbers, 0, 1, 0, 0, 1, ahead, np.zeros(0), sums, signals)
    kernels.backward_tiles(numbers, 0, 1, 0, 0, 1, back, 0.0, 0.0, signals)
    kernels.norms(numbers, numbers, 0.5, 0, len(numbers), sums)
    kernels.subtract(numbers, numbers, numbers.dtype.type(0.5), 0, len(numbers))
    memory.release("libllvmlite")
    _loaded.add(dtype)


def lists_of(track: Track, dtype: str, forward: bool) -> Any:
    """The Track as kernels need it."""
    from oddsmith.solve.lattice.kernels import Lists

    itself = np.diag(track.unconditional).copy()
    moving = track.unconditional - np.diag(itself)
    special = [entry[:3] for entry in track.special]
    same = [np.nonzero(track.square == s)[0] for s in track.square]
    woken = [np.nonzero(track.rest == q)[0] for q in range(track.size)]
    into = _rows(track.arrivals.T if forward else track.arrivals, dtype)
    free = _rows(moving.T if forward else moving, dtype)
    return Lists(
        track.square.astype(np.int64),
        track.rest.astype(np.int64),
        track.hold.astype(np.bool_),
        track.finishing.astype(dtype),
        _padded(itself[None], dtype)[0],
        _padded(track.blocked.T, dtype),
        *into,
        *free,
        np.array(special, np.int64).reshape(-1, 3),
        np.array([entry[3] for entry in track.special], dtype),
        track.arrivals.any(axis=0),
        _starts(same),
        np.concatenate(same).astype(np.int64),
        _starts(woken),
        np.concatenate(woken).astype(np.int64),
        *_rows(np.stack([track.finishing, track.rest < 0]), dtype),
    )


def _padded(rows: Any, dtype: str) -> Any:
    """Rows of whole vectors."""
    vector = 64 // np.dtype(dtype).itemsize
    found = np.zeros((len(rows), -(-rows.shape[1] // vector) * vector), dtype)
    found[:, : rows.shape[1]] = rows
    return found


def _starts(parts: list[Any]) -> Any:
    return np.cumsum([0, *(len(part) for part in parts)]).astype(np.int64)


def _rows(matrix: Any, dtype: str) -> tuple[Any, Any, Any]:
    """A matrix row by row: where each begins, columns, chances."""
    rows, chances = [], []
    for row in matrix:
        found = np.nonzero(row)[0]
        rows.append(found)
        chances.append(row[found])
    return (
        _starts(rows),
        np.concatenate(rows).astype(np.int64),
        np.concatenate(chances).astype(dtype),
    )
