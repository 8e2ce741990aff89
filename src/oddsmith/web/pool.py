"""Pool: worker processes, kept running; each does one job at a time and can be killed.

`Pool` starts them, hands messages to whoever is in charge (`Manager`) and starts another one when
one dies. It knows nothing of queues.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import oddsmith
from oddsmith.runtime import memory
from oddsmith.web import frames

KEPT_KEYS = 8
"""Games that a worker is known to have at hand."""
SLOWEST_RESTART = 30.0
STEADY = 10.0
"""A worker that dies by itself before so many seconds is started again a little later."""


class Worker:
    """A worker process as the server sees it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.process: asyncio.subprocess.Process | None = None
        self.ready = False
        self.ended = False
        """Whether it was killed on purpose."""
        self.busy: str | None = None
        """The id of the job it has."""
        self.knows: OrderedDict[str, None] = OrderedDict()
        """Games that it has solved and still has, the newest last."""

    @property
    def idle(self) -> bool:
        """Whether it can take a job."""
        return self.ready and self.busy is None

    def learn(self, key: str) -> None:
        """It has this game at hand now."""
        self.knows[key] = None
        self.knows.move_to_end(key)
        while len(self.knows) > KEPT_KEYS:
            self.knows.popitem(last=False)

    def send(self, message: frames.Message) -> None:
        """Send a message; one that is dead hears nothing, and that is noticed elsewhere."""
        if self.process is not None and self.process.stdin is not None:
            with suppress(ConnectionError, RuntimeError):
                self.process.stdin.write(frames.packed(message))

    def kill(self) -> None:
        """End it and whatever it started, at once."""
        self.ended = True
        if self.process is not None and self.process.returncode is None:
            _end(self.process)

    def memory(self) -> int | None:
        """Bytes that it and its children hold."""
        if self.process is None:
            return None
        family = _family(self.process.pid)
        held = memory.held if len(family) == 1 else memory.share  # children share most of it
        found = [held(pid) for pid in family]
        return sum(size for size in found if size) if any(found) else None


def _family(process: int) -> list[int]:
    """A process and its children."""
    found = [process]
    with suppress(OSError, ValueError):
        for task in Path(f"/proc/{process}/task").iterdir():
            found += [int(child) for child in (task / "children").read_text().split()]
    return found


class Pool:
    """Workers that are started again when they die."""

    def __init__(
        self,
        names: list[str],
        folder: Path,
        heard: Callable[[Worker, frames.Message], None],
        died: Callable[[Worker], None],
    ) -> None:
        self.workers = [Worker(name) for name in names]
        self.folder, self.heard, self.died = folder, heard, died
        self._tasks: list[asyncio.Task[None]] = []
        self._closing = False

    def start(self) -> None:
        """Start all of them."""
        self._tasks = [asyncio.create_task(self._live(worker)) for worker in self.workers]

    async def close(self) -> None:
        """End all of them."""
        self._closing = True
        for task in self._tasks:
            task.cancel()
        for worker in self.workers:
            worker.kill()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for worker in self.workers:
            if worker.process is not None:
                await worker.process.wait()

    async def _live(self, worker: Worker) -> None:
        """Start a worker, hear it until it dies, and begin again."""
        pause = 0.0
        while not self._closing:
            began = time.monotonic()
            try:
                worker.process = await _started(self.folder)
            except OSError as error:
                print(f"oddsmith: a worker cannot be started: {error}", file=sys.stderr)
            else:
                await self._hear(worker, worker.process)
            accident = not worker.ended and time.monotonic() - began < STEADY
            worker.ready = worker.ended = False
            worker.knows.clear()
            self.died(worker)
            worker.busy = None
            pause = min(SLOWEST_RESTART, 2 * pause + 0.1) if accident else 0.0
            await asyncio.sleep(pause)

    async def _hear(self, worker: Worker, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        try:
            while (message := await frames.receive(process.stdout)) is not None:
                if message.get("say") == "ready":
                    worker.ready = True
                self.heard(worker, message)
        finally:
            _end(process)  # a worker that says nonsense, and what a dead one has left behind
            await asyncio.shield(process.wait())


def _end(process: asyncio.subprocess.Process) -> None:
    """Kill a worker and all that it has started: they are a group."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


async def _started(folder: Path) -> asyncio.subprocess.Process:
    here = str(Path(oddsmith.__file__).parent.parent)  # the same Oddsmith, wherever this one is
    paths = [here, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    environment = {"OPENBLAS_NUM_THREADS": "1"} | dict(os.environ)  # workers share the cores
    environment["PYTHONPATH"] = os.pathsep.join(map(os.path.abspath, paths))
    return await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "oddsmith.web.worker",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=folder,
        env=environment,
        start_new_session=True,  # Ctrl-C at the terminal is for the server
        limit=1 << 20,
    )  # fmt: skip
