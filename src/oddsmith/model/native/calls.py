"""Calls of functions by their addresses, in kernels that were compiled before these existed."""

from __future__ import annotations

from typing import Any

from oddsmith.ahead import intrinsic


def _calling(words: int, gives: int = 64) -> Any:
    """What makes the call of a function of so many words at an address."""
    from numba import types

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from llvmlite import ir

        word = ir.IntType(64)
        function = ir.FunctionType(ir.IntType(gives), [word] * words).as_pointer()
        return builder.call(builder.inttoptr(arguments[0], function), arguments[1:])

    return getattr(types, f"int{gives}")(*[types.int64] * (words + 1)), generate


@intrinsic
def call1(context: Any, address: Any, a: Any) -> Any:
    """Call a function of one word."""
    return _calling(1)


@intrinsic
def call2(context: Any, address: Any, a: Any, b: Any) -> Any:
    """Call a function of two words."""
    return _calling(2)


@intrinsic
def call3(context: Any, address: Any, a: Any, b: Any, c: Any) -> Any:
    """Call a function of three words."""
    return _calling(3)


@intrinsic
def call4(context: Any, address: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Call a function of four words."""
    return _calling(4)


@intrinsic
def call_kernel(context: Any, address: Any, words: Any) -> Any:
    """Call a kernel that was made ahead (see `ahead/signature.py`): 0, unless it failed."""
    return _calling(1, 32)


@intrinsic
def pointer(typing_context: Any, address: Any) -> Any:
    """An address as a pointer."""
    from numba import types

    signature = types.voidptr(types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from numba.core import cgutils

        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return signature, generate
