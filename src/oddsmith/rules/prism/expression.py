"""Expressions of the PRISM language, as syntax trees.

The parser makes them, with names; elaboration replaces constants by numbers, formulas by what they
stand for and variables by `Read`, and puts a type on every node. Everything after elaboration
(interpreter, compiler, export) sees literals, reads and operators only.

Types are "int", "double" and "bool". Numbers are fractions, however they were written: 0.1 is a
tenth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

Type = Literal["int", "double", "bool"]

ARITHMETIC = ("+", "-", "*", "/")
FUNCTIONS = ("min", "max", "floor", "ceil", "round", "pow", "mod", "log")


@dataclass(frozen=True)
class Expression:
    """Any expression: where it begins in its text (an offset), and its type once elaborated."""

    at: int = field(default=0, compare=False, kw_only=True)
    type: Type = field(default="int", compare=False, kw_only=True)


@dataclass(frozen=True)
class Constant(Expression):
    """A number, or a truth value (type "bool": 0 or 1)."""

    value: Fraction


@dataclass(frozen=True)
class Name(Expression):
    """A constant, variable or formula by its name; gone after elaboration."""

    name: str


@dataclass(frozen=True)
class Label(Expression):
    """A label in quotation marks, in properties only; gone after elaboration where possible."""

    name: str


@dataclass(frozen=True)
class Read(Expression):
    """The value of a variable, by its number in the program."""

    variable: int


@dataclass(frozen=True)
class Unary(Expression):
    """`-x` or `!x`."""

    operator: str
    operand: Expression


@dataclass(frozen=True)
class Binary(Expression):
    """ARITHMETIC, comparison (`= != < <= > >=`) or logic (`& | => <=>`).

    `/` is never whole-number division.
    """

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Conditional(Expression):
    """`test ? yes : no`."""

    test: Expression
    yes: Expression
    no: Expression


@dataclass(frozen=True)
class Call(Expression):
    """One of FUNCTIONS."""

    function: str
    arguments: tuple[Expression, ...]


def parts(e: Expression) -> tuple[Expression, ...]:
    """What an operator, a condition or a function is applied to; nothing of anything else."""
    match e:
        case Unary():
            return (e.operand,)
        case Binary():
            return (e.left, e.right)
        case Conditional():
            return (e.test, e.yes, e.no)
        case Call():
            return e.arguments
    return ()


def walk(e: Expression) -> Iterator[Expression]:
    """An expression and all its operands; what stands in a question's brackets is none of them."""
    waiting = [e]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += parts(one)


def rebuilt(e: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The same operator, condition or function of changed operands; anything else as it is."""
    match e:
        case Unary():
            return replace(e, operand=change(e.operand))
        case Binary():
            return replace(e, left=change(e.left), right=change(e.right))
        case Conditional():
            return replace(e, test=change(e.test), yes=change(e.yes), no=change(e.no))
        case Call():
            return replace(e, arguments=tuple(map(change, e.arguments)))
    return e
