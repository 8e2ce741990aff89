"""Workers that die, jobs that take too much, servers that end: no job is lost."""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.web.running import Running

from oddsmith.errors import OptionError
from oddsmith.web.job import Job
from oddsmith.web.store import Store, StoreError

LONG = {"game": "goose", "players": 4, "method": "certified"}
"""A job of many seconds."""


def kill_worker(server: Running, job: str) -> None:
    """Kill the worker that has a job, as an accident would."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        for worker in server.manager.workers:
            if worker.busy == job and worker.process is not None:
                os.kill(worker.process.pid, signal.SIGKILL)
                return
        time.sleep(0.01)
    raise AssertionError("Nobody has the job.")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    with Running(tmp_path, workers=1) as running:
        yield running


def test_a_cancelled_job_frees_its_worker(server: Running) -> None:
    long = server.submit("odds", **LONG)
    waits = server.submit("odds", game="coin-race")
    assert waits["status"] == "queued"
    assert waits["place_in_queue"] in (1, 2)  # the other may have begun meanwhile
    server.until(long["id"], "running")
    cancelled = server.client.request("DELETE", f"/api/jobs/{long['id']}").json()
    assert cancelled["status"] == "cancelled"
    assert server.until(waits["id"], "done")["result"]["win"][0]["exact"] == "16/27"
    stays = server.client.request("DELETE", f"/api/jobs/{waits['id']}").json()
    assert stays["status"] == "done"
    assert server.job(long["id"])["status"] == "cancelled"


def test_a_job_whose_worker_is_killed_is_done_again(server: Running) -> None:
    job = server.submit("odds", game="goose", players=3)
    kill_worker(server, job["id"])
    assert server.until(job["id"], "done")["result"]["win"][0]["value"] == pytest.approx(0.34595980)


@pytest.mark.slow
def test_a_job_that_kills_two_workers_is_given_up(server: Running) -> None:
    job = server.submit("odds", **LONG)
    kill_worker(server, job["id"])
    server.until(job["id"], "queued")
    server.until(job["id"], "running")
    kill_worker(server, job["id"])
    found = server.until(job["id"], "failed")
    assert "died" in found["error"]["message"]
    assert server.done("odds", game="coin-race")["win"][0]["exact"] == "16/27"


def test_somebody_who_waits_goes_first(server: Running) -> None:
    long = server.submit("odds", **LONG)
    report = server.submit("headline", game="coin-race")
    odds = server.submit("odds", game="coin-race")
    assert server.job(odds["id"])["place_in_queue"] < server.job(report["id"])["place_in_queue"]
    server.client.request("DELETE", f"/api/jobs/{long['id']}")


def test_limits_of_time_and_queue(tmp_path: Path) -> None:
    with Running(tmp_path, workers=1, seconds=1.0, queued=1) as server:
        job = server.submit("odds", **LONG)
        server.until(job["id"], "running")
        server.submit("odds", game="coin-race")
        full = server.client.post("/api/jobs", json={"kind": "odds", "game": "pig"})
        assert full.status_code == 429
        assert int(full.headers["retry-after"]) > 0
        found = server.until(job["id"], "failed")
        assert found["error"]["message"].startswith("This was stopped after 1 s")
        assert 0.9 < found["seconds"] < 3


def test_a_limit_of_memory(tmp_path: Path) -> None:
    with Running(tmp_path, workers=1, memory_mb=64) as server:
        error = server.failed("odds", **LONG)
        assert "MiB of memory" in error["message"]
        assert server.client.get("/api/health").json()["status"] == "ok"


def test_states_have_a_limit(tmp_path: Path) -> None:
    with Running(tmp_path, workers=1, states=1000) as server:
        error = server.failed("odds", game="pig")
        assert "1,000" in error["message"]


def test_a_restart_loses_nothing(tmp_path: Path) -> None:
    with Running(tmp_path, workers=1) as server:
        done = server.submit("odds", game="coin-race")
        server.until(done["id"], "done")
        running = server.submit("odds", game="goose", players=3)
        server.until(running["id"], "running")
        queued = [server.submit("odds", game="coin-race", options={"goal": g}) for g in "345"]
    with Running(tmp_path, workers=1) as server:
        assert server.job(done["id"])["result"]["win"][0]["exact"] == "16/27"
        assert server.until(running["id"], "done")["result"]["players"] == 3
        for job in queued:
            assert server.until(job["id"], "done")["status"] == "done"


def test_one_server_a_folder(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(OptionError, match="Another server uses"):
        Store(tmp_path)
    store.close()
    Store(tmp_path).close()


def test_a_broken_database_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "jobs.sqlite").write_bytes(b"no database" * 1000)
    with pytest.raises(OptionError, match="move it away"):
        Store(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(OptionError, match="cannot be used"):
        Store(tmp_path / "file")


def test_a_database_of_another_version_is_a_sentence(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "jobs.sqlite") as base:
        base.execute("PRAGMA user_version = 99")
    base.close()
    with pytest.raises(OptionError, match="another version"):
        Store(tmp_path)


def test_a_full_disk_is_a_sentence(tmp_path: Path) -> None:
    with Running(tmp_path, workers=1) as server:
        base = server.manager.store.base
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (pages,) = base.execute("PRAGMA page_count").fetchone()
        base.execute(f"PRAGMA max_page_count = {pages}")
        noise = "# " + os.urandom(20_000).hex()
        text = f"[board]\nfinish = 9\n{noise}"
        answer = server.client.post("/api/jobs", json={"kind": "board", "text": text})
        assert answer.status_code == 503
        assert "make room on the disk" in answer.json()["error"]["message"]
        assert server.client.get("/api/health").status_code == 200


def test_old_jobs_are_forgotten(tmp_path: Path) -> None:
    store = Store(tmp_path)
    jobs = [Job("odds", {"number": number}) for number in range(5)]
    for number, job in enumerate(jobs):
        if number < 4:
            job.end("done", {"number": number})
            job.finished = 1000.0 + number
        store.put(job)
    store.prune(2, 10**6)
    kept = [store.get(job.id) is not None for job in jobs]
    assert kept == [False, False, True, True, True]  # the last one is not over
    store.prune(2, 60)
    assert [store.get(job.id) is not None for job in jobs[2:]] == [False, True, True]
    store.close()
    with pytest.raises(StoreError):
        store.put(jobs[0])
