"""Bounds of a component in which sweeps are slow, where one side decides: by policy iteration.

Play under the picks surely leaves the component. The solution is moved by a multiple of the
weighted number of steps left, and the result is proved like any other candidate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddsmith.model.amounts import Floats, Ints
from oddsmith.runtime.progress import Progress
from oddsmith.solve.bellman.linear import SELDOM, Solve, linear_solver
from oddsmith.solve.bellman.policy_iteration import IMPROVEMENTS, Component, first, improve
from oddsmith.solve.rounding import UNIT


def solve_component(
    parts: tuple[Any, ...], states: Ints, lower: Floats, upper: Floats, maximise: bool,
    progress: Progress,
) -> bool:  # fmt: skip
    """Bounds for one component, by its equations (`collapse.prepare`); False if none were proved.

    The solution is moved by a multiple of the weighted number of steps left. Nothing is written
    where that proves nothing.
    """
    from oddsmith.solve.bellman import sweeps

    member, rows, row, col, p, out, low, high, down, up, _floor, cap = parts
    if len(rows) == 1:
        return True
    if (np.diff(rows) == 0).any():
        return False
    of = Component(rows, row, col, p, high[:, None], out, maximise=maximise)
    every = np.ones(len(out), bool)
    picks = of.leading_picks(every, rows[:-1])
    found = improve(of, picks, np.zeros(of.nodes), progress, seldom=SELDOM)
    if found is None:
        return False
    solution = Picked.of(of, low, *found)
    for weights, largest in solution.weights():
        step = 8 * UNIT
        while step <= largest:
            below = np.maximum(solution.below - step * weights[0], 0.0)
            above = np.minimum(solution.above + step * weights[1], cap)
            if sweeps.inductive_below(
                rows, row, col, p, low, down, below, maximise, 3
            ) and sweeps.inductive(rows, row, col, p, high, up, cap, above, maximise, 3):
                sweeps.write(member, rows, states, below, above, lower, upper)
                return True
            step *= 2
    return False


@dataclass(eq=False)
class Picked:
    """The best picks of one side, and values under them for both constants."""

    component: Component
    pick: Ints
    below: Floats
    above: Floats
    solve: Solve

    @classmethod
    def of(cls, of: Component, low: Floats, above: Floats, pick: Ints, solve: Solve) -> Picked:
        """With the values for the lower constants."""
        below = solve(low[pick], above)
        return cls(of, pick, above if below is None else below, above, solve)

    def weights(self) -> Iterator[tuple[tuple[Floats, Floats], float]]:
        """Vectors by which the values may be moved to bounds from below and above.

        They are numbers of steps left, weighted with the value: under the picks; and the most
        under any options that are nearly as good, which the side needs on which the picks could
        be left. With each comes the largest multiple that is worth a try.
        """
        of = self.component
        gain = np.abs(self.above) + 1e-6 * max(1.0, float(np.abs(self.above).max()))
        own = self.solve(gain, gain)
        if own is None or own.min() < 0:
            return
        chain = of.options.height == of.nodes
        yield (own, own), 1e-6 if chain else 1e-13
        if chain:
            return
        scale = np.maximum(1.0, np.abs(self.above))
        tight = np.abs(of.worths(self.above) - self.above[of.owner]) <= (1e-6 * scale)[of.owner]
        pick, most = self.pick, own
        for _ in range(IMPROVEMENTS):
            worth = np.where(tight, gain[of.owner] + of.options @ most, -1.0)
            top = np.maximum.reduceat(worth, of.rows[:-1])
            better = top > most * (1 + 1e-9)
            if not better.any():
                break
            pick = np.where(better, first(worth == top[of.owner], of.rows), pick)
            solve = linear_solver(of.options.take(pick), of.out[pick], SELDOM)
            found = None if solve is None else solve(gain, most)
            if found is None or found.min() < 0:
                return
            most = found
        yield ((own, most) if of.maximise else (most, own)), 1e-6
        yield (own, own), 1e-6
