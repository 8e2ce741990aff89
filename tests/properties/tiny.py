"""Tiny processes written by hand: the outcomes of every choice of every state."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np

from oddsmith.model.amounts import Amounts, Rewards
from oddsmith.model.model import Model
from oddsmith.model.variables import Layout, Valuations, Variable

Outcomes = Mapping[int, Fraction | int]


def tiny(
    states: Sequence[Sequence[Outcomes]],
    *,
    kind="mdp",
    initial=(0,),
    labels=None,
    rewards=None,
    players=(),
    owner=None,
):
    """A process whose states are 0, 1, … in the variable s; labels are lists of states.

    Rewards are lists of numbers a state, or pairs of such a list and one of numbers a choice.
    """
    choices = [outcomes for one in states for outcomes in one]
    count = len(states)
    layout = Layout([Variable("s", 0, count - 1)])
    named = {"init": list(initial), "deadlock": []} | (labels or {})
    if kind == "mdp" and len(choices) == count:
        kind = "dtmc"
    return Model(
        kind,
        np.cumsum([0] + [len(one) for one in states]),
        np.cumsum([0] + [len(outcomes) for outcomes in choices]),
        np.array([t for outcomes in choices for t in outcomes], np.int32),
        Amounts.of([p for outcomes in choices for p in outcomes.values()]),
        np.array(initial),
        Valuations(layout, layout.pack([np.arange(count)])),
        {name: np.isin(np.arange(count), members) for name, members in named.items()},
        {name: _rewards(value) for name, value in (rewards or {}).items()},
        players=tuple(players),
        owner=None if owner is None else np.array(owner, np.int8),
    )


def _rewards(value):
    if isinstance(value, tuple):
        return Rewards(Amounts.of(value[0]), Amounts.of(value[1]))
    return Rewards(Amounts.of(value))


def f(top, bottom):
    return Fraction(top, bottom)


def die():
    """Knuth and Yao's die: a fair coin makes 1 … 6 in the states 7 … 12."""
    half = f(1, 2)
    tree = [(1, 2), (3, 4), (5, 6), (1, 7), (8, 9), (10, 11), (2, 12)]
    states = [[{a: half, b: half}] for a, b in tree] + [[{s: 1}] for s in range(7, 13)]
    faces = {f"face{i}": [6 + i] for i in range(1, 7)}
    labels = faces | {"done": list(range(7, 13)), "even": [8, 10, 12]}
    return tiny(states, labels=labels, rewards={"flips": [1] * 7 + [0] * 6})


def maze():
    """A decision process: from 0 a sure slow way, or a risky one; 3 is the goal, 4 the trap."""
    return tiny(
        [
            [{1: 1}, {3: f(1, 2), 4: f(1, 4), 0: f(1, 4)}],
            [{2: f(2, 3), 0: f(1, 3)}, {1: 1}],
            [{3: f(3, 4), 4: f(1, 4)}],
            [{3: 1}],
            [{4: 1}],
        ],
        labels={"goal": [3], "trap": [4], "end": [3, 4]},
        rewards={"cost": [1, 2, 1, 0, 0], "both": ([1, 0, 0, 0, 0], [0, 3, 1, 0, 2, 0, 0])},
    )
