"""Infinite rewards: decided by the graph, never by numbers nor by where an iteration began."""

from fractions import Fraction
from math import inf
from pathlib import Path

import numpy as np
import pytest
from tests.solve.process.all_policies import make

from oddsmith.properties.ask import check as ask
from oddsmith.properties.check import check
from oddsmith.solve.process import one_side
from oddsmith.solve.process.aim import Aim
from oddsmith.solve.process.rewards import reach_reward, total_reward

DEFECTS = Path(__file__).parents[2] / "data" / "defects"
f = Fraction


def answers(name, *properties, exact=False):
    found = ask(DEFECTS / name, *properties, exact=exact)
    return [one.answer for one in found]


def rare_chain():
    """inf443.prism by hand: from s=7 with one half to the end, else round 3, 5, 4.

    Let a = x(4), with x(3) = 1 + x(5), x(5) = 1 + (x(4) + 4000000 x(3)) / 4000001 and
    x(4) = 1 + (7e9 x(5) + x(6)) / (7e9 + 1), x(6) = 1 + x(7), x(7) = 1 + x(3) / 2.
    """
    # x5 = 1 + (a + 4000000 (1 + x5)) / 4000001  =>  x5 = 8000001 + a
    # a (7e9+1) = 7e9+1 + 7e9 (8000001 + a) + 1 + 1 + (8000002 + a) / 2
    many = 7 * 10**9
    a = (f(many + 1) + many * f(8000001) + 2 + f(8000002, 2)) / (1 - f(1, 2))
    x3 = 8000002 + a
    x7 = 1 + x3 / 2
    # x0 = 1 + (7000/7008) (1 + x0) + (8/7008) x7
    return (1 + f(7000, 7008) + f(8, 7008) * x7) / f(8, 7008)


def test_a_finite_reward_that_floats_cannot_tell_from_infinity():
    exact = answers("inf443.prism", 'R{"r"}=? [ F s>=8 ]', exact=True)[0].exact
    assert exact == rare_chain()
    certified = answers("inf443.prism", 'R{"r"}=? [ F s>=8 ]')[0]
    assert certified.lower <= exact <= certified.upper < inf
    assert certified.upper - certified.lower <= 1e-6 * float(exact)


@pytest.mark.parametrize("exact", [False, True])
def test_policy_iteration_begins_with_picks_that_arrive(exact):
    (found,) = answers("inf_min.prism", 'R{"r"}min=? [ F s=4 ]', exact=exact)
    assert found.lower == found.upper == 0


@pytest.mark.parametrize("cost", [0, 1])
def test_fractions_begin_with_picks_that_arrive(cost):
    # Waiting in 1 costs nothing; leaving it costs, and arrives: the value is `cost`.
    process, rewards = make(
        [[{1: f(1)}], [{1: f(1)}, {2: f(1, 10**12), 0: 1 - f(1, 10**12)}], [{2: f(1)}]],
        [[0], [0, cost], [0]],
    )
    goal = np.array([False, False, True])
    found = reach_reward(process, rewards, goal, Aim(maximise=False, exact=True))
    assert list(found.exact) == [cost * 10**12, cost * 10**12, 0]


@pytest.mark.parametrize("exact", [False, True])
def test_total_rewards_ask_who_decides_not_who_asks(exact):
    both = ['<<blue>> R{"r"}max=? [ C ]', '<<red>> R{"r"}min=? [ C ]']
    assert [a.upper for a in answers("smg_min.prism", *both, exact=exact)] == [0, 0]
    other = ['<<red>> R{"r"}max=? [ C ]', '<<blue>> R{"r"}min=? [ C ]']
    assert [a.lower for a in answers("smg_min.prism", *other, exact=exact)] == [inf, inf]


def test_what_is_not_proved_is_not_called_infinite():
    values = one_side.Values(np.array([2.0]), np.array([inf]))
    process, _ = make([[{0: f(1)}]])
    from oddsmith.properties.answer import answer_in

    answer = answer_in(values, 0, process)
    assert (answer.value, str(answer)) == (2.0, "at least 2.0")


def test_an_unproved_bound_outside_makes_nothing_infinite(monkeypatch):
    """Two slow components, one after the other, with fractions out of reach for the first."""
    tiny = f(1, 10**16)
    process, rewards = make(
        [
            [{1: f(1)}],
            [{0: f(1, 2), 2: f(1, 2)}],
            [{3: f(1)}],
            [{2: 1 - tiny, 4: tiny}],
            [{4: f(1)}],
        ],
        [[1], [1], [1], [1], [0]],
    )
    from oddsmith.questions import limits

    monkeypatch.setattr(limits, "SMALL_STATES", 0)
    goal = np.array([False] * 4 + [True])
    found = reach_reward(process, rewards, goal, Aim(maximise=False))
    assert np.isfinite(found.lower).all()
    assert (found.upper >= 2e16).tolist() == [True] * 4 + [False]
    monkeypatch.undo()
    found = reach_reward(process, rewards, goal, Aim(maximise=False))
    truth = 2 * 10**16
    for s, more in enumerate([4, 3, 0, -1]):
        assert found.lower[s] <= truth + more <= found.upper[s] < 1.001 * truth


def test_totals_of_a_game_with_two_who_decide():
    """One earns 1 a step in state 0 until two lets it end; two can go on, which is infinite.

    0 (one): earn 1 and go to 1, or earn 5 and stop. 1 (two): back to 0 for 1, or stop for 3.
    One who goes on gets 1 + min(1 + x0, 3): x0 = max(5, 4) = 5.
    """
    process, rewards = make(
        [[{1: f(1)}, {2: f(1)}], [{0: f(1)}, {2: f(1)}], [{2: f(1)}]],
        [[1, 5], [1, 3], [0]],
        kind="smg",
        owner=[0, 1, 0],
    )
    one = np.array([True, False, True])
    for exact in (False, True):
        found = total_reward(process, rewards, Aim(coalition=one, exact=exact))
        for s, value in enumerate([5, 3, 0]):
            assert found.lower[s] <= value <= found.upper[s] <= value + 1e-6
        assert not exact or list(found.exact) == [5, 3, 0]
    # The other way round: one wants little, two wants much and goes round for ever unless ended.
    found = total_reward(process, rewards, Aim(maximise=False, coalition=one, exact=True))
    assert list(found.exact) == [5, 6, 0]


def test_check_says_the_same_of_both_sides():
    process, rewards = make(
        [[{1: f(1)}, {2: f(1)}], [{0: f(1)}, {2: f(1)}], [{2: f(1)}]],
        [[0, 5], [0, 3], [0]],
        kind="smg",
        owner=[0, 1, 0],
    )
    from dataclasses import replace

    labels = {"init": np.array([True, False, False]), "deadlock": np.zeros(3, bool)}
    process = replace(process, rewards={"r": rewards}, labels=labels)
    # Who wants little can stay in 0 and 1 for nothing, so the other takes what there is at once.
    assert check(process, '<<one>> R{"r"}max=? [ C ]', exact=True).answer.exact == 5
    assert check(process, '<<two>> R{"r"}min=? [ C ]', exact=True).answer.exact == 5
    assert check(process, '<<two>> R{"r"}max=? [ C ]', exact=True).answer.exact == 3
    assert check(process, '<<one>> R{"r"}min=? [ C ]', exact=True).answer.exact == 3


@pytest.mark.parametrize("exact", [False, True])
def test_infinite_totals_of_games_are_seen_beside_large_ones(exact):
    """Blue may stay in s=1 and earn 1 for ever; going on is worth 10^12, beside which 1 is nothing.

    From s=0 red comes there with chance 1/4 whatever it does, so neither side's total is finite.
    """
    asked = ['<<red>> R{"r"}min=? [ C ]', '<<blue>> R{"r"}max=? [ C ]']
    for found in answers("endless_earning.prism", *asked, exact=exact):
        assert found.lower == found.value == inf


def random_game(rng):
    """A game of at most five states with chances down to 10^-12, and what choices earn."""
    size = rng.randint(2, 5)
    rows, gains = [], []
    for s in range(size):
        rows.append([])
        gains.append([])
        for _ in range(rng.choice([1, 2, 2])):
            targets = rng.sample(range(size), min(size, rng.choice([1, 1, 2])))
            weights = [rng.choice([1, 1, 10**12]) for _ in targets]
            rows[s].append({t: f(w, sum(weights)) for t, w in zip(targets, weights, strict=True)})
            gains[s].append(rng.choice([0, 0, 1]))
    return rows, gains, [rng.randint(0, 1) for _ in range(size)]


def is_infinite(rows, gains, picks):
    """By the graph of a chain: whether, from each state, it may come to earn again and again."""
    after = [set(rows[s][picks[s]]) for s in range(len(rows))]
    for _ in rows:
        after = [a.union(*(after[t] for t in a)) for a in after]
    recurrent = [all(s in after[t] for t in after[s]) for s in range(len(rows))]
    return [
        any(recurrent[t] and gains[t][picks[t]] > 0 for t in after[s]) for s in range(len(rows))
    ]


@pytest.mark.parametrize("seed", range(60))
def test_infinite_totals_of_random_games(seed):
    """Finite or not, against the enumeration of all pairs of policies."""
    import random
    from itertools import product

    rows, gains, owner = random_game(random.Random(seed))
    states = range(len(rows))
    mine, others = (
        list(product(*(range(len(rows[s])) if owner[s] == p else [0] for s in states)))
        for p in (0, 1)
    )
    truth = [
        any(
            all(
                is_infinite(rows, gains, [a[t] if owner[t] == 0 else b[t] for t in states])[s]
                for b in others
            )
            for a in mine
        )
        for s in states
    ]
    process, rewards = make(rows, gains, kind="smg", owner=owner)
    one = np.array([p == 0 for p in owner])
    found = total_reward(process, rewards, Aim(coalition=one))
    assert np.isinf(found.lower).tolist() == truth
