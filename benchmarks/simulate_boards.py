"""Games a second of boards played from tables, on the cores and on a graphics card.

    PYTHONPATH=src python3 -m benchmarks.simulate_boards [--cuda] [--players N] [--games N]

On the cores: one thread and all of them, beside the general compiled engine. With --cuda, the
tallies of some boards are first compared with plain Python; neither Numba nor SciPy is needed.
"""

import argparse
import os
import time
import traceback
from collections.abc import Callable
from typing import Any

from oddsmith import game, simulate
from oddsmith.solve.simulate.board import BoardTable
from oddsmith.solve.simulate.run import Tally, new_tally

CHECKED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("goose", {"players": 2}),
    ("goose", {"players": 3}),
    ("goose", {"players": 10}),
    ("goose", {"players": 3, "variant": "listing"}),
    ("goose", {"players": 4, "variant": "one-die"}),
    ("goose", {"players": 5, "finish": 300}),
    ("chutes-and-ladders", {"players": 3}),
    ("snakes-and-ladders", {"players": 3}),
    ("snakes-and-ladders", {"players": 4, "dice": "7d6"}),
    ("snakes-and-ladders", {"players": 2, "dice": "12d6", "finish": 300}),
)
CHECKED_GAMES, SEED = 400, (3 << 32) + 20


def attempt(what: str, work: Callable[[], str]) -> None:
    """Print what the work finds; if it fails, print that and go on."""
    began = time.perf_counter()
    try:
        found = work()
    except Exception:
        traceback.print_exc()
        found = "FAILED"
    print(f"{what}: {found} ({time.perf_counter() - began:.2f} s)", flush=True)


def all_of(table: Any, first: int, games: int) -> Tally:
    """The tally of some games."""
    found = new_tally(table.game.players)
    for part in table.play(first, games):
        found.add(part)
    return found


def same_games(name: str, options: dict[str, Any]) -> str:
    """Whether CUDA counts the same as the processor."""
    from oddsmith.solve.simulate.board_cuda import CudaTable

    made = game(name, **options)
    one, other = (
        all_of(table(made, SEED, 10**6), 5, CHECKED_GAMES) for table in (CudaTable, BoardTable)
    )
    parts = ("wins", "lengths", "sums")
    same = all((getattr(one, part) == getattr(other, part)).all() for part in parts)
    return f"{'the same' if same else 'DIFFERENT'} tally of {one.games} games as on the processor"


def speed(games: int, throws: float, seconds: float, cores: int = 1) -> str:
    """Games and throws a second (a core)."""
    return f"{games / seconds / cores:,.0f} games/s, {throws / seconds / cores:,.0f} throws/s"


def cuda_speed(players: int, games: int) -> str:
    """How fast the card plays."""
    goose = game("goose", players=players)
    simulate(goose, games=1000, engine="cuda")  # compiles
    began = time.perf_counter()
    found = simulate(goose, games=games, engine="cuda")
    seconds = time.perf_counter() - began
    wins = " ".join(f"{answer.value:.5f}" for answer in found.win)
    return (
        f"{speed(games, games * found.duration.value, seconds)}\n  {found.evidence.how[0]}\n"
        f"  wins {wins}, length {found.duration.value:.4f}"
    )


def thread_speed(players: int, games: int, runs: int) -> float:
    """Games a second of one thread, the best of some runs; prints throws too."""
    table = BoardTable(game("goose", players=players), 1, 10**6)
    table.play_some(0, 1)
    best, throws = float("inf"), 0
    for _ in range(runs):
        began = time.perf_counter()
        throws = int(table.play_some(0, games).sums[0])
        best = min(best, time.perf_counter() - began)
    print(f"board engine, one thread: {speed(games, throws, best)}")
    return games / best


def engine_speed(engine: Any, players: int, games: int, runs: int) -> float:
    """Games a second and core of an engine on all cores, the best of some runs."""
    goose, cores, best = game("goose", players=players), os.cpu_count() or 1, float("inf")
    simulate(goose, games=1, engine=engine)  # compiles
    for _ in range(runs):
        began = time.perf_counter()
        found = simulate(goose, games=games, engine=engine)
        best = min(best, time.perf_counter() - began)
    throws = games * found.duration.value
    print(f"{engine} engine, {cores} cores: {speed(games, throws, best, cores)}, each core")
    return games / best / cores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--players", type=int, default=10)
    parser.add_argument("--games", type=int, help="default: 10^9 with --cuda, else 4 * 10^6")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    players = arguments.players
    if arguments.cuda:
        games = arguments.games or 10**9
        attempt(f"{players} geese, {games:,} games", lambda: cuda_speed(players, games))
        for name, options in CHECKED:
            attempt(f"{name} {options}", lambda: same_games(name, options))  # noqa: B023
        return
    games = arguments.games or 4 * 10**6
    print(f"Game of the Goose, {players} players")
    thread_speed(players, games // 10, arguments.runs)
    board = engine_speed("board", players, games, arguments.runs)
    general = engine_speed("compiled", players, games // 40, 2)
    print(f"ratio: {board / general:.1f}")


if __name__ == "__main__":
    main()
