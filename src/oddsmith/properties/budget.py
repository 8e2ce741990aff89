"""`F{"cost"}<=K`: reaching something before a reward that is spent exceeds a budget.

Rewards are whole numbers. With a budget of j left, let x_j(s) be the value in s. A choice that
costs c > 0 leads to x_{j-c}, which is known when the budgets are taken in order; choices that
cost nothing stay within the layer j:

    x_j(s) = best over choices of Σ p x_{j-c}(t),  0 if c > j.

So each layer is a reachability question with a worth at its exits, one for every choice that
costs something; the graph is the same in all layers. A state's reward is spent on leaving it.

Reference
---------
A. Hartmanns, S. Junges, J.-P. Katoen and T. Quatmann, Multi-cost bounded reachability in MDP,
    TACAS 2018.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from fractions import Fraction

import numpy as np

from oddsmith.errors import LimitError, OptionError
from oddsmith.model.amounts import Amounts, Bools, Floats, Rewards
from oddsmith.model.dense import Int64s
from oddsmith.model.model import Model
from oddsmith.model.spans import spans
from oddsmith.properties.syntax import Window, whole
from oddsmith.solve.process.aim import Aim, Values
from oddsmith.solve.process.equations import rows_of
from oddsmith.solve.process.reach import terminal, until

UNIT = 2.0**-53

MOST_BUDGET = 100_000
"""Every unit of a budget is a question of its own."""


def within_budget(process: Model, left: Bools, right: Bools, window: Window, aim: Aim) -> Values:
    """The probability of `left U{reward}<=K right`."""
    budget = whole(window.high)
    if budget is None:
        return until(process, left, right, aim)
    if budget > MOST_BUDGET:
        raise LimitError(f"A budget of more than {MOST_BUDGET:,} is too large to be counted down.")
    name = window.reward or ""
    cost = costs(process, process.rewards[name], name)
    layers = _Layers(process, left, right, cost, aim)
    past: deque[Values] = deque(maxlen=int(cost.max(initial=0)) or 1)
    for spent in range(budget + 1):
        past.appendleft(layers.solve(past))
        aim.progress.update("budget", spent, budget)
    return replace(past[0], picks=None, how=f"{budget + 1:,} layers of a budget")


def costs(process: Model, rewards: Rewards, name: str) -> Int64s:
    """What each choice costs; whole numbers from 0 on, or an error."""
    total = np.zeros(process.choices, np.int64)
    if rewards.state is not None:
        total += _whole(rewards.state, name)[process.chooser]
    if rewards.choice is not None:
        total += _whole(rewards.choice, name)
    return total


def _whole(amounts: Amounts, name: str) -> Int64s:
    values = amounts.exact if amounts.exact is not None else [Fraction(x) for x in amounts.values]
    if any(x.denominator != 1 or x < 0 for x in values):
        raise OptionError(f'A budget needs rewards that are whole numbers, and "{name}" are not.')
    return np.array([int(x) for x in values], np.int64)[amounts.index]


class _Layers:
    """One process for all layers: costly choices lead to exits, numbered after the states."""

    def __init__(self, process: Model, left: Bools, right: Bools, cost: Int64s, aim: Aim) -> None:
        open_choice = (left & ~right)[process.chooser]
        self.process, self.right = process, right
        self.costly = np.flatnonzero((cost > 0) & open_choice)
        self.cost = cost[self.costly]
        extra = np.ones(len(self.costly), np.bool_)
        self.layer = _with_exits(process, self.costly)
        self.stop = np.append(right | ~left, extra)
        coalition = None if aim.coalition is None else np.append(aim.coalition, ~extra)
        self.aim = replace(aim, coalition=coalition)

    def solve(self, past: deque[Values]) -> Values:
        """The values with one more to spend than last time."""
        reached = self.right.astype(np.float64)
        lower, upper = (np.append(reached, side) for side in self._exits(past))
        exact = None
        if self.aim.exact:
            exact = [Fraction(int(x)) for x in self.right] + self._exact_exits(past)
        found = terminal(self.layer, self.stop, lower, upper, self.aim, exact)
        n = self.process.states
        known = None if found.exact is None else found.exact[:n]
        return Values(found.lower[:n], found.upper[:n], known)

    def _exits(self, past: deque[Values]) -> tuple[Floats, Floats]:
        """What the costly choices are worth: the mean of the values they lead to."""
        process = self.process
        lower, upper = np.zeros(len(self.costly)), np.zeros(len(self.costly))
        for spent in np.unique(self.cost[self.cost <= len(past)]).tolist():
            these = np.flatnonzero(self.cost == spent)
            choices, there = self.costly[these], past[spent - 1]
            lengths = np.diff(process.row)[choices]
            begin = np.cumsum(lengths) - lengths
            edges = spans(process.row[choices], lengths)
            chance, col = process.chance.values[process.chance.index[edges]], process.col[edges]
            off = (int(lengths.max()) + 4) * UNIT
            lower[these] = np.add.reduceat(chance * there.lower[col], begin) * (1 - off)
            upper[these] = np.add.reduceat(chance * there.upper[col], begin) * (1 + off)
        return lower, np.minimum(upper, 1.0)

    def _exact_exits(self, past: deque[Values]) -> list[Fraction]:
        rows = rows_of(self.process)
        worth = [Fraction(0)] * len(self.costly)
        for i, (c, spent) in enumerate(zip(self.costly.tolist(), self.cost.tolist(), strict=True)):
            if spent <= len(past):
                there = past[spent - 1].exact
                assert there is not None
                worth[i] = sum((p * Fraction(there[t]) for t, p in rows(c)), Fraction(0))
        return worth


def _with_exits(process: Model, costly: Int64s) -> Model:
    """The process in which each of some choices leads to a state of its own, for ever."""
    lengths = np.diff(process.row)
    kept = np.ones(process.choices, np.bool_)
    kept[costly] = False
    new = np.append(np.where(kept, lengths, 1), np.ones(len(costly), np.int64))
    row = np.concatenate([[0], np.cumsum(new)])
    old = np.append(np.repeat(kept, new[: process.choices]), np.zeros(len(costly), np.bool_))
    col, index = np.empty(row[-1], np.int32), np.empty(row[-1], np.int32)
    same = np.repeat(kept, lengths)
    col[old], index[old] = process.col[same], process.chance.index[same]
    exits = process.states + np.arange(len(costly))
    col[~old], index[~old] = np.append(exits, exits), len(process.chance.values)
    exact = process.chance.exact
    chance = Amounts(
        index,
        np.append(process.chance.values, 1.0),
        None if exact is None else [*exact, Fraction(1)],
    )
    choice = np.append(process.choice, process.choices + 1 + np.arange(len(costly)))
    return replace(
        process, choice=choice, row=row, col=col, chances=chance, labels={}, rewards={},
        action=None, owner=None,
    )  # fmt: skip
