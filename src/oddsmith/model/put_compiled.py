"""`put` for compiled rules: the same answers, the same `IndexError`, one store instead of a copy.

Importing this module is cheap; `register` imports Numba and teaches it `put`.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from oddsmith.rules.put import put


@cache
def register() -> None:
    """Let compiled code call `put`; further calls do nothing."""
    from numba import intp
    from numba.core import types
    from numba.core.errors import TypingError
    from numba.core.extending import overload
    from numba.core.types.containers import UniTuple
    from numba.cpython.unsafe.tuple import tuple_setitem

    from oddsmith.model.plain_operators import called, changes, refuse

    def storable(kind: Any) -> bool:
        """Whether a value of this type can be stored without counting references."""
        if isinstance(kind, UniTuple):
            return storable(kind.dtype)
        return isinstance(kind, types.Number | types.Boolean)

    def compile_put(values: Any, index: Any, value: Any) -> Callable[..., Any] | None:
        if not isinstance(values, UniTuple) or not isinstance(index, types.Integer):
            return None
        element = values.dtype
        if not storable(element):
            raise TypingError(f"put: cannot compile a tuple of {element}")
        if changes(value, element):  # the cast to the element's type would give another value
            raise refuse(f"put of {called(value)} into {called(values)} of {element}")
        size = values.count

        def compiled(values: Any, index: Any, value: Any) -> Any:
            place = intp(index)  # an index of a narrow or unsigned type must not wrap
            if place < -size or place >= size:
                raise IndexError("put: index out of range")
            if place < 0:
                place += size
            return tuple_setitem(values, place, value)

        return compiled

    overload(put)(compile_put)
