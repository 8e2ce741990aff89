"""Statements: what they do to names, and where paths part."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from oddsmith.model.step import arithmetic, tuples
from oddsmith.model.step.code import Block, Unreachable
from oddsmith.model.step.expressions import evaluate, gathered, operate, reading, truth
from oddsmith.model.step.function import Frame, Names
from oddsmith.model.step.values import (
    Known,
    Refused,
    Several,
    Value,
    called,
    items_of,
    shape_of,
)


def run(frame: Frame, body: Sequence[ast.stmt]) -> None:
    """Translate statements until they end or no path leads on."""
    for node in body:
        if frame.dead:
            return
        with frame.at(node):
            translate = _STATEMENTS.get(type(node))
            if translate is None:
                raise Refused(_CONSTRUCTS.get(type(node).__name__, type(node).__name__.lower()))
            try:
                translate(frame, node)
            except Unreachable:
                frame.code.at = None


_CONSTRUCTS = {
    "FunctionDef": "a function inside a rule",
    "ClassDef": "a class inside a rule",
    "Delete": "del",
    "AsyncFor": "async",
    "Import": "an import inside a rule",
    "ImportFrom": "an import inside a rule",
}


def _return(frame: Frame, node: ast.Return) -> None:
    value = Known(None) if node.value is None else evaluate(frame, node.value)
    assert frame.code.at is not None
    frame.returns.append((frame.code.at, value))
    frame.code.at = None


def _expression(frame: Frame, node: ast.Expr) -> None:
    from oddsmith.model.step.calls import changes_list

    if isinstance(node.value, ast.Call) and changes_list(frame, node.value):
        return
    evaluate(frame, node.value)


# Assignments --------------------------------------------------------------------------------------


def _assign(frame: Frame, node: ast.Assign) -> None:
    value = evaluate(frame, node.value)
    if len(node.targets) > 1 and isinstance(value, Several) and value.kind is list:
        raise Refused("a list under two names")
    for target in node.targets:
        bind(frame, target, value)


def _annotated(frame: Frame, node: ast.AnnAssign) -> None:
    if node.value is not None:
        bind(frame, node.target, evaluate(frame, node.value))


def bind(frame: Frame, target: ast.expr, value: Value) -> None:
    """Give a value to a name, to several, or to an entry of a list."""
    with frame.at(target):
        match target:
            case ast.Name(name):
                frame.names[name] = value
            case ast.Tuple(parts) | ast.List(parts):
                _unpack(frame, parts, items_of(value))
            case ast.Subscript(ast.Name(name), index) if not isinstance(index, ast.Slice):
                _set_entry(frame, name, evaluate(frame, index), value)
            case ast.Attribute():
                raise Refused("setting an attribute")
            case _:
                raise Refused("such an assignment")


def _unpack(frame: Frame, parts: list[ast.expr], items: tuple[Value, ...]) -> None:
    starred = [k for k, part in enumerate(parts) if isinstance(part, ast.Starred)]
    if not starred:
        if len(parts) != len(items):
            frame.code.fail()
        for part, item in zip(parts, items, strict=True):
            bind(frame, part, item)
        return
    first, after = starred[0], len(parts) - starred[0] - 1
    if len(items) < len(parts) - 1:
        frame.code.fail()
    rest = len(items) - after
    for part, item in zip(parts[:first], items[:first], strict=True):
        bind(frame, part, item)
    star = parts[first]
    assert isinstance(star, ast.Starred)
    bind(frame, star.value, gathered(list(items[first:rest]), list))
    for part, item in zip(parts[first + 1 :], items[rest:], strict=True):
        bind(frame, part, item)


def _set_entry(frame: Frame, name: str, index: Value, value: Value) -> None:
    owner = frame.look_up(name)
    if not isinstance(owner, Several) or owner.kind is not list or name not in frame.names:
        raise Refused(f"changing an entry of {called(shape_of(owner))}")
    at = tuples.place(frame.code, arithmetic.number(frame.code, index), len(owner.items))
    frame.names[name] = Several(tuples.replaced(frame.code, owner.items, at, value), list)


def _augmented(frame: Frame, node: ast.AugAssign) -> None:
    target, name = node.target, type(node.op).__name__
    if isinstance(target, ast.Subscript):
        if not isinstance(target.value, ast.Name) or isinstance(target.slice, ast.Slice):
            raise Refused("such an assignment")
        index = evaluate(frame, target.slice)
        owner = frame.look_up(target.value.id)
        before = tuples.item(frame.program, frame.code, owner, index)
        after = operate(frame, name, before, evaluate(frame, node.value))
        _set_entry(frame, target.value.id, index, after)
        return
    if not isinstance(target, ast.Name):
        raise Refused("setting an attribute")
    before = frame.look_up(target.id)
    if target.id not in frame.names:
        raise Refused(f"changing {target.id}, which is not a name of the rule,")
    after = operate(frame, name, before, reading(frame, node.value))
    if isinstance(before, Several) and before.kind is list and not isinstance(after, Several):
        raise Refused("a list and something else")
    frame.names[target.id] = after


# Paths --------------------------------------------------------------------------------------------


def _if(frame: Frame, node: ast.If) -> None:
    test = truth(frame, node.test)
    if test in ("true", "false"):
        run(frame, node.body if test == "true" else node.orelse)
        return
    code, before = frame.code, dict(frame.names)
    yes, no = code.branch(test)
    edges: list[tuple[Block, Names, Value]] = []
    for block, body in ((yes, node.body), (no, node.orelse)):
        code.at, frame.names = block, dict(before)
        run(frame, body)
        if code.at is not None:
            edges.append((code.at, frame.names, Known(None)))
    if edges:
        frame.meet(edges)


def _while(frame: Frame, node: ast.While) -> None:
    from oddsmith.model.step.loops import repeat

    repeat(frame, node)


def _for(frame: Frame, node: ast.For) -> None:
    from oddsmith.model.step.loops import go_through

    go_through(frame, node)


def _break(frame: Frame, node: ast.Break) -> None:
    assert frame.code.at is not None
    frame.loops[-1].out.append((frame.code.at, frame.names))
    frame.code.at = None


def _continue(frame: Frame, node: ast.Continue) -> None:
    assert frame.code.at is not None
    frame.loops[-1].again.append((frame.code.at, frame.names))
    frame.code.at = None


def _assert(frame: Frame, node: ast.Assert) -> None:
    frame.code.fail_if(frame.code.negate(truth(frame, node.test)))


def _raise(frame: Frame, node: ast.Raise) -> None:
    frame.code.fail()


def _pass(frame: Frame, node: ast.stmt) -> None:
    pass


def _match(frame: Frame, node: ast.Match) -> None:
    """`match` as the chain of ifs that it stands for: numbers, texts, names and tuples of these."""
    subject = evaluate(frame, node.subject)
    name = f".match {id(node)}"
    frame.names[name] = subject
    _cases(frame, name, node.cases)


def _cases(frame: Frame, name: str, cases: list[ast.match_case]) -> None:
    if not cases:
        return
    case, code = cases[0], frame.code
    before = dict(frame.names)
    test = _fits(frame, case.pattern, frame.names[name])
    if case.guard is not None and test != "false":
        guard = case.guard
        value = frame.fork(test, lambda: code.truth(truth(frame, guard)), lambda: Known(False))
        test = arithmetic.truth_ref(value)
    if test in ("true", "false"):
        if test == "true":
            run(frame, case.body)
        else:
            frame.names = before
            _cases(frame, name, cases[1:])
        return
    bound_names = frame.names
    yes, no = code.branch(test)
    edges: list[tuple[Block, Names, Value]] = []
    code.at, frame.names = yes, dict(bound_names)
    run(frame, case.body)
    if code.at is not None:
        edges.append((code.at, frame.names, Known(None)))
    code.at, frame.names = no, before
    try:
        _cases(frame, name, cases[1:])
    except Unreachable:
        code.at = None
    if code.at is not None:
        edges.append((code.at, frame.names, Known(None)))
    if edges:
        frame.meet(edges)


def _fits(frame: Frame, pattern: ast.pattern, value: Value) -> str:
    """Whether a value fits a pattern; the names of the pattern are set."""
    code = frame.code
    match pattern:
        case ast.MatchValue(expression):
            return arithmetic.equals(code, value, evaluate(frame, expression))
        case ast.MatchSingleton(known):
            if known is None:
                return arithmetic.equals(code, value, Known(None))
            raise Refused("such a pattern")
        case ast.MatchOr(parts):
            found = "false"
            for part in parts:
                found = code.either(found, _fits(frame, part, value))
            return found
        case ast.MatchAs(None, None):
            return "true"
        case ast.MatchAs(inner, name) if name is not None:
            fits = "true" if inner is None else _fits(frame, inner, value)
            frame.names[name] = value
            return fits
        case ast.MatchSequence(parts):
            items = items_of(value)
            if any(isinstance(part, ast.MatchStar) for part in parts):
                raise Refused("a star in a pattern")
            if len(items) != len(parts):
                return "false"
            found = "true"
            for part, item in zip(parts, items, strict=True):
                found = code.both(found, _fits(frame, part, item))
            return found
    raise Refused("such a pattern")


_STATEMENTS: dict[type, Callable[[Frame, Any], None]] = {
    ast.Return: _return,
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.While: _while,
    ast.For: _for,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.Assert: _assert,
    ast.Raise: _raise,
    ast.Pass: _pass,
    ast.Match: _match,
}
