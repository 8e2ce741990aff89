"""Sparse systems of whole numbers, made ready for lifting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log2
from typing import Any

import numpy as np

from oddsmith.solve.exact import characters
from oddsmith.solve.exact.lift import WIDEST, singular

LIMB_BITS = 20
"""Wider entries are cut into pieces of so many bits."""


@dataclass(frozen=True, eq=False)
class Matrix:
    """The matrix T - W of a chain in whole numbers, its weights perhaps turned by ζ^turn.

    `row`, `col` and `weight` are the transitions between the states, `total` the diagonal: the
    sum of the weights of a state, those that leave the system included. With `order` d > 1 the
    entries are weight · ζ^turn with a primitive d-th root of unity ζ (see `characters`).
    Weights may be Python integers of any size (arrays of objects).
    """

    row: Any
    col: Any
    weight: Any
    total: Any
    turn: Any = field(default_factory=lambda: np.empty(0, np.int64))
    order: int = 1

    @property
    def size(self) -> int:
        """The number of unknowns."""
        return len(self.row) - 1

    @cached_property
    def entries(self) -> tuple[Any, Any, Any, Any]:
        """The matrix as sparse rows: row, col, value, turn; those of one place are summed."""
        n, d = self.size, self.order
        source = np.repeat(np.arange(n), np.diff(self.row))
        turn = self.turn.astype(np.int64) % d if len(self.turn) else np.zeros(len(source), int)
        wide = self.weight.dtype == object or self.total.dtype == object
        kind = object if wide else np.int64
        row, key, value = characters.compress(
            n * d,
            np.concatenate([source, np.arange(n)]) * d,
            np.concatenate([self.col.astype(np.int64) * d + turn, np.arange(n) * d]),
            np.concatenate([-self.weight.astype(kind), self.total.astype(kind)]),
        )
        if (np.diff(row[::d]) == 0).any():
            raise singular()
        return row[::d], key // d, value, key % d

    @property
    def norm(self) -> int:
        """The largest sum of absolute values of a row."""
        row, _, value, _ = self.entries
        return int(np.add.reduceat(np.abs(value), row[:-1]).max())

    @cached_property
    def determinant_bits(self) -> float:
        """A bound on the size of the determinant (for d > 1: of its norm), in bits.

        A determinant is at most the product of the lengths of the rows (Hadamard); that of an
        M-matrix, which T - W is, at most the product of its diagonal (Hadamard and Fischer; see
        Horn & Johnson, Topics in Matrix Analysis, 2.5.4). Conjugates have the same bounds.
        """
        row, col, value, _ = self.entries
        if self.order == 1:
            source = np.repeat(np.arange(self.size), np.diff(row))
            diagonal = value[col == source]
            return sum(_bits(v) for v in diagonal) + 1e-6
        places = characters.powers(self.order).shape[1]
        lengths = _lengths_squared(row, col, value)
        return float(places * sum(_bits(v) for v in lengths) / 2 + 1e-6)

    def solution_bits(self, right: Any) -> float:
        """A bound on the numerators of a solution by Cramer's rule, in bits; for d = 1."""
        squares = _lengths_squared(*self.entries[:3])
        widest = np.abs(right).astype(object).max(axis=1)
        return sum(_bits(a + b * b) for a, b in zip(squares, widest, strict=True)) / 2 + 1e-6

    def narrow(self) -> tuple[tuple[Any, Any, Any, Any], int]:
        """The matrix with entries that fit, and how many unknowns it now has.

        A wide entry v of column j is cut into pieces v₀ + v₁ B + v₂ B² …, and new unknowns
        B x(j), B² x(j), … are added, each by a row z - B x = 0. They are eliminated first, which
        gives the matrix back; no determinant changes.
        """
        row, col, value, turn = self.entries
        places = characters.powers(self.order).shape[1]
        if self.norm * places < WIDEST:
            return (row, col, value.astype(np.int64), turn), self.size
        base = 1 << LIMB_BITS
        new: dict[tuple[int, int], int] = {}
        found: list[tuple[int, int, int, int]] = []

        def unknown(j: int, power: int) -> int:
            if power == 0:
                return j
            if (j, power) not in new:
                before = unknown(j, power - 1)
                new[j, power] = at = self.size + len(new)
                found.extend([(at, at, 1, 0), (at, before, -base, 0)])
            return new[j, power]

        source = np.repeat(np.arange(self.size), np.diff(row)).tolist()
        for i, j, v, k in zip(source, col.tolist(), value.tolist(), turn.tolist(), strict=True):
            sign, rest, power = (-1 if v < 0 else 1), abs(v), 0
            while rest:
                rest, piece = divmod(rest, base)
                if piece:
                    found.append((i, unknown(j, power), sign * piece, k))
                power += 1
        n, d = self.size + len(new), self.order
        table = np.array(found, np.int64)
        rows, key, value = characters.compress(
            n * d, table[:, 0] * d, table[:, 1] * d + table[:, 3], table[:, 2]
        )
        return (rows[::d], key // d, value, key % d), n


def _lengths_squared(row: Any, col: Any, value: Any) -> Any:
    """The squares of the lengths of the rows at most: entries of one place may add up."""
    source = np.repeat(np.arange(len(row) - 1), np.diff(row))
    first = np.flatnonzero((np.diff(source, prepend=-1) != 0) | (np.diff(col, prepend=-1) != 0))
    sums = np.add.reduceat(np.abs(value), first).astype(object) ** 2
    return np.add.reduceat(sums, np.searchsorted(source[first], np.arange(len(row) - 1)))


def _bits(number: Any) -> float:
    """The logarithm of a positive number, rounded up a little."""
    number = abs(int(number))
    if number.bit_length() < 1000:
        return log2(number) + 1e-9
    return float(number.bit_length())


def whole(rows: Sequence[Sequence[tuple[int, Any]]], gains: Sequence[Sequence[Any]]) -> Any:
    """A chain with chances as fractions, (I - P) x = g, as a Matrix and its right-hand side.

    `rows` has (state, chance) of the transitions inside, chances and gains are FLINT fractions.
    """
    from flint import fmpz

    row, col, weight, total, right = [0], [], [], [], []
    for outcomes, given in zip(rows, gains, strict=True):
        scale = fmpz(1)
        for _, chance in outcomes:
            scale = scale.lcm(chance.q)
        for target, chance in outcomes:
            col.append(target)
            weight.append(int(chance.p * (scale // chance.q)))
        row.append(len(col))
        total.append(int(scale))
        right.append([value * scale for value in given])
    kind = np.int64 if max(total, default=0) < WIDEST else object
    return Matrix(
        np.array(row, np.int64), np.array(col, np.int64), np.array(weight, kind),
        np.array(total, kind),
    ), right  # fmt: skip
