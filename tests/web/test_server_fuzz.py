"""The API, fuzzed from its own description: no failure, and every answer as described."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import checks
from tests.web.running import Running

CHECKED = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
OPERATIONS = [
    ("GET", "/api/health"),
    ("GET", "/api/games"),
    ("GET", "/api/games/{key}"),
    ("POST", "/api/boards"),
    ("POST", "/api/jobs"),
    ("GET", "/api/jobs"),
    ("GET", "/api/jobs/{job_id}"),
    ("DELETE", "/api/jobs/{job_id}"),
    ("GET", "/api/jobs/{job_id}/content"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("server")
    with Running(folder, workers=2, seconds=0.5, queued=1000, states=20_000) as running:
        yield running


def fuzz(server: Running, method: str, path: str, examples: int) -> None:
    schema = schemathesis.openapi.from_url(f"{server.url}/api/openapi.json")
    operation = schema[path][method]

    @given(case=operation.as_strategy())
    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def run(case: Any) -> None:
        if case.query and "wait" in case.query:
            case.query["wait"] = 0
        case.call_and_validate(checks=CHECKED, timeout=30)

    run()


def test_every_operation_is_fuzzed(server: Running) -> None:
    found = server.client.get("/api/openapi.json").json()["paths"]
    described = {(method.upper(), path) for path in found for method in found[path]}
    assert described == set(OPERATIONS)


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_no_failure(server: Running, method: str, path: str) -> None:
    fuzz(server, method, path, examples=12 if method == "POST" else 4)


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_no_failure_for_long(server: Running, method: str, path: str) -> None:
    fuzz(server, method, path, examples=400 if method == "POST" else 40)


@pytest.mark.slow
def test_what_was_asked_for_ends_as_described(server: Running) -> None:
    fuzz(server, "POST", "/api/jobs", examples=150)
    until = time.monotonic() + 60
    while server.manager.queue and time.monotonic() < until:
        time.sleep(0.2)
    for job in server.client.get("/api/jobs", params={"limit": 200}).json()["jobs"]:
        assert server.job(job["id"])["kind"] == job["kind"]  # and it is as the API describes it
        server.client.request("DELETE", f"/api/jobs/{job['id']}")
    assert server.client.get("/api/health").json()["status"] == "ok"
