"""Digits that were lifted, kept in a file: long work goes on where it was stopped."""

from __future__ import annotations

import hashlib
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from oddsmith.errors import OddsmithError

EVERY = 60.0
"""Seconds between two times that it is written."""


def fingerprint(*parts: Any) -> str:
    """What a system is told from others by."""
    digest = hashlib.sha256()
    for part in parts:
        array = np.asarray(part)
        wide = array.dtype == object
        digest.update(repr(array.tolist()).encode() if wide else array.astype(np.int64).tobytes())
        digest.update(b"|")
    return digest.hexdigest()


class Kept:
    """A file with the digits found so far and the residual they leave.

    Of one question several systems may be solved: each has a file of its own, `name`.`part`.
    """

    def __init__(self, name: str, part: int, key: str) -> None:
        self.name, self.path = name, Path(f"{name}.{part}")
        self.key, self.written = key, time.monotonic()

    def prepare(self) -> None:
        """Refuse a file that cannot be written, before the work and not after it."""
        beside = self.path.with_name(self.path.name + ".new")
        try:
            beside.touch()
            beside.unlink()
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> OddsmithError:
        return OddsmithError(f"The checkpoint {self.path} cannot be written: {error.strerror}.")

    def read(self) -> tuple[Any, Any] | None:
        """The digits and the residual, if there is a file of this system."""
        if not self.path.exists():
            return None
        try:
            with np.load(self.path, allow_pickle=False) as stored:
                key, digits, residual = str(stored["key"]), stored["digits"], stored["residual"]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
            raise OddsmithError(
                f"{self.path} is no checkpoint of digits ({error}): delete it, or name another."
            ) from None
        if key != self.key:
            raise OddsmithError(
                f"{self.path} is a checkpoint of another game or question: name another file."
            )
        return digits, residual

    def due(self) -> bool:
        """Whether it is time to write again."""
        return time.monotonic() - self.written > EVERY

    def write(self, digits: Any, residual: Any) -> None:
        """Write the file as a whole, or leave the one before."""
        beside = self.path.with_name(self.path.name + ".new")
        try:
            with beside.open("wb") as file:
                np.savez(file, key=np.array(self.key), digits=digits, residual=residual)
            beside.replace(self.path)
        except OSError as error:
            raise self._unwritable(error) from None
        self.written = time.monotonic()

    def remove(self) -> None:
        """The work is done."""
        self.path.unlink(missing_ok=True)
