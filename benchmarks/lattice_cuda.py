"""Lattice sweeps on a GPU: checked against the definition, then timed.

    PYTHONPATH=src python3 -m benchmarks.lattice_cuda [check] [copy] [solve] [turns] [tuning]

Without arguments all parts run. A part that fails prints its traceback, and the rest goes on.
"""

import gc
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
from tests.solve.lattice.boards import LONG, SMALL
from tests.solve.lattice.reference import backward_turn, forward_turn

from oddsmith import game
from oddsmith.rules.board.game import board_class
from oddsmith.solve.lattice.cuda.device import device_memory, device_name
from oddsmith.solve.lattice.cuda.layout import Tuning
from oddsmith.solve.lattice.cuda.sweeper import CudaSweeper

TUNINGS = [Tuning(128, 4), Tuning(128, 3)]


def guarded(what: str, work: Callable[[], None]) -> None:
    started = time.perf_counter()
    try:
        work()
    except Exception:
        print(f"FAILED: {what}")
        traceback.print_exc(limit=6, file=sys.stdout)
    gc.collect()
    print(f"  [{what}: {time.perf_counter() - started:.1f} s]", flush=True)


def tracks() -> dict[str, Any]:
    boards = {"small": SMALL, "long": LONG}
    found = {n: board_class(f"{n}.toml", t)(players=2).track for n, t in boards.items()}
    for variant in ("standard", "listing", "one-die"):
        found[variant] = game("goose", players=2, variant=variant).track
    return found


# Checks ---------------------------------------------------------------------------------------


def worst(found: Any, expected: Any) -> float:
    """The largest difference, relative to the largest number."""
    return float(np.abs(np.asarray(found) - expected).max() / np.abs(expected).max())


def check(name: str, track: Any, players: int, dtype: str, with_visits: bool = True) -> None:
    sweeper = CudaSweeper(track, players, dtype)
    shape = (track.size,) * players
    before = np.random.default_rng(3).random(shape).astype(dtype)
    errors = []
    for mover in range(players):
        expected, *sums, arrivals = forward_turn(track, before, mover)
        for visits in (False, True)[: 1 + with_visits]:
            sweeper.write(0, before)
            *found, seen = sweeper.forward(mover, visits)
            errors.append(worst(sweeper.read(0, sweeper.size).reshape(shape), expected))
            errors.append(worst(found, sums))
            if visits:
                errors.append(worst(seen, arrivals))
        sweeper.write(0, before)
        sweeper.backward(mover, 0.75, 0.5)
        expected = backward_turn(track, before, mover, 0.75, 0.5)
        errors.append(worst(sweeper.read(0, sweeper.size).reshape(shape), expected))
    limit = 1e-14 if dtype == "float64" else 3e-6
    verdict = "ok" if max(errors) < limit else f"WRONG {errors}"
    print(f"  {name:9} N={players} {dtype}: worst error {max(errors):.1e} {verdict}")


def check_array(players: int) -> None:
    """Kernels over all numbers, against NumPy."""
    sweeper = CudaSweeper(game("goose", players=2).track, players)
    numbers = np.random.default_rng(4).standard_normal(sweeper.size)
    sweeper.write(0, numbers)
    errors = [
        abs(sweeper.total() - numbers.sum()),
        abs(sweeper.maximum() - numbers.max()),
        abs(sweeper.norm() / np.abs(numbers).sum() - 1),
    ]
    errors.append(abs(sweeper.keep()))  # there is room for a copy in full
    errors.append(worst(sweeper.read(0, sweeper.size), numbers))
    errors.append(abs(sweeper.gap(0.25) / np.abs(0.75 * numbers).sum() - 1))
    sweeper.deflate(0.25)
    errors.append(worst(sweeper.read(0, sweeper.size), 0.75 * numbers))
    errors.append(abs(sweeper.take([1, 5]) - 0.75 * (numbers[1] + numbers[5])))
    sweeper.fill(2.0)
    sweeper.set(7, 3.0)
    errors.append(abs(sweeper.total() - 2.0 * sweeper.size - 1) + abs(sweeper.get(7) - 3))
    print(f"  array N={players}: {' '.join(f'{e:.0e}' for e in errors)}")


def check_many(players: int, turns: int) -> None:
    """Many turns at once: the same bits as one by one, and no mass is lost."""
    track = game("goose", players=2).track
    sweeper = CudaSweeper(track, players)
    sweeper.place_start()
    single = np.array([sweeper.forward(turn % players)[:3] for turn in range(turns)])
    array = sweeper.read(0, min(sweeper.size, 1 << 22))
    sweeper.place_start()
    many = sweeper.forward_many(0, turns)
    same = np.array_equal(single, many)
    same_array = np.array_equal(array, sweeper.read(0, len(array)))
    lost = sweeper.total() + many[:, 0].sum() - 1
    print(f"  N={players}, {turns} turns: same {same} {same_array}, lost {lost:.1e}")


def checks() -> None:
    found = tracks()
    for name, players, dtype, visits in (
        ("small", 2, "float64", True), ("small", 3, "float64", True), ("small", 3, "float32", True),
        ("standard", 2, "float64", True), ("standard", 2, "float32", True),
        ("standard", 3, "float64", False), ("listing", 2, "float64", False),
        ("one-die", 2, "float64", False), ("long", 2, "float64", False),
    ):  # fmt: skip
        guarded(
            f"{name} {players} {dtype}",
            lambda n=name, p=players, d=dtype, v=visits: check(n, found[n], p, d, v),
        )
    guarded("array", lambda: check_array(4))
    for players in (1, 2, 3, 4):
        guarded(f"many {players}", lambda n=players: check_many(n, 150))


# Times ----------------------------------------------------------------------------------------


def seconds(stream: Any, work: Callable[[], None], times: int) -> float:
    """Seconds each of `times` calls takes, after one that does not count."""
    work()
    stream.synchronize()
    started = time.perf_counter()
    for _ in range(times):
        work()
    stream.synchronize()
    return (time.perf_counter() - started) / times


def copy_rate() -> float:
    """Bytes a second that a copy reads and writes."""
    import cupy

    size = 8 << 30
    memory = [cupy.cuda.Memory(size) for _ in range(2)]
    stream = cupy.cuda.Stream()

    def copy() -> None:
        cupy.cuda.runtime.memcpyAsync(memory[0].ptr, memory[1].ptr, size, 3, stream.ptr)

    return 2 * size / seconds(stream, copy, 5)


def turn_times(players: int, dtype: str, rate: float, times: int, tuning: Any = None) -> None:
    """A row a kind of turn: milliseconds for each axis, and the ratio to a copy of the array."""
    track = game("goose", players=2).track
    sweeper = CudaSweeper(track, players, dtype, tuning)
    sweeper.fill(1.0 / sweeper.size)
    floor = 2 * sweeper.size * np.dtype(sweeper.dtype).itemsize / rate
    real = np.dtype(sweeper.dtype).type
    kinds: dict[str, tuple[Any, ...]] = {
        "forward": (sweeper._partial,),
        "visits": (sweeper._partial,),
        "backward": (real(1), real(0)),
    }
    for kind, arguments in kinds.items():
        if tuning is not None and kind == "visits":
            continue
        found = []
        for mover in range(players):

            def launch(kind: Any = kind, mover: int = mover, rest: Any = arguments) -> None:
                sweeper._launch(kind, mover, *rest)

            found.append(seconds(sweeper._stream, launch, times))
        shape = sweeper._source.tuning
        axes = " ".join(f"{1e3 * t:8.4f}" for t in found)
        mean = sum(found) / players
        print(
            f"  N={players} {dtype} {shape.threads:3}x{shape.blocks:<2} {kind:8} "
            f"ms by axis {axes} | {1e9 * mean / sweeper.size:.5f} ns a number, "
            f"{mean / floor:.2f} x copy",
            flush=True,
        )


def registers(players: int, dtype: str) -> None:
    sweeper = CudaSweeper(game("goose", players=2).track, players, dtype)
    for kind in ("forward", "visits", "backward"):
        for last in (False, True):
            kernel = sweeper._kernel(kind, last)
            print(
                f"  {dtype} {kind:8} {'last' if last else 'else'}: {kernel.num_regs} registers, "
                f"{kernel.local_size_bytes} bytes of spills"
            )


def round_times(players: int, turns: int) -> None:
    sweeper = CudaSweeper(game("goose", players=2).track, players)
    sweeper.place_start()
    sweeper.forward_many(0, 200)
    started = time.perf_counter()
    sweeper.forward_many(0, turns)
    spent = (time.perf_counter() - started) / turns
    print(f"  forward_many N={players}: {1e6 * spent:.1f} microseconds a turn")


def turns(rate: float) -> None:
    for dtype in ("float64", "float32"):
        guarded(f"registers {dtype}", lambda d=dtype: registers(3, d))
    for players, count in ((2, 4000), (3, 4000), (4, 2000), (5, 200)):
        guarded(f"rounds {players}", lambda n=players, t=count: round_times(n, t))
    for players, dtype, times in (
        (4, "float64", 50), (4, "float32", 50), (5, "float64", 20), (5, "float32", 20),
        (6, "float64", 3),
    ):  # fmt: skip
        guarded(
            f"turns {players} {dtype}",
            lambda n=players, d=dtype, t=times: turn_times(n, d, rate, t),
        )


def tunings(rate: float) -> None:
    for players, times in ((5, 10), (6, 3)):
        for tuning in TUNINGS:
            guarded(
                f"{tuning} {players}",
                lambda n=players, k=times, t=tuning: turn_times(n, "float64", rate, k, t),
            )


def solves(_: float = 0.0) -> None:
    """Whole answers, as a user gets them."""
    from oddsmith import odds

    for players in (2, 3, 4, 5, 6):
        guarded(
            f"solve {players}",
            lambda n=players: print(odds(game("goose", players=n), engine="cuda"), flush=True),
        )


def main(parts: list[str]) -> None:
    free, total = device_memory()
    print(f"{device_name()}, {free / 2**30:.1f} of {total / 2**30:.1f} GiB free", flush=True)
    rate = 4.3e12
    if not parts or "copy" in parts:
        try:
            rate = copy_rate()
        except Exception:
            traceback.print_exc(limit=4, file=sys.stdout)
        print(f"copy: {rate / 1e12:.2f} TB/s", flush=True)
    for name, work in (
        ("check", checks),
        ("solve", solves),
        ("turns", lambda: turns(rate)),
        ("tuning", lambda: tunings(rate)),
    ):
        if not parts or name in parts:
            guarded(name, work)


if __name__ == "__main__":
    main(sys.argv[1:])
