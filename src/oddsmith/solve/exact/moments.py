"""Mean and variance of what a chain earns, in fractions, by one system for both.

With T the weights' totals, W the weights between live states, g ≥ 0 what the move in each of them
earns, x the mean of the sum L from every state and w that of L²,

    T x = W x + T g,        T w = W w + 2 g W x + T g²,

since (g + L')² = g² + 2 g L' + L'². The variance is w - x². Both blocks have T - W on the diagonal,
and what couples them is -2 g W ≤ 0, so the whole is an M-matrix like each of them, and its
determinant the square of theirs: fractions have up to twice the digits of the mean's.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from oddsmith.results.answer import Answer
from oddsmith.results.lengths import Moments
from oddsmith.runtime.interrupt import Interrupt
from oddsmith.solve.chain import Chain
from oddsmith.solve.exact.lifted import LiftingPlan
from oddsmith.solve.exact.linear import Report, solve_at
from oddsmith.solve.exact.rational import as_fraction, flint_fraction
from oddsmith.solve.exact.system import Matrix
from oddsmith.solve.exact.values import system, totals_of, wide


def start_moments(chain: Chain, gain: Any, plan: LiftingPlan) -> tuple[Moments, list[Report]]:
    """Mean and variance from the start of what is earned, and what they took.

    `gain` is a whole number for each place: rewards in fractions are brought to one denominator.
    """
    place = int(chain.place[chain.model.start])
    if place < 0:
        return Moments(*[Answer.of_fraction(Fraction(0))] * 3), []
    gain = np.array([int(g) for g in gain], object)
    first = totals_of(chain) * gain
    matrix, right, _ = system(
        chain, np.zeros((chain.model.states, 1), np.int64), np.column_stack([first])
    )
    report = Report()
    with Interrupt() as interrupt:
        rights = np.concatenate([right, wide((first * gain)[:, None])])
        places = [place, chain.size + place]
        plan = replace(plan, interrupt=interrupt)
        (mean,), (square,) = solve_at(_both(matrix, gain), rights, places, None, plan, report)
    x = flint_fraction(mean)
    variance = flint_fraction(square) - x * x
    exact = as_fraction(variance.p, variance.q)
    found = Moments(Answer.of_fraction(mean), Answer.of_fraction(exact), Answer.root_of(exact))
    return found, [report] if report.unknowns else []


def _both(matrix: Matrix, gain: Any) -> Matrix:
    """The system of means, and below it that of squares: W again, and 2 g W onto the means."""
    size = matrix.size
    source = np.repeat(np.arange(size), np.diff(matrix.row))
    earning = gain[source] > 0
    coupled = 2 * gain[source[earning]] * matrix.weight[earning]
    rows = np.concatenate([source, size + source, size + source[earning]])
    col = np.concatenate([matrix.col, size + matrix.col, matrix.col[earning]])
    weight = wide(np.concatenate([matrix.weight, matrix.weight, coupled]))
    order = np.argsort(rows, kind="stable")
    row = np.searchsorted(rows[order], np.arange(2 * size + 1))
    total = wide(np.concatenate([matrix.total, matrix.total]))
    return Matrix(row, col[order], weight[order], total)
