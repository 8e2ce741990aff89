"""Every path operator and reward goal, in every state of random processes, by definition."""

import random
from fractions import Fraction

import numpy as np
import pytest
from tests.properties.property_reference import Reference
from tests.properties.tiny import tiny

from oddsmith.properties.check import check

SEEDS = range(12)


def random_process(seed, choices=2):
    rng = random.Random(seed)
    n = 5
    states = []
    for _ in range(n):
        options = []
        for _ in range(rng.randint(1, choices)):
            targets = rng.sample(range(n), rng.randint(1, 3))
            weights = [rng.randint(1, 4) for _ in targets]
            total = sum(weights)
            options.append({t: Fraction(w, total) for t, w in zip(targets, weights, strict=True)})
        states.append(options)
    count = sum(len(options) for options in states)
    state_rewards = [rng.randint(0, 3) for _ in range(n)]
    choice_rewards = [rng.randint(0, 2) for _ in range(count)]
    labels = {
        "a": [s for s in range(n) if rng.random() < 0.7],
        "b": [s for s in range(n) if rng.random() < 0.35],
    }
    return tiny(
        states, labels=labels, rewards={"r": (state_rewards, choice_rewards)}, initial=range(n)
    )


def agrees(process, text, expected):
    """Fractions are equal and bounds hold the truth, in every state."""
    exact = [one.exact if one.exact is not None else one.value for _, one in answers(process, text)]
    assert exact == list(expected), text
    found = check(process, text).answer
    for (_, one), truth in zip(found, expected, strict=True):
        assert one.lower <= truth <= one.upper, text
        assert truth == float("inf") or one.upper - one.lower < 1e-8 * max(1, truth), text


def answers(process, text):
    return check(process, text, exact=True).answer


def sets(process):
    return process.labels["a"].tolist(), process.labels["b"].tolist()


def no(xs):
    return [not x for x in xs]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("optimum", ["min", "max"])
def test_unbounded_operators(seed, optimum):
    process = random_process(seed)
    reference, most = Reference(process), optimum == "max"
    a, b = sets(process)
    everywhere = [True] * process.states
    agrees(process, f'P{optimum}=? [ F "b" ]', reference.until(everywhere, b, most))
    agrees(process, f'P{optimum}=? [ "a" U "b" ]', reference.until(a, b, most))
    agrees(process, f'P{optimum}=? [ X "b" ]', reference.step([Fraction(x) for x in b], most))
    always = [1 - x for x in reference.until(everywhere, no(b), not most)]
    agrees(process, f'P{optimum}=? [ G "b" ]', always)
    agrees(process, f'P{optimum}=? [ !(F !"b") ]', always)
    released = [1 - x for x in reference.until(no(a), no(b), not most)]
    agrees(process, f'P{optimum}=? [ "a" R "b" ]', released)
    kept = [x and not y for x, y in zip(a, b, strict=True)]
    neither = [not x and not y for x, y in zip(a, b, strict=True)]
    weakly = [1 - x for x in reference.until(kept, neither, not most)]
    agrees(process, f'P{optimum}=? [ "a" W "b" ]', weakly)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("optimum", ["min", "max"])
def test_windows_of_steps(seed, optimum):
    process = random_process(seed)
    reference, most = Reference(process), optimum == "max"
    a, b = sets(process)
    everywhere = [True] * process.states

    def bounded(left, right, low, high):
        return reference.bounded_until(left, right, low, high, most)

    agrees(process, f'P{optimum}=? [ F<=3 "b" ]', bounded(everywhere, b, 0, 3))
    agrees(process, f'P{optimum}=? [ F<3 "b" ]', bounded(everywhere, b, 0, 2))
    agrees(process, f'P{optimum}=? [ F=2 "b" ]', bounded(everywhere, b, 2, 2))
    agrees(process, f'P{optimum}=? [ F[1,4] "b" ]', bounded(everywhere, b, 1, 4))
    agrees(process, f'P{optimum}=? [ "a" U<=4 "b" ]', bounded(a, b, 0, 4))
    always = [1 - x for x in reference.bounded_until(everywhere, no(b), 1, 3, not most)]
    agrees(process, f'P{optimum}=? [ G[1,3] "b" ]', always)
    agrees(process, f'P{optimum}=? [ F>=2 "b" ]', reference.until_from(everywhere, b, 2, most))
    agrees(process, f'P{optimum}=? [ F>2 "b" ]', reference.until_from(everywhere, b, 3, most))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("optimum", ["min", "max"])
def test_weak_until_and_release_within_steps(seed, optimum):
    """`a W<=3 b`: a until b, or for three steps; `a R<=3 b`: b up to and with a, or so long."""
    process = random_process(seed)
    reference, most = Reference(process), optimum == "max"
    a, b = sets(process)

    def backward(decide):
        later = [decide(s, Fraction(1)) for s in range(process.states)]
        for _ in range(3):
            moved = reference.step(later, most)
            later = [decide(s, moved[s]) for s in range(process.states)]
        return later

    weak = backward(lambda s, on: Fraction(1) if b[s] else on if a[s] else Fraction(0))
    agrees(process, f'P{optimum}=? [ "a" W<=3 "b" ]', weak)
    release = backward(lambda s, on: Fraction(0) if not b[s] else Fraction(1) if a[s] else on)
    agrees(process, f'P{optimum}=? [ "a" R<=3 "b" ]', release)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("optimum", ["min", "max"])
def test_until_may_end_outside_its_left_side(seed, optimum):
    """`a U[2,3] b` may end at step 2 in a state of b that is none of a."""
    process = random_process(seed)
    reference, most = Reference(process), optimum == "max"
    a, b = sets(process)
    expected = reference.bounded_until(a, b, 2, 3, most)
    agrees(process, f'P{optimum}=? [ "a" U[2,3] "b" ]', expected)
    agrees(process, f'P{optimum}=? [ "a" U>=2 "b" ]', reference.until_from(a, b, 2, most))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("optimum", ["min", "max"])
def test_rewards(seed, optimum):
    process = random_process(seed)
    reference, most = Reference(process), optimum == "max"
    _, b = sets(process)
    rewards = process.rewards["r"]

    def gain(s, c):
        return rewards.state.fraction(s) + rewards.choice.fraction(c)

    agrees(process, f'R{optimum}=? [ F "b" ]', reference.reach_reward(gain, b, most))
    agrees(process, f"R{optimum}=? [ C<=4 ]", reference.cumulative(gain, 4, most))
    agrees(process, f"R{optimum}=? [ C<4 ]", reference.cumulative(gain, 3, most))
    reward = [rewards.state.fraction(s) for s in range(process.states)]
    agrees(process, f"R{optimum}=? [ I=3 ]", reference.instant(reward, 3, most))


@pytest.mark.parametrize("seed", SEEDS)
def test_long_run_of_chains(seed):
    process = random_process(seed, choices=1)
    reference = Reference(process)
    matrix = np.zeros((process.states, process.states))
    for s, [row] in enumerate(reference.choices):
        for t, p in row:
            matrix[s, t] += float(p)
    lazy = (matrix + np.eye(process.states)) / 2
    limit = np.linalg.matrix_power(lazy, 2**16)
    _, b = sets(process)
    for (_, one), expected in zip(check(process, 'S=? [ "b" ]').answer, limit @ b, strict=True):
        assert one.lower - 1e-9 <= expected <= one.upper + 1e-9
