"""The command `oddsmith`: a small process that watches another one, which does the work.

Ctrl-C is to be heard within two seconds whatever is running, and long calls into libraries (a
product of numbers with a million digits, the inverse of a large matrix, the compiler) cannot be
stopped, nor any Python be run beside them, inside their own process. So the process that was
started does nothing but watch. At Ctrl-C the worker has `REST_SECONDS` to come to rest by
itself: to print what it has found, to keep what it was asked to keep. Then it is ended, with all
its workers; what lies about is cleared away, and a sentence says what was kept. A second Ctrl-C
ends it at once. A worker that dies (a library that aborts when memory runs out) is told in a
sentence too.

Nothing is imported here that takes time.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import time
from contextlib import suppress

TYPE_CHECKING = False  # as `typing` has it, which takes time to import
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType
    from typing import Any, NoReturn

REST_SECONDS = 1.2
"""Seconds that the worker has to come to rest."""

PASSED_ON = 0.15
"""Seconds until Ctrl-C is passed on: a terminal tells both processes, `kill` only one."""

LAST_LOOKS = 30
"""Hundredths of a second that the end of a worker is waited for."""

FAREWELLS = ("SIGTERM", "SIGHUP")
"""Signals that are passed on to the worker, whose end is then this one's."""

NOTE_SIZE = 1 << 16


def main() -> NoReturn:
    """Run the command line in a process that is watched."""
    if not hasattr(os, "fork"):
        from oddsmith.cli import main as work

        work()
        os._exit(0)
    watcher = Watcher()
    if watcher.child == 0:
        watcher.be_watched()
    watcher.leave(watcher.until_it_ends())


class Note:
    """A sheet that two processes share: the one writes what it would leave, the other reads it.

    It has two sides, so that what is read is whole even if the writer was ended while it wrote.
    """

    def __init__(self) -> None:
        import mmap

        self.sheet = mmap.mmap(-1, 2 * NOTE_SIZE + 1)

    def write(self, left: dict[str, Any]) -> None:
        """Write on the side that is not read, and turn it over."""
        import json

        text = json.dumps(left).encode()
        if len(text) < NOTE_SIZE:
            side = 1 - self.sheet[2 * NOTE_SIZE]
            start = side * NOTE_SIZE
            self.sheet[start : start + len(text) + 1] = text + b"\0"
            self.sheet[2 * NOTE_SIZE] = side

    def read(self) -> dict[str, Any]:
        """What was written last; nothing if the writer has hardly begun."""
        import json

        start = self.sheet[2 * NOTE_SIZE] * NOTE_SIZE
        text = self.sheet[start : start + NOTE_SIZE].partition(b"\0")[0]
        return dict(json.loads(text)) if text else {}


class Watcher:
    """The process that watches; made in it, and by `fork` in the one that works too."""

    def __init__(self) -> None:
        self.note = Note()
        self.ignores = signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None)
        self.rung, self.ring = os.pipe()
        self.heard, self.hear = os.pipe()
        for end in (self.rung, self.ring, self.heard, self.hear):
            os.set_blocking(end, False)
        self.before = signal.set_wakeup_fd(self.ring, warn_on_full_buffer=False)
        signals = ["SIGCHLD", *FAREWELLS] + ([] if self.ignores else ["SIGINT"])
        self.signals = {getattr(signal, name) for name in signals}
        held = signal.pthread_sigmask(signal.SIG_BLOCK, self.signals)
        self.former = {number: signal.signal(number, _noted) for number in self.signals}
        self.parent = os.getpid()
        self.child = os.fork()
        if self.child == 0:
            self._become_worker()
        signal.pthread_sigmask(signal.SIG_SETMASK, held)

    # The worker ---------------------------------------------------------------------------

    def _become_worker(self) -> None:
        """Undo what the watcher has set; be deaf to Ctrl-C until the work can be stopped in order.

        The watcher ends a worker that has not begun.
        """
        signal.set_wakeup_fd(self.hear, warn_on_full_buffer=False)
        for number, before in self.former.items():
            signal.signal(number, before)
        if not self.ignores:
            signal.signal(signal.SIGINT, _noted)
        for end in (self.rung, self.ring, self.heard):
            os.close(end)
        _end_with(self.parent)

    def be_watched(self) -> NoReturn:
        """Do the work."""
        from oddsmith.cli import main as work
        from oddsmith.runtime import remains

        remains.told(self.note.write)
        work()
        os._exit(0)

    # The watcher --------------------------------------------------------------------------

    def until_it_ends(self) -> int:
        """Watch until the worker ends, by itself or not; the status to end with.

        A status below zero is the signal that ended it, as for `subprocess`.
        """
        os.close(self.hear)
        deadline, wished, told, rested = float("inf"), False, False, False
        while True:
            for number in self._rings(deadline):
                if number in self.signals - {signal.SIGCHLD, signal.SIGINT}:
                    self._tell(number)
                elif number == signal.SIGINT:
                    left = self.note.read()
                    if not left or (wished and not left["alone"]):
                        return self._end(left)
                    wished = True
                    self._pass_on()
                    if not left["alone"]:
                        deadline = time.monotonic() + REST_SECONDS
            ended, status = os.waitpid(self.child, os.WNOHANG)
            if ended:
                return self._ended(os.waitstatus_to_exitcode(status), wished)
            if time.monotonic() >= deadline:
                left = self.note.read()
                if not left["keeping"] and (rested or not told):
                    return self._end(left)
                if left["keeping"] and not told:
                    told = True
                    say(f"interrupted; {left['keeping'][0]} (Ctrl-C again ends it without)")
                rested = not left["keeping"]  # what was being kept is: time to say so
                deadline = time.monotonic() + (REST_SECONDS if rested else 0.1)

    def _rings(self, deadline: float) -> Iterator[int]:
        """The signals that arrive, until the deadline or the first of them."""
        left = None if deadline == float("inf") else max(0.0, deadline - time.monotonic())
        with suppress(InterruptedError):
            select.select([self.rung], [], [], left)
        with suppress(BlockingIOError):
            yield from os.read(self.rung, 4096)

    def _pass_on(self) -> None:
        """Tell the worker of Ctrl-C, unless the terminal has told it: twice is another wish."""
        select.select([self.heard], [], [], PASSED_ON)
        with suppress(BlockingIOError):
            if signal.SIGINT in os.read(self.heard, 4096):
                return
        self._tell(signal.SIGINT)

    def _tell(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.child, number)

    def _end(self, left: dict[str, Any]) -> int:
        """End the worker and all that it has started; say what is left of its work."""
        started = _started_by(self.child)
        self._tell(signal.SIGKILL)
        from oddsmith.runtime.remains import sentence

        say(sentence(left))
        for _ in range(LAST_LOOKS):  # many gigabytes take a while to be given back
            if os.waitpid(self.child, os.WNOHANG)[0]:
                break
            time.sleep(0.01)
        self._clear_away(started)
        return 130

    def _ended(self, status: int, wished: bool) -> int:
        """The worker has ended: by itself, or by a signal that it did not expect."""
        said = self.note.read().get("said")
        if status == 130 and said:
            say(said)
        if status >= 0:
            return status
        self._clear_away([])
        if -status in self.signals - {signal.SIGINT}:
            return status
        if wished or status == -signal.SIGINT:
            from oddsmith.runtime.remains import sentence

            say(sentence(self.note.read()))
            return 130
        say(_why(-status))
        return 1

    def _clear_away(self, started: list[int]) -> None:
        """End the processes that the worker has started; remove its temporary files."""
        for process in started:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        from oddsmith.runtime.remains import clear

        for path in self.note.read().get("temporary", []):
            clear(path)

    def leave(self, status: int) -> NoReturn:
        """End as the worker did."""
        with suppress(OSError, ValueError):
            sys.stderr.flush()
        if status < 0:
            signal.signal(-status, signal.SIG_DFL)
            os.kill(os.getpid(), -status)
        os._exit(status if status >= 0 else 128 - status)


def say(text: str) -> None:
    """A sentence on the error stream, whatever can be written there."""
    with suppress(OSError, ValueError):
        text = "".join(c if c.isprintable() else "?" for c in text)
        if sys.stderr.isatty():  # there may be a progress bar, which hides the cursor
            sys.stderr.write("\r\x1b[2K\x1b[?25h")
        sys.stderr.write(f"oddsmith: {text}\n")


def _noted(number: int, frame: FrameType | None) -> None:
    """Nothing more: the signal has rung."""


def _end_with(parent: int) -> None:
    """Have this process end when its parent is killed, where the system can do that."""
    if sys.platform == "linux":
        import ctypes

        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != parent:
            os._exit(1)


def _started_by(process: int) -> list[int]:
    """The processes that a process has started, and those that they have, where it is known."""
    parents: dict[int, list[int]] = {}
    with suppress(OSError):
        for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208 - pathlib takes time
            with suppress(OSError, IndexError, ValueError), open(f"/proc/{name}/stat") as file:  # noqa: PTH123
                parent = int(file.read().rpartition(")")[2].split()[1])
                parents.setdefault(parent, []).append(int(name))
    found = [process]
    for one in found:
        found += parents.get(one, [])
    return found[1:]


def _why(number: int) -> str:
    """Why the worker may have died of a signal."""
    name = signal.Signals(number).name
    if number == signal.SIGKILL:
        return (
            "The system ended the work (SIGKILL), most likely because memory ran out: ask for "
            "less, or simulate instead."
        )
    return (
        f"The work broke off ({name}), as libraries do when memory runs out: ask for less, or "
        f"let it have more. If there was enough, please report it."
    )
