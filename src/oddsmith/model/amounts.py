"""Amounts and weights: the chances and rewards of a model, exact whatever its size.

`Amounts` is an index into a table of distinct values, four bytes a number and a fraction for each
value. `Weights` has a whole number for every transition, and their sum for every choice: one to
four bytes a transition, and sums of floats are sums of whole numbers. Rules with dice make weights,
languages with fractions make amounts; each becomes the other where a question needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import LimitError
from oddsmith.model.dense import dense
from oddsmith.runtime.frozen import freeze

Ints = npt.NDArray[np.integer[Any]]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

LONGEST = 1 << 62
"""Weights are below this: sums and differences of two fit in 64 bits."""


@dataclass(frozen=True, eq=False)
class Amounts:
    """Many numbers of which few differ: number i is `values[index[i]]`.

    `exact` has the same numbers as fractions; it is None where they are not known as such
    (logarithms, roots, or fractions too long for 64 bits).
    """

    index: Ints
    values: Floats
    exact: Sequence[Fraction] | None = None

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.index)

    @property
    def floats(self) -> Floats:
        """All the numbers, as floats."""
        return self.values[self.index]

    def fraction(self, i: int) -> Fraction:
        """Number i as a fraction."""
        assert self.exact is not None
        return self.exact[int(self.index[i])]

    @classmethod
    def of(cls, numbers: Sequence[Fraction | int]) -> Amounts:
        """Amounts from fractions, one by one; for small models."""
        table: dict[Fraction, int] = {}
        index = [table.setdefault(Fraction(x), len(table)) for x in numbers]
        return cls.of_table(np.array(index, np.int32), list(table))

    @classmethod
    def of_floats(cls, numbers: Floats) -> Amounts:
        """Amounts from floats, not known exactly."""
        values, index = np.unique(numbers, return_inverse=True)
        return cls(index.astype(np.int32), values.astype(np.float64), None)

    @classmethod
    def of_table(cls, index: Ints, exact: Sequence[Fraction]) -> Amounts:
        """Amounts from their places in a table of fractions."""
        return cls(index, np.array([float(x) for x in exact], np.float64), exact)

    @classmethod
    def of_whole(cls, numbers: Ints) -> Amounts:
        """Amounts from whole numbers; the table is in ascending order."""
        values, index = dense(np.asarray(numbers, np.int64))
        return cls.of_table(index.astype(np.int32), [Fraction(int(x)) for x in values])

    @classmethod
    def of_ratios(cls, numerators: Ints, denominators: Ints) -> Amounts:
        """Amounts from whole numbers over whole numbers, each different fraction once."""
        if not len(numerators):
            return cls.of_table(np.empty(0, np.int32), [])
        top, which_top = dense(np.asarray(numerators, np.int64))
        bottom, which_bottom = dense(np.asarray(denominators, np.int64))
        pairs, index = dense(which_top * len(bottom) + which_bottom)
        table: dict[Fraction, int] = {}
        renumbered = [
            table.setdefault(Fraction(int(a), int(b)), len(table))
            for a, b in zip(top[pairs // len(bottom)], bottom[pairs % len(bottom)], strict=True)
        ]
        return cls.of_table(np.array(renumbered, np.int32)[index], list(table))

    def placed(self, where: Bools, rest: Fraction) -> Amounts:
        """These numbers at the places that are set, in order, and another number at the others."""
        assert self.exact is not None
        exact = list(self.exact)
        if rest not in exact:
            exact.append(rest)
        index = np.full(len(where), exact.index(rest), np.int32)
        index[where] = self.index
        return self.of_table(index, exact)

    def at(self, where: Any) -> Amounts:
        """The numbers at some places; the table stays."""
        return Amounts(self.index[where], self.values, self.exact)

    def amounts(self, _row: Ints) -> Amounts:
        """Chances as amounts."""
        return self

    def weights(self, row: Ints) -> Weights:
        """Chances as whole numbers: over a common denominator in each choice.

        `LimitError` where they are no fractions or such numbers are beyond 62 bits.
        """
        if self.exact is None:
            raise LimitError("its chances are no fractions (logarithms, roots or very long ones)")
        if len(self.index) == 0:
            return Weights(np.zeros(0, np.int64), np.zeros(0, np.int64))
        exact = [Fraction(x) for x in self.exact]
        under = [x.denominator for x in exact]
        if lcm(*under) < LONGEST:  # then so is that of any choice
            total = np.lcm.reduceat(np.array(under, np.int64)[self.index], row[:-1])
        else:
            total = self._common_denominators(under, row)
        used = (np.bincount(self.index, minlength=len(exact)) > 0).tolist()
        pairs = zip(exact, used, strict=True)
        table = np.array([(x.numerator, x.denominator) if u else (0, 1) for x, u in pairs])
        over, below = table[self.index].T
        return Weights(over * (np.repeat(total, np.diff(row)) // below), total)

    def _common_denominators(self, under: Sequence[int], row: Ints) -> Ints:
        """The least common multiple of the denominators of each choice, one outcome after another.

        Below `LONGEST` at every step, or `LimitError`: nothing wraps on the way.
        """
        short = np.array([x if x < LONGEST else 0 for x in under], np.int64)
        total = np.ones(len(row) - 1, np.int64)
        begins, width = np.asarray(row[:-1], np.int64), np.diff(row)
        left = np.arange(len(total))
        for outcome in range(int(width.max(initial=0))):
            left = left[width[left] > outcome]
            factor = short[self.index[begins[left] + outcome]]
            had = total[left]
            factor = factor // np.maximum(np.gcd(had, factor), 1)
            if not (factor > 0).all() or (factor > (LONGEST - 1) // had).any():
                raise LimitError("its chances are fractions too long for 62 bits")
            total[left] = had * factor
        return total


@dataclass(frozen=True, eq=False)
class Weights:
    """Chances in whole numbers: `weight` of each transition over `total` of its choice."""

    weight: Ints
    total: Ints

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.weight)

    def amounts(self, row: Ints) -> Amounts:
        """Chances as amounts, each different fraction once."""
        return Amounts.of_ratios(self.weight, np.repeat(np.asarray(self.total), np.diff(row)))

    def weights(self, _row: Ints) -> Weights:
        """Chances as whole numbers."""
        return self


@dataclass(frozen=True, eq=False)
class Rewards:
    """A reward structure: what being in a state earns, and what taking a choice earns.

    The reward of a choice is the mean over its outcomes where outcomes earn differently. What a
    state earns in which play is over is earned once, when play comes to it.
    """

    state: Amounts | None = None
    choice: Amounts | None = None
