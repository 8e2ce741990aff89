"""Digits that were lifted, kept in a file: long work goes on where it was stopped."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

from oddsmith.errors import OddsmithError
from oddsmith.solve.kept_file import KeptFile

EVERY = 60.0
"""Seconds between two times that the digits are written."""


def fingerprint(*parts: Any) -> str:
    """What a system is told from others by."""
    digest = hashlib.sha256()
    for part in parts:
        array = np.asarray(part)
        wide = array.dtype == object
        digest.update(repr(array.tolist()).encode() if wide else array.astype(np.int64).tobytes())
        digest.update(b"|")
    return digest.hexdigest()


class Kept(KeptFile):
    """A file with the digits found so far and the residual they leave.

    Of one question several systems may be solved: each has a file of its own, `name`.`part`.
    """

    def __init__(self, name: str, part: int, key: str) -> None:
        super().__init__(f"{name}.{part}")
        self.name, self.key = name, key

    def read(self) -> tuple[Any, Any] | None:
        """The digits and the residual, if there is a file of this system."""
        if not self.exists():
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

    def now_and_then(self, digits: Any, residual: Callable[[], Any]) -> None:
        """Write the digits and the residual, if it is time."""
        self._now_and_then(lambda: self.write(digits, residual), EVERY)

    def write(self, digits: Any, residual: Callable[[], Any]) -> None:
        """Write the digits and the residual."""
        parts = {"key": np.array(self.key), "digits": digits, "residual": residual()}
        self._replace(lambda file: np.savez(file, **parts))
