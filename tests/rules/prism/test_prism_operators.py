"""Expressions have the shape that PRISM's manual gives them: what binds, and to which side."""

from fractions import Fraction

import pytest

from oddsmith.rules.prism.expression import (
    Binary,
    Call,
    Conditional,
    Constant,
    Expression,
    Name,
    Unary,
)
from oddsmith.rules.prism.parse import parse_model
from oddsmith.rules.prism.source import Source, SourceError

BEFORE = "const int v="


def parse(text: str) -> Expression:
    (declared,) = parse_model(Source(f"{BEFORE}{text};")).constants
    assert declared.value is not None
    return declared.value


def n(value: int | Fraction) -> Constant:
    return Constant(Fraction(value))


a, b, c, d, x, y = (Name(name) for name in "abcdxy")


def op(operator: str, left: Expression, right: Expression) -> Binary:
    return Binary(operator, left, right)


SHAPES = {
    # Table of precedence, manual, "The PRISM Language / Expressions".
    "a ? b : c ? x : y": Conditional(a, b, Conditional(c, x, y)),
    "a ? b ? c : d : x": Conditional(a, Conditional(b, c, d), x),
    "a => b ? c : d": Conditional(op("=>", a, b), c, d),
    "a => b => c": op("=>", a, op("=>", b, c)),
    "a => b <=> c => d": op("=>", a, op("=>", op("<=>", b, c), d)),
    "a <=> b => c": op("=>", op("<=>", a, b), c),
    "a => b <=> c": op("=>", a, op("<=>", b, c)),
    "a | b <=> c": op("<=>", op("|", a, b), c),
    "a | b & c": op("|", a, op("&", b, c)),
    "a & b | c": op("|", op("&", a, b), c),
    "!a & b": op("&", Unary("!", a), b),
    "!a = b": Unary("!", op("=", a, b)),
    "!!a": Unary("!", Unary("!", a)),
    "a & !b = c | d": op("|", op("&", a, Unary("!", op("=", b, c))), d),
    "a = b < c": op("=", a, op("<", b, c)),
    "a < b = c": op("=", op("<", a, b), c),
    "a = b = c": op("=", op("=", a, b), c),
    "a + b < c": op("<", op("+", a, b), c),
    "a - b - c": op("-", op("-", a, b), c),
    "a - b + c": op("+", op("-", a, b), c),
    "a + b * c": op("+", a, op("*", b, c)),
    "a / b * c": op("*", op("/", a, b), c),
    "a / b / c": op("/", op("/", a, b), c),
    "-a * b": op("*", Unary("-", a), b),
    "a * -b": op("*", a, Unary("-", b)),
    "a - -b": op("-", a, Unary("-", b)),
    "x<-1": op("<", x, Unary("-", n(1))),
    "(a | b) & c": op("&", op("|", a, b), c),
    "min(a, b + 1, c)": Call("min", (a, op("+", b, n(1)), c)),
    "func(min, a, b)": Call("min", (a, b)),
    "minimum": Name("minimum"),
    "0.1": n(Fraction(1, 10)),
    ".5": n(Fraction(1, 2)),
    "1e-3": n(Fraction(1, 1000)),
    "1.5E+2": n(150),
    "a // or not a\n & b": op("&", a, b),
}


@pytest.mark.parametrize("text", SHAPES)
def test_shape(text: str) -> None:
    assert parse(text) == SHAPES[text]


def test_offsets_are_kept() -> None:
    shape = parse("a &  b")
    assert isinstance(shape, Binary)
    assert (shape.at - len(BEFORE), shape.right.at - len(BEFORE)) == (0, 5)


def test_numbers_have_the_type_they_are_written_in() -> None:
    assert [parse(text).type for text in ("3", "3.0", "3e0", "true")] == [
        "int",
        "double",
        "double",
        "bool",
    ]


def depth(expression: Expression) -> int:
    deepest, stack = 0, [(expression, 1)]
    while stack:
        node, level = stack.pop()
        deepest = max(deepest, level)
        if isinstance(node, Binary):
            stack += [(node.left, level + 1), (node.right, level + 1)]
    return deepest


def leaves(expression: Expression, sign: int = 1) -> list[tuple[int, int]]:
    """The numbers of a sum with their signs, in order."""
    if isinstance(expression, Constant):
        return [(sign, int(expression.value))]
    assert isinstance(expression, Binary)
    right = sign if expression.operator == "+" else -sign
    return leaves(expression.left, sign) + leaves(expression.right, right)


def test_long_runs_are_balanced() -> None:
    assert depth(parse(" & ".join("a" for _ in range(20_000)))) < 20


def test_balancing_keeps_every_sign() -> None:
    signs = ["+" if i % 3 else "-" for i in range(1, 100)]
    text = "0" + "".join(f" {sign} {i}" for i, sign in enumerate(signs, 1))
    expected = [(1, 0), *((1 if s == "+" else -1, i) for i, s in enumerate(signs, 1))]
    shape = parse(text)
    assert depth(shape) < 10
    assert leaves(shape) == expected


@pytest.mark.parametrize("text", ["1e999999999", "1e-999999999", "9" * 10**6, "0." + "1" * 10**5])
def test_numbers_too_large_are_refused(text: str) -> None:
    with pytest.raises(SourceError, match="too l"):
        parse(text)


def test_ten_thousand_brackets_are_read() -> None:
    assert parse("(" * 10_000 + "a" + ")" * 10_000) == a
