"""Parts of the server by themselves: frames, memory, versions, cancelling."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from tests.web.running import Running

from oddsmith import game
from oddsmith.errors import LimitError
from oddsmith.policies.policy import usual_policy
from oddsmith.runtime import memory
from oddsmith.runtime.data_folder import data_folder
from oddsmith.web import frames
from oddsmith.web.job import Job
from oddsmith.web.settings import ServerSettings
from oddsmith.web.tasks import headline
from oddsmith.web.tasks.requested import Bounds
from oddsmith.web.worker import Cancelled, Reporter, Voice


def test_frames_arrive_as_they_were_sent() -> None:
    sent = [{"say": "ready"}, {"text": "größer → kleiner", "numbers": [1, 0.5, None]}]
    data = b"".join(frames.packed(message) for message in sent)
    pipe = io.BytesIO(data)
    assert [frames.read(pipe), frames.read(pipe), frames.read(pipe)] == [*sent, None]

    async def received() -> list[frames.Message | None]:
        reader = asyncio.StreamReader()
        reader.feed_data(data[:-1])
        reader.feed_eof()
        return [await frames.receive(reader) for _ in sent]

    assert asyncio.run(received()) == [sent[0], None]  # the second one is not whole


def test_a_message_of_nonsense_ends_the_conversation() -> None:
    assert frames.read(io.BytesIO(b"\xff\xff\xff\xff{}")) is None
    assert frames.read(io.BytesIO(b"")) is None


def test_memory_can_be_limited() -> None:
    try:
        memory.limit_to((memory.held() or 0) + 100 * memory.MIB)
        free = memory.available()
        assert free is None or free <= 100 * memory.MIB
        with pytest.raises(LimitError, match="simulate instead"):
            memory.require(memory.GIB, "This", "simulate instead")
    finally:
        memory.limit_to(None)


def test_a_job_that_is_not_wanted_stops_at_its_next_report() -> None:
    pipe = io.BytesIO()
    reporter = Reporter(Voice(pipe), "a")
    reporter.update("sweeping", 1, 10)
    reporter.update("sweeping", 2, 10)  # a moment later: not worth a message
    reporter.unwanted = True
    with pytest.raises(Cancelled):
        reporter.update("sweeping", 3, 10)
    pipe.seek(0)
    message = frames.read(pipe)
    assert message is not None
    assert message["done"] == 1
    assert frames.read(pipe) is None


def test_versions_grow_even_when_a_job_is_read_again() -> None:
    job = Job("odds", {"game": "pig"}, created=time.time() - 5)
    before = job.version
    job.begin()
    job.report("exploring", 1.0, None, "")
    assert job.version == before + 2
    again = Job("odds", {"game": "pig"}, created=job.created - 1)
    assert again.version > job.version


class Nobody:
    """Watches a job and says nothing."""

    def update(self, stage: str, done: float, of: float | None, facts: str = "") -> None: ...

    def partial(self, result: dict[str, Any]) -> None: ...


def test_an_estimate_made_in_a_hurry_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(headline, "GAMES", 200)
    solved = headline.headline({"game": "piglet"}, Nobody(), Bounds())
    assert (solved["method"], solved["play"], solved["hurried"]) == ("exact", None, False)
    small = headline.headline({"game": "piglet"}, Nobody(), Bounds(states=10))
    assert (small["method"], small["hurried"]) == ("estimate", False)  # everywhere and always
    monkeypatch.setattr(headline, "HEADLINE_SECONDS", -1.0)
    hurried = headline.headline({"game": "piglet"}, Nobody(), Bounds())
    assert (hurried["method"], hurried["hurried"]) == ("estimate", True)
    assert hurried["play"] == small["play"] == usual_policy(game("piglet")).name
    assert hurried["how"][0] == f"everybody plays {hurried['play']}"


def test_what_was_made_in_a_hurry_answers_nobody_else(tmp_path: Path) -> None:
    with Running(tmp_path, workers=1) as server:
        first = server.submit("headline", game="coin-race")
        server.until(first["id"], "done")
        job = server.manager.find(first["id"])
        assert job is not None
        again = Job(job.kind, job.request, status="running")
        assert server.manager.store.done(again.digest) is not None
        job.stands_alone()
        server.manager.store.put(job)
        assert server.manager.store.done(again.digest) is None
        second = server.submit("headline", game="coin-race")
        assert second["id"] != first["id"]
        assert server.job(first["id"])["result"]["method"] == "exact"  # who asked has it still


def test_the_time_that_is_left_follows_from_the_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job("odds", {})
    now = iter([0.0, 10.0])
    monkeypatch.setattr("oddsmith.web.job.time.monotonic", lambda: next(now))
    job.report("sweeping", 2.0, 12.0, "")
    job.report("sweeping", 7.0, 12.0, "")
    assert job.progress is not None
    assert job.progress["seconds_left"] == pytest.approx(10.0)


def test_the_data_folder_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_folder() == tmp_path / "oddsmith"
    assert ServerSettings(data=tmp_path, allowed_hosts=("My.Host",)).host_names >= {"my.host"}


def test_boards_are_read_though_their_worker_dies(tmp_path: Path) -> None:
    with Running(tmp_path, workers=1) as server:
        board = {"text": "[board]\nfinish = 9\n"}
        assert server.client.post("/api/boards", json=board).status_code == 200
        process = server.manager.short_tasks.worker.process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        assert server.client.post("/api/boards", json=board).status_code == 200
