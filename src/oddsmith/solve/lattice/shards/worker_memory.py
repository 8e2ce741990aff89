"""Whether slabs fit into the memory of the workers, and their files on the disk."""

from __future__ import annotations

import math
import shutil
from collections.abc import Collection
from pathlib import Path

from oddsmith.errors import LimitError
from oddsmith.runtime import memory
from oddsmith.runtime.cluster import Worker

SLABS, SLABS_TO_KEEP = 3, 5
"""Slabs in memory for one of the array: itself, its pieces, the next; and with a copy."""
USABLE = 0.7
"""The part of a worker's memory that it fills before it spills to its disk."""


class WorkerMemory:
    """What workers have, and what slabs take: `whole` bytes in all, along `size` positions."""

    def __init__(
        self, what: str, whole: int, size: int, shards: int, workers: Collection[Worker]
    ) -> None:
        self.what, self.whole, self.size, self.shards = what, whole, size, shards
        self.workers = len(workers)
        limits = [worker.memory for worker in workers if worker.memory]
        self.usable = USABLE * min(limits) if limits else math.inf

    def needed(self, slabs: int) -> float:
        """Bytes a worker needs to hold so many slabs for each of its own."""
        rows = -(-self.size // self.shards) * -(-self.shards // self.workers)
        return slabs * rows * self.whole / self.size

    def check(self, folder: Path) -> None:
        """Refuse what does not fit into memory, or as files into a folder."""
        if self.needed(SLABS) > self.usable:
            fit = max(1, int(self.usable * self.size / (SLABS * self.whole)))
            enough = math.ceil(self.size / fit)
            raise LimitError(
                f"{self.what} needs about {self.needed(SLABS) / memory.GIB:.2f} GiB on each of "
                f"{self.workers} workers, which have {self.usable / memory.GIB:.2f} GiB: "
                f"use {enough} workers or more, or float32."
            )
        free = shutil.disk_usage(folder).free
        if 2 * self.whole > free:
            raise LimitError(
                f"{self.what} needs {2 * self.whole / memory.GIB:.2f} GiB of disk in "
                f"{folder.parent}, where {free / memory.GIB:.2f} GiB are free: say another "
                f"directory with --scratch."
            )

    def has_copy(self) -> bool:
        """Whether a copy fits beside the array."""
        return self.needed(SLABS_TO_KEEP) <= self.usable
