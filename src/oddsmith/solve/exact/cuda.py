"""Lifting on a CUDA device, for systems whose dense rest is large.

The sparse elimination is done here; the dense rest is inverted on the device (the same algorithm
as in `dense`, on its matrix units), and the steps run there, hundreds in one launch. A step reads
the dense inverse once, which is all the memory that it moves to speak of, so its speed is that of
the device's memory.
"""

from __future__ import annotations

from importlib import import_module, resources
from typing import Any

import numpy as np

from oddsmith.errors import LimitError, MissingExtraError, OddsmithError
from oddsmith.solve.exact import dense, factor
from oddsmith.solve.exact.levels import levels
from oddsmith.solve.exact.lift import Lifting

DENSITY = 0.05
"""Where the dense rest begins: a device is fast at dense algebra, elimination is not done there."""

PANEL, STRIP = 512, 8192
ALIGNED = 128
LAUNCH = 64
"""Steps in one launch."""
THREADS = 256
BLOCKS, FEWER_BLOCKS = 4, 2
"""Blocks on a multiprocessor: fewer where several right-hand sides take more registers each."""


def device() -> Any:
    """CuPy, or an error that says what is missing."""
    try:
        cupy: Any = import_module("cupy")
    except ImportError:
        raise MissingExtraError(
            "Lifting on a CUDA device needs CuPy, which is not installed: "
            "pip install 'oddsmith[gpu]'."
        ) from None
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise OddsmithError(f"No CUDA device can be used here ({error}).") from None
    return cupy


def dense_inverses(factors: factor.Factors) -> tuple[Any, Any] | None:
    """The inverses of the dense rests on the device, rows padded with zeros, one after another.

    Also gives where each component's begins.
    """
    cupy = device()
    sizes = factors.dense_sizes.astype(np.int64)
    begin = np.concatenate([[0], np.cumsum(sizes * padded(sizes))])
    largest = int(sizes.max(initial=0))
    needed = 4 * int(begin[-1]) + 5 * 8 * largest * min(largest, STRIP)
    free = cupy.cuda.runtime.memGetInfo()[0]
    if needed > free:
        raise LimitError(
            f"The dense rest of {int(sizes.sum()):,} equations needs {needed / 2**30:.1f} GiB of "
            f"the device's memory, and {free / 2**30:.1f} GiB are free."
        )
    found = cupy.zeros(int(begin[-1]), cupy.uint32)
    for c, (i, j, value) in zip(np.flatnonzero(sizes), factors.rests, strict=True):
        size = int(sizes[c])
        matrix = found[begin[c] : begin[c + 1]].reshape(size, -1)
        matrix[cupy.asarray(i), cupy.asarray(j)] = cupy.asarray(value)
        if not _invert(cupy, matrix, size, factors.prime):
            return None
    cupy.get_default_memory_pool().free_all_blocks()
    return found, begin


def padded(sizes: Any) -> Any:
    """Sizes rounded up to whole pieces of memory."""
    return -(-sizes // ALIGNED) * ALIGNED


def _invert(cupy: Any, matrix: Any, size: int, p: int) -> bool:
    """Invert a matrix in place, as `dense.invert` does; False where a pivot vanishes."""
    subtract = cupy.ElementwiseKernel(
        "float64 high, float64 middle, float64 low, int64 p", "uint32 x",
        """long long upper = (((long long)high << 16) + (long long)middle) % p;
           long long product = ((upper << 16) + (long long)low) % p;
           long long difference = (long long)x - product;
           x = (unsigned int)(difference < 0 ? difference + p : difference);""",
        "oddsmith_subtract",
    )  # fmt: skip

    def halves(part: Any) -> tuple[Any, Any]:
        return (part >> 16).astype(cupy.float64), (part & 0xFFFF).astype(cupy.float64)

    def take_product(out: Any, a: tuple[Any, Any], b: tuple[Any, Any]) -> None:
        """Subtract the product of two matrices, given by their halves."""
        middle = a[0] @ b[1]
        middle += a[1] @ b[0]
        subtract(a[0] @ b[0], middle, a[1] @ b[1], p, out)

    for first in range(0, size, PANEL):
        panel = slice(first, min(size, first + PANEL))
        pivot = matrix[panel, panel].get().astype(np.int64)
        if not dense.invert(pivot, p):
            return False
        across, down = matrix[panel, :size].copy(), matrix[:, panel].copy()
        across[:, panel] = 0
        product = cupy.zeros_like(across)
        take_product(product, halves(cupy.asarray((p - pivot) % p)), halves(across))
        product[:, panel] = cupy.asarray(pivot)
        down[panel] = 0
        matrix[:, panel] = 0
        matrix[panel] = 0
        right = halves(product)
        for top in range(0, size, STRIP):
            rows = slice(top, min(size, top + STRIP))
            take_product(matrix[rows, :size], halves(down[rows]), right)
        matrix[panel, :size] = product
    return True


class CudaLifting:
    """A lifting (with dense inverses on the device) whose steps run on the device."""

    def __init__(self, work: Lifting, places: list[int]) -> None:
        cupy = self.cupy = device()
        self.work, self.prime, self.size = work, work.prime, work.size
        first = work.factors[0]
        if any(not np.array_equal(first.order, other.order) for other in work.factors):
            raise OddsmithError("The roots of unity were eliminated in different orders.")
        n, size = len(first.order), self.size
        place = np.empty(n, np.int64)
        place[first.order] = np.arange(n)
        self.spot = (first.order[:, None] * size + np.arange(size)).ravel()
        """Where the numbers of the unknowns, as the factors number them, are elsewhere."""
        self.columns = work.residual.shape[1]
        blocks = BLOCKS if self.columns == 1 else FEWER_BLOCKS
        sizes = first.dense_sizes.astype(np.int64)
        slots = np.concatenate([[0], np.cumsum(padded(sizes))])
        slot = np.full(n, -1, np.int32)
        for c in np.flatnonzero(sizes):
            slot[first.eliminated[c] : first.bounds[c + 1]] = slots[c] + np.arange(sizes[c])
        tasks = levels(first)
        whose = place[np.array(places) // size] * size + np.array(places) % size
        on = cupy.asarray
        begin = work.inverses[0][1]
        inverse = work.inverses[0][0]
        if size > 1:
            inverse = cupy.stack([each[0] for each in work.inverses])
            work.inverses.clear()
            cupy.get_default_memory_pool().free_all_blocks()
        self.wrong = cupy.zeros(1, cupy.int32)
        self.residual = on(np.ascontiguousarray(work.residual[self.spot]))
        self.count = len(places)

        def values(side: str) -> Any:
            return on(np.stack([getattr(found, side)[2] for found in work.factors]))

        self.arguments = (
            np.uint32(work.prime), np.int64(n), np.int64(slots[-1]), np.int64(begin[-1]),
            np.int32(len(tasks[0][1]) - 1),
            on(work.there.astype(np.uint32)), on(work.back.astype(np.uint32)),
            on(np.stack([found.pivots for found in work.factors]).astype(np.uint32)),
            on(first.lower[0]), on(first.lower[1]), values("lower"), np.int64(len(first.lower[1])),
            on(first.upper[0]), on(first.upper[1]), values("upper"), np.int64(len(first.upper[1])),
            *(on(part) for task in tasks for part in task), on(slot), on(first.eliminated),
            on(sizes), on(padded(sizes)), on(slots), on(begin), inverse,
            *(on(part) for part in self._permuted(place)), self.residual,
            cupy.zeros((size, self.columns, n), cupy.uint32),
            cupy.zeros((size, self.columns, max(1, int(slots[-1]))), cupy.uint32),
            on(whose.astype(np.int32)), np.int32(self.count),
        )  # fmt: skip
        self.every = cupy.zeros((n * size, self.columns), cupy.uint32)
        source = (resources.files(__package__) / "lift.cu").read_text()
        module = cupy.RawModule(
            code=source, backend="nvcc", enable_cooperative_groups=True, options=(
                "-std=c++17", f"-DPHI={size}", f"-DQ={self.columns}", f"-DTHREADS={THREADS}",
                f"-DBLOCKS={blocks}",
            ),
        )  # fmt: skip
        self.kernel = module.get_function("lift")
        self.blocks = blocks * int(cupy.cuda.Device().attributes["MultiProcessorCount"])

    def _permuted(self, place: Any) -> tuple[Any, Any, Any]:
        """The matrix with rows and columns as the factors number them."""
        work, size = self.work, self.size
        lengths = np.diff(work.row)[self.spot]
        row = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        entries = np.repeat(work.row[self.spot] - row[:-1], lengths) + np.arange(row[-1])
        col = work.col[entries].astype(np.int64)
        return row, (place[col // size] * size + col % size).astype(np.int32), work.value[entries]

    def steps(self, count: int) -> Any:
        """The next digits of the places asked for: steps × places × columns."""
        cupy = self.cupy
        digits = cupy.empty((count, self.count, self.columns), cupy.uint32)
        self.kernel(
            (self.blocks,), (THREADS,),
            (np.int32(count), *self.arguments, digits, self.every, self.wrong),
        )  # fmt: skip
        if int(self.wrong[0]):
            raise OddsmithError("A step of the p-adic lifting is not exact: please report this.")
        return digits.get()

    def begin(self) -> None:
        """Begin anew, with the residual that the lifting has now."""
        self.residual[...] = self.cupy.asarray(np.ascontiguousarray(self.work.residual[self.spot]))

    def state(self) -> Any:
        """The residual as `Lifting` has it."""
        found = np.empty_like(self.work.residual)
        found[self.spot] = self.residual.get()
        return found
