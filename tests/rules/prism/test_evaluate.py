"""Expressions in all states: what the interpreter says, state by state."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from tests.rules.prism.random_programs import program_of

from oddsmith.errors import OddsmithError
from oddsmith.model.prism import long_numbers
from oddsmith.model.prism.evaluate import evaluate_amounts, evaluate_bool
from oddsmith.model.variables import Layout, Valuations, Variable
from oddsmith.rules.prism.expression import Binary, Call, Conditional, Constant, Expression, Read
from oddsmith.rules.prism.interpret import evaluate

VARIABLES = [
    Variable("x", -3, 4),
    Variable("b", 0, 1, is_bool=True),
    Variable("y", 0, 5),
    Variable("only", 7, 7),
]


def valuations() -> Valuations:
    ranges = [range(v.low, v.high + 1) for v in VARIABLES]
    columns = np.array(list(product(*ranges)), np.int64).T
    layout = Layout(VARIABLES)
    return Valuations(layout, layout.pack(list(columns)))


def expression(text: str, kind: str = "bool") -> Expression:
    """An expression of the language, elaborated."""
    declared = "x : [-3..4] init 0; b : bool init false; y : [0..5] init 0; only : [7..7] init 7;"
    formula = f"formula f = {text};"
    use = "(f)" if kind == "bool" else "(f)>=0"
    program = program_of(f"mdp\n{formula}\nmodule m\n{declared}\n[] {use} -> true;\nendmodule")
    guard = program.commands[0].guard
    if kind == "bool":
        return guard
    assert isinstance(guard, Binary)
    return guard.left


@pytest.mark.parametrize(
    "text",
    [
        "x<2 & (b | y=3)",
        "b => x>0",
        "(b <=> (y>2)) | x=y",
        "b = (x>1)",
        "b != (x>1)",
        "(x<0 ? b : !b)",
        "x/3 < y/4",
        "y=0 | x/y > 0.3",
        "mod(x, 3) = 1",
        "only = 7",
        "floor(x/2) = ceil(y/3)",
        "pow(2, y) > x*x*x",
        "log(pow(2, y), 2) = y",
        "pow(0.5, x+3) < 0.3",
        "max(x, y, 2) - min(x, -y) >= round(y/2)",
    ],
)
def test_truth_in_every_state(text: str) -> None:
    states, e = valuations(), expression(text)
    found = evaluate_bool(e, states)
    expected = [bool(evaluate(e, states.values(s))) for s in range(len(found))]
    assert found.tolist() == expected


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "x/3 + y/4 - 1/6",
        "y/(x+4)",
        "(b ? x/7 : y)",
        "x*y*only/2",
        "1/(x-5)",
        "pow(x, 3)",
        "pow(1.0*(y+1), x)",
        "pow(y+1, y)/(y+1)",
        "max(1/(y+1), 1/4)",
        "round(x/2) + floor(x/2)*10 + ceil(x/2)*100",
        "mod(x*x, y+1)",
    ],
)
def test_numbers_in_every_state_are_exact(text: str) -> None:
    states, e = valuations(), expression(text, "number")
    found = evaluate_amounts(e, states)
    assert found.exact is not None
    for s in range(len(found)):
        assert found.fraction(s) == evaluate(e, states.values(s))


def test_logarithms_and_roots_are_floats() -> None:
    states = valuations()
    for text in ("log(y+2, 3)", "pow(y+1, 0.5)", "log(y+1, 2)/(x+9)"):
        e = expression(text, "number")
        found = evaluate_amounts(e, states)
        assert found.exact is None
        expected = [float(evaluate(e, states.values(s))) for s in range(len(found))]
        assert found.floats == pytest.approx(expected)


def test_fractions_too_long_for_64_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    states, e = valuations(), Constant(Fraction(1), type="double")
    long: Expression = e
    for prime in (1000003, 1000033, 1000037, 1000039):
        long = Binary("*", long, Binary("/", Read(2), Constant(Fraction(prime)), type="double"))
    found = evaluate_amounts(long, states)
    over = 1000003 * 1000033 * 1000037 * 1000039
    exact = [Fraction(states.values(s)[2] ** 4, over) for s in range(len(found))]
    assert [found.fraction(s) for s in range(len(found))] == exact
    monkeypatch.setattr(long_numbers, "MOST_STATES", 0)
    found = evaluate_amounts(long, states)
    assert found.exact is None
    assert found.floats == pytest.approx([float(value) for value in exact])


def test_what_has_no_value_names_the_state() -> None:
    states = valuations()
    with pytest.raises(OddsmithError, match=r"In state x=-3, b=false, y=0, only=7: .*zero"):
        evaluate_amounts(Binary("/", Read(0), Read(2), type="double"), states)
    with pytest.raises(OddsmithError, match="mod needs"):
        evaluate_bool(Binary("=", Call("mod", (Read(2), Read(0))), Constant(Fraction(0))), states)


def test_only_the_side_that_is_taken_can_fail() -> None:
    states = valuations()
    zero = Constant(Fraction(0))
    safe = Conditional(
        Binary("=", Read(2), zero, type="bool"), zero, Call("mod", (Read(0), Read(2)))
    )
    found = evaluate_amounts(safe, states)
    for s in range(len(found)):
        assert found.fraction(s) == evaluate(safe, states.values(s))


def test_no_variables_and_no_states() -> None:
    layout = Layout([])
    nothing = Valuations(layout, np.zeros((3, 1), np.uint64))
    assert evaluate_bool(Constant(Fraction(1), type="bool"), nothing).tolist() == [True] * 3
    none = Valuations(layout, np.zeros((0, 1), np.uint64))
    assert len(evaluate_amounts(Constant(Fraction(1, 3), type="double"), none)) == 0
