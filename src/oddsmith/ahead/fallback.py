"""Arguments for which no kernel was made, and kernels whose source was edited since.

Then Numba compiles the kernel as it is now, if it is installed (developers have it; `make kernels`
makes the kernel for the next run). Arrays that only differ by narrower numbers are copied into
what there is, so running never needs it.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from oddsmith.errors import OddsmithError

if TYPE_CHECKING:
    from oddsmith.ahead.kernel import Code, Kernel
    from oddsmith.ahead.signature import Kind

RECORD = os.environ.get("ODDSMITH_KERNELS_MISSED")
"""A file to which calls are added for which nothing was made: `make.py` reads it."""

keep = True
"""Whether Numba keeps what it compiles."""

missed_calls: set[str] = set()
"""Those of this process: tests hold that there are none."""

_said: set[str] = set()


def codes_of(kernel: Kernel) -> list[Code]:
    """The machine code that was made of a kernel; none where its source has changed since."""
    from oddsmith.ahead import library

    module = kernel.__module__
    found = library.module(module)
    if found is None:
        _say_once(f"kernels of {module} are compiled as they are now: see make kernels")
        return []
    return found.get(kernel.__name__, [])


def missed(kernel: Kernel, kinds: tuple[Kind, ...]) -> None:
    """Note a call for which nothing was made."""
    call = f"{kernel.__module__} {kernel.__name__} ({','.join(map(str, kinds))})"
    if call in missed_calls:
        return
    missed_calls.add(call)
    if RECORD:
        with Path(RECORD).open("a") as file:
            file.write(call + "\n")


def dispatcher(kernel: Kernel) -> Any:
    """A kernel as Numba compiles it."""
    try:
        from oddsmith.ahead import numba_cache
    except ImportError:
        raise OddsmithError(
            f"{kernel!r} was not made for what it is called with, and Numba is not installed: "
            f"install it (pip install numba), and please report this."
        ) from None
    return numba_cache.njit(cache=keep, nogil=True, **kernel.targetoptions)(kernel.py_func)


_addressed: dict[Kernel, Any] = {}


def address(kernel: Kernel) -> int:
    """The address of a kernel as Numba compiles it, which takes four words and gives five."""
    import numba

    if kernel not in _addressed:
        function = kernel.compiled

        def call(words: Any) -> int:
            frame = numba.carray(words, (6,), np.int64)
            answer = function(frame[1], frame[2], frame[3], frame[4])
            frame[1], frame[2], frame[3], frame[4], frame[5] = answer
            return 0

        _addressed[kernel] = numba.cfunc("int32(CPointer(int64))")(call)
    return int(_addressed[kernel].address)


def type_of(real: Any) -> Any:
    """The type of something of Numba's that a kernel names."""
    from numba.core.registry import cpu_target

    cpu_target.typing_context.refresh()  # it may have been declared just now
    return cpu_target.typing_context.resolve_value_type(real)


def _say_once(what: str) -> None:
    if what not in _said:
        _said.add(what)
        print(f"note: {what}.", file=sys.stderr)
