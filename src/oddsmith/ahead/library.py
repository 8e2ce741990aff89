"""Machine code of kernels: found, made from text where there is none, and loaded.

It lies in `objects/`, made when a wheel was built or a checkout installed, or in the user's folder
of caches, in a folder named after the machine it is for: all modules in one shared library, where
a linker was there, or an object file for each, which `llvmlite` links in memory. (A library is
loaded in a millisecond; importing `llvmlite` takes 70 and 100 MiB.) Where there is neither, object
files are made at first use, which is said, and kept.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from oddsmith.ahead import machine, text
from oddsmith.ahead.kernel import Code
from oddsmith.ahead.signature import parse, parse_all

MEMORY = """
; What kernels ask of Numba's runtime: memory with a count of its owners. {i64 owners, ptr, ptr,
; ptr data, i64 size, ptr}: kernels read the data's address and count the owners themselves. Data
; begin at a line of the cache.
declare ptr @malloc(i64)
declare void @free(ptr)

define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %more = add i64 %size, 64
  %all = add i64 %more, 64
  %owner = call ptr @malloc(i64 %all)
  %none = icmp eq ptr %owner, null
  br i1 %none, label %failed, label %there
failed:
  ret ptr null
there:
  %address = ptrtoint ptr %owner to i64
  %after = add i64 %address, 64
  %up = add i64 %after, 63
  %aligned = and i64 %up, -64
  %data = inttoptr i64 %aligned to ptr
  store i64 1, ptr %owner
  %p3 = getelementptr i64, ptr %owner, i64 3
  store ptr %data, ptr %p3
  %p4 = getelementptr i64, ptr %owner, i64 4
  store i64 %size, ptr %p4
  ret ptr %owner
}

define ptr @NRT_MemInfo_alloc(i64 %size) {
  %owner = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 32)
  ret ptr %owner
}

define void @NRT_MemInfo_call_dtor(ptr %owner) {
  call void @free(ptr %owner)
  ret void
}

define ptr @NRT_Allocate(i64 %size) {
  %memory = call ptr @malloc(i64 %size)
  ret ptr %memory
}

define void @NRT_Free(ptr %memory) {
  call void @free(ptr %memory)
  ret void
}

define void @oddsmith_release(ptr %owner) {
  %before = atomicrmw sub ptr %owner, i64 1 seq_cst
  %last = icmp eq i64 %before, 1
  br i1 %last, label %gone, label %done
gone:
  call void @free(ptr %owner)
  br label %done
done:
  ret void
}
"""

OBJECTS = Path(__file__).parent / "objects"

LIBRARY = "kernels.so"
"""The shared library of all modules, whatever such files are called elsewhere."""

DIGEST = hashlib.sha256().digest_size
"""An object file begins with the digest of the rest: what is damaged is made again, never run."""


@functools.cache
def target_machine(kind: str | None = None) -> Any:
    """What machine code is made for: this processor, or any of a kind."""
    import llvmlite.binding as llvm

    if kind is None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        features = llvm.get_host_cpu_features().flatten()
        target, processor = llvm.Target.from_default_triple(), llvm.get_host_cpu_name()
    else:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        triple, processor = machine.MACHINES[kind]
        target, features = llvm.Target.from_triple(triple), ""
    return target.create_target_machine(
        cpu=processor, features=features, opt=3, reloc="pic", codemodel="small"
    )


def emitted(llvm_text: str, target: Any) -> bytes:
    """LLVM text as machine code."""
    import llvmlite.binding as llvm

    module = llvm.parse_assembly(llvm_text)
    module.triple = target.triple
    module.data_layout = str(target.target_data)
    return bytes(target.emit_object(module))


def text_of(contents: text.Contents) -> str:
    """The LLVM text of a module, and a mark that tells which it is."""
    return f'{contents.text()}\n@"{mark_of(contents)}" = constant i8 1\n'


def mark_of(contents: text.Contents) -> str:
    """What a library names where it has this text as machine code."""
    return f"{contents.module}-{contents.digest[:16]}"


def places() -> list[Path]:
    """Where machine code for this machine may lie, the first of them made for nothing else."""
    here = machine.this_machine()
    general = [OBJECTS / machine.kind()] if machine.is_of_its_kind() else []
    return [OBJECTS / here, cache() / here, *general]


@functools.cache
def cache() -> Path:
    """A folder of this user for machine code that was made at first use."""
    from oddsmith.runtime.data_folder import cache_folder

    return cache_folder() / "kernels"


_LOADING = threading.RLock()
"""Held while code is loaded: threads may want the same, and LLVM aborts if it is given it twice."""


@functools.cache
def _engine() -> Any:
    """Where object files live; what kernels need of the runtime is in it."""
    import llvmlite.binding as llvm

    target = target_machine()
    memory = llvm.parse_assembly(MEMORY)
    memory.triple, memory.data_layout = target.triple, str(target.target_data)
    engine = llvm.create_mcjit_compiler(memory, target)
    engine.finalize_object()
    return engine


@functools.cache
def _linked() -> Any:
    """The shared library of all kernels; None where there is none that can be loaded."""
    for place in places():
        with contextlib.suppress(OSError):
            if (place / LIBRARY).exists():
                return ctypes.CDLL(str(place / LIBRARY))
    return None


def _address(of: Any, symbol: str) -> int:
    """Where something is in a shared library."""
    return ctypes.addressof(ctypes.c_char.in_dll(of, symbol))


def _addresses(contents: text.Contents) -> Callable[[str], int]:
    """Where the symbols of a module are, once it is loaded."""
    linked = _linked()
    if linked is not None:
        with contextlib.suppress(ValueError):  # it may have been made of another text
            _address(linked, mark_of(contents))
            return functools.partial(_address, linked)
    import llvmlite.binding as llvm

    engine = _engine()
    engine.add_object_file(llvm.object_file.ObjectFileRef.from_data(_object(contents)))
    engine.finalize_object()
    address: Callable[[str], int] = engine.get_function_address
    return address


@functools.cache
def release_function() -> Callable[[int], None]:
    """What gives back the memory of an array that a kernel has made."""
    linked, name = _linked(), "oddsmith_release"
    address = _address(linked, name) if linked else _engine().get_function_address(name)
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)


def release(owner: int) -> None:
    """Give back the memory of an array that a kernel has made."""
    release_function()(owner)


def module(name: str) -> dict[str, list[Code]] | None:
    """The machine code of a module of kernels; None where its sources have changed since."""
    with _LOADING:
        return _module(name)


@functools.cache
def _module(name: str) -> dict[str, list[Code]] | None:
    contents = text.contents(name)
    if contents is None or not contents.fresh:
        return None
    address = _addresses(contents)
    prototype = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
    codes: dict[str, list[Code]] = {}
    for made in contents.kernels:
        call = prototype(address(made.symbol))
        code = Code(parse_all(made.arguments), parse(made.result), call)
        codes.setdefault(made.name, []).append(code)
    return codes


def _object(contents: text.Contents) -> bytes:
    name = f"{mark_of(contents)}.o"
    for place in places():
        try:
            kept = (place / name).read_bytes()
        except OSError:
            continue
        if kept[:DIGEST] == hashlib.sha256(kept[DIGEST:]).digest():
            return kept[DIGEST:]
    return make(contents, places()[1])


def make(contents: text.Contents, place: Path) -> bytes:
    """Make machine code for this machine, which is said, and keep it if possible."""
    _say_that_it_is_made()
    code = emitted(text_of(contents), target_machine())
    keep(place, f"{mark_of(contents)}.o", code)
    return code


@functools.cache
def _say_that_it_is_made() -> None:
    if sys.stderr.isatty():
        print("making machine code for this machine, once …", file=sys.stderr)


def keep(place: Path, name: str, code: bytes) -> bool:
    """Keep machine code in a file, whole or not at all; what cannot be kept is made again."""
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place, delete=False) as file:
            file.write(hashlib.sha256(code).digest() + code)
        Path(file.name).replace(place / name)
    except OSError:
        return False
    return True
