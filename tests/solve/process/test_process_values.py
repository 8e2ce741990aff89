"""Every question about small random processes against all policies, evaluated in fractions."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from tests.solve.process import all_policies as plain

from oddsmith.solve.process.aim import Aim
from oddsmith.solve.process.longrun import long_run
from oddsmith.solve.process.reach import until
from oddsmith.solve.process.rewards import reach_reward, total_reward
from oddsmith.solve.process.steps import bounded_until, cumulative, instantaneous, next_step

SEEDS = range(120)


class Case:
    """A random process, two sets of states, and the questions about them."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.choices, self.earned = plain.random_process(seed, states=rng.choice([3, 4, 5, 6]))
        self.n = n = len(self.choices)
        self.process, self.rewards = plain.make(self.choices, self.earned)
        self.right = np.zeros(n, bool)
        self.right[rng.sample(range(n), rng.choice([1, 1, 2]))] = True
        self.left = np.array([rng.random() < 0.85 for _ in range(n)])
        self.mine = np.array([rng.random() < 0.5 for _ in range(n)])

    def chain(self, picks):
        return [self.choices[s][picks[s]] for s in range(self.n)]

    def earning(self, picks):
        return [self.earned[s][picks[s]] for s in range(self.n)]

    @property
    def questions(self):
        """(name, what a policy is worth, what we say)."""
        stop = {s for s in range(self.n) if self.right[s] or not self.left[s]}
        target = {s for s in range(self.n) if self.right[s]}
        worth = [int(x) for x in self.right]
        return {
            "until": (
                lambda p: plain.chain_reach(self.chain(p), stop, worth),
                lambda aim: until(self.process, self.left, self.right, aim),
            ),
            "reach reward": (
                lambda p: plain.chain_reward(self.chain(p), self.earning(p), target),
                lambda aim: reach_reward(self.process, self.rewards, self.right, aim),
            ),
            "total reward": (
                lambda p: plain.chain_total(self.chain(p), self.earning(p)),
                lambda aim: total_reward(self.process, self.rewards, aim),
            ),
            "long run": (
                lambda p: plain.chain_mean(self.chain(p), self.earning(p)),
                lambda aim: long_run(self.process, self.rewards, aim),
            ),
        }


def holds(found, truth, wide=2e-9):
    """Whether the bounds contain the truth, are close, and agree on what is infinite."""
    return all(
        low <= x <= high
        and math.isinf(x) == math.isinf(high)
        and (math.isinf(x) or high - low <= wide * max(1, x))
        for low, x, high in zip(found.lower, truth, found.upper, strict=True)
    )


@pytest.mark.parametrize("maximise", [True, False])
@pytest.mark.parametrize("question", ["until", "reach reward", "total reward", "long run"])
def test_bounds_contain_the_best_over_all_policies(question, maximise):
    for seed in SEEDS:
        worth, ask = Case(seed).questions[question]
        truth = plain.over_policies(Case(seed).choices, worth, max if maximise else min)
        assert holds(ask(Aim(maximise=maximise)), truth), seed


@pytest.mark.parametrize("maximise", [True, False])
def test_chances_of_zero_and_one_are_known_without_rounding(maximise):
    for seed in SEEDS:
        worth, ask = Case(seed).questions["until"]
        truth = plain.over_policies(Case(seed).choices, worth, max if maximise else min)
        found = ask(Aim(maximise=maximise))
        for s, x in enumerate(truth):
            if x in (0, 1):
                assert found.lower[s] == found.upper[s] == x, seed


@pytest.mark.parametrize("maximise", [True, False])
@pytest.mark.parametrize("question", ["until", "reach reward", "total reward"])
def test_fractions_are_those_of_the_best_policy(question, maximise):
    for seed in SEEDS:
        worth, ask = Case(seed).questions[question]
        truth = plain.over_policies(Case(seed).choices, worth, max if maximise else min)
        assert list(ask(Aim(maximise=maximise, exact=True)).exact) == truth, seed


def test_long_run_means_of_chains_are_fractions():
    for seed in SEEDS:
        case = Case(seed)
        case.choices = [options[:1] for options in case.choices]
        case.process, case.rewards = plain.make(case.choices, case.earned)
        worth, ask = case.questions["long run"]
        assert list(ask(Aim(exact=True)).exact) == worth([0] * case.n), seed


@pytest.mark.parametrize("maximise", [True, False])
@pytest.mark.parametrize("question", ["until", "reach reward", "total reward"])
def test_picks_attain_the_value(question, maximise):
    for seed in SEEDS:
        case = Case(seed)
        worth, ask = case.questions[question]
        found = ask(Aim(maximise=maximise, picks=True))
        if case.process.is_chain:
            assert found.picks is None
            continue
        picks = (found.picks - case.process.choice[:-1]).tolist()
        truth = plain.over_policies(case.choices, worth, max if maximise else min)
        assert worth(picks) == truth, seed


@pytest.mark.parametrize("maximise", [True, False])
@pytest.mark.parametrize("question", ["until", "reach reward"])
def test_games_of_a_coalition_against_the_others(question, maximise):
    best, worst = (max, min) if maximise else (min, max)
    for seed in SEEDS[:60]:
        case = Case(seed)
        worth, ask = case.questions[question]
        truth = plain.over_two(case.choices, worth, case.mine, best, worst)
        found = ask(Aim(maximise=maximise, coalition=case.mine, exact=True))
        assert holds(found, truth, 1e-7), seed
        assert list(found.exact) == truth, seed


@pytest.mark.parametrize("maximise", [True, False])
def test_questions_with_steps(maximise):
    best = max if maximise else min
    for seed in SEEDS:
        case = Case(seed)
        n, choices, left, right = case.n, case.choices, case.left, case.right

        def back(x, earned=None, choices=choices, n=n):
            return [
                best(
                    (earned[s][k] if earned else 0) + sum(p * x[t] for t, p in c.items())
                    for k, c in enumerate(choices[s])
                )
                for s in range(n)
            ]

        aim = Aim(maximise=maximise, exact=True)
        start = [Fraction(int(r)) for r in right]
        x = start
        for _ in range(3):
            step = back(x)
            x = [1 if right[s] else step[s] if left[s] else 0 for s in range(n)]
        for _ in range(2):
            step = back(x)
            x = [step[s] if left[s] else 0 for s in range(n)]
        earned = [Fraction(0)] * n
        for _ in range(4):
            earned = back(earned, case.earned)
        for found, truth in (
            (next_step(case.process, right, aim), back(start)),
            (bounded_until(case.process, left, right, 2, 5, aim), x),
            (cumulative(case.process, case.rewards, 4, aim), earned),
        ):
            assert list(found.exact) == truth, seed
            assert holds(found, truth), seed


def test_the_reward_of_the_state_after_some_steps():
    case = Case(3)
    state = plain.Amounts.of(range(case.n))
    chain, _ = plain.make([options[:1] for options in case.choices])
    found = instantaneous(chain, plain.Rewards(state=state), 2, Aim(exact=True))
    x = [Fraction(s) for s in range(case.n)]
    for _ in range(2):
        x = [sum(p * x[t] for t, p in case.choices[s][0].items()) for s in range(case.n)]
    assert list(found.exact) == x


@pytest.mark.parametrize("n", [10, 200, 3000])
def test_a_fair_gambler_is_solved_however_slow_it_is(n):
    """Gambler's ruin (Feller I, XIV.2): from s the chance is s/n, the duration s (n - s)."""
    half = Fraction(1, 2)
    inner = [[{s - 1: half, s + 1: half}] for s in range(1, n)]
    process, rewards = plain.make([[{0: 1}], *inner, [{n: 1}]], [[1]] * (n + 1))
    top = np.arange(n + 1) == n
    found = until(process, np.ones(n + 1, bool), top, Aim())
    truth = [Fraction(s, n) for s in range(n + 1)]
    assert holds(found, truth, 1e-7)
    ends = top | (np.arange(n + 1) == 0)
    found = reach_reward(process, rewards, ends, Aim())
    assert holds(found, [s * (n - s) for s in range(n + 1)], 1e-6)
