"""The instructions of a function without a branch, as text: what goes into it, and what can fail.

The instructions are written as text: building them from llvmlite's objects takes ten times as
long, and a model's compile time is mostly this. Three kinds of value come out of an expression:

- a truth value: an i1, by its name (`true` and `false` are names, too);
- a `Number`: an exact fraction, i64 over i64, with bounds known before anything runs. Whole
  numbers have the denominator 1; bounds from the ranges of variables show which operations cannot
  overflow and which updates cannot leave their range, and a value with one possible value is a
  constant: no instruction is written for it;
- a `Real`: a double, for logarithms and roots, and for all fractions in the mode `reals`.

An operation that can fail (division by zero, overflow) is computed on a harmless value instead and
leaves an error bit, which counts only on the path where the operation is needed: `x=0 ? 0 : 1/x`
never fails. So every expression is straight-line code.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple, TypeVar

from oddsmith.model.native.truths import Truths

LEAST, MOST = -(1 << 63), (1 << 63) - 1
WRONG, OVERFLOW = 1, 2
"""Error bits: what the interpreter can word, and numbers too long for 64 bits."""


class Number(NamedTuple):
    """A fraction: two names or literals, each with the bounds of its value."""

    num: str
    lo: int
    hi: int
    den: str = "1"
    den_lo: int = 1
    den_hi: int = 1

    @property
    def whole(self) -> bool:
        """Whether it is a whole number, whatever it is."""
        return self.den_hi == 1

    @property
    def constant(self) -> Fraction | None:
        """Its value if there is only one."""
        if self.lo == self.hi and self.den_lo == self.den_hi:
            return Fraction(self.lo, self.den_lo)
        return None


class Real(NamedTuple):
    """A double: a name or a literal."""

    ref: str


T = TypeVar("T")
Value = str | Number | Real


def bits_of(x: float) -> int:
    """The bits of a double, as a signed number.

    >>> bits_of(1.0) == 0x3FF << 52
    True
    """
    return int(struct.unpack("<q", struct.pack("<d", x))[0])


def literal(x: float) -> str:
    """A double as LLVM writes it."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


def fixed(n: int) -> Number:
    """A whole number known now."""
    return Number(str(n), n, n)


class Instructions(Truths):
    """The instructions of one function so far, the paths they are on, and truth values."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0
        self.errors: dict[int, str] = {}
        self._path: list[tuple[str, bool]] = []
        self._failures = 0

    def op(self, text: str) -> str:
        """An instruction with a result; its name."""
        name = f"%{self.count}"
        self.count += 1
        self.lines.append(f"{name} = {text}")
        return name

    def do(self, text: str) -> None:
        """An instruction without a result."""
        self.lines.append(text)

    def fail(self, bit: str, code: int) -> None:
        """Leave an error where `bit` is set, if the path leads here."""
        if bit == "false":
            return
        self._failures += 1
        for ref, wanted in self._path:
            bit = self.both(bit, ref if wanted else self.negate(ref))
        before = self.errors.get(code)
        self.errors[code] = bit if before is None else self.op(f"or i1 {before}, {bit}")

    def under(self, test: str, then: Callable[[], T], wanted: bool = True) -> T:
        """Compute something that counts only where `test` is as wanted."""
        self._path.append((test, wanted))
        try:
            return then()
        finally:
            self._path.pop()

    def take_errors(self) -> str | None:
        """The errors so far as an i64, to be stored; None if nothing can have failed."""
        total = None
        for code, bit in self.errors.items():
            one = self.op(f"select i1 {bit}, i64 {code}, i64 0")
            total = one if total is None else self.op(f"or i64 {total}, {one}")
        self.errors = {}
        return total

    # Truth values.

    def same(self, a: str, b: str) -> str:
        """Whether two truth values are equal."""
        if a in ("true", "false"):
            a, b = b, a
        if b == "true":
            return a
        return self.negate(a if b == "false" else self.op(f"xor i1 {a}, {b}"))
