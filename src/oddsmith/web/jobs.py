"""Manager: the queue of jobs, who does them, and what happens when something goes wrong.

- Jobs somebody waits for (`INTERACTIVE`) go before the others, in order; of several workers one is
  always left for them.
- A job that is not wanted any more is asked to stop, and its worker killed if it does not.
- A job whose worker dies is done again by another, once; then it has failed.
- A job that takes too long or too much memory is stopped and says so.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from oddsmith.runtime import memory
from oddsmith.web.frames import Message
from oddsmith.web.job import ATTEMPTS, Job
from oddsmith.web.pool import Pool, Worker
from oddsmith.web.settings import ServerSettings
from oddsmith.web.short_tasks import FullError, ShortTasks
from oddsmith.web.store import Store, StoreError

CANCEL_SECONDS = 1.0
"""Seconds that a worker has to stop by itself."""
LOOK = 0.2
"""Seconds between two looks at what workers hold."""
AFFINITY = 2.0
"""Seconds that a job waits for the worker that has its game at hand."""
IDLE = 512 * memory.MIB
"""A worker with nothing to do that holds more than this, and half of its limit, is replaced."""
PRUNED = 20
"""Jobs that end between two looks at how many are kept."""


class Manager:
    """All jobs of a server."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings, self.limits = settings, settings.limits
        self.store = Store(settings.data)
        self.trouble: str | None = None
        """What keeps the server from keeping jobs, if anything does."""
        self.queue: list[Job] = []
        self.active: dict[str, Job] = {}
        """Jobs that wait or run, and those that could not be written down when they ended."""
        names = [f"worker {i + 1}" for i in range(settings.workers)]
        self.pool = Pool([*names, "short"], settings.data, self._heard, self._died)
        self.workers = self.pool.workers[:-1]
        self.bounds = {
            name: getattr(self.limits, name) for name in ("states", "seconds", "memory_mb")
        }
        self.short_tasks = ShortTasks(self.pool.workers[-1], self.bounds)
        self._finished = 0
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._watch: asyncio.Task[None] | None = None
        self._retry: asyncio.TimerHandle | None = None

    async def start(self) -> None:
        """Start the workers; what was not done when the server ended is done now."""
        for job in self.store.unfinished():
            if job.attempts > ATTEMPTS:
                job.end("failed", error=_said("The server ended three times during this job."))
            elif job.status == "running":
                job.again()
            self._write(job)
            if not job.ended:
                self.active[job.id] = job
                self.queue.append(job)
        self.store.prune(self.limits.kept, self.limits.kept_mb * memory.MIB)
        self.pool.start()
        self._watch = asyncio.create_task(self._watch_memory())

    async def close(self) -> None:
        """End the workers; jobs that run begin again at the next start."""
        if self._watch is not None:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch
        for timer in self._timers.values():
            timer.cancel()
        self.short_tasks.close()
        for job in self.active.values():
            if job.status == "running":
                job.attempts -= 1  # that this server ends is no fault of the job
                job.again()
                self._write(job)
        await self.pool.close()
        self.store.close()

    # Asking -----------------------------------------------------------------------------------

    def submit(self, kind: str, request: dict[str, Any]) -> tuple[Job, bool]:
        """A new job, or the one that has answered the very same request; and whether it has."""
        job = Job(kind, request)
        known = self.store.done(job.digest)
        if known is not None:
            return known, True
        if len(self.queue) >= self.limits.queued:
            raise FullError(
                f"{len(self.queue)} jobs are waiting already: try again when some are done."
            )
        self.store.put(job)
        self.active[job.id] = job
        self.queue.append(job)
        self._dispatch()
        return job, False

    def find(self, job: str) -> Job | None:
        """A job by its id."""
        return self.active.get(job) or self.store.get(job)

    def newest(self, count: int) -> list[Job]:
        """The newest jobs; those that are alive as they are now."""
        return [self.active.get(job.id, job) for job in self.store.newest(count)]

    def place(self, job: Job) -> int | None:
        """How many jobs will begin before this one, and one."""
        if job.status != "queued":
            return None
        order = sorted(self.queue, key=lambda one: one.urgency)
        return next((i + 1 for i, one in enumerate(order) if one is job), None)

    def cancel(self, job: Job) -> None:
        """Nobody wants it any more; one that is over stays as it is."""
        if job.ended:
            return
        self._finish(job, "cancelled")
        self._dispatch()

    @property
    def running(self) -> int:
        """How many jobs run."""
        return sum(job.status == "running" for job in self.active.values())

    # What workers say -------------------------------------------------------------------------

    def _heard(self, worker: Worker, message: Message) -> None:
        what = message["say"]
        if worker is self.short_tasks.worker:
            self.short_tasks.heard(message)
            return
        if what == "ready":
            if self.settings.warm and not self.queue:
                self._send(worker, "warm", "warm", {})
        else:
            self._job_said(worker, what, message)
        self._dispatch()

    def _job_said(self, worker: Worker, what: str, message: Message) -> None:
        job = self.active.get(message["job"])
        wanted = job is not None and worker.busy == job.id and job.status == "running"
        if what in ("done", "failed", "cancelled"):
            if worker.busy == message["job"]:
                worker.busy = None
            self._stop_timer(message["job"])
        if job is None or not wanted:
            return
        if what == "progress":
            job.report(message["stage"], message["done"], message["of"], message["facts"])
        elif what == "partial":
            job.result = message["result"]
            job.touch()
        elif what == "done":
            if job.kind == "play":
                worker.learn(game_key(job))
            if message["result"].get("hurried"):
                job.stands_alone()
            self._finish(job, "done", message["result"])
        elif what == "failed":
            self._finish(job, "failed", error=message["error"])

    def _died(self, worker: Worker) -> None:
        """A worker is gone: what it had is done by another, if it is wanted still."""
        if worker is self.short_tasks.worker:
            self.short_tasks.died()
            return
        job = self.active.get(worker.busy or "")
        self._stop_timer(worker.busy or "")
        if job is not None and job.status == "running":
            if job.attempts >= ATTEMPTS:
                message = (
                    "The worker that did this died, and so did the second one: it is given up."
                )
                self._finish(job, "failed", error=_said(message))
            else:
                job.again()
                self._write(job)
                self.queue.insert(0, job)
        worker.busy = None
        self._dispatch()

    # Doing ------------------------------------------------------------------------------------

    def _dispatch(self) -> None:
        """Give every idle worker a job, if there is one for it."""
        for job in sorted(self.queue, key=lambda one: one.urgency):
            idle = [worker for worker in self.workers if worker.idle]
            if not idle:
                return
            if job.urgency and len(self.workers) > 1 and self._others() >= len(self.workers) - 1:
                return  # the last worker is for somebody who waits
            worker = self._chosen(job, idle)
            if worker is not None:
                self.queue.remove(job)
                self._give(job, worker)

    def _others(self) -> int:
        """How many jobs run that nobody waits for."""
        return sum(job.status == "running" and job.urgency > 0 for job in self.active.values())

    def _chosen(self, job: Job, idle: list[Worker]) -> Worker | None:
        """The worker for a job: for play, the one that has the game at hand, for a while."""
        if job.kind != "play":
            return min(idle, key=lambda worker: len(worker.knows))
        key = game_key(job)
        holders = [worker for worker in self.workers if key in worker.knows]
        for worker in holders:
            if worker.idle:
                return worker
        waited = time.time() - job.created
        if holders and waited < AFFINITY:
            if self._retry is None:
                loop = asyncio.get_running_loop()
                self._retry = loop.call_later(AFFINITY - waited + 0.01, self._retried)
            return None
        return min(idle, key=lambda worker: len(worker.knows))

    def _retried(self) -> None:
        self._retry = None
        self._dispatch()

    def _give(self, job: Job, worker: Worker) -> None:
        known = None
        with suppress(StoreError):
            known = self.store.done(job.digest)
        if known is not None:  # somebody else asked the same and has the answer
            job.begin()
            self._finish(job, "done", known.result)
            return
        job.begin()
        self._write(job)
        self._send(worker, job.id, job.kind, job.request)
        self._after(job.id, self.limits.seconds, lambda: self._too_long(job))

    def _send(self, worker: Worker, job: str, kind: str, request: dict[str, Any]) -> None:
        worker.busy = job
        message = {"do": "run", "job": job, "kind": kind, "request": request}
        worker.send(message | {"bounds": self.bounds})

    def _too_long(self, job: Job) -> None:
        message = f"This was stopped after {self.limits.seconds:g} s, the time that a job may take."
        self._finish(job, "failed", error=_said(message))

    def _finish(
        self,
        job: Job,
        status: str,
        result: dict[str, Any] | None = None,
        error: dict[str, Any] | None = None,
    ) -> None:
        """End a job; a worker that is still at it is stopped."""
        if job in self.queue:
            self.queue.remove(job)
        self._stop_timer(job.id)
        job.end(status, result, error)
        worker = next((one for one in self.workers if one.busy == job.id), None)
        if worker is not None:
            worker.send({"do": "cancel", "job": job.id})
            self._after(job.id, CANCEL_SECONDS, worker.kill)
        if self._write(job):
            self.active.pop(job.id, None)
        self._finished += 1
        if self._finished % PRUNED == 0:
            with suppress(StoreError):
                self.store.prune(self.limits.kept, self.limits.kept_mb * memory.MIB)

    def _write(self, job: Job) -> bool:
        """Keep a job; if that fails it lives on in memory, and the trouble is told."""
        try:
            self.store.put(job)
        except StoreError as error:
            self.trouble = str(error)
            return False
        self.trouble = None
        return True

    def _after(self, name: str, seconds: float, what: Callable[[], None]) -> None:
        self._stop_timer(name)

        def now() -> None:
            self._timers.pop(name, None)
            what()

        self._timers[name] = asyncio.get_running_loop().call_later(seconds, now)

    def _stop_timer(self, name: str) -> None:
        timer = self._timers.pop(name, None)
        if timer is not None:
            timer.cancel()

    async def _watch_memory(self) -> None:
        """Kill workers that hold too much: at work, or for nothing."""
        limit = self.limits.memory_mb * memory.MIB
        while True:
            await asyncio.sleep(LOOK)
            for worker in self.pool.workers:
                size = worker.memory()
                if size is None or not worker.ready:
                    continue
                if size <= (limit if worker.busy else max(limit // 2, IDLE)):
                    continue
                job = self.active.get(worker.busy or "")
                if job is not None and job.status == "running":
                    most = memory.shown(limit)
                    message = f"This was stopped at {most} of memory, what a job may take."
                    self._finish(job, "failed", error=_said(message))
                worker.kill()


def game_key(job: Job) -> str:
    """What a worker that has played this game has at hand: the game and how it is played."""
    names = ("game", "players", "options", "seats")
    return json.dumps([job.request.get(name) for name in names], sort_keys=True)


def _said(message: str) -> dict[str, Any]:
    return {"message": message, "place": None}
