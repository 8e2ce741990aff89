"""What a worker keeps between jobs makes room for the others."""

from __future__ import annotations

import os

import pytest

from oddsmith.runtime import memory
from oddsmith.web.tasks import kept
from oddsmith.web.tasks.requested import Bounds


@pytest.fixture(autouse=True)
def nothing_kept():
    kept._kept.clear()
    yield
    kept._kept.clear()


def made(name: str, bounds: Bounds) -> bool:
    """Whether something had to be made anew."""
    calls: list[str] = []
    kept.kept(name, bounds, lambda: calls.append(name) or name)
    return bool(calls)


def test_the_oldest_are_forgotten(monkeypatch):
    monkeypatch.setattr(memory, "held", lambda: 0)
    names = [f"game {i}" for i in range(kept.MOST + 1)]
    assert all(made(name, Bounds()) for name in names)
    assert not made(names[-1], Bounds())
    assert not made(names[1], Bounds())
    assert made(names[0], Bounds())


def test_what_is_played_stays_where_memory_is_short(monkeypatch):
    monkeypatch.setattr(memory, "held", lambda: 3 << 30)
    assert made("one", Bounds())
    assert not made("one", Bounds())  # its own room is not taken away
    assert made("two", Bounds())
    assert made("one", Bounds())
    kept.make_room(Bounds())
    assert made("one", Bounds())


def test_a_share_is_not_more_than_what_is_held():
    share, held = memory.share(os.getpid()), memory.held()
    if share is None or held is None:
        pytest.skip("this system does not say")
    assert 0 < share <= held * 1.1
