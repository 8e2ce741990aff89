"""Functions on packed states, from LLVM text to machine code, and the frames they share."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

import llvmlite.binding as llvm

from oddsmith.model.prism.emit import Body
from oddsmith.model.prism.instructions import Number, Real
from oddsmith.model.process import Layout
from oddsmith.rules.prism.expression import Expression

_INTRINSICS = {
    f"llvm.s{name}.with.overflow.i64": "{i64, i1} @<>(i64, i64)" for name in ("add", "sub", "mul")
} | {
    "llvm.floor.f64": "double @<>(double)",
    "llvm.fabs.f64": "double @<>(double)",
    "llvm.rint.f64": "double @<>(double)",
    "llvm.log.f64": "double @<>(double)",
    "llvm.pow.f64": "double @<>(double, double)",
}

_POWER = """
define internal {i64, i1} @power(i64 %base, i64 %exponent) {
entry:
  br label %again
again:
  %left = phi i64 [%exponent, %entry], [%half, %next]
  %square = phi i64 [%base, %entry], [%square2, %next]
  %made = phi i64 [1, %entry], [%made2, %next]
  %bad = phi i1 [false, %entry], [%bad2, %next]
  %over = phi i1 [false, %entry], [%over2, %next]
  %more = icmp ne i64 %left, 0
  br i1 %more, label %next, label %end
next:
  %bit = trunc i64 %left to i1
  %p = call {i64, i1} @llvm.smul.with.overflow.i64(i64 %made, i64 %square)
  %p0 = extractvalue {i64, i1} %p, 0
  %p1 = extractvalue {i64, i1} %p, 1
  %wrong = or i1 %p1, %over
  %worse = and i1 %wrong, %bit
  %bad2 = or i1 %bad, %worse
  %made2 = select i1 %bit, i64 %p0, i64 %made
  %q = call {i64, i1} @llvm.smul.with.overflow.i64(i64 %square, i64 %square)
  %square2 = extractvalue {i64, i1} %q, 0
  %q1 = extractvalue {i64, i1} %q, 1
  %over2 = or i1 %over, %q1
  %half = lshr i64 %left, 1
  br label %again
end:
  %r0 = insertvalue {i64, i1} undef, i64 %made, 0
  %r1 = insertvalue {i64, i1} %r0, i1 %bad, 1
  ret {i64, i1} %r1
}
"""


@cache
def _processor() -> tuple[str, str]:
    """The processor and what it can do, as LLVM calls them; LLVM is ready to compile for it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


class Machine:
    """Compiled functions; they live as long as this does.

    Without optimisation: that takes a tenth of the compile time, and as the instructions are
    straight-line and without waste, they run only half as fast, which is some five nanoseconds of
    the hundred that a transition takes.
    """

    def __init__(self, functions: Sequence[str]) -> None:
        text = "\n".join(functions)
        if "@power(" in text:
            text += _POWER
        used = {name for name in _INTRINSICS if name in text}
        text += "".join(f"declare {_INTRINSICS[name].replace('<>', name)}\n" for name in used)
        cpu, features = _processor()
        module = llvm.parse_assembly(text)
        target = llvm.Target.from_default_triple().create_target_machine(
            cpu=cpu, features=features, opt=0, jit=True
        )
        self._engine = llvm.create_mcjit_compiler(module, target)
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Where a function begins."""
        return int(self._engine.get_function_address(name))


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
    total: Number | Real = Number("0", 0, 0)
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
        body.do(f"store i64 {number.num}, ptr {first}")
        body.do(f"store i64 {number.den}, ptr {second}")
    else:
        body.do(f"store double {number.ref}, ptr {first}")
        body.do(f"store i64 0, ptr {second}")
