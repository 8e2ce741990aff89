# mypy: disable-error-code="untyped-decorator"
"""Numbers by index: many equal fractions become one entry of a table each.

A pair (numerator, denominator) is looked up as it is; only a pair not met before is reduced. A
pair (bits, 0) stands for the double with those bits. Open addressing, at most half full.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from oddsmith.ahead import kernel
from oddsmith.model.amounts import Amounts

BIGGEST = 9.0e18
"""Products are kept below this: an estimate in floats is enough to tell that they fit."""

MANY = 1 << 16
"""Numbers that one call interns."""


@kernel(forceinline=True)
def gcd(a: Any, b: Any) -> Any:
    """The greatest common divisor."""
    while b:
        a, b = b, a % b
    return abs(a)


@kernel(forceinline=True)
def add_fractions(a: Any, b: Any, c: Any, d: Any) -> Any:
    """a/b + c/d and whether it fits 64 bits."""
    if b == d:
        return a + c, b, float(a) + float(c) < BIGGEST
    g = gcd(b, d)
    p, q = d // g, b // g
    if float(b) * float(p) > BIGGEST or float(a) * float(p) + float(c) * float(q) > BIGGEST:
        return 0, 1, False
    return a * p + c * q, b * p, True


@kernel(forceinline=True)
def times_fractions(a: Any, b: Any, c: Any, d: Any) -> Any:
    """a/b × c/d and whether it fits 64 bits; reduced only where it would not fit otherwise."""
    if float(a) * float(c) > BIGGEST or float(b) * float(d) > BIGGEST:
        for _ in range(2):
            g = gcd(a, d)
            a, d = a // g, d // g
            g = gcd(c, b)
            c, b = c // g, b // g
            g = gcd(a, b)
            a, b = a // g, b // g
            g = gcd(c, d)
            c, d = c // g, d // g
        if float(a) * float(c) > BIGGEST or float(b) * float(d) > BIGGEST:
            return 0, 1, False
    return a * c, b * d, True


@kernel(forceinline=True)
def find_pair(num: Any, den: Any, pairs: Any, places: Any) -> Any:
    """Where a pair is, or where it would go."""
    mask = len(places) - 1
    h = np.uint64(num) * np.uint64(0x9E3779B97F4A7C15)
    h ^= (h >> np.uint64(29)) ^ (np.uint64(den) * np.uint64(0xBF58476D1CE4E5B9))
    h = h * np.uint64(0x94D049BB133111EB)
    at = np.int64(h >> np.uint64(20)) & mask
    while places[at] != 0 and (pairs[2 * at] != num or pairs[2 * at + 1] != den):
        at = (at + 1) & mask
    return at


@kernel(forceinline=True)
def intern(num: Any, den: Any, pairs: Any, places: Any, numbers: Any, used: Any) -> Any:
    """The index of a number; `used` counts the pairs and the numbers, and is updated."""
    at = find_pair(num, den, pairs, places)
    if places[at] != 0:
        return places[at] - 1
    n, d = num, den
    if den != 0:
        g = gcd(num, den)
        n, d = num // g, den // g
    home = find_pair(n, d, pairs, places)
    if places[home] == 0:
        index = used[1]
        numbers[2 * index] = n
        numbers[2 * index + 1] = d
        used[1] = index + 1
        pairs[2 * home] = n
        pairs[2 * home + 1] = d
        places[home] = index + 1
        used[0] += 1
    index = places[home] - 1
    if n != num or d != den:
        at = find_pair(num, den, pairs, places)
        pairs[2 * at] = num
        pairs[2 * at + 1] = den
        places[at] = index + 1
        used[0] += 1
    return index


@kernel
def rehash_pairs(pairs: Any, places: Any, new_pairs: Any, new_places: Any) -> None:
    """Move all pairs to a larger table."""
    for at in range(len(places)):
        if places[at] != 0:
            to = find_pair(pairs[2 * at], pairs[2 * at + 1], new_pairs, new_places)
            new_pairs[2 * to] = pairs[2 * at]
            new_pairs[2 * to + 1] = pairs[2 * at + 1]
            new_places[to] = places[at]


@kernel
def intern_all(
    given: Any, count: Any, pairs: Any, places: Any, numbers: Any, used: Any, index: Any
) -> Any:
    """Intern pairs one after another; the first negative one, or -1."""
    negative = -1
    for i in range(count):
        index[i] = intern(given[2 * i], given[2 * i + 1], pairs, places, numbers, used)
        if given[2 * i] < 0 and negative < 0:
            negative = i
    return negative


class Fractions(Sequence[Fraction]):
    """Fractions made when they are asked for, from an array of numerators and denominators."""

    def __init__(self, table: npt.NDArray[np.int64]) -> None:
        self._table = table

    def __len__(self) -> int:
        return len(self._table)

    @overload
    def __getitem__(self, i: int) -> Fraction: ...

    @overload
    def __getitem__(self, i: slice) -> Sequence[Fraction]: ...

    def __getitem__(self, i: int | slice) -> Fraction | Sequence[Fraction]:
        if isinstance(i, slice):
            return Fractions(self._table[i])
        num, den = self._table[i].tolist()
        return Fraction(num, den)


class Numbers:
    """A table of distinct numbers that grows."""

    def __init__(self) -> None:
        self.pairs = np.zeros(2 << 10, np.int64)
        self.places = np.zeros(1 << 10, np.int32)
        self.numbers = np.zeros(2 << 9, np.int64)
        self.used = np.zeros(2, np.int64)

    def reserve(self, more: int) -> None:
        """Make room for so many more numbers."""
        size = len(self.places)
        while size < 2 * (int(self.used[0]) + 2 * more):
            size *= 2
        if size > len(self.places):
            pairs, places = np.zeros(2 * size, np.int64), np.zeros(size, np.int32)
            rehash_pairs(self.pairs, self.places, pairs, places)
            self.pairs, self.places = pairs, places
        needed = 2 * (int(self.used[1]) + more)
        if needed > len(self.numbers):
            self.numbers.resize(max(needed, 2 * len(self.numbers)), refcheck=False)

    @property
    def room(self) -> int:
        """How many more numbers there is room for."""
        free = (len(self.places) // 2 - int(self.used[0])) // 2
        return min(free, len(self.numbers) // 2 - int(self.used[1]))

    def add(self, given: npt.NDArray[np.int64], index: npt.NDArray[np.int32]) -> int:
        """Intern an array of pairs (flat); the first negative one, or -1."""
        self.reserve(len(index))
        return int(
            intern_all(given, len(index), self.pairs, self.places, self.numbers, self.used, index)
        )

    def one(self, num: int, den: int) -> int:
        """The index of one number."""
        index = np.empty(1, np.int32)
        self.add(np.array([num, den], np.int64), index)
        return int(index[0])

    def table(self) -> npt.NDArray[np.int64]:
        """The distinct numbers, as rows of two words."""
        return self.numbers[: 2 * int(self.used[1])].reshape(-1, 2)

    def amounts(self, index: npt.NDArray[np.int32]) -> Amounts:
        """Amounts with these numbers as their table."""
        table = self.table()
        real = table[:, 1] == 0
        if real.any():
            values = table[:, 0].astype(np.float64) / np.where(real, 1, table[:, 1])
            values[real] = table[real, 0].view(np.float64)
            return Amounts(index, values, None)
        exact = Fractions(table.copy())
        values = table[:, 0] / table[:, 1]  # rounded once, as both are exact up to 2**53
        for i in np.flatnonzero((np.abs(table) > 1 << 53).any(axis=1)):
            values[i] = float(exact[int(i)])
        return Amounts(index, values, exact)
