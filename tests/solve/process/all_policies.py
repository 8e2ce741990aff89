"""A plain reference: every policy of a small process, evaluated in fractions."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from math import inf

import numpy as np

from oddsmith.model.amounts import Amounts, Rewards
from oddsmith.model.model import Model
from oddsmith.model.variables import Layout, Valuations, Variable

CHANCES = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 10), Fraction(3, 4)]


def make(choices, rewards=None, kind="mdp", owner=None):
    """A process from lists: for every state its choices, each {state: chance}."""
    choice, row, col, chance, earned = [0], [0], [], [], []
    for s, options in enumerate(choices):
        for k, option in enumerate(options):
            for t, p in option.items():
                col.append(t)
                chance.append(p)
            row.append(len(col))
            earned.append(rewards[s][k] if rewards else 0)
        choice.append(len(row) - 1)
    layout = Layout([Variable("s", 0, len(choices) - 1)])
    chain = all(len(options) == 1 for options in choices)
    process = Model(
        "dtmc" if chain and kind == "mdp" else kind,
        np.array(choice, np.int64),
        np.array(row, np.int64),
        np.array(col, np.int32),
        Amounts.of(chance),
        np.array([0]),
        Valuations(layout, layout.pack([np.arange(len(choices))])),
        players=("one", "two") if kind == "smg" else (),
        owner=None if owner is None else np.array(owner, np.int8),
    )
    return process, Rewards(choice=Amounts.of(earned))


def random_process(seed, states=6, most=3):
    """Lists of choices with loops, end components, dead ends, and rewards of which many are 0."""
    rng = random.Random(seed)
    choices, rewards = [], []
    for s in range(states):
        options, earned = [], []
        for _ in range(rng.choice([1, 1, 2, most])):
            near = rng.sample(range(states), rng.choice([1, 1, 2, 3]))
            if rng.random() < 0.3:
                near = [min(states - 1, s + 1)] + [s] * (rng.random() < 0.5)
            near = list(dict.fromkeys(near))
            weights = [rng.randint(1, 4) for _ in near]
            total = sum(weights)
            options.append({t: Fraction(w, total) for t, w in zip(near, weights, strict=True)})
            earned.append(rng.choice([0, 0, 1, Fraction(5, 2)]))
        choices.append(options)
        rewards.append(earned)
    return choices, rewards


def solve(matrix, right):
    """Gauss–Jordan in fractions."""
    n = len(right)
    rows = [[*matrix[i], right[i]] for i in range(n)]
    for i in range(n):
        pivot = next(k for k in range(i, n) if rows[k][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(n):
            if k != i and rows[k][i] != 0:
                f = rows[k][i]
                rows[k] = [a - f * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [r[n] for r in rows]


def closure(chain, seeds):
    """States of a chain with a path into the seeds."""
    found = set(seeds)
    while True:
        more = {s for s, out in enumerate(chain) if s not in found and found & set(out)}
        if not more:
            return found
        found |= more


def chain_reach(chain, stop, worth):
    """The expected worth of the stopping state in every state; nothing if play never stops."""
    n = len(chain)
    loose = [{} if s in stop else chain[s] for s in range(n)]
    able = closure(loose, {s for s in stop if worth[s] > 0})
    unknown = [s for s in range(n) if s in able and s not in stop]
    number = {s: i for i, s in enumerate(unknown)}
    matrix, right = [], []
    for s in unknown:
        line = [Fraction(int(s == t)) for t in unknown]
        given = Fraction(0)
        for t, p in chain[s].items():
            if t in number:
                line[number[t]] -= p
            elif t in stop:
                given += p * worth[t]
        matrix.append(line)
        right.append(given)
    x = solve(matrix, right) if unknown else []
    return [
        Fraction(worth[s]) if s in stop else (x[number[s]] if s in number else Fraction(0))
        for s in range(n)
    ]


def chain_reward(chain, earned, target):
    """What is earned before the target; infinite where it may be missed."""
    n = len(chain)
    chance = chain_reach(chain, target, [1] * n)
    sure = [s for s in range(n) if chance[s] == 1 and s not in target]
    number = {s: i for i, s in enumerate(sure)}
    matrix, right = [], []
    for s in sure:
        line = [Fraction(int(s == t)) for t in sure]
        for t, p in chain[s].items():
            if t in number:
                line[number[t]] -= p
        matrix.append(line)
        right.append(Fraction(earned[s]))
    x = solve(matrix, right) if sure else []
    return [
        Fraction(0) if s in target else (x[number[s]] if s in number else inf) for s in range(n)
    ]


def chain_total(chain, earned):
    """What is earned for ever."""
    n = len(chain)
    earning = {s for s in range(n) if earned[s] > 0}
    idle = set(range(n)) - closure(chain, earning)
    return chain_reward(chain, earned, idle)


def over_policies(choices, evaluate, best, fixed=None):
    """The best value of every state over all memoryless deterministic policies.

    `evaluate` takes the picks. In a game, `fixed` are the states whose picks are given.
    """
    found = None
    for picks in product(*(range(len(o)) for o in choices)):
        values = evaluate(picks)
        found = (
            values if found is None else [best(a, b) for a, b in zip(found, values, strict=True)]
        )
    return found


def chain_mean(chain, earned):
    """The mean reward a step in the long run, from every state of a chain."""
    n = len(chain)
    before = [closure(chain, {s}) for s in range(n)]
    after = [{t for t in range(n) if s in before[t]} for s in range(n)]
    mean = {}
    for s in range(n):
        if s in mean or not after[s] <= before[s]:
            continue
        states = sorted(after[s])
        matrix = [[Fraction(int(i == j)) - chain[i].get(j, 0) for i in states] for j in states]
        matrix[0] = [Fraction(1)] * len(states)
        shares = solve(matrix, [Fraction(1)] + [Fraction(0)] * (len(states) - 1))
        value = sum((p * earned[t] for p, t in zip(shares, states, strict=True)), Fraction(0))
        mean.update(dict.fromkeys(states, value))
    return chain_reach(chain, set(mean), [mean.get(s, 0) for s in range(n)])


def over_two(choices, evaluate, mine, best, worst):
    """The value of a game: the best for one side over the worst that the other can do."""
    n = len(choices)
    found = None
    for ours in product(*(range(len(choices[s])) if mine[s] else [0] for s in range(n))):
        inner = None
        for theirs in product(*([0] if mine[s] else range(len(choices[s])) for s in range(n))):
            picks = [ours[s] if mine[s] else theirs[s] for s in range(n)]
            values = evaluate(picks)
            inner = values if inner is None else list(map(worst, inner, values))
        found = inner if found is None else list(map(best, found, inner))
    return found
