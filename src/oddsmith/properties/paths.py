"""The probability of a path formula, in every state.

All operators come down to X and U (`until.py`). A formula is true when its negation is not, and who
wants the one much wants the other little, so max and min are exchanged where U is negated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from oddsmith.model.amounts import Bools
from oddsmith.model.model import Model
from oddsmith.properties.intervals import complement
from oddsmith.properties.syntax import Temporal, Window, whole
from oddsmith.properties.until import until_of
from oddsmith.rules.prism.expression import Expression, Unary
from oddsmith.solve.process.aim import Aim, Values

Truth = Callable[[Expression], Bools]


@dataclass(frozen=True, eq=False)
class Until:
    """`left U right` within a window, or its negation: what all paths but X come down to."""

    left: Bools
    right: Bools
    window: Window | None
    negated: bool


def as_until(process: Model, path: Expression, truth: Truth) -> Until:
    """A path formula (not X) as an until formula or the negation of one."""
    found = until_of(path)
    left = np.ones(process.states, np.bool_) if found.left is None else truth(found.left)
    return Until(left, truth(found.right), found.window, found.negated)


def probability(process: Model, path: Expression, truth: Truth, aim: Aim) -> Values:
    """The probability of a path formula."""
    if isinstance(path, Unary) and path.operator == "!":
        return complement(probability(process, path.operand, truth, _contrary(aim)))
    if isinstance(path, Temporal) and path.operator == "X":
        from oddsmith.solve.process.steps import next_step

        return capped(next_step(process, truth(path.right), aim))
    until = as_until(process, path, truth)
    if until.negated:
        return complement(_until(process, until, _contrary(aim)))
    return _until(process, until, aim)


def capped(values: Values) -> Values:
    """Probabilities: rounding outward does not leave [0, 1]."""
    return replace(
        values, lower=np.clip(values.lower, 0.0, 1.0), upper=np.clip(values.upper, 0.0, 1.0)
    )


def _contrary(aim: Aim) -> Aim:
    return replace(aim, maximise=not aim.maximise)


def _until(process: Model, until: Until, aim: Aim) -> Values:
    left, right, window = until.left, until.right, until.window
    if window is not None and window.reward is not None:
        from oddsmith.properties.budget import within_budget

        return capped(within_budget(process, left, right, window, aim))
    low = 0 if window is None else whole(window.low) or 0
    high = None if window is None else whole(window.high)
    if low == 0 and high is None:
        from oddsmith.solve.process.reach import until as solve

        return capped(solve(process, left, right, aim))
    from oddsmith.solve.process.steps import bounded_until

    return capped(bounded_until(process, left, right, low, high, aim))
