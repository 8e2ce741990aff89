"""Mean and variance of a chain's length in fractions, by one system for both.

With T the weights' totals, W the weights between live states, g = 1 where the move counts and else
0, x the mean of the length L from every state and b that of L (L - 1) / 2,

    T x = W x + T g,        T b = W b + g W x,

since a counted move makes of L' moves to come 1 + L', and of L' (L' - 1) / 2 pairs of them L' more.
The variance is 2 b + x - x². Both blocks have T - W on the diagonal and what couples them is not
positive elsewhere, so the whole is an M-matrix like each of them, and its determinant the square of
theirs: fractions have up to twice the digits of the mean's.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from oddsmith.runtime.interrupt import Interrupt
from oddsmith.solve.chain import Chain
from oddsmith.solve.exact.lifted import Way
from oddsmith.solve.exact.linear import Report, solve_at
from oddsmith.solve.exact.rational import as_fraction, flint_fraction
from oddsmith.solve.exact.system import Matrix
from oddsmith.solve.exact.values import system, totals_of, wide


def start_moments(chain: Chain, way: Way) -> tuple[Fraction, Fraction, list[Report]]:
    """Mean and variance of the length from the start, where it is finite, and what they took."""
    place = int(chain.place[chain.model.start])
    if place < 0:
        return Fraction(0), Fraction(0), []
    counts = chain.length.astype(np.int64)
    moves = (totals_of(chain) * counts)[:, None]
    matrix, right, _ = system(chain, np.zeros((chain.model.states, 1), np.int64), moves)
    report = Report()
    with Interrupt() as interrupt:
        both, rights = _both(matrix, counts), np.concatenate([right, np.zeros_like(right)])
        places = [place, chain.size + place]
        way = replace(way, interrupt=interrupt)
        (mean,), (pairs,) = solve_at(both, rights, places, None, way, report)
    x = flint_fraction(mean)
    variance = 2 * flint_fraction(pairs) + x - x * x
    return mean, as_fraction(variance.p, variance.q), [report] if report.unknowns else []


def _both(matrix: Matrix, counts: Any) -> Matrix:
    """The system of means, and below it that of pairs: W again, and W once more onto the means."""
    size = matrix.size
    source = np.repeat(np.arange(size), np.diff(matrix.row))
    counted = counts[source] > 0
    rows = np.concatenate([source, size + source, size + source[counted]])
    col = np.concatenate([matrix.col, size + matrix.col, matrix.col[counted]])
    weight = np.concatenate([matrix.weight, matrix.weight, matrix.weight[counted]])
    order = np.argsort(rows, kind="stable")
    row = np.searchsorted(rows[order], np.arange(2 * size + 1))
    total = wide(np.concatenate([matrix.total, matrix.total]))
    return Matrix(row, col[order], weight[order], total)
