"""LLVM instructions for expressions: exact arithmetic on packed states, without a branch.

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
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple, TypeVar

from oddsmith.model.process import Layout
from oddsmith.rules.prism.expression import (
    Binary,
    Call,
    Conditional,
    Constant,
    Expression,
    Read,
    Unary,
)

LEAST, MOST = -(1 << 63), (1 << 63) - 1
WRONG, OVERFLOW = 1, 2
"""Error bits: what the interpreter can word, and numbers too long for 64 bits."""


class NotRationalError(Exception):
    """A chance that is not a fraction, or one with a denominator beyond 64 bits."""


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
Bounds = dict[int, tuple[int, int]]


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


def operands(e: Expression, operator: str) -> list[Expression]:
    """What a chain of one operator joins: `a & b & c` gives three, however deep the tree.

    >>> x, y = Read(0), Read(1)
    >>> len(operands(Binary("&", Binary("&", x, y), x), "&"))
    3
    """
    found: list[Expression] = []
    todo = [e]
    while todo:
        at = todo.pop()
        if isinstance(at, Binary) and at.operator == operator:
            todo += (at.right, at.left)
        else:
            found.append(at)
    return found


class Body:
    """The instructions of one function, and what is already computed in it."""

    def __init__(self, layout: Layout, state: str = "%state", reals: bool = False) -> None:
        self.layout, self.state, self.reals = layout, state, reals
        self.lines: list[str] = []
        self.count = 0
        self.errors: dict[int, str] = {}
        self.bounds: Bounds = {}
        self._path: list[tuple[str, bool]] = []
        self._known: dict[int, tuple[Expression, Value]] = {}
        self._reads: dict[int, Number] = {}
        self._words: dict[int, str] = {}
        self._failures = 0
        self._rounded = False
        """Whether a constant was too long for 64 bits: it has become a double."""

    def forget(self) -> None:
        """Start a part of the function that what was computed so far does not reach."""
        self._known.clear()
        self._reads.clear()
        self._words.clear()

    # Instructions.

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

    def take_errors(self) -> str | None:
        """The errors so far as an i64, to be stored; None if nothing can have failed."""
        total = None
        for code, bit in self.errors.items():
            one = self.op(f"select i1 {bit}, i64 {code}, i64 0")
            total = one if total is None else self.op(f"or i64 {total}, {one}")
        self.errors = {}
        return total

    # Truth values.

    def both(self, a: str, b: str) -> str:
        """a and b."""
        if "false" in (a, b):
            return "false"
        if a == "true" or a == b:
            return b
        return a if b == "true" else self.op(f"and i1 {a}, {b}")

    def either(self, a: str, b: str) -> str:
        """a or b."""
        if "true" in (a, b):
            return "true"
        if a == "false" or a == b:
            return b
        return a if b == "false" else self.op(f"or i1 {a}, {b}")

    def negate(self, a: str) -> str:
        """Not a."""
        if a in ("true", "false"):
            return "false" if a == "true" else "true"
        return self.op(f"xor i1 {a}, true")

    def same(self, a: str, b: str) -> str:
        """Whether two truth values are equal."""
        if a in ("true", "false"):
            a, b = b, a
        if b == "true":
            return a
        return self.negate(a if b == "false" else self.op(f"xor i1 {a}, {b}"))

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

    # Expressions.

    def word(self, number: int) -> str:
        """A word of the packed state."""
        known = self._words.get(number)
        if known is None:
            at = self.state
            if number:
                at = self.op(f"getelementptr i64, ptr {at}, i64 {number}")
            known = self._words[number] = self.op(f"load i64, ptr {at}")
        return known

    def read(self, variable: int) -> Number:
        """The value of a variable."""
        known = self._reads.get(variable)
        if known is None:
            v = self.layout.variables[variable]
            lo, hi = self.bounds.get(variable, (v.low, v.high))
            if lo == hi:
                known = fixed(lo)
            else:
                at = self.word(self.layout.word[variable])
                shift = self.layout.shift[variable]
                if shift:
                    at = self.op(f"lshr i64 {at}, {shift}")
                if shift + v.bits < 64:
                    at = self.op(f"and i64 {at}, {(1 << v.bits) - 1}")
                if v.low:
                    at = self.op(f"add i64 {at}, {v.low}")
                known = Number(at, lo, hi)
            self._reads[variable] = known
        return known

    def number(self, e: Expression) -> Number | Real:
        """The value of an expression that is a number."""
        value = self.value(e)
        if isinstance(value, str):  # a truth value where a number is wanted: 0 or 1
            if value in ("true", "false"):
                return fixed(int(value == "true"))
            return Number(self.op(f"zext i1 {value} to i64"), 0, 1)
        return value

    def add_value(self, a: Number | Real, e: Expression) -> Number | Real:
        """A number plus the value of an expression."""
        return self.add(a, self.number(e))

    def truth(self, e: Expression) -> str:
        """The value of an expression that is a truth value."""
        value = self.value(e)
        if isinstance(value, str):
            return value
        assert isinstance(value, Number)
        return self._compare("ne", value, fixed(0))

    def value(self, e: Expression) -> Value:
        """The value of an expression; computed once however often it is used."""
        if isinstance(e, Constant):
            return self._constant(e)
        if isinstance(e, Read):
            known = self.read(e.variable)
            if self.layout.variables[e.variable].is_bool:
                found = self._known.get(id(e))
                if found is None:
                    found = e, self._compare("ne", known, fixed(0))
                    self._known[id(e)] = found
                return found[1]
            return known
        found = self._known.get(id(e))
        if found is not None:
            return found[1]
        failures = self._failures
        value = self._compound(e)
        if failures == self._failures:  # what can fail must fail on every path that needs it
            self._known[id(e)] = e, value
        return value

    def _constant(self, e: Constant) -> Value:
        n, d = e.value.numerator, e.value.denominator
        if e.type == "bool":
            return "true" if n else "false"
        if not (LEAST <= n <= MOST and d <= MOST):
            if e.type == "int":
                raise NotRationalError
            self._rounded = True
            try:
                return Real(literal(float(e.value)))
            except OverflowError:  # beyond doubles too
                raise NotRationalError from None
        if d != 1 and self.reals:
            return Real(literal(float(e.value)))
        return Number(str(n), n, n, str(d), d, d)

    def _compound(self, e: Expression) -> Value:
        match e:
            case Unary("!", operand):
                return self.negate(self.truth(operand))
            case Unary("-", operand):
                return self.add(fixed(0), self.number(operand), "-")
            case Binary(("&" | "|") as operator, _, _):
                return self._chain(operands(e, operator), operator)
            case Binary("=>", left, right):
                test = self.truth(left)
                return self.either(self.negate(test), self.under(test, lambda: self.truth(right)))
            case Binary("<=>", left, right):
                return self.same(self.truth(left), self.truth(right))
            case Binary("+" | "-", _, _):
                return self._sum(e)
            case Binary("*", left, right):
                return self.times(self.number(left), self.number(right))
            case Binary("/", left, right):
                return self.divide(self.number(left), self.number(right))
            case Binary(operator, left, right):
                if left.type == "bool" and right.type == "bool":
                    equal = self.same(self.truth(left), self.truth(right))
                    return equal if operator == "=" else self.negate(equal)
                return self.compare(operator, self.number(left), self.number(right))
            case Conditional(test, yes, no):
                return self._choose(self.truth(test), yes, no)
            case Call(function, arguments):
                return self._call(function, [self.number(a) for a in arguments], e.type == "int")
        raise NotImplementedError(type(e).__name__)

    def under(self, test: str, then: Callable[[], T], wanted: bool = True) -> T:
        """Compute something that counts only where `test` is as wanted."""
        self._path.append((test, wanted))
        try:
            return then()
        finally:
            self._path.pop()

    def conjunction(self, terms: Sequence[Expression]) -> str:
        """Whether all of them hold."""
        return self._chain(terms, "&")

    def _chain(self, terms: Sequence[Expression], operator: str) -> str:
        join, neutral = (self.both, "true") if operator == "&" else (self.either, "false")
        result, depth = neutral, len(self._path)
        for term in terms:
            one = self.truth(term)
            result = join(result, one)
            if result not in ("true", "false"):
                self._path[depth:] = [(result, operator == "&")]
            elif result != neutral:
                break
        del self._path[depth:]
        return result

    def _sum(self, e: Expression) -> Number | Real:
        """A chain of + and -, which may be long."""
        terms: list[tuple[str, Expression]] = []
        while isinstance(e, Binary) and e.operator in ("+", "-"):
            terms.append((e.operator, e.right))
            e = e.left
        result = self.number(e)
        for operator, term in reversed(terms):
            result = self.add(result, self.number(term), operator)
        return result

    def _choose(self, test: str, yes: Expression, no: Expression) -> Value:
        if test in ("true", "false"):
            return self.value(yes if test == "true" else no)
        a = self.under(test, lambda: self.value(yes))
        b = self.under(test, lambda: self.value(no), False)
        if isinstance(a, str) and isinstance(b, str):
            return self.either(self.both(test, a), self.both(self.negate(test), b))
        assert not isinstance(a, str)
        assert not isinstance(b, str)
        return self.select(test, a, b)

    def _call(self, function: str, x: list[Number | Real], whole: bool) -> Number | Real:
        match function:
            case "min" | "max":
                result = x[0]
                for other in x[1:]:
                    operator = "<=" if function == "min" else ">="
                    chosen = self.select(self.compare(operator, result, other), result, other)
                    result = self._within(function, chosen, result, other)
                return result
            case "floor":
                return self.floor(x[0])
            case "ceil":
                below = self.floor(self.add(fixed(0), x[0], "-"))
                return self.add(fixed(0), below, "-")
            case "round":
                return self.floor(self.add(x[0], Number("1", 1, 1, "2", 2, 2)))
            case "pow":
                return self.power(x[0], x[1], whole)
            case "mod":
                a, b = x
                assert isinstance(a, Number)
                assert isinstance(b, Number)
                return self.mod(a, b)
            case "log":
                logs = []
                for argument in x:
                    ref = self.real(argument).ref
                    positive = self.op(f"fcmp ogt double {ref}, {literal(0.0)}")
                    self.fail(self.negate(positive), WRONG)
                    logs.append(self.op(f"call double @llvm.log.f64(double {ref})"))
                return self._logarithm(x, logs)
        raise NotImplementedError(function)

    def _logarithm(self, x: list[Number | Real], logs: list[str]) -> Real:
        """A quotient of logarithms, made whole where it is: log(125, 5) is exactly 3."""
        value, base = (self.real(argument).ref for argument in x)
        self.fail(self.op(f"fcmp oeq double {base}, {literal(1.0)}"), WRONG)
        quotient = self.op(f"fdiv double {logs[0]}, {logs[1]}")
        near = self.op(f"call double @llvm.rint.f64(double {quotient})")
        power = self.op(f"call double @llvm.pow.f64(double {base}, double {near})")
        hit = self.op(f"fcmp oeq double {power}, {value}")
        return Real(self.op(f"select i1 {hit}, double {near}, double {quotient}"))

    @staticmethod
    def _within(
        function: str, chosen: Number | Real, a: Number | Real, b: Number | Real
    ) -> Number | Real:
        """The bounds of a minimum or maximum of whole numbers, tighter than those of a choice."""
        whole = [x for x in (chosen, a, b) if isinstance(x, Number) and x.whole]
        if len(whole) < 3:
            return chosen
        tighter = min if function == "min" else max
        lo, hi = tighter(whole[1].lo, whole[2].lo), tighter(whole[1].hi, whole[2].hi)
        return fixed(lo) if lo == hi else whole[0]._replace(lo=lo, hi=hi)


def narrowed(guard: Expression, layout: Layout) -> Bounds:
    """What a guard says about the ranges of variables: `x<5 & y=2`.

    >>> from oddsmith.model.process import Layout, Variable
    >>> five = Constant(Fraction(5))
    >>> narrowed(Binary("<", Read(0), five), Layout([Variable("x", 0, 9)]))
    {0: (0, 4)}
    """
    found: Bounds = {}
    for term in operands(guard, "&"):
        variable, operator, value = comparison(term)
        if variable is None:
            continue
        v = layout.variables[variable]
        lo, hi = found.get(variable, (v.low, v.high))
        if operator in ("=", "<", "<="):
            hi = min(hi, value - (operator == "<"))
        if operator in ("=", ">", ">="):
            lo = max(lo, value + (operator == ">"))
        if lo <= hi:  # otherwise the guard never holds: nothing to say
            found[variable] = lo, hi
    return found


MIRROR = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def comparison(e: Expression) -> tuple[int | None, str, int]:
    """(variable, operator, number) of a comparison of a variable with a whole number.

    A truth value alone is compared with 1, one with `!` with 0; (None, "", 0) if it is neither.
    """
    match e:
        case Binary(operator, Read(variable), Constant(value)) if operator in MIRROR:
            pass
        case Binary(operator, Constant(value), Read(variable)) if operator in MIRROR:
            operator = MIRROR[operator]
        case Read(variable):
            return variable, "=", 1
        case Unary("!", Read(variable)):
            return variable, "=", 0
        case _:
            return None, "", 0
    if value.denominator != 1:
        return None, "", 0
    return variable, operator, value.numerator
