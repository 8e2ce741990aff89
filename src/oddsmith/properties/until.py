"""What a path formula says of a path: all but X come down to U, or to its negation.

With the same window of steps on both sides (Baier & Katoen, sections 5.1.4 and 10.6.1),

    F b = true U b,   G b = !F !b,   a W b = !((a & !b) U (!a & !b)),   a R b = !(!a U !b).

This is the only place that knows these operators: chances, certificates, E and A, quantiles and
paths at random read from it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from oddsmith.properties.syntax import Temporal, Window
from oddsmith.rules.prism.expression import Binary, Expression, Unary


@dataclass(frozen=True)
class UntilFormula:
    """`left U right` within a window, or its negation."""

    left: Expression | None
    """None: it always holds."""
    right: Expression
    window: Window | None
    negated: bool = False


def until_of(path: Expression) -> UntilFormula:
    """A path formula (not X) as an until formula or the negation of one."""
    if isinstance(path, Unary):
        inner = until_of(path.operand)
        return replace(inner, negated=not inner.negated)
    assert isinstance(path, Temporal)
    left, right, window = path.left, path.right, path.windows[0] if path.windows else None
    if path.operator == "G":
        return UntilFormula(None, _not(right), window, True)
    if left is None or path.operator == "U":
        return UntilFormula(left, right, window)
    if path.operator == "W":
        return UntilFormula(_and(left, _not(right)), _and(_not(left), _not(right)), window, True)
    return UntilFormula(_not(left), _not(right), window, True)


def _not(e: Expression) -> Expression:
    return Unary("!", e, type="bool")


def _and(one: Expression, other: Expression) -> Expression:
    return Binary("&", one, other, type="bool")
