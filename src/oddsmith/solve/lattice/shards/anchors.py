"""Slabs in files, from which they come again when a worker dies.

Every task is a pure function of its arguments. If a worker dies, Dask computes its slabs again from
what they were made of; as every cut mixes all slabs, that may be all turns since the slabs were
last *anchored*: written to files in a directory that all workers share, where from then on they
come from. That is done every few rounds, and takes at most a tenth of the time.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from pathlib import Path

from oddsmith.errors import OddsmithError

ROUNDS, SECONDS = 8, 30.0
"""Slabs are anchored after so many rounds, or seconds, whichever is first,"""
SHARE, LONG = 10, 64
"""but only when that takes less than a tenth of the time; after so many rounds anyway."""


class Anchors:
    """A directory for the files of one sweeper, and when they are due."""

    def __init__(self, scratch: str | Path | None) -> None:
        self.folder = _new_folder(scratch)
        self.generation = 0
        self.set(0, 0.0)

    def set(self, turn: int, cost: float) -> None:
        """Note that slabs after this turn can be made anew, and how many seconds that cost."""
        self._turn, self._time, self._cost = turn, time.monotonic(), cost

    def due(self, turn: int, players: int) -> bool:
        """Whether slabs are to be written after this turn."""
        rounds = (turn - self._turn) / players
        seconds = time.monotonic() - self._time
        pays = seconds >= SHARE * self._cost
        return ((rounds >= ROUNDS or seconds >= SECONDS) and pays) or rounds >= LONG

    def new_files(self, shards: int) -> list[Path]:
        """Where new files may be written, one a slab."""
        self.generation += 1
        folder = self.folder / f"{self.generation:06d}"
        folder.mkdir()
        return [folder / f"{shard}.slab" for shard in range(shards)]

    def forget(self, but: Path | None = None) -> None:
        """Delete files that are needed no more: all but those in one folder."""
        for folder in self.folder.iterdir():
            if folder.is_dir() and folder != but:
                shutil.rmtree(folder, ignore_errors=True)

    def delete(self) -> None:
        """Delete all files."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _new_folder(scratch: str | Path | None) -> Path:
    """A new directory for files of this sweeper."""
    try:
        if scratch is not None:
            Path(scratch).mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="oddsmith-", dir=scratch)).resolve()
    except OSError as error:
        raise OddsmithError(f"Nothing can be written in {scratch}: {error.strerror}.") from None
