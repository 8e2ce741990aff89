"""The generated CUDA kernels, compiled for the CPU, against the plain definition of a turn."""

import ctypes
import math
import shutil
from typing import Any

import numpy as np
import pytest
from tests.solve.lattice.boards import FREE, LONG, SMALL
from tests.solve.lattice.host_cuda import address, build
from tests.solve.lattice.reference import backward_turn, forward_turn

from oddsmith import game
from oddsmith.rules.board.game import board_class
from oddsmith.solve.lattice.cuda.everywhere import everywhere
from oddsmith.solve.lattice.cuda.layout import Tuning, in_registers
from oddsmith.solve.lattice.cuda.source import Source

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


def track_of(name: str) -> Any:
    texts = {"small": SMALL, "long": LONG, "free": FREE}
    if name in texts:
        return board_class(f"{name}.toml", texts[name])(players=2).track
    return game("goose", players=2, variant=name).track


CASES = [
    ("standard", 2, "float64", 32),
    pytest.param(("standard", 3, "float64", 64), marks=pytest.mark.slow),
    pytest.param(("listing", 2, "float64", 32), marks=pytest.mark.slow),
    ("one-die", 2, "float32", 32),
    ("small", 4, "float64", 32),
    ("small", 3, "float32", 64),
    ("small", 1, "float64", 32),
    pytest.param(("free", 3, "float64", 32), marks=pytest.mark.slow),
    pytest.param(("long", 2, "float64", 32), marks=pytest.mark.slow),
]


@pytest.fixture(params=CASES, ids=str, scope="module")
def case(request: Any, tmp_path_factory: Any) -> Any:
    name, players, dtype, threads = request.param
    track = track_of(name)
    source = Source(track, players, dtype, Tuning(threads, 1))
    shape = (track.size,) * players
    before = np.random.default_rng(5).random(shape).astype(dtype)
    built: dict[Any, Any] = {}

    def run(kind: Any, mover: int, array: Any, *arguments: Any) -> None:
        behind = players - 1 - mover
        last = behind == 0
        if (kind, last) not in built:
            text = source.kernel(kind, last)
            built[kind, last] = build(text, tmp_path_factory.mktemp("cuda")).host_turn
        padded = np.zeros((*shape[:-1], source.row), dtype)
        padded[..., : track.size] = array
        built[kind, last](3, threads, address(padded), behind, source.inner(behind), *arguments)
        array[:] = padded[..., : track.size]
        assert not padded[..., track.size :].any()

    return track, players, dtype, before, run


def close(found: Any, expected: Any, dtype: str) -> None:
    size = np.abs(expected).max(initial=0) + 1e-300
    assert np.abs(found - expected).max() <= {"float64": 4e-15, "float32": 2e-6}[dtype] * size


@pytest.mark.parametrize("kind", ["forward", pytest.param("visits", marks=pytest.mark.slow)])
def test_forward(case: Any, kind: str) -> None:
    track, players, dtype, before, run = case
    width = 3 + track.size * (kind == "visits")
    for mover in range(players):
        array, partial = before.copy(), np.full((3, width), np.nan)
        run(kind, mover, array, address(partial))
        expected, *sums, arrivals = forward_turn(track, before, mover)
        close(array, expected, dtype)
        close(partial.sum(axis=0)[:3], np.array(sums), dtype)
        if kind == "visits":
            close(partial.sum(axis=0)[3:], arrivals, dtype)


def test_backward(case: Any) -> None:
    track, players, dtype, before, run = case
    real = ctypes.c_double if dtype == "float64" else ctypes.c_float
    for mover in range(players):
        array = before.copy()
        run("backward", mover, array, real(0.75), real(0.5))
        close(array, backward_turn(track, before, mover, 0.75, 0.5), dtype)


def test_only_the_long_board_is_too_long_for_registers() -> None:
    assert not in_registers(track_of("long"), "float64")
    assert in_registers(track_of("standard"), "float64")


def small(dtype: str) -> Source:
    return Source(track_of("small"), 2, dtype, Tuning(32, 1))


def test_rows_are_whole_sectors() -> None:
    standard = Source(track_of("standard"), 3, "float64", Tuning(32, 1))
    assert (standard.row, standard.inner(0), standard.inner(2)) == (48, 1, 47 * 48)
    assert (standard.fibres(last=True), standard.fibres(last=False)) == (47 * 47, 47 * 48)
    assert Source(track_of("one-die"), 1, "float32", Tuning(32, 1)).row == 48
    assert (small("float64").track.size, small("float64").row, small("float32").row) == (10, 12, 16)


def test_kernels_over_all_numbers(tmp_path: Any) -> None:
    library = build(everywhere(track_of("small"), "float64", "float32"), tmp_path)
    rows = np.zeros((251, 12))
    rows[:, :10] = np.random.default_rng(1).standard_normal((251, 10)) - 9
    numbers = rows.ravel()
    partial, kept = np.zeros(3), np.full(numbers.size, np.nan, np.float32)
    size = ctypes.c_ulonglong(numbers.size)

    def run(name: str, array: Any, *arguments: Any) -> float:
        partial[:] = np.nan
        getattr(library, f"host_{name}")(3, 256, address(array), size, *arguments)
        return math.fsum(partial)

    assert run("sum_up", numbers, address(partial)) == pytest.approx(math.fsum(numbers))
    assert run("sum_sizes", numbers, address(partial)) == pytest.approx(np.abs(numbers).sum())
    run("largest", numbers, address(partial))
    assert partial.max() == rows[:, :10].max() < 0
    array = numbers.copy()
    change = run("keep", array, address(kept), address(partial))
    assert change == pytest.approx(np.abs(numbers - array).sum())
    assert np.array_equal(array, kept.astype(float))
    assert np.array_equal(kept, numbers.astype(np.float32))
    left = run("gap", array, address(kept), ctypes.c_double(0.25), address(partial))
    run("deflate", array, address(kept), ctypes.c_double(0.25))
    assert np.array_equal(array, 0.75 * kept.astype(float))
    assert left == pytest.approx(np.abs(array).sum())
    getattr(library, "host_fill")(3, 256, address(array), size, ctypes.c_double(2.5))  # noqa: B009
    assert (array.reshape(-1, 12) == [2.5] * 10 + [0.0] * 2).all()


def test_sums_of_blocks(tmp_path: Any) -> None:
    library = build(everywhere(track_of("small"), "float64", "float32"), tmp_path)
    partial = np.random.default_rng(2).random((4, 700, 3))
    rows, row = np.zeros((9, 3)), np.array([2], np.int32)
    library.host_gather(4, 256, address(partial), 700, 3, address(rows), address(row))
    library.host_advance(1, 1, address(row), 4)
    assert np.allclose(rows[2:6], partial.sum(axis=1), rtol=1e-13)
    assert not rows[:2].any()
    assert not rows[6:].any()
    assert row[0] == 6
