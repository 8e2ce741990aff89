"""Expressions with names to expressions without: look up, expand, check the type, compute.

Depth and size are limited here, once, so that everything after may walk over an expression
recursively: formulas that use formulas can grow a small text into an astronomical expression.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from oddsmith.rules.prism import arithmetic, syntax, types
from oddsmith.rules.prism.expression import (
    Binary,
    Call,
    Conditional,
    Constant,
    Expression,
    Label,
    Name,
    Read,
    Type,
    Unary,
)
from oddsmith.rules.prism.interpret import evaluate, variables_read
from oddsmith.rules.prism.source import Rejected, did_you_mean

Renames = Mapping[str, str]

MAX_DEPTH = 300
"""Nesting beyond this is an error; long runs of one operator are balanced and do not count."""
MAX_SIZE = 1_000_000
"""Operators and operands of one expression, formulas expanded."""

_NO_RENAMES: Renames = {}


@dataclass(frozen=True)
class _Expanded:
    """A formula's expression, and how much it adds to one that uses it."""

    expression: Expression
    depth: int
    size: int


class Names:
    """What constants, formulas and variables stand for."""

    def __init__(
        self,
        constants: Sequence[syntax.ConstantDeclaration],
        formulas: Sequence[syntax.FormulaDeclaration],
        given: Mapping[str, Constant],
    ) -> None:
        self._declared: dict[str, str] = {}
        self._constants = {x.name: x for x in constants}
        self._formulas = {x.name: x for x in formulas}
        self._variables: dict[str, tuple[int, Type]] = {}
        self._values: dict[str, Expression] = dict(given)
        self._expanded: dict[tuple[str, int], _Expanded] = {}
        self._kept: list[Renames] = []  # so that id() stays theirs
        self._open: dict[str, None] = {}
        self._deepest = 0
        self._size = 0
        for x in constants:
            self._declare(x.name, "constant", x.at)
        for y in formulas:
            self._declare(y.name, "formula", y.at)

    def _declare(self, name: str, what: str, at: int) -> None:
        if name in self._declared:
            raise Rejected(
                f"{name} is declared twice: there is a {self._declared[name]} {name} already.", at
            )
        self._declared[name] = what

    def add_variable(self, name: str, number: int, type_: Type, at: int) -> None:
        """Make a variable known."""
        self._declare(name, "variable", at)
        self._variables[name] = number, type_

    def variable(self, name: str, at: int) -> int:
        """The number of a variable that something wants to change."""
        if name in self._variables:
            return self._variables[name][0]
        if name in self._declared:
            raise Rejected(f"{name} is a {self._declared[name]} and cannot be changed.", at)
        hint = did_you_mean(name, self._variables)
        raise Rejected(f"There is no variable {name}.{hint}", at)

    def constant(self, name: str) -> Expression:
        """The value of a constant; a call only where it is not exact."""
        known = self._values.get(name)
        if known is not None:
            return known
        declared = self._constants[name]
        if declared.value is None:
            raise Rejected(f"Constant {name} has no value.", declared.at)
        self._begin(name, declared.at)
        size, deepest = self._size, self._deepest
        value = self.expression(declared.value)
        self._size, self._deepest = size, deepest
        del self._open[name]
        self._values[name] = value = self._typed_constant(declared, value)
        return value

    def _typed_constant(
        self, declared: syntax.ConstantDeclaration, value: Expression
    ) -> Expression:
        assert declared.value is not None
        at, name = declared.value.at, declared.name
        if not types.fits(value.type, declared.type):
            raise Rejected(
                f"Constant {name} is {types.in_words(declared.type)}, "
                f"and its value is {types.in_words(value.type)}.",
                at,
            )
        if not isinstance(value, Constant):
            if variables_read(value):
                raise Rejected(f"The value of constant {name} cannot use variables.", at)
            evaluate(value, ())  # an error here, where it is declared, not where it is used
            if declared.type != "double":
                return Constant(Fraction(evaluate(value, ())), at=at, type=declared.type)
        return value if value.type == declared.type else replace(value, type=declared.type)

    def _begin(self, name: str, at: int) -> None:
        if name in self._open:
            chain = [*list(self._open)[list(self._open).index(name) :], name]
            raise Rejected(f"{name} is defined by itself: {' → '.join(chain)}.", at)
        if len(self._open) > MAX_DEPTH // 3:
            raise Rejected(
                f"{name} is defined through more than {MAX_DEPTH // 3} others that come later.", at
            )
        self._open[name] = None

    def expression(self, written: Expression, renames: Renames = _NO_RENAMES) -> Expression:
        """An expression without names, typed, its constant parts computed."""
        if not self._open:
            self._size = self._deepest = 0
        try:
            return self._resolve(written, renames, 0)
        except RecursionError:
            raise Rejected("This expression is nested too deeply.", written.at) from None

    def _resolve(self, e: Expression, renames: Renames, depth: int) -> Expression:
        self._size += 1
        if depth > self._deepest:
            self._deepest = depth
            if depth > MAX_DEPTH:
                raise Rejected(f"This is nested more than {MAX_DEPTH} deep.", e.at)
        if isinstance(e, Binary):
            return self._binary(
                e,
                self._resolve(e.left, renames, depth + 1),
                self._resolve(e.right, renames, depth + 1),
            )
        if isinstance(e, Constant):
            return e
        if isinstance(e, Name):
            return self._name(e, renames, depth)
        if isinstance(e, Unary):
            operand = self._resolve(e.operand, renames, depth + 1)
            type_ = types.unary_type(e.operator, operand.type, e.operand.at)
            return _fold(Unary(e.operator, operand, at=e.at, type=type_), (operand,))
        if isinstance(e, Conditional):
            return _conditional(
                e,
                self._resolve(e.test, renames, depth + 1),
                self._resolve(e.yes, renames, depth + 1),
                self._resolve(e.no, renames, depth + 1),
            )
        if isinstance(e, Call):
            arguments = tuple([self._resolve(x, renames, depth + 1) for x in e.arguments])
            type_ = types.call_type(e.function, [x.type for x in arguments], e.at)
            return _fold(Call(e.function, arguments, at=e.at, type=type_), arguments)
        if isinstance(e, Label):
            raise Rejected("Labels cannot be used inside a model's expressions.", e.at)
        raise TypeError(e)

    def _binary(self, e: Binary, left: Expression, right: Expression) -> Expression:
        operator = e.operator
        type_ = types.binary_type(operator, left.type, right.type, e.left.at, e.right.at)
        if isinstance(left, Constant):
            if operator == "&":
                return right if left.value else left
            if operator == "|":
                return left if left.value else right
            if operator == "=>" and not left.value:
                return Constant(Fraction(1), at=e.at, type="bool")
            if isinstance(right, Constant):
                return _fold(Binary(operator, left, right, at=e.at, type=type_), (left, right))
        return Binary(operator, left, right, at=e.at, type=type_)

    def _name(self, e: Name, renames: Renames, depth: int) -> Expression:
        name = e.name
        renamed = renames.get(name)
        if renamed is not None:
            name = renamed
        variable = self._variables.get(name)
        if variable is not None:
            return Read(variable[0], at=e.at, type=variable[1])
        if name in self._constants:
            value = self.constant(name)
            if isinstance(value, Constant):
                return Constant(value.value, at=e.at, type=value.type)
            return value
        if name in self._formulas:
            inside = _NO_RENAMES if renamed is not None else renames
            return self._formula(name, inside, depth, e.at)
        hint = did_you_mean(name, self._declared)
        raise Rejected(f"There is no constant, variable or formula {name}.{hint}", e.at)

    def _formula(self, name: str, renames: Renames, depth: int, at: int) -> Expression:
        known = self._expanded.get((name, id(renames)))
        if known is None:
            self._begin(name, at)
            outside_size, outside_depth = self._size, self._deepest
            self._size = 0
            self._deepest = depth
            expression = self._resolve(self._formulas[name].value, renames, depth)
            known = _Expanded(expression, self._deepest - depth, self._size)
            self._size, self._deepest = outside_size, max(outside_depth, self._deepest)
            del self._open[name]
            self._expanded[name, id(renames)] = known
            self._kept.append(renames)
        self._size += known.size
        self._deepest = max(self._deepest, depth + known.depth)
        if self._size > MAX_SIZE:
            raise Rejected(f"With its formulas expanded this has more than {MAX_SIZE:,} parts.", at)
        if self._deepest > MAX_DEPTH:
            raise Rejected(f"With its formulas this is nested more than {MAX_DEPTH} deep.", at)
        return known.expression


def _conditional(e: Conditional, test: Expression, yes: Expression, no: Expression) -> Expression:
    type_ = types.conditional_type(test.type, yes.type, no.type, e.at)
    if isinstance(test, Constant):
        chosen = yes if test.value else no
        return chosen if chosen.type == type_ else replace(chosen, type=type_)
    return Conditional(test, yes, no, at=e.at, type=type_)


def _fold(expression: Expression, operands: Sequence[Expression]) -> Expression:
    """The value, where all operands are constant and the value is exact.

    A sum without an answer stays as it is: it is an error only where play comes to it. A rounded
    value is whole, and so is exact even where what it rounds is not.
    """
    rounds = isinstance(expression, Call) and expression.function in ("floor", "ceil", "round")
    if not all(isinstance(x, Constant) for x in operands) and not (
        rounds and _is_inexact_constant(operands[0])
    ):
        return expression
    try:
        value = evaluate(expression, ())
    except Rejected:
        return expression
    if not arithmetic.is_exact(value):
        return expression
    return Constant(Fraction(value), at=expression.at, type=expression.type)


def _is_inexact_constant(expression: Expression) -> bool:
    """A log or a root of constants, alone."""
    return isinstance(expression, Call) and all(
        isinstance(x, Constant) for x in expression.arguments
    )
