"""Python's functions of numbers, and `isinstance`, on values that are only known in play."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from typing import Any

from oddsmith.model.native.numbers import Whole
from oddsmith.model.step import arithmetic, floats
from oddsmith.model.step.arithmetic import ref
from oddsmith.model.step.builtin_calls import builtin, check_count, computed, looked_at
from oddsmith.model.step.expressions import gathered, operate
from oddsmith.model.step.function import Frame
from oddsmith.model.step.values import (
    Known,
    Real,
    Refused,
    Several,
    Truth,
    Value,
    all_known,
    called,
    shape_of,
)


@builtin(int, operator.index)
def _int(frame: Frame, node: ast.Call) -> Value:
    values = looked_at(frame, node)
    if all_known(values):
        return computed(frame, int, values)
    check_count(frame, values, 1)
    return floats.rounded(frame.code, "trunc", values[0])


@builtin(float)
def _float(frame: Frame, node: ast.Call) -> Value:
    return _real(frame, node, float, lambda value: Real(floats.real(frame.code, value)))


@builtin(math.sqrt)
def _root(frame: Frame, node: ast.Call) -> Value:
    return _real(frame, node, math.sqrt, lambda value: floats.root(frame.code, value))


@builtin(math.floor)
def _floor(frame: Frame, node: ast.Call) -> Value:
    return _real(frame, node, math.floor, lambda v: floats.rounded(frame.code, "floor", v))


@builtin(math.ceil)
def _ceil(frame: Frame, node: ast.Call) -> Value:
    return _real(frame, node, math.ceil, lambda v: floats.rounded(frame.code, "ceil", v))


@builtin(math.trunc)
def _trunc(frame: Frame, node: ast.Call) -> Value:
    return _real(frame, node, math.trunc, lambda v: floats.rounded(frame.code, "trunc", v))


def _real(frame: Frame, node: ast.Call, function: Any, compute: Callable[[Value], Value]) -> Value:
    """A function of one number, by Python where that is known."""
    values = looked_at(frame, node)
    check_count(frame, values, 1)
    if isinstance(values[0], Known):
        return computed(frame, function, values)
    return compute(values[0])


@builtin(bool)
def _bool(frame: Frame, node: ast.Call) -> Value:
    values = looked_at(frame, node)
    check_count(frame, values, 0, 1)
    return frame.code.truth(arithmetic.truth(frame.code, values[0]) if values else "false")


@builtin(abs)
def _abs(frame: Frame, node: ast.Call) -> Value:
    values = looked_at(frame, node)
    check_count(frame, values, 1)
    code = frame.code
    if isinstance(values[0], Known):
        return computed(frame, abs, values)
    if isinstance(values[0], Real):
        return Real(code.op(f"call double @llvm.fabs.f64(double {values[0].ref})"))
    one = arithmetic.number(code, values[0])
    assert isinstance(one, Whole)
    if one.low >= 0:
        return one
    turned = arithmetic.subtract(code, Known(0), one)
    negative = code.op(f"icmp slt i64 {one.ref}, 0")
    picked = code.op(f"select i1 {negative}, i64 {ref(turned)}, i64 {one.ref}")
    return Whole(picked, 0, max(-one.low, one.high) if one.low > -(1 << 63) else (1 << 63) - 1)


@builtin(divmod)
def _divmod(frame: Frame, node: ast.Call) -> Value:
    values = looked_at(frame, node)
    check_count(frame, values, 2)
    parts = [operate(frame, name, *values) for name in ("FloorDiv", "Mod")]
    return gathered(parts, tuple)


@builtin(pow)
def _pow(frame: Frame, node: ast.Call) -> Value:
    values = looked_at(frame, node)
    if len(values) != 2:
        raise Refused("pow with a modulus")
    return operate(frame, "Pow", *values)


@builtin(round)
def _round(frame: Frame, node: ast.Call) -> Value:
    values = looked_at(frame, node)
    if len(values) != 1:
        raise Refused("round with digits")
    if isinstance(values[0], Known):
        return computed(frame, round, values)
    return floats.rounded(frame.code, "rint", values[0])


@builtin(isinstance)
def _isinstance(frame: Frame, node: ast.Call) -> Value:
    values = looked_at(frame, node)
    check_count(frame, values, 2)
    value, kinds = values
    if not isinstance(kinds, Known):
        raise Refused("isinstance of such types")
    match value:
        case Known(known):
            return Known(isinstance(known, kinds.value))
        case Whole() | Truth() | Real():
            sample: Any = {Whole: 0, Truth: False, Real: 0.0}[type(value)]
            return Known(isinstance(sample, kinds.value))
        case Several(_, kind):
            wanted = kinds.value if isinstance(kinds.value, tuple) else (kinds.value,)
            return Known(issubclass(kind, wanted))
    raise Refused(f"isinstance of {called(shape_of(value))}")
