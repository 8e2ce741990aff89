"""Turns on the processor against the plain definition, and the sums over all numbers.

The array lies between numbers that are not numbers: what is read beyond it poisons a result, and
what is written beyond it is seen.
"""

import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.board_strategies import boards
from tests.solve.lattice.boards import FREE, LONG, SMALL
from tests.solve.lattice.reference import backward_turn, forward_turn

from oddsmith import game
from oddsmith.errors import LimitError
from oddsmith.rules.board.game import board_class
from oddsmith.solve.lattice.cpu import CpuSweeper
from oddsmith.solve.lattice.sweep import UNIT, deadlocks

GUARD = 67
TINY = """
[board]
finish = 2
dice = "d2"
occupied = "return"
overshoot = "stay"
[jumps]
1 = 2
"""
ALL_HOLD = """
[board]
finish = 4
dice = "d4"
occupied = "return"
[squares]
pits = { at = [1, 2, 3], hold = true }
"""
GATES = """
[board]
finish = 7
dice = { number = 2, faces = [0, 1, 2] }
occupied = "return"
[squares]
jail = { at = 4, until = [3, "double"] }
inn = { at = 5, wait = 3, share = true }
[first-throw]
2 = { goto = 7, free = 4 }
3 = { goto = 4, free = 5 }
4 = { goto = 0, free = 4 }
"""


def track_of(text):
    return board_class("random.toml", text)().track


class Guarded:
    """A sweeper with random numbers (of either sign, as in a tail), between guards."""

    def __init__(self, track, players, dtype, threads=1, seed=0, shift=0):
        self.sweeper = CpuSweeper(track, players, dtype, threads)
        size = self.sweeper.size
        self.room = np.full(size + 2 * GUARD, np.nan, dtype)
        begin = GUARD - shift
        self.outside = np.ones(len(self.room), bool)
        self.outside[begin : begin + size] = False
        self.sweeper.array = self.room[begin : begin + size]
        random = np.random.default_rng(seed)
        self.sweeper.array[:] = random.standard_normal(size) * random.integers(0, 2, size)
        self.shape = (track.size,) * players

    def numbers(self):
        """A copy in double precision."""
        assert np.isnan(self.room[self.outside]).all(), "written beyond the array"
        found = self.sweeper.array.astype(float).reshape(self.shape)
        assert np.isfinite(found).all(), "read beyond the array"
        return found


def check_forward(track, players, mover, dtype, threads=1, seed=0, shift=0):
    """One turn against the definition, as closely as the bounds of a sweep claim."""
    mine = Guarded(track, players, dtype, threads, seed, shift)
    before = mine.numbers()
    size = np.abs(before).sum()
    expected, *sums, arrived = forward_turn(track, before, mover)
    found = mine.sweeper.forward(mover, visits=True)
    unit = UNIT[dtype]
    turn = (track.terms + 4) * unit * size
    assert np.abs(mine.numbers() - expected).sum() <= turn
    added = (mine.sweeper.sum_terms + 64) * unit * size
    assert np.abs(np.array(found[:3]) - sums).max() <= added
    assert np.abs(found[3] - arrived).max() <= turn + added
    after = mine.numbers().sum()
    assert abs(after + found[0] - before.sum()) <= turn + added, "mass is conserved"
    assert abs(found[1] + found[2] - before.sum()) <= added, "who does not throw rests"


def check_backward(track, players, mover, dtype, threads=1, seed=0, shift=0):
    mine = Guarded(track, players, dtype, threads, seed, shift)
    before = mine.numbers()
    win, throw = np.random.default_rng(seed).random(2)
    expected = backward_turn(track, before, mover, win, throw)
    mine.sweeper.backward(mover, win, throw)
    largest = np.abs(before).max() + 2
    off = np.abs(mine.numbers() - expected).max()
    assert off <= (track.terms + 4) * UNIT[dtype] * largest


@st.composite
def turns(draw, most=6000):
    """A board with few enough numbers for the definition, and how its turn is played."""
    players = draw(st.sampled_from((1, 2, 2, 3, 3, 4)))
    finish = {1: 30, 2: 22, 3: 10, 4: 5}[players]
    text = draw(boards(lattice=True, max_finish=finish))
    track = track_of(text)
    assume(track.size**players <= most)
    mover = draw(st.integers(0, players - 1))
    dtype = draw(st.sampled_from(("float64", "float32")))
    threads, seed = draw(st.sampled_from((1, 3))), draw(st.integers(0, 99))
    return track, players, mover, dtype, threads, seed, draw(st.integers(0, 17))


@settings(max_examples=30)
@given(turns())
def test_random_boards_forward(how):
    check_forward(*how)


@settings(max_examples=25)
@given(turns())
def test_random_boards_backward(how):
    check_backward(*how)


@pytest.mark.slow
@settings(max_examples=1500)
@given(turns(30_000))
def test_many_random_boards(how):
    check_forward(*how)
    check_backward(*how)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("text", [TINY, ALL_HOLD, GATES, SMALL, FREE], ids=lambda t: len(t))
@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_made_up_boards(text, players, dtype):
    """With a single position, with nothing but holds, with throws that look elsewhere."""
    track = track_of(text)
    for mover in range(players):
        for threads in (1, 3):
            if track.size**players < 8000:
                check_forward(track, players, mover, dtype, threads, seed=mover, shift=mover)
                check_backward(track, players, mover, dtype, threads, seed=mover, shift=mover)


def test_what_the_made_up_boards_have():
    assert track_of(TINY).size == 1
    assert track_of(ALL_HOLD).hold.sum() == 3
    assert {(t >= 0) for _, t, _, _ in track_of(GATES).special} == {True, False}


VARIANTS = ("standard", "listing", "one-die")
LARGER = [
    *((game("goose", variant=variant), 2) for variant in VARIANTS),
    (game("chutes-and-ladders", occupied="return"), 2),
    (board_class("long.toml", LONG)(), 2),
    (game("chutes-and-ladders"), 1),
]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("board", "players"), LARGER)
def test_real_boards(board, players, dtype):
    track = board.track
    for mover in range(players):
        check_forward(track, players, mover, dtype, threads=3, seed=mover)
        check_backward(track, players, mover, dtype, threads=3, seed=mover)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("mover", range(3))
def test_goose_for_three(variant, mover):
    check_forward(game("goose", variant=variant).track, 3, mover, "float64", threads=2)
    check_backward(game("goose", variant=variant).track, 3, mover, "float64", threads=2)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(
    ("board", "players"),
    [(game("goose"), 3), (game("chutes-and-ladders", occupied="return"), 3)],
)
def test_backward_is_the_transpose_of_forward(board, players, dtype):
    """⟨v, P x⟩ = ⟨Pᵀ v, x⟩, for arrays too large for the definition, whoever moves."""
    track = board.track
    for mover in range(players):
        ahead = Guarded(track, players, dtype, threads=3, seed=1, shift=5)
        back = Guarded(track, players, dtype, threads=3, seed=2, shift=3)
        x, v = ahead.numbers(), back.numbers()
        won, threw, _, _ = ahead.sweeper.forward(mover)
        back.sweeper.backward(mover, 0.75, 0.25)
        forth = float((v * ahead.numbers()).sum()) + 0.75 * won + 0.25 * threw
        scale = np.abs(x).sum() * (np.abs(v).max() + 1)
        off = abs(forth - float((back.numbers() * x).sum()))
        assert off <= 3 * (track.size + track.terms + 64) * UNIT[dtype] * scale


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_threads_and_places_in_memory_change_no_bit(dtype):
    track = game("goose").track
    results = []
    for threads, shift in ((1, 0), (3, 5), (2, 16)):
        mine = Guarded(track, 3, dtype, threads, seed=3, shift=shift)
        mine.sweeper.forward_many(0, 3)
        mine.sweeper.backward(1, 1.0, 0.5)
        results.append(mine.numbers())
    assert (results[0] == results[1]).all()
    assert (results[0] == results[2]).all()


@given(turns(1500), st.integers(1, 5))
@settings(max_examples=30)
def test_many_turns_are_turns_one_after_the_other(how, count):
    track, players, mover, dtype, threads, seed, shift = how
    mine = Guarded(track, players, dtype, threads, seed, shift)
    array = mine.numbers()
    size = np.abs(array).sum()
    sums = []
    for turn in range(count):
        array, *found, _ = forward_turn(track, array, (mover + turn) % players)
        sums.append(found)
    gained = mine.sweeper.forward_many(mover, count)
    assert gained.shape == (count, 3)
    allowed = count * (track.terms + track.size + 68) * UNIT[dtype] * size
    assert np.abs(gained - sums).max() <= allowed
    assert np.abs(mine.numbers() - array).sum() <= allowed


@given(turns(3000), st.integers(0, 9))
@settings(max_examples=40)
def test_all_mass_is_on_the_start(how, seed):
    track, players, _, dtype, threads, _, shift = how
    mine = Guarded(track, players, dtype, threads, seed, shift)
    mine.sweeper.place_start()
    expected = np.zeros(mine.shape)
    expected[(track.start,) * players] = 1
    assert (mine.numbers() == expected).all()


@given(turns(5000))
@settings(max_examples=60)
def test_sums_over_all_numbers(how):
    track, players, _, dtype, threads, seed, shift = how
    mine = Guarded(track, players, dtype, threads, seed, shift)
    numbers = mine.numbers().ravel()
    size = math.fsum(np.abs(numbers))
    close = 80 * UNIT["float64"] * size
    sweeper = mine.sweeper
    assert abs(sweeper.norm() - size) <= close
    assert sweeper.maximum() == numbers.max()
    assert sweeper.can_keep()
    assert sweeper.keep() == 0.0
    assert (mine.numbers().ravel() == numbers).all()
    sweeper.array *= sweeper.array.dtype.type(0.5)
    factor = 0.3
    assert abs(sweeper.gap(factor) - 0.2 * size) <= close + 1e-15
    sweeper.deflate(factor)
    found = mine.numbers().ravel()
    assert np.abs(found - 0.2 * numbers).max() <= 2 * UNIT[dtype] * np.abs(numbers).max()
    sweeper.fill(-2.5)
    assert (mine.numbers() == -2.5).all()
    assert sweeper.maximum() == -2.5


@given(turns(5000), st.data())
@settings(max_examples=40)
def test_take_read_and_write(how, data):
    track, players, _, dtype, threads, seed, shift = how
    mine = Guarded(track, players, dtype, threads, seed, shift)
    before = mine.numbers().ravel()
    sweeper, size = mine.sweeper, mine.sweeper.size
    places = np.array(
        data.draw(st.lists(st.integers(0, size - 1), max_size=5, unique=True)), np.int64
    )
    assert sweeper.take(places) == pytest.approx(math.fsum(before[places]), abs=1e-13)
    expected = before.copy()
    expected[places] = 0
    assert (mine.numbers().ravel() == expected).all()
    assert sweeper.take(places) == 0.0
    start = data.draw(st.integers(0, size))
    stop = data.draw(st.integers(start, size))
    assert (sweeper.read(start, stop) == expected[start:stop]).all()
    new = np.random.default_rng(seed).random(stop - start).astype(dtype)
    sweeper.write(start, new)
    expected[start:stop] = new
    assert (mine.numbers().ravel() == expected).all()


@given(turns(3000))
@settings(max_examples=40)
def test_deadlocks_are_where_a_round_changes_nothing_and_nobody_throws(how):
    """By the definition: mass there stays there, and none of it throws."""
    track, players, *_ = how
    found = deadlocks(track, players)
    expected = []
    for index in range(track.size**players):
        places = [
            index // track.size ** (players - 1 - axis) % track.size for axis in range(players)
        ]
        squares = [int(track.square[o]) for o in places]
        alone = len(set(squares)) == players
        if alone and all(track.hold[o] for o in places):
            expected.append(index)
    assert sorted(found.tolist()) == expected
    array = np.zeros((track.size,) * players)
    array.ravel()[expected] = 1
    for mover in range(players):
        after, won, threw, rested, _ = forward_turn(track, array, mover)
        assert (after == array).all()
        assert (won, threw, rested) == (0, 0, len(expected))


@pytest.mark.parametrize(("free", "halved"), [(30 * 10**6, True), (10**6, False)])
def test_too_little_memory_is_said_with_what_would_fit(monkeypatch, free, halved):
    """Four geese are 37 MiB, half as much in float32."""
    monkeypatch.setattr("oddsmith.runtime.memory.available", lambda: free)
    with pytest.raises(LimitError, match="CUDA device of 37 MiB") as caught:
        CpuSweeper(game("goose").track, 4)
    assert ("float32" in str(caught.value)) == halved
    assert "\n" not in str(caught.value)
