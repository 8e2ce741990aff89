"""Interchangeable players: one system splits into smaller ones, by roots of unity.

Seen by the mover, a state s has a number x(s, q) for every seat q of N, and a transition that
turns the view by k seats asks for x(t, q - k). The discrete Fourier transform over the seats,
X(s) = Σ ζ^q x(s, q), turns that into a factor: X(s) = Σ P ζ^k X(t) + …, one system over the
states for every N-th root of unity ζ, instead of one that is N times as large. Systems of roots
of the same order d are conjugate, so there is one system for each d that divides N, over the ring
Z[ζ] of whole numbers of the d-th cyclotomic field: for d = 1 the sum of all seats, for d = 2 an
alternating sum, and so on. An element is written in the powers 1, ζ, …, ζ^(φ(d) - 1).

Modulo a prime of the form kd + 1 the field has d-th roots of unity, and Z[ζ]/p is φ(d) copies of
the integers modulo p, one for each primitive root: a system is solved there once for each.
"""

from __future__ import annotations

from functools import cache
from math import gcd
from typing import Any

import numpy as np

from oddsmith.solve.exact.modular import root_of_unity


@cache
def powers(order: int) -> Any:
    """ζ⁰, …, ζ^(d-1) in the basis 1, ζ, …: a whole-number matrix d × φ(d).

    >>> powers(3).tolist()
    [[1, 0], [0, 1], [-1, -1]]
    """
    from flint import fmpz_poly

    cyclotomic = fmpz_poly.cyclotomic(order)
    size = cyclotomic.degree()
    rows = []
    for k in range(order):
        rest = fmpz_poly([0] * k + [1]) % cyclotomic
        rows.append([int(rest[j]) for j in range(size)])
    return np.array(rows, np.int64)


@cache
def turns(order: int) -> Any:
    """What multiplication by ζ^k does: matrices [k, j, i], ζ^k ζ^i = Σ_j [k, j, i] ζ^j.

    >>> turns(3)[1].tolist()
    [[0, -1], [1, -1]]
    """
    found = powers(order)
    size = found.shape[1]
    each = [[found[(k + i) % order] for i in range(size)] for k in range(order)]
    return np.array(each, np.int64).transpose(0, 2, 1)


def primitive(order: int) -> list[int]:
    """The exponents that make primitive roots of a primitive root.

    >>> primitive(1), primitive(6)
    ([0], [1, 5])
    """
    return [0] if order == 1 else [e for e in range(1, order) if gcd(e, order) == 1]


def embeddings(order: int, p: int) -> tuple[Any, Any, Any]:
    """The primitive roots modulo p, the matrix that evaluates at them, and its inverse."""
    root = root_of_unity(order, p) if order > 1 else 1
    roots = [pow(root, e, p) for e in primitive(order)]
    size = len(roots)
    there = np.array([[pow(r, j, p) for j in range(size)] for r in roots], np.int64)
    back = there.copy()
    from oddsmith.solve.exact.dense import invert_directly

    assert invert_directly(back, p)
    return np.array(roots, np.int64), there, back


def unfold(row: Any, col: Any, value: Any, turn: Any, order: int) -> tuple[Any, Any, Any]:
    """A matrix over Z[ζ], with entries value · ζ^turn, as one of whole numbers.

    An unknown becomes φ(d) of them, one after another.
    """
    matrices = turns(order)
    size = matrices.shape[1]
    if size == 1:
        return row, col, value * matrices[turn % order, 0, 0]
    n = len(row) - 1
    source = np.repeat(np.arange(n), np.diff(row))
    rows, cols, values = [], [], []
    for j in range(size):
        for i in range(size):
            factor = matrices[turn % order, j, i]
            there = factor != 0
            rows.append(source[there] * size + j)
            cols.append(col[there].astype(np.int64) * size + i)
            values.append((value * factor)[there])
    return compress(n * size, np.concatenate(rows), np.concatenate(cols), np.concatenate(values))


def compress(n: int, source: Any, target: Any, value: Any) -> tuple[Any, Any, Any]:
    """Sparse rows of a square matrix from its entries; those of one place are summed."""
    key = source.astype(np.int64) * n + target
    by_place = np.argsort(key, kind="stable")
    key = key[by_place]
    first = np.flatnonzero(np.diff(key, prepend=-1))
    summed = np.add.reduceat(value[by_place], first) if len(key) else value
    kept = summed != 0
    key, summed = key[first][kept], summed[kept]
    row = np.searchsorted(key, np.arange(n + 1) * n).astype(np.int64)
    return row, (key % n).astype(np.int32), summed
