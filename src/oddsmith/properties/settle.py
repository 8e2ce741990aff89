"""Deciding a comparison from bounds that hold, never by guessing.

The bounds of a number decide `x >= p` unless p lies between them. Then the number is asked for
again with a tighter tolerance, then as a fraction if the model is small enough for that. What is
still open after that is an error that says what is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from oddsmith.errors import LimitError, OddsmithError
from oddsmith.model.amounts import Bools
from oddsmith.model.model import Model
from oddsmith.properties.intervals import compared
from oddsmith.questions import limits
from oddsmith.solve.process.aim import Values

TIGHTEST = 1e-13


@dataclass(frozen=True)
class Precision:
    """How well numbers are to be known."""

    tolerance: float
    exact: bool = False


def ladder(first: Precision, process: Model) -> Iterator[Precision]:
    """Better and better precisions."""
    yield first
    if first.exact:
        return
    if process.states > limits.DECIDED_AT_ONCE and first.tolerance > TIGHTEST:
        yield Precision(max(first.tolerance * 1e-3, TIGHTEST))
    if process.states <= limits.DECIDED_IN_FRACTIONS and process.chance.exact is not None:
        yield Precision(first.tolerance, exact=True)


Sides = Callable[[Precision], tuple[Values, Values]]


def settle(
    process: Model, sides: Sides, relation: str, states: Bools, first: Precision, what: str
) -> Bools:
    """Where `left relation right` holds; outside of `states` the answer means nothing."""
    last: tuple[int, Values, Values] | None = None
    for precision in ladder(first, process):
        try:
            left, right = sides(precision)
        except OddsmithError:
            if last is None:
                raise
            continue
        yes, no = compared(left, relation, right, states)
        open_states = np.flatnonzero(states & ~(yes | no))
        if len(open_states) == 0:
            return yes
        last = (int(open_states[0]), left, right)
        if np.isnan(left.lower[last[0]]) or np.isnan(right.lower[last[0]]):
            break
    assert last is not None
    raise _undecided(process, what, *last)


def _undecided(process: Model, what: str, s: int, left: Values, right: Values) -> LimitError:
    where = process.describe(s)
    if np.isnan(left.lower[s]) or np.isnan(right.lower[s]):
        return LimitError(f"{what} has no answer in the state {where}: a number does not exist.")
    low, high = _shown(left, s), _shown(right, s)
    return LimitError(
        f"{what} cannot be decided in the state {where}: {low} is compared with {high}. "
        f"Ask for a smaller tolerance, or for fractions (exact)."
    )


def _shown(values: Values, s: int) -> str:
    low, high = float(values.lower[s]), float(values.upper[s])
    return repr(low) if low == high else f"a number from {low!r} to {high!r}"
