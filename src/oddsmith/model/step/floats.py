"""Floats inside rules, as Python computes them: in double precision, without shortcuts.

Whole numbers become floats where Python makes them so; beyond 2^53 that would round, and the rule
stops instead. Division of two whole numbers below is rounded once, as Python's is.
"""

from __future__ import annotations

from oddsmith.model.native.numbers import COMPARED, literal
from oddsmith.model.step import arithmetic
from oddsmith.model.step.code import Code, bounds
from oddsmith.model.step.values import Known, Real, Refused, Value

EXACT = 1 << 53
_INSTRUCTIONS = {"Add": "fadd", "Sub": "fsub", "Mult": "fmul", "Div": "fdiv"}


def is_real(value: Value) -> bool:
    """Whether a value is a float."""
    return isinstance(value, Real) or (isinstance(value, Known) and type(value.value) is float)


def real(code: Code, value: Value) -> str:
    """A number as a float: the word."""
    value = arithmetic.present(code, value)
    if isinstance(value, Real):
        return value.ref
    if isinstance(value, Known) and type(value.value) is float:
        return literal(value.value)
    number = arithmetic.number(code, value)
    if isinstance(number, Known):
        if abs(number.value) > EXACT:
            raise Refused(f"the number {number.value} as a float, which rounds,")
        return literal(float(number.value))
    low, high = bounds(number)
    if low < -EXACT or high > EXACT:
        shifted = code.op(f"add i64 {number.ref}, {EXACT}")
        code.fail_if(code.op(f"icmp ugt i64 {shifted}, {2 * EXACT}"))
    return code.double(number)


def operate(code: Code, name: str, one: Value, other: Value) -> Value:
    """An operator whose result is a float."""
    if name not in _INSTRUCTIONS:
        raise Refused(f"the operator {name} of floats")
    a, b = real(code, one), real(code, other)
    if name == "Div":
        code.fail_if(code.op(f"fcmp oeq double {b}, 0.0"))
    return Real(code.op(f"{_INSTRUCTIONS[name]} double {a}, {b}"))


def compare(code: Code, name: str, one: Value, other: Value) -> str:
    """A comparison of floats, or of a float and a whole number: the word."""
    how = "eq" if name == "Eq" else arithmetic.SIGNED[name]
    a, b = real(code, one), real(code, other)
    if name in ("Gt", "GtE"):
        a, b = b, a
    return code.op(f"fcmp {COMPARED[how]} double {a}, {b}")


def rounded(code: Code, how: str, value: Value) -> Value:
    """`floor`, `ceil`, `rint` (to the nearest, halves to even) or `trunc`, as a whole number."""
    if not is_real(value):
        return arithmetic.number(code, value)
    ref = real(code, value)
    return code.cut(code.op(f"call double @llvm.{how}.f64(double {ref})"))


def root(code: Code, value: Value) -> Real:
    """The square root; fails below zero."""
    ref = real(code, value)
    code.fail_if(code.op(f"fcmp olt double {ref}, 0.0"))
    return Real(code.op(f"call double @llvm.sqrt.f64(double {ref})"))
