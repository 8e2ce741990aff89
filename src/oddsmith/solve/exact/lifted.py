"""The digits of a solution as they are lifted: counted, shown, kept, and stopped on demand."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from oddsmith.errors import OptionError
from oddsmith.runtime import remains
from oddsmith.runtime.progress import Progress, Silent
from oddsmith.solve.exact.kept import Kept
from oddsmith.solve.exact.lift import Lifting

MOST_KEPT = 2**29
"""Bytes of digits of all unknowns that are remembered for a proof by the residual."""

KEPT_AFTER = 10.0
"""Seconds of work from which on Ctrl-C leaves the digits in `LiftingPlan.default_file`."""

Proof = TypeVar("Proof")


@dataclass(frozen=True)
class LiftingPlan:
    """How digits are lifted: who watches, where the work runs, what is kept of it."""

    progress: Progress = field(default_factory=Silent)
    threads: int = 1
    cuda: bool = False
    checkpoint: str | None = None
    """A file that keeps the digits, and from which they are read."""
    default_file: str | None = None
    """Without one: the file in which Ctrl-C leaves them after a while."""
    interrupt: Any = False
    """True once the work is to stop."""

    def check(self) -> None:
        """Stop here if that is wished: there is nothing to keep yet."""
        if self.interrupt:
            raise remains.stopped("interrupted before the first digit; nothing was kept")


class Lifted:
    """The digits found so far: of some places in `digits`, of all unknowns in `every`."""

    def __init__(
        self, work: Lifting, given: Any, places: list[int], needed: int, plan: LiftingPlan,
        stored: Kept | None, first: int = 4, whole: bool = False,
        kept: tuple[Any, Any] | None = None,
    ) -> None:  # fmt: skip
        self.work, self.given, self.places, self.needed = work, given, places, needed
        self.plan, self.stored, self.first = plan, stored, first
        columns = work.residual.shape[1]
        self.digits = np.empty((needed, len(places), columns), np.uint32)
        self.every: list[Any] = []
        self.count, self.began = 0, time.perf_counter()
        self.keeping = whole or 4 * needed * len(work.residual) * columns <= MOST_KEPT
        if kept is not None:
            self.count = len(kept[0])
            self.digits[: self.count] = kept[0]
            work.residual[:] = kept[1]
            self.keeping = False

    def until(self, attempt: Callable[[], Proof | None]) -> Proof | None:
        """Lift until an attempt at a proof succeeds, or all digits are there.

        Attempts are made when the digits have grown by a quarter.
        """
        following = self.first
        while self.count < self.needed:
            ahead = self.count + 1
            found = self.work.step(self.given[ahead] if ahead < len(self.given) else None)
            self.digits[self.count] = found[self.places]
            self.count = ahead
            if self.keeping:
                self.every.append(found.astype(np.uint32))
                if self.count >= following:
                    following = self.count * 5 // 4 + 1
                    proof = attempt()
                    if proof is not None:
                        return self._done(proof)
            if self.count % 16 == 0:
                self._rest(lambda: self.work.residual)
        return self._done(None)

    def check(self) -> None:
        """Stop here if that is wished: in the midst of a proof, which takes long."""
        if self.plan.interrupt:
            self._stop(lambda: self.work.residual)

    def on_device(self) -> None:
        """Lift all digits on a CUDA device."""
        from oddsmith.solve.exact.cuda import LAUNCH, CudaLifting

        if len(self.given) > 1:
            raise OptionError("The weights of this game are too wide for the CUDA engine.")
        device = CudaLifting(self.work, self.places)
        while self.count < self.needed:
            now = min(LAUNCH, self.needed - self.count)
            self.digits[self.count : self.count + now] = device.steps(now)
            self.count += now
            self._rest(device.state)
        self._done(None)

    def _rest(self, residual: Callable[[], Any]) -> None:
        """Between steps: say how far it is, keep it now and then, stop if that is wished."""
        each = math.log10(self.work.prime)
        so_far = f"{int(self.count * each):,} of {int(self.needed * each):,} digits"
        self.plan.progress.update("lifting", self.count * each, self.needed * each, so_far)
        if self.stored is not None and self.plan.checkpoint is not None:
            self.stored.now_and_then(self.digits[: self.count], residual)
        if self.plan.interrupt:
            self._stop(residual)

    def _stop(self, residual: Callable[[], Any]) -> None:
        """End the work; what was asked to be kept, or took some time to find, is kept."""
        each = math.log10(self.work.prime)
        so_far = f"interrupted at {int(self.count * each):,} of {int(self.needed * each):,} digits"
        asked = self.plan.checkpoint is not None
        if self.stored is None or not (asked or time.perf_counter() - self.began > KEPT_AFTER):
            raise remains.stopped(f"{so_far}; nothing was kept")
        self.stored.write(self.digits[: self.count], residual)
        again = "the same command" + ("" if asked else f" with --checkpoint {self.stored.name}")
        raise remains.stopped(f"{so_far}, kept in {self.stored.path}: {again} goes on")

    def _done(self, proof: Proof | None) -> Proof | None:
        if self.stored is not None and self.plan.checkpoint is not None:
            self.stored.remove()
        return proof
