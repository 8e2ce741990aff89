"""Boards played from tables: the games are those of the rules, whoever plays them."""

import ctypes
import os
import shutil
import subprocess
import sys
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from tests.solve.simulate.board_games import philox, play_plainly, throws

from oddsmith import game, odds, simulate
from oddsmith.errors import LimitError, MissingExtraError, OptionError
from oddsmith.rules import interpret
from oddsmith.rules.board.game import board_class
from oddsmith.solve.simulate import board, board_cuda, board_kernels
from oddsmith.solve.simulate.board import BoardTable, tables_of
from oddsmith.solve.simulate.play import only_move

CAMP = """
[board]
name = "Camp"
finish = 24
dice = "2d4"
players = 4
overshoot = "bounce"
occupied = "return"

[squares]
lake   = { at = [4, 17], wait = 2 }
cave   = { at = 9, hold = true }
gate   = { at = 12, until = ["double", 7] }
meadow = { at = 14, share = true }
tunnel = { at = 19, goto = 6 }

[first-throw]
"1,3" = { goto = 9 }
"2" = { goto = 20, free = 14 }
"""


def camp(**options):
    return board_class("camp.toml", CAMP)(**options)


BOARDS = {
    "two geese": lambda: game("goose"),
    "three geese by the listing": lambda: game("goose", players=3, variant="listing"),
    "ten geese": lambda: game("goose", players=10),
    "four geese with one die": lambda: game("goose", players=4, variant="one-die"),
    "a goose alone": lambda: game("goose", players=1),
    "chutes": lambda: game("chutes-and-ladders", players=3),
    "snakes": lambda: game("snakes-and-ladders", players=3),
    "waits, holds, until and share": lambda: camp(players=4),
    "a crowd in the camp": lambda: camp(players=9),
    "many dice": lambda: game("snakes-and-ladders", players=4, dice="7d6"),
    "words drawn again": lambda: game("snakes-and-ladders", players=2, dice="12d6", finish=300),
    "more than 255 squares": lambda: game("goose", players=5, finish=300),
}
every_board = pytest.mark.parametrize("name", BOARDS)


def tally_of(games):
    """Wins (of nobody: -1) and lengths of games (winner, length)."""
    games = list(games)
    return Counter(winner for winner, _ in games), Counter(length for _, length in games)


def counted(tally):
    """The same of a tally of the library."""
    wins = {i: int(n) for i, n in enumerate(tally.wins[:-1])} | {-1: int(tally.wins[-1])}
    return Counter(wins), Counter({k: int(tally.lengths[k]) for k in np.nonzero(tally.lengths)[0]})


def play_by_the_rules(board_game, seed, number):
    """A game played by the interpreter with the throws of the stream: winner and length."""
    drawn = throws(number, board.key_of(seed), board_game.die.total)
    state, length, rested = interpret.first_state(board_game), 0, 0
    while (winners := interpret.winners(board_game, state)) == interpret.GOES_ON:
        action = only_move(board_game, state)
        before = state
        if action.name == "throw":
            roll = roll_of(board_game, state.positions[state.turn], next(drawn))
            state = interpret.play(board_game, "", action, state, roll)
            length += 1
        else:
            state = interpret.play(board_game, "", action, state)
        rested = rested + 1 if before.positions == state.positions and action.name == "rest" else 0
        if rested == board_game.players:
            return -1, length
    return winners.bit_length() - 1, length


def roll_of(board_game, position, number):
    """The roll that a number stands for: rolls that lead to the same are next to each other."""
    reached = set(board_game.square_of[board_game.track.codes])
    alike = {}
    for roll, weight in board_game.die.items():
        tested = int(board_game.testing[position, roll])
        key = int(board_game.landing[position, roll]), tested if tested in reached else -1
        alike.setdefault(key, []).append((roll, weight))
    for rolls in alike.values():
        for roll, weight in rolls:
            if number < weight:
                return roll
            number -= weight
    raise AssertionError


# Random numbers ------------------------------------------------------------------------------

KNOWN = [
    # Random123, tests/kat_vectors: philox4x32 10
    ((0,) * 4, (0,) * 2, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        "d16cfe09 94fdcceb 5001e420 24126ea1",
    ),
]


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN)
def test_random_numbers_are_those_of_the_published_generator(counter, key, words):
    expected = [int(word, 16) for word in words.split()]
    assert list(philox(counter, key)) == expected
    compiled = board_kernels.philox.py_func
    arguments = [np.uint32(number) for number in (*counter, *key)]
    with np.errstate(over="ignore"):
        assert [int(word) for word in compiled(*arguments)] == expected


@pytest.mark.parametrize("total", [1, 36, 64_000_000, 3 << 30, 1 << 32])
def test_drawn_ahead_are_the_same_throws(total):
    number, key = (5 << 32) + 7, (3, 4)
    numbers = np.zeros(4 * board_kernels.BLOCKS, np.uint32)
    count = board_kernels.draw(
        numbers, np.uint64(number), np.uint64(0), np.uint32(key[0]), np.uint32(key[1]),
        np.uint64(total), np.uint32((1 << 32) % total),
    )  # fmt: skip
    drawn = throws(number, key, total)
    assert [int(n) for n in numbers[:count]] == [next(drawn) for _ in range(count)]
    assert (count < len(numbers)) == (total == 3 << 30)


def test_a_long_seed_counts_in_full():
    keys = {board.key_of(seed) for seed in (1, 1 << 32, (1 << 64) - 1, 1 << 64, (1 << 64) + 1)}
    assert len(keys) == 5
    assert board.key_of((1 << 40) + 5) == (5, 256)


# The same games ------------------------------------------------------------------------------


@every_board
def test_the_kernel_plays_by_the_rules(name):
    made = BOARDS[name]()
    expected = tally_of(play_by_the_rules(made, 7, number) for number in range(100, 130))
    assert counted(BoardTable(made, 7, 10**6).play_some(100, 30)) == expected


@every_board
def test_plain_python_plays_the_same_games(name):
    made = BOARDS[name]()
    found = BoardTable(made, 2, 10**6).play_some(0, 200)
    tables = tables_of(made.track)
    games = [play_plainly(tables, made.players, 2, number, 10**6) for number in range(200)]
    assert all(played.ended for played in games)
    plain = [(-1 if g.winner is None else g.winner, g.length) for g in games]
    assert counted(found) == tally_of(plain)
    lengths = [length for _, length in plain]
    assert list(found.sums) == [sum(lengths), sum(n * n for n in lengths)]


def test_bisection_finds_the_same_entries(monkeypatch):
    made = game("goose", players=5)
    direct = BoardTable(made, 1, 10**6).play_some(0, 3000)
    monkeypatch.setattr(board, "LARGE_TOTAL", 1)
    search = BoardTable(made, 1, 10**6)
    assert not search.tables.direct
    assert counted(search.play_some(0, 3000)) == counted(direct)


@pytest.mark.parametrize("stop", [{"games": 70_000}, {"half_width": 0.0012}], ids=str)
def test_the_number_of_cores_changes_nothing(monkeypatch, stop):
    found = []
    for cores in (1, 3):
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        result = simulate(game("goose", players=3), seed=5, **stop)
        found.append((result.evidence.games, result.win, result.draw, result.distribution))
    assert found[0] == found[1]
    games, win = found[0][:2]
    assert games == stop.get("games", games)
    assert all(chance.upper - chance.lower < 0.0024 for chance in win) or "games" in stop


def test_jobs_cover_all_games_once():
    found = list(board.jobs(10, 5_000_000, 1 << 10, 1 << 16))
    assert found[0] == (10, 1 << 10)
    assert all(a + n == b for (a, n), (b, _) in pairwise(found))
    assert sum(found[-1]) == 5_000_010


# Chances -------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3])
def test_estimates_contain_the_odds(players):
    """At six standard deviations; two geese can wait for each other for ever."""
    goose = game("goose", players=players)
    truth = odds(goose, endless="draw")
    found = simulate(goose, games=400_000, seed=3, confidence=1 - 2e-9)
    answers = [(*r.win, r.draw, r.duration) for r in (found, truth)]
    for estimate, answer in zip(*answers, strict=True):
        assert estimate.lower <= answer.value <= estimate.upper
    assert (found.draw.value > 0) == (players == 2)


# Limits and refusals -------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["auto", "board"])
def test_a_game_may_not_take_more_moves_than_allowed(engine):
    goose = game("goose", players=3)
    with pytest.raises(
        LimitError, match=r"did not end within 4 moves .*State\(positions="
    ) as caught:
        simulate(goose, games=20, max_moves=4, engine=engine)
    tables = tables_of(goose.track)
    first = next(
        played
        for number in range(20)
        if not (played := play_plainly(tables, 3, 1, number, 4)).ended
    )
    assert repr(tables.state(goose, first.positions, 4)) in str(caught.value)
    assert ", turn=1)" in str(caught.value)


def test_a_game_may_take_as_many_moves_as_allowed():
    """A step to the finish: the first throw wins."""
    dash = board_class("dash.toml", "[board]\nfinish = 1\novershoot = 'win'\n")()
    found = simulate(dash, games=10, max_moves=1, engine="board")
    assert (found.win[0].value, found.duration.value) == (1, 1)


class Interrupting:
    """Presses Ctrl-C after some tallies."""

    def __init__(self, after):
        self.after = after

    def update(self, stage, done, of, facts=""):
        self.after -= 1
        if self.after == 0:
            raise KeyboardInterrupt


def test_an_interrupted_simulation_keeps_its_games():
    goose = game("goose", players=4)
    found = simulate(goose, games=10**9, progress=Interrupting(3))
    assert found.evidence.interrupted
    assert found.evidence.games == 3 * board.LEAST
    whole = simulate(goose, games=3 * board.LEAST)
    assert (found.win, found.distribution) == (whole.win, whole.distribution)


@pytest.mark.parametrize("engine", ["board", "cuda"])
@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: game("coin-race"), "no board"),
        (lambda: game("goose", occupied="swap"), "move another token"),
        (lambda: game("snakes-and-ladders", dice="13d6", finish=400), "more than 32 bits"),
    ],
)
def test_what_cannot_be_played_from_tables(engine, made, words):
    with pytest.raises(OptionError, match=words) as caught:
        simulate(made(), games=10, engine=engine)
    assert "\n" not in str(caught.value)
    assert simulate(made(), games=10).evidence.games == 10


def test_cuda_needs_cupy(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'oddsmith\[gpu\]'"):
        simulate(game("goose"), games=10, engine="cuda")


def test_cuda_needs_no_compiler():
    code = """
import sys
for name in ("numba", "llvmlite", "flint", "typer", "rich", "cupy"):
    sys.modules[name] = None
from oddsmith import game, simulate
try:
    simulate(game("goose", players=10), games=10**9, engine="cuda")
except Exception as error:
    print(type(error).__name__)
print(simulate(game("goose", players=10), games=10).evidence.games)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["MissingExtraError", "10"]


# The CUDA source on the host -----------------------------------------------------------------

SHIM = """
#define __global__
#define __device__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(...)
struct Index { unsigned x; };
static Index threadIdx, blockIdx, gridDim;
template <class T> T atomicAdd(T* where, T more) { T old = *where; *where += more; return old; }
template <class T> void atomicMin(T* where, T other) { if (other < *where) *where = other; }
static void __syncthreads() {}
"""
BLOCK_BY_BLOCK = """
extern "C" void run(unsigned blocks, u64 first, u64 games, u32 low, u32 high, u64 max_moves,
    const ENTRY* entries, const u32* last, const u32* row,
    u64* wins, u64* lengths, u64* sums, u64* failed) {
    gridDim.x = blocks;
    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)
        play_games(first, games, low, high, max_moves, entries, last, row,
                   wins, lengths, sums, failed);
}
"""


def on_the_host(folder, made, seed, first, games, max_moves=10**6):
    """What the CUDA kernel counts, compiled for the host with one thread a block; and failures."""
    tables = tables_of(made.track)
    source = folder / "kernel.cpp"
    source.write_text(SHIM + board_cuda.source_of(tables, made.players, threads=1) + BLOCK_BY_BLOCK)
    library = folder / "kernel.so"
    command = ["g++", "-O1", "-w", "-shared", "-fPIC", str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    counts = [np.zeros(n, np.uint64) for n in (made.players + 1, board_cuda.HISTOGRAM, 2)]
    failed = np.full(1, board.UNLIMITED, np.uint64)
    arrays = [board_cuda.entries_of(tables), tables.last.astype(np.uint32)]
    arrays += [tables.row.astype(np.uint32), *counts, failed]
    low, high = board.key_of(seed)
    ctypes.CDLL(str(library)).run(
        ctypes.c_uint32(3), ctypes.c_uint64(first), ctypes.c_uint64(games),
        ctypes.c_uint32(low), ctypes.c_uint32(high), ctypes.c_uint64(max_moves),
        *(ctypes.c_void_p(array.ctypes.data) for array in arrays),
    )  # fmt: skip
    return board_cuda.tally_of(*(count.astype(np.int64) for count in counts)), int(failed[0])


needs_compiler = pytest.mark.skipif(not shutil.which("g++"), reason="there is no C++ compiler")
HOSTED = ["two geese", "ten geese", "a crowd in the camp", "many dice", "words drawn again"]
HOSTED += ["more than 255 squares"]


@needs_compiler
@pytest.mark.parametrize("name", HOSTED)
def test_the_cuda_kernel_plays_the_same_games(tmp_path, name):
    made = BOARDS[name]()
    seed, first, games = (9 << 32) + 1, (1 << 32) - 1000, 5000
    found, failed = on_the_host(tmp_path, made, seed, first, games)
    expected = BoardTable(made, seed, 10**6).play_some(first, games)
    assert failed == board.UNLIMITED
    assert found.games == games
    for part in ("wins", "lengths", "sums"):
        assert (getattr(found, part) == getattr(expected, part)).all()


@needs_compiler
def test_the_cuda_kernel_names_the_first_game_that_is_too_long(tmp_path):
    made = game("goose", players=3)
    found, failed = on_the_host(tmp_path, made, 1, 0, 200, max_moves=40)
    games = [play_plainly(tables_of(made.track), 3, 1, number, 40) for number in range(200)]
    assert failed == next(number for number, played in enumerate(games) if not played.ended)
    assert found.games == sum(played.ended for played in games)
