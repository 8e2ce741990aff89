"""Whole numbers and truth values as Python computes them: checked, with floors, without wrapping.

Bounds that are known decide which operations cannot leave 64 bits and need no check.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeGuard

from oddsmith.model.native.numbers import LEAST, LONGEST_PRODUCT, MOST, Whole, fixed
from oddsmith.model.step.code import Code, bounds
from oddsmith.model.step.values import (
    Known,
    Maybe,
    Pick,
    Real,
    Refused,
    Several,
    Truth,
    Value,
    called,
    items_of,
    same,
    shape_of,
)

Number = Known | Whole

PLAIN: dict[str, Callable[..., Any]] = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "Pow": operator.pow,
    "LShift": operator.lshift,
    "RShift": operator.rshift,
    "BitAnd": operator.and_,
    "BitOr": operator.or_,
    "BitXor": operator.xor,
    "MatMult": operator.matmul,
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "USub": operator.neg,
    "UAdd": operator.pos,
    "Invert": operator.invert,
}
"""What the operators do, by the names of the syntax tree."""


def is_number(value: Value) -> bool:
    """Whether Python computes with it as with a whole number."""
    return isinstance(value, Whole | Truth) or (
        isinstance(value, Known) and isinstance(value.value, int)
    )


def present(code: Code, value: Value) -> Value:
    """A value where None would raise: fails for it."""
    if isinstance(value, Maybe):
        code.fail_if(value.none)
        return value.value
    return value


def number(code: Code, value: Value) -> Number:
    """A value as a whole number: True is 1."""
    value = present(code, value)
    if isinstance(value, Truth):
        return code.counted(value.ref)
    if isinstance(value, Whole):
        return value
    if isinstance(value, Known) and isinstance(value.value, int):
        whole = int(value.value)
        if not LEAST <= whole <= MOST:
            raise Refused(f"the number {whole}, which is beyond 64 bits")
        return Known(whole)
    raise Refused(f"computing with {called(shape_of(value))} as with a number")


def ref(value: Number) -> str:
    """The word of a number."""
    return str(value.value) if isinstance(value, Known) else value.ref


def truth_ref(value: Value) -> str:
    """The word of a truth value."""
    if isinstance(value, Known):
        return "true" if value.value else "false"
    assert isinstance(value, Truth)
    return value.ref


# Arithmetic ---------------------------------------------------------------------------------------


def binary(code: Code, name: str, one: Value, other: Value) -> Value:
    """An operator between two values that are not both known."""
    from oddsmith.model.step import floats

    one, other = present(code, one), present(code, other)
    if name == "Div" or floats.is_real(one) or floats.is_real(other):
        return floats.operate(code, name, one, other)
    if isinstance(one, Truth) and isinstance(other, Truth | Known):
        both_truths = isinstance(other, Truth) or isinstance(other.value, bool)
    else:
        known = isinstance(one, Known) and isinstance(one.value, bool)
        both_truths = known and isinstance(other, Truth)
    if both_truths and name in ("BitAnd", "BitOr", "BitXor"):
        return _logical(code, name, truth_ref(one), truth_ref(other))
    compute = _OPERATORS.get(name)
    if compute is None:
        raise Refused(f"the operator {name}")
    return compute(code, number(code, one), number(code, other))


def _logical(code: Code, name: str, one: str, other: str) -> Value:
    if name == "BitAnd":
        return code.truth(code.both(one, other))
    if name == "BitOr":
        return code.truth(code.either(one, other))
    return code.truth(code.unlike(one, other))


def is_plain(value: Value) -> TypeGuard[Number]:
    """Whether a value is a whole number, and no truth value."""
    return isinstance(value, Whole) or (isinstance(value, Known) and type(value.value) is int)


def whole(value: Number) -> Whole:
    """A number with its bounds."""
    return value if isinstance(value, Whole) else fixed(value.value)


def numeral(found: Whole) -> Number:
    """A number that may be known."""
    return Known(found.low) if found.low == found.high else found


def add(code: Code, one: Number, other: Number) -> Number:
    """The sum."""
    return numeral(code.plus(whole(one), whole(other)))


def subtract(code: Code, one: Number, other: Number) -> Number:
    """The difference."""
    return numeral(code.minus(whole(one), whole(other)))


def multiply(code: Code, one: Number, other: Number) -> Number:
    """The product."""
    return numeral(code.times(whole(one), whole(other)))


def _divided(code: Code, one: Number, other: Number) -> tuple[Number, Number]:
    """Quotient and remainder, the quotient rounded down; fails for a divisor of zero."""
    divisor = whole(other)
    code.fail_if(code.compare("eq", divisor, fixed(0)))
    quotient, rest = code.divided(whole(one), divisor)
    return numeral(quotient), numeral(rest)


def floor_divide(code: Code, one: Number, other: Number) -> Number:
    """`//`."""
    return _divided(code, one, other)[0]


def modulo(code: Code, one: Number, other: Number) -> Number:
    """`%`: it has the sign of the divisor."""
    low, high = bounds(other)
    least, most = bounds(one)
    if 0 < low == high and least >= 0 and most < low:
        return one
    return _divided(code, one, other)[1]


def power(code: Code, base: Number, exponent: Number) -> Number:
    """`**`: fails for a negative exponent, whose power is no whole number."""
    if isinstance(exponent, Whole):
        code.fail_if(code.compare("slt", exponent, fixed(0)))
        exponent = Whole(exponent.ref, max(exponent.low, 0), max(exponent.high, 0))
        if isinstance(base, Known) and base.value == 2:
            return shift_left(code, Known(1), exponent)
    elif exponent.value < 0:
        raise Refused("a power with a negative exponent, which is a fraction,")
    elif exponent.value > LONGEST_PRODUCT:
        raise Refused(f"a power with the exponent {exponent.value}")
    return numeral(code.raised(whole(base), whole(exponent)))


def shift_left(code: Code, one: Number, by: Number) -> Number:
    """`<<`: fails where Python's number would be beyond 64 bits, or the shift negative."""
    low, high = bounds(by)
    least, most = bounds(one)
    if low < 0 or high > 62:
        code.fail_if(code.op(f"icmp ugt i64 {ref(by)}, 62"))
        low, high = max(low, 0), min(high, 62)
    result = code.op(f"shl i64 {ref(one)}, {ref(by)}")
    ends = (least << low, least << high, most << low, most << high)
    if min(ends) < LEAST or max(ends) > MOST:
        back = code.op(f"ashr i64 {result}, {ref(by)}")
        code.fail_if(code.op(f"icmp ne i64 {back}, {ref(one)}"))
    return Whole(result, max(LEAST, min(ends)), min(MOST, max(ends)))


def shift_right(code: Code, one: Number, by: Number) -> Number:
    """`>>`, rounded down; fails where the shift is negative."""
    low, high = bounds(by)
    if low < 0:
        code.fail_if(code.op(f"icmp slt i64 {ref(by)}, 0"))
    shift = ref(by)
    if high > 63:
        shift = code.op(f"select i1 {code.op(f'icmp sgt i64 {shift}, 63')}, i64 63, i64 {shift}")
    least, most = bounds(one)
    return Whole(code.op(f"ashr i64 {ref(one)}, {shift}"), min(least, 0), max(most, 0))


def bitwise(name: str) -> Callable[[Code, Number, Number], Number]:
    """`&`, `|`, `^`."""

    def compute(code: Code, one: Number, other: Number) -> Number:
        (a, b), (c, d) = bounds(one), bounds(other)
        result = code.op(f"{name} i64 {ref(one)}, {ref(other)}")
        if a < 0 or c < 0:
            return Whole(result, 0, d) if name == "and" and c >= 0 else Whole(result)
        most = min(b, d) if name == "and" else (1 << max(b, d).bit_length()) - 1
        return Whole(result, 0, most)

    return compute


_OPERATORS: dict[str, Callable[[Code, Number, Number], Value]] = {
    "Add": add,
    "Sub": subtract,
    "Mult": multiply,
    "FloorDiv": floor_divide,
    "Mod": modulo,
    "Pow": power,
    "LShift": shift_left,
    "RShift": shift_right,
    "BitAnd": bitwise("and"),
    "BitOr": bitwise("or"),
    "BitXor": bitwise("xor"),
}


def unary(code: Code, name: str, value: Value) -> Value:
    """`-`, `+`, `~`."""
    if isinstance(value, Real) and name != "Invert":
        return value if name == "UAdd" else Real(code.op(f"fneg double {value.ref}"))
    one = number(code, value)
    if name == "UAdd":
        return one
    return subtract(code, Known(0 if name == "USub" else -1), one)


# Truth and comparison -----------------------------------------------------------------------------


def truth(code: Code, value: Value) -> str:
    """Whether a value counts as true: the word."""
    match value:
        case Known(known):
            return "true" if known else "false"
        case Truth(name):
            return name
        case Whole():
            return code.holds(value)
        case Real(name):
            return code.op(f"fcmp une double {name}, 0.0")
        case Several(items):
            return "true" if items else "false"
        case Pick(objects, name):
            return among(code, [k for k, one in enumerate(objects) if one], len(objects), name)
        case Maybe(none, inner):
            return code.both(code.negate(none), truth(code, inner))
    raise Refused("whether a range is empty")


def among(code: Code, numbers: list[int], size: int, name: str) -> str:
    """Whether a number below `size` is one of some numbers."""
    if len(numbers) == size:
        return "true"
    if len(numbers) > size // 2:
        rest = [k for k in range(size) if k not in set(numbers)]
        return code.negate(among(code, rest, size, name))
    found = "false"
    for k in numbers:
        found = code.either(found, code.op(f"icmp eq i64 {name}, {k}"))
    return found


SIGNED = {"Lt": "slt", "LtE": "sle", "Gt": "slt", "GtE": "sle"}
"""Comparisons in LLVM, those with the sides exchanged as well."""


def compare(code: Code, name: str, one: Value, other: Value) -> str:
    """A comparison other than `is` and `in`: the word."""
    from oddsmith.model.step import floats

    if isinstance(one, Known) and isinstance(other, Known):
        return _known_comparison(code, name, one.value, other.value)
    if name in ("Eq", "NotEq"):
        equal = equals(code, one, other)
        return equal if name == "Eq" else code.negate(equal)
    one, other = present(code, one), present(code, other)
    if _are_reals(one, other):
        return floats.compare(code, name, one, other)
    if is_number(one) and is_number(other):
        a, b = whole(number(code, one)), whole(number(code, other))
        return code.compare(SIGNED[name], *((b, a) if name in ("Gt", "GtE") else (a, b)))
    if _is_sequence(one) and _is_sequence(other):
        return _in_order(code, name, items_of(one), items_of(other))
    raise Refused(f"comparing {called(shape_of(one))} with {called(shape_of(other))}")


def _known_comparison(code: Code, name: str, one: Any, other: Any) -> str:
    try:
        return "true" if PLAIN[name](one, other) else "false"
    except TypeError:
        code.fail()
    except ValueError:  # arrays, entry by entry
        raise Refused("comparing arrays") from None


def _are_reals(one: Value, other: Value) -> bool:
    """Whether two numbers are compared of which one is a float."""
    reals = [isinstance(v, Real) or _known_float(v) for v in (one, other)]
    return any(reals) and all(r or is_number(v) for r, v in zip(reals, (one, other), strict=True))


def _known_float(value: Value) -> bool:
    return isinstance(value, Known) and type(value.value) is float


def _is_sequence(value: Value) -> bool:
    return isinstance(value, Several) or (
        isinstance(value, Known) and isinstance(value.value, tuple | list)
    )


def equals(code: Code, one: Value, other: Value) -> str:
    """`==`: the word."""
    if isinstance(one, Known) and isinstance(other, Known):
        return "true" if one.value == other.value else "false"
    if _are_reals(one, other):
        from oddsmith.model.step import floats

        return floats.compare(code, "Eq", one, other)
    if is_number(one) and is_number(other):
        return code.compare("eq", whole(number(code, one)), whole(number(code, other)))
    if isinstance(one, Maybe) or isinstance(other, Maybe):
        return _equal_maybes(code, one, other)
    if isinstance(one, Pick) or isinstance(other, Pick):
        return _equal_picks(code, one, other)
    if _is_sequence(one) and _is_sequence(other):
        if _is_list(one) != _is_list(other):
            return "false"
        mine, theirs = items_of(one), items_of(other)
        if len(mine) != len(theirs):
            return "false"
        found = "true"
        for here, there in zip(mine, theirs, strict=True):
            found = code.both(found, equals(code, here, there))
        return found
    kinds = (_plain_kind(one), _plain_kind(other))
    if None not in kinds and kinds[0] != kinds[1]:
        return "false"
    raise Refused(f"comparing {called(shape_of(one))} with {called(shape_of(other))}")


def _is_list(value: Value) -> bool:
    kind = value.kind if isinstance(value, Several) else type(value.value)  # type: ignore[union-attr]
    return kind is list


def _plain_kind(value: Value) -> str | None:
    """A number, a tuple, a text or None: two that are not of one kind are never equal."""
    if is_number(value):
        return "number"
    if _is_sequence(value):
        return "sequence"
    if isinstance(value, Known) and (value.value is None or type(value.value) is str):
        return "text" if value.value is not None else "none"
    return None


def _equal_maybes(code: Code, one: Value, other: Value) -> str:
    if not isinstance(one, Maybe):
        one, other = other, one
    assert isinstance(one, Maybe)
    if isinstance(other, Known) and other.value is None:
        return one.none
    if isinstance(other, Maybe):
        neither = code.both(code.negate(one.none), code.negate(other.none))
        equal = code.both(neither, equals(code, one.value, other.value))
        return code.either(equal, code.both(one.none, other.none))
    return code.both(code.negate(one.none), equals(code, one.value, other))


def _equal_picks(code: Code, one: Value, other: Value) -> str:
    if not isinstance(one, Pick):
        one, other = other, one
    assert isinstance(one, Pick)
    if isinstance(other, Known):
        hits = [k for k, each in enumerate(one.objects) if each == other.value]
        return among(code, hits, len(one.objects), one.ref)
    if isinstance(other, Pick):
        if all(map(same, one.objects, other.objects)) and len(one.objects) == len(other.objects):
            distinct = [a == b for k, a in enumerate(one.objects) for b in one.objects[:k]]
            if not any(distinct):
                return code.op(f"icmp eq i64 {one.ref}, {other.ref}")
        found = "false"
        for k, each in enumerate(one.objects):
            here = code.op(f"icmp eq i64 {one.ref}, {k}")
            found = code.either(found, code.both(here, _equal_picks(code, other, Known(each))))
        return found
    raise Refused(f"comparing {called(shape_of(one))} with {called(shape_of(other))}")


def _in_order(code: Code, name: str, one: tuple[Value, ...], other: tuple[Value, ...]) -> str:
    """Tuples in the order of a dictionary: the first place that differs decides."""
    if not one or not other:
        return "true" if PLAIN[name](len(one), len(other)) else "false"
    equal = equals(code, one[0], other[0])
    rest = _in_order(code, name, one[1:], other[1:])
    if equal == "true":
        return rest
    strict = name if name in ("Lt", "Gt") else name[:2]
    return code.either(
        code.both(equal, rest),
        code.both(code.negate(equal), compare(code, strict, one[0], other[0])),
    )
