"""From LLVM text to machine code."""

from __future__ import annotations

from functools import cache

import llvmlite.binding as llvm

INTRINSICS = {
    f"llvm.s{name}.with.overflow.i64": "{i64, i1} @<>(i64, i64)" for name in ("add", "sub", "mul")
} | {
    "llvm.ctpop.i64": "i64 @<>(i64)",
    "llvm.pow.f64": "double @<>(double, double)",
    **{
        f"llvm.{name}.f64": "double @<>(double)"
        for name in ("fabs", "floor", "ceil", "rint", "trunc", "sqrt", "log")
    },
}
"""What LLVM brings along; a text declares those that it names."""

POWER = """define internal {i64, i1} @power(i64 %base, i64 %exponent) {
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
"""Powers by squares: over says that the square is wrong, bad that the power is."""


@cache
def _processor() -> tuple[str, str]:
    """The processor and what it can do, as LLVM calls them; LLVM is ready to compile for it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


class Machine:
    """Compiled functions; they live as long as this does.

    `speed` is how much LLVM tries, from 0 to 3. With 0 it takes a tenth of the time, and straight
    instructions without waste, as those of PRISM programs are, run half as fast.
    """

    def __init__(self, text: str, speed: int) -> None:
        if "@power(" in text:
            text += POWER
        used = [name for name in INTRINSICS if f"@{name}(" in text]
        text += "".join(f"declare {INTRINSICS[name].replace('<>', name)}\n" for name in used)
        cpu, features = _processor()
        target = llvm.Target.from_default_triple().create_target_machine(
            cpu=cpu, features=features, opt=speed, jit=True
        )
        module = llvm.parse_assembly(text)
        if speed:
            options = llvm.create_pipeline_tuning_options(speed_level=speed)
            builder = llvm.create_pass_builder(target, options)
            builder.getModulePassManager().run(module, builder)
        self._engine = llvm.create_mcjit_compiler(module, target)
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Where a function begins."""
        return int(self._engine.get_function_address(name))
