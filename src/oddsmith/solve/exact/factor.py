# mypy: disable-error-code="untyped-decorator"
"""A matrix factored modulo a prime: sparse lower and upper factors around a dense inverse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from oddsmith.solve.exact import dense
from oddsmith.solve.exact.eliminate import eliminate, gather

DENSE_SHARE = 0.3
"""When so much of what is left is no zero, the rest is inverted as a dense matrix.

Measured: a dense entry takes half the memory of a sparse one and a fiftieth of the time to make."""


@dataclass(frozen=True, eq=False)
class Factors:
    """The factors of a matrix; unknowns are numbered in the order of their elimination."""

    prime: int
    order: Any
    pivots: Any
    """The inverses of the pivots of the unknowns that were eliminated."""
    lower: tuple[Any, Any, Any]
    upper: tuple[Any, Any, Any]
    rest: tuple[Any, Any, Any]
    """What was left, as sparse rows."""

    @property
    def dense_size(self) -> int:
        """The number of unknowns that were left to dense algebra."""
        return len(self.rest[0]) - 1

    @property
    def entries(self) -> int:
        """The numbers that a solution reads: of both factors and of the dense inverse."""
        return len(self.lower[1]) + len(self.upper[1]) + self.dense_size**2


def factor(
    row: Any, col: Any, value: Any, p: int, first: int, density: float = DENSE_SHARE
) -> Factors | None:
    """Factor a sparse matrix of residues; None where a pivot vanishes modulo this prime."""
    order, done, start, length, cols, values, pivots, ends, below, factors = eliminate(
        row, col, value, p, density, first
    )
    if done < 0:
        return None
    lists = gather(order, done, start, length, cols, values, ends, below, factors)
    return Factors(p, order, pivots[order[:done]], lists[0:3], lists[3:6], lists[6:9])


def dense_inverse(factors: Factors) -> Any | None:
    """The inverse of the dense rest as uint32, or None where it has none modulo this prime."""
    size = factors.dense_size
    row, col, value = factors.rest
    matrix = np.zeros((size, size), np.int64)
    matrix[np.repeat(np.arange(size), np.diff(row)), col] = value
    return matrix.astype(np.uint32) if dense.invert(matrix, factors.prime) else None


@njit(cache=True, nogil=True)
def solve(
    b: Any, p: int, pivots: Any, low_row: Any, low_col: Any, low_value: Any,
    up_row: Any, up_col: Any, up_value: Any, inverse: Any, spare: Any,
) -> None:  # fmt: skip
    """Replace b (unknowns × columns, residues in the order of elimination) by the solution.

    Sums of products are kept in [0, p²): a product is subtracted, and p² added where that made
    it negative. In the dense part, low and high halves of the products are summed apart.
    """
    n, columns, done = b.shape[0], b.shape[1], len(pivots)
    square = p * p
    for i in range(n):
        for q in range(columns):
            sum_ = b[i, q]
            for e in range(low_row[i], low_row[i + 1]):
                sum_ -= np.int64(low_value[e]) * b[low_col[e], q]
                sum_ += (sum_ >> 63) & square
            sum_ %= p
            b[i, q] = sum_ * pivots[i] % p if i < done else sum_
    size = n - done
    for q in range(columns):
        for j in range(size):
            spare[q, j] = b[done + j, q]
    for i in range(size):
        for q in range(columns):
            low, high = np.uint64(0), np.uint64(0)
            for j in range(size):
                product = np.uint64(inverse[i, j]) * spare[q, j]
                low += product & np.uint64(0xFFFFFFFF)
                high += product >> np.uint64(32)
            residue = np.int64(high % np.uint64(p)) << 32
            b[done + i, q] = (residue % p + np.int64(low % np.uint64(p))) % p
    for k in range(done - 1, -1, -1):
        for q in range(columns):
            sum_ = b[k, q]
            for e in range(up_row[k], up_row[k + 1]):
                sum_ -= np.int64(up_value[e]) * b[up_col[e], q]
                sum_ += (sum_ >> 63) & square
            b[k, q] = sum_ % p
