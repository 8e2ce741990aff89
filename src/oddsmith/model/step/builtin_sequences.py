"""Python's functions of sequences and their methods, `put` and `searchsorted`, in play."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from oddsmith.model.native.numbers import Whole
from oddsmith.model.step import arithmetic, tuples
from oddsmith.model.step.arithmetic import ref
from oddsmith.model.step.builtin_calls import (
    as_written,
    builtin,
    check_count,
    computed,
    gone_through,
    looked_at,
)
from oddsmith.model.step.expressions import evaluate, gathered, operate, reading
from oddsmith.model.step.function import Frame
from oddsmith.model.step.values import Known, Refused, Several, Span, Value, all_known, items_of
from oddsmith.rules.put import put

MOST_SORTED = 16


@builtin(len)
def _len(frame: Frame, node: ast.Call) -> Value:
    args, _ = as_written(frame, node)
    check_count(frame, args, 1)
    value = arithmetic.present(frame.code, reading(frame, args[0]))
    if isinstance(value, Known):
        try:
            return Known(len(value.value))
        except TypeError:
            frame.code.fail()
    return Known(len(items_of(value)))


@builtin(range)
def _range(frame: Frame, node: ast.Call) -> Value:
    values = looked_at(frame, node)
    check_count(frame, values, 1, 2, 3)
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
    args, _ = as_written(frame, node)
    check_count(frame, args, 0, 1)
    return gathered(list(gone_through(frame, args[0])) if args else [], tuple)


@builtin(list)
def _list(frame: Frame, node: ast.Call) -> Value:
    args, _ = as_written(frame, node)
    check_count(frame, args, 0, 1)
    return gathered(list(gone_through(frame, args[0])) if args else [], list)


@builtin(enumerate)
def _enumerate(frame: Frame, node: ast.Call) -> Value:
    args, named = as_written(frame, node, "start")
    check_count(frame, args, 1, 2)
    first = evaluate(frame, args[1]) if len(args) == 2 else named.get("start", Known(0))
    items = gone_through(frame, args[0])
    if not isinstance(first, Known):
        raise Refused("enumerate from a number that is only known in play")
    return Several(
        tuple(gathered([Known(first.value + k), item], tuple) for k, item in enumerate(items))
    )


@builtin(zip)
def _zip(frame: Frame, node: ast.Call) -> Value:
    args, named = as_written(frame, node, "strict")
    rows = [gone_through(frame, argument) for argument in args]
    strict = named.get("strict", Known(False))
    if len({len(row) for row in rows}) > 1 and strict != Known(False):
        frame.code.fail()
    return Several(tuple(gathered(list(row), tuple) for row in zip(*rows, strict=False)))


@builtin(reversed)
def _reversed(frame: Frame, node: ast.Call) -> Value:
    args, _ = as_written(frame, node)
    check_count(frame, args, 1)
    return gathered(list(gone_through(frame, args[0]))[::-1], tuple)


@builtin(sorted)
def _sorted(frame: Frame, node: ast.Call) -> Value:
    args, named = as_written(frame, node, "reverse")
    check_count(frame, args, 1)
    down = named.get("reverse", Known(False))
    if not isinstance(down, Known):
        raise Refused("sorted in an order that is only known in play")
    return gathered(in_order(frame, list(gone_through(frame, args[0])), bool(down.value)), list)


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


@builtin(put)
def _put(frame: Frame, node: ast.Call) -> Value:
    values = looked_at(frame, node)
    check_count(frame, values, 3)
    owner, index, value = values
    items = items_of(owner)
    if not items:
        frame.code.fail()
    at = tuples.place(frame.code, arithmetic.number(frame.code, index), len(items))
    return gathered(list(tuples.replaced(frame.code, items, at, value)), tuple)


def method_of_sequence(frame: Frame, items: tuple[Value, ...], name: str, node: ast.Call) -> Value:
    """`count` and `index` of a tuple or a list."""
    values = looked_at(frame, node)
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
    values = looked_at(frame, node)
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
