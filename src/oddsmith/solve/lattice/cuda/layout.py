"""How numbers lie on a CUDA device: rows of whole sectors, and threads with their fibres.

On the device the rows of the last axis are padded with zeros to whole sectors, the pieces in which
memory moves: rows of S = 47 numbers begin in the middle of one, which costs a third of the speed
on every other axis. Padding stays zero (a forward turn is linear, a backward turn gains nothing
there), and indices are those of the S^N numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from oddsmith.rules.board.track import Track

REGISTERS = 65536
SHARED = 227 << 10
"""Registers and bytes of shared memory of a multiprocessor."""
FEW_FIBRES = 1 << 15
"""Up to here blocks are small, so that more multiprocessors have one."""
SECTOR = 32
"""Bytes of memory that move as one."""
MOST_POSITIONS = 384
"""Fibres longer than this do not fit into shared memory."""
REAL = {"float64": "double", "float32": "float"}
"""What CUDA calls the types of numbers."""


@dataclass(frozen=True)
class Tuning:
    """How a turn is laid out: threads a block, and blocks that share a multiprocessor."""

    threads: int
    blocks: int


def row_length(track: Track, dtype: str) -> int:
    """Numbers from one row of the last axis to the next: S, rounded up to whole sectors."""
    sector = SECTOR // np.dtype(dtype).itemsize
    return -(-track.size // sector) * sector


def padded_size(track: Track, players: int, dtype: str) -> int:
    """Numbers in the array on the device, padding and all."""
    return int(track.size ** (players - 1)) * row_length(track, dtype)


def tuning_for(track: Track, players: int, dtype: str) -> Tuning:
    """A layout for a board: as many threads as have their fibres in registers at once."""
    item = np.dtype(dtype).itemsize
    threads = 32 if track.size ** (players - 1) <= FEW_FIBRES else 128
    if not in_registers(track, dtype):
        while threads > 32 and 2 * threads * track.size * item > SHARED // 2:
            threads //= 2
        return Tuning(threads, 1)
    registers = track.size * item // 4 + (34 if item == 8 else 46)
    return Tuning(threads, max(1, min(1024 // threads, REGISTERS // (threads * registers))))


def in_registers(track: Track, dtype: str) -> bool:
    """Whether a fibre fits into the registers of a thread."""
    return track.size * np.dtype(dtype).itemsize <= 768
