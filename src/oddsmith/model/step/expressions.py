"""Expressions: from the syntax tree to a value."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from oddsmith.model.step import arithmetic, tuples
from oddsmith.model.step.arithmetic import PLAIN
from oddsmith.model.step.function import Frame, known_object
from oddsmith.model.step.values import (
    Known,
    Maybe,
    Pick,
    Refused,
    Several,
    Span,
    Truth,
    Value,
    called,
    items_of,
    shape_of,
)


def evaluate(frame: Frame, node: ast.expr) -> Value:
    """What an expression comes to."""
    with frame.at(node):
        translate = _EXPRESSIONS.get(type(node))
        if translate is None:
            raise Refused(_named(node))
        return translate(frame, node)


def _named(node: ast.AST) -> str:
    """A construct in words."""
    return _CONSTRUCTS.get(type(node).__name__, f"the construct {type(node).__name__}")


_CONSTRUCTS = {
    "SetComp": "a set",
    "DictComp": "a dictionary",
    "Lambda": "a function inside a rule",
    "JoinedStr": "a text made in play",
    "Await": "await",
    "Yield": "yield",
    "YieldFrom": "yield",
    "Starred": "a star",
}


def truth(frame: Frame, node: ast.expr) -> str:
    """Whether an expression counts as true: the word."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = truth(frame, node.operand)
        return frame.code.negate(inner)
    if isinstance(node, ast.BoolOp):
        with frame.at(node):
            return _truth_of_chain(frame, node.values, isinstance(node.op, ast.And))
    value = evaluate(frame, node)
    with frame.at(node):
        return arithmetic.truth(frame.code, value)


def _truth_of_chain(frame: Frame, nodes: list[ast.expr], conjunction: bool) -> str:
    first = truth(frame, nodes[0])
    if len(nodes) == 1:
        return first
    stop = "false" if conjunction else "true"
    if first == stop:
        return first

    def rest() -> Value:
        return frame.code.truth(_truth_of_chain(frame, nodes[1:], conjunction))

    def decided() -> Value:
        return Known(not conjunction)

    value = frame.fork(first, *((rest, decided) if conjunction else (decided, rest)))
    return arithmetic.truth_ref(value)


# Names and constants ------------------------------------------------------------------------------


def _constant(frame: Frame, node: ast.Constant) -> Value:
    return Known(node.value)


def _name(frame: Frame, node: ast.Name) -> Value:
    value = frame.look_up(node.id)
    if isinstance(value, Several) and value.kind is list:
        raise Refused(f"the list {node.id} under a second name")
    return value


def reading(frame: Frame, node: ast.expr) -> Value:
    """What an expression comes to where it is only looked at: a list may be, too."""
    if isinstance(node, ast.Name):
        with frame.at(node):
            return frame.look_up(node.id)
    return evaluate(frame, node)


def _walrus(frame: Frame, node: ast.NamedExpr) -> Value:
    value = evaluate(frame, node.value)
    frame.names[node.target.id] = value
    return value


def _attribute(frame: Frame, node: ast.Attribute) -> Value:
    return attribute(frame, reading(frame, node.value), node.attr)


def attribute(frame: Frame, owner: Value, name: str) -> Value:
    """`owner.name`."""
    if name.startswith("__") and not name.endswith("__"):
        raise Refused(f"the private name {name}")
    owner = arithmetic.present(frame.code, owner)
    match owner:
        case Known(known):
            return _known_attribute(frame, known, name)
        case Several(items, kind) if name in getattr(kind, "_fields", ()):
            return items[kind._fields.index(name)]  # type: ignore[attr-defined]
        case Several(_, kind):
            found = getattr(kind, name, None)
            if isinstance(found, property) and isinstance(found.fget, FunctionType):
                return frame.program.call(frame.code, found.fget, [owner])
        case Pick(objects, ref):
            parts = [_known_attribute(frame, one, name) for one in objects]
            return tuples.of_objects(frame.program, frame.code, [part.value for part in parts], ref)
    raise Refused(f"the attribute {name} of {called(shape_of(owner))}")


def _known_attribute(frame: Frame, known: Any, name: str) -> Known:
    if not hasattr(known, name):
        raise Refused(f"the attribute {name} of {known!r:.60}")
    try:
        found = getattr(known, name)
    except Exception as error:
        raise Refused(f"{name}, which raises {type(error).__name__},") from None
    return tuples.plain(found)


# Operators ----------------------------------------------------------------------------------------


def _binary(frame: Frame, node: ast.BinOp) -> Value:
    one = reading(frame, node.left)
    other = reading(frame, node.right)
    return operate(frame, type(node.op).__name__, one, other)


def operate(frame: Frame, name: str, one: Value, other: Value) -> Value:
    """One operator."""
    if isinstance(one, Known) and isinstance(other, Known):
        try:
            return tuples.plain(PLAIN[name](one.value, other.value))
        except (ArithmeticError, TypeError, ValueError):
            frame.code.fail()
    sequences = [_as_sequence(value) for value in (one, other)]
    if name == "Add" and None not in sequences:
        kinds = {kind if kind is list else tuple for kind, _ in sequences}  # type: ignore[misc]
        if len(kinds) == 1:
            items = (item for _, part in sequences for item in part)  # type: ignore[misc]
            return Several(tuple(items), kinds.pop())
    if name == "Mult":
        for sequence, times in ((sequences[0], other), (sequences[1], one)):
            if sequence is not None and isinstance(times, Known) and type(times.value) is int:
                kind = list if sequence[0] is list else tuple
                return Several(sequence[1] * times.value, kind)
    return arithmetic.binary(frame.code, name, one, other)


def _as_sequence(value: Value) -> tuple[type, tuple[Value, ...]] | None:
    if isinstance(value, Several):
        return value.kind, value.items
    if isinstance(value, Known) and isinstance(value.value, tuple | list):
        return type(value.value), items_of(value)
    return None


def _unary(frame: Frame, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        return frame.code.truth(truth(frame, node))
    value = evaluate(frame, node.operand)
    name = type(node.op).__name__
    if isinstance(value, Known):
        return Known(PLAIN[name](value.value))
    return arithmetic.unary(frame.code, name, value)


def _chain(frame: Frame, node: ast.BoolOp) -> Value:
    """`and`, `or`: the value of the operand that decided."""
    conjunction = isinstance(node.op, ast.And)
    return _rest_of_chain(frame, node.values, conjunction)


def _rest_of_chain(frame: Frame, nodes: list[ast.expr], conjunction: bool) -> Value:
    first = evaluate(frame, nodes[0])
    if len(nodes) == 1:
        return first
    test = arithmetic.truth(frame.code, first)

    def rest() -> Value:
        return _rest_of_chain(frame, nodes[1:], conjunction)

    def decided() -> Value:
        return first

    return frame.fork(test, *((rest, decided) if conjunction else (decided, rest)))


def _conditional(frame: Frame, node: ast.IfExp) -> Value:
    test = truth(frame, node.test)
    return frame.fork(
        test, lambda: evaluate(frame, node.body), lambda: evaluate(frame, node.orelse)
    )


# Comparisons --------------------------------------------------------------------------------------


def _comparison(frame: Frame, node: ast.Compare) -> Value:
    left = reading(frame, node.left)
    return _rest_of_comparison(frame, left, node.ops, node.comparators)


def _rest_of_comparison(
    frame: Frame, left: Value, ops: list[ast.cmpop], nodes: list[ast.expr]
) -> Value:
    from oddsmith.model.step.builtin_calls import span_or_value

    right = span_or_value(frame, nodes[0])
    found = _compared(frame, ops[0], left, right)
    if len(ops) == 1:
        return frame.code.truth(found)
    return frame.fork(
        found,
        lambda: _rest_of_comparison(frame, right, ops[1:], nodes[1:]),
        lambda: Known(False),
    )


def _compared(frame: Frame, op: ast.cmpop, left: Value, right: Value) -> str:
    code = frame.code
    match op:
        case ast.In():
            return contains(frame, right, left)
        case ast.NotIn():
            return code.negate(contains(frame, right, left))
        case ast.Is():
            return _is(frame, left, right)
        case ast.IsNot():
            return code.negate(_is(frame, left, right))
    return arithmetic.compare(code, type(op).__name__, left, right)


def contains(frame: Frame, owner: Value, value: Value) -> str:
    """`value in owner`: the word."""
    code = frame.code
    if isinstance(owner, Known) and isinstance(value, Known):
        return "true" if value.value in owner.value else "false"
    if isinstance(owner, Span):
        return _in_span(frame, owner, value)
    if isinstance(owner, Known):
        known = owner.value
        if isinstance(known, range):
            span = Span(Known(known.start), Known(known.stop), known.step)
            return _in_span(frame, span, value)
        if isinstance(known, dict):
            return tuples.has_key(frame.program, code, known, value)
        if isinstance(known, np.ndarray):
            tuples.check_array(known)
            known = known.ravel().tolist()
        if isinstance(known, set | frozenset):
            known = tuple(known)
        if not isinstance(known, tuple | list):
            raise Refused(f"looking for something in {known!r:.60}")
        if len(known) > 8 and all(type(one) is int for one in known):
            numbers = dict.fromkeys(known, True)
            return tuples.has_key(frame.program, code, numbers, value)
        owner = Known(tuple(known))
    found = "false"
    for one in items_of(owner):
        found = code.either(found, arithmetic.equals(code, value, one))
    return found


def _in_span(frame: Frame, span: Span, value: Value) -> str:
    code = frame.code
    number = arithmetic.number(code, value)
    if span.step not in (1, -1):
        if not (isinstance(span.start, Known) and isinstance(span.stop, Known)):
            raise Refused("looking for a number in such a range")
        numbers = range(span.start.value, span.stop.value, span.step)
        return contains(frame, Known(tuple(numbers)), value)
    low, high = ("GtE", "Lt") if span.step == 1 else ("LtE", "Gt")
    return code.both(
        arithmetic.compare(code, low, number, span.start),
        arithmetic.compare(code, high, number, span.stop),
    )


def _is(frame: Frame, left: Value, right: Value) -> str:
    if isinstance(left, Known) and isinstance(right, Known):
        return "true" if left.value is right.value else "false"
    for one, other in ((left, right), (right, left)):
        if isinstance(other, Known) and other.value is None:
            return one.none if isinstance(one, Maybe) else _is_among(frame, one, None)
        if isinstance(other, Known) and isinstance(other.value, bool) and isinstance(one, Truth):
            return one.ref if other.value else frame.code.negate(one.ref)
        if isinstance(other, Known) and isinstance(one, Pick):
            return _is_among(frame, one, other.value)
    raise Refused("`is` between such values")


def _is_among(frame: Frame, one: Value, known: Any) -> str:
    if not isinstance(one, Pick):
        return "false"
    hits = [k for k, each in enumerate(one.objects) if each is known]
    return arithmetic.among(frame.code, hits, len(one.objects), one.ref)


# Tuples and what is in them -----------------------------------------------------------------------


def elements(frame: Frame, nodes: list[ast.expr]) -> list[Value]:
    """The values of a list of expressions, those with a star taken apart."""
    found: list[Value] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            found += items_of(reading(frame, node.value))
        else:
            found.append(evaluate(frame, node))
    return found


def gathered(items: list[Value], kind: type) -> Value:
    """A tuple or a list of some values; known if all of them are."""
    if kind is tuple and all(isinstance(item, Known) for item in items):
        return Known(tuple(item.value for item in items))  # type: ignore[union-attr]
    return Several(tuple(items), kind)


def _tuple(frame: Frame, node: ast.Tuple) -> Value:
    return gathered(elements(frame, node.elts), tuple)


def _list(frame: Frame, node: ast.List) -> Value:
    return gathered(elements(frame, node.elts), list)


def _set(frame: Frame, node: ast.Set) -> Value:
    """A set of known objects, to look something up in."""
    return Known(frozenset(_known_all(elements(frame, node.elts), "a set")))


def _dictionary(frame: Frame, node: ast.Dict) -> Value:
    """A dictionary of known objects."""
    if any(key is None for key in node.keys):
        raise Refused("a dictionary with **")
    keys = _known_all([evaluate(frame, key) for key in node.keys if key], "a dictionary")
    values = _known_all([evaluate(frame, value) for value in node.values], "a dictionary")
    return Known(dict(zip(keys, values, strict=True)))


def _known_all(values: list[Value], what: str) -> list[Any]:
    return [known_object(value, f"{what} of something") for value in values]


def _subscript(frame: Frame, node: ast.Subscript) -> Value:
    owner = reading(frame, node.value)
    if isinstance(node.slice, ast.Slice):
        return _sliced(frame, owner, node.slice)
    index = evaluate(frame, node.slice)
    return tuples.item(frame.program, frame.code, owner, index)


def _sliced(frame: Frame, owner: Value, node: ast.Slice) -> Value:
    ends = [
        None if part is None else known_object(evaluate(frame, part), "the end of a slice")
        for part in (node.lower, node.upper, node.step)
    ]
    if isinstance(owner, Known):
        return Known(owner.value[slice(*ends)])
    kind = owner.kind if isinstance(owner, Several) and owner.kind is list else tuple
    return gathered(list(items_of(owner)[slice(*ends)]), kind)


def _comprehension(frame: Frame, node: ast.ListComp) -> Value:
    from oddsmith.model.step.loops import collected

    return gathered(collected(frame, node), list)


def _call(frame: Frame, node: ast.Call) -> Value:
    from oddsmith.model.step.calls import call

    return call(frame, node)


def _text(frame: Frame, node: ast.JoinedStr) -> Value:
    parts = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            if part.format_spec is not None or part.conversion != -1:
                raise Refused("a text made in play")
            parts.append(str(known_object(evaluate(frame, part.value), "a text")))
        else:
            assert isinstance(part, ast.Constant)
            parts.append(str(part.value))
    return Known("".join(parts))


_EXPRESSIONS: dict[type, Callable[[Frame, Any], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.NamedExpr: _walrus,
    ast.Attribute: _attribute,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _chain,
    ast.IfExp: _conditional,
    ast.Compare: _comparison,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Set: _set,
    ast.Dict: _dictionary,
    ast.Subscript: _subscript,
    ast.ListComp: _comprehension,
    ast.Call: _call,
    ast.JoinedStr: _text,
}

__all__ = ["MethodType", "attribute", "evaluate", "reading", "truth"]
