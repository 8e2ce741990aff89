"""Kernels as Python calls them: the machine code for the kinds of the arguments, by its address.

A call looks at each argument's kind (a letter and a number each, no Python object is made), finds
the machine code that was made for these kinds, writes the arguments as words into a buffer and
calls it without Python's lock. See `signature.py` for how values travel.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import math
import struct
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from oddsmith.ahead import reads, signature
from oddsmith.ahead.signature import LETTERS, Kind, cost, fits, kind_of

HEAD = object.__basicsize__
"""Bytes of every Python object before its own fields, which kernels skip in arrays."""

_CONTIGUOUS, _WRITEABLE, _ALIGNED = 0x1, 0x400, 0x100  # numpy's flags
_FLAGS = _CONTIGUOUS | _WRITEABLE | _ALIGNED
_RAISED = (MemoryError, ZeroDivisionError, OverflowError, IndexError, ValueError)

NativeCall = Callable[[Any], int]


@dataclass(frozen=True)
class Code:
    """Machine code of a kernel for arguments of some kinds."""

    arguments: tuple[Kind, ...]
    result: Kind
    call: NativeCall


@dataclass
class CallPlan:
    """How to call machine code with values of certain kinds."""

    code: Code
    convert: bool
    """Whether some arrays must be copied into others, of wider numbers or without gaps."""
    pack: struct.Struct = field(init=False)
    unpack: struct.Struct = field(init=False)
    buffer: type = field(init=False)
    size: int = field(init=False)

    def __post_init__(self) -> None:
        leaves = [leaf for kind in self.code.arguments for leaf in kind.leaves()]
        self.pack = struct.Struct("=q" + "".join(_letter(leaf) for leaf in leaves))
        back = "".join(
            _letter(leaf) + "Q" * (1 + 2 * max(leaf.axes, 0)) * (leaf.axes >= 0)
            for leaf in self.code.result.leaves()
        )
        self.unpack = struct.Struct("=Q" + back)
        self.size = max(self.pack.size, self.unpack.size)
        self.buffer = ctypes.c_char * self.size


def _letter(kind: Kind) -> str:
    return "Q" if kind.axes >= 0 else LETTERS[kind.number]


def _look(values: Sequence[Any], key: list[Any], words: list[Any]) -> None:
    """The kinds of values, as a key, and the values as words."""
    for value in values:
        kind = type(value)
        if kind is np.ndarray:
            flags, numbers = value.flags.num & _FLAGS, value.dtype
            if not numbers.isnative:
                raise TypeError("kernels take numbers in the machine's own order of bytes")
            key += (numbers.char, value.ndim << 12 | flags)
            words.append(id(value))
        elif kind is int or kind is float or kind is bool or isinstance(value, np.generic):
            key.append(kind)
            words.append(value)
        elif value is None:
            key.append(None)
        elif isinstance(value, tuple):
            key += (kind, len(value))
            _look(value, key, words)
        elif isinstance(value, np.ndarray):
            raise TypeError(f"kernels take plain arrays, not {kind.__name__}")
        else:
            kind_of(value)


class Kernel:
    """A function that has been compiled ahead for the kinds of arguments it is called with."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.__name__ = function.__name__
        self.py_func = function
        self.targetoptions = options  # as Numba's dispatchers have them: what is inlined
        self._call_plans: dict[tuple[Any, ...], CallPlan] = {}
        self._codes: list[Code] | None = None
        self._compiled: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """Run it."""
        key: list[Any] = []
        words: list[Any] = []
        _look(arguments, key, words)
        plan = self._call_plans.get(tuple(key))
        if plan is None:
            plan = self._call_plan(arguments)
            if plan is None:
                return self.compiled(*arguments)
            self._call_plans[tuple(key)] = plan
        if plan.convert:
            return self._converted(plan, arguments)
        return self._run(plan, arguments, words)

    def _run(self, plan: CallPlan, arguments: Sequence[Any], words: list[Any]) -> Any:
        space = plan.buffer()
        try:
            plan.pack.pack_into(space, 0, HEAD, *words)
        except struct.error:
            if not any(isinstance(word, int) and word >= 1 << 63 for word in words):
                raise OverflowError("a number beyond 64 bits was given to a kernel") from None
            return self.compiled(*arguments)
        status = plan.code.call(space)
        if status:
            raise _raised(plan.unpack.unpack_from(space)[0])
        words = list(plan.unpack.unpack_from(space))
        del words[0]
        return _result(plan.code.result, iter(words), arguments)

    def _converted(self, plan: CallPlan, arguments: Sequence[Any]) -> Any:
        copies: list[tuple[Any, Any]] = []
        kinds = zip(arguments, plan.code.arguments, strict=True)
        changed = [_converted(value, kind, copies) for value, kind in kinds]
        words: list[Any] = []
        _look(changed, [], words)
        found = self._run(plan, changed, words)
        for copy, original in copies:
            np.copyto(original, copy, casting="unsafe")
        return found

    def _call_plan(self, arguments: Sequence[Any]) -> CallPlan | None:
        """How to call it with such arguments; None if it was not made for them."""
        from oddsmith.ahead import fallback

        if self._codes is None:
            self._codes = fallback.codes_of(self)
        kinds = tuple(self._as_read(i, kind_of(value)) for i, value in enumerate(arguments))
        best: tuple[int, int] | None = None
        for number, code in enumerate(self._codes):
            if len(kinds) != len(code.arguments):
                continue
            costs = [cost(a, b) for a, b in zip(kinds, code.arguments, strict=True)]
            if None not in costs:
                exact = all(fits(a, b) for a, b in zip(kinds, code.arguments, strict=True))
                price = sum(c for c in costs if c is not None) + (not exact)
                best = min(best or (price, number), (price, number))
        if best is None or best[0] > 0:
            fallback.missed(self, kinds)
        if best is None:
            return None
        return CallPlan(self._codes[best[1]], convert=best[0] > 1)

    def _as_read(self, number: int, kind: Kind) -> Kind:
        """The kind of an argument: one that is read-only is as any other where it is only read."""
        read = reads.listed().get((self.__module__, self.__name__), ()) if kind.kept else ()
        return replace(kind, kept=False) if number in read else kind

    @property
    def address(self) -> int:
        """Where the machine code is that takes whole numbers only, for other kernels to call.

        It takes them as words and gives its results in the same way, see `signature.py`.
        """
        from oddsmith.ahead import fallback

        if self._codes is None:
            self._codes = fallback.codes_of(self)
        for code in self._codes:
            if all(kind == Kind("i64") for kind in code.arguments):
                return ctypes.cast(code.call, ctypes.c_void_p).value or 0  # type: ignore[arg-type]
        return fallback.address(self)

    @property
    def compiled(self) -> Any:
        """It as Numba compiles it now, for developers and for what was not made."""
        if self._compiled is None:
            from oddsmith.ahead import fallback

            self._compiled = fallback.dispatcher(self)
        return self._compiled

    @property
    def _numba_type_(self) -> Any:
        """What a kernel that calls this one sees."""
        from numba.core import types

        return types.Dispatcher(self.compiled)

    def __repr__(self) -> str:
        return f"<kernel {self.__module__}.{self.__name__}>"


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Declare a kernel; options are Numba's (`inline`, `forceinline`, `fastmath`)."""
    if function is None:
        return functools.partial(kernel, **options)
    return Kernel(function, options)


class Stand:
    """What stands for something of Numba's in a module of kernels, until kernels are made."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._real: Any = None

    @property
    def _numba_type_(self) -> Any:
        from oddsmith.ahead.fallback import type_of

        if self._real is None:
            self._real = self._make()
        return type_of(self._real)


def intrinsic(function: Callable[..., Any]) -> Any:
    """Declare an instruction that kernels use: `numba.extending.intrinsic`, when it is needed."""

    def make() -> Any:
        from numba.extending import intrinsic as real

        return real(function)

    stand = Stand(make)
    stand.__module__ = function.__module__
    return stand


def instruction(module: str, name: str) -> Any:
    """An instruction in a module that only those import who make kernels."""
    stand = Stand(lambda: getattr(importlib.import_module(module), name))
    stand.__module__ = module
    return stand


array_at = instruction("numba", "carray")
"""`numba.carray`: in kernels, an array at an address."""


def _converted(value: Any, kind: Kind, copies: list[tuple[Any, Any]]) -> Any:
    """A value as a kernel takes it; arrays that must be copied back are noted."""
    if kind.parts is not None:
        parts = [_converted(v, k, copies) for v, k in zip(value, kind.parts, strict=True)]
        return type(value)(*parts) if kind.named else tuple(parts)
    if kind.axes < 0 or fits(kind_of(value), kind):
        return value
    copy: Any = np.array(value, signature.TYPES[kind.number], order="C")
    if value.flags.writeable and not kind.kept:
        copies.append((copy, value))
    return copy


def _result(kind: Kind, words: Iterator[Any], arguments: Sequence[Any]) -> Any:
    if kind.parts is not None:
        return tuple(_result(part, words, arguments) for part in kind.parts)
    if kind.axes < 0:
        if not kind.number:
            return None
        word = next(words)
        return bool(word) if kind.number == "b" else word
    owner, address = next(words), next(words)
    shape = tuple(next(words) for _ in range(kind.axes))
    strides = tuple(next(words) for _ in range(kind.axes))
    return _array(kind, owner, address, shape, strides, arguments)


def _array(
    kind: Kind, owner: int, address: int, shape: tuple[int, ...], strides: tuple[int, ...],
    arguments: Sequence[Any],
) -> Any:  # fmt: skip
    """An array that a kernel gives: an argument again, or one whose memory is now ours."""
    from oddsmith.ahead.library import release

    if not owner:
        for value in arguments:
            if isinstance(value, np.ndarray) and value.ctypes.data == address:
                if value.shape == shape:
                    return value
                return np.ndarray(shape, value.dtype, value, 0, strides)
        raise AssertionError("a kernel gives an array that is nobody's")
    numbers = signature.TYPES[kind.number]
    size = math.prod(shape) * np.dtype(numbers).itemsize
    if size == 0:
        release(owner)
        return np.empty(shape, numbers)
    memory = (ctypes.c_char * size).from_address(address)
    weakref.finalize(memory, release, owner).atexit = False
    numbers_there: Any = memory
    return np.frombuffer(numbers_there, numbers).reshape(shape)


class _Raised(ctypes.Structure):
    """What a kernel says of an exception: Numba keeps it as bytes that name it."""

    _fields_ = (("data", ctypes.c_void_p), ("size", ctypes.c_int32))


def _raised(address: int) -> Exception:
    if not address:
        return RuntimeError("a kernel failed")
    said = _Raised.from_address(address)
    data = ctypes.string_at(said.data, said.size)
    for kind in _RAISED:
        if kind.__name__.encode() in data:
            return kind("in a kernel")
    return RuntimeError("a kernel failed")
