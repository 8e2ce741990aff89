"""A worker: a program that does one job at a time for the server, and can be killed at any moment.

It hears frames on its standard input (`run`, `cancel`) and says on its output how far it is
(`progress`), what it knows already (`partial`) and how it ended (`done`, `failed`, `cancelled`).
When the server is gone, so is the worker.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
import traceback
from typing import Any, BinaryIO

from oddsmith.errors import OddsmithError
from oddsmith.runtime import memory
from oddsmith.web import frames
from oddsmith.web.tasks import task_of
from oddsmith.web.tasks.kept import make_room
from oddsmith.web.tasks.requested import Bounds, said_of

EVERY = 0.1
"""Seconds between two reports of progress."""


class Cancelled(BaseException):
    """A job that nobody wants any more; no error that a solver may catch."""


class Voice:
    """Says messages, from any thread."""

    def __init__(self, pipe: BinaryIO) -> None:
        self.pipe, self.lock = pipe, threading.Lock()

    def say(self, what: str, **message: Any) -> None:
        """Send a message; if nobody hears it, this worker is of no use."""
        data = frames.packed({"say": what} | message)
        with self.lock:
            try:
                self.pipe.write(data)
                self.pipe.flush()
            except OSError:
                os._exit(1)


class Reporter:
    """Progress of one job, told to the server now and then; stops the job when it is not wanted."""

    def __init__(self, voice: Voice, job: str) -> None:
        self.voice, self.job = voice, job
        self.unwanted = False
        self._last = 0.0

    def update(self, stage: str, done: float, of: float | None, facts: str = "") -> None:
        """Report, unless it was done a moment ago."""
        if self.unwanted:
            raise Cancelled
        now = time.monotonic()
        if now - self._last >= EVERY:
            self._last = now
            self.voice.say("progress", job=self.job, stage=stage, done=done, of=of, facts=facts)

    def partial(self, result: dict[str, Any]) -> None:
        """Give what is known already."""
        if self.unwanted:
            raise Cancelled
        self.voice.say("partial", job=self.job, result=result)


class Worker:
    """Hears in one thread, works in the main one (rules are timed by its signals)."""

    def __init__(self, pipe_in: BinaryIO, pipe_out: BinaryIO) -> None:
        self.pipe, self.voice = pipe_in, Voice(pipe_out)
        self.todo: queue.SimpleQueue[frames.Message] = queue.SimpleQueue()
        self.reporter: Reporter | None = None

    def hear(self) -> None:
        """Take in what the server sends, until it is gone."""
        while (message := frames.read(self.pipe)) is not None:
            if message["do"] == "run":
                self.todo.put(message)
            elif self.reporter is not None and self.reporter.job == message["job"]:
                self.reporter.unwanted = True
        os._exit(0)

    def work(self) -> None:
        """Do what there is to do, for ever."""
        threading.Thread(target=self.hear, daemon=True).start()
        self.voice.say("ready")
        while True:
            message = self.todo.get()
            self.reporter = Reporter(self.voice, message["job"])
            self.run(message, self.reporter)

    def run(self, message: frames.Message, reporter: Reporter) -> None:
        """Do one job; whatever happens is said."""
        job = message["job"]
        try:
            bounds = Bounds(**message["bounds"])
            memory.limit_to(bounds.memory_mb * memory.MIB)
            if message["kind"] != "play":  # which knows what it still needs
                make_room(bounds)
            result = task_of(message["kind"])(message["request"], reporter, bounds)
            self.voice.say("done", job=job, result=result)
        except Cancelled:
            self.voice.say("cancelled", job=job)
        except OddsmithError as error:
            self.voice.say("failed", job=job, error=said_of(error))
        except MemoryError:
            self.fail(job, "There is not enough memory for this: ask for something smaller.")
        except RecursionError:
            self.fail(job, "This is nested too deep.")
        except Exception as error:
            traceback.print_exc()
            self.fail(job, f"This failed, and should not have: {type(error).__name__}.")

    def fail(self, job: str, message: str) -> None:
        """Say that a job failed."""
        self.voice.say("failed", job=job, error={"message": message, "place": None})


def main() -> None:
    """Work for the server that started this program."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's
    pipe_in = os.fdopen(os.dup(0), "rb")
    pipe_out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # what anything prints is no message
    sys.stdout = sys.stderr
    Worker(pipe_in, pipe_out).work()


if __name__ == "__main__":
    main()
