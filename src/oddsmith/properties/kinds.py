"""Types on expressions in properties, by the rules of PRISM's models."""

from __future__ import annotations

from dataclasses import replace

from oddsmith.rules.prism.expression import Binary, Call, Conditional, Expression, Unary
from oddsmith.rules.prism.source import Rejected
from oddsmith.rules.prism.types import (
    binary_type,
    call_type,
    conditional_type,
    in_words,
    unary_type,
)


def with_type(e: Expression) -> Expression:
    """The expression with its type, from operands that have theirs."""
    if isinstance(e, Unary):
        return replace(e, type=unary_type(e.operator, e.operand.type, e.operand.at))
    if isinstance(e, Binary):
        left, right = e.left, e.right
        return replace(e, type=binary_type(e.operator, left.type, right.type, left.at, right.at))
    if isinstance(e, Conditional):
        return replace(e, type=conditional_type(e.test.type, e.yes.type, e.no.type, e.at))
    assert isinstance(e, Call)
    return replace(e, type=call_type(e.function, [a.type for a in e.arguments], e.at))


def need_truth(e: Expression, what: str) -> None:
    """Reject a number where a truth value belongs."""
    if e.type != "bool":
        raise Rejected(f"{what} needs a truth value, and this is {in_words(e.type)}.", e.at)


def need_number(e: Expression, what: str) -> None:
    """Reject a truth value where a number belongs."""
    if e.type == "bool":
        raise Rejected(f"{what} needs a number, and this is a truth value.", e.at)
