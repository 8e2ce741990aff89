"""Lengths against arithmetic in fractions: distributions, quantiles, means; and defects."""

import json
import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.solve.length_reference import Chain, Drawn, random_chain

from oddsmith import compare, game, length, odds, simulate, values, visits
from oddsmith.errors import OddsmithError, OptionError
from oddsmith.results.distribution import (
    Between,
    level_of,
    quantile,
    quantile_in_json,
    sample_quantile,
)
from oddsmith.results.result import QUANTILES

DEFECTS = Path(__file__).parents[1] / "data" / "defects"
FAR = 60
"""Lengths up to which the reference plays."""


def defect(name, **options):
    return game(str(DEFECTS / name), **options)


def true_quantile(chances, ends, level):
    """The quantile, infinite where it is known to be, or None beyond what was played."""
    reached = Fraction(0)
    for k, chance in enumerate(chances):
        reached += chance
        if reached >= level_of(level):
            return k
    return math.inf if ends < level_of(level) else None


def check(chain, method):
    rules = Drawn.of(chain)
    found = length(rules, method=method, endless="draw")
    mean, ends, chances = chain.mean(), chain.ends(), chain.distribution(FAR)
    if mean is None:
        assert found.duration.value == math.inf
        assert found.endless.lower <= 1 - ends <= found.endless.upper
        assert found.variance is None
        assert found.deviation is None
    else:
        variance = chain.variance()
        assert found.variance.lower <= variance <= found.variance.upper
        low, high = Fraction(found.deviation.lower), Fraction(found.deviation.upper)
        assert low**2 <= variance <= high**2
        assert found.duration.lower <= mean <= found.duration.upper
        assert found.endless is None
    if method == "exact":
        assert found.duration.exact == mean
        assert mean is None or found.variance.exact == chain.variance()
        assert mean is not None or found.endless.exact == 1 - ends
        for k, chance in enumerate(chances[: found.exact_distribution.horizon + 1]):
            assert found.exact_distribution[k] == chance
    shown, sums = dict(found.distribution), [Fraction(0), Fraction(0)]
    last = max(shown, default=0)
    for k, chance in enumerate(chances[: last + 1]):
        sums[0] += chance
        sums[1] += Fraction(shown.get(k, 0.0))
        assert abs(sums[0] - sums[1]) <= found.off
    if last < FAR:
        assert ends - sums[0] <= found.unresolved
    for level in (*QUANTILES, 0.25, 0.75, 0.9, 0.998):
        at, truth = found.quantile(level), true_quantile(chances, ends, level)
        if level in QUANTILES:
            assert not isinstance(at, Between) or truth is None
        if isinstance(at, Between):
            assert truth is None or at.low <= truth <= at.high
            assert truth is not None or at.high > FAR
        else:
            assert at == truth or (truth is None and at > FAR)


@pytest.mark.parametrize("method", ["exact", "certified"])
@pytest.mark.parametrize("first", [0, pytest.param(15, marks=pytest.mark.slow)])
def test_random_chains(first, method):
    for seed in range(first, first + 15):
        check(random_chain(seed), method)


REFUSED = "Ask for fractions|almost without end: let them count"
"""What is said of chains that have hardly an end for doubles, with chances as small as 1e-18."""


def check_all(seeds, method):
    refused = 0
    for seed in seeds:
        try:
            check(random_chain(seed, most=8), method)
        except OddsmithError as error:
            if method == "exact" or not re.search(REFUSED, str(error)):
                raise
            refused += 1
    assert refused <= 2


@pytest.mark.slow
@pytest.mark.parametrize("method", ["exact", "certified"])
@pytest.mark.parametrize("first", range(30, 1030, 100))
def test_more_random_chains(first, method):
    check_all(range(first, first + 100), method)


@pytest.mark.parametrize(
    ("first", "last"),
    [
        (0, 8),
        pytest.param(8, 20, marks=pytest.mark.slow),
        *(pytest.param(n, n + 20, marks=pytest.mark.slow) for n in range(100, 1000, 100)),
    ],
)
def test_free_moves_of_large_chains_are_played_as_they_are(first, last, monkeypatch):
    monkeypatch.setattr("oddsmith.solve.played.ELIMINATED_STATES", 0)
    check_all(range(first, last), "certified")


def test_free_moves_that_one_pass_plays_are_counted():
    # In the order of the chain: 0 is free and leads to 1 and 3; 1 and 2 are free; 3 counts.
    from oddsmith.solve.kernels import free_depth

    row, col = np.array([0, 2, 3, 5, 6]), np.array([1, 3, 2, 0, 3, 0])
    assert free_depth(row, col, np.array([0.0, 0.0, 0.0, 1.0])) == 3
    assert free_depth(row, col, np.array([0.0, 1.0, 0.0, 1.0])) == 1


def test_a_path_too_rare_for_floats_is_not_forgotten():
    """25 moves are the rule; a path of twenty chances of 2^-62, no float, comes to a long wait."""
    rare, end = 2**62 - 1, 47
    rows = [{1: rare, 26: 1}, *({k: 1} for k in range(2, 26)), {end: 1}]
    rows += [{k: 1, end: rare} for k in range(27, 47)]
    chain = Chain((*rows, {46: 1, end: 1}), (True,) * end)
    found = length(Drawn.of(chain), method="certified")
    assert 1 - sum(chain.distribution(FAR)) > 0
    assert found.unresolved > 0
    assert found.quantile(1.0).high == math.inf
    sure = length(Drawn.of(Chain(tuple({k: 1} for k in range(1, 26)), (True,) * 25)))
    assert (sure.unresolved, sure.quantile(1.0)) == (0, 25)


def test_shares_of_games_are_above_nothing_and_at_most_all():
    found = length(game("coin-race"))
    for level in (0, -0.1, 1.1, math.nan):
        with pytest.raises(OptionError, match="share of games"):
            found.quantile(level)


def test_a_tie_within_rounding_is_decided_in_fractions():
    # One throw ends it with chance (2^45 - 1) / 2^46, a hair less than one half.
    for method in ("auto", "exact", "certified", "float"):
        assert length(defect("tie.py"), method=method).quantiles == {0.05: 1, 0.5: 2, 0.95: 2}


def test_a_level_is_reached_whatever_tail_is_asked_for():
    # P(length <= 9) = 483/512 < 0.95 <= P(length <= 10); see the exact distribution by hand below.
    found = length(game("coin-race"), tail=0.3)
    assert found.quantiles == {0.05: 3, 0.5: 5, 0.95: 10}
    assert found.quantile(0.95) == 10
    beyond = found.quantile(0.9999999)
    assert isinstance(beyond, Between)
    assert math.isinf(beyond.high)


def test_a_game_that_may_never_end_has_an_infinite_expected_length():
    # Heads (one half) ends it after one move, tails never.
    rules = defect("forever.py")
    for method in ("exact", "certified", "float"):
        assert odds(rules, endless="draw", method=method).duration.value == math.inf
        found = length(rules, endless="draw", method=method)
        assert found.duration.value == math.inf
        assert found.quantiles == {0.05: 1, 0.5: 1, 0.95: math.inf}
        assert found.distribution == ((1, 0.5),)
    exact = length(rules, endless="draw", generating_function=True)
    assert exact.endless.exact == Fraction(1, 2)
    assert exact.exact_distribution.left == Fraction(1, 2)
    assert (exact.generating_function.ends, exact.generating_function.mean) == (0.5, math.inf)
    for text in (str(exact), exact._repr_html_(), str(odds(rules, endless="draw"))):
        assert "inf" in text
    told = json.loads(exact.to_json())
    assert (told["duration"]["value"], told["mean"], told["quantiles"]["0.95"]) == ("inf",) * 3
    assert "Infinity" not in exact.to_json()


def test_states_from_which_play_may_never_end_have_an_infinite_length():
    rules = defect("idle.py")
    for method in ("exact", "certified", "float"):
        found = values(rules, method=method).values
        assert found[rules.State(1)]["length"].value == math.inf
        assert found[rules.State(0)]["length"].value == 1
        assert "Infinity" not in values(rules, method=method).to_json()


def test_comparisons_of_infinite_lengths():
    rules = defect("forever.py")
    both = compare(rules, rules, endless="draw")
    assert both["expected length"].difference is None
    assert json.loads(both.to_json())["quantiles"]["0.95"] == {
        "a": "inf",
        "b": "inf",
        "difference": None,
    }
    one = compare(defect("tie.py"), rules, endless="draw")
    assert one["expected length"].difference.value == math.inf
    for found in (both, one):
        assert "inf" in str(found)
        assert "Infinity" not in found.to_json()


def test_play_without_end_comes_to_every_state_of_its_class():
    # Tails leads into the circle 1 -> 2 -> 1, heads to the end: each with chance one half.
    chain = Chain(({1: 1, 3: 1}, {2: 1}, {1: 1}), (True,) * 3)
    for method in ("exact", "certified", "float"):
        found = visits(Drawn.of(chain), of="s", endless="draw", method=method).visits
        assert [round(v.ever.value, 9) for v in found] == [1, 0.5, 0.5, 0.5]
        assert [v.times.value for v in found] == [1, math.inf, math.inf, 0.5]
        whole = visits(
            Drawn.of(chain), where=lambda s: s.s in (1, 2), endless="draw", method=method
        ).visits[0]
        assert (whole.ever.value, whole.times.value) == (0.5, 0.5)


def test_a_rare_long_tail_is_answered_without_following_it():
    # Over after one move but once in 10^9 games, which then last 10^9 moves: the mean is 2.
    rules = defect("hang.py")
    found = length(rules, horizon=3)
    assert found.duration.exact == 2
    assert found.quantiles == {0.05: 1, 0.5: 1, 0.95: 1}
    assert found.exact_distribution.left == Fraction(10**9 - 1, 10**9) ** 2 / 10**9
    assert found.distribution[-1][0] < 100_000
    last = found.distribution[-1][0]
    truly = Fraction(1, 10**9) * (1 - Fraction(last - 1, 10**9))
    assert truly <= found.unresolved < 1.1e-9
    assert any("too long" in note for note in found.evidence.how)
    assert compare(rules, defect("tie.py")).quantiles == {0.05: (1, 1), 0.5: (1, 2), 0.95: (1, 2)}


def test_a_board_of_many_holds_says_so_at_once():
    from oddsmith.errors import OddsmithError

    with pytest.raises(OddsmithError, match="deadlock"):
        length(defect("holds.toml", players=6))


def test_deadlocks_are_those_of_plain_enumeration():
    from itertools import product

    from oddsmith.solve.lattice.sweep import can_deadlock, deadlocks

    for players in (1, 2, 3):
        track = defect("holds.toml", players=players).track
        by_hand = [
            sum(o * track.size ** (players - 1 - i) for i, o in enumerate(places))
            for places in product(range(track.size), repeat=players)
            if all(track.hold[o] for o in places)
            and len({int(track.square[o]) for o in places}) == players
        ]
        assert deadlocks(track, players).tolist() == by_hand
        assert can_deadlock(track, players) == bool(by_hand)


def test_quantiles_of_games_that_were_played_are_counted():
    assert sample_quantile([(1, 19), (2, 1)], 20, 0.95) == 1
    assert sample_quantile([(1, 1)], 2, 0.95) == Between(2, math.inf)
    assert quantile_in_json(Between(2, math.inf)) == [2, "inf"]
    found = simulate(game("coin-race"), games=500, seed=1)
    assert found.quantile(0.5) == found.quantiles[0.5]
    assert found.unresolved == 0


def test_floats_decide_no_more_than_their_bounds_allow():
    tenths = [(k, 0.1) for k in range(10)]  # 0.1 is above a tenth, the sum of three above 0.3
    assert quantile(tenths, 0.3, 1e-12, 1e-12) == Between(2, 3)
    assert quantile(tenths, 0.31, 1e-12, 1e-12) == 3
    assert quantile([(1, 0.5)], 0.7, 1e-12, 1e-12) == math.inf
    assert quantile([(1, 0.5)], 0.7, 1e-12, 0.4) == Between(2, math.inf)
