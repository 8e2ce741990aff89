"""Python's own functions, and `put`, on values that are only known in play."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from oddsmith.model.step import arithmetic, floats, tuples
from oddsmith.model.step.arithmetic import ref
from oddsmith.model.step.code import bounds
from oddsmith.model.step.expressions import evaluate, gathered, operate, reading
from oddsmith.model.step.function import Frame
from oddsmith.model.step.values import (
    Known,
    Real,
    Refused,
    Several,
    Span,
    Truth,
    Value,
    Whole,
    all_known,
    called,
    items_of,
    shape_of,
)
from oddsmith.rules.put import put

Special = Callable[[Frame, ast.Call], Value]
BUILTINS: dict[Any, Special] = {}
Comprehension = ast.ListComp | ast.GeneratorExp

MOST_SORTED = 16


def builtin(*functions: Any) -> Callable[[Special], Special]:
    """Declare what stands for a function of Python's."""

    def declare(special: Special) -> Special:
        for function in functions:
            BUILTINS[function] = special
        return special

    return declare


def span_or_value(frame: Frame, node: ast.expr) -> Value:
    """What is gone through: a range may have ends that are only known in play."""
    if isinstance(node, ast.Name):
        return reading(frame, node)
    if isinstance(node, ast.GeneratorExp):
        return _collected(frame, node)
    return evaluate(frame, node)


def _collected(frame: Frame, node: Comprehension) -> Value:
    from oddsmith.model.step.loops import collected

    return gathered(collected(frame, node), tuple)


def _sequence(frame: Frame, node: ast.expr) -> tuple[Value, ...]:
    """The items of an argument that is gone through."""
    value = span_or_value(frame, node)
    if isinstance(value, Known) and not isinstance(value.value, tuple | list):
        try:
            return tuple(tuples.plain(one) for one in value.value)
        except TypeError:
            frame.code.fail()
    return items_of(arithmetic.present(frame.code, value))


def _plain(frame: Frame, node: ast.Call, *names: str) -> tuple[list[ast.expr], dict[str, Value]]:
    """Arguments as written, and those by name."""
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        raise Refused("a star in such a call")
    named = {}
    for keyword in node.keywords:
        if keyword.arg not in names:
            raise Refused(f"the argument {keyword.arg} in such a call")
        named[keyword.arg] = evaluate(frame, keyword.value)
    return node.args, named


def _values(frame: Frame, node: ast.Call) -> list[Value]:
    """Arguments that are looked at: a list may be, too."""
    found: list[Value] = []
    if node.keywords:
        raise Refused("an argument by name in such a call")
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            found += items_of(reading(frame, argument.value))
        else:
            found.append(reading(frame, argument))
    return found


def _wrong(frame: Frame, values: Sequence[Any], *counts: int) -> None:
    """Python raises where the number of arguments is wrong."""
    if len(values) not in counts:
        frame.code.fail()


# Numbers ------------------------------------------------------------------------------------------


@builtin(int, operator.index)
def _int(frame: Frame, node: ast.Call) -> Value:
    values = _values(frame, node)
    if all_known(values):
        return computed(frame, int, values)
    _wrong(frame, values, 1)
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
    values = _values(frame, node)
    _wrong(frame, values, 1)
    if isinstance(values[0], Known):
        return computed(frame, function, values)
    return compute(values[0])


def computed(frame: Frame, function: Any, values: Sequence[Value]) -> Value:
    """What Python says of known values; what raises fails in play."""
    try:
        return tuples.plain(function(*(value.value for value in values)))  # type: ignore[union-attr]
    except Exception:
        frame.code.fail()


@builtin(bool)
def _bool(frame: Frame, node: ast.Call) -> Value:
    values = _values(frame, node)
    _wrong(frame, values, 0, 1)
    return frame.code.truth(arithmetic.truth(frame.code, values[0]) if values else "false")


@builtin(abs)
def _abs(frame: Frame, node: ast.Call) -> Value:
    values = _values(frame, node)
    _wrong(frame, values, 1)
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
    values = _values(frame, node)
    _wrong(frame, values, 2)
    parts = [operate(frame, name, *values) for name in ("FloorDiv", "Mod")]
    return gathered(parts, tuple)


@builtin(pow)
def _pow(frame: Frame, node: ast.Call) -> Value:
    values = _values(frame, node)
    if len(values) != 2:
        raise Refused("pow with a modulus")
    return operate(frame, "Pow", *values)


@builtin(round)
def _round(frame: Frame, node: ast.Call) -> Value:
    values = _values(frame, node)
    if len(values) != 1:
        raise Refused("round with digits")
    if isinstance(values[0], Known):
        return computed(frame, round, values)
    return floats.rounded(frame.code, "rint", values[0])


# Least, most, sum ---------------------------------------------------------------------------------


@builtin(min, max)
def _extreme(frame: Frame, node: ast.Call) -> Value:
    least = isinstance(node.func, ast.Name) and frame.look_up(node.func.id) == Known(min)
    args, named = _plain(frame, _without_stars(frame, node), "default")
    compare = "Lt" if least else "Gt"
    if len(args) == 1 and not _is_starred(node):
        if isinstance(args[0], Comprehension) and _has_tests(args[0]):
            return _extreme_of(frame, args[0], compare, named.get("default"))
        items = list(_sequence(frame, args[0]))
    elif named:
        raise Refused("min or max of several with a default")
    else:
        items = [item for value in node.args for item in _starred(frame, value)]
    if not items:
        if "default" in named:
            return named["default"]
        frame.code.fail()
    if all_known(items):
        return computed(frame, min if least else max, [Known([one.value for one in items])])  # type: ignore[union-attr]
    found = items[0]
    for one in items[1:]:
        found = _better(frame, compare, one, found)
    return found


def _better(frame: Frame, compare: str, one: Value, found: Value) -> Value:
    """The first of the least or greatest, with the bounds that follow."""
    code = frame.code
    test = arithmetic.compare(code, compare, one, found)
    chosen = code.select(test, one, found)
    if isinstance(chosen, Whole) and test not in ("true", "false"):
        pairs = [bounds(one), bounds(found)]
        end = min if compare == "Lt" else max
        return Whole(chosen.ref, end(a for a, _ in pairs), end(b for _, b in pairs))
    return chosen


def _is_starred(node: ast.Call) -> bool:
    return any(isinstance(argument, ast.Starred) for argument in node.args)


def _without_stars(frame: Frame, node: ast.Call) -> ast.Call:
    plain = [one.value if isinstance(one, ast.Starred) else one for one in node.args]
    return ast.Call(node.func, plain, node.keywords)


def _starred(frame: Frame, node: ast.expr) -> tuple[Value, ...]:
    if isinstance(node, ast.Starred):
        return _sequence(frame, node.value)
    return (evaluate(frame, node),)


def _has_tests(node: Comprehension) -> bool:
    return True


def _extreme_of(frame: Frame, node: Comprehension, compare: str, default: Value | None) -> Value:
    from oddsmith.model.step.loops import folded

    def inside(name: str) -> list[ast.stmt]:
        new = f".new {id(node)}"
        load = ast.Name(name, ast.Load())
        op = ast.Lt() if compare == "Lt" else ast.Gt()
        first = ast.Compare(load, [ast.Is()], [ast.Constant(None)])
        better = ast.Compare(ast.Name(new, ast.Load()), [op], [load])
        take = ast.Assign([ast.Name(name, ast.Store())], ast.Name(new, ast.Load()))
        return [
            ast.Assign([ast.Name(new, ast.Store())], node.elt),
            ast.If(ast.BoolOp(ast.Or(), [first, better]), [take], []),
        ]

    found = folded(frame, node, Known(None), inside)
    frame.names.pop(f".new {id(node)}", None)
    if default is not None:
        none = arithmetic.equals(frame.code, found, Known(None))
        inner = getattr(found, "value", found)
        return frame.code.select(none, default, found if none == "false" else inner)
    if isinstance(found, Known) and found.value is None:
        frame.code.fail()
    return arithmetic.present(frame.code, found)


@builtin(sum)
def _sum(frame: Frame, node: ast.Call) -> Value:
    from oddsmith.model.step.loops import folded

    args, named = _plain(frame, node, "start")
    _wrong(frame, args, 1, 2)
    start = evaluate(frame, args[1]) if len(args) == 2 else named.get("start", Known(0))
    argument = args[0]
    if isinstance(argument, Comprehension):

        def inside(name: str) -> list[ast.stmt]:
            total = ast.BinOp(ast.Name(name, ast.Load()), ast.Add(), argument.elt)
            return [ast.Assign([ast.Name(name, ast.Store())], total)]

        return folded(frame, argument, start, inside)
    total = start
    for item in _sequence(frame, argument):
        total = operate(frame, "Add", total, item)
    return total


@builtin(any, all)
def _quantified(frame: Frame, node: ast.Call) -> Value:
    from oddsmith.model.step.loops import folded

    is_any = isinstance(node.func, ast.Name) and frame.look_up(node.func.id) == Known(any)
    args, _ = _plain(frame, node)
    _wrong(frame, args, 1)
    argument = args[0]
    if isinstance(argument, Comprehension):

        def inside(name: str) -> list[ast.stmt]:
            test = argument.elt if is_any else ast.UnaryOp(ast.Not(), argument.elt)
            take = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(is_any))
            return [ast.If(test, [take, ast.Break()], [])]

        return folded(frame, argument, Known(not is_any), inside, stops=True)
    code, found = frame.code, "false" if is_any else "true"
    join = code.either if is_any else code.both
    for item in _sequence(frame, argument):
        found = join(found, arithmetic.truth(code, item))
    return code.truth(found)


# Sequences ----------------------------------------------------------------------------------------


@builtin(len)
def _len(frame: Frame, node: ast.Call) -> Value:
    args, _ = _plain(frame, node)
    _wrong(frame, args, 1)
    value = arithmetic.present(frame.code, reading(frame, args[0]))
    if isinstance(value, Known):
        try:
            return Known(len(value.value))
        except TypeError:
            frame.code.fail()
    return Known(len(items_of(value)))


@builtin(range)
def _range(frame: Frame, node: ast.Call) -> Value:
    values = _values(frame, node)
    _wrong(frame, values, 1, 2, 3)
    if all_known(values):
        return computed(frame, range, values)
    code = frame.code
    numbers = [arithmetic.number(code, one) for one in values]
    step = numbers[2] if len(numbers) == 3 else Known(1)
    if not isinstance(step, Known):
        raise Refused("a range whose step is only known in play")
    if step.value == 0:
        code.fail()
    start, stop = (Known(0), numbers[0]) if len(numbers) == 1 else numbers[:2]
    return Span(start, stop, step.value)


@builtin(tuple)
def _tuple(frame: Frame, node: ast.Call) -> Value:
    args, _ = _plain(frame, node)
    _wrong(frame, args, 0, 1)
    return gathered(list(_sequence(frame, args[0])) if args else [], tuple)


@builtin(list)
def _list(frame: Frame, node: ast.Call) -> Value:
    args, _ = _plain(frame, node)
    _wrong(frame, args, 0, 1)
    return gathered(list(_sequence(frame, args[0])) if args else [], list)


@builtin(enumerate)
def _enumerate(frame: Frame, node: ast.Call) -> Value:
    args, named = _plain(frame, node, "start")
    _wrong(frame, args, 1, 2)
    first = evaluate(frame, args[1]) if len(args) == 2 else named.get("start", Known(0))
    items = _sequence(frame, args[0])
    if not isinstance(first, Known):
        raise Refused("enumerate from a number that is only known in play")
    return Several(
        tuple(gathered([Known(first.value + k), item], tuple) for k, item in enumerate(items))
    )


@builtin(zip)
def _zip(frame: Frame, node: ast.Call) -> Value:
    args, named = _plain(frame, node, "strict")
    rows = [_sequence(frame, argument) for argument in args]
    strict = named.get("strict", Known(False))
    if len({len(row) for row in rows}) > 1 and strict != Known(False):
        frame.code.fail()
    return Several(tuple(gathered(list(row), tuple) for row in zip(*rows, strict=False)))


@builtin(reversed)
def _reversed(frame: Frame, node: ast.Call) -> Value:
    args, _ = _plain(frame, node)
    _wrong(frame, args, 1)
    return gathered(list(_sequence(frame, args[0]))[::-1], tuple)


@builtin(sorted)
def _sorted(frame: Frame, node: ast.Call) -> Value:
    args, named = _plain(frame, node, "reverse")
    _wrong(frame, args, 1)
    down = named.get("reverse", Known(False))
    if not isinstance(down, Known):
        raise Refused("sorted in an order that is only known in play")
    return gathered(in_order(frame, list(_sequence(frame, args[0])), bool(down.value)), list)


def in_order(frame: Frame, items: list[Value], down: bool) -> list[Value]:
    """Values sorted, by comparing neighbours and exchanging them."""
    if len(items) > MOST_SORTED:
        raise Refused(f"sorting {len(items)} values")
    compare = "Gt" if down else "Lt"
    for last in range(len(items) - 1, 0, -1):
        for k in range(last):
            test = arithmetic.compare(frame.code, compare, items[k + 1], items[k])
            one, two = items[k], items[k + 1]
            items[k] = frame.code.select(test, two, one)
            items[k + 1] = frame.code.select(test, one, two)
    return items


@builtin(isinstance)
def _isinstance(frame: Frame, node: ast.Call) -> Value:
    values = _values(frame, node)
    _wrong(frame, values, 2)
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


@builtin(put)
def _put(frame: Frame, node: ast.Call) -> Value:
    values = _values(frame, node)
    _wrong(frame, values, 3)
    owner, index, value = values
    items = items_of(owner)
    if not items:
        frame.code.fail()
    at = tuples.place(frame.code, arithmetic.number(frame.code, index), len(items))
    return gathered(list(tuples.replaced(frame.code, items, at, value)), tuple)


def method_of_sequence(frame: Frame, items: tuple[Value, ...], name: str, node: ast.Call) -> Value:
    """`count` and `index` of a tuple or a list."""
    values = _values(frame, node)
    if name not in ("count", "index") or len(values) != 1:
        raise Refused(f"the method {name} of a tuple")
    code = frame.code
    hits = [arithmetic.equals(code, item, values[0]) for item in items]
    if name == "count":
        total: Value = Known(0)
        for hit in hits:
            total = operate(frame, "Add", total, code.truth(hit))
        return arithmetic.number(code, total)
    found: Value = Known(-1)
    for k in reversed(range(len(hits))):
        found = code.select(hits[k], Known(k), found)
    code.fail_if(arithmetic.compare(code, "Lt", found, Known(0)))
    if isinstance(found, Whole):
        return Whole(found.ref, 0, len(items) - 1)
    return found


def method_of_table(frame: Frame, owner: dict[Any, Any], name: str, given: list[Value]) -> Value:
    """`get` of a dictionary that is known."""
    if name != "get" or not 1 <= len(given) <= 2:
        raise Refused(f"the method {name} of a dictionary")
    default = given[1] if len(given) == 2 else Known(None)
    there = tuples.has_key(frame.program, frame.code, owner, given[0])
    return frame.fork(
        there,
        lambda: tuples.item(frame.program, frame.code, Known(owner), given[0]),
        lambda: default,
    )


@builtin(np.searchsorted)
def _searchsorted(frame: Frame, node: ast.Call) -> Value:
    """How many numbers of a sorted table are less: by halving, its length being known."""
    values = _values(frame, node)
    if len(values) != 2 or not isinstance(values[0], Known):
        raise Refused("searchsorted of such values")
    if isinstance(values[1], Known):
        return computed(frame, np.searchsorted, values)
    table, code = np.asarray(values[0].value), frame.code
    tuples.check_array(table)
    if table.ndim != 1 or table.dtype != np.int64:
        raise Refused("searchsorted in such a table")
    wanted, numbers = arithmetic.number(code, values[1]), table.tolist()
    if not numbers:
        return Known(0)
    found: Value = Known(0)
    step = 1 << (len(numbers).bit_length() - 1)
    while step:
        further = arithmetic.add(code, arithmetic.number(code, found), Known(step))
        inside = arithmetic.compare(code, "LtE", further, Known(len(numbers)))
        place = code.select(inside, further, Known(1))
        at = arithmetic.subtract(code, arithmetic.number(code, place), Known(1))
        least = frame.program.load(code, numbers, ref(at))
        less = arithmetic.compare(code, "Lt", least, wanted)
        found = code.select(code.both(inside, less), further, found)
        step //= 2
    return Whole(ref(arithmetic.number(code, found)), 0, len(numbers))
