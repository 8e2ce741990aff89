"""Many values to one: `min`, `max`, `sum`, `any` and `all`, of loops as well."""

from __future__ import annotations

import ast

from oddsmith.model.step import arithmetic
from oddsmith.model.step.builtin_calls import (
    Comprehension,
    as_written,
    builtin,
    check_count,
    computed,
    gone_through,
)
from oddsmith.model.step.expressions import evaluate, operate
from oddsmith.model.step.function import Frame
from oddsmith.model.step.values import Known, Refused, Value, all_known


@builtin(min)
def _min(frame: Frame, node: ast.Call) -> Value:
    return _extreme(frame, node, least=True)


@builtin(max)
def _max(frame: Frame, node: ast.Call) -> Value:
    return _extreme(frame, node, least=False)


def _extreme(frame: Frame, node: ast.Call, least: bool) -> Value:
    args, named = as_written(frame, _without_stars(frame, node), "default")
    compare = "Lt" if least else "Gt"
    if len(args) == 1 and not _is_starred(node):
        if isinstance(args[0], Comprehension):
            return _extreme_of(frame, args[0], compare, named.get("default"))
        items = list(gone_through(frame, args[0]))
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
    if arithmetic.is_plain(one) and arithmetic.is_plain(found):
        ends = min if compare == "Lt" else max
        a, b = arithmetic.whole(one), arithmetic.whole(found)
        return arithmetic.numeral(code.choose(test, a, b, ends))
    return code.select(test, one, found)


def _is_starred(node: ast.Call) -> bool:
    return any(isinstance(argument, ast.Starred) for argument in node.args)


def _without_stars(frame: Frame, node: ast.Call) -> ast.Call:
    plain = [one.value if isinstance(one, ast.Starred) else one for one in node.args]
    return ast.Call(node.func, plain, node.keywords)


def _starred(frame: Frame, node: ast.expr) -> tuple[Value, ...]:
    if isinstance(node, ast.Starred):
        return gone_through(frame, node.value)
    return (evaluate(frame, node),)


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

    args, named = as_written(frame, node, "start")
    check_count(frame, args, 1, 2)
    start = evaluate(frame, args[1]) if len(args) == 2 else named.get("start", Known(0))
    argument = args[0]
    if isinstance(argument, Comprehension):

        def inside(name: str) -> list[ast.stmt]:
            total = ast.BinOp(ast.Name(name, ast.Load()), ast.Add(), argument.elt)
            return [ast.Assign([ast.Name(name, ast.Store())], total)]

        return folded(frame, argument, start, inside)
    total = start
    for item in gone_through(frame, argument):
        total = operate(frame, "Add", total, item)
    return total


@builtin(any)
def _any(frame: Frame, node: ast.Call) -> Value:
    return _quantified(frame, node, is_any=True)


@builtin(all)
def _all(frame: Frame, node: ast.Call) -> Value:
    return _quantified(frame, node, is_any=False)


def _quantified(frame: Frame, node: ast.Call, is_any: bool) -> Value:
    from oddsmith.model.step.loops import folded

    args, _ = as_written(frame, node)
    check_count(frame, args, 1)
    argument = args[0]
    if isinstance(argument, Comprehension):

        def inside(name: str) -> list[ast.stmt]:
            test = argument.elt if is_any else ast.UnaryOp(ast.Not(), argument.elt)
            take = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(is_any))
            return [ast.If(test, [take, ast.Break()], [])]

        return folded(frame, argument, Known(not is_any), inside, stops=True)
    code, found = frame.code, "false" if is_any else "true"
    join = code.either if is_any else code.both
    for item in gone_through(frame, argument):
        found = join(found, arithmetic.truth(code, item))
    return code.truth(found)
