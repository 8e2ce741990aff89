"""From kernels to LLVM text, by Numba: `python -m oddsmith.ahead.make`, for developers.

`declared.txt` has a line for each kernel and the kinds of its arguments. Each is compiled by Numba
behind a function that unpacks its arguments from words (see `signature.py`) and packs its result;
all of a module become one text, in which only those functions can be seen from outside. Numba is
told of a processor with vectors of 256 bits: the text is for any machine, and machine code for
those with narrower vectors takes them in parts.

Only what has changed is made, unless `--all` is given. `--missed FILE` adds to `declared.txt` what
was called and had not been made (the tests write such a file if ODDSMITH_KERNELS_MISSED names it);
`--check` compiles all and says which texts differ.
"""

from __future__ import annotations

import os

os.environ.update(NUMBA_CPU_NAME="haswell", NUMBA_CPU_FEATURES="+avx2,+fma,+bmi,+bmi2,+popcnt")

import argparse
import ast
import importlib
import inspect
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import callconv, cgutils, codegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.np.arrayobj import populate_array

from oddsmith.ahead import fallback, reads, text
from oddsmith.ahead.declared import add_missed, declared
from oddsmith.ahead.kernel import Kernel, Stand
from oddsmith.ahead.library import MEMORY
from oddsmith.ahead.signature import TYPES, Kind, parse_all

WORD = ir.IntType(64)
NUMBERS = {name: numba.from_dtype(np.dtype(kind)) for name, kind in TYPES.items()}
NAMES = {kind: name for name, kind in NUMBERS.items()}


THERE = {"log", "log1p", "exp", "pow"} | set(re.findall(r"@(\w+)", MEMORY))
"""What kernels may call when they run: functions of C, and those that stand in for Numba's."""


_WORDS_OF_EXCEPTIONS = re.compile(
    r"(define [^\n]*@__excinfo_unwrap_args\w*\([^\n]*\{\n).*?\n\}", re.DOTALL
)


_NAMES_OF_SCOPES = re.compile(r', !"_ZN[^"\n]*"')
"""Of functions that were inlined, in what is known of pointers: they count what Numba compiled."""


CONSTANTS = (bool, int, float, tuple, np.generic, np.ndarray)
"""What a kernel takes from outside and keeps as it was when it was made."""


class NotMadeError(Exception):
    """Numba does not compile a kernel for what it was declared for."""


def numba_type(kind: Kind) -> Any:
    """A kind as Numba has it."""
    if kind.parts is not None:
        parts = tuple(map(numba_type, kind.parts))
        if kind.named:
            module, _, name = kind.named.partition(":")
            named = importlib.import_module(module)
            for part in name.split("."):
                named = getattr(named, part)
            return types.NamedTuple(parts, named)
        return types.Tuple(parts)
    if kind.axes < 0:
        return NUMBERS[kind.number] if kind.number else types.none
    layout = "A" if kind.gaps else "C"
    return types.Array(NUMBERS[kind.number], kind.axes, layout, readonly=kind.kept)


def kind_of_type(numba_type: Any) -> Kind:
    """What a kernel gives, as a kind."""
    if isinstance(numba_type, types.NoneType):
        return Kind()
    if isinstance(numba_type, types.BaseTuple):
        return Kind(parts=tuple(kind_of_type(part) for part in numba_type))
    if isinstance(numba_type, types.Array):
        return Kind(NAMES[numba_type.dtype], numba_type.ndim, numba_type.layout != "C")
    if isinstance(numba_type, types.IntegerLiteral | types.BooleanLiteral):
        numba_type = types.unliteral(numba_type)
    return Kind(NAMES[numba_type])


class _Words:
    """The words through which a kernel is called, in the code being generated."""

    def __init__(self, context: Any, builder: Any, words: Any) -> None:
        self.context, self.builder, self.words = context, builder, words
        self.place = 0
        self.head = self.next()

    def address(self) -> Any:
        address = self.builder.gep(self.words, [ir.Constant(WORD, self.place)])
        self.place += 1
        return address

    def next(self) -> Any:
        return self.builder.load(self.address())

    def put(self, value: Any) -> None:
        self.builder.store(value, self.address())

    def take(self, kind: Any) -> Any:
        """An argument, as Numba's code has it."""
        builder, context = self.builder, self.context
        if isinstance(kind, types.BaseTuple):
            return context.make_tuple(builder, kind, [self.take(part) for part in kind])
        if isinstance(kind, types.Array):
            return self._array(kind)
        if isinstance(kind, types.NoneType):
            return context.get_dummy_value()
        word = self.next()
        if isinstance(kind, types.Float):
            number = builder.bitcast(word, ir.DoubleType())
            return builder.fptrunc(number, ir.FloatType()) if kind.bitwidth == 32 else number
        if isinstance(kind, types.Boolean):
            return builder.icmp_unsigned("!=", word, ir.Constant(WORD, 0))
        return builder.trunc(word, ir.IntType(kind.bitwidth)) if kind.bitwidth < 64 else word

    def _array(self, kind: Any) -> Any:
        """An array, from the fields of the Python object at an address."""
        builder, context = self.builder, self.context
        fields = builder.inttoptr(builder.add(self.next(), self.head), WORD.as_pointer())

        def entry(number: int) -> Any:
            return builder.load(builder.gep(fields, [ir.Constant(WORD, number)]))

        item = context.get_data_type(kind.dtype)
        data = builder.inttoptr(entry(0), item.as_pointer())
        dimensions = builder.inttoptr(entry(2), WORD.as_pointer())
        steps = builder.inttoptr(entry(3), WORD.as_pointer())

        def row(start: Any) -> list[Any]:
            places = [ir.Constant(WORD, axis) for axis in range(kind.ndim)]
            return [builder.load(builder.gep(start, [place])) for place in places]

        array = context.make_array(kind)(context, builder)
        size = ir.Constant(WORD, context.get_abi_sizeof(item))
        populate_array(array, data, row(dimensions), row(steps), size, None)
        return array._getvalue()

    def give(self, kind: Any, value: Any) -> None:
        """A result, as words."""
        builder, context = self.builder, self.context
        if isinstance(kind, types.NoneType):
            return
        if isinstance(kind, types.BaseTuple):
            for number, part in enumerate(kind):
                self.give(part, builder.extract_value(value, number))
        elif isinstance(kind, types.Array):
            array = context.make_array(kind)(context, builder, value)
            self.put(builder.ptrtoint(array.meminfo, WORD))
            self.put(builder.ptrtoint(array.data, WORD))
            for each in (array.shape, array.strides):
                for number in cgutils.unpack_tuple(builder, each):
                    self.put(number)
        elif isinstance(kind, types.Float):
            number = builder.fpext(value, ir.DoubleType()) if kind.bitwidth == 32 else value
            self.put(builder.bitcast(number, WORD))
        elif isinstance(kind, types.Boolean):
            self.put(builder.zext(value, WORD))
        elif kind.bitwidth < 64:
            extend = builder.sext if kind.signed else builder.zext
            self.put(extend(value, WORD))
        else:
            self.put(value)


def compiled(kernel: Kernel, arguments: str, symbol: str) -> tuple[Any, Kind]:
    """A kernel for some arguments as an LLVM module, and the kind of what it gives."""
    kinds = tuple(numba_type(kind) for kind in parse_all(arguments))
    dispatcher = kernel.compiled
    try:
        dispatcher.compile(kinds)
    except Exception as error:
        raise NotMadeError(f"{kernel!r} {arguments}: {error}") from error
    found = dispatcher.overloads[kinds]
    context, library = found.target_context, found.library
    wrapper = context.codegen().create_library(f"call {symbol}")
    with global_compiler_lock, context.push_code_library(wrapper):
        module = wrapper.create_ir_module(symbol)
        outer = ir.Function(
            module, ir.FunctionType(ir.IntType(32), [WORD.as_pointer()]), name=symbol
        )
        builder = ir.IRBuilder(outer.append_basic_block("entry"))
        words = _Words(context, builder, outer.args[0])
        values = [words.take(kind) for kind in kinds]
        inner = context.declare_function(module, found.fndesc)
        status, result = context.call_conv.call_function(
            builder, inner, found.signature.return_type, kinds, values
        )
        words.place = 0
        with builder.if_then(status.is_error, likely=False):
            words.put(builder.ptrtoint(status.excinfoptr, WORD))
            builder.ret(ir.Constant(ir.IntType(32), 1))
        words.place = 1
        kind = found.signature.return_type
        if not isinstance(kind, types.NoneType):
            words.give(kind, result)
        builder.ret(ir.Constant(ir.IntType(32), 0))
        wrapper.add_ir_module(module)
        wrapper.add_linking_library(library)
        texts: list[str] = []
        optimise = wrapper._optimize_final_module

        def recorded() -> None:
            optimise()
            texts.append(str(wrapper._final_module))

        wrapper._optimize_final_module = recorded
        wrapper.finalize()
    return llvm.parse_assembly(texts[0]), kind_of_type(kind)


def text_of(module_name: str, kernels: dict[str, list[str]]) -> tuple[str, list[text.Made]]:
    """The text of all kernels of a module."""
    module = importlib.import_module(module_name)
    whole, made = None, []
    for name, choices in sorted(kernels.items()):
        kernel = getattr(module, name)
        assert isinstance(kernel, Kernel), f"{module_name}.{name} is no kernel"
        for number, arguments in enumerate(choices):
            symbol = f"{module_name}.{name}.{number}"
            part, result = compiled(kernel, arguments, symbol)
            made.append(text.Made(name, arguments, str(result), symbol))
            if whole is None:
                whole = part
            else:
                whole.link_in(part)
    assert whole is not None
    return _cleaned(whole, {m.symbol for m in made}), made


def _cleaned(module: Any, symbols: set[str]) -> str:
    """A module of which only some functions can be seen, without what nobody needs then.

    What Numba would say of an exception needs Python; that there was one, and of which kind, is all
    that is asked (`kernel._raised`). Names that nobody needs go too: they hang on what else was
    compiled, and the same sources give the same text.
    """
    module = llvm.parse_assembly(_WORDS_OF_EXCEPTIONS.sub(r"\1  ret ptr null\n}", str(module)))
    for each in (*module.functions, *module.global_variables):
        if not each.is_declaration and each.name not in symbols:
            each.linkage = "internal"
    builder = llvm.create_pass_builder(_machine(), llvm.create_pipeline_tuning_options(0))
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_strip_dead_prototype_pass()
    passes.add_strip_symbols_pass()
    passes.run(module, builder)
    lines = _NAMES_OF_SCOPES.sub("", str(module)).splitlines()
    kept = [line for line in lines if not re.match(r"; ModuleID|source_filename", line)]
    called = {
        found[1]
        for line in kept
        if (found := re.match(r'declare .*?@"?([\w.$]+)', line)) is not None
    }
    unknown = {name for name in called if not name.startswith("llvm.")} - THERE
    if unknown:
        raise NotMadeError(f"kernels call what is not there when they run: {', '.join(unknown)}")
    return "\n".join(kept) + "\n"


def _machine() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(opt=3)


def sources_of(module_name: str) -> tuple[str, ...]:
    """The files that the kernels of a module are made from: its own, and those of what it names.

    That is other kernels, and numbers, which are compiled into them wherever they come from.
    """
    seen: list[str] = []
    left = [module_name]
    while left:
        name = left.pop()
        if name in seen or not name.startswith("oddsmith."):
            continue
        seen.append(name)
        named = vars(importlib.import_module(name)).values()
        left += [value.__module__ for value in named if isinstance(value, Kernel | Stand)]
        left += _homes_of_constants(name)
    files = {Path(sys.modules[name].__file__ or "") for name in seen}
    return tuple(sorted(file.relative_to(text.SOURCES).as_posix() for file in files))


def _homes_of_constants(module_name: str) -> Iterator[str]:
    """The modules from which a module takes numbers, or other modules to take them from."""
    module = sys.modules[module_name]
    body = ast.parse(inspect.getsource(module)).body
    used = {
        node.id
        for part in body
        if isinstance(part, ast.Assign | ast.AnnAssign)
        or (isinstance(part, ast.FunctionDef) and part.decorator_list)
        for node in ast.walk(part)
        if isinstance(node, ast.Name)
    }
    for node in body:
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("oddsmith."):
            continue
        for one in node.names:
            value = vars(module)[one.asname or one.name]
            if (one.asname or one.name) not in used:
                continue
            if isinstance(value, ModuleType):
                yield value.__name__
            elif isinstance(value, CONSTANTS):
                yield str(node.module)


def quiet_numba() -> None:
    """Have Numba make LLVM text only: nothing is run here, and nothing is called from Python."""
    fallback.keep = False
    context = cpu_target.target_context
    context.create_cpython_wrapper = lambda *_, **__: None
    context.create_cfunc_wrapper = lambda *_, **__: None
    codegen.JITCPUCodegen._add_module = lambda *_: None  # machine code would change the text
    codegen.JITCodeLibrary._finalize_specific = lambda *_: None
    said = callconv.CPUCallConv.build_excinfo_struct  # without the place: it names this machine
    callconv.CPUCallConv.build_excinfo_struct = lambda self, exc, words, *_: said(
        self, exc, words and tuple(map(_without_place, words)), None, None
    )
    context.get_executable = lambda *_, **__: [].append  # never called, but told from each other


def _without_place(word: Any) -> Any:
    """What an exception is made with; some of Numba's end with the file that was compiled."""
    return word.partition("\nFile ")[0] if isinstance(word, str) else word


def is_there(module: str, kernels: dict[str, list[str]]) -> bool:
    """Whether there is a text of a module as it is now."""
    there = text.contents(module)
    wanted = {(name, arguments) for name, choices in kernels.items() for arguments in choices}
    return (
        there is not None
        and there.fresh
        and there.sources == sources_of(module)
        and {(made.name, made.arguments) for made in there.kernels} == wanted
    )


def all_texts(every: bool) -> Iterator[tuple[str, str, list[text.Made]]]:
    """The texts of modules, one after the other: all, or those that are not there."""
    for module, kernels in sorted(declared().items()):
        if not every and is_there(module, kernels):
            continue
        began = time.perf_counter()
        llvm_text, made = text_of(module, kernels)
        seconds = time.perf_counter() - began
        print(f"{module}: {len(made)} kernels, {len(llvm_text):,} characters, {seconds:.1f} s")
        yield module, llvm_text, made


def main() -> None:
    """Make kernels, or say which are not what their sources give."""
    parser = argparse.ArgumentParser(prog="python -m oddsmith.ahead.make")
    parser.add_argument("--all", action="store_true", help="also what has not changed")
    parser.add_argument("--missed", type=Path, help="add what was called and had not been made")
    parser.add_argument("--check", action="store_true", help="write nothing, say what differs")
    options = parser.parse_args()
    if options.missed is not None:
        add_missed(options.missed)
    quiet_numba()
    differs = []
    for module, llvm_text, made in all_texts(options.all or options.check):
        if options.check:
            there = text.contents(module)
            if there is None or not there.fresh or there.text() != llvm_text:
                differs.append(module)
        else:
            text.write(module, llvm_text, sources_of(module), made)
    if not options.check:
        text.forget_all_but(declared())
        reads.write()
    if differs:
        sys.exit(f"not what the sources give (make kernels): {', '.join(differs)}")


if __name__ == "__main__":
    main()
