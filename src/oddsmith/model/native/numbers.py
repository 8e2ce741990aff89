"""Whole numbers and doubles in LLVM instructions, whatever language they stand for.

A `Whole` number has 64 bits, and bounds that are known before anything runs. They decide which
operations cannot leave 64 bits and need no check; a number with one possible value is a constant,
for which no instruction is written.

What can fail is said to `fail_if`. Languages differ in what follows: rules in Python end their
function there, so nothing after it need be careful; programs go on, with a note, so an operation
that would trap is done with a harmless number instead (`divisor`, `where`).
"""

from __future__ import annotations

import struct
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from oddsmith.model.native.truths import Truths

LEAST, MOST = -(1 << 63), (1 << 63) - 1

WRONG, OVERFLOW = 1, 2
"""Why something fails: what an interpreter can word, or numbers too long for 64 bits."""

LONGEST_PRODUCT = 64
"""Powers that are known up to this are written as products."""

COMPARED = {"eq": "oeq", "ne": "une", "slt": "olt", "sle": "ole"}
"""Comparisons of whole numbers, and of doubles."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole number: its name in the code or its digits, and bounds on it."""

    ref: str
    low: int = LEAST
    high: int = MOST


def fixed(n: int) -> Whole:
    """A whole number known now."""
    return Whole(str(n), n, n)


def literal(x: float) -> str:
    """A double as LLVM writes it."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


def table(name: str, numbers: Sequence[int]) -> tuple[str, int]:
    """A constant with whole numbers as narrow as they allow: its text, and their bits."""
    low, high = min(numbers), max(numbers)
    bits = next(b for b in (8, 16, 32, 64) if -(1 << b - 1) <= low and high < 1 << b - 1)
    entries = ", ".join(f"i{bits} {n}" for n in numbers)
    return f"{name} = private constant [{len(numbers)} x i{bits}] [{entries}]", bits


class Numbers(Truths):
    """What can be done with numbers wherever instructions are written."""

    @abstractmethod
    def fail_if(self, test: str, why: int = WRONG) -> None:
        """Fail where a truth value holds."""

    def too_long(self) -> None:
        """A number that is known is beyond 64 bits; unless this raises, `fail_if` is told."""

    def where(self, test: str, kind: str, word: str, harmless: str) -> str:
        """A word where a truth value holds that was said to fail otherwise."""
        return word

    def divisor(self, b: Whole) -> Whole:
        """A divisor that is no zero, unless that was said to fail."""
        return b

    # Whole numbers ------------------------------------------------------------------------------

    def checked(self, name: str, a: Whole, b: Whole, low: int, high: int) -> Whole:
        """add, sub or mul, whose result is from low to high; fails beyond 64 bits."""
        if low == high:
            if LEAST <= low <= MOST:
                return fixed(low)
            self.too_long()
        if low >= LEAST and high <= MOST:
            return Whole(self.op(f"{name} i64 {a.ref}, {b.ref}"), low, high)
        pair = self.op(
            f"call {{i64, i1}} @llvm.s{name}.with.overflow.i64(i64 {a.ref}, i64 {b.ref})"
        )
        return Whole(self._result(pair), max(low, LEAST), min(high, MOST))

    def _result(self, pair: str) -> str:
        """The number of a pair of it and whether it is beyond 64 bits."""
        result = self.op(f"extractvalue {{i64, i1}} {pair}, 0")
        self.fail_if(self.op(f"extractvalue {{i64, i1}} {pair}, 1"), OVERFLOW)
        return result

    def plus(self, a: Whole, b: Whole) -> Whole:
        """a + b."""
        if a.low == a.high == 0:
            return b
        if b.low == b.high == 0:
            return a
        return self.checked("add", a, b, a.low + b.low, a.high + b.high)

    def minus(self, a: Whole, b: Whole) -> Whole:
        """a - b."""
        if b.low == b.high == 0:
            return a
        return self.checked("sub", a, b, a.low - b.high, a.high - b.low)

    def times(self, a: Whole, b: Whole) -> Whole:
        """a × b."""
        if a.low == a.high == 1:
            return b
        if b.low == b.high == 1:
            return a
        corners = (a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)
        return self.checked("mul", a, b, min(corners), max(corners))

    def divided(self, a: Whole, b: Whole) -> tuple[Whole, Whole]:
        """The quotient, rounded down, and the remainder, which has the sign of b; b is not zero."""
        if a.low == a.high and b.low == b.high:
            return fixed(a.low // b.low), fixed(a.low % b.low)
        if a.low == LEAST and b.low <= -1 <= b.high:  # -2^63 // -1 is beyond 64 bits
            worst = self.op(f"icmp eq i64 {a.ref}, {LEAST}")
            self.fail_if(self.both(worst, self.op(f"icmp eq i64 {b.ref}, -1")), OVERFLOW)
        b = self.divisor(b)
        quotient = self.op(f"sdiv i64 {a.ref}, {b.ref}")
        rest = self.op(f"srem i64 {a.ref}, {b.ref}")
        if a.low < 0 or b.low < 0:
            if b.low > 0:
                down = self.op(f"icmp slt i64 {rest}, 0")
            else:
                unlike = self.op(f"icmp slt i64 {self.op(f'xor i64 {rest}, {b.ref}')}, 0")
                down = self.both(unlike, self.op(f"icmp ne i64 {rest}, 0"))
            quotient = self.op(f"sub i64 {quotient}, {self.op(f'zext i1 {down} to i64')}")
            more = self.op(f"select i1 {down}, i64 {b.ref}, i64 0")
            rest = self.op(f"add i64 {rest}, {more}")
        if b.low <= 0:
            return Whole(quotient), Whole(rest)
        corners = (a.low // b.low, a.low // b.high, a.high // b.low, a.high // b.high)
        return Whole(quotient, min(corners), max(corners)), Whole(rest, 0, b.high - 1)

    def raised(self, a: Whole, b: Whole) -> Whole:
        """a to the power of b, which is not negative."""
        if b.low == b.high <= LONGEST_PRODUCT:
            product = fixed(1)
            for _ in range(b.low):
                product = self.times(product, a)
            return product
        pair = self.op(f"call {{i64, i1}} @power(i64 {a.ref}, i64 {b.ref})")
        least = 1 if a.low > 0 else 0 if a.low == 0 else LEAST
        return Whole(self._result(pair), least, MOST)

    def compare(self, how: str, a: Whole, b: Whole) -> str:
        """A comparison: eq, ne, slt or sle."""
        if a.high < b.low or (how == "sle" and a.high <= b.low):
            return "false" if how == "eq" else "true"
        if a.low > b.high or (how == "slt" and a.low >= b.high):
            return "true" if how == "ne" else "false"
        if a.low == a.high == b.low == b.high:
            return "true" if how in ("eq", "sle") else "false"
        return self.op(f"icmp {how} i64 {a.ref}, {b.ref}")

    def choose(
        self, test: str, a: Whole, b: Whole, ends: Callable[..., int] | None = None
    ) -> Whole:
        """a where a truth value holds, else b; `ends` is min or max if it says which that is."""
        if test in ("true", "false"):
            return a if test == "true" else b
        if a.ref == b.ref:
            return a
        chosen = self.op(f"select i1 {test}, i64 {a.ref}, i64 {b.ref}")
        low, high = (ends or min)(a.low, b.low), (ends or max)(a.high, b.high)
        return fixed(low) if low == high else Whole(chosen, low, high)

    def counted(self, test: str) -> Whole:
        """A truth value as a number: 0 or 1."""
        if test in ("true", "false"):
            return fixed(int(test == "true"))
        return Whole(self.op(f"zext i1 {test} to i64"), 0, 1)

    def holds(self, a: Whole) -> str:
        """A number as a truth value: whether it is not 0."""
        return self.compare("ne", a, fixed(0))

    # Doubles ------------------------------------------------------------------------------------

    def double(self, a: Whole) -> str:
        """A whole number as a double."""
        if a.low == a.high:
            return literal(float(a.low))
        return self.op(f"sitofp i64 {a.ref} to double")

    def cut(self, x: str, bits: int = 63) -> Whole:
        """The whole part of a double; fails where it has more bits, or is none."""
        size = self.op(f"call double @llvm.fabs.f64(double {x})")
        fits = self.op(f"fcmp olt double {size}, {literal(2.0**bits)}")
        self.fail_if(self.negate(fits))
        safe = self.where(fits, "double", x, literal(0.0))
        most = 1 << bits
        return Whole(self.op(f"fptosi double {safe} to i64"), -most, min(most, MOST))

    # Memory -------------------------------------------------------------------------------------

    def place(self, pointer: str, number: int) -> str:
        """The address of a word after a pointer."""
        return self.op(f"getelementptr i64, ptr {pointer}, i64 {number}") if number else pointer

    def word(self, pointer: str, number: int) -> str:
        """A word after a pointer."""
        return self.op(f"load i64, ptr {self.place(pointer, number)}")

    def put(self, word: str, pointer: str, number: int) -> None:
        """Write a word after a pointer."""
        self.do(f"store i64 {word}, ptr {self.place(pointer, number)}")

    def entry(self, name: str, bits: int, at: str) -> str:
        """A number of a `table`, at a place that is in range."""
        place = self.op(f"getelementptr i{bits}, ptr {name}, i64 {at}")
        loaded = self.op(f"load i{bits}, ptr {place}")
        return self.op(f"sext i{bits} {loaded} to i64") if bits < 64 else loaded
