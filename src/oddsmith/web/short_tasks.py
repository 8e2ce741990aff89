"""One worker for short tasks that nobody should wait for: reading boards, the catalogue.

It does one thing after the other and never a job, so it answers even while all others are busy.
"""

from __future__ import annotations

import asyncio
from typing import Any

from oddsmith.errors import OddsmithError
from oddsmith.web.frames import Message
from oddsmith.web.pool import Worker

SECONDS = 10.0
"""What reading a board may take."""
MOST = 64
"""Requests that may wait."""


class FullError(OddsmithError):
    """There is too much to do already."""


class BusyError(OddsmithError):
    """Nobody could be asked."""


class TaskError(OddsmithError):
    """Work failed for a reason that lies in the request."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(error["message"])
        self.error = error


class ShortTasks:
    """What is asked of one worker, in order."""

    def __init__(self, worker: Worker, bounds: dict[str, Any]) -> None:
        self.worker, self.bounds = worker, bounds | {"seconds": SECONDS}
        self._waiting: list[tuple[Message, asyncio.Future[Any]]] = []
        self._now: tuple[Message, asyncio.Future[Any]] | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def ask(self, kind: str, request: dict[str, Any]) -> dict[str, Any]:
        """The result of some short work."""
        if len(self._waiting) >= MOST:
            raise FullError("Too many boards are being read: try again in a moment.")
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting.append(({"kind": kind, "request": request}, answer))
        self._next()
        return await answer

    def heard(self, message: Message) -> None:
        """The worker has said something."""
        if message["say"] in ("progress", "partial"):
            return
        if message["say"] == "done":
            self._answer(message["result"])
        elif message["say"] == "failed":
            self._answer(TaskError(message["error"]))
        self.worker.busy = None
        self._next()

    def died(self) -> None:
        """The worker is gone: what it was asked is asked of the next one, once."""
        if self._now is not None and not self._now[0].get("again"):
            message, answer = self._now
            self._waiting.insert(0, (message | {"again": True}, answer))
            self._now = None
        self._answer(BusyError("The server could not read this: try again."))

    def close(self) -> None:
        """Nobody is answered any more."""
        for _, answer in [*self._waiting, *([self._now] if self._now else [])]:
            answer.cancel()
        self._stop()

    def _next(self) -> None:
        while self.worker.idle and self._waiting:
            message, answer = self._waiting.pop(0)
            if answer.done():  # whoever asked is gone
                continue
            self._now, self.worker.busy = (message, answer), "short"
            self.worker.send({"do": "run", "job": "short", "bounds": self.bounds} | message)
            self._timer = asyncio.get_running_loop().call_later(SECONDS, self._late)

    def _late(self) -> None:
        message = "This takes too long to read: make it smaller."
        self._answer(TaskError({"message": message, "place": None}))
        self.worker.kill()

    def _answer(self, found: Any) -> None:
        self._stop()
        now, self._now = self._now, None
        if now is None or now[1].done():
            return
        if isinstance(found, Exception):
            now[1].set_exception(found)
        else:
            now[1].set_result(found)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
