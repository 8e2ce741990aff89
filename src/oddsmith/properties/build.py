"""From the parser's tree to the syntax tree; every method is named after a rule of the grammar."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, cast

from oddsmith.properties.goals import Cumulative, Instant, LongRun
from oddsmith.properties.syntax import (
    RESERVED,
    Coalition,
    Declaration,
    Filter,
    Given,
    Optimum,
    Property,
    PropertyFile,
    Quantified,
    Quantile,
    Question,
    Temporal,
    Window,
)
from oddsmith.rules.prism.expression import (
    Call,
    Conditional,
    Constant,
    Expression,
    Label,
    Name,
)
from oddsmith.rules.prism.lalr import Span, Token
from oddsmith.rules.prism.operators import fold
from oddsmith.rules.prism.parse import number
from oddsmith.rules.prism.source import Rejected, Source

Parts = list[Any]
Comparison = tuple[str | None, Expression | None]
OperatorHead = tuple[Optimum | None, str | Expression | None]


class Builder:
    """Makes the syntax tree of a property file."""

    def __init__(self, source: Source) -> None:
        self.source = source

    # Items of a file

    def file(self, span: Span, parts: Parts) -> PropertyFile:
        """Sort what the file says by what it is."""
        self._check_separators([p for p in parts if isinstance(p, Property)])
        labels = [p[1:] for p in parts if isinstance(p, tuple) and p[0] == "label"]
        formulas = [p[1:] for p in parts if isinstance(p, tuple) and p[0] == "formula"]
        return PropertyFile(
            self.source.text,
            self.source.name,
            tuple(p for p in parts if isinstance(p, Property)),
            tuple(p for p in parts if isinstance(p, Declaration)),
            tuple(labels),
            tuple(formulas),
        )

    def _check_separators(self, properties: list[Property]) -> None:
        for one, other in pairwise(properties):
            between = self.source.text[one.end : other.at]
            if not ("\n" in between or ";" in between):
                message = "This cannot follow: between properties is a semicolon or a new line."
                raise self.source.error(message, other.at)

    def _checked_name(self, token: Token) -> str:
        if token in ("X", "F", "G", "U", "W"):
            message = f"{token} can stand in brackets only, as in P=? [ F x=3 ]."
            raise self.source.error(message, token.start_pos)
        if token in RESERVED:
            message = f"{token} is a word of the property language and cannot be a name."
            raise self.source.error(message, token.start_pos)
        return str(token)

    def constant(self, span: Span, parts: Parts) -> Declaration:
        """`const int k = 3;`."""
        given = [p for p in parts if isinstance(p, Token) and p.type == "TYPE"]
        name = next(p for p in parts if isinstance(p, Token) and p.type == "NAME")
        value = parts[-1] if isinstance(parts[-1], Expression) else None
        return Declaration(
            self._checked_name(name), str(given[0]) if given else "int", value, name.start_pos
        )

    def label_definition(self, span: Span, parts: Parts) -> tuple[str, str, Expression, int]:
        """`label "x" = …;`."""
        return "label", _unquoted(parts[0]), parts[1], parts[0].start_pos

    def formula(self, span: Span, parts: Parts) -> tuple[str, str, Expression, int]:
        """`formula x = …;`."""
        return "formula", self._checked_name(parts[0]), parts[1], parts[0].start_pos

    def property(self, span: Span, parts: Parts) -> Property:
        """A property without a name."""
        text = self._text(span.start, span.end)
        return Property("", parts[0], text, span.start, span.end)

    def named_property(self, span: Span, parts: Parts) -> Property:
        """`"name": …`."""
        text = self._text(parts[0].end_pos, span.end).split(":", 1)[1].strip()
        return Property(_unquoted(parts[0]), parts[1], text, span.start, span.end)

    def _text(self, start: int, end: int) -> str:
        text = self.source.text[start:end]
        return " ".join(line.split("//")[0].strip() for line in text.splitlines()).strip()

    # Expressions

    def number(self, span: Span, parts: Parts) -> Constant:
        """A number; it is a double when it is written as one."""
        try:
            return number(str(parts[0]), span.start)
        except Rejected as rejected:
            raise self.source.error(rejected.message, rejected.at) from None

    def true(self, span: Span, parts: Parts) -> Constant:
        """`true`."""
        return Constant(Fraction(1), at=span.start, type="bool")

    def false(self, span: Span, parts: Parts) -> Constant:
        """`false`."""
        return Constant(Fraction(0), at=span.start, type="bool")

    def name(self, span: Span, parts: Parts) -> Name:
        """A constant, formula or variable."""
        return Name(self._checked_name(parts[0]), at=span.start)

    def label(self, span: Span, parts: Parts) -> Label:
        """A label, or another property by its name."""
        return Label(_unquoted(parts[0]), at=span.start, type="bool")

    def call(self, span: Span, parts: Parts) -> Call:
        """`min(a, b)`."""
        return Call(str(parts[0]), tuple(parts[1]), at=span.start)

    def arguments(self, span: Span, parts: Parts) -> Parts:
        """What is between a function's parentheses."""
        return parts

    def group(self, span: Span, parts: Parts) -> Expression:
        """Parentheses."""
        return cast(Expression, parts[0])

    def run(self, span: Span, parts: Parts) -> Expression:
        """Operands and operators in a row."""
        return fold(parts)

    def conditional(self, span: Span, parts: Parts) -> Conditional:
        """`test ? yes : no`."""
        return Conditional(*parts, at=span.start)

    # Operators that ask

    def extremum(self, span: Span, parts: Parts) -> str:
        """`min` or `max`."""
        return str(parts[0])

    def comparison(self, span: Span, parts: Parts) -> Comparison:
        """`=?`, or a bound."""
        if isinstance(parts[1], Token):
            return None, None
        return str(parts[0]), parts[1]

    def structure(self, span: Span, parts: Parts) -> tuple[str | Expression]:
        """`{"name"}` or `{2}`."""
        found = parts[0]
        return (_unquoted(found) if isinstance(found, Token) else found,)

    def probability(self, span: Span, parts: Parts) -> OperatorHead:
        """`P`, `Pmin`, `P max`; and so R and S."""
        structures = [p[0] for p in parts if isinstance(p, tuple)]
        if len(structures) > 1:
            raise self.source.error("One reward structure at a time.", span.start)
        words = [str(p) for p in parts if not isinstance(p, tuple)]
        optimum = next((o for o in ("min", "max") for w in words if w.endswith(o)), None)
        return cast(Optimum | None, optimum), structures[0] if structures else None

    reward = long_run = probability

    def probability_of(self, span: Span, parts: Parts) -> Question:
        """`P=? [path]`."""
        return self._question("P", span, parts)

    def conditional_probability(self, span: Span, parts: Parts) -> Question:
        """`P=? [path || path]`."""
        asked, comparison, path, condition = parts
        body = Given(path, condition, at=span.start, type="bool")
        return self.probability_of(span, [asked, comparison, body])

    def reward_of(self, span: Span, parts: Parts) -> Question:
        """`R{"name"}=? [goal]`."""
        return self._question("R", span, parts)

    def long_run_of(self, span: Span, parts: Parts) -> Question:
        """`S=? [states]`."""
        return self._question("S", span, parts)

    def _question(self, kind: Literal["P", "R", "S"], span: Span, parts: Parts) -> Question:
        (optimum, reward), (relation, bound), body = parts
        truth: Literal["bool", "double"] = "bool" if relation else "double"
        return Question(kind, body, optimum, relation, bound, reward, at=span.start, type=truth)

    def players(self, span: Span, parts: Parts) -> tuple[str, ...]:
        """Who belongs to a coalition."""
        return tuple(parts)

    def player(self, span: Span, parts: Parts) -> str:
        """A player's name or number."""
        return str(parts[0]).strip('"')

    def some_strategy(self, span: Span, parts: Parts) -> Question:
        """`<<players>> P…`."""
        return self._with_coalition(span, parts, True)

    def all_strategies(self, span: Span, parts: Parts) -> Question:
        """`[[players]] P…`."""
        return self._with_coalition(span, parts, False)

    def _with_coalition(self, span: Span, parts: Parts, exists: bool) -> Question:
        players, question = parts
        return cast(Question, replace(question, coalition=Coalition(players, exists, span.start)))

    def quantified(self, span: Span, parts: Parts) -> Quantified:
        """`E [path]`, `A [path]`."""
        quantifier = cast(Literal["E", "A"], str(parts[0]))
        return Quantified(quantifier, parts[1], at=span.start, type="bool")

    def filter_name(self, span: Span, parts: Parts) -> str:
        """What a filter does."""
        return str(parts[0])

    def filter(self, span: Span, parts: Parts) -> Filter:
        """`filter(operator, operand, states)`."""
        _, operator, operand, *states = parts
        return Filter(operator, operand, states[0] if states else None, at=span.start)

    def quantile(self, span: Span, parts: Parts) -> Quantile:
        """`quantile(min k, P>=0.9 [F<=k a])`."""
        _, optimum, name, operand = parts
        return Quantile(optimum, str(name), operand, at=span.start)

    def multi(self, span: Span, parts: Parts) -> Expression:
        """Several objectives at once, which we cannot do."""
        raise self.source.error(
            "multi(…), several objectives at once, is not supported; ask one by one.",
            span.start,
        )

    # Paths and goals

    def total(self, span: Span, parts: Parts) -> Cumulative:
        """`C`."""
        return Cumulative(None, at=span.start)

    def cumulative(self, span: Span, parts: Parts) -> Cumulative:
        """`C<=k`."""
        return Cumulative(parts[2], strict=str(parts[1]) == "<", at=span.start)

    def instant(self, span: Span, parts: Parts) -> Instant:
        """`I=k`."""
        return Instant(parts[2], at=span.start)

    def mean(self, span: Span, parts: Parts) -> LongRun:
        """`S`, as a reward operator's goal."""
        return LongRun(at=span.start)

    def unary_path(self, span: Span, parts: Parts) -> Temporal:
        """`X b`, `F<=k b`, `G b`."""
        windows = parts[1] if len(parts) == 3 else ()
        return Temporal(str(parts[0]), None, parts[-1], windows, at=span.start, type="bool")

    def binary_path(self, span: Span, parts: Parts) -> Temporal:
        """`a U<=k b`, `a W b`, `a R b`."""
        windows = parts[2] if len(parts) == 4 else ()
        left, operator = parts[0], parts[1]
        return Temporal(str(operator), left, parts[-1], windows, at=operator.start_pos, type="bool")

    def windows(self, span: Span, parts: Parts) -> tuple[Window, ...]:
        """One window, or several at once."""
        return tuple(parts)

    def window(self, span: Span, parts: Parts) -> Window:
        """`<=k` and its kin."""
        reward, (relation, moment) = self._counted(parts)
        below, above = relation in ("<=", "<", "="), relation in (">=", ">", "=")
        return Window(
            moment if above else None,
            moment if below else None,
            relation == ">",
            relation == "<",
            reward,
            span.start,
        )

    def interval(self, span: Span, parts: Parts) -> Window:
        """`[a, b]`."""
        reward, (low, high) = self._counted(parts)
        return Window(low, high, reward=reward, at=span.start)

    def _counted(self, parts: Parts) -> tuple[str | None, Parts]:
        if not isinstance(parts[0], tuple):
            return None, parts
        name = parts[0][0]
        if isinstance(name, Expression):
            raise self.source.error('Name the reward: F{"cost"}<=k.', name.at)
        return name, parts[1:]


def _unquoted(token: Token) -> str:
    return str(token)[1:-1]
