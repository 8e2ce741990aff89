"""Sweeps in slabs on a cluster: the numbers of one process, whoever dies meanwhile."""

import os
import signal
import threading
import time
from contextlib import closing

import numpy as np
import pytest
from distributed import LocalCluster
from tests.solve.lattice.boards import SMALL

from oddsmith import game
from oddsmith.errors import LimitError, OddsmithError, OptionError
from oddsmith.rules.board.game import board_class
from oddsmith.runtime.cluster import Cluster
from oddsmith.runtime.interrupt import Interrupt
from oddsmith.runtime.progress import Silent
from oddsmith.solve.lattice.cpu import CpuSweeper
from oddsmith.solve.lattice.shards import anchors
from oddsmith.solve.lattice.shards.cuts import Cuts, boxes
from oddsmith.solve.lattice.shards.sweeper import ShardedSweeper
from oddsmith.solve.lattice.sweep import Sums, forward, survival


@pytest.fixture(scope="module")
def cluster():
    """Two processes, for all tests."""
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50
    ) as found:
        yield found


@pytest.fixture
def sharded(cluster, tmp_path):
    """Make sweepers on the cluster."""
    made = []

    def make(track, players, shards, **options):
        address = cluster.scheduler_address
        found = ShardedSweeper(
            track, players, cluster=address, shards=shards, scratch=tmp_path, **options
        )
        made.append(found)
        return found

    yield make
    for sweeper in made:
        sweeper.close()
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def small():
    """A board with every effect."""
    return board_class("small.toml", SMALL)(players=3).track


@pytest.fixture(scope="module")
def goose():
    return game("goose", players=3).track


def one_process(track, players):
    return CpuSweeper(track, players, threads=1)


def numbers(sweeper):
    return np.array(sweeper.read(0, sweeper.size))


def sweep(sweeper, visits=False, rounds=None, accelerate=True):
    """A whole forward sweep, or some rounds of it."""
    sums = Sums.begin(sweeper.track, sweeper.players, visits)
    sweeper.place_start()
    if rounds is None:
        forward(sweeper, sums, 1e-10, Silent(), Interrupt(), accelerate=accelerate)
    else:
        gained = [sweeper.forward_many(0, sweeper.players) for _ in range(rounds)]
        return np.concatenate(gained), numbers(sweeper)
    return sums


# The numbers of one process --------------------------------------------------------------------


@pytest.mark.parametrize(("players", "shards"), [(1, 1), (2, 1), (3, 2), (3, 3), (4, 2), (4, 3)])
def test_turns_forward(sharded, small, players, shards):
    """From every player's turn on, whichever axis is cut."""
    mine, other = sharded(small, players, shards), one_process(small, players)
    for sweeper in (mine, other):
        sweeper.place_start()
    for mover in (0, players - 1):
        found, expected = (s.forward_many(mover, 2 * players + 1) for s in (mine, other))
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-16)
        np.testing.assert_allclose(numbers(mine), numbers(other), rtol=1e-12, atol=1e-17)


@pytest.mark.parametrize(("players", "shards"), [(2, 1), (3, 3), (4, 2)])
def test_turns_backward(sharded, small, players, shards):
    mine, other = sharded(small, players, shards), one_process(small, players)
    for sweeper in (mine, other):
        sweeper.fill(0.25)
        for turn in range(2 * players + 1):
            sweeper.backward(-turn % players, 1.0 if turn % players == 0 else 0.0, 0.5)
    np.testing.assert_allclose(numbers(mine), numbers(other), rtol=1e-13)
    assert mine.maximum() == pytest.approx(other.maximum(), rel=1e-13)


def test_backward_cuts_as_seldom_as_forward():
    """Once every N - 1 turns."""
    cuts = Cuts(size=10, players=4, shards=2)
    for movers, step in [([0, 1, 2, 3] * 3, 1), ([3, 2, 1, 0] * 3, -1)]:
        stretches = [some for _, some in cuts.stretches((0, 1, 2, 3), movers, step)]
        assert [len(some) for some in stretches[1:-1]] == [3] * (len(stretches) - 2)


def test_goose_in_three_slabs(sharded, goose):
    mine, other = sharded(goose, 3, 3), one_process(goose, 3)
    found, expected = (sweep(s, rounds=5) for s in (mine, other))
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-13, atol=1e-16)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-12, atol=1e-18)


@pytest.mark.slow
def test_a_whole_sweep(sharded, small):
    """Survival, forward with deflation, visits: within the bounds of both."""
    mine, other = sharded(small, 3, 2), one_process(small, 3)
    bounds = [survival(s, Silent(), Interrupt()) for s in (mine, other)]
    assert bounds[0] == pytest.approx(bounds[1], rel=1e-12)
    found, expected = (sweep(s, visits=True) for s in (mine, other))
    off = found.bound(mine) + expected.bound(other)
    assert found.deflations > 0
    for a, b in zip([*found.win, found.draw], [*expected.win, expected.draw], strict=True):
        assert abs(a.value - b.value) <= off
    np.testing.assert_allclose(found.visits, expected.visits, rtol=1e-9)
    assert sum(t.value for t in found.win) + found.draw.value == pytest.approx(1, abs=off)


def test_deadlocks_are_taken(sharded, small):
    mine, other = sharded(small, 3, 3), one_process(small, 3)
    places = np.array([5, 200, other.size - 1])
    taken = []
    for sweeper in (mine, other):
        sweeper.fill(0.125)
        sweeper.forward_many(0, 2)
        taken.append(sweeper.take(places))
    assert taken[0] == pytest.approx(taken[1], rel=1e-13)
    assert mine.take(places) == 0.0
    assert mine.take(np.array([], np.int64)) == 0.0
    np.testing.assert_allclose(numbers(mine), numbers(other), rtol=1e-13)


def test_a_copy_is_compared_a_round_later(sharded, small):
    mine, other = sharded(small, 3, 2), one_process(small, 3)
    for sweeper in (mine, other):
        sweep(sweeper, rounds=4)
        assert sweeper.can_keep()
        assert sweeper.keep() == 0.0
        sweeper.forward_many(0, 3)
    assert mine.norm() == pytest.approx(other.norm(), rel=1e-13)
    assert mine.gap(0.75) == pytest.approx(other.gap(0.75), rel=1e-12)
    for sweeper in (mine, other):
        sweeper.deflate(0.75)
    np.testing.assert_allclose(numbers(mine), numbers(other), rtol=1e-11, atol=1e-17)


def test_single_precision(sharded, goose):
    mine = sharded(goose, 3, 2, dtype="float32")
    _, found = sweep(mine, rounds=3)
    _, expected = sweep(one_process(goose, 3), rounds=3)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-8)


# Reading and writing ---------------------------------------------------------------------------


def test_what_is_written_is_read(sharded, small):
    """In pieces that do not end where slabs do, in the middle of a sweep."""
    mine, random = sharded(small, 3, 3), np.random.default_rng(4)
    mine.forward_many(0, 2)
    values = random.random(mine.size)
    for start in range(0, mine.size, 301):
        mine.write(start, values[start : start + 301])
    assert (numbers(mine) == values).all()
    for start, stop in [(0, 1), (17, 18), (5, 400), (130, 999), (7, 7), (640, mine.size)]:
        assert (mine.read(start, stop) == values[start:stop]).all()
    mine.write(3, [7.0, 8.0])
    assert list(mine.read(2, 6)) == [values[2], 7.0, 8.0, values[5]]


def test_a_sweep_goes_on_from_what_was_written(sharded, small):
    mine, other = sharded(small, 3, 2), sharded(small, 3, 2)
    mine.forward_many(0, 3)
    other.write(0, mine.read(0, mine.size))
    found, expected = (s.forward_many(0, 3) for s in (other, mine))
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-17)


def test_boxes_cover_a_stretch():
    array = np.arange(4**3).reshape(4, 4, 4)
    for start in range(0, 64, 5):
        for stop in range(start, 65, 3):
            parts = [
                array[tuple(slice(*side) for side in box)].ravel()
                for box in boxes(start, stop, 4, 3)
            ]
            assert [int(i) for part in parts for i in part] == list(range(start, stop))


# Faults ----------------------------------------------------------------------------------------


def kill_a_worker(sweeper):
    """The death of one worker process; its address."""
    found = sweeper.cluster.client.run(os.getpid)
    address, pid = sorted(found.items())[0]
    os.kill(pid, signal.SIGKILL)
    return address


def test_a_killed_worker_changes_nothing(sharded, goose):
    """Killed between two rounds and within one: the same bits."""
    gained, expected = sweep(sharded(goose, 3, 3), rounds=8)
    mine = sharded(goose, 3, 3)
    mine.place_start()
    found = []
    for turn in range(8):
        if turn == 3:
            kill_a_worker(mine)
        killer = threading.Timer(0.03, kill_a_worker, [mine])
        if turn == 6:
            killer.start()
        found.append(mine.forward_many(0, 3))
        if turn == 6:
            killer.join()
    assert (np.concatenate(found) == gained).all()
    assert (numbers(mine) == expected).all()


def test_anchors_change_nothing(sharded, small, tmp_path, monkeypatch):
    """Slabs come from files after every round; a worker dies; older files are deleted."""
    gained, expected = sweep(sharded(small, 3, 3), rounds=6)
    monkeypatch.setattr(anchors, "ROUNDS", 1)
    monkeypatch.setattr(anchors, "SHARE", 0)
    mine = sharded(small, 3, 3)
    mine.place_start()
    found = []
    for turn in range(6):
        found.append(mine.forward_many(0, 3))
        if turn == 4:
            kill_a_worker(mine)
    assert mine.anchors.generation == 6
    assert [p.name for p in mine.anchors.folder.iterdir() if p.is_dir()] == ["000006"]
    assert (np.concatenate(found) == gained).all()
    assert (numbers(mine) == expected).all()


def test_a_damaged_anchor_is_noticed(sharded, small, monkeypatch):
    monkeypatch.setattr("oddsmith.runtime.cluster.RETRIES", 0)
    mine = sharded(small, 3, 2)
    mine.anchor()
    mine.norm()
    path = mine.anchors.folder / "000001" / "0.slab"
    path.write_bytes(b"\1" + path.read_bytes()[1:])
    for pid in mine.cluster.client.run(os.getpid).values():
        os.kill(pid, signal.SIGKILL)
    with pytest.raises(OddsmithError, match="damaged"):
        mine.forward_many(0, 3)


@pytest.mark.slow
def test_work_that_kills_workers(sharded, small):
    """Dask gives up after some deaths; that is one sentence."""
    mine = sharded(small, 3, 2)
    with pytest.raises(OddsmithError, match="workers died") as caught:
        mine.cluster.results([mine.cluster.submit(os._exit, 1)])
    assert "\n" not in str(caught.value)


# What cannot be done ---------------------------------------------------------------------------


def test_nobody_is_there(small, tmp_path, monkeypatch):
    monkeypatch.setattr("oddsmith.runtime.cluster.CONNECT", 1.0)
    began = time.monotonic()
    with pytest.raises(OddsmithError, match="no Dask scheduler") as caught:
        ShardedSweeper(small, 3, cluster="tcp://127.0.0.1:9", scratch=tmp_path)
    assert "\n" not in str(caught.value)
    assert time.monotonic() - began < 5


def test_a_remote_cluster_needs_a_directory(small, cluster):
    with pytest.raises(OddsmithError, match="scratch"):
        ShardedSweeper(small, 3, cluster=cluster.scheduler_address)


def test_workers_must_see_the_directory(sharded, small, monkeypatch):
    def blind(self, path=""):
        return {a: w._replace(sees=False) for a, w in ask(self, path).items()}

    ask = Cluster.ask_workers
    monkeypatch.setattr(Cluster, "ask_workers", blind)
    with pytest.raises(OddsmithError, match="all workers share"):
        sharded(small, 3, 2)


def test_too_little_memory(sharded, goose, monkeypatch):
    def poor(self, path=""):
        return {a: w._replace(memory=4 << 20) for a, w in ask(self, path).items()}

    ask = Cluster.ask_workers
    monkeypatch.setattr(Cluster, "ask_workers", poor)
    with pytest.raises(LimitError, match="workers or more"):
        sharded(goose, 4, 2)


def test_impossible_shards(small):
    with pytest.raises(OptionError, match="slabs"):
        ShardedSweeper(small, 3, shards=1000)


def test_a_cluster_of_its_own(small, capfd):
    """Started, used and closed without a word."""
    with closing(ShardedSweeper(small, 3, shards=2)) as mine:
        found, _ = sweep(mine, rounds=1)
    expected, _ = sweep(one_process(small, 3), rounds=1)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-16)
    assert capfd.readouterr() == ("", "")
