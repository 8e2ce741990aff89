"""Lengths of small random chains by plain arithmetic in fractions; nothing of the solvers is used.

A chain is a table: for each state the weights of the states it leads to, and whether its move
counts. States are 0 (the start) to n - 1, and n is the end. A closed class without an end is a
deadlock, an end too, if no move in it counts; else play there never ends.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from oddsmith import Die, Game, move


@dataclass(frozen=True)
class Chain:
    rows: tuple[dict[int, int], ...]
    counts: tuple[bool, ...]

    @property
    def end(self) -> int:
        return len(self.rows)

    def chance(self, s: int, t: int) -> Fraction:
        return Fraction(self.rows[s].get(t, 0), sum(self.rows[s].values()))

    def reach(self, s: int) -> set[int]:
        seen, waiting = {s}, [s]
        while waiting:
            here = waiting.pop()
            for there in self.rows[here] if here < self.end else ():
                if there not in seen:
                    seen.add(there)
                    waiting.append(there)
        return seen

    @cached_property
    def closed(self) -> dict[int, bool]:
        """States of closed classes without an end: whether moves go on counting there."""
        reached = [self.reach(s) for s in range(self.end)]
        found = {}
        for s in range(self.end):
            if self.end not in reached[s] and all(s in reached[t] for t in reached[s]):
                found[s] = any(self.counts[t] for t in reached[s])
        return found

    @property
    def over(self) -> set[int]:
        return {self.end} | {s for s, counting in self.closed.items() if not counting}

    @property
    def endless(self) -> set[int]:
        return {s for s, counting in self.closed.items() if counting}

    def solve(self, unknown: list[int], right: dict[int, Fraction]) -> dict[int, Fraction]:
        """x = right + P x on some states, nothing elsewhere, by Gauss and Jordan."""
        rows = [
            [Fraction(int(s == t)) - self.chance(s, t) for t in unknown] + [right[s]]
            for s in unknown
        ]
        for i in range(len(rows)):
            pivot = next(r for r in range(i, len(rows)) if rows[r][i])
            rows[i], rows[pivot] = rows[pivot], rows[i]
            rows[i] = [x / rows[i][i] for x in rows[i]]
            for r in range(len(rows)):
                if r != i and rows[r][i]:
                    rows[r] = [x - rows[r][i] * y for x, y in zip(rows[r], rows[i], strict=True)]
        return {s: row[-1] for s, row in zip(unknown, rows, strict=True)}

    @property
    def live(self) -> list[int]:
        return [s for s in sorted(self.reach(0)) if s not in self.over | self.endless]

    def ends(self) -> Fraction:
        """The chance to end at all."""
        if 0 not in self.live:
            return Fraction(int(0 in self.over))
        into = {s: sum((self.chance(s, t) for t in self.over), Fraction(0)) for s in self.live}
        return self.solve(self.live, into)[0]

    def mean(self) -> Fraction | None:
        """The expected length; None if it is infinite."""
        if self.reach(0) & self.endless:
            return None
        if 0 not in self.live:
            return Fraction(0)
        return self.solve(self.live, {s: Fraction(int(self.counts[s])) for s in self.live})[0]

    def variance(self) -> Fraction | None:
        """The variance of the length by its second moment; None if the length is infinite."""
        if self.reach(0) & self.endless:
            return None
        if 0 not in self.live:
            return Fraction(0)
        counts = {s: Fraction(int(self.counts[s])) for s in self.live}
        means = self.solve(self.live, counts)
        # (g + L')² = g² + 2 g L' + L'², and the mean of g + L' is that of L
        gained = {s: 2 * counts[s] * means[s] - counts[s] for s in self.live}
        return self.solve(self.live, gained)[0] - means[0] ** 2

    def distribution(self, longest: int) -> list[Fraction]:
        """The chances of lengths 0 to `longest`, by powers; free moves are closed by a solve."""
        free = [s for s in self.live if not self.counts[s]]
        counted = [s for s in self.live if self.counts[s]]
        onto: dict[int, dict[int, Fraction]] = {}
        for t in [*counted, *self.over]:
            step = {s: self.chance(s, t) for s in free}
            for s, x in self.solve(free, step).items():
                onto.setdefault(s, {})[t] = x

        def settle(mass: dict[int, Fraction]) -> dict[int, Fraction]:
            found: dict[int, Fraction] = {}
            for s, m in mass.items():
                parts = onto[s] if s in onto else {s: Fraction(1)}
                for t, x in parts.items():
                    found[t] = found.get(t, Fraction(0)) + m * x
            return found

        chances, mass = [], {0: Fraction(1)}
        for _ in range(longest + 1):
            mass = settle(mass)
            chances.append(sum((mass.get(t, Fraction(0)) for t in self.over), Fraction(0)))
            later: dict[int, Fraction] = {}
            for s in counted:
                for t in self.rows[s] if mass.get(s) else ():
                    later[t] = later.get(t, Fraction(0)) + mass[s] * self.chance(s, t)
            mass = later
        return chances


def random_chain(seed: int, most: int = 5) -> Chain:
    """A chain of up to so many states; weights from one to hugely different, ties likely."""
    dice = random.Random(seed)
    n = dice.randint(1, most)
    kinds = ([1, 1, 2, 3], [1, 1, 1, 19], [1, 2**30 - 1, 2**30, 2**45 + 1], [1, 10**6])
    rows = []
    for s in range(n):
        weights = dice.choice(kinds)
        forward = dice.random() < 0.5
        targets = range(s + 1, n + 1) if forward else range(n + 1)
        chosen = dice.sample(list(targets), min(len(targets), dice.randint(1, 3)))
        rows.append({t: dice.choice(weights) for t in chosen})
    counts = tuple(dice.random() < 0.75 for _ in range(n))
    return Chain(tuple(rows), counts)


class Drawn(Game):
    """A chain as rules."""

    players = 1

    class State(NamedTuple):
        s: int = 0

    @classmethod
    def of(cls, chain: Chain) -> Drawn:
        class OneDrawn(cls):  # type: ignore[misc, valid-type]
            table = chain
            faces = tuple(Die(row) for row in chain.rows)

        return OneDrawn()

    def winner(self, s):
        return 0 if s.s == self.table.end else None

    @move(dice=lambda self, s: self.faces[s.s], when=lambda self, s: self.table.counts[s.s])
    def go(self, s, to):
        return self.State(to)

    @move(
        dice=lambda self, s: self.faces[s.s],
        when=lambda self, s: not self.table.counts[s.s],
        counts=False,
    )
    def slip(self, s, to):
        return self.State(to)
