"""Run a compiled kernel in a thread while this one shows progress and hears Ctrl-C.

A kernel runs without the interpreter lock. It shares a small array `signals` with its watcher:
the kernel writes how far it is, the watcher sets the last entry to make it stop.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from concurrent.futures import Future
    from queue import SimpleQueue

T = TypeVar("T")

INTERVAL = 0.05
JOIN_SECONDS = 5.0
"""How long to wait for a kernel to notice that it should stop."""

Signals = npt.NDArray[Any]


def new_signals(size: int = 4) -> Signals:
    """A fresh array of signals; the last one means stop."""
    return np.zeros(size, np.float64)


class Workers:
    """Threads that do jobs in order, one a core unless told; kernels among them get `signals`.

    They do not keep the process alive if one of them hangs.
    """

    def __init__(self, count: int | None = None) -> None:
        from queue import SimpleQueue

        self._jobs: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self.count = count or os.cpu_count() or 1
        self.signals = new_signals()
        for _ in range(self.count):
            threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        while (waiting := self._jobs.get()) is not None:
            future, job = waiting
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(job())
                except BaseException as error:
                    future.set_exception(error)

    def submit(self, job: Callable[[], T]) -> Future[T]:
        """Have a job done."""
        from concurrent.futures import Future

        future: Future[T] = Future()
        self._jobs.put((future, job))
        return future

    def close(self) -> None:
        """No more jobs: the threads end when those they have are done, or have been stopped."""
        self.signals[-1] = 1
        for _ in range(self.count):
            self._jobs.put(None)


def watched(work: Callable[[], T], signals: Signals, look: Callable[[], None]) -> T:
    """The result of `work`, run in a thread; `look` is called now and then meanwhile.

    An exception in `look`, or Ctrl-C, asks the kernel to stop and goes on to the caller.
    """
    results: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(INTERVAL)
            look()
    except BaseException:
        signals[-1] = 1
        thread.join(JOIN_SECONDS)
        raise
    if failures:
        raise failures[0]
    return results[0]
