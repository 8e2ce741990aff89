"""Exact arithmetic in LLVM instructions: fractions of 64-bit numbers, and doubles.

Sums and comparisons bring fractions over one denominator; only those known now are reduced. Where
bounds allow an overflow, instructions are written that notice it. See `instructions.py` for values
and errors.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from oddsmith.model.prism.instructions import (
    LEAST,
    MOST,
    OVERFLOW,
    WRONG,
    Instructions,
    Number,
    Real,
    fixed,
    literal,
)


class NotRationalError(Exception):
    """A chance that is not a fraction, or one with a denominator beyond 64 bits."""


class Arithmetic(Instructions):
    """Instructions for numbers; those with `reals` have doubles for all fractions."""

    def __init__(self, reals: bool = False) -> None:
        super().__init__()
        self.reals = reals
        self._rounded = False
        """Whether a constant was too long for 64 bits: it has become a double."""

    # Whole numbers, as (name, lowest, highest).

    def _whole(self, operator: str, a: Number, b: Number, lo: int, hi: int) -> Number:
        """a operator b on numerators, whose result is from lo to hi."""
        if lo == hi and LEAST <= lo <= MOST:
            return fixed(lo)
        if lo >= LEAST and hi <= MOST:
            return Number(self.op(f"{operator} i64 {a.num}, {b.num}"), lo, hi)
        pair = self.op(
            f"call {{i64, i1}} @llvm.s{operator}.with.overflow.i64(i64 {a.num}, i64 {b.num})"
        )
        result = self.op(f"extractvalue {{i64, i1}} {pair}, 0")
        self.fail(self.op(f"extractvalue {{i64, i1}} {pair}, 1"), OVERFLOW)
        return Number(result, max(lo, LEAST), min(hi, MOST))

    def _times(self, a: Number, b: Number) -> Number:
        if a.lo == a.hi == 1:
            return Number(b.num, b.lo, b.hi)
        if b.lo == b.hi == 1:
            return Number(a.num, a.lo, a.hi)
        corners = (a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi)
        return self._whole("mul", a, b, min(corners), max(corners))

    def _plus(self, a: Number, b: Number) -> Number:
        if a.lo == a.hi == 0:
            return Number(b.num, b.lo, b.hi)
        if b.lo == b.hi == 0:
            return Number(a.num, a.lo, a.hi)
        return self._whole("add", a, b, a.lo + b.lo, a.hi + b.hi)

    def _minus(self, a: Number, b: Number) -> Number:
        if b.lo == b.hi == 0:
            return Number(a.num, a.lo, a.hi)
        return self._whole("sub", a, b, a.lo - b.hi, a.hi - b.lo)

    def _select(self, test: str, a: Number, b: Number) -> Number:
        if test in ("true", "false"):
            a = a if test == "true" else b
            return Number(a.num, a.lo, a.hi)
        if a.num == b.num:
            return Number(a.num, a.lo, a.hi)
        ref = self.op(f"select i1 {test}, i64 {a.num}, i64 {b.num}")
        return Number(ref, min(a.lo, b.lo), max(a.hi, b.hi))

    def _compare(self, how: str, a: Number, b: Number) -> str:
        """Compare numerators; how is eq, ne, slt, sle."""
        if a.lo == a.hi and b.lo == b.hi:
            x, y = a.lo, b.lo
            return str({"eq": x == y, "ne": x != y, "slt": x < y, "sle": x <= y}[how]).lower()
        if how == "slt" and (a.hi < b.lo or a.lo >= b.hi):
            return str(a.hi < b.lo).lower()
        if how == "sle" and (a.hi <= b.lo or a.lo > b.hi):
            return str(a.hi <= b.lo).lower()
        if how in ("eq", "ne") and (a.hi < b.lo or a.lo > b.hi):
            return str(how == "ne").lower()
        return self.op(f"icmp {how} i64 {a.num}, {b.num}")

    @staticmethod
    def _over(num: Number, den: Number) -> Number:
        """A fraction of two whole numbers, reduced if it is known."""
        if num.lo == num.hi and den.lo == den.hi:
            known = Fraction(num.lo, den.lo)
            n, d = known.numerator, known.denominator
            return Number(str(n), n, n, str(d), d, d)
        return Number(num.num, num.lo, num.hi, den.num, den.lo, den.hi)

    @staticmethod
    def _den(a: Number) -> Number:
        return Number(a.den, a.den_lo, a.den_hi)

    def _alike(self, a: Number, b: Number) -> tuple[Number, Number, Number]:
        """Two fractions over one denominator: both numerators, and the denominator."""
        p, q = self._den(a), self._den(b)
        if p.num == q.num:
            return a, b, p
        if p.lo == p.hi and q.lo == q.hi:
            common = lcm(p.lo, q.lo)
            if common > MOST:
                raise NotRationalError
            left = self._times(a, fixed(common // p.lo))
            return left, self._times(b, fixed(common // q.lo)), fixed(common)
        return self._times(a, q), self._times(b, p), self._times(p, q)

    # Numbers of both kinds.

    def real(self, a: Number | Real) -> Real:
        """A number as a double."""
        if isinstance(a, Real):
            return a
        known = a.constant
        if known is not None:
            return Real(literal(float(known)))
        num = self.op(f"sitofp i64 {a.num} to double")
        if a.whole:
            return Real(num)
        den = self.op(f"sitofp i64 {a.den} to double")
        return Real(self.op(f"fdiv double {num}, {den}"))

    def add(self, a: Number | Real, b: Number | Real, operator: str = "+") -> Number | Real:
        """a + b or a - b."""
        if isinstance(a, Real) or isinstance(b, Real):
            name = "fadd" if operator == "+" else "fsub"
            return Real(self.op(f"{name} double {self.real(a).ref}, {self.real(b).ref}"))
        x, y, den = self._alike(a, b)
        return self._over(self._plus(x, y) if operator == "+" else self._minus(x, y), den)

    def times(self, a: Number | Real, b: Number | Real) -> Number | Real:
        """a × b."""
        if isinstance(a, Real) or isinstance(b, Real):
            return Real(self.op(f"fmul double {self.real(a).ref}, {self.real(b).ref}"))
        return self._over(self._times(a, b), self._times(self._den(a), self._den(b)))

    def divide(self, a: Number | Real, b: Number | Real) -> Number | Real:
        """a / b, a fraction."""
        if isinstance(b, Number) and b.lo <= 0 <= b.hi:
            zero = self._compare("eq", b, fixed(0))
            self.fail(zero, WRONG)
            ref = "1" if zero == "true" else self.op(f"select i1 {zero}, i64 1, i64 {b.num}")
            lo, hi = (1, 1) if zero == "true" else (b.lo + (b.lo == 0), max(1, b.hi - (b.hi == 0)))
            b = b._replace(num=ref, lo=lo, hi=hi)
        if isinstance(a, Real) or isinstance(b, Real) or self.reals:
            if isinstance(b, Real):
                self.fail(self.op(f"fcmp oeq double {b.ref}, {literal(0.0)}"), WRONG)
            return Real(self.op(f"fdiv double {self.real(a).ref}, {self.real(b).ref}"))
        num = self._times(a, self._den(b))
        den = self._times(self._den(a), b)
        if den.lo < 0:
            down = self._compare("slt", den, fixed(0))
            num = self._select(down, self._minus(fixed(0), num), num)
            top = max(abs(den.lo), abs(den.hi))
            den = self._select(down, self._minus(fixed(0), den), den)
            den = den._replace(lo=1, hi=min(top, MOST))
        return self._over(num, den)

    def compare(self, operator: str, a: Number | Real, b: Number | Real) -> str:
        """A comparison of numbers."""
        if operator in (">", ">="):
            a, b, operator = b, a, "<" if operator == ">" else "<="
        if isinstance(a, Real) or isinstance(b, Real):
            self._decide()
            how = {"=": "oeq", "!=": "une", "<": "olt", "<=": "ole"}[operator]
            return self.op(f"fcmp {how} double {self.real(a).ref}, {self.real(b).ref}")
        x, y, _ = self._alike(a, b)
        return self._compare({"=": "eq", "!=": "ne", "<": "slt", "<=": "sle"}[operator], x, y)

    def _decide(self) -> None:
        """Before doubles decide something: fractions that were merely too long must not."""
        if self._rounded and not self.reals:
            raise NotRationalError

    def select(self, test: str, a: Number | Real, b: Number | Real) -> Number | Real:
        """test ? a : b."""
        if isinstance(a, Real) or isinstance(b, Real):
            x, y = self.real(a).ref, self.real(b).ref
            if test in ("true", "false"):
                return Real(x if test == "true" else y)
            return Real(self.op(f"select i1 {test}, double {x}, double {y}"))
        return self._over(self._select(test, a, b), self._select(test, self._den(a), self._den(b)))

    def floor(self, a: Number | Real) -> Number:
        """The whole number at or below."""
        if isinstance(a, Real):
            self._decide()
            down = self.op(f"call double @llvm.floor.f64(double {a.ref})")
            size = self.op(f"call double @llvm.fabs.f64(double {down})")
            fits = self.op(f"fcmp olt double {size}, {literal(2.0**62)}")
            self.fail(self.negate(fits), WRONG)
            safe = self.op(f"select i1 {fits}, double {down}, double {literal(0.0)}")
            return Number(self.op(f"fptosi double {safe} to i64"), -(1 << 62), 1 << 62)
        if a.whole:
            return a
        quotient, _ = self._floor_divide(a, self._den(a))
        return quotient

    def _floor_divide(self, a: Number, b: Number) -> tuple[Number, Number]:
        """Quotient and remainder of whole numbers, b > 0."""
        lo, hi = min(a.lo // b.lo, a.lo // b.hi), max(a.hi // b.lo, a.hi // b.hi)
        if a.lo == a.hi and b.lo == b.hi:
            return fixed(lo), fixed(a.lo % b.lo)
        if not b.num.isdigit():  # a product that overflowed may be zero here, and would trap
            bad = self.op(f"icmp sle i64 {b.num}, 0")
            b = b._replace(num=self.op(f"select i1 {bad}, i64 1, i64 {b.num}"))
        quotient = self.op(f"sdiv i64 {a.num}, {b.num}")
        rest = self.op(f"srem i64 {a.num}, {b.num}")
        if a.lo < 0:
            below = self.op(f"icmp slt i64 {rest}, 0")
            step = self.op(f"sext i1 {below} to i64")
            quotient = self.op(f"add i64 {quotient}, {step}")
            more = self.op(f"select i1 {below}, i64 {b.num}, i64 0")
            rest = self.op(f"add i64 {rest}, {more}")
        return Number(quotient, lo, hi), Number(rest, 0, b.hi - 1)

    def mod(self, a: Number, b: Number) -> Number:
        """The remainder, from 0 up; the divisor must be positive."""
        if b.lo <= 0:
            bad = self._compare("sle", b, fixed(0))
            self.fail(bad, WRONG)
            if bad == "true":
                return fixed(0)
            b = Number(self.op(f"select i1 {bad}, i64 1, i64 {b.num}"), 1, max(1, b.hi))
        if a.lo >= 0 and a.hi < b.lo:
            return a
        return self._floor_divide(a, b)[1]

    def power(self, a: Number | Real, b: Number | Real, whole: bool) -> Number | Real:
        """a to the power of b: exact where b is a whole number."""
        if isinstance(a, Real) or isinstance(b, Real) or not b.whole:
            x, y = self.real(a).ref, self.real(b).ref
            result = self.op(f"call double @llvm.pow.f64(double {x}, double {y})")
            finite = self.op(f"fcmp ord double {result}, {result}")
            self.fail(self.negate(finite), WRONG)
            return Real(result)
        if b.lo < 0:
            negative = self._compare("slt", b, fixed(0))
            if whole:
                self.fail(negative, WRONG)
                size = self._select(negative, fixed(0), b)._replace(lo=0, hi=max(0, b.hi))
                return self._natural_power(a, size)
            size = self._select(negative, self._minus(fixed(0), b), b)
            size = size._replace(lo=0, hi=min(MOST, max(-b.lo, b.hi)))
            raised = self._natural_power(a, size)
            if negative == "true":
                return self.divide(fixed(1), raised)
            self._path.append((negative, True))
            inverse = self.divide(fixed(1), raised)
            self._path.pop()
            return self.select(negative, inverse, raised)
        return self._natural_power(a, b)

    def _natural_power(self, a: Number, b: Number) -> Number:
        if b.lo == b.hi and b.lo <= 64:
            result = fixed(1)
            for _ in range(b.lo):
                product = self.times(result, a)
                assert isinstance(product, Number)
                result = product
            return result
        num = self._loop_power(Number(a.num, a.lo, a.hi), b)
        return self._over(num, fixed(1) if a.whole else self._loop_power(self._den(a), b))

    def _loop_power(self, a: Number, b: Number) -> Number:
        pair = self.op(f"call {{i64, i1}} @power(i64 {a.num}, i64 {b.num})")
        result = self.op(f"extractvalue {{i64, i1}} {pair}, 0")
        self.fail(self.op(f"extractvalue {{i64, i1}} {pair}, 1"), OVERFLOW)
        return Number(result, (1 if a.lo > 0 else 0 if a.lo == 0 else LEAST), MOST)

    def logarithm(self, x: list[Number | Real], logs: list[str]) -> Real:
        """A quotient of logarithms, made whole where it is: log(125, 5) is exactly 3."""
        value, base = (self.real(argument).ref for argument in x)
        self.fail(self.op(f"fcmp oeq double {base}, {literal(1.0)}"), WRONG)
        quotient = self.op(f"fdiv double {logs[0]}, {logs[1]}")
        near = self.op(f"call double @llvm.rint.f64(double {quotient})")
        power = self.op(f"call double @llvm.pow.f64(double {base}, double {near})")
        hit = self.op(f"fcmp oeq double {power}, {value}")
        return Real(self.op(f"select i1 {hit}, double {near}, double {quotient}"))

    @staticmethod
    def within(
        function: str, chosen: Number | Real, a: Number | Real, b: Number | Real
    ) -> Number | Real:
        """The bounds of a minimum or maximum of whole numbers, tighter than those of a choice."""
        whole = [x for x in (chosen, a, b) if isinstance(x, Number) and x.whole]
        if len(whole) < 3:
            return chosen
        tighter = min if function == "min" else max
        lo, hi = tighter(whole[1].lo, whole[2].lo), tighter(whole[1].hi, whole[2].hi)
        return fixed(lo) if lo == hi else whole[0]._replace(lo=lo, hi=hi)
