"""The instructions of a function without a branch, as text: what goes into it, and what can fail.

The instructions are written as text: building them from llvmlite's objects takes ten times as
long, and a model's compile time is mostly this. Three kinds of value come out of an expression:

- a truth value: an i1, by its name (`true` and `false` are names, too);
- a `Number`: an exact fraction of two whole numbers (`native/numbers.py`). Bounds from the ranges
  of variables show which operations cannot overflow and which updates cannot leave their range;
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

from oddsmith.model.native.numbers import WRONG, Numbers, Whole, fixed

ONE = fixed(1)


class Number(NamedTuple):
    """A fraction."""

    num: Whole
    den: Whole = ONE

    @property
    def whole(self) -> bool:
        """Whether it is a whole number, whatever it is."""
        return self.den.high == 1

    @property
    def constant(self) -> Fraction | None:
        """Its value if there is only one."""
        if self.num.low == self.num.high and self.den.low == self.den.high:
            return Fraction(self.num.low, self.den.low)
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


def known_number(numerator: int, denominator: int = 1) -> Number:
    """A fraction known now."""
    return Number(fixed(numerator), fixed(denominator) if denominator != 1 else ONE)


class Straight(Numbers):
    """The instructions of one function so far, and the paths they are on."""

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

    def fail_if(self, test: str, why: int = WRONG) -> None:
        """Leave an error where a truth value holds, if the path leads here."""
        if test == "false":
            return
        self._failures += 1
        for ref, wanted in self._path:
            test = self.both(test, ref if wanted else self.negate(ref))
        before = self.errors.get(why)
        self.errors[why] = test if before is None else self.op(f"or i1 {before}, {test}")

    def where(self, test: str, kind: str, word: str, harmless: str) -> str:
        """A word where a truth value holds, and a harmless one elsewhere."""
        if test in ("true", "false"):
            return word if test == "true" else harmless
        return self.op(f"select i1 {test}, {kind} {word}, {kind} {harmless}")

    def divisor(self, b: Whole) -> Whole:
        """A divisor that is positive, even where a product that it is has overflowed."""
        if b.ref.isdigit():
            return b
        bad = self.op(f"icmp sle i64 {b.ref}, 0")
        return Whole(self.op(f"select i1 {bad}, i64 1, i64 {b.ref}"), b.low, b.high)

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
