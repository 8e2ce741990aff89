"""What a condition says of single variables: how they compare with numbers, what that leaves."""

from __future__ import annotations

from oddsmith.model.variables import Layout
from oddsmith.rules.prism.expression import Binary, Constant, Expression, Read, Unary

Bounds = dict[int, tuple[int, int]]
"""From variables to the least and the largest value that they can have."""


def operands(e: Expression, operator: str) -> list[Expression]:
    """What a chain of one operator joins: `a & b & c` gives three, however deep the tree.

    >>> x, y = Read(0), Read(1)
    >>> len(operands(Binary("&", Binary("&", x, y), x), "&"))
    3
    """
    found: list[Expression] = []
    todo = [e]
    while todo:
        at = todo.pop()
        if isinstance(at, Binary) and at.operator == operator:
            todo += (at.right, at.left)
        else:
            found.append(at)
    return found


def narrowed(guard: Expression, layout: Layout) -> Bounds:
    """What a guard says about the ranges of variables: `x<5 & y=2`.

    >>> from fractions import Fraction
    >>> from oddsmith.model.variables import Layout, Variable
    >>> five = Constant(Fraction(5))
    >>> narrowed(Binary("<", Read(0), five), Layout([Variable("x", 0, 9)]))
    {0: (0, 4)}
    """
    found: Bounds = {}
    for term in operands(guard, "&"):
        variable, operator, value = comparison(term)
        if variable is None:
            continue
        v = layout.variables[variable]
        lo, hi = found.get(variable, (v.low, v.high))
        if operator in ("=", "<", "<="):
            hi = min(hi, value - (operator == "<"))
        if operator in ("=", ">", ">="):
            lo = max(lo, value + (operator == ">"))
        if lo <= hi:  # otherwise the guard never holds: nothing to say
            found[variable] = lo, hi
    return found


MIRROR = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def comparison(e: Expression) -> tuple[int | None, str, int]:
    """(variable, operator, number) of a comparison of a variable with a whole number.

    A truth value alone is compared with 1, one with `!` with 0; (None, "", 0) if it is neither.
    """
    match e:
        case Binary(operator, Read(variable), Constant(value)) if operator in MIRROR:
            pass
        case Binary(operator, Constant(value), Read(variable)) if operator in MIRROR:
            operator = MIRROR[operator]
        case Read(variable):
            return variable, "=", 1
        case Unary("!", Read(variable)):
            return variable, "=", 0
        case _:
            return None, "", 0
    if value.denominator != 1:
        return None, "", 0
    return variable, operator, value.numerator
