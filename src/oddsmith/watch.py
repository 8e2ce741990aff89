"""Run a compiled kernel in a thread while this one shows progress and hears Ctrl-C.

A kernel runs without the interpreter lock. It shares a small array `signals` with its watcher:
the kernel writes how far it is, the watcher sets the last entry to make it stop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

T = TypeVar("T")

INTERVAL = 0.05
PATIENCE = 5.0
"""How long to wait for a kernel to notice that it should stop."""

Signals = npt.NDArray[Any]


def new_signals(size: int = 4) -> Signals:
    """A fresh array of signals; the last one means stop."""
    return np.zeros(size, np.float64)


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
        thread.join(PATIENCE)
        raise
    if failures:
        raise failures[0]
    return results[0]
