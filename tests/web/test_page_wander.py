"""No panel of the page shows as fresh the answer to another question than the one beside it.

Walks as people take them, in a real browser, against a server whose replies are late at random and
overtake each other (`wanderer.py`, `slow_server.py`).
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.web.browser import record, visitor
from tests.web.slow_server import slow_server
from tests.web.wander_rooms import Bench, Play, Workshop
from tests.web.wanderer import Api, Wanderer

ROOMS = {"workshop": Workshop, "play": Play, "bench": Bench}
PATHS, STEPS = 40, 12


@pytest.fixture(scope="module")
def api(served) -> Iterator[Api]:
    known = Api(served.url)
    with known.client:
        yield known


def wander(served, chromium, api, room: str, seed: int, steps: int, longest: float) -> Wanderer:
    with (
        slow_server(served.url, seed, longest) as late,
        visitor(chromium, late, "desktop", allow_errors=True) as at,  # mistakes are answered 422
    ):
        walk: Wanderer = ROOMS[room](at.page, late, seed, api)
        walk.walk(steps)
        return walk


@pytest.mark.parametrize("room", ROOMS)
def test_a_short_walk(served, chromium, api, room):
    assert wander(served, chromium, api, room, 1, 4, 0.2).looks > 8


@pytest.mark.slow
@pytest.mark.parametrize("room", ROOMS)
def test_many_walks(served, chromium, api, room):
    looks = fresh = 0
    for seed in range(PATHS):
        walk = wander(served, chromium, api, room, seed, STEPS, 0.6)
        looks, fresh = looks + walk.looks, fresh + walk.fresh
    record(f"wandered-{room}-paths", PATHS)
    record(f"wandered-{room}-looks", looks)
    record(f"wandered-{room}-looks-at-fresh-answers", fresh)
    assert fresh > PATHS
