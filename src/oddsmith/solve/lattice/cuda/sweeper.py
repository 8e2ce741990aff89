"""The numbers of a lattice on a CUDA device, and turns on them; see `Sweeper` in sweep.py.

Turns are launched many at a time, some rounds as one CUDA graph; their sums wait in a ledger on
the device until the host asks. Sums are added in the same order every time, so results have the
same bits in every run.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from oddsmith.errors import LimitError
from oddsmith.rules.board.track import Track
from oddsmith.solve.lattice.cuda.device import cupy_here, device_memory, device_name
from oddsmith.solve.lattice.cuda.everywhere import KERNELS, everywhere
from oddsmith.solve.lattice.cuda.layout import MOST_POSITIONS, Tuning, padded_size, tuning_for
from oddsmith.solve.lattice.cuda.source import Kind, Source

SCRATCH = 16 << 20
"""Bytes beside the array: partial sums, the ledger of turns."""
LEDGER = 8192
"""Turns whose sums are kept on the device between two synchronizations."""
GRAPH_TURNS = 64
"""About as many turns are launched at once."""


def _gib(size: int) -> str:
    return f"{size / 2**30:,.1f} GiB"


class CudaSweeper:
    """The joint distribution of all tokens on a CUDA device, and its turns."""

    name = "CUDA"

    def __init__(
        self, track: Track, players: int, dtype: str = "float64", tuning: Tuning | None = None
    ) -> None:
        self._cp = cupy_here()
        self.track = track
        self.players = players
        self.dtype = dtype
        self.sum_terms = track.size + 64  # compensated in a thread, trees above
        self._check_board()
        self._check_fits(self.needed(track, players, dtype), "The joint distribution")
        self._source = Source(track, players, dtype, tuning or tuning_for(track, players, dtype))
        self._row_length = self._source.row
        self._padded = padded_size(track, players, dtype)
        self._array = self._allocate(self._padded, dtype)
        self._kept: Any = None
        processors = self._cp.cuda.Device().attributes["MultiProcessorCount"]
        layout = self._source.tuning
        fibres = self._source.fibres(last=False)
        self._grid = min(processors * layout.blocks, -(-fibres // layout.threads))
        self._wide_grid = min(processors * 8, -(-self._padded // 256))
        self._rounds = max(1, GRAPH_TURNS // players)
        slots = max(self._rounds * players, 1)
        width = 3 + track.size
        most = max(slots * self._grid * 3, self._grid * width, self._wide_grid)
        self._partial = self._allocate(most, "float64")
        self._rows = self._allocate(LEDGER * 3 + width, "float64")
        self._row = self._allocate(1, "int32")
        self._stream = self._cp.cuda.Stream()
        self._kernels: dict[tuple[Kind, bool], Any] = {}
        self._graphs: dict[int, Any] = {}
        self._kept_type = self._copy_type()
        self.keep_error = 2.0**-24 if self._kept_type != dtype else 0.0
        common = self._module(everywhere(track, dtype, self._kept_type))
        self._common = {name: common.get_function(name) for name in KERNELS}

    @staticmethod
    def needed(track: Track, players: int, dtype: str = "float64") -> int:
        """Bytes on the device."""
        return padded_size(track, players, dtype) * np.dtype(dtype).itemsize + SCRATCH

    @property
    def size(self) -> int:
        """How many numbers the array has: S^N."""
        return int(self.track.size**self.players)

    # The array ------------------------------------------------------------------------------

    def place_start(self) -> None:
        """All mass on the start of all tokens."""
        self.fill(0.0)
        start = sum(self.track.start * self.track.size**axis for axis in range(self.players))
        self.set(start, 1.0)

    def fill(self, value: float) -> None:
        """The same number everywhere."""
        self._everywhere("fill", np.float64(value))
        self._stream.synchronize()

    def read(self, start: int, stop: int) -> Any:
        """Numbers start to stop - 1 of the flat array, which comes row by row without padding."""
        size, row = self.track.size, self._row_length
        first, last = start // size, -(-stop // size)
        self._stream.synchronize()
        rows = self._array[first * row : last * row].get().reshape(-1, row)
        return rows[:, :size].reshape(-1)[start - first * size : stop - first * size]

    def write(self, start: int, values: Any) -> None:
        """Put numbers into the flat array: the end of a row, whole rows, the start of a row."""
        size, row = self.track.size, self._row_length
        values = np.ascontiguousarray(values, self.dtype).ravel()
        head = min(-start % size, len(values))
        tail = head + (len(values) - head) // size * size
        rows = np.zeros(((tail - head) // size, row), self.dtype)
        rows[:, :size] = values[head:tail].reshape(-1, size)
        self._stream.synchronize()
        self._put(start, values[:head])
        self._put(start + head, rows.ravel())
        self._put(start + tail, values[tail:])
        self._cp.cuda.runtime.deviceSynchronize()

    def _put(self, index: int, numbers: Any) -> None:
        """Put numbers side by side into the padded array, where the number `index` is."""
        above, at = divmod(index, self.track.size)
        place = above * self._row_length + at
        if len(numbers):
            self._array[place : place + len(numbers)].set(numbers)

    def get(self, index: int) -> float:
        """One number of the flat array."""
        return float(self.read(index, index + 1)[0])

    def set(self, index: int, value: float) -> None:
        """Put one number into the flat array."""
        self.write(index, [value])

    def total(self) -> float:
        """The sum of all numbers."""
        return math.fsum(self._reduced("sum_up"))

    def norm(self) -> float:
        """The sum of absolute values."""
        return math.fsum(self._reduced("sum_sizes"))

    def maximum(self) -> float:
        """The largest number."""
        return float(self._reduced("largest").max())

    def take(self, indices: Any) -> float:
        """The sum of the numbers at some places, which are then zero."""
        above, at = np.divmod(np.asarray(indices, np.int64), self.track.size)
        if not len(at):
            return 0.0
        places = self._cp.asarray(above * self._row_length + at)
        self._stream.synchronize()
        found = self._array[places].get()
        self._array[places] = 0
        self._cp.cuda.runtime.deviceSynchronize()
        return math.fsum(found)

    def _copy_type(self) -> str:
        """What a copy can be kept in: the numbers' own type if there is room, else float32."""
        free, _ = device_memory()
        item = np.dtype(self.dtype).itemsize
        return self.dtype if free > item * self._padded + SCRATCH else "float32"

    def can_keep(self) -> bool:
        """Whether there is room for a copy."""
        free, _ = device_memory()
        item = np.dtype(self._kept_type).itemsize
        return self._kept is not None or free > item * self._padded + SCRATCH

    def keep(self) -> float:
        """Keep a copy, and make the numbers equal to it: the 1-norm of the change."""
        if self._kept is None:
            self._kept = self._allocate(self._padded, self._kept_type)
        return math.fsum(self._reduced("keep", self._kept)) * (1 + 2.0**-40)

    def gap(self, factor: float) -> float:
        """The 1-norm of the numbers minus factor × the copy."""
        return math.fsum(self._reduced("gap", self._kept, np.float64(factor)))

    def deflate(self, factor: float) -> None:
        """Subtract factor × the copy."""
        self._everywhere("deflate", self._kept, np.float64(factor))
        self._stream.synchronize()

    def close(self) -> None:
        """Let the numbers go."""
        self._array = self._kept = self._partial = self._rows = None
        self._graphs.clear()

    # Turns ----------------------------------------------------------------------------------

    def forward(self, mover: int, visits: bool = False) -> tuple[float, float, float, Any]:
        """One turn; returns the mass that finished, threw and rested, and arrivals if asked."""
        width = 3 + self.track.size if visits else 3
        self._launch("visits" if visits else "forward", mover, self._partial)
        self._first_row()
        self._gather(1, width)
        row = self._rows_read(width)
        return float(row[0]), float(row[1]), float(row[2]), row[3:] if visits else None

    def forward_many(self, first_mover: int, turns: int) -> Any:
        """Turns of one player after another; returns a row (finished, threw, rested) each."""
        found = np.empty((turns, 3))
        for begin in range(0, turns, LEDGER):
            count = min(LEDGER, turns - begin)
            self._forward_some((first_mover + begin) % self.players, count)
            found[begin : begin + count] = self._rows_read(3 * count).reshape(count, 3)
        return found

    def backward(self, mover: int, win_reward: float, throw_reward: float) -> None:
        """One turn of the values, in place: what each state is worth before it."""
        real = np.dtype(self.dtype).type
        self._launch("backward", mover, real(win_reward), real(throw_reward))
        self._stream.synchronize()

    def _forward_some(self, mover: int, turns: int) -> None:
        """Launch turns whose sums fit into the ledger."""
        block = self._rounds * self.players
        self._first_row()
        for _ in range(turns // block):
            self._graph(mover).launch(self._stream)
        self._launch_block(mover, turns % block)

    def _graph(self, mover: int) -> Any:
        """Some rounds as one CUDA graph."""
        if mover not in self._graphs:
            for player in range(self.players):
                self._kernel("forward", player == self.players - 1)
            self._stream.synchronize()
            self._stream.begin_capture()
            self._launch_block(mover, self._rounds * self.players)
            self._graphs[mover] = self._stream.end_capture()
        return self._graphs[mover]

    def _launch_block(self, mover: int, turns: int) -> None:
        """Some turns, then their sums into the ledger."""
        if not turns:
            return
        for turn in range(turns):
            slot = self._partial[turn * self._grid * 3 :]
            self._launch("forward", (mover + turn) % self.players, slot)
        self._gather(turns, 3)

    def _launch(self, kind: Kind, mover: int, *arguments: Any) -> None:
        behind = self.players - 1 - mover
        last = behind == 0
        step = np.uint64 if self._source.wide else np.uint32
        position = (np.int32(behind), step(self._source.inner(behind)))
        with self._stream:
            self._kernel(kind, last)(
                (self._grid,),
                (self._source.tuning.threads,),
                (self._array, *position, *arguments),
                shared_mem=self._source.shared_bytes(kind, last),
            )

    def _gather(self, turns: int, width: int) -> None:
        """Add up the sums of blocks, into the next rows of the ledger."""
        shape = (np.int32(self._grid), np.int32(width))
        with self._stream:
            rows = (self._partial, *shape, self._rows, self._row)
            self._common["gather"]((turns,), (256,), rows)
            self._common["advance"]((1,), (1,), (self._row, np.int32(turns)))

    def _first_row(self) -> None:
        self._row.data.memset_async(0, 4, self._stream)

    def _rows_read(self, count: int) -> Any:
        self._stream.synchronize()
        return self._rows[:count].get()

    def _everywhere(self, name: str, *arguments: Any) -> None:
        with self._stream:
            numbers = (self._array, np.uint64(self._padded), *arguments)
            self._common[name]((self._wide_grid,), (256,), numbers)

    def _reduced(self, name: str, *arguments: Any) -> Any:
        """A kernel over all numbers; returns what its blocks leave."""
        self._everywhere(name, *arguments, self._partial)
        self._stream.synchronize()
        return self._partial[: self._wide_grid].get()

    # The device -----------------------------------------------------------------------------

    def _kernel(self, kind: Kind, last: bool) -> Any:
        if (kind, last) not in self._kernels:
            kernel = self._module(self._source.kernel(kind, last)).get_function("turn")
            shared = self._source.shared_bytes(kind, last)
            kernel.max_dynamic_shared_size_bytes = shared
            if shared:
                kernel.preferred_shared_memory_carveout = 100
            self._kernels[kind, last] = kernel
        return self._kernels[kind, last]

    def _module(self, text: str) -> Any:
        return self._cp.RawModule(code=text, options=("-std=c++17",), backend="nvrtc")

    def _allocate(self, count: int, dtype: str) -> Any:
        """An array in memory of its own, outside CuPy's pool."""
        memory = self._cp.cuda.Memory(max(1, count) * np.dtype(dtype).itemsize)
        pointer = self._cp.cuda.MemoryPointer(memory, 0)
        return self._cp.ndarray((count,), dtype, pointer)

    def _check_board(self) -> None:
        """Refuse boards too large for shared memory."""
        if self.track.size > MOST_POSITIONS:
            raise LimitError(
                f"A board of {self.track.size} positions is too large for sweeps on a GPU, which "
                f"take {MOST_POSITIONS}: use the CPU."
            )

    def _check_fits(self, needed: int, what: str) -> None:
        free, total = device_memory()
        if needed <= free:
            return
        cards = max(2, math.ceil(needed / (0.95 * total)))
        raise LimitError(
            f"{what} of {self.players} tokens in {self.track.size} positions each needs "
            f"{_gib(needed)} on the device, and {device_name()} has {_gib(free)} free of "
            f"{_gib(total)}: split it over {cards} such cards with --cluster, use float32, or "
            f"fewer players."
        )
