"""Simulation: the same seed plays the same games, and stops when enough is known."""

import os
from typing import NamedTuple

import numpy as np
import pytest

from oddsmith import DRAW, Die, Game, coin, d6, game, move, simulate
from oddsmith.errors import LimitError, OptionError
from oddsmith.solve.simulate import run
from oddsmith.solve.simulate.run import BATCH
from oddsmith.solve.simulate.stream import Stream

ENGINES = ["interpreted", "compiled"]


def played(result):
    """Everything that was counted."""
    answers = [(a.value, a.lower, a.upper) for a in (*result.win, result.draw, result.duration)]
    return result.evidence.games, answers, result.distribution


# The same games ------------------------------------------------------------------------------


def test_the_same_seed_plays_the_same_games_with_either_engine():
    """Five batches: the interpreter plays them in several processes, the compiler in threads."""
    race = game("coin-race")
    one, other = (simulate(race, games=5 * BATCH - 7, seed=11, engine=e) for e in ENGINES)
    assert played(one) == played(other)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("stop", [{"games": 4 * BATCH}, {"half_width": 0.01}], ids=str)
def test_the_number_of_cores_changes_nothing(monkeypatch, engine, stop):
    found = []
    for cores in (1, 3):
        monkeypatch.setattr(os, "cpu_count", lambda cores=cores: cores)
        found.append(played(simulate(game("coin-race"), seed=5, engine=engine, **stop)))
    assert found[0] == found[1]


def test_the_engine_does_not_change_when_it_is_accurate_enough():
    race = game("coin-race")
    one, other = (simulate(race, half_width=0.012, seed=5, engine=e) for e in ENGINES)
    assert played(one) == played(other)


def test_another_seed_plays_other_games():
    race = game("coin-race")
    assert played(simulate(race, games=1000, seed=1)) != played(simulate(race, games=1000, seed=2))


def test_more_games_begin_with_the_same_ones():
    """Batches have streams of their own, so a longer run repeats a shorter one."""
    race = game("coin-race")
    short = simulate(race, games=BATCH, seed=9).win[0].value * BATCH
    long = simulate(race, games=2 * BATCH, seed=9).win[0].value * 2 * BATCH
    assert 0 <= long - short <= BATCH


def test_random_numbers_are_those_of_the_published_generator():
    """xoshiro256++ from the state 1, 2, 3, 4: the first words that its authors' C code gives.

    They are the reference values in the tests of Rust's rand_xoshiro, which took them from there.
    """
    stream = Stream(0, 0)
    stream.s = [1, 2, 3, 4]
    assert [stream.next() for _ in range(6)] == [
        41943041,
        58720359,
        3588806011781223,
        3591011842654386,
        9228616714210784205,
        9973669472204895162,
    ]


def test_every_face_is_as_likely_as_its_weight():
    """Pearson's test with 5 degrees of freedom: beyond 30 is less likely than 1 in 60,000."""
    stream, games = Stream(2, 0), 60_000
    counts = [0] * 6
    for _ in range(games):
        counts[stream.below(6)] += 1
    assert sum((n - games / 6) ** 2 / (games / 6) for n in counts) < 30


@pytest.mark.parametrize("engine", ENGINES)
def test_weights_of_a_die(engine):
    class Draw(Game):
        """One throw: player 1, player 2 or nobody, 1 to 2 to 5."""

        class State(NamedTuple):
            thrown: int = -5

        def winner(self, s):
            return None if s.thrown == -5 else s.thrown

        @move(dice=Die({0: 1, 1: 2, DRAW: 5}))
        def throw(self, s, face):
            return self.State(face)

    found = simulate(Draw(), games=8 * BATCH, confidence=0.9999, engine=engine)
    for answer, truth in zip((*found.win, found.draw), (1 / 8, 2 / 8, 5 / 8), strict=True):
        assert answer.lower < truth < answer.upper
    assert found.duration.value == 1
    assert found.quantiles == {0.05: 1, 0.5: 1, 0.95: 1}


# Intervals -----------------------------------------------------------------------------------


def test_more_confidence_is_a_wider_interval():
    race = game("coin-race")
    narrow, wide = (simulate(race, games=500, confidence=c).win[0] for c in (0.8, 0.999))
    assert wide.lower < narrow.lower < narrow.value < narrow.upper < wide.upper


# When it stops -------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_it_stops_when_it_is_accurate_enough(engine):
    found = simulate(game("coin-race"), half_width=0.012, engine=engine)
    for answer in (*found.win, found.draw):
        assert (answer.upper - answer.lower) / 2 <= 0.012
    # A chance of 16/27 needs z² p (1 - p) / h², some 6440 games if one looks once.
    assert 6_000 < found.evidence.games <= 40 * BATCH
    assert found.evidence.games % BATCH == 0


def test_a_limit_on_games_holds_beside_the_accuracy():
    found = simulate(game("coin-race"), half_width=0.0001, games=3000)
    assert found.evidence.games == 3000


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"games": 0}, "positive"),
        ({"half_width": 0.7}, "half-width"),
        ({"confidence": 1.0}, "confidence"),
        ({"engine": "steam"}, "steam"),
        ({"seed": -1}, "seed"),
    ],
    ids=str,
)
def test_impossible_requests(wrong, words):
    with pytest.raises(OptionError, match=words) as caught:
        simulate(game("coin-race"), **{"games": 10, **wrong})
    assert "\n" not in str(caught.value)


class Five(Game):
    """Five tosses, then player 1 has won."""

    class State(NamedTuple):
        tosses: int = 0

    def winner(self, s):
        return 0 if s.tosses == 5 else None

    @move(dice=coin)
    def toss(self, s, heads):
        return self.State(s.tosses + 1)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_game_may_take_as_many_moves_as_allowed(engine):
    found = simulate(Five(), games=10, max_moves=5, engine=engine)
    assert found.duration.value == 5


@pytest.mark.parametrize("engine", ENGINES)
def test_a_game_may_not_take_more_moves_than_allowed(engine):
    with pytest.raises(LimitError, match="did not end within 4 moves"):
        simulate(Five(), games=10, max_moves=4, engine=engine)


class Interrupting:
    """Presses Ctrl-C after some batches."""

    def __init__(self, after):
        self.after, self.seen = after, 0

    def update(self, stage, done, of, facts=""):
        self.seen += 1
        if self.seen == self.after:
            raise KeyboardInterrupt


@pytest.mark.parametrize("engine", ENGINES)
def test_an_interrupted_simulation_keeps_its_games(engine):
    race = game("coin-race")
    found = simulate(race, games=50 * BATCH, seed=4, engine=engine, progress=Interrupting(3))
    assert found.evidence.interrupted
    assert found.evidence.games == 3 * BATCH
    whole = simulate(race, games=3 * BATCH, seed=4, engine=engine)
    assert not whole.evidence.interrupted
    assert played(found) == played(whole)
    assert found.to_dict()["interrupted"] is True


def test_an_interruption_before_any_game_is_passed_on(monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "play_interpreted", interrupt)
    with pytest.raises(KeyboardInterrupt):
        simulate(game("coin-race"), games=10, engine="interpreted")


# Lengths and ends ----------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_rests_do_not_count_and_a_deadlock_is_a_draw(engine):
    """As in the Goose paper: both in their pits, nobody can move any more."""

    class Pits(Game):
        """In turn throw a die: 6 wins, 1 falls into a pit, where one rests for ever."""

        class State(NamedTuple):
            fallen: tuple[bool, bool] = (False, False)
            turn: int = 0
            won: int = -9

        def winner(self, s):
            return None if s.won == -9 else s.won

        @move(dice=d6, when=lambda self, s: not s.fallen[s.turn])
        def throw(self, s, spots):
            if spots == 6:
                return s._replace(won=s.turn)
            first = s.fallen[0] or (s.turn == 0 and spots == 1)
            second = s.fallen[1] or (s.turn == 1 and spots == 1)
            return self.State((first, second), 1 - s.turn, -9)

        @move(counts=False, when=lambda self, s: s.fallen[s.turn])
        def rest(self, s):
            return s._replace(turn=1 - s.turn)

    found = simulate(Pits(), games=4 * BATCH, confidence=0.9999, engine=engine)
    # A player's throws end by a 6 or by a 1, equally likely. Both fall: 1/4. The length is the
    # number of throws; alone, a player throws 3 times on average until one of the two.
    assert found.draw.lower < 0.25 < found.draw.upper
    assert min(k for k, _ in found.distribution) == 1


def test_the_evidence_names_seed_and_games():
    found = simulate(game("coin-race"), games=123, seed=77)
    assert (found.evidence.games, found.evidence.seed) == (123, 77)
    assert found.method == "estimate"
    assert found.to_dict()["seed"] == 77


def test_games_of_boards_without_scores_are_added_up():
    """A tally from a CUDA device ended in a traceback: it had no scores at all."""
    total = run.new_tally(2)
    total.add(run.Tally(np.array([3, 4, 0]), total.lengths.copy(), games=7))
    assert total.games == 7
    assert not total.scores.any()
