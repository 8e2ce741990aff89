"""Simulation on a cluster: the games of one process, whoever dies meanwhile."""

import os
import signal

import pytest
from distributed import Client, LocalCluster

from oddsmith import game, simulate
from oddsmith.errors import OddsmithError, OptionError
from oddsmith.solve.simulate.run import BATCH


@pytest.fixture(scope="module")
def cluster():
    """Two processes, for all tests."""
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50
    ) as found:
        yield found.scheduler_address


def played(result):
    """Everything that was counted."""
    answers = [(a.value, a.lower, a.upper) for a in (*result.win, result.draw, result.duration)]
    return result.evidence.games, answers, result.distribution


@pytest.mark.parametrize(
    ("name", "engine", "stop"),
    [
        ("goose", "auto", {"games": 200_003}),
        ("goose", "auto", {"games": 100}),
        ("coin-race", "auto", {"games": 20 * BATCH + 5}),
        ("coin-race", "interpreted", {"games": 3 * BATCH + 5}),
        ("coin-race", "compiled", {"half_width": 0.004}),
    ],
    ids=str,
)
def test_the_same_games(cluster, name, engine, stop):
    own = simulate(game(name), seed=12, engine=engine, **stop)
    shared = simulate(game(name), seed=12, engine=engine, cluster=cluster, **stop)
    assert played(own) == played(shared)
    assert any("2 workers of a cluster" in note for note in shared.evidence.how)


class Killing:
    """Kills a worker after the first tallies."""

    def __init__(self, address):
        self.address, self.seen = address, 0

    def update(self, stage, done, of, facts=""):
        self.seen += 1
        if self.seen == 3:
            with Client(self.address, set_as_default=False) as client:
                os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)


def test_a_killed_worker_changes_nothing(cluster):
    goose, killing = game("goose", players=3), Killing(cluster)
    own = simulate(goose, games=1_000_000, seed=5)
    shared = simulate(goose, games=1_000_000, seed=5, cluster=cluster, progress=killing)
    assert killing.seen > 3
    assert played(own) == played(shared)


RULES = """
from typing import NamedTuple
from oddsmith import Game, coin, move

class Once(Game):
    class State(NamedTuple):
        won: int = -1

    def winner(self, s):
        return None if s.won == -1 else s.won

    @move(dice=coin)
    def toss(self, s, heads):
        return self.State(int(heads))
"""


def test_a_game_of_ones_own(cluster, tmp_path):
    """Workers read the file, if it is there; the sentence says so if it is not."""
    path = tmp_path / "once.py"
    path.write_text(RULES)
    mine = game(str(path))
    own, shared = (simulate(mine, games=50, cluster=where) for where in (None, cluster))
    assert played(own) == played(shared)
    other = tmp_path / "twice.py"
    other.write_text(RULES.replace("Once", "Twice"))
    gone = game(str(other))
    simulate(gone, games=50)
    other.rename(tmp_path / "elsewhere.py")
    with pytest.raises(OddsmithError, match="cannot load the rules of Twice") as caught:
        simulate(gone, games=50, cluster=cluster, engine="interpreted")
    assert "\n" not in str(caught.value)


def test_ctrl_c_keeps_what_was_played(cluster):
    class Interrupting:
        def update(self, stage, done, of, facts=""):
            raise KeyboardInterrupt

    found = simulate(game("coin-race"), games=50 * BATCH, cluster=cluster, progress=Interrupting())
    assert found.evidence.interrupted
    assert played(found) == played(simulate(game("coin-race"), games=BATCH, engine="compiled"))


def test_nobody_is_there(monkeypatch):
    monkeypatch.setattr("oddsmith.runtime.cluster.CONNECT", 1.0)
    with pytest.raises(OddsmithError, match="no Dask scheduler"):
        simulate(game("coin-race"), games=10, cluster="tcp://127.0.0.1:9")


def test_a_graphics_card_is_not_a_cluster(cluster):
    from oddsmith.solve.simulate.cluster import engine_of

    class CudaTable:
        def close(self):
            pass

    with pytest.raises(OptionError, match="auto"):
        engine_of(CudaTable())
