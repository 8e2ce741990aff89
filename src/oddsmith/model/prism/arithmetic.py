"""Exact arithmetic in LLVM instructions: fractions of 64-bit numbers, and doubles.

Sums and comparisons bring fractions over one denominator; only those known now are reduced. See
`native/numbers.py` for whole numbers, `instructions.py` for values and errors.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from oddsmith.model.native.numbers import (
    COMPARED,
    MOST,
    Whole,
    fixed,
    literal,
)
from oddsmith.model.prism.instructions import ONE, Number, Real, Straight, known_number

_COMPARISONS = {"=": "eq", "!=": "ne", "<": "slt", "<=": "sle"}
_ZERO = fixed(0)


class NotRationalError(Exception):
    """A chance that is not a fraction, or one with a denominator beyond 64 bits."""


class Arithmetic(Straight):
    """Instructions for numbers; those with `reals` have doubles for all fractions."""

    def __init__(self, reals: bool = False) -> None:
        super().__init__()
        self.reals = reals
        self._rounded = False
        """Whether a constant was too long for 64 bits: it has become a double."""

    @staticmethod
    def _over(num: Whole, den: Whole) -> Number:
        """A fraction of two whole numbers, reduced if it is known."""
        if num.low == num.high and den.low == den.high:
            known = Fraction(num.low, den.low)
            return known_number(known.numerator, known.denominator)
        return Number(num, den)

    def _alike(self, a: Number, b: Number) -> tuple[Whole, Whole, Whole]:
        """Two fractions over one denominator: both numerators, and the denominator."""
        p, q = a.den, b.den
        if p.ref == q.ref:
            return a.num, b.num, p
        if p.low == p.high and q.low == q.high:
            common = lcm(p.low, q.low)
            if common > MOST:
                raise NotRationalError
            left = self.times(a.num, fixed(common // p.low))
            return left, self.times(b.num, fixed(common // q.low)), fixed(common)
        return self.times(a.num, q), self.times(b.num, p), self.times(p, q)

    def real(self, a: Number | Real) -> Real:
        """A number as a double."""
        if isinstance(a, Real):
            return a
        known = a.constant
        if known is not None:
            return Real(literal(float(known)))
        num = self.double(a.num)
        return Real(num if a.whole else self.op(f"fdiv double {num}, {self.double(a.den)}"))

    def add(self, a: Number | Real, b: Number | Real, operator: str = "+") -> Number | Real:
        """a + b or a - b."""
        if isinstance(a, Real) or isinstance(b, Real):
            name = "fadd" if operator == "+" else "fsub"
            return Real(self.op(f"{name} double {self.real(a).ref}, {self.real(b).ref}"))
        x, y, den = self._alike(a, b)
        return self._over(self.plus(x, y) if operator == "+" else self.minus(x, y), den)

    def multiply(self, a: Number | Real, b: Number | Real) -> Number | Real:
        """a × b."""
        if isinstance(a, Real) or isinstance(b, Real):
            return Real(self.op(f"fmul double {self.real(a).ref}, {self.real(b).ref}"))
        return self._over(self.times(a.num, b.num), self.times(a.den, b.den))

    def divide(self, a: Number | Real, b: Number | Real) -> Number | Real:
        """a / b, a fraction."""
        if isinstance(b, Number) and b.num.low <= 0 <= b.num.high:
            n = b.num
            zero = self.compare("eq", n, _ZERO)
            self.fail_if(zero)
            if zero == "true":
                n = ONE
            else:
                ref = self.op(f"select i1 {zero}, i64 1, i64 {n.ref}")
                n = Whole(ref, n.low + (n.low == 0), max(1, n.high - (n.high == 0)))
            b = Number(n, b.den)
        if isinstance(a, Real) or isinstance(b, Real) or self.reals:
            if isinstance(b, Real):
                self.fail_if(self.op(f"fcmp oeq double {b.ref}, {literal(0.0)}"))
            return Real(self.op(f"fdiv double {self.real(a).ref}, {self.real(b).ref}"))
        num = self.times(a.num, b.den)
        den = self.times(a.den, b.num)
        if den.low < 0:
            down = self.compare("slt", den, _ZERO)
            num = self.choose(down, self.minus(_ZERO, num), num)
            top = max(abs(den.low), abs(den.high))
            den = Whole(self.choose(down, self.minus(_ZERO, den), den).ref, 1, min(top, MOST))
        return self._over(num, den)

    def relation(self, operator: str, a: Number | Real, b: Number | Real) -> str:
        """A comparison of numbers."""
        if operator in (">", ">="):
            a, b, operator = b, a, "<" if operator == ">" else "<="
        how = _COMPARISONS[operator]
        if isinstance(a, Real) or isinstance(b, Real):
            self._decide()
            return self.op(f"fcmp {COMPARED[how]} double {self.real(a).ref}, {self.real(b).ref}")
        x, y, _ = self._alike(a, b)
        return self.compare(how, x, y)

    def _decide(self) -> None:
        """Before doubles decide something: fractions that were merely too long must not."""
        if self._rounded and not self.reals:
            raise NotRationalError

    def select(self, test: str, a: Number | Real, b: Number | Real) -> Number | Real:
        """test ? a : b."""
        if isinstance(a, Real) or isinstance(b, Real):
            return Real(self.where(test, "double", self.real(a).ref, self.real(b).ref))
        return self._over(self.choose(test, a.num, b.num), self.choose(test, a.den, b.den))

    def extreme(self, function: str, a: Number | Real, b: Number | Real) -> Number | Real:
        """The minimum or maximum of two."""
        test = self.relation("<=" if function == "min" else ">=", a, b)
        if isinstance(a, Number) and isinstance(b, Number) and a.whole and b.whole:
            return Number(self.choose(test, a.num, b.num, min if function == "min" else max))
        return self.select(test, a, b)

    def floor(self, a: Number | Real) -> Number:
        """The whole number at or below."""
        if isinstance(a, Real):
            self._decide()
            return Number(self.cut(self.op(f"call double @llvm.floor.f64(double {a.ref})"), 62))
        return a if a.whole else Number(self.divided(a.num, a.den)[0])

    def mod(self, a: Whole, b: Whole) -> Whole:
        """The remainder, from 0 up; the divisor must be positive."""
        if b.low <= 0:
            bad = self.compare("sle", b, _ZERO)
            self.fail_if(bad)
            if bad == "true":
                return _ZERO
            b = Whole(self.op(f"select i1 {bad}, i64 1, i64 {b.ref}"), 1, max(1, b.high))
        if a.low >= 0 and a.high < b.low:
            return a
        return self.divided(a, b)[1]

    def power(self, a: Number | Real, b: Number | Real, whole: bool) -> Number | Real:
        """a to the power of b: exact where b is a whole number."""
        if isinstance(a, Real) or isinstance(b, Real) or not b.whole:
            x, y = self.real(a).ref, self.real(b).ref
            result = self.op(f"call double @llvm.pow.f64(double {x}, double {y})")
            finite = self.op(f"fcmp ord double {result}, {result}")
            self.fail_if(self.negate(finite))
            return Real(result)
        size = b.num
        if size.low >= 0:
            return self._natural_power(a, size)
        negative = self.compare("slt", size, _ZERO)
        if whole:
            self.fail_if(negative)
            least = self.choose(negative, _ZERO, size)
            return self._natural_power(a, Whole(least.ref, 0, max(0, size.high)))
        turned = self.choose(negative, self.minus(_ZERO, size), size)
        size = Whole(turned.ref, 0, min(MOST, max(-size.low, size.high)))
        raised = self._natural_power(a, size)
        if negative == "true":
            return self.divide(Number(ONE), raised)
        inverse = self.under(negative, lambda: self.divide(Number(ONE), raised))
        return self.select(negative, inverse, raised)

    def _natural_power(self, a: Number, b: Whole) -> Number:
        return self._over(self.raised(a.num, b), ONE if a.whole else self.raised(a.den, b))

    def logarithm(self, x: list[Number | Real], logs: list[str]) -> Real:
        """A quotient of logarithms, made whole where it is: log(125, 5) is exactly 3."""
        value, base = (self.real(argument).ref for argument in x)
        self.fail_if(self.op(f"fcmp oeq double {base}, {literal(1.0)}"))
        quotient = self.op(f"fdiv double {logs[0]}, {logs[1]}")
        near = self.op(f"call double @llvm.rint.f64(double {quotient})")
        power = self.op(f"call double @llvm.pow.f64(double {base}, double {near})")
        hit = self.op(f"fcmp oeq double {power}, {value}")
        return Real(self.op(f"select i1 {hit}, double {near}, double {quotient}"))
