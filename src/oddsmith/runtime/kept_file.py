"""A file that keeps long work: written beside its place, moved there when it is whole.

So a file that is there is whole. A write that fails in the midst of the work does not end it: the
work goes on, and says so at the end.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from oddsmith.errors import OddsmithError
from oddsmith.runtime import remains


class KeptFile:
    """Where the state of long work is kept; who inherits says what is written and read."""

    def __init__(self, path: str) -> None:
        self.path, self.beside = Path(path), Path(f"{path}.part")
        self.name = path
        """What a command calls it."""
        self.written = time.monotonic()
        self.cost = 0.0
        self.trouble = ""

    def exists(self) -> bool:
        """Whether there is something to go on from."""
        try:
            return self.path.exists()
        except OSError as error:
            raise self._unreadable(error) from None

    def prepare(self) -> None:
        """Make sure that there is a place to write to, before hours of work."""
        try:
            self.beside.touch()
            self.beside.unlink()
        except (OSError, ValueError) as error:
            raise OddsmithError(
                f"The checkpoint {self.path} cannot be written: {_reason(error)}."
            ) from None
        if self.exists():
            self._is_there("an earlier run")

    def _is_there(self, until: str) -> None:
        again = f"the same command with --checkpoint {self.name} goes on"
        remains.kept(f"what was found until {until} is kept in {self.path}: {again}")

    def _now_and_then(self, write: Callable[[], None], every: float) -> None:
        """Write if it is time: never more than a twentieth of the work goes into writing."""
        if time.monotonic() - self.written < max(every, 20 * self.cost):
            return
        try:
            write()
            self.trouble = ""
        except OddsmithError as error:  # the work itself is well: go on, and say so at the end
            self.trouble = str(error)
            self.written = time.monotonic()

    def _replace(self, fill: Callable[[Any], None], needs: str = "") -> None:
        """Put a new file in the place of the old one, whole or not at all."""
        began = time.monotonic()
        waits = remains.keeping(f"the checkpoint {self.path} is being written")
        try:
            with waits, remains.temporary(self.beside):
                with self.beside.open("wb") as file:
                    fill(file)
                    file.flush()
                    os.fsync(file.fileno())
                self.beside.replace(self.path)
        except OSError as error:
            self._discard()
            raise OddsmithError(
                f"The checkpoint {self.path} cannot be written: {_reason(error)}.{needs}"
            ) from None
        self.written = time.monotonic()
        self.cost = self.written - began
        self._is_there(time.strftime("%H:%M:%S"))

    def _unreadable(self, error: OSError) -> OddsmithError:
        return OddsmithError(f"The checkpoint {self.path} cannot be read: {_reason(error)}.")

    def remove(self) -> None:
        """The work is done."""
        remains.kept("")
        with suppress(OSError):
            self.path.unlink(missing_ok=True)
        self._discard()

    def _discard(self) -> None:
        """Delete what was written in part, also by a run that was killed meanwhile."""
        with suppress(OSError):
            self.beside.unlink(missing_ok=True)


def _reason(error: OSError | ValueError) -> str:
    return getattr(error, "strerror", None) or str(error)
