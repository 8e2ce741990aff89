"""Names in properties replaced by what they stand for, and types on every node.

A name is a constant or formula of the property file, or a constant, formula or variable of the
model. A label is one of the property file or of the model, or another property by its name. What
comes out has constants, `Read`s of variables, labels that the process has, operators and
questions; the shape of every path formula has been checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction

from oddsmith.errors import OptionError
from oddsmith.model.model import Model
from oddsmith.properties.constants import constant_value
from oddsmith.properties.goals import Goal
from oddsmith.properties.kinds import need_number, need_truth, with_type
from oddsmith.properties.parse import too_deep
from oddsmith.properties.syntax import (
    Declaration,
    Filter,
    Given,
    Property,
    PropertyFile,
    Quantified,
    Quantile,
    Question,
    Temporal,
    Window,
)
from oddsmith.rules.prism.arithmetic import short
from oddsmith.rules.prism.expression import (
    Binary,
    Call,
    Conditional,
    Constant,
    Expression,
    Label,
    Name,
    Read,
    Unary,
    rebuilt,
    walk,
)
from oddsmith.rules.prism.source import Rejected, Source, did_you_mean

LTL = (
    "Only one temporal operator can stand here, with state formulas on its sides. Path formulas "
    "of full LTL need a deterministic automaton, which no maintained library on PyPI makes, so "
    "they are not supported."
)
FILTERS = (
    "min", "max", "argmin", "argmax", "count", "sum", "avg", "first", "range", "forall", "exists",
    "print", "printall", "state",
)  # fmt: skip
_SYNONYMS = {"+": "sum", "&": "forall", "|": "exists"}


class Resolver:
    """Knows what names mean in one property file about one process."""

    def __init__(
        self,
        process: Model,
        file: PropertyFile,
        constants: Mapping[str, Fraction | bool] | None = None,
        formulas: Mapping[str, Expression] | None = None,
        given: Mapping[str, Fraction | bool | int | float | str] | None = None,
    ) -> None:
        self.process = process
        self.file = file
        self.origin = Source(file.text, file.source)
        self.known: dict[str, Expression] = dict(formulas or {})
        self.known |= {name: _constant(value) for name, value in (constants or {}).items()}
        self.labels = {name: value for name, value, _ in file.labels}
        self.formulas = {name: value for name, value, _ in file.formulas}
        self.properties = {p.name: p.expression for p in file.properties if p.name}
        self.declared = {d.name: d for d in file.constants}
        self.given = dict(given or {})
        self.free: dict[str, int] = {}
        self.busy: list[str] = []
        with self._located():
            self._check_names()

    def property(self, one: Property) -> Property:
        """A property, ready to be checked."""
        with self._located():
            e = one.expression
            found = self._quantile(e) if isinstance(e, Quantile) else self.state(e)
            return replace(one, expression=found)

    def quantile_at(self, quantile: Quantile, value: int) -> Question:
        """The operand of a quantile for one value of its name."""
        with self._located():
            self.free[quantile.name] = value
            try:
                found = self.state(quantile.operand)
            finally:
                del self.free[quantile.name]
        assert isinstance(found, Question)
        return found

    @contextmanager
    def _located(self) -> Iterator[None]:
        try:
            yield
        except Rejected as error:
            raise self.origin.error(error.message, error.at) from None
        except RecursionError:
            raise too_deep(self.origin) from None

    def _check_names(self) -> None:
        seen: set[str] = set()
        named = [(p.name, p.at) for p in self.file.properties if p.name]
        for name, at in [(n, a) for n, _, a in self.file.labels] + named:
            if name in seen or ((name, at) not in named and name in self.process.labels):
                raise Rejected(f'"{name}" is defined already.', at)
            seen.add(name)
        variables = self.process.valuations.layout.number
        given = [(d.name, d.at) for d in self.file.constants]
        for name, at in [(n, a) for n, _, a in self.file.formulas] + given:
            if name in seen or name in variables or name in self.known:
                raise Rejected(f"{name} is defined already.", at)
            seen.add(name)

    # State formulas -------------------------------------------------------------------------

    def state(self, e: Expression) -> Expression:
        """An expression with a value in every state."""
        if isinstance(e, Name):
            return self._name(e)
        if isinstance(e, Label):
            return self._label(e)
        if isinstance(e, Unary | Binary | Conditional | Call):
            return with_type(rebuilt(e, self.state))
        if isinstance(e, Question):
            return self._question(e)
        if isinstance(e, Quantified):
            return replace(e, path=self.path(e.path))
        if isinstance(e, Filter):
            return self._filter(e)
        if isinstance(e, Quantile):
            raise Rejected("A quantile stands alone, not within another formula.", e.at)
        if isinstance(e, Temporal):
            raise Rejected(f"{e.operator} can stand in the brackets of P, R, E or A only.", e.at)
        return e

    def _truth(self, e: Expression, what: str) -> Expression:
        if isinstance(e, Temporal) or _has_temporal(e):
            raise Rejected(LTL, e.at)
        found = self.state(e)
        need_truth(found, what)
        return found

    def _name(self, e: Name) -> Expression:
        name = e.name
        if name in self.free:
            return Constant(Fraction(self.free[name]), at=e.at, type="int")
        if name in self.declared:
            return replace(self._declared(self.declared[name]), at=e.at)
        if name in self.formulas:
            with self._once(name, e.at):
                return replace(self.state(self.formulas[name]), at=e.at)
        if name in self.process.valuations.layout.number:
            number = self.process.valuations.layout.number[name]
            is_bool = self.process.valuations.variables[number].is_bool
            return Read(number, at=e.at, type="bool" if is_bool else "int")
        if name in self.known:
            return replace(self.known[name], at=e.at)
        if name in self.process.labels:
            raise Rejected(f'{name} is a label: write "{name}", with quotation marks.', e.at)
        known = [*self.declared, *self.formulas, *self.process.valuations.layout.number]
        hint = did_you_mean(name, [*known, *self.known])
        raise Rejected(f"There is no variable, constant or formula {name}.{hint}", e.at)

    def _declared(self, d: Declaration) -> Constant:
        if d.name in self.given:
            value = _given(d, self.given[d.name])
        elif d.value is None:
            message = f"The constant {d.name} has no value: give one, as in --const {d.name}=3."
            raise Rejected(message, d.at)
        else:
            with self._once(d.name, d.at):
                value = constant_value(self.state(d.value))
        if d.type == "int" and value.denominator != 1:
            raise Rejected(f"The constant {d.name} is an int, and {short(value)} is none.", d.at)
        kind = d.type if d.type in ("bool", "double") else "int"
        return Constant(value, type=kind)  # type: ignore[arg-type]

    def _label(self, e: Label) -> Expression:
        name = e.name
        if name in self.labels or (name in self.properties and name not in self.process.labels):
            source = self.labels if name in self.labels else self.properties
            with self._once(f'"{name}"', e.at):
                return replace(self.state(source[name]), at=e.at)
        if name in self.process.labels:
            return replace(e, type="bool")
        hint = did_you_mean(name, [*self.labels, *self.process.labels, *self.properties])
        raise Rejected(f'There is no label "{name}".{hint}', e.at)

    @contextmanager
    def _once(self, name: str, at: int) -> Iterator[None]:
        if name in self.busy:
            raise Rejected(f"{name} is defined by itself.", at)
        self.busy.append(name)
        try:
            yield
        finally:
            self.busy.pop()

    # Operators ------------------------------------------------------------------------------

    def _question(self, q: Question) -> Question:
        bound = None if q.bound is None else self._constant(q.bound, "A bound")
        if q.kind == "P" and bound is not None and not 0 <= bound.value <= 1:
            raise Rejected("A probability is from 0 to 1.", bound.at)
        reward = q.reward
        if q.kind == "P":
            body = self._given(q.body) if isinstance(q.body, Given) else self.path(q.body)
        elif q.kind == "S":
            body = self._truth(q.body, "S")
        else:
            body, reward = self._goal(q.body), self._structure(q)
        return replace(q, body=body, bound=bound, reward=reward)

    def _given(self, g: Given) -> Given:
        return replace(g, path=self.path(g.path), condition=self.path(g.condition))

    def _goal(self, e: Expression) -> Expression:
        if isinstance(e, Goal):
            return e.resolved(self._whole)
        if isinstance(e, Temporal) and e.operator == "F" and not e.windows:
            return self.path(e)
        raise Rejected(
            "The brackets of R hold F and a state formula, C, C<=k, I=k or S; "
            "rewards of other path formulas are not supported.",
            e.at,
        )

    def _structure(self, q: Question) -> str:
        names = list(self.process.rewards)
        if not names:
            raise Rejected("The model has no rewards.", q.at)
        if q.reward is None:
            return names[0]
        if isinstance(q.reward, str):
            return self._reward(q.reward, q.at)
        if isinstance(q.reward, Name) and q.reward.name in names:
            raise Rejected(f'Names of rewards are quoted: R{{"{q.reward.name}"}}.', q.reward.at)
        number = self._whole(q.reward, "The number of a reward structure").value
        if not 1 <= number <= len(names):
            raise Rejected(f"Reward structures are numbered from 1 to {len(names)}.", q.reward.at)
        return names[int(number) - 1]

    def _reward(self, name: str, at: int) -> str:
        names = list(self.process.rewards)
        if name not in names:
            raise Rejected(f'There are no rewards "{name}".{did_you_mean(name, names)}', at)
        return name

    def _filter(self, f: Filter) -> Filter:
        operator = _SYNONYMS.get(f.operator, f.operator)
        if operator not in FILTERS:
            hint = did_you_mean(operator, FILTERS)
            raise Rejected(f"There is no filter {operator}.{hint}", f.at)
        operand = self.state(f.operand)
        states = None if f.states is None else self._truth(f.states, "The states of a filter")
        if operator in ("forall", "exists", "count"):
            need_truth(operand, f"filter({operator}, …)")
        elif operator in ("min", "max", "sum", "avg", "argmin", "argmax", "range"):
            need_number(operand, f"filter({operator}, …)")
        kind = operand.type
        if operator in ("argmin", "argmax"):
            kind = "bool"
        elif operator == "count":
            kind = "int"
        elif operator == "avg":
            kind = "double"
        return replace(f, operator=operator, operand=operand, states=states, type=kind)

    def _quantile(self, q: Quantile) -> Quantile:
        if not isinstance(q.operand, Question) or q.operand.relation is None:
            raise Rejected("A quantile needs P or R with a bound, as in P>=0.9 [ F<=k a ].", q.at)
        self.quantile_at(q, 1)
        return q

    # Paths ----------------------------------------------------------------------------------

    def path(self, e: Expression) -> Expression:
        """A path formula: one temporal operator, perhaps negated."""
        if isinstance(e, Unary) and e.operator == "!" and _is_path(e.operand):
            return replace(e, operand=self.path(e.operand), type="bool")
        if not isinstance(e, Temporal):
            if _has_temporal(e):
                raise Rejected(LTL, e.at)
            raise Rejected("A path formula is needed: X, F, G, U, W or R, as in F x=3.", e.at)
        left = None if e.left is None else self._truth(e.left, e.operator)
        right = self._truth(e.right, e.operator)
        if len(e.windows) > 1:
            raise Rejected("One bound at a time; several together are not supported.", e.at)
        windows = tuple(self._window(w) for w in e.windows)
        if e.operator == "W" and windows and windows[0].low is not None:
            raise Rejected("W takes an upper bound only; use U or G.", e.at)
        return replace(e, left=left, right=right, windows=windows)

    def _window(self, w: Window) -> Window:
        """Both ends as whole numbers that belong to the window themselves."""
        what = "A number of steps" if w.reward is None else "A bound on rewards"
        low = None if w.low is None else self._whole(w.low, what)
        high = None if w.high is None else self._whole(w.high, what)
        if low is not None and w.low_strict:
            low = replace(low, value=low.value + 1)
        if high is not None and w.high_strict:
            high = replace(high, value=high.value - 1)
        if (low is not None and low.value < 0) or (high is not None and high.value < 0):
            raise Rejected(f"{what} is not negative.", w.at)
        if low is not None and high is not None and high.value < low.value:
            raise Rejected("This interval is empty: its end is before its beginning.", w.at)
        if w.reward is not None:
            self._reward(w.reward, w.at)
            if low is not None and low.value > 0:
                raise Rejected("A bound on rewards is an upper one: <=k or <k.", w.at)
        return Window(low, high, reward=w.reward, at=w.at)

    # Constants ------------------------------------------------------------------------------

    def _constant(self, e: Expression, what: str) -> Constant:
        found = self.state(e)
        need_number(found, what)
        return Constant(constant_value(found), at=e.at, type="double")

    def _whole(self, e: Expression, what: str) -> Constant:
        found = self._constant(e, what)
        if found.value.denominator != 1:
            raise Rejected(f"{what} is a whole number.", e.at)
        return replace(found, type="int")


def _constant(value: Fraction | bool) -> Constant:
    if isinstance(value, bool):
        return Constant(Fraction(value), type="bool")
    return Constant(value, type="int" if value.denominator == 1 else "double")


def _given(d: Declaration, value: Fraction | bool | int | float | str) -> Fraction:
    if value in ("true", "false"):
        value = value == "true"
    if isinstance(value, bool) != (d.type == "bool"):
        wanted = "true or false" if d.type == "bool" else "a number"
        raise OptionError(f"The constant {d.name} is {wanted}, not {value}.")
    try:
        return Fraction(str(value)) if isinstance(value, float) else Fraction(value)
    except (ValueError, ZeroDivisionError):
        raise OptionError(f"The constant {d.name} is a number, not {value}.") from None


def _is_path(e: Expression) -> bool:
    while isinstance(e, Unary) and e.operator == "!":
        e = e.operand
    return isinstance(e, Temporal)


def _has_temporal(e: Expression) -> bool:
    """Whether a temporal operator stands outside the brackets of a question."""
    return any(isinstance(one, Temporal) for one in walk(e))
