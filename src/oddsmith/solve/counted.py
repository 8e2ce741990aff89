"""Counted: a chain as its counted moves see it, and its lengths played forward in whole numbers.

Moves that do not count (a rest) take no time, so they are eliminated: where a move leads to a
state f whose own move is free, it leads on to what follows f, with the product of the chances. A
free move that comes back to its own state with chance p is left by 1/(1 - p). That is Gauss's
elimination in fractions, so cycles of free moves are closed exactly.

Games that come to where play goes on for ever have no length: their chances are in no row.

What is left has one row of fractions a counted state. Over their common denominator T they are
whole numbers W, and the numbers x(k) = x(k-1) W stand for chances over T^k. They grow by log2 T
bits a move, so each is kept as a row of digits in base 2^b: a move is one product of a sparse
matrix with a slab of 64-bit digits, and then digits carry. No modulus, no rounding. Where T itself
is large, W is written in digits too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from oddsmith.errors import LimitError
from oddsmith.solve.chain import Chain

ROOM = 62
"""Bits that a sum may have before digits carry."""

NARROW = 16
"""Digits of fewer bits than this are a waste: the weights are cut into digits too."""

MOST_UPDATES = 2_000_000
"""Chances that eliminating free moves may touch."""

ENDED = -1
"""The number of the end of the game, as a target."""


@dataclass(frozen=True)
class Counted:
    """Counted moves as whole numbers over common denominators."""

    states: int
    begin: dict[int, int]
    """Weights of the states of the first counted move; ENDED: of a game that is over by then."""
    begin_total: int
    digits: list[Any]
    """Sparse matrices (states and the end) × states: the weights' digits, the lowest first."""
    bits: int
    """Of one digit."""
    total: int
    """The common denominator T of all weights."""

    def terms(self) -> Iterator[tuple[int, int]]:
        """Numerator and denominator, not in lowest terms, of the chance of length 0, 1, 2, …

        It stops after the longest game, where there is one.
        """
        denominator = self.begin_total
        yield self.begin.get(ENDED, 0), denominator
        now = np.zeros((self.states, self._places(denominator)), np.int64)
        for state, weight in self.begin.items():
            if state != ENDED:
                now[state] = self._in_digits(weight, now.shape[1])
        while now.any():
            denominator *= self.total
            later = np.zeros((self.states + 1, self._places(denominator)), np.int64)
            for shift, matrix in enumerate(self.digits):
                # What would not fit is zero: no number is above the denominator.
                kept = min(now.shape[1], later.shape[1] - shift)
                later[:, shift : shift + kept] += matrix @ now[:, :kept]
                self._carry(later)
            ended = sum(int(d) << (self.bits * j) for j, d in enumerate(later[-1]) if d)
            yield ended, denominator
            now = later[:-1]

    def bytes_at(self, length: int) -> int:
        """Memory for the numbers of a length: now, later, and what is added."""
        bits = self.begin_total.bit_length() + length * self.total.bit_length()
        return 3 * 8 * self.states * -(-bits // self.bits)

    def chances(self) -> Any:
        """The matrix of counted moves in floats, sources × targets, without the end."""
        return self._floats()[:-1].T.tocsr()

    def ending(self) -> Any:
        """The chance that the move of each state ends the game, in floats."""
        return self._floats()[[-1]].toarray()[0]

    def _floats(self) -> Any:
        """The weights as chances: no rounding but of a few products and a sum of positive terms."""
        width = self.total.bit_length()
        scaled = sum(
            matrix.astype(float) * 2.0 ** (self.bits * shift - width)
            for shift, matrix in enumerate(self.digits)
        )
        return scaled * float(Fraction(1 << width, self.total))

    def _places(self, denominator: int) -> int:
        """Digits that the numerator of a chance can have."""
        return -(-denominator.bit_length() // self.bits)

    def _in_digits(self, number: int, places: int) -> list[int]:
        mask = (1 << self.bits) - 1
        return [number >> (self.bits * j) & mask for j in range(places)]

    def _carry(self, numbers: Any) -> None:
        mask = (1 << self.bits) - 1
        for j in range(numbers.shape[1] - 1):
            numbers[:, j + 1] += numbers[:, j] >> self.bits
            numbers[:, j] &= mask


def counted(chain: Chain) -> Counted:
    """The counted moves of a chain, free ones eliminated."""
    model = chain.model
    total = model.total[model.choice[chain.order]].astype(np.int64)
    source = np.repeat(np.arange(chain.size), np.diff(chain.row))
    target, weight = chain.col.astype(np.int64), chain.weight.astype(np.int64)
    start = int(chain.place[model.start])
    if start < 0:
        begin = {} if chain.endless[model.start] else {ENDED: 1}
        return _assembled(0, begin, 1, [], [], [], 1)
    free = chain.length == 0
    ending = _ending(chain)
    changed, first = _eliminated(chain, free, start, target, weight, total, ending)
    plain = ~free
    plain[list(changed)] = False
    common = lcm(
        *np.unique(total[plain]).tolist(),
        *(int(chance.q) for row in changed.values() for chance in row.values()),
    )
    number = np.full(chain.size, ENDED, np.int64)
    number[~free] = np.arange(np.count_nonzero(~free))
    kind = np.int64 if common.bit_length() < ROOM else object
    scale = [common // int(t) if p else 0 for t, p in zip(total, plain, strict=True)]
    factor = np.array(scale, kind)  # without its kind NumPy takes floats for some beyond 63 bits
    kept = plain[source]
    ends = np.nonzero(plain & (ending > 0))[0]
    sources = [number[source[kept]], number[ends]]
    targets = [number[target[kept]], np.full(len(ends), ENDED)]
    weights = [
        weight[kept].astype(kind) * factor[source[kept]],
        ending[ends].astype(kind) * factor[ends],
    ]
    for place, row in changed.items():
        to = np.array(list(row), np.int64)
        targets.append(np.where(to == ENDED, ENDED, number[to]))
        sources.append(np.full(len(row), number[place]))
        scaled = [int(c.p) * (common // int(c.q)) for c in row.values()]
        weights.append(np.array(scaled, kind))
    begin_total = lcm(*(int(c.q) for c in first.values()))
    begin = {
        place if place == ENDED else int(number[place]): int(c.p) * (begin_total // int(c.q))
        for place, c in first.items()
    }
    return _assembled(
        int(np.count_nonzero(~free)), begin, begin_total, sources, targets, weights, common
    )


def _ending(chain: Chain) -> Any:
    """The weight of each live state's transitions that end the game, in whole numbers."""
    model = chain.model
    source = np.repeat(np.arange(model.states), np.diff(model.state_row))
    over = ((chain.outcome >= 0) & ~chain.endless)[model.col]
    found = np.zeros(model.states, np.int64)
    np.add.at(found, source[over], model.weight[over].astype(np.int64))
    return found[chain.order]


def _eliminated(
    chain: Chain, free: Any, start: int, target: Any, weight: Any, total: Any, ending: Any
) -> tuple[dict[int, dict[int, Any]], dict[int, Any]]:
    """Rows of the counted states that led to free ones, and of the start, without free states."""
    from flint import fmpq

    def row_of(place: int) -> dict[int, Any]:
        row: dict[int, Any] = {}
        whole = int(total[place])
        for e in range(int(chain.row[place]), int(chain.row[place + 1])):
            there, chance = int(target[e]), fmpq(int(weight[e]), whole)
            row[there] = row.get(there, 0) + chance
        if ending[place]:
            row[ENDED] = fmpq(int(ending[place]), whole)
        return row

    begin = {start: fmpq(1)}
    places = np.nonzero(free)[0][::-1].tolist()  # what follows comes first: little to fill in
    if not places:
        return {}, begin
    source = np.repeat(np.arange(chain.size), np.diff(chain.row))
    leading = np.unique(np.concatenate([source[free[target]], places])).tolist()
    rows = {place: row_of(place) for place in leading}
    before: dict[int, set[int]] = {place: set() for place in places}
    for place, row in rows.items():
        for there in row:
            if there in before:
                before[there].add(place)
    updates = 0
    for gone in places:
        through = rows.pop(gone)
        again = through.pop(gone, 0)
        onward = {there: chance / (1 - again) for there, chance in through.items()}
        into = [(place, rows[place]) for place in before.pop(gone) if place in rows]
        for place, row in [*into, (start, begin)]:
            if gone not in row:
                continue
            chance = row.pop(gone)
            for there, more in onward.items():
                row[there] = row.get(there, 0) + chance * more
                if there in before and row is not begin:
                    before[there].add(place)
            updates += len(onward)
        if updates > MOST_UPDATES:
            raise LimitError(
                f"{chain.model.name} has too many moves that do not count for an exact "
                f"distribution of its length: count them too (--turns), or leave out --exact."
            )
    return rows, begin


def _assembled(
    states: int, begin: dict[int, int], begin_total: int, sources: Any, targets: Any,
    weights: Any, common: int,
) -> Counted:  # fmt: skip
    """The weights as sparse matrices of digits that a 64-bit sum has room for."""
    from scipy.sparse import csr_array

    if not states:
        return Counted(0, begin, begin_total, [csr_array((1, 0))], 32, common)
    source, target = np.concatenate(sources), np.concatenate(targets)
    weight = np.concatenate(weights)
    target = np.where(target == ENDED, states, target)
    arrivals = np.zeros(states + 1, object)
    np.add.at(arrivals, target, weight.astype(object))
    bits = ROOM - int(arrivals.max()).bit_length()
    cut = [weight]
    if bits < NARROW:
        bits = (ROOM - int(np.bincount(target).max()).bit_length()) // 2
        mask, width = (1 << bits) - 1, int(weight.max()).bit_length()
        cut = [weight >> shift & mask for shift in range(0, width, bits)]
    shape = (states + 1, states)
    digits = [csr_array((w.astype(np.int64), (target, source)), shape=shape) for w in cut]
    return Counted(states, begin, begin_total, digits, bits, common)
