"""Claims about small random processes, and their true values over all policies, in fractions."""

from __future__ import annotations

import random
from fractions import Fraction
from math import inf

import numpy as np
from tests.solve.process import all_policies as plain

from oddsmith.certificate.claim import Claim, ClaimedNumber
from oddsmith.certificate.make import Certificate, certify_process

KINDS = ("until", "never", "reach reward", "total reward")
ZERO, ONE = Fraction(0), Fraction(1)


class Case:
    """A random process, a question about it, who wants what, and the truth."""

    def __init__(self, seed: int, kind: str, sides: str) -> None:
        rng = random.Random(seed)
        self.kind, self.sides = kind, sides
        self.choices, self.earned = plain.random_process(seed, states=rng.choice([3, 4, 5, 6]))
        self.n = n = len(self.choices)
        self.process, self.rewards = plain.make(self.choices, self.earned)
        self.target = set(rng.sample(range(n), rng.choice([1, 1, 2])))
        self.barred = {s for s in range(n) if rng.random() < 0.15} - self.target
        if sides == "two":
            self.senses = np.array([rng.random() < 0.5 for _ in range(n)])
        else:
            self.senses = np.full(n, sides == "max")

    def claim(self) -> Claim:
        n, kind = self.n, self.kind
        stop = np.zeros(n, bool)
        if kind in ("until", "never"):
            stop[list(self.target | self.barred)] = True
        elif kind == "reach reward":
            stop[list(self.target)] = True
        good = ONE if kind == "until" else ZERO
        other = ONE - good if kind in ("until", "never") else ZERO
        worth = [(good if s in self.target else other,) for s in np.flatnonzero(stop).tolist()]
        if "reward" in kind:
            worth = [(ZERO,)] * len(worth)
        endless = {"until": ZERO, "never": ONE, "reach reward": None, "total reward": ZERO}[kind]
        gain = [Fraction(x) for row in self.earned for x in row] if "reward" in kind else None
        numbers = tuple(ClaimedNumber(f"state {s}", s) for s in range(n))
        return Claim(kind, numbers, stop, worth, endless, 1, gain, ~self.senses, self.senses.copy())

    def certificate(self, exact: bool) -> Certificate:
        source = {"kind": "file", "name": "a small model"}
        return certify_process(self.process, self.claim(), self.senses, exact, "small", source)

    def truth(self) -> list[Fraction | float]:
        """The value of every state, over all policies of both sides."""
        if self.sides == "two":
            return plain.over_two(self.choices, self._worth, self.senses, max, min)
        best = max if self.sides == "max" else min
        return plain.over_policies(self.choices, self._worth, best)

    def _worth(self, picks: tuple[int, ...]) -> list[Fraction | float]:
        chain = [self.choices[s][picks[s]] for s in range(self.n)]
        earned = [self.earned[s][picks[s]] for s in range(self.n)]
        stop = self.target | self.barred
        if self.kind == "until":
            worth = [int(s in self.target) for s in range(self.n)]
            return plain.chain_reach(chain, stop, worth)
        if self.kind == "never":
            worth = [int(s in self.target) for s in range(self.n)]
            return [1 - x for x in plain.chain_reach(chain, stop, worth)]
        if self.kind == "reach reward":
            return plain.chain_reward(chain, earned, self.target)
        return plain.chain_total(chain, earned)


def number(found: Fraction | str | None) -> Fraction | float:
    """A bound that was proved, as a number."""
    assert found is not None
    return inf if found == "infinite" else Fraction(found)
