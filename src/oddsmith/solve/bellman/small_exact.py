"""Bounds for one component by fractions, where floating point proves nothing.

With chances near the unit roundoff a component may be left once in 10^16 steps: no sum of doubles
tells that from never. Then its equations are solved in fractions (`bellman/in_fractions.py`), once
for the lower bounds of what lies outside and once for the upper ones. The value is monotone in
those, so the answers, rounded outward, bound it. What a choice earns is known as a double next to
the true number, and is moved likewise.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import inf, isinf, nextafter
from typing import Any

from oddsmith.model.amounts import Floats, Ints
from oddsmith.questions import limits
from oddsmith.runtime.progress import Progress
from oddsmith.solve.bellman.bounds import Criterion, Transitions
from oddsmith.solve.bellman.in_fractions import Equation, OnDemand, Side, Solver
from oddsmith.solve.exact.rational import flint_fraction

GAIN_OFF = Fraction(1, 2**50)
"""A gain is a sum of two rounded numbers."""


def solve_in_fractions(
    of: Transitions, states: Ints, criterion: Criterion, lower: Floats, upper: Floats,
    undecided: Any, progress: Progress,
) -> bool:  # fmt: skip
    """Bounds for a component, written to `lower` and `upper`; False if it is too large for it.

    `undecided` says which of its states the graph leaves open; the others have their bounds.
    """
    exact = of.exact
    inside = states[undecided].tolist()
    if exact is None or len(inside) > limits.SMALL_STATES:
        return False
    first, last = of.choice[states[undecided]], of.choice[states[undecided] + 1]
    if (of.row[last] - of.row[first]).sum() > limits.SMALL_TRANSITIONS:
        return False
    chance = OnDemand(lambda i: flint_fraction(exact[i]))
    found = []
    for bound, sign in ((lower, -1), (upper, 1)):
        earned = OnDemand(partial(_moved, criterion.gain, 1 + sign * GAIN_OFF))
        equation = Equation(
            of.choice, of.row, of.col, of.index, chance, earned if len(criterion.gain) else None,
            None if isinf(criterion.endless) else flint_fraction(Fraction(criterion.endless)),
        )  # fmt: skip
        known = OnDemand(partial(_moved, bound, Fraction(1)))
        pick = {s: int(of.choice[s]) for s in inside}
        work = Solver(equation, known, pick, [Side(criterion.maximise)], progress=progress)
        work.component(inside)
        found.append([work.x[s] for s in inside])
    for s, low, high in zip(inside, *found, strict=True):
        lower[s], upper[s] = _outward(low, -inf), _outward(high, inf)
    return True


def _moved(numbers: Floats, factor: Fraction, at: int) -> Any:
    """A float times a factor, as a fraction; None if it is infinite."""
    value = float(numbers[at])
    return None if isinf(value) else flint_fraction(Fraction(value) * factor)


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
