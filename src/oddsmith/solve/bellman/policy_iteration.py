"""Policy iteration with sparse LU, for components in which sweeps are slow.

Picks are improved until none is better (Howard, Dynamic Programming and Markov Processes, 1960),
beginning with picks by which play surely leaves the component. The solution is moved by a multiple
of the weighted number of steps left, and the result is proved like any other candidate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddsmith.model.amounts import Bools, Floats, Ints
from oddsmith.runtime.progress import Progress
from oddsmith.solve.bellman.linear import SELDOM, Solve, linear_solver
from oddsmith.solve.factors import Rows
from oddsmith.solve.rounding import UNIT

IMPROVEMENTS = 200


def solve_component(
    parts: tuple[Any, ...], states: Ints, lower: Floats, upper: Floats, maximise: bool,
    progress: Progress,
) -> bool:  # fmt: skip
    """Bounds for one component, by its equations (`collapse.prepare`); False if none were proved.

    Nothing is written then.
    """
    from oddsmith.solve.bellman import sweeps

    member, rows, row, col, p, out, low, high, down, up, _floor, cap = parts
    if len(rows) == 1:
        return True
    if (np.diff(rows) == 0).any():
        return False
    found = _iterate(rows, row, col, p, out, low, high, maximise, progress)
    if found is None:
        return False
    for weights, largest in found.weights():
        step = 8 * UNIT
        while step <= largest:
            below = np.maximum(found.below - step * weights[0], 0.0)
            above = np.minimum(found.above + step * weights[1], cap)
            if sweeps.inductive_below(
                rows, row, col, p, low, down, below, maximise, 3
            ) and sweeps.inductive(rows, row, col, p, high, up, cap, above, maximise, 3):
                sweeps.write(member, rows, states, below, above, lower, upper)
                return True
            step *= 2
    return False


@dataclass(eq=False)
class Solution:
    """The best picks, and values under them for both constants."""

    rows: Ints
    options: Rows
    """One row an option: its outcomes."""
    out: Floats
    """The chance of each option to leave."""
    pick: Ints
    below: Floats
    above: Floats
    worth: Floats
    """What each option is worth."""
    solve: Solve
    maximise: bool

    def weights(self) -> Iterator[tuple[tuple[Floats, Floats], float]]:
        """Vectors by which the values may be moved to bounds from below and above.

        They are numbers of steps left, weighted with the value: under the picks; and the most
        under any options that are nearly as good, which the side needs on which the picks could
        be left. With each comes the largest multiple that is worth a try.
        """
        gain = np.abs(self.above) + 1e-6 * max(1.0, float(np.abs(self.above).max()))
        own = self.solve(gain, gain)
        if own is None or own.min() < 0:
            return
        chain = self.options.height == len(self.rows) - 1
        yield (own, own), 1e-6 if chain else 1e-13
        if chain:
            return
        size = len(self.rows) - 1
        owner = np.repeat(np.arange(size), np.diff(self.rows))
        scale = np.maximum(1.0, np.abs(self.above))
        tight = np.abs(self.worth - self.above[owner]) <= (1e-6 * scale)[owner]
        pick, most = self.pick, own
        for _ in range(IMPROVEMENTS):
            worth = np.where(tight, gain[owner] + self.options @ most, -1.0)
            top = np.maximum.reduceat(worth, self.rows[:-1])
            better = top > most * (1 + 1e-9)
            if not better.any():
                break
            pick = np.where(better, _first(worth == top[owner], self.rows), pick)
            solve = linear_solver(self.options.take(pick), self.out[pick], SELDOM)
            found = None if solve is None else solve(gain, most)
            if found is None or found.min() < 0:
                return
            most = found
        yield ((own, most) if self.maximise else (most, own)), 1e-6
        yield (own, own), 1e-6


def _iterate(
    rows: Ints, row: Ints, col: Ints, p: Floats, out: Floats, low: Floats, high: Floats,
    maximise: bool, progress: Progress,
) -> Solution | None:  # fmt: skip
    """The best picks, by Howard's improvement."""
    from oddsmith.solve.bellman import collapse

    size, options = len(rows) - 1, len(row) - 1
    all_options = Rows(row, col, p, size)
    pick = collapse.leaving_picks(rows, row, col, p)
    best = np.maximum if maximise else np.minimum
    sign = 1.0 if maximise else -1.0
    owner = np.repeat(np.arange(size), np.diff(rows))
    x = np.zeros(size)
    for made in range(IMPROVEMENTS):
        progress.update("policy iteration", made, None, f"{size:,} unknowns")
        solve = linear_solver(all_options.take(pick), out[pick], SELDOM)
        found = None if solve is None else solve(high[pick], x)
        if solve is None or found is None:
            return None
        x = found
        worth = high + all_options @ x
        margin = 1e-13 * np.maximum(1.0, np.abs(x))
        top = best.reduceat(worth, rows[:-1])
        better = sign * (top - worth[pick]) > margin
        if options == size or not better.any():
            below = solve(low[pick], x)
            if below is None:
                return None
            return Solution(rows, all_options, out, pick, below, x, worth, solve, maximise)
        pick = np.where(better, _first(worth == top[owner], rows), pick)
    return None


def _first(right: Bools, rows: Ints) -> Ints:
    """The first option of each row that is right; there is one."""
    places = np.nonzero(right)[0]
    return places[np.searchsorted(places, rows[:-1])]
