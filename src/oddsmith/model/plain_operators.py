# mypy: disable-error-code="untyped-decorator"
"""Operators of compiled rules that mean what they mean in Python, or stop.

Numba's own wrap at 64 bits in silence, shift by any number, give whole numbers where Python gives
fractions, and compare large whole numbers with floats after rounding them. Here every operator is
taken by the types of its operands:

- whole numbers and truth values: the mathematical result, or an `OverflowError` if that does not
  fit into 64 bits (LLVM's `llvm.sadd.with.overflow` and its like); what Python raises is raised;
- floats: `+ - * /` and comparisons, which are IEEE 754 in both; beside a whole number, that number
  must be one that a float holds exactly (at most 2^53), or the rule stops;
- tuples, lists, texts, None: what Numba has for them and is the same in Python.

Everything else is refused by name while the rule is being compiled. A rule that stops here is
played again by the interpreter, which knows what Python says.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir as llvm
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic

REFUSED = "Not compiled: "
"""How a refusal begins, so that it is found in Numba's long messages."""

BEYOND = "a number beyond 64 bits"
INEXACT = "a whole number that a float cannot hold"

SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%", "truediv": "/", "pow": "**",
    "lshift": "<<", "rshift": ">>", "and_": "&", "or_": "|", "xor": "^", "eq": "==", "ne": "!=",
    "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "is_": "is", "is_not": "is not",
    "contains": "in", "neg": "-", "pos": "+", "invert": "~", "not_": "not",
}  # fmt: skip

WHOLE = types.Integer | types.Boolean


def called(kind: Any) -> str:
    """What people call a type of Numba's."""
    kind = types.unliteral(kind)
    if isinstance(kind, types.BaseTuple):
        name = getattr(kind, "instance_class", tuple).__name__
        return f"a {name} of {len(kind.types)}" if len(kind.types) else f"an empty {name}"
    simple = {
        types.Boolean: "a truth value",
        types.Integer: "a whole number",
        types.Float: "a float",
        types.NoneType: "None",
        types.Optional: "what may be None",
        types.UnicodeType: "a text",
        types.List: "a list",
        types.Array: "an array",
    }
    return next((text for known, text in simple.items() if isinstance(kind, known)), str(kind))


def refuse(what: str) -> TypingError:
    """The error for what is not compiled, because it would mean something else."""
    return TypingError(REFUSED + what)


def is_exact(kind: Any) -> bool:
    """Whether values of a type are whole numbers, truth values, texts, or made of these alone."""
    if isinstance(kind, types.BaseTuple):
        return all(is_exact(part) for part in kind.types)
    if isinstance(kind, types.List):
        return is_exact(kind.dtype)
    return isinstance(kind, WHOLE | types.UnicodeType | types.RangeType | types.IntEnumMember)


def changes(old: Any, new: Any) -> bool:
    """Whether a value of one type becomes another to Python when it is taken for the other."""
    old, new = types.unliteral(old), types.unliteral(new)
    if isinstance(new, types.Optional):
        return not isinstance(old, types.NoneType) and changes(getattr(old, "type", old), new.type)
    if isinstance(old, types.BaseTuple) and isinstance(new, types.BaseTuple):
        return any(changes(*pair) for pair in zip(old.types, new.types, strict=True))
    if isinstance(old, types.List) and isinstance(new, types.List):
        return changes(old.dtype, new.dtype)
    known = (types.Boolean, types.Integer, types.Float)
    return [isinstance(old, kind) for kind in known] != [isinstance(new, kind) for kind in known]


# How each operator is made ----------------------------------------------------------------------


def _stop(context: Any, builder: Any, bad: Any, error: type, text: str) -> None:
    with builder.if_then(bad, likely=False):
        context.call_conv.return_user_exc(builder, error, (text,))


def _wide(context: Any, builder: Any, sig: Any, args: Any) -> list[Any]:
    """Both operands as 64-bit numbers."""
    kinds = zip(args, sig.args, strict=True)
    return [context.cast(builder, value, kind, types.int64) for value, kind in kinds]


def _with_overflow(name: str) -> Callable[..., Any]:
    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pair = getattr(builder, f"{name}_with_overflow")(*_wide(context, builder, sig, args))
        _stop(context, builder, builder.extract_value(pair, 1), OverflowError, BEYOND)
        return builder.extract_value(pair, 0)

    return generate


def _divide(context: Any, builder: Any, sig: Any, args: Any, remainder: bool) -> Any:
    """Floored division; the smallest number divided by -1 does not fit."""
    left, right = _wide(context, builder, sig, args)
    zero, one = left.type(0), left.type(1)
    text = "division by zero"
    _stop(context, builder, builder.icmp_signed("==", right, zero), ZeroDivisionError, text)
    least = builder.icmp_signed("==", left, left.type(-(1 << 63)))
    turned = builder.icmp_signed("==", right, left.type(-1))
    _stop(context, builder, builder.and_(least, turned), OverflowError, BEYOND)
    quotient = builder.sdiv(left, right)
    rest = builder.sub(left, builder.mul(quotient, right))
    differ = builder.icmp_signed("<", builder.xor(rest, right), zero)
    low = builder.and_(builder.icmp_signed("!=", rest, zero), differ)
    if remainder:
        return builder.select(low, builder.add(rest, right), rest)
    return builder.select(low, builder.sub(quotient, one), quotient)


def _floordiv(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _divide(context, builder, sig, args, remainder=False)


def _mod(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _divide(context, builder, sig, args, remainder=True)


def _power(base: int, exponent: int) -> int:
    if exponent < 0:
        raise OverflowError("a negative power of a whole number, which is no whole number")
    result = 1
    while exponent > 0:
        if exponent % 2 == 1:
            result = _checked_product(result, base)
        exponent //= 2
        if exponent > 0:
            base = _checked_product(base, base)
    return result


def _pow(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    wide = _wide(context, builder, sig, args)
    whole = types.int64(types.int64, types.int64)
    return context.compile_internal(builder, _power, whole, wide)


def _lshift(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    left, right = _shifted(context, builder, sig, args)
    zero = left.type(0)
    far = builder.icmp_signed(">", right, left.type(62))
    least = builder.select(far, left.type(62), right)
    result = builder.shl(left, least)
    lost = builder.icmp_signed("!=", builder.ashr(result, least), left)
    some = builder.icmp_signed("!=", left, zero)
    _stop(context, builder, builder.or_(lost, builder.and_(far, some)), OverflowError, BEYOND)
    return result


def _rshift(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    left, right = _shifted(context, builder, sig, args)
    far = builder.icmp_signed(">", right, left.type(63))
    return builder.ashr(left, builder.select(far, left.type(63), right))


def _shifted(context: Any, builder: Any, sig: Any, args: Any) -> list[Any]:
    wide = _wide(context, builder, sig, args)
    negative = builder.icmp_signed("<", wide[1], wide[1].type(0))
    _stop(context, builder, negative, ValueError, "negative shift count")
    return wide


def _bits(name: str) -> Callable[..., Any]:
    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = sig.return_type
        pairs = zip(args, sig.args, strict=True)
        return getattr(builder, name)(*(context.cast(builder, v, k, kind) for v, k in pairs))

    return generate


def _neg(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    (value,) = _wide(context, builder, sig, args)
    pair = builder.ssub_with_overflow(value.type(0), value)
    _stop(context, builder, builder.extract_value(pair, 1), OverflowError, BEYOND)
    return builder.extract_value(pair, 0)


def _pos(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _wide(context, builder, sig, args)[0]


def _invert(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.not_(_wide(context, builder, sig, args)[0])


def _compare(sign: str) -> Callable[..., Any]:
    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.icmp_signed(sign, *_wide(context, builder, sig, args))

    return generate


COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
WHOLE_ARITHMETIC = (
    "add", "sub", "mul", "floordiv", "mod", "pow", "lshift", "rshift", "and_", "or_", "xor",
)  # fmt: skip

WHOLE_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": _with_overflow("sadd"),
    "sub": _with_overflow("ssub"),
    "mul": _with_overflow("smul"),
    "floordiv": _floordiv,
    "mod": _mod,
    "pow": _pow,
    "lshift": _lshift,
    "rshift": _rshift,
    "and_": _bits("and_"),
    "or_": _bits("or_"),
    "xor": _bits("xor"),
    "neg": _neg,
    "pos": _pos,
    "invert": _invert,
} | {name: _compare(SYMBOLS[name]) for name in COMPARISONS}
FLOAT_OPERATORS = ("add", "sub", "mul", "truediv", "neg", "pos", *COMPARISONS)


def _float_of(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """An operand as a float; a whole number must be one that a float holds exactly."""
    if isinstance(kind, types.Float):
        return value
    wide = context.cast(builder, value, kind, types.int64)
    limit = wide.type(1 << 53)
    large = builder.icmp_signed(">", wide, limit)
    small = builder.icmp_signed("<", wide, builder.neg(limit))
    _stop(context, builder, builder.or_(large, small), OverflowError, INEXACT)
    return context.cast(builder, wide, types.int64, types.float64)


def _delegate(typing_context: Any, name: str, kinds: tuple[Any, ...]) -> Any:
    """Numba's own operator for these types: its signature, and how it is called."""
    function = typing_context.resolve_value_type(getattr(operator, name))
    found = function.get_call_type(typing_context, kinds, {})

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        implementation = context.get_function(function, found)
        context.add_linking_libs(getattr(implementation, "libs", ()))
        pairs = zip(args, sig.args, found.args, strict=True)
        values = [context.cast(builder, value, had, takes) for value, had, takes in pairs]
        return implementation(builder, values)

    return found.return_type(*kinds), generate


def _on_floats(typing_context: Any, name: str, kinds: tuple[Any, ...]) -> Any:
    floats = tuple(types.float64 for _ in kinds)
    made, generate = _delegate(typing_context, name, floats)

    def exactly(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pairs = zip(sig.args, args, strict=True)
        values = [_float_of(context, builder, kind, value) for kind, value in pairs]
        return generate(context, builder, made, values)

    return made.return_type(*kinds), exactly


def _resolve(typing_context: Any, name: str, kinds: tuple[Any, ...], in_place: bool) -> Any:
    """How an operator is compiled for operands of these types; refused if it would differ."""
    names = " and ".join(called(kind) for kind in kinds)
    refusal = refuse(f"the operator {SYMBOLS[name]} of {names}")
    numbers = all(isinstance(kind, WHOLE | types.Float) for kind in kinds)
    if all(isinstance(kind, WHOLE) for kind in kinds) and name in WHOLE_OPERATORS:
        truths = all(isinstance(kind, types.Boolean) for kind in kinds)
        if name == "invert" and truths:
            raise refusal
        truth = name in COMPARISONS or (truths and name in ("and_", "or_", "xor"))
        return (types.boolean if truth else types.int64)(*kinds), WHOLE_OPERATORS[name]
    if numbers and name in FLOAT_OPERATORS:
        return _on_floats(typing_context, name, kinds)
    if numbers and name == "not_":
        return _delegate(typing_context, name, kinds)
    if name in ("is_", "is_not") and any(isinstance(kind, types.NoneType) for kind in kinds):
        return _delegate(typing_context, name, kinds)
    if in_place and not all(isinstance(kind, types.BaseTuple) for kind in kinds):
        raise refusal
    if not all(is_exact(kind) for kind in kinds) or numbers:
        raise refusal
    repeated = name == "mul" and any(isinstance(kind, types.List) for kind in kinds)
    if name in ("contains", "add", *COMPARISONS) or repeated:
        return _delegate(typing_context, name, kinds)
    raise refusal


def _made(name: str, in_place: bool = False) -> Any:
    """An operator as a function that compiled rules call."""
    if name in ("neg", "pos", "invert", "not_"):

        def unary(typing_context: Any, value: Any) -> Any:
            return _resolve(typing_context, name, (value,), in_place)

        return intrinsic(unary)

    def binary(typing_context: Any, left: Any, right: Any) -> Any:
        return _resolve(typing_context, name, (left, right), in_place)

    return intrinsic(binary)


PLAIN: dict[Any, Any] = {getattr(operator, name): _made(name) for name in SYMBOLS}
IN_PLACE: dict[Any, Any] = {
    getattr(operator, f"i{name.rstrip('_')}"): _made(name, in_place=True)
    for name in (*WHOLE_ARITHMETIC, "truediv")
}
"""What stands for each operator of Python in a compiled rule."""

_checked_product = PLAIN[operator.mul]


@intrinsic
def whole(typing_context: Any, value: Any) -> Any:
    """`int(value)`: of a float, if the result has at most 63 bits."""
    if isinstance(value, WHOLE):
        return types.int64(value), _pos
    if not isinstance(value, types.Float):
        raise refuse(f"int of {called(value)}")

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        number = context.cast(builder, args[0], sig.args[0], types.float64)
        limit = llvm.Constant(number.type, 2.0**63)
        inside = builder.and_(
            builder.fcmp_ordered("<", number, limit),
            builder.fcmp_ordered(">", number, llvm.Constant(number.type, -(2.0**63))),
        )
        _stop(context, builder, builder.not_(inside), OverflowError, BEYOND)
        return builder.fptosi(number, llvm.IntType(64))

    return types.int64(value), generate


@intrinsic
def decimal(typing_context: Any, value: Any) -> Any:
    """`float(value)`: of a whole number, if a float holds it."""
    if not isinstance(value, WHOLE | types.Float):
        raise refuse(f"float of {called(value)}")

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _float_of(context, builder, sig.args[0], args[0])

    return types.float64(value), generate
