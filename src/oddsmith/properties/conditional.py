"""Conditional probabilities: how likely a path formula is, given that another one holds.

Both formulas are `l U r` or the negation of one. In a chain P(φ | ψ) = P(φ & ψ) / P(ψ), and the
joint probability needs no product of formulas: play until the first state in which one of the two
is decided. There it is known what is left, namely the probability of the other from there on.
With φ = l U r and ψ = k U q that state is worth

    P(ψ) where r holds,   otherwise P(φ) where q holds,   otherwise nothing (one has failed),

and with the negation of k U q as the condition: nothing where q holds, otherwise 1 - P(k U q)
where r holds, otherwise P(φ) where k fails. If nothing is ever decided, φ fails. A negated φ is
one minus the probability of the other.

In a decision process the best policy remembers; see reset.py.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from oddsmith.errors import OptionError
from oddsmith.model.model import Model
from oddsmith.properties import intervals
from oddsmith.properties.paths import Truth, Until, as_until, capped
from oddsmith.properties.syntax import Given, Temporal
from oddsmith.rules.prism.expression import Expression, Unary
from oddsmith.solve.process.aim import Aim, Values
from oddsmith.solve.process.reach import terminal, until


def conditional_probability(process: Model, given: Given, truth: Truth, aim: Aim) -> Values:
    """P(path | condition) in every state; NaN where the condition has probability 0."""
    path, condition = (_decidable(process, p, truth) for p in (given.path, given.condition))
    if not process.is_chain:
        from oddsmith.properties.reset import best_conditional

        return best_conditional(process, path, condition, aim)
    if path.negated:
        other = _in_chain(process, replace(path, negated=False), condition, aim)
        return intervals.complement(other)
    return _in_chain(process, path, condition, aim)


def _decidable(process: Model, path: Expression, truth: Truth) -> Until:
    inner = path
    while isinstance(inner, Unary):
        inner = inner.operand
    assert isinstance(inner, Temporal)
    if inner.operator == "X" or inner.windows:
        raise OptionError(
            "Conditional probabilities are for F, G, U, W and R without bounds on steps or rewards."
        )
    return as_until(process, path, truth)


def _in_chain(process: Model, path: Until, condition: Until, aim: Aim) -> Values:
    of_path = capped(until(process, path.left, path.right, aim))
    of_condition = capped(until(process, condition.left, condition.right, aim))
    if condition.negated:
        of_condition = intervals.complement(of_condition)
    stop = path.right | condition.right | ~path.left | ~condition.left
    nothing = intervals.constant(Fraction(0), process.states)
    if condition.negated:
        later = intervals.where(~condition.left, of_path, nothing)
        worth = intervals.where(path.right, of_condition, later)
        worth = intervals.where(condition.right, nothing, worth)
    else:
        later = intervals.where(condition.right, of_path, nothing)
        worth = intervals.where(path.right, of_condition, later)
    exact = None if worth.exact is None else [Fraction(x) for x in worth.exact]
    both = terminal(process, stop, worth.lower, worth.upper, aim, exact)
    quotient = intervals.divide(capped(both), of_condition)
    lower = np.where(np.isneginf(quotient.lower), 0.0, np.maximum(quotient.lower, 0.0))
    upper = np.where(np.isposinf(quotient.upper), 1.0, np.minimum(quotient.upper, 1.0))
    return replace(quotient, lower=lower, upper=upper, how=both.how)
