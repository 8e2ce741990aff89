"""Functions on packed states as LLVM text, and the frames they share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from oddsmith.model.prism.emit import Body
from oddsmith.model.prism.instructions import Number, Real, known_number
from oddsmith.model.variables import Layout
from oddsmith.rules.prism.expression import Expression


def defined(head: str, body: Body) -> str:
    """A function: its head and the lines of its body."""
    lines = "\n".join(body.lines)
    return f"define {head} {{\nentry:\n{lines}\n}}\n"


def each_state(name: str, layout: Layout, body: Body, stride: int) -> str:
    """A function that runs a body for every packed state.

    Its arguments: the states, how many, and where the results go, `stride` bytes a state. It
    returns -1, or 4 times the number of the first state with an error plus the error's bits. The
    body ends with its errors not yet taken and refers to %state and %out.
    """
    before = [
        "br label %head",
        "head:",
        "%i = phi i64 [0, %entry], [%i2, %more]",
        "%go = icmp slt i64 %i, %count",
        "br i1 %go, label %body, label %done",
        "body:",
        f"%at = mul i64 %i, {layout.words}",
        "%state = getelementptr i64, ptr %states, i64 %at",
        f"%to = mul i64 %i, {stride}",
        "%out = getelementptr i8, ptr %results, i64 %to",
    ]
    errors = body.take_errors()
    if errors is None:
        after = ["br label %more"]
    else:
        body.op(f"icmp ne i64 {errors}, 0")
        after = [
            f"br i1 %{body.count - 1}, label %bad, label %more",
            "bad:",
            "%i4 = shl i64 %i, 2",
            f"%code = or i64 %i4, {errors}",
            "ret i64 %code",
        ]
    after += ["more:", "%i2 = add i64 %i, 1", "br label %head", "done:", "ret i64 -1"]
    body.lines[:0] = before
    body.lines += after
    return defined(f"i64 @{name}(ptr %states, i64 %count, ptr %results)", body)


def truth_function(name: str, layout: Layout, e: Expression, reals: bool = False) -> str:
    """A function that stores the truth of an expression in every state, a byte each."""
    body = Body(layout, reals=reals)
    byte = body.op(f"zext i1 {body.truth(e)} to i8")
    body.do(f"store i8 {byte}, ptr %out")
    return each_state(name, layout, body, 1)


def sum_function(
    name: str,
    layout: Layout,
    items: Sequence[tuple[Expression | None, Expression]],
    reals: bool = False,
) -> str:
    """A function that stores the sum of the values whose guards hold: two words a state.

    They are numerator and denominator, or the bits of a double and 0.
    """
    body = Body(layout, reals=reals)
    total: Number | Real = known_number(0)
    for guard, value in items:
        holds = "true" if guard is None else body.truth(guard)
        if holds != "false":
            more = body.under(holds, partial(body.add_value, total, value))
            total = body.select(holds, more, total)
    store_number(body, total, "%out", body.op("getelementptr i64, ptr %out, i64 1"))
    return each_state(name, layout, body, 16)


def store_number(body: Body, number: Number | Real, first: str, second: str) -> None:
    """Store a number in two words: numerator and denominator, or the bits of a double and 0."""
    if isinstance(number, Number):
        body.do(f"store i64 {number.num.ref}, ptr {first}")
        body.do(f"store i64 {number.den.ref}, ptr {second}")
    else:
        body.do(f"store double {number.ref}, ptr {first}")
        body.do(f"store i64 0, ptr {second}")
