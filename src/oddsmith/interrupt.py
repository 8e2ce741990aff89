"""Ctrl-C as a wish: long work ends where its numbers are whole, a second Ctrl-C ends it at once."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any


class Interrupt:
    """While it is entered, the first Ctrl-C only makes it true; who ignores Ctrl-C goes on to."""

    def __init__(self) -> None:
        self.wished = False
        self._before: Any = None

    def __enter__(self) -> Interrupt:
        heard = signal.getsignal(signal.SIGINT) not in (signal.SIG_IGN, None)
        if heard and threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.wished:
            raise KeyboardInterrupt
        self.wished = True

    def __bool__(self) -> bool:
        return self.wished

    def check(self) -> None:
        """Stop here if it was wished: for work that leaves nothing to keep."""
        if self.wished:
            raise KeyboardInterrupt
