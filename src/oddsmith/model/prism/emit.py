"""Instructions for expressions over a packed state.

An expression is computed once in a function however often it is used, unless it can fail: that
counts on every path that needs it. See `instructions.py` for values, errors and paths, and
`arithmetic.py` for numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

from oddsmith.model.native.numbers import LEAST, MOST, Whole, fixed, literal
from oddsmith.model.prism.arithmetic import Arithmetic, NotRationalError
from oddsmith.model.prism.guards import Bounds, operands
from oddsmith.model.prism.instructions import Number, Real, Value, known_number
from oddsmith.model.variables import Layout
from oddsmith.rules.prism.expression import (
    Binary,
    Call,
    Conditional,
    Constant,
    Expression,
    Read,
    Unary,
)

_ZERO = known_number(0)


class Body(Arithmetic):
    """The instructions of one function, and what is already computed in it."""

    def __init__(self, layout: Layout, state: str = "%state", reals: bool = False) -> None:
        super().__init__(reals)
        self.layout, self.state = layout, state
        self.bounds: Bounds = {}
        self._known: dict[int, tuple[Expression, Value]] = {}
        self._reads: dict[int, Whole] = {}
        self._words: dict[int, str] = {}

    def forget(self) -> None:
        """Start a part of the function that what was computed so far does not reach."""
        self._known.clear()
        self._reads.clear()
        self._words.clear()

    def state_word(self, number: int) -> str:
        """A word of the packed state."""
        known = self._words.get(number)
        if known is None:
            known = self._words[number] = self.word(self.state, number)
        return known

    def read(self, variable: int) -> Whole:
        """The value of a variable."""
        known = self._reads.get(variable)
        if known is None:
            v = self.layout.variables[variable]
            lo, hi = self.bounds.get(variable, (v.low, v.high))
            if lo == hi:
                known = fixed(lo)
            else:
                at = self.state_word(self.layout.word[variable])
                shift = self.layout.shift[variable]
                if shift:
                    at = self.op(f"lshr i64 {at}, {shift}")
                if shift + v.bits < 64:
                    at = self.op(f"and i64 {at}, {(1 << v.bits) - 1}")
                if v.low:
                    at = self.op(f"add i64 {at}, {v.low}")
                known = Whole(at, lo, hi)
            self._reads[variable] = known
        return known

    def number(self, e: Expression) -> Number | Real:
        """The value of an expression that is a number."""
        value = self.value(e)
        if isinstance(value, str):  # a truth value where a number is wanted: 0 or 1
            return Number(self.counted(value))
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
        return self.holds(value.num)

    def value(self, e: Expression) -> Value:
        """The value of an expression; computed once however often it is used."""
        if isinstance(e, Constant):
            return self._constant(e)
        if isinstance(e, Read):
            known = self.read(e.variable)
            if self.layout.variables[e.variable].is_bool:
                found = self._known.get(id(e))
                if found is None:
                    found = e, self.holds(known)
                    self._known[id(e)] = found
                return found[1]
            return Number(known)
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
        return known_number(n, d)

    def _compound(self, e: Expression) -> Value:
        match e:
            case Unary("!", operand):
                return self.negate(self.truth(operand))
            case Unary("-", operand):
                return self.add(_ZERO, self.number(operand), "-")
            case Binary(("&" | "|") as operator, _, _):
                return self._chain(operands(e, operator), operator)
            case Binary("=>", left, right):
                test = self.truth(left)
                return self.either(self.negate(test), self.under(test, lambda: self.truth(right)))
            case Binary("<=>", left, right):
                return self.negate(self.unlike(self.truth(left), self.truth(right)))
            case Binary("+" | "-", _, _):
                return self._sum(e)
            case Binary("*", left, right):
                return self.multiply(self.number(left), self.number(right))
            case Binary("/", left, right):
                return self.divide(self.number(left), self.number(right))
            case Binary(operator, left, right):
                if left.type == "bool" and right.type == "bool":
                    unlike = self.unlike(self.truth(left), self.truth(right))
                    return unlike if operator == "!=" else self.negate(unlike)
                return self.relation(operator, self.number(left), self.number(right))
            case Conditional(test, yes, no):
                return self._choose(self.truth(test), yes, no)
            case Call(function, arguments):
                return self._call(function, [self.number(a) for a in arguments], e.type == "int")
        raise NotImplementedError(type(e).__name__)

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
                    result = self.extreme(function, result, other)
                return result
            case "floor":
                return self.floor(x[0])
            case "ceil":
                below = self.floor(self.add(_ZERO, x[0], "-"))
                return self.add(_ZERO, below, "-")
            case "round":
                return self.floor(self.add(x[0], known_number(1, 2)))
            case "pow":
                return self.power(x[0], x[1], whole)
            case "mod":
                a, b = x
                assert isinstance(a, Number)
                assert isinstance(b, Number)
                return Number(self.mod(a.num, b.num))
            case "log":
                logs = []
                for argument in x:
                    ref = self.real(argument).ref
                    positive = self.op(f"fcmp ogt double {ref}, {literal(0.0)}")
                    self.fail_if(self.negate(positive))
                    logs.append(self.op(f"call double @llvm.log.f64(double {ref})"))
                return self.logarithm(x, logs)
        raise NotImplementedError(function)
