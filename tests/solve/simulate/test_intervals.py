"""Intervals of estimates hold what they claim; coverage is summed exactly where it can be."""

import math
from fractions import Fraction

import numpy as np
import pytest

from oddsmith import duel, game, simulate
from oddsmith.properties.statistical.check_paths import estimate
from oddsmith.rules.prism import parse_program
from oddsmith.solve.simulate.statistics import (
    Looks,
    Test,
    chance,
    clopper_pearson,
    enough,
    mean_interval,
    settled,
    share,
    spread_of_sums,
)

RARE = """dtmc
module m
 s:[0..2] init 0;
 [] s=0 -> 1/10000:(s'=1)+9999/10000:(s'=2);
 [] s>0 -> true;
endmodule
"""

EDGE = """dtmc
module m
 s:[0..1] init 0;
 [] s=0 -> 1/2:(s'=1)+1/2:true;
endmodule
rewards "one" true : 1; endrewards
"""


# Clopper and Pearson -------------------------------------------------------------------------


def binomial(n, p):
    """The chance of each number of successes."""
    k = np.arange(n + 1)
    logs = np.array([math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) for i in k])
    return np.exp(logs + k * math.log(p) + (n - k) * math.log1p(-p))


def coverage(n, p, ends):
    """The chance that an interval has p, summed over all numbers of successes that matter."""
    weights = binomial(n, p)
    some = np.flatnonzero(weights > 1e-15)
    held = [weights[k] for k in some if (lambda e: e[0] <= p <= e[1])(ends(int(k)))]
    return math.fsum(held) / math.fsum(weights)


@pytest.mark.parametrize("error", [0.05, 0.01])
@pytest.mark.parametrize(
    ("n", "p"),
    [(1000, 1e-5), (1000, 1e-4), (1700, 1e-4), (100, 1e-3), (100_000, 1e-5), (100_000, 1e-4)]
    + [(n, p) for n in (1, 10, 137, 1000) for p in (0.001, 0.01, 0.1, 0.3, 0.5)],
)
def test_intervals_of_chances_cover_what_they_claim(n, p, error):
    """Wilson's cover 0.905 of 0.99 for n = 1000, p = 1e-4."""
    assert coverage(n, p, lambda k: clopper_pearson(k, n, error)) >= 1 - error


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        # R. G. Newcombe, Statistics in Medicine 17 (1998) 857-872, Table I, method 5
        (81, 263, 0.2527, 0.3676),
        (15, 148, 0.0578, 0.1617),
        (0, 20, 0.0, 0.1684),
        (1, 29, 0.0009, 0.1776),
    ],
)
def test_they_are_newcombes(successes, trials, low, high):
    assert clopper_pearson(successes, trials, 0.05) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("k", "n", "error"), [(3, 17, 0.05), (1, 40, 1e-6), (39, 40, 0.2)])
def test_their_ends_solve_their_equations(k, n, error):
    """In fractions: at the ends exactly so many or more (or fewer) have half of the error."""
    low, high = (Fraction(end) for end in clopper_pearson(k, n, error))

    def tail(p, counts):
        return float(sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in counts))

    assert tail(low, range(k, n + 1)) == pytest.approx(error / 2, rel=1e-9)
    assert tail(high, range(k + 1)) == pytest.approx(error / 2, rel=1e-9)


def test_they_mirror():
    low, high = clopper_pearson(3, 20, 0.05)
    assert clopper_pearson(17, 20, 0.05) == pytest.approx((1 - high, 1 - low))
    assert clopper_pearson(20, 20, 0.05)[1] == 1.0


def test_the_rare_chance_of_the_report_is_covered():
    """99 % intervals of 1,000 paths held 1/10000 in 89 of 100."""
    program = parse_program(RARE)
    asked = {"games": 1000, "confidence": 0.99, "steps": 2}
    held = sum(
        one.lower <= 1e-4 <= one.upper
        for one in (
            estimate(program, "P=? [ F s=1 ]", seed=seed, **asked)[0].value for seed in range(100)
        )
    )
    assert held >= 97  # 99 of 100 are claimed; less than 97 has a chance below 1 in 50


def test_hoeffdings_ends_are_beyond_those_of_a_coin():
    """A mean of numbers in [0, 1] varies no more than a coin: the bound is wider than a coin's."""
    for k, n in [(0, 20), (7, 20), (20, 20)]:
        coin, any_ = chance(k, 0, n, 0.05), share(float(k), n, 0.05)
        assert any_.lower - 1e-12 <= coin.lower <= coin.upper <= any_.upper + 1e-12


# Until it is known ---------------------------------------------------------------------------


def test_the_error_is_shared_out():
    for half_width in (0.2, 0.01, 0.0005):
        looks = list(Looks(half_width, 0.05, 4096))
        games, errors = zip(*looks, strict=True)
        assert sum(errors) <= 0.05
        assert list(games) == sorted(set(games))
        assert enough(half_width, 0.025) in games


@pytest.mark.parametrize("p", [0.002, 0.01, 0.2, 0.5])
def test_stopping_when_it_is_narrow_keeps_the_claim(p):
    """The chance that the walk over all looks ends with an interval without p, summed exactly."""
    half_width, error = 0.03, 0.05
    alive, missed, before = {0: 1.0}, 0.0, 0
    for games, part in Looks(half_width, error, 64):
        steps, following = binomial(games - before, p), {}
        for k, weight in alive.items():
            for j in np.flatnonzero(steps * weight > 1e-13):
                following[k + int(j)] = following.get(k + int(j), 0.0) + weight * steps[j]
        alive, before = {}, games
        for k, weight in following.items():
            low, high = clopper_pearson(k, games, part)
            if (high - low) / 2 > half_width:
                alive[k] = weight
            elif not low <= p <= high:
                missed += weight
        if not alive:
            break
    assert not alive
    assert missed <= error


def test_a_mean_of_equal_rewards_does_not_walk_for_ever():
    found = estimate(parse_program(EDGE), 'R{"one"}=? [ C<=4 ]', half_width=0.1)[0]
    assert (found.value.value, found.value.lower, found.paths >= 100_000) == (4.0, None, True)


# Means ---------------------------------------------------------------------------------------


def test_means_are_called_approximate_wherever_they_are_shown():
    played = simulate(game("coin-race"), games=500)
    assert played.duration.approximate
    assert played.to_dict()["duration"]["approximate"] is True
    assert "approximate" not in played.to_dict()["win"][0]
    assert "expected length (approximate)" in str(played)
    assert "of lengths Student, approximate" in str(played)
    walked = estimate(parse_program(EDGE), 'R{"one"}=? [ C<=4 ]', games=50)
    assert "approximate" in str(walked)
    assert '"approximate": true' in walked.to_json()


def test_equal_numbers_have_no_interval():
    assert mean_interval(5.0, 0.0, 100, 0.95).lower is None
    assert mean_interval(5.0, 1.0, 1, 0.95).lower is None
    assert mean_interval(0.1, 1e-35, 9, 0.95).lower is None  # rounding is no spread


@pytest.mark.parametrize(("offset", "scale"), [(0, 1), (10**7, 1), (0, 10**6)])
def test_the_spread_of_large_numbers_is_not_lost(offset, scale):
    values = [offset + scale * k for k in (1, 2, 3, 4)]
    total, squares = sum(values), sum(x * x for x in values)
    assert spread_of_sums(4, total, squares) == pytest.approx(scale**2 * 5 / 3)


# Tests of bounds -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("P>1 [ F<=1 s>=0 ]", False),
        ("P<0 [ F<=1 s>1 ]", False),
        ("P>=0 [ F<=1 s>1 ]", True),
        ("P<=1 [ F<=1 s>=0 ]", True),
        ("P>=1 [ F<=1 s>=0 ]", True),
        ("P<=0 [ F<=1 s>1 ]", True),
        ("P>0 [ F<=1 s>1 ]", False),
        ("P<1 [ F<=1 s>=0 ]", False),
    ],
)
def test_bounds_at_the_edge(text, holds):
    assert estimate(parse_program(EDGE), text)[0].holds is holds


def test_a_settled_bound_is_what_every_chance_says():
    for bound in (-0.5, 0.0, 0.3, 1.0, 1.5):
        for relation, holds in {
            ">=": lambda p, b: p >= b, ">": lambda p, b: p > b,
            "<=": lambda p, b: p <= b, "<": lambda p, b: p < b,
        }.items():  # fmt: skip
            every = {holds(p, bound) for p in (0.0, 0.1, 0.3, 0.5, 1.0)}
            assert settled(relation, bound) == (every.pop() if len(every) == 1 else None)


@pytest.mark.parametrize(("bound", "delta", "error"), [(0.5, 0.1, 0.05), (0.2, 0.1, 0.01)])
def test_a_test_errs_no_more_than_it_says(bound, delta, error):
    """The chance to cross the wrong limit from the edge of indifference, summed exactly."""
    for p, wrong in ((bound - delta, True), (bound + delta, False)):
        up = math.log((bound + delta) / (bound - delta))
        down = math.log((1 - bound - delta) / (1 - bound + delta))
        limit, alive, missed = math.log(1 / error), {0: 1.0}, 0.0
        for n in range(1, 1500):
            following = {}
            for k, weight in alive.items():
                for j, chance_ in ((k + 1, p), (k, 1 - p)):
                    ratio = j * up + (n - j) * down
                    if abs(ratio) < limit:
                        following[j] = following.get(j, 0.0) + weight * chance_
                    elif (ratio > 0) == wrong:
                        missed += weight * chance_
            alive = {k: w for k, w in following.items() if w > 1e-12}
        assert missed + sum(alive.values()) <= error
    looked = Test(bound, delta, error)
    assert looked.add(np.ones(1000, np.int8)) == math.ceil(limit / up)


# What is shown of several intervals ----------------------------------------------------------


def test_a_duel_that_is_simulated_keeps_its_claim_for_all_that_it_shows(monkeypatch):
    """It shows sums over two players and two seats: four intervals, so each errs a quarter."""
    from oddsmith.ask import tournament

    seen = []

    def simulated(*arguments, **keywords):
        seen.append(keywords["confidence"])
        return simulate(*arguments, **keywords)

    monkeypatch.setattr(tournament, "simulate", simulated)
    duel(game("piglet", goal=2), "hold-at-2", "random", games=200)
    assert seen == pytest.approx([1 - 0.05 / 4] * 2)
