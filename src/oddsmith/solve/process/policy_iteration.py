"""Policy iteration with sparse LU, for components in which sweeps are slow.

Picks are improved until none is better (Howard, Dynamic Programming and Markov Processes, 1960),
beginning with picks by which play surely leaves the component. The solution is moved by a multiple
of the weighted number of steps left, and the result is proved like any other candidate.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.model.process import Bools, Floats, Ints
from oddsmith.solve.process.aim import Aim

IMPROVEMENTS = 200

UNIT = 2.0**-53


def solve_component(
    states: Ints,
    stop: Bools,
    graph: tuple[Any, ...],
    gain: Floats,
    endless: int,
    lower: Floats,
    upper: Floats,
    place: Ints,
    aim: Aim,
) -> bool:
    """Bounds for one component; False if none could be proved (nothing is written then)."""
    from oddsmith.solve.process import kernels, local

    parts = local.prepare(states, *graph, gain, endless, aim.maximise, lower, upper, place)
    member, rows, row, col, p, low, high, down, up, _floor, cap = parts
    size = len(rows) - 1
    if size == 0:
        return True
    if (np.diff(rows) == 0).any():
        return False
    found = _iterate(rows, row, col, p, low, high, aim)
    if found is None:
        return False
    x, y, weight = found
    equations = (rows, row, col, p)
    step = 8 * UNIT
    while step <= 1e-3:
        below = np.maximum(x - step * weight, 0.0)
        above = np.minimum(y + step * weight, cap)
        if kernels.inductive_below(
            *equations, low, down, below, aim.maximise, 30
        ) and kernels.inductive(*equations, high, up, cap, above, aim.maximise, 30):
            kernels.write(member, rows, states, below, above, lower, upper)
            return True
        step *= 2
    return False


def _iterate(
    rows: Ints, row: Ints, col: Ints, p: Floats, low: Floats, high: Floats, aim: Aim
) -> tuple[Floats, Floats, Floats] | None:
    """Solutions for the lower and upper constants under the best picks, and weighted steps."""
    from scipy.sparse import csr_array, eye_array
    from scipy.sparse.linalg import splu

    from oddsmith.solve.process import local

    size, options = len(rows) - 1, len(row) - 1
    all_options = csr_array((p, col, row), shape=(options, size))
    identity = eye_array(size, format="csr")
    pick = local.leaving_picks(rows, row, col, p)
    best = np.maximum if aim.maximise else np.minimum
    sign = 1.0 if aim.maximise else -1.0
    owner = np.repeat(np.arange(size), np.diff(rows))
    for _ in range(IMPROVEMENTS):
        try:
            lu = splu((identity - all_options[pick]).tocsc())
        except RuntimeError:  # singular to working precision
            return None
        x = lu.solve(high[pick])
        if not np.isfinite(x).all():
            return None
        aim.progress.update("policy iteration", 0, None, f"{size:,} unknowns")
        worth = high + all_options @ x
        margin = 1e-13 * np.maximum(1.0, np.abs(x))
        better = sign * (best.reduceat(worth, rows[:-1]) - worth[pick]) > margin
        if options == size or not better.any():
            weight = lu.solve(np.abs(x) + 1e-6 * max(1.0, float(np.abs(x).max())))
            if not np.isfinite(weight).all() or weight.min() < 0:
                return None
            return lu.solve(low[pick]), x, weight
        order = np.lexsort((-sign * worth, owner))
        first = order[rows[:-1]]
        pick = np.where(better, first, pick)
    return None
