"""Loops: through what is short they are written out, through what is long they are loops."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from oddsmith.model.native.numbers import Whole
from oddsmith.model.step import arithmetic, tuples
from oddsmith.model.step.arithmetic import Number
from oddsmith.model.step.code import Block, Unreachable, bounds
from oddsmith.model.step.expressions import evaluate, truth
from oddsmith.model.step.function import Frame, Loop, Names
from oddsmith.model.step.statements import bind, run
from oddsmith.model.step.values import (
    Known,
    Refused,
    Several,
    Shape,
    Span,
    Value,
    computed,
    items_of,
    joined,
    made_of,
    refs_of,
    shape_of,
    words_of,
)

WRITTEN_OUT = 1500
"""A loop is written out if so many nodes of the syntax tree come of it at most."""

TRIES = 6
"""So often the shapes of names are widened until a loop keeps them."""

Edge = tuple[Block, Names, Value]


def go_through(frame: Frame, node: ast.For) -> None:
    """`for`."""
    from oddsmith.model.step.builtin_calls import span_or_value

    _check_lists(frame, node)
    found = span_or_value(frame, node.iter)
    if isinstance(found, Span):
        _count(frame, node, found, lambda n: n)
        return
    items = items_of(found)
    size = sum(1 for part in node.body for _ in ast.walk(part))
    if len(items) * size <= WRITTEN_OUT or len(items) < 3:
        _write_out(frame, node, items)
        return
    span = Span(Known(0), Known(len(items)), 1)
    if isinstance(found, Known) and isinstance(found.value, range) and found.value.step == 1:
        known = found.value
        _count(frame, node, Span(Known(known.start), Known(known.stop), 1), lambda n: n)
    elif isinstance(found, Known):
        _count(frame, node, span, lambda n: tuples.item(frame.program, frame.code, found, n))
    else:
        _count(frame, node, span, lambda n: tuples.chosen(frame.code, items, n))


def _check_lists(frame: Frame, node: ast.For) -> None:
    """Refuse to change a list while going through it: Python would see the change."""
    used = {part.id for part in ast.walk(node.iter) if isinstance(part, ast.Name)}
    for name in used & _changed(node.body):
        value = frame.names.get(name)
        if isinstance(value, Several) and value.kind is list:
            raise Refused(f"changing the list {name} while going through it")


def _changed(body: Sequence[ast.AST]) -> set[str]:
    """Names that statements may give another value."""
    found = set()
    for part in body:
        for node in ast.walk(part):
            match node:
                case ast.Name(name, ast.Store()):
                    found.add(name)
                case ast.Subscript(ast.Name(name), _, ast.Store()):
                    found.add(name)
                case ast.Call(ast.Attribute(ast.Name(name))):
                    found.add(name)  # a method of a list may change it
                case ast.MatchAs(_, str(name)):
                    found.add(name)
    return found


# Written out --------------------------------------------------------------------------------------


def _write_out(frame: Frame, node: ast.For, items: Sequence[Value]) -> None:
    loop, code = Loop(), frame.code
    frame.loops.append(loop)
    for item in items:
        bind(frame, node.target, item)
        run(frame, node.body)
        _meet(frame, loop.again)
        loop.again.clear()
        if code.at is None:
            break
    frame.loops.pop()
    if code.at is not None:
        run(frame, node.orelse)
    _meet(frame, loop.out)


def _meet(frame: Frame, others: Sequence[tuple[Block, Names]]) -> None:
    """Go on where the path at hand and some others meet."""
    edges: list[Edge] = [(block, names, Known(None)) for block, names in others]
    if frame.code.at is not None:
        edges.insert(0, (frame.code.at, frame.names, Known(None)))
    if edges:
        frame.meet(edges)


# As loops -----------------------------------------------------------------------------------------


def repeat(frame: Frame, node: ast.While) -> None:
    """`while`."""
    _loop(
        frame,
        _changed([node.test, *node.body]),
        lambda: truth(frame, node.test),
        lambda: run(frame, node.body),
        lambda: None,
        node.orelse,
    )


def _count(frame: Frame, node: ast.For, span: Span, item: Callable[[Number], Value]) -> None:
    """A loop that counts."""
    counter = f".count {id(node)}"
    frame.names[counter] = span.start
    compare = "Lt" if span.step > 0 else "Gt"
    ends = (*bounds(span.start), *bounds(span.stop))
    code = frame.code

    def at() -> Number:
        return arithmetic.number(code, frame.names[counter])

    def test() -> str:
        return arithmetic.compare(code, compare, at(), span.stop)

    def body() -> None:
        count = at()
        if isinstance(count, Whole):
            low, high = min(ends), max(ends)
            count = Whole(count.ref, low, high - 1) if span.step > 0 else count
            frame.names[counter] = count
        bind(frame, node.target, item(count))
        run(frame, node.body)

    def step() -> None:
        frame.names[counter] = arithmetic.add(code, at(), Known(span.step))

    _loop(frame, {counter, *_changed([node])}, test, body, step, node.orelse)
    frame.names.pop(counter, None)


def _loop(
    frame: Frame,
    changed: set[str],
    test: Callable[[], str],
    body: Callable[[], None],
    step: Callable[[], None],
    otherwise: list[ast.stmt],
) -> None:
    """A loop: names that it changes are widened until their shapes stay."""
    before = dict(frame.names)
    shapes = {name: computed(shape_of(before[name])) for name in before if name in changed}
    mark, returns = frame.code.mark(), len(frame.returns)
    for _ in range(TRIES):
        wider = _try_loop(frame, before, shapes, test, body, step, otherwise)
        if wider is None:
            return
        frame.code.go_back(mark)
        del frame.returns[returns:]
        shapes |= wider
    raise Refused("a loop that makes something longer each time")


def _try_loop(
    frame: Frame,
    before: Names,
    shapes: dict[str, Shape],
    test: Callable[[], str],
    body: Callable[[], None],
    step: Callable[[], None],
    otherwise: list[ast.stmt],
) -> dict[str, Shape] | None:
    """Write a loop whose names have some shapes; the wider shapes that they need, if they do."""
    code, loop = frame.code, Loop()
    entry, head = code.at, code.block()
    assert entry is not None
    code.jump(head)
    code.at = head
    first = {name: list(refs_of(before[name], shape)) for name, shape in shapes.items()}
    refs = {name: [code.name() for _ in words_of(shape)] for name, shape in shapes.items()}
    frame.names = before | {
        name: made_of(shape, iter(refs[name])) for name, shape in shapes.items()
    }
    goes_on = test()
    out: tuple[Block, Names] | None = None
    if goes_on == "false":
        out, code.at = (code.at, frame.names), None
    elif goes_on != "true":
        inside, outside = code.branch(goes_on)
        out, code.at = (outside, dict(frame.names)), inside
    frame.loops.append(loop)
    if code.at is not None:
        try:
            body()
        except Unreachable:
            code.at = None
    frame.loops.pop()
    _meet(frame, loop.again)
    back: Block | None = None
    if code.at is not None:
        step()
        wider = _wider(frame, shapes)
        if wider:
            return wider
        back = code.at
        last = {name: list(refs_of(frame.names[name], shape)) for name, shape in shapes.items()}
        code.jump(head)
    phis = []
    for name, shape in shapes.items():
        for n, word in enumerate(words_of(shape)):
            arms = f"[{first[name][n]}, %{entry.label}]"
            if back is not None:
                arms += f", [{last[name][n]}, %{back.label}]"
            phis.append(f"{refs[name][n]} = phi {word} {arms}")
    head.lines[:0] = phis
    code.at = None
    if out is not None:
        code.at, frame.names = out
        run(frame, otherwise)
    _meet(frame, loop.out)
    return None


def _wider(frame: Frame, shapes: dict[str, Shape]) -> dict[str, Shape]:
    """Names whose shapes a turn of the loop does not keep, with shapes that hold both."""
    found = {}
    for name, shape in shapes.items():
        if name not in frame.names:
            raise Refused(f"the name {name}, which is not set on every path,")
        both = joined(shape, shape_of(frame.names[name]))
        if both != shape:
            found[name] = computed(both)
    return found


# Comprehensions -----------------------------------------------------------------------------------


def collected(frame: Frame, node: ast.ListComp | ast.GeneratorExp) -> list[Value]:
    """The values of a comprehension whose length is known."""
    found: list[Value] = []
    with_names = _targets(node)
    kept = {name: frame.names.pop(name) for name in with_names if name in frame.names}
    _collect(frame, node, 0, found)
    for name in with_names:
        frame.names.pop(name, None)
    frame.names |= kept
    return found


def _collect(
    frame: Frame, node: ast.ListComp | ast.GeneratorExp, depth: int, found: list[Value]
) -> None:
    if depth == len(node.generators):
        found.append(evaluate(frame, node.elt))
        return
    part = node.generators[depth]
    from oddsmith.model.step.builtin_calls import span_or_value

    for item in items_of(span_or_value(frame, part.iter)):
        bind(frame, part.target, item)
        tests = [truth(frame, test) for test in part.ifs]
        if any(test not in ("true", "false") for test in tests):
            raise Refused("a tuple whose length is only known in play")
        if all(test == "true" for test in tests):
            _collect(frame, node, depth + 1, found)


def _targets(node: ast.ListComp | ast.GeneratorExp) -> set[str]:
    return {
        part.id
        for generator in node.generators
        for part in ast.walk(generator.target)
        if isinstance(part, ast.Name)
    }


def folded(
    frame: Frame,
    node: ast.ListComp | ast.GeneratorExp,
    start: Value,
    inside: Callable[[str], list[ast.stmt]],
    stops: bool = False,
) -> Value:
    """What becomes of a value as a comprehension is gone through, by statements for each element.

    With `stops`, it ends as soon as the value has changed.
    """
    name = f".fold {id(node)}"
    kept = {n: frame.names.pop(n) for n in _targets(node) if n in frame.names}
    frame.names[name] = start
    body = inside(name)
    for generator in reversed(node.generators):
        for test in reversed(generator.ifs):
            body = [ast.If(test, body, [])]
        loop = ast.For(generator.target, generator.iter, body, [])
        ast.copy_location(loop, node)
        body = [loop]
        if stops:
            body.append(ast.If(_decided(name, start), [ast.Break()], []))
    if stops:
        body = body[:1]
    for part in body:
        ast.fix_missing_locations(part)
    run(frame, body)
    if frame.dead:
        raise Unreachable
    value = frame.names.pop(name)
    for n in _targets(node):
        frame.names.pop(n, None)
    frame.names |= kept
    return value


def _decided(name: str, start: Value) -> ast.expr:
    load = ast.Name(name, ast.Load())
    assert isinstance(start, Known)
    return ast.UnaryOp(ast.Not(), load) if start.value else load
