"""Properties as syntax trees: PRISM's expressions, and the operators that ask about the future.

A property is an expression in which operators may stand that have a value in every state: a
probability `P`, an expected reward `R`, a long-run share `S`, and `E`/`A` of the logic CTL. With
a bound (`P>=0.9 [...]`) such an operator is a truth value, without one (`P=? [...]`) a number.
Between its brackets is a path formula: one temporal operator whose operands are state formulas,
which may ask again.

References
----------
H. Hansson and B. Jonsson, A logic for reasoning about time and reliability, Formal Asp. Comput. 6
    (1994) 512-535: PCTL.
The PRISM manual, Property Specification (prismmodelchecker.org/manual).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from oddsmith.rules.prism.expression import Constant, Expression

Optimum = Literal["min", "max"]
RESERVED = (
    "A", "C", "E", "F", "G", "I", "LRA", "P", "Pmax", "Pmin", "R", "Rmax", "Rmin", "S", "U", "W",
    "X", "const", "filter", "formula", "label", "multi", "quantile",
)  # fmt: skip
"""Words of the property language, which are no names."""


@dataclass(frozen=True)
class Window:
    """When a temporal operator counts: a comparison with a number of steps, or of a reward.

    `low` and `high` are the ends, None where there is none; a strict end is itself left out.
    """

    low: Expression | None
    high: Expression | None
    low_strict: bool = False
    high_strict: bool = False
    reward: str | None = None
    """The reward structure that is added up; None: steps are counted."""
    at: int = 0


def whole(constant: Expression | None) -> int | None:
    """The number of a resolved constant."""
    return None if constant is None else int(cast(Constant, constant).value)


@dataclass(frozen=True)
class Temporal(Expression):
    """`X b`, `F b`, `G b`, `a U b`, `a W b` or `a R b`, perhaps within windows."""

    operator: str
    left: Expression | None
    right: Expression
    windows: tuple[Window, ...] = ()


@dataclass(frozen=True)
class Given(Expression):
    """`path || condition`: the probability of one under the condition that the other holds."""

    path: Expression
    condition: Expression


@dataclass(frozen=True)
class Coalition:
    """`<<a, b>>` or `[[a, b]]`: players by their names or numbers; `*` is everybody."""

    players: tuple[str, ...]
    exists: bool
    at: int = 0


@dataclass(frozen=True)
class Question(Expression):
    """`P`, `R` or `S`: a number in every state, or whether it keeps within a bound."""

    kind: Literal["P", "R", "S"]
    body: Expression
    optimum: Optimum | None = None
    relation: str | None = None
    """`>=`, `>`, `<=` or `<`; None for `=?`."""
    bound: Expression | None = None
    reward: str | Expression | None = None
    """For R, the reward structure by its name or number; None: the first one."""
    coalition: Coalition | None = None


@dataclass(frozen=True)
class Quantified(Expression):
    """`E [path]` or `A [path]`: whether some path, or every path, satisfies the formula."""

    quantifier: Literal["E", "A"]
    path: Expression


@dataclass(frozen=True)
class Filter(Expression):
    """`filter(operator, operand, states)`: one answer out of the answers of many states."""

    operator: str
    operand: Expression
    states: Expression | None


@dataclass(frozen=True)
class Quantile(Expression):
    """`quantile(min k, P>=0.9 [F<=k "done"])`: the least or greatest k for which it holds."""

    optimum: Optimum
    name: str
    operand: Expression


@dataclass(frozen=True)
class Property:
    """A property: its name (empty without one), its tree, its text."""

    name: str
    expression: Expression
    text: str
    at: int = 0
    end: int = 0


@dataclass(frozen=True)
class Declaration:
    """`const int k = 3;`: value is None where it must be given from outside."""

    name: str
    type: str
    value: Expression | None
    at: int = 0


@dataclass(frozen=True)
class PropertyFile:
    """What a property file says."""

    text: str
    source: str
    """What the text is called: a file's name."""
    properties: tuple[Property, ...]
    constants: tuple[Declaration, ...] = ()
    labels: tuple[tuple[str, Expression, int], ...] = ()
    formulas: tuple[tuple[str, Expression, int], ...] = ()
