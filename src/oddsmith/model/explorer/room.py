"""Arrays that grow without being copied, and take only the memory they fill.

A growing array is memory of its own from the system, which can be moved to where there is more
room by changing the page tables; pages that were never written do not exist. So an exploration
holds nothing twice, and room may be doubled freely.
"""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

SMALL = 1 << 16
"""Bytes up to which an array ends as an ordinary one."""

PIECE = 1 << 20
"""Entries that are moved at once."""

_PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}


def _memory(size: int) -> mmap.mmap:
    memory = mmap.mmap(-1, max(size, mmap.PAGESIZE), **_PRIVATE)
    if hasattr(mmap, "MADV_HUGEPAGE") and size >= 1 << 22:
        memory.madvise(mmap.MADV_HUGEPAGE)
    return memory


def zeros(size: int, kind: Any) -> npt.NDArray[Any]:
    """An array of zeros in large pages: a table that is read all over is read twice as fast."""
    return np.frombuffer(_memory(size * np.dtype(kind).itemsize), kind, size)


class GrowingArray:
    """An array that grows at its end."""

    def __init__(self, kind: Any) -> None:
        self.kind = np.dtype(kind)
        self.array: npt.NDArray[Any] = np.empty(0, kind)
        self._memory = _memory(mmap.PAGESIZE)

    def reserve(self, size: int) -> None:
        """Make room for so many entries; there is no other reference to the array."""
        if size > len(self.array):
            self._resize(max(size, 2 * len(self.array)))

    def _resize(self, size: int) -> None:
        bytes_ = max(mmap.PAGESIZE, size * self.kind.itemsize)
        self.array = np.empty(0, self.kind)
        try:
            self._memory.resize(bytes_)
        except (SystemError, ValueError, OSError):  # a system that cannot move memory
            old, self._memory = self._memory, _memory(bytes_)
            shared = min(len(old), bytes_)
            self._memory[:shared] = old[:shared]
        self.array = np.frombuffer(self._memory, self.kind, size)

    def finish(self, size: int, kind: Any = None, step: int = 1) -> npt.NDArray[Any]:
        """The first entries, or one in `step`, with no room to spare; perhaps of narrower numbers.

        They are moved together where they are.
        """
        if step > 1 or (kind is not None and np.dtype(kind) != self.kind):
            narrow = self.array.view(kind or self.kind)
            for first in range(0, size, PIECE):
                last = min(size, first + PIECE)
                narrow[first:last] = self.array[first * step : last * step : step].copy()
            self.array, self.kind = narrow, narrow.dtype
            del narrow
        if size * self.kind.itemsize <= SMALL:
            result = self.array[:size].copy()
            self.array = np.empty(0, self.kind)
            return result
        self._resize(size)
        result, self.array = self.array, np.empty(0, self.kind)
        return result
