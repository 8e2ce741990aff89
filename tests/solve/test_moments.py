"""Variance and standard deviation of lengths and rewards, against what others have said of them.

Closed forms are those of textbooks: W. Feller, An Introduction to Probability Theory and Its
Applications I (geometric, negative binomial, coupons); the gambler's ruin with even chances lasts
z (a - z) throws on average, with variance z (a - z) (z² + (a - z)² - 2) / 3 (J. Anděl, S. Hudecová,
Variance of the game duration in the gambler's ruin problem, Stat. Probab. Lett. 82 (2012)).
Generating functions of two games of snakes and ladders were published by S. B. Ekhad and
D. Zeilberger (sites.math.rutgers.edu/~zeilberg/tokhniot/oSnakesAndLadders2.txt and …3.txt).
"""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests.chance_tables import table_game
from tests.solve.length_reference import Drawn, random_chain

from oddsmith import game, length, simulate
from oddsmith.questions.settings import Settings
from oddsmith.results.answer import Answer
from oddsmith.solve import moments as by_solves
from oddsmith.solve.engines.graph import prepare
from oddsmith.solve.exact.lifted import LiftingPlan
from oddsmith.solve.exact.moments import start_moments
from oddsmith.solve.lattice import spread
from oddsmith.solve.moments import moments
from oddsmith.solve.sweeps import backward, forward, measure

METHODS = ("exact", "certified", "float")


def solo(rows, end, **more):
    """A table of one player, who is through when he comes to the end."""
    return table_game(rows, {end: 0}, players=1, **more)


def holds(found, mean, variance):
    """Whether the answers are these, as far as they say that they know."""
    for answer, true in ((found.duration, mean), (found.variance, variance)):
        if answer.exact is not None:
            assert answer.exact == true
        elif answer.lower is None:
            assert math.isclose(answer.value, true, rel_tol=1e-9, abs_tol=1e-9)
        else:
            assert answer.lower <= true <= answer.upper
    deviation = found.deviation
    if deviation.lower is None:
        assert math.isclose(deviation.value**2, variance, rel_tol=1e-9, abs_tol=1e-9)
    else:
        assert Fraction(deviation.lower) ** 2 <= variance <= Fraction(deviation.upper) ** 2


@pytest.mark.parametrize("method", METHODS)
def test_waiting_for_a_success(method):
    """Until the r-th success of chance p: r / p on average, variance r (1 - p) / p²."""
    p, r = Fraction(1, 6), 3
    rows = {s: {s: 5, s + 1: 1} for s in range(r)}
    holds(length(solo(rows, r), method=method), r / p, r * (1 - p) / p**2)


@pytest.mark.parametrize("method", METHODS)
def test_collecting_coupons(method):
    """All n kinds: a success of chance k/n after the other, k = n, n - 1, …, 1."""
    n = 7
    rows = {s: {s: s, s + 1: n - s} if s else {1: 1} for s in range(n)}
    parts = [Fraction(k, n) for k in range(1, n + 1)]
    mean, variance = sum(1 / p for p in parts), sum((1 - p) / p**2 for p in parts)
    holds(length(solo(rows, n), method=method), mean, variance)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("z", "a"), [(1, 2), (3, 10), (20, 40)])
def test_the_ruin_of_a_gambler(method, z, a):
    rows = {s: {s - 1: 1, s + 1: 1} for s in range(1, a)}
    ruin = table_game(rows, {0: 1, a: 0}, start=z)
    variance = Fraction(z * (a - z) * (z**2 + (a - z) ** 2 - 2), 3)
    holds(length(ruin, method=method), z * (a - z), variance)


@pytest.mark.parametrize("method", ["exact", "certified"])
def test_a_length_that_does_not_vary(method):
    """Then the variance is zero, and bounds know that it is nearly so."""
    rows = {0: {1: 1, 2: 2}, 1: {3: 1}, 2: {3: 1}, 3: {4: 1}}
    found = length(solo(rows, 4), method=method)
    holds(found, 3, 0)
    assert found.deviation.upper < 1e-9
    stuck = length(solo({0: {0: 1}}, 1, resting=(0,)), method=method)  # a deadlock from the start
    holds(stuck, 0, 0)


def derivatives(top, bottom):
    """G(1), G'(1), G''(1) of a fraction of polynomials, coefficients from the lowest power on."""

    def at_one(coefficients):
        steps = [math.perm(k, d) for d in range(3) for k in range(len(coefficients))]
        size = len(coefficients)
        return [sum(c * steps[d * size + k] for k, c in enumerate(coefficients)) for d in range(3)]

    (n0, n1, n2), (d0, d1, d2) = at_one(top), at_one(bottom)
    g0 = Fraction(n0, d0)
    g1 = (n1 - g0 * d1) / d0
    return g0, g1, (n2 - 2 * g1 * d1 - g0 * d2) / d0


PLAIN = [
    *(131072, 2723840, 16400384, 45260800, 69701632, 66646528, 42170880, 18356736, 5617920),
    *(1218448, 186208, 19600, 1352, 55, 1),
]
SNAKE = [
    *(82263564901416960, 874050377077555200, 2657113146315767808, 3746496021519532032),
    *(3666568335621488640, 4668098674558427136, 6642307156131274752, 6714427420360433664),
    *(4488703090694277120, 2059172782903468800, 675515514248778240, 163620082970023680),
    *(29948860420996608, 4210173933544080, 459335061500400, 39102320303424, 2598498974088),
    *(134150557401, 5320111104, 158850720, 3452544, 51528, 472, 2),
]


def published(board):
    """Mean and variance by the generating functions that Ekhad and Zeilberger have printed."""
    if board == "plain":
        top, bottom = [0] * 15 + PLAIN, [268435456]
    else:
        top = [0] * 22 + np.convolve([4, 2, 1], np.array(SNAKE, object)).tolist()
        bottom = [36472996377170786403 * c for c in (27, 0, -12, -1)]
        top = [2 * c for c in top]
    one, first, second = derivatives(top, bottom)
    assert one == 1  # so it was copied well
    return first, second + first - first**2


def zeilberger(board):
    """Their games: 30 squares and a fair coin; 50, a snake, a ladder, 1 or, twice as often, 2."""
    if board == "plain":
        return solo({s: {min(30, s + 1): 1, min(30, s + 2): 1} for s in range(1, 30)}, 30, start=1)
    jumps = {6: 3, 8: 15}
    rows = {}
    for s in range(1, 50):
        row = rows[s] = {}
        for step, weight in ((1, 1), (2, 2)):
            target = jumps.get(s + step, min(50, s + step))
            row[target] = row.get(target, 0) + weight
    return solo(rows, 50, start=1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("board", ["plain", "snake"])
def test_published_snakes_and_ladders(method, board):
    mean, variance = published(board)
    if board == "plain":  # as they print it
        assert (round(float(mean), 8), round(float(variance), 9)) == (19.55555556, 2.172839498)
    holds(length(zeilberger(board), method=method), mean, variance)


@pytest.mark.parametrize("options", [{}, {"turns": True}, {"symmetry": False}])
def test_the_generating_function_says_the_same(options):
    for name, players in (("coin-race", 2), ("coin-race", 3), ("chutes-and-ladders", 1)):
        race = game(name, players=players)
        turns = {"turns": True} if "turns" in options else {}
        found = length(race, generating_function=True, **options)
        bounds = length(race, method="certified", engine="interpreted", **turns)
        assert found.variance.exact == found.generating_function.variance
        holds(bounds, found.duration.exact, found.variance.exact)


def test_bounds_hold_whatever_the_solvers_say(monkeypatch):
    """Neither the visits nor the means of the states are trusted."""
    dice = np.random.default_rng(7)
    wanted, seen = Settings(method="certified", endless="draw"), 0
    for seed in range(60):
        drawn = random_chain(seed)
        if not drawn.variance() or 0 not in drawn.live:
            continue
        chain = prepare(Drawn.of(drawn), wanted).chain
        visits = forward(chain, 1e-12, "auto", wanted.progress)
        for off in (1e-12, 1e-6, 1e-3, 0.1):
            y = visits.y * (1 + off * dice.uniform(-1, 1, visits.y.shape))
            wrong = measure(chain, y, chain.start_vector())

            def spoilt(*arguments, off=off, **more):
                solved = backward(*arguments, **more)
                solved.x *= 1 + off * dice.uniform(-1, 1, solved.x.shape)
                return solved

            monkeypatch.setattr(by_solves, "backward", spoilt)
            found = moments(wrong, chain.length, True, wanted)
            assert found.mean.lower <= drawn.mean() <= found.mean.upper
            assert found.variance.lower <= drawn.variance() <= found.variance.upper
            low, high = Fraction(found.deviation.lower), Fraction(found.deviation.upper)
            assert low**2 <= drawn.variance() <= high**2
            seen += 1
    assert seen > 60


def test_rewards_of_any_size_from_every_start():
    """A sum of rewards: of the moves, each what its state earns, checked in fractions."""
    wanted, dice = Settings(method="certified", endless="draw"), np.random.default_rng(3)
    for seed in range(40):
        drawn = random_chain(seed)
        if drawn.variance() is None or 0 not in drawn.live:
            continue
        chain = prepare(Drawn.of(drawn), wanted).chain
        earned = dict(zip(drawn.live, dice.integers(0, 2**20, len(drawn.live)), strict=True))
        earned = {s: Fraction(int(g), 1024) for s, g in earned.items()}
        means = drawn.solve(drawn.live, earned)
        gained = {s: 2 * g * means[s] - g * g for s, g in earned.items()}
        squares = drawn.solve(drawn.live, gained)
        states = [chain.model.state(int(s)).s for s in chain.order]
        for place, s in enumerate(states):
            mean, variance = means[s], squares[s] - means[s] ** 2
            first = chain.order[place : place + 1]
            begun = replace(chain, model=replace(chain.model, initial=first))
            visits = forward(begun, 1e-12, "auto", wanted.progress)
            found = moments(visits, np.array([float(earned[s]) for s in states]), True, wanted)
            assert found.mean.lower <= mean <= found.mean.upper
            assert found.variance.lower <= variance <= found.variance.upper
            whole = [1024 * earned[s] for s in states]
            exact, _ = start_moments(begun, whole, LiftingPlan())
            assert exact.mean.exact == 1024 * mean
            assert exact.variance.exact == 1024**2 * variance


def test_one_game_in_a_billion_that_lasts_a_billion_moves():
    """Two waits of chance 10^-9 each, the second hardly ever come to: bounds stay narrow."""
    n = 10**9
    rows = {0: {1: n - 1, 2: 1}, 2: {2: n - 1, 1: 1}}
    found = length(solo(rows, 1), method="certified")
    p = Fraction(1, n)
    mean = 1 + p / p
    second = (1 - p) * 1 + p * (1 + 2 / p + (2 - p) / p**2)  # (1 + T)², T geometric
    holds(found, mean, second - mean**2)
    assert found.deviation.error < 1e-4 * found.deviation.value


def test_a_length_that_may_be_infinite_has_no_variance():
    rows = {0: {1: 1, 2: 1}, 2: {2: 1}}
    for method in METHODS:
        found = length(solo(rows, 1), method=method, endless="draw")
        assert found.duration.value == math.inf
        assert found.variance is None
        assert found.deviation is None
        assert any("has no variance" in line for line in found.evidence.how)
        assert "variance" not in found.to_dict()


@pytest.mark.parametrize("players", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_a_lattice_says_what_chains_say(players):
    """Tokens that pass each other, and tokens that do not; turns, and throws where some rest."""
    ludo = {"chutes-and-ladders": [{}], "goose": [{"turns": True}, {}]}
    for name, questions in ludo.items():
        board = game(name, players=players)
        for more in questions:
            if players == 3 and name == "goose" and not more:
                continue  # no lattice counts its throws
            plain = length(board, method="certified", engine="compiled", **more)
            for found in (length(board, method="certified", **more),):
                for one, other in (
                    (found.variance, plain.variance),
                    (found.deviation, plain.deviation),
                ):
                    assert one.lower <= other.upper
                    assert other.lower <= one.upper
                    assert one.error < 1e-6 * other.value


def test_a_lattice_of_single_precision_has_wider_bounds():
    board = game("chutes-and-ladders", players=2)
    fine = length(board, engine="lattice", method="certified")
    coarse = length(board, engine="lattice", precision="float32", method="certified")
    assert coarse.variance.error > fine.variance.error
    assert coarse.variance.lower <= fine.variance.lower
    assert fine.variance.upper <= coarse.variance.upper


def test_the_tail_beyond_the_horizon_is_bounded():
    """Geometric lengths, cut off early: the bounds still hold the truth, whatever m is."""
    p = Fraction(1, 4)
    for last in (1, 5, 20, 80):
        chances = [(k, float(p * (1 - p) ** (k - 1))) for k in range(1, last + 1)]
        left = float((1 - p) ** last)
        for off in (0.0, 0.5):
            mean = Answer.within(4.0 + off, 0.5)
            found = spread.moments(mean, chances, left, 4.0, 2.0**-50, 2.0**-50)
            assert found.variance.lower <= 12 <= found.variance.upper
    assert found.variance.error < 0.5


def test_games_played_at_random_spread_as_they_should():
    """A million games; the interval is approximate, and holds at this seed."""
    board = game("chutes-and-ladders", players=1)
    found = simulate(board, games=1_000_000, seed=1)
    true = length(board, method="exact").variance.exact
    assert found.variance.approximate
    assert abs(found.variance.value - true) < 4 * found.variance.error
    assert abs(found.deviation.value**2 - found.variance.value) < 1e-9
    assert simulate(board, games=1).variance is None


def test_a_coarse_solution_has_wide_bounds():
    """Of two geese, solved to a hundredth."""
    found = length(game("goose"), method="certified", tolerance=1e-2, engine="compiled")
    true = length(game("goose"), method="exact")
    holds(found, true.duration.exact, true.variance.exact)
    assert found.variance.error > 0.1


def test_how_it_is_shown():
    found = length(game("coin-race"))
    assert found.to_dict()["variance"]["exact"] == "16/3"
    assert found.to_dict()["deviation"]["exact"] is None
    assert "√(16/3)" in found.text()
    assert ("variance", Fraction(16, 3)) in found.fractions()
    assert "standard deviation" in found._repr_html_()
