"""Digits that were lifted, kept in a file: long work goes on where it was stopped.

A file: a line that names the format, a line of JSON (of which system the digits are, and how many),
then the digits of the places that were asked for, 32 bits each, and the residual that they leave,
64 bits each. Whoever reads it believes nothing (`resumed.py`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import numpy as np

from oddsmith.errors import OddsmithError
from oddsmith.runtime.kept_file import KeptFile
from oddsmith.runtime.reading import require_plain

FORMAT = b"oddsmith digits 1\n"
HEAD = 4096
"""Bytes of the second line at most."""

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

    def read(self, most: int, places: int, residual: Any) -> tuple[Any, Any] | None:
        """The digits (at most so many of each place) and the residual, if there is a file.

        Both are of the right size and nothing more is known of them.
        """
        if not self.exists():
            return None
        require_plain(self.path)
        try:
            with self.path.open("rb") as file:
                found = self._read(file, most, places, residual)
        except OSError as error:
            raise self._unreadable(error) from None
        if found is None:
            raise OddsmithError(
                f"{self.path} is no checkpoint of digits, or it is damaged: delete it, or name "
                f"another."
            )
        return found

    def _read(self, file: Any, most: int, places: int, residual: Any) -> tuple[Any, Any] | None:
        if file.readline(len(FORMAT)) != FORMAT:
            return None
        try:
            head = json.loads(file.readline(HEAD))
            key, count = head["key"], head["count"]
        except (ValueError, KeyError, TypeError, RecursionError):
            return None
        if key != self.key:
            raise OddsmithError(
                f"{self.path} is a checkpoint of another game or question: name another file."
            )
        if type(count) is not int or not 0 < count <= most:
            return None
        size = 4 * count * places * residual.shape[1]
        digits, rest = file.read(size), file.read(8 * residual.size + 1)
        if len(digits) != size or len(rest) != 8 * residual.size:
            return None
        shape = count, places, residual.shape[1]
        return np.frombuffer(digits, "<u4").reshape(shape), np.frombuffer(rest, "<i8").reshape(
            residual.shape
        )

    def doubted(self) -> OddsmithError:
        """What is said of digits that are not those of the solution."""
        return OddsmithError(
            f"{self.path} is damaged: its digits are not those of the solution. Delete it and "
            f"start anew."
        )

    def now_and_then(self, digits: Any, residual: Callable[[], Any]) -> None:
        """Write the digits and the residual, if it is time."""
        self._now_and_then(lambda: self.write(digits, residual), EVERY)

    def write(self, digits: Any, residual: Callable[[], Any]) -> None:
        """Write the digits and the residual."""
        head = json.dumps({"key": self.key, "count": len(digits)}).encode()
        left = np.ascontiguousarray(residual(), "<i8")

        def fill(file: Any) -> None:
            file.write(FORMAT + head + b"\n")
            file.write(np.ascontiguousarray(digits, "<u4").data)
            file.write(left.data)

        self._replace(fill)
