"""A server that runs inside a test: real sockets, real workers."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from oddsmith.web.app import create_app
from oddsmith.web.jobs import Manager
from oddsmith.web.prompt import PromptProtocol
from oddsmith.web.serve import listen
from oddsmith.web.settings import Limits, ServerSettings


class Running:
    """A server on a free port of this machine, and a client of it."""

    def __init__(self, data: Path, workers: int = 1, **limits: Any) -> None:
        self.settings = ServerSettings(
            data=data, workers=workers, limits=Limits(**limits), warm=False
        )
        self.app = create_app(self.settings)
        self.manager: Manager = self.app.state.manager
        self.socket = listen("127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        config = uvicorn.Config(
            self.app,
            http=PromptProtocol,
            log_level="warning",
            ws="none",
            timeout_graceful_shutdown=1,
        )
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.socket]})
        self.client = httpx.Client(base_url=self.url, timeout=60, trust_env=False)

    def __enter__(self) -> Running:
        self.thread.start()
        until = time.monotonic() + 30
        while not self.server.started and time.monotonic() < until:
            time.sleep(0.02)
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()
        self.server.should_exit = True
        self.thread.join(20)
        self.socket.close()

    # Jobs -------------------------------------------------------------------------------------

    def submit(self, kind: str, **request: Any) -> dict[str, Any]:
        """A job that is accepted, or known already."""
        answer = self.client.post("/api/jobs", json={"kind": kind} | request)
        assert answer.status_code in (200, 202), answer.text
        found: dict[str, Any] = answer.json()
        return found

    def job(self, name: str, after: int = 0, wait: float = 0.0) -> dict[str, Any]:
        """A job as it is now, or as it is when something has changed."""
        answer = self.client.get(f"/api/jobs/{name}", params={"after": after, "wait": wait})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def until(self, name: str, *statuses: str, seconds: float = 90) -> dict[str, Any]:
        """A job once it has one of the statuses."""
        until = time.monotonic() + seconds
        job = self.job(name)
        while job["status"] not in statuses:
            assert time.monotonic() < until, job
            job = self.job(name, job["version"], 5)
        return job

    def done(self, kind: str, **request: Any) -> dict[str, Any]:
        """The result of a job."""
        job = self.until(self.submit(kind, **request)["id"], "done", "failed", "cancelled")
        assert job["status"] == "done", job["error"]
        result: dict[str, Any] = job["result"]
        return result

    def failed(self, kind: str, **request: Any) -> dict[str, Any]:
        """The error of a job that fails."""
        job = self.until(self.submit(kind, **request)["id"], "done", "failed", "cancelled")
        assert job["status"] == "failed", job
        error: dict[str, Any] = job["error"]
        return error
