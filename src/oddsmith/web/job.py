"""Job: what was asked, how far it is and what came of it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from oddsmith.version import __version__

ENDED = ("done", "failed", "cancelled")
INTERACTIVE = ("board", "play", "check", "odds")
"""Somebody looks at the page and waits; everything else comes after these."""

ATTEMPTS = 2
"""A job whose worker dies is tried so many times."""


def digest_of(kind: str, request: dict[str, Any]) -> str:
    """What tells a request from all others: the same digest has the same result."""
    text = json.dumps([kind, request, __version__], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class Job:
    """One job. It changes in one thread only, the event loop's, and says so to who waits."""

    kind: str
    request: dict[str, Any]
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    digest: str = ""
    status: str = "queued"
    created: float = field(default_factory=time.time)
    started: float | None = None
    finished: float | None = None
    attempts: int = 0
    progress: dict[str, Any] | None = None
    result: dict[str, Any] | None = None
    error: dict[str, Any] | None = None
    version: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    def __post_init__(self) -> None:
        self.digest = self.digest or digest_of(self.kind, self.request)
        self.touch()

    def touch(self) -> None:
        """A new version, and a word to everybody who waits for one.

        Versions follow the clock, so that they go on growing when the server is started again.
        """
        moment = self.finished or time.time()
        self.version = max(self.version + 1, int((moment - self.created) * 1000))
        self.changed.set()
        self.changed = asyncio.Event()

    @property
    def ended(self) -> bool:
        """Whether nothing more will come of it."""
        return self.status in ENDED

    @property
    def urgency(self) -> int:
        """The class it waits in: 0 goes first."""
        return 0 if self.kind in INTERACTIVE else 1

    def begin(self) -> None:
        """A worker has it."""
        self.status, self.started, self.attempts = "running", time.time(), self.attempts + 1
        self.progress = None
        self.touch()

    def again(self) -> None:
        """It waits once more."""
        self.status, self.started, self.progress, self.result = "queued", None, None, None
        self.touch()

    def report(self, stage: str, done: float | None, of: float | None, facts: str) -> None:
        """How far it is; the time it still takes, if it goes on as it has within this stage."""
        now = time.monotonic()
        before = self.progress
        same = before is not None and before["stage"] == stage
        began = before["began"] if same and before is not None else (now, done)
        left = None
        if of is not None and done is not None and began[1] is not None:
            gained = done - began[1]
            if gained > 0 and now - began[0] > 0.5:
                left = max(0.0, (of - done) * (now - began[0]) / gained)
        self.progress = {"stage": stage, "done": done, "of": of, "facts": facts}
        self.progress |= {"seconds_left": left, "began": began}
        self.touch()

    def end(
        self, status: str, result: dict[str, Any] | None = None, error: dict[str, Any] | None = None
    ) -> None:
        """It is over; a result that was partial stays if there is no other."""
        self.status, self.finished, self.progress = status, time.time(), None
        self.result = result if result is not None else self.result
        self.error = error
        self.touch()

    def stands_alone(self) -> None:
        """Let its result answer nobody else: where less is going on there is a better one."""
        self.digest = f"{self.id} alone"

    def to_dict(self, place: int | None = None, whole: bool = True) -> dict[str, Any]:
        """The job as the API shows it."""
        seconds = None
        if self.started is not None:
            seconds = round((self.finished or time.time()) - self.started, 6)
        progress = self.progress
        if progress is not None:
            progress = {name: value for name, value in progress.items() if name != "began"}
        found = {
            "id": self.id,
            "kind": self.kind,
            "request": self.request,
            "status": self.status,
            "version": self.version,
            "place_in_queue": place,
            "progress": progress,
            "error": self.error,
            "created": _iso(self.created),
            "started": None if self.started is None else _iso(self.started),
            "finished": None if self.finished is None else _iso(self.finished),
            "seconds": seconds,
        }
        return found | ({"result": self.result} if whole else {})


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds")
