"""Digits that are kept: stopped, gone on with, refused."""

import json
import os
from itertools import islice

import numpy as np
import pytest

from oddsmith import game, odds
from oddsmith.errors import OddsmithError, StoppedError
from oddsmith.solve.exact import kept, resumed
from oddsmith.solve.exact.lift import start_lifting
from oddsmith.solve.exact.lifted import LiftingPlan
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
    kind = np.int64 if up < 2**40 else object
    right = np.zeros((size, 1), kind)
    right[-1] = up
    total = np.full(size, up + down, kind)
    return Matrix(np.array(row), np.array(col), np.array(weight, kind), total), right


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
        solve_at(matrix, right, [200], plan=LiftingPlan(checkpoint=name, interrupt=After(4)))
    file = tmp_path / "walk.1"
    assert 0 < parts(file)[0]["count"] < whole.steps
    assert solve_at(matrix, right, [200], plan=LiftingPlan(checkpoint=name)) == truth
    assert not file.exists()


def parts(path):
    """The head of a file, its digits and its residual, of systems of 400 equations."""
    _, head, rest = path.read_bytes().split(b"\n", 2)
    head = json.loads(head)
    end = len(rest) - 8 * 400
    return head, np.frombuffer(rest[:end], "<u4").copy(), np.frombuffer(rest[end:], "<i8").copy()


def put(path, head, digits, residual):
    """Write a file as if it were ours."""
    text = b"oddsmith digits 1\n" + json.dumps(head).encode() + b"\n"
    path.write_bytes(text + digits.tobytes() + residual.tobytes())


@pytest.fixture(scope="module")
def half(tmp_path_factory):
    """A good file of the walk, and the truth."""
    matrix, right = a_walk()
    path = tmp_path_factory.mktemp("digits") / "walk"
    with pytest.raises(StoppedError):
        solve_at(matrix, right, [200], plan=LiftingPlan(checkpoint=str(path), interrupt=After(4)))
    return path.with_name("walk.1").read_bytes(), solve_at(matrix, right, [200])


@pytest.mark.parametrize(
    "forge",
    [
        lambda head, digits, residual: digits.__setitem__(0, digits[0] ^ 1),
        lambda head, digits, residual: digits.__setitem__(-1, digits[-1] ^ 1),
        lambda head, digits, residual: digits.__setitem__(3, 0xFFFFFFFF),
        lambda head, digits, residual: residual.__setitem__(7, residual[7] + 1),
        lambda head, digits, residual: residual.__setitem__(7, 2**62),
        lambda head, digits, residual: residual.__setitem__(slice(None), 0),
        lambda head, digits, residual: head.__setitem__("count", head["count"] - 1),
        lambda head, digits, residual: head.__setitem__("count", 10**30),
        lambda head, digits, residual: head.__setitem__("count", True),
    ],
)
def test_what_a_file_says_is_not_believed(tmp_path, half, forge):
    """A digit off gave chances of 0.894 and -0.120, exactly."""
    matrix, right = a_walk()
    path = tmp_path / "walk.1"
    path.write_bytes(half[0])
    forged = parts(path)
    forge(*forged)
    put(path, *forged)
    with pytest.raises(OddsmithError, match="damaged"):
        solve_at(matrix, right, [200], plan=LiftingPlan(checkpoint=str(tmp_path / "walk")))
    assert path.exists()


def test_a_forger_who_knows_the_theorem_only_helps(tmp_path, half):
    """Digits and a residual that lead to the truth, whoever made them, and other ones do not.

    With X + 1 for the first digit, r must change by a multiple of A's inverse to pass: no whole
    number does. With the digits of nothing, count 1 and r = b - A·0 is no residual of digit 0
    unless b is divisible.
    """
    matrix, right = a_walk()
    path = tmp_path / "walk.1"
    path.write_bytes(half[0])
    head, digits, residual = parts(path)
    column = np.zeros(400, np.int64)
    column[199:202] = [
        -18,
        37,
        -19,
    ]  # A times the unit vector of unknown 200, off by row and column
    for times in (1, -1):
        put(path, head | {"count": 1}, digits[:1] + np.uint32(1), residual + times * column)
        with pytest.raises(OddsmithError, match="damaged"):
            solve_at(matrix, right, [200], plan=LiftingPlan(checkpoint=str(tmp_path / "walk")))


def test_a_step_back_is_still_true(tmp_path, half):
    """Fewer digits with their own residual: a file of an earlier moment."""
    matrix, right = a_walk()
    path = tmp_path / "walk.1"
    path.write_bytes(half[0])
    head, digits, _ = parts(path)
    work = start_lifting(*matrix.entries, 1)
    work.residual = right.copy()
    for _ in range(3):
        work.step()
    put(path, head | {"count": 3}, digits[:3], work.residual[:, 0])
    assert (
        solve_at(matrix, right, [200], plan=LiftingPlan(checkpoint=str(tmp_path / "walk")))
        == half[1]
    )


@pytest.mark.parametrize(
    ("name", "players"),
    [("left-center-right", 3), pytest.param("goose", 2, marks=pytest.mark.slow)],
)
def test_all_kinds_of_systems_go_on(tmp_path, name, players, monkeypatch):
    """Over roots of unity, and with several questions at once."""
    rules = game(name, players=players)
    monkeypatch.setattr(kept, "EVERY", 0.0)
    truth = odds(rules, method="exact")
    path = tmp_path / "digits"
    copies = []
    write = kept.Kept.write

    def spying(self, digits, residual):
        write(self, digits, residual)
        self.cost = 0.0
        copies.append((self.path, self.path.read_bytes()))

    monkeypatch.setattr(kept.Kept, "write", spying)
    odds(rules, method="exact", checkpoint=str(path))
    last = {}
    for number, (file, data) in enumerate(copies):
        if number < len(copies) * 2 // 3:
            last[file] = data
    assert last
    for file, data in last.items():
        file.write_bytes(data)
    found = odds(rules, method="exact", checkpoint=str(path))
    assert [one.exact for one in found.win] == [one.exact for one in truth.win]
    assert found.duration.exact == truth.duration.exact


def test_wide_numbers_go_on(tmp_path):
    """Right-hand sides and weights beyond a machine word are fed in digit by digit."""
    matrix, right = a_walk(200, 18 * 10**25, 19 * 10**25 + 1)
    right[-1] = 18 * 10**40
    name = str(tmp_path / "walk")
    truth = solve_at(matrix, right, [100])
    with pytest.raises(StoppedError):
        solve_at(matrix, right, [100], plan=LiftingPlan(checkpoint=name, interrupt=After(3)))
    assert solve_at(matrix, right, [100], plan=LiftingPlan(checkpoint=name)) == truth


def test_primes_are_drawn_from_all_of_their_kind():
    for order in (1, 2, 3, 4, 5):
        some = list(islice(resumed.random_primes(order), 20))
        assert len(set(some)) > 15
        assert all(2**30 < q < 2**31 and q % order == 1 % order for q in some)


def test_a_pipe_is_no_checkpoint(tmp_path):
    matrix, right = a_walk()
    os.mkfifo(tmp_path / "walk.1")
    with pytest.raises(OddsmithError, match="is a pipe"):
        solve_at(matrix, right, [200], plan=LiftingPlan(checkpoint=str(tmp_path / "walk")))


def test_a_file_of_other_work_is_refused(tmp_path):
    matrix, right = a_walk()
    name = str(tmp_path / "walk")
    with pytest.raises(StoppedError):
        solve_at(matrix, right, [200], plan=LiftingPlan(checkpoint=name, interrupt=After(4)))
    with pytest.raises(OddsmithError, match="checkpoint of another game or question"):
        solve_at(matrix, right, [100], plan=LiftingPlan(checkpoint=name))
    (tmp_path / "walk.1").write_bytes(b"nonsense")
    with pytest.raises(OddsmithError, match="is no checkpoint of digits"):
        solve_at(matrix, right, [200], plan=LiftingPlan(checkpoint=name))


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path):
    matrix, right = a_walk()
    with pytest.raises(OddsmithError, match=r"none.*walk\.1 cannot be written: No such file"):
        solve_at(matrix, right, [200], plan=LiftingPlan(checkpoint=str(tmp_path / "none" / "walk")))


def test_a_disk_that_fills_up_does_not_end_the_work(tmp_path, monkeypatch):
    def full(*_):
        raise OddsmithError("The disk is full.")

    monkeypatch.setattr(kept, "EVERY", 0.0)
    monkeypatch.setattr(kept.Kept, "write", full)
    matrix, right = a_walk()
    report = Report()
    plan = LiftingPlan(checkpoint=str(tmp_path / "walk"))
    assert solve_at(matrix, right, [200], plan=plan, report=report) == solve_at(
        matrix, right, [200]
    )
    assert str(report).endswith("The disk is full.")


def test_a_short_work_that_nobody_asked_to_keep_leaves_no_file(tmp_path):
    matrix, right = a_walk()
    name = str(tmp_path / "walk")
    with pytest.raises(StoppedError, match=r"at \d+ of \S+ digits; nothing was kept$"):
        solve_at(matrix, right, [200], plan=LiftingPlan(default_file=name, interrupt=After(4)))
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
