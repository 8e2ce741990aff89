"""Digits that are kept: stopped, gone on with, refused."""

import numpy as np
import pytest

from oddsmith import game, odds
from oddsmith.errors import OddsmithError, StoppedError
from oddsmith.solve.exact import kept
from oddsmith.solve.exact.lifted import Way
from oddsmith.solve.exact.linear import Report, solve_at
from oddsmith.solve.exact.system import Matrix


def a_walk(size=400, up=18, down=19):
    """A walk between two ends; the chance to leave at the top."""
    row, col, weight = [0], [], []
    for i in range(size):
        steps = [(i - 1, down), (i + 1, up)]
        col += [j for j, _ in steps if 0 <= j < size]
        weight += [w for j, w in steps if 0 <= j < size]
        row.append(len(col))
    right = np.zeros((size, 1), np.int64)
    right[-1] = up
    total = np.full(size, up + down)
    return Matrix(np.array(row), np.array(col), np.array(weight), total), right


class After:
    """Becomes true after it has been asked so many times."""

    def __init__(self, times):
        self.left = times

    def __bool__(self):
        self.left -= 1
        return self.left < 0


def test_stopped_work_goes_on_from_its_file(tmp_path):
    matrix, right = a_walk()
    name = str(tmp_path / "walk")
    whole = Report()
    truth = solve_at(matrix, right, [200], report=whole)
    with pytest.raises(StoppedError, match=r"at \d+ of .* digits, kept in .*walk\.1: the same"):
        solve_at(matrix, right, [200], way=Way(checkpoint=name, interrupt=After(4)))
    file = tmp_path / "walk.1"
    with np.load(file) as stored:
        assert 0 < len(stored["digits"]) < whole.steps
    assert solve_at(matrix, right, [200], way=Way(checkpoint=name)) == truth
    assert not file.exists()


def test_a_file_of_other_work_is_refused(tmp_path):
    matrix, right = a_walk()
    name = str(tmp_path / "walk")
    with pytest.raises(StoppedError):
        solve_at(matrix, right, [200], way=Way(checkpoint=name, interrupt=After(4)))
    with pytest.raises(OddsmithError, match="checkpoint of another game or question"):
        solve_at(matrix, right, [100], way=Way(checkpoint=name))
    (tmp_path / "walk.1").write_bytes(b"nonsense")
    with pytest.raises(OddsmithError, match="is no checkpoint of digits"):
        solve_at(matrix, right, [200], way=Way(checkpoint=name))


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path):
    matrix, right = a_walk()
    with pytest.raises(OddsmithError, match=r"none.*walk\.1 cannot be written: No such file"):
        solve_at(matrix, right, [200], way=Way(checkpoint=str(tmp_path / "none" / "walk")))


def test_a_disk_that_fills_up_does_not_end_the_work(tmp_path, monkeypatch):
    def full(*_):
        raise OddsmithError("The disk is full.")

    monkeypatch.setattr(kept, "EVERY", 0.0)
    monkeypatch.setattr(kept.Kept, "write", full)
    matrix, right = a_walk()
    report = Report()
    way = Way(checkpoint=str(tmp_path / "walk"))
    assert solve_at(matrix, right, [200], way=way, report=report) == solve_at(matrix, right, [200])
    assert str(report).endswith("The disk is full.")


def test_a_short_work_that_nobody_asked_to_keep_leaves_no_file(tmp_path):
    matrix, right = a_walk()
    name = str(tmp_path / "walk")
    with pytest.raises(StoppedError, match=r"at \d+ of \S+ digits; nothing was kept$"):
        solve_at(matrix, right, [200], way=Way(unasked=name, interrupt=After(4)))
    assert not list(tmp_path.iterdir())


def test_cuda_gives_the_same_fractions():
    pytest.importorskip("cupy")
    for name, players in (("goose", 2), ("left-center-right", 3), ("left-center-right", 4)):
        rules = game(name, players=players)
        here, there = odds(rules, method="exact"), odds(rules, method="exact", engine="cuda")
        assert [a.exact for a in here.win] == [a.exact for a in there.win]
        assert here.duration.exact == there.duration.exact


def test_cuda_without_cupy_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cupy", None)
    with pytest.raises(OddsmithError, match=r"needs CuPy.*oddsmith\[gpu\]"):
        odds(game("left-center-right"), method="exact", engine="cuda")
