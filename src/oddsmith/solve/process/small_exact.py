"""Bounds for one component by fractions, where floating point proves nothing.

With chances near the unit roundoff a component may be left once in 10^16 steps: no sum of doubles
tells that from never. Then its equations are solved in fractions, by policy iteration
(`equations.py`), once for the lower bounds of what lies outside and once for the upper ones. The
value is monotone in those, so the answers, rounded outward, bound it. What a choice earns is known
as a double next to the true number, and is moved likewise.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, isinf, nextafter
from typing import Any

import numpy as np

from oddsmith.model.process import Floats, Ints, Process
from oddsmith.runtime.progress import Progress
from oddsmith.solve.exact.rational import flint_fraction
from oddsmith.solve.process.aim import Aim
from oddsmith.solve.process.equations import Equations, Side

MOST_STATES = 2_000
MOST_TRANSITIONS = 20_000

GAIN_OFF = Fraction(1, 2**50)
"""A gain is a sum of two rounded numbers."""


def solve_in_fractions(
    process: Process, states: Ints, gain: Floats, endless: int, lower: Floats, upper: Floats,
    undecided: Any, aim: Aim,
) -> bool:  # fmt: skip
    """Bounds for a component, written to `lower` and `upper`; False if it is too large for it.

    `undecided` says which of its states the graph leaves open; the others have their bounds.
    """
    inside = states[undecided].tolist()
    if process.chance.exact is None or len(inside) > MOST_STATES:
        return False
    part = _Part(process, inside, gain, lower, aim.maximise, aim.progress)
    if len(part.equations.col) > MOST_TRANSITIONS:
        return False
    found = [
        part.solve(bound, sign, endless, aim.maximise) for bound, sign in ((lower, -1), (upper, 1))
    ]
    for i, s in enumerate(inside):
        lower[s] = _outward(found[0][i], -inf)
        upper[s] = _outward(found[1][i], inf)
    return True


class _Part:
    """The open states of a component, then the states outside that they lead to."""

    def __init__(
        self, process: Process, inside: list[int], gain: Floats, lower: Floats, maximise: bool,
        progress: Progress,
    ) -> None:  # fmt: skip
        number = {s: i for i, s in enumerate(inside)}
        self.inside, self.outside = len(inside), []
        self.gain = gain
        choice, row, col, index = [0], [0], [], []
        self.old: list[int] = []
        exact = process.chance.exact
        assert exact is not None
        table: dict[int, int] = {}
        for s in inside:
            for c in range(int(process.choice[s]), int(process.choice[s + 1])):
                edges = range(int(process.row[c]), int(process.row[c + 1]))
                targets = [int(process.col[e]) for e in edges]
                if any(isinf(lower[t]) for t in targets):
                    assert not maximise, "the graph decides this"
                    continue  # never taken by one who wants little
                for e, t in zip(edges, targets, strict=True):
                    if t not in number:
                        number[t] = len(number)
                        self.outside.append(t)
                    col.append(number[t])
                    index.append(table.setdefault(int(process.chance.index[e]), len(table)))
                self.old.append(c)
                row.append(len(col))
            choice.append(len(row) - 1)
        for _ in self.outside:  # these stop, with a choice that is never looked at
            col.append(0)
            index.append(0)
            self.old.append(-1)
            row.append(len(col))
            choice.append(len(row) - 1)
        self.equations = Equations(
            process.name, np.array(choice, np.int64), np.array(row, np.int64),
            np.array(col, np.int32), index, [flint_fraction(exact[i]) for i in table], progress,
        )  # fmt: skip

    def solve(self, bound: Floats, sign: int, endless: int, maximise: bool) -> list[Any]:
        """The value of every open state, given bounds outside; None is infinity."""
        factor = 1 + sign * GAIN_OFF
        earned = None
        if len(self.gain):
            worth = [Fraction(float(self.gain[c])) * factor if c >= 0 else 0 for c in self.old]
            earned = [flint_fraction(Fraction(value)) for value in worth]
        fixed = np.arange(self.equations.states) >= self.inside
        side = Side(self.equations, earned, endless, fixed, None)
        for i, t in enumerate(self.outside):
            known = float(bound[t])
            side.x[self.inside + i] = None if isinf(known) else flint_fraction(Fraction(known))
        side.improve_all(maximise)
        return side.x[: self.inside]


def _outward(value: Any, toward: float) -> float:
    """A fraction as a float that bounds it."""
    if value is None:
        assert toward > 0, "what is infinite the graph has decided"
        return inf
    exact = Fraction(int(value.p), int(value.q))
    try:
        rounded = float(exact)
    except OverflowError:
        return inf if toward > 0 else nextafter(inf, 0.0)
    if (Fraction(rounded) > exact) if toward < 0 else (Fraction(rounded) < exact):
        rounded = nextafter(rounded, toward)
    return max(rounded, 0.0)
