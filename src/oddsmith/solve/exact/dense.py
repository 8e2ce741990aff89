# mypy: disable-error-code="untyped-decorator"
"""The inverse of a dense matrix modulo a prime, by matrix products in floating point.

Blocked Gauss-Jordan elimination in place: all its work is products of panels. A residue a < 2³¹ is
cut into a₁ 2¹⁶ + a₀; the products of such halves are below 2³², so sums of up to 2²⁰ of them are
exact in float64, and four calls of the fastest routine of any machine, dgemm, give a product
modulo p (J.-G. Dumas, P. Giorgi, C. Pernet, ACM Trans. Math. Softw. 35 (2008) 19). There is no
pivoting: see `eliminate`.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.solve.exact.modular import inverse

WIDE, NARROW, TINY = 256, 32, 32
"""Widths of a panel: of large matrices, of small ones; and the size that is inverted directly."""

STRIP = 4096
"""Rows whose products are in memory at a time."""


Watch = Callable[[int, int], None]

_ONE_AT_A_TIME = Lock()
"""dgemm uses all processors; two at a time would wait for each other."""


def invert(matrix: Any, p: int, watch: Watch | None = None) -> bool:
    """Invert an int64 matrix of residues in place; False where a pivot vanishes modulo p.

    `watch` is told how many rows are done, and may raise to stop it.
    """
    with _ONE_AT_A_TIME:
        return _invert(matrix, p, watch)


def _invert(matrix: Any, p: int, watch: Watch | None = None) -> bool:
    size = len(matrix)
    if size <= TINY:
        return bool(invert_directly(matrix, p))
    width = WIDE if size > 2 * WIDE else NARROW
    for first in range(0, size, width):
        if watch is not None:
            watch(first, size)
        panel = slice(first, min(size, first + width))
        pivot = matrix[panel, panel].copy()
        if not _invert(pivot, p):
            return False
        across, down = matrix[panel].copy(), matrix[:, panel].copy()
        across[:, panel] = 0
        across = _product(pivot, across, p)
        across[:, panel] = pivot
        down[panel] = 0
        matrix[:, panel] = 0
        matrix[panel] = 0
        upper, lower = _halves(across)
        for top in range(0, size, STRIP):
            rows = slice(top, top + STRIP)
            _subtract(matrix[rows], *_parts(*_halves(down[rows]), upper, lower), p)
        matrix[panel] = across
    return True


def _halves(matrix: Any) -> tuple[Any, Any]:
    return (matrix >> 16).astype(np.float64), (matrix & 0xFFFF).astype(np.float64)


def _parts(a1: Any, a0: Any, b1: Any, b0: Any) -> tuple[Any, Any, Any]:
    return a1 @ b1, a1 @ b0 + a0 @ b1, a0 @ b0


def _product(a: Any, b: Any, p: int) -> Any:
    """The product of two matrices modulo p."""
    found = np.zeros((len(a), b.shape[1]), np.int64)
    _subtract(found, *_parts(*_halves((p - a) % p), *_halves(b)), p)
    return found


@kernel
def _subtract(matrix: Any, high: Any, middle: Any, low: Any, p: int) -> None:
    """Subtract high 2³² + middle 2¹⁶ + low modulo p."""
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            upper = ((np.int64(high[i, j]) << 16) + np.int64(middle[i, j])) % p
            product = ((upper << 16) + np.int64(low[i, j])) % p
            difference = matrix[i, j] - product
            matrix[i, j] = difference + p if difference < 0 else difference


@kernel
def invert_directly(matrix: Any, p: int) -> bool:
    """Gauss-Jordan elimination in place."""
    size = len(matrix)
    for k in range(size):
        if matrix[k, k] == 0:
            return False
        scale = inverse(matrix[k, k], p)
        matrix[k, k] = 1
        for j in range(size):
            matrix[k, j] = matrix[k, j] * scale % p
        for i in range(size):
            factor = matrix[i, k]
            if i == k or factor == 0:
                continue
            matrix[i, k] = 0
            for j in range(size):
                matrix[i, j] = (matrix[i, j] + (p - factor) * matrix[k, j]) % p
    return True
