"""Checkpoints of sweeps: kill the process, go on later with the same numbers.

A file: a line that names the format and its version, a line with a seal and JSON (which game by the
digest of its rules, how many numbers of which type, everything in `Sums`, a seal of each stretch of
numbers), then the numbers themselves. It is written beside its place and moved there when it is
whole and on disk, so a file that is there is whole.

**What is believed.** The numbers after k turns are a history. Nothing but the k turns themselves,
played again, tells whether they are the true ones: for every question Q the answer is what was
gained so far plus ⟨V, x⟩, V the values of all positions, and whoever may choose both can make it
anything; to know V is to know the answer. So a checkpoint is believed if this user has written it
(`seal.py`): bits that rotted, files of others and forgeries are refused alike. Beside that, what
holds of any such history is checked: mass that was won, drawn and is left adds up to one, and what
is said to be left bounds the numbers.
"""

from __future__ import annotations

import json
import math
from functools import cached_property
from typing import Any

import numpy as np

from oddsmith.errors import OddsmithError
from oddsmith.quoting import quoted
from oddsmith.runtime.kept_file import KeptFile
from oddsmith.runtime.reading import require_plain
from oddsmith.runtime.seal import Seal
from oddsmith.solve.lattice.sweep import Sums, Sweeper, Total
from oddsmith.version import __version__

FORMAT = "oddsmith checkpoint 2"
EVERY = 60.0
"""Seconds between two checkpoints."""
TOTALS = ("draw", "threw", "rested")
STRETCH = 1 << 22
"""Numbers a stretch."""
MOST_HEAD = 1 << 28
"""Bytes of a head: visits and lengths of many turns are written there."""


class Checkpoint(KeptFile):
    """Where the state of a sweep is kept."""

    def __init__(self, path: str, digest: str) -> None:
        super().__init__(path)
        self.digest = digest

    @cached_property
    def seal(self) -> Seal:
        """The user's seal."""
        return Seal()

    def prepare(self) -> None:
        """Make sure that a checkpoint can be sealed and written, before hours of work."""
        assert self.seal
        super().prepare()

    def now_and_then(self, sweeper: Sweeper, sums: Sums) -> None:
        """Write the state of a sweep, if it is time."""
        self._now_and_then(lambda: self.write(sweeper, sums), EVERY)

    def write(self, sweeper: Sweeper, sums: Sums) -> None:
        """Write the state of a sweep."""
        size = sweeper.size * np.dtype(sweeper.dtype).itemsize / 2**30
        self._replace(
            lambda file: _write(file, sweeper, sums, self.digest, self.seal),
            f" It needs {size:.2f} GiB.",
        )

    def read(self, sweeper: Sweeper) -> Sums:
        """Set the numbers of a sweeper, and give the rest."""
        require_plain(self.path)
        try:
            with self.path.open("rb") as file:
                return self._read(file, sweeper)
        except OSError as error:
            raise self._unreadable(error) from None

    def _read(self, file: Any, sweeper: Sweeper) -> Sums:
        first = file.readline(100).decode("ascii", "replace").strip()
        if first != FORMAT:
            what = quoted(first) if first.startswith("oddsmith checkpoint") else "no checkpoint"
            raise OddsmithError(
                f"{self.path} is {what!r}, and this version ({__version__}) reads {FORMAT!r}: "
                f"name another file, or delete it to start anew."
            )
        try:
            check, text = file.readline(MOST_HEAD).rstrip(b"\n").split(b" ", 1)
            if not self.seal.fits(text, check.decode()):
                raise self._broken()
            head = json.loads(text)
            same = (head["digest"], head["numbers"], head["dtype"])
            checks = head["checks"]
            sums = _sums(head["sums"])
        except (ValueError, KeyError, TypeError):
            raise self._broken() from None
        if same != (self.digest, sweeper.size, sweeper.dtype):
            raise OddsmithError(
                f"{self.path} is a checkpoint of another game, question or precision (rules "
                f"{same[0]}, {same[1]:,} numbers, {same[2]}; this is {self.digest}, "
                f"{sweeper.size:,}, {sweeper.dtype}): name another file, or delete it."
            )
        item = np.dtype(sweeper.dtype).itemsize
        for check, start in zip(checks, range(0, sweeper.size, STRETCH), strict=True):
            data = file.read((min(sweeper.size, start + STRETCH) - start) * item)
            if not self.seal.fits(data, check):
                raise self._broken()
            sweeper.write(start, np.frombuffer(data, sweeper.dtype))
        if not is_possible(sweeper, sums):
            raise self._broken()
        return sums

    def _broken(self) -> OddsmithError:
        return OddsmithError(
            f"The checkpoint {self.path} is damaged, or not yours (your own bear your seal): "
            f"delete it and start anew."
        )


def is_possible(sweeper: Sweeper, sums: Sums) -> bool:
    """Whether numbers and sums can be those of a sweep: of what is left, and of all mass."""
    left, slack = sums.scale * sweeper.norm(), sums.rounding(sweeper) + 1e-9
    if not (math.isfinite(left) and left <= sums.left * (1 + 1e-6) + slack):
        return False
    gained = math.fsum([total.value for total in sums.win]) + sums.draw.value
    return bool(sums.deflations) or abs(gained + left - 1) <= slack


def _write(file: Any, sweeper: Sweeper, sums: Sums, digest: str, seal: Seal) -> None:
    """The head has a fixed length, for the seals are known when the numbers are written."""
    count = -(-sweeper.size // STRETCH)
    head = {
        "digest": digest,
        "numbers": sweeper.size,
        "dtype": sweeper.dtype,
        "version": __version__,
        "sums": _plain(sums),
        "checks": ["0" * 32] * count,
    }
    file.write(f"{FORMAT}\n".encode())
    place = file.tell()
    file.write(_sealed(head, seal) + b"\n")
    for i, start in enumerate(range(0, sweeper.size, STRETCH)):
        stretch = np.ascontiguousarray(sweeper.read(start, min(sweeper.size, start + STRETCH)))
        data = stretch.view(np.uint8).data
        head["checks"][i] = seal.of(data)  # type: ignore[index]
        file.write(data)
    file.seek(place)
    file.write(_sealed(head, seal))


def _sealed(head: dict[str, Any], seal: Seal) -> bytes:
    """A head behind its seal; as long whatever the seals are."""
    text = json.dumps(head).encode()
    return f"{seal.of(text)} ".encode() + text


def _plain(sums: Sums) -> dict[str, Any]:
    """Sums as JSON has them: floats are written so that they come back as they were."""
    found = {k: v for k, v in vars(sums).items() if k not in (*TOTALS, "win", "visits")}
    found["win"] = [[total.high, total.low] for total in sums.win]
    for name in TOTALS:
        total = getattr(sums, name)
        found[name] = [total.high, total.low]
    found["visits"] = [[float(v) for v in arrived] for arrived in sums.visits]
    return found


def _sums(found: dict[str, Any]) -> Sums:
    totals: dict[str, Any] = {name: Total(*found.pop(name)) for name in TOTALS}
    win = [Total(*pair) for pair in found.pop("win")]
    visits = [np.array(arrived) for arrived in found.pop("visits")]
    return Sums(win, visits=visits, **totals, **found)
