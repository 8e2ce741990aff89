"""The value of an expression without variables, as a fraction."""

from __future__ import annotations

from fractions import Fraction

from oddsmith.rules.prism import arithmetic
from oddsmith.rules.prism.expression import (
    Binary,
    Call,
    Conditional,
    Constant,
    Expression,
    Unary,
)
from oddsmith.rules.prism.source import Rejected


def constant_value(e: Expression) -> Fraction:
    """The value; a truth value is 0 or 1, and an irrational number the float next to it.

    Raises
    ------
    Rejected: if the expression has a variable or a question in it, or no value.
    """
    if isinstance(e, Constant):
        return e.value
    if isinstance(e, Unary):
        value = constant_value(e.operand)
        return Fraction(not value) if e.operator == "!" else -value
    if isinstance(e, Conditional):
        return constant_value(e.yes if constant_value(e.test) else e.no)
    try:
        if isinstance(e, Binary):
            left, right = constant_value(e.left), constant_value(e.right)
            return Fraction(arithmetic.binary(e.operator, left, right))
        if isinstance(e, Call):
            values = [constant_value(a) for a in e.arguments]
            return Fraction(arithmetic.call(e.function, values))
    except arithmetic.ArithmeticFailure as failure:
        raise Rejected(str(failure), e.at) from None
    except (ValueError, OverflowError):
        raise Rejected("This has no finite value.", e.at) from None
    raise Rejected("A constant is needed here, not something that changes.", e.at)
