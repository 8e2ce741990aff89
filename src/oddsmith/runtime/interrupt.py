"""Ctrl-C as a wish: long work ends where its numbers are whole, a second Ctrl-C ends it at once."""

from __future__ import annotations

import signal
import sys
import threading
from types import FrameType
from typing import Any

A_MOMENT = 0.02

heard = False
"""Whether Ctrl-C was heard since this process `listen`s: its end then says so."""


def listen() -> None:
    """Hear Ctrl-C as Python does, and remember it from now on: for who is one command."""
    answered()
    if hears():
        signal.signal(signal.SIGINT, _stop)
        sys.unraisablehook = _signal_once_more


def _signal_once_more(lost: Any) -> None:
    """Ctrl-C where nothing can be raised (a callback of the collector) is heard a moment later."""
    if lost.exc_type is KeyboardInterrupt:
        main = threading.main_thread().ident
        threading.Timer(A_MOMENT, signal.pthread_kill, (main, signal.SIGINT)).start()
    else:
        sys.__unraisablehook__(lost)


def answered() -> None:
    """Ctrl-C was how this was to end: nothing was cut short."""
    global heard
    heard = False


def hears() -> bool:
    """Whether Ctrl-C is heard at all: a process that was started to ignore it goes on to."""
    return signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, None)


def _stop(number: int, frame: FrameType | None) -> None:
    global heard
    heard = True
    raise KeyboardInterrupt


class Interrupt:
    """While it is entered, the first Ctrl-C only makes it true; who ignores Ctrl-C goes on to."""

    def __init__(self) -> None:
        self.wished = False
        self._before: Any = None

    def __enter__(self) -> Interrupt:
        if hears() and threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        global heard
        heard = True
        if self.wished:
            raise KeyboardInterrupt
        self.wished = True

    def __bool__(self) -> bool:
        return self.wished

    def check(self) -> None:
        """Stop here if it was wished: for work that leaves nothing to keep."""
        if self.wished:
            raise KeyboardInterrupt
