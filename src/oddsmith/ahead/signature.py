"""Kinds of arguments: what a kernel is compiled for, and how values travel to it.

A kind is written as one short text:

    i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 b    a number or a truth value, by its bits
    i32[2]                                     an array of two axes, row by row without gaps
    i32[2~]                                    the same with gaps between rows or numbers
    i32[2!]                                    the same, which the kernel does not write to
    (i64,f64)                                  a tuple
    package.module:Name(i64,f64)               a NamedTuple
    -                                          None

Values travel as 64-bit words: numbers as they are (f32 and f64 as a double), arrays as the address
of the Python object, in which the kernel itself looks up the address, shape and strides. Tuples
are their entries, None is nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

LETTERS = {
    "i8": "q", "i16": "q", "i32": "q", "i64": "q", "b": "q",
    "u8": "Q", "u16": "Q", "u32": "Q", "u64": "Q", "f32": "d", "f64": "d",
}  # fmt: skip
"""How `struct` packs each kind of number into a word."""

TYPES = {
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "b": np.bool_,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
    "f32": np.float32, "f64": np.float64,
}  # fmt: skip

NAMES = {np.dtype(kind).str: name for name, kind in TYPES.items()}
CHARS = {char: NAMES.get(np.dtype(char).str) for char in "?bBhHiIlLqQfd"}
"""Kinds of numbers by numpy's letters, which differ between systems."""


@dataclass(frozen=True)
class Kind:
    """The kind of one argument or result."""

    number: str = ""
    """Of numbers, and of the entries of arrays."""
    axes: int = -1
    """Of arrays; -1 for what is none."""
    gaps: bool = False
    kept: bool = False
    """Arrays that the kernel does not write to."""
    parts: tuple[Kind, ...] | None = None
    """Of tuples."""
    named: str = ""
    """The NamedTuple, as package.module:Name."""

    def __str__(self) -> str:
        if self.parts is not None:
            return f"{self.named}({','.join(map(str, self.parts))})"
        if self.axes < 0:
            return self.number or "-"
        return f"{self.number}[{self.axes}{'~' * self.gaps}{'!' * self.kept}]"

    def leaves(self) -> Iterator[Kind]:
        """Numbers and arrays, in order."""
        if self.parts is not None:
            for part in self.parts:
                yield from part.leaves()
        elif self.number:
            yield self


NOTHING = Kind()


def parse(text: str) -> Kind:
    """A kind from its text."""
    kind, rest = _parse(text)
    if rest:
        raise ValueError(f"{text!r} is no kind of argument")
    return kind


def parse_all(text: str) -> tuple[Kind, ...]:
    """The kinds of all arguments, from `(…)`."""
    return parse(text).parts or ()


def _parse(text: str) -> tuple[Kind, str]:
    end = next((i for i, c in enumerate(text) if c in "(),["), len(text))
    name, rest = text[:end], text[end:]
    if rest.startswith("("):
        parts: list[Kind] = []
        rest = rest[1:]
        while not rest.startswith(")"):
            part, rest = _parse(rest)
            parts.append(part)
            rest = rest.removeprefix(",")
        return Kind(parts=tuple(parts), named=name), rest[1:]
    if rest.startswith("["):
        inside, _, rest = rest[1:].partition("]")
        axes = int(inside.rstrip("~!"))
        return Kind(name, axes, "~" in inside, "!" in inside), rest
    return Kind("" if name == "-" else name), rest


def kind_of(value: Any) -> Kind:
    """The kind of a value; TypeError for what no kernel takes."""
    if isinstance(value, np.ndarray):
        number = CHARS.get(value.dtype.char)
        if number is None:
            raise TypeError(f"kernels take no arrays of {value.dtype}")
        flags = value.flags
        return Kind(number, value.ndim, not flags.c_contiguous, not flags.writeable)
    if isinstance(value, bool | np.bool_):
        return Kind("b")
    if isinstance(value, np.integer | np.floating):
        return Kind(CHARS[value.dtype.char] or "")
    if isinstance(value, int):
        return Kind("i64" if value < 1 << 63 else "u64")
    if isinstance(value, float):
        return Kind("f64")
    if value is None:
        return NOTHING
    if isinstance(value, tuple):
        kind = type(value)
        named = f"{kind.__module__}:{kind.__qualname__}" if kind is not tuple else ""
        return Kind(parts=tuple(map(kind_of, value)), named=named)
    raise TypeError(f"kernels take no {type(value).__name__}")


def fits(kind: Kind, declared: Kind) -> bool:
    """Whether a value can be handed as it is to a kernel made for a declared kind."""
    if declared.parts is not None:
        return (
            kind.parts is not None
            and kind.named == declared.named
            and len(kind.parts) == len(declared.parts)
            and all(map(fits, kind.parts, declared.parts))
        )
    return (
        (kind.number, kind.axes) == (declared.number, declared.axes)
        and kind.parts is None
        and (declared.gaps or not kind.gaps)
        and (declared.kept or not kind.kept)
    )


def cost(kind: Kind, declared: Kind) -> int | None:
    """How many arrays must be copied to call a kernel made for another kind; None if it cannot be.

    Numbers become wider ones. An array becomes one of wider numbers, or without gaps, in a copy,
    which is copied back where the kernel writes to it.
    """
    if declared.parts is not None:
        if kind.parts is None or kind.named != declared.named:
            return None
        if len(kind.parts) != len(declared.parts):
            return None
        costs = [cost(a, b) for a, b in zip(kind.parts, declared.parts, strict=True)]
        return None if None in costs else sum(c for c in costs if c is not None)
    if kind.parts is not None or kind.axes != declared.axes:
        return None
    if bool(kind.number) != bool(declared.number):
        return None
    if not kind.number or fits(kind, declared):
        return 0
    if not np.can_cast(TYPES[kind.number], TYPES[declared.number], "safe"):
        return None
    return int(kind.axes >= 0)
