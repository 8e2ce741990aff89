"""From LLVM text to machine code."""

from __future__ import annotations

from functools import cache

import llvmlite.binding as llvm

SPEED = 2
"""How much LLVM tries, from 0 to 3."""


@cache
def _processor() -> tuple[str, str]:
    """The processor and what it can do, as LLVM calls them; LLVM is ready to compile for it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


class Machine:
    """Compiled functions; they live as long as this does."""

    def __init__(self, text: str) -> None:
        cpu, features = _processor()
        target = llvm.Target.from_default_triple().create_target_machine(
            cpu=cpu, features=features, opt=SPEED, jit=True
        )
        module = llvm.parse_assembly(text)
        options = llvm.create_pipeline_tuning_options(speed_level=SPEED)
        builder = llvm.create_pass_builder(target, options)
        builder.getModulePassManager().run(module, builder)
        self._engine = llvm.create_mcjit_compiler(module, target)
        self._engine.finalize_object()

    def address(self, name: str) -> int:
        """Where a function begins."""
        return int(self._engine.get_function_address(name))
