"""Names, types, constants, formulas and renaming, as PRISM's manual describes them."""

from fractions import Fraction
from pathlib import Path

import pytest

from oddsmith import published
from oddsmith.errors import OptionError
from oddsmith.rules.prism import parse_program, read_program, undefined_constants
from oddsmith.rules.prism.expression import Call, Constant, Expression, Read
from oddsmith.rules.prism.interpret import choices, evaluate
from oddsmith.rules.prism.program import Program
from oddsmith.rules.prism.source import SourceError

MODELS = Path(published.__file__).parent


def program(
    command: str = "[] x=0 -> (x'=1);",
    *,
    before: str = "",
    variables: str = "x : [0..3]; b : bool;",
    after: str = "",
    kind: str = "mdp",
) -> Program:
    return parse_program(
        f"{kind}\n{before}\nmodule M\n{variables}\n{command}\nendmodule\n{after}", "m.prism"
    )


def refused(**parts: str) -> tuple[str, int]:
    with pytest.raises(SourceError) as caught:
        program(**parts)
    return caught.value.message, caught.value.line


def constant(text: str) -> Expression:
    return program(before=f"formula f = {text};").formulas["f"]


@pytest.mark.parametrize(
    ("text", "value", "type_"),
    [
        ("1/3", Fraction(1, 3), "double"),
        ("0.1+0.2", Fraction(3, 10), "double"),
        ("7-2*3", 1, "int"),
        ("mod(-1,3)", 2, "int"),
        ("round(2.5)", 3, "int"),
        ("round(-2.5)", -2, "int"),
        ("floor(-0.5)", -1, "int"),
        ("ceil(7/2)", 4, "int"),
        ("pow(2,10)", 1024, "int"),
        ("pow(0.5,-2)", 4, "double"),
        ("pow(9/4,3/2)", Fraction(27, 8), "double"),
        ("log(1000,10)", 3, "double"),
        ("floor(log(10,2))", 3, "int"),
        ("min(1,0.5)", Fraction(1, 2), "double"),
        ("true ? 1 : 0.5", 1, "double"),
        ("1 < 2 & !(2 = 3)", 1, "bool"),
        ("false => x=1", 1, "bool"),
        ("true <=> false", 0, "bool"),
    ],
)
def test_constant_parts_are_computed(text: str, value: Fraction, type_: str) -> None:
    folded = constant(text)
    assert isinstance(folded, Constant)
    assert (folded.value, folded.type) == (value, type_)


@pytest.mark.parametrize("text", ["log(3,2)", "pow(2,0.5)"])
def test_what_is_irrational_stays_a_call(text: str) -> None:
    assert isinstance(constant(text), Call)
    assert isinstance(evaluate(constant(text), ()), float)


def test_a_constant_that_is_irrational_stays_a_call_where_it_is_used() -> None:
    found = program(before="const double p = log(3,2); formula f = p;")
    assert isinstance(found.formulas["f"], Call)
    assert found.constants["p"] == Fraction(evaluate(found.formulas["f"], ()))


def test_declarations_come_in_any_order() -> None:
    text = "module M x : [0..N]; [] f -> (x'=c); endmodule formula f = x<c; const int c = N; "
    found = parse_program(f"mdp {text} const int N = 2;")
    assert found.variables[0].high == 2
    assert found.constants == {"c": 2, "N": 2}


def test_defaults() -> None:
    found = program(variables="x : [2..5]; b : bool; c : bool init true;")
    assert [variable.initial for variable in found.variables] == [2, 0, 1]
    assert program(kind="").kind == "mdp"
    assert program(kind="probabilistic").kind == "dtmc"


def test_global_variables_come_first() -> None:
    found = program(before="global g : [0..1];")
    assert [(v.name, v.module) for v in found.variables] == [("g", None), ("x", 0), ("b", 0)]


# Constants from outside.


def test_undefined_constants() -> None:
    text = "mdp const int N; const double p; const bool q; const int k = 1; module M endmodule"
    assert undefined_constants(text) == {"N": "int", "p": "double", "q": "bool"}
    given = {"N": Fraction(3), "p": Fraction(1, 2), "q": True}
    assert parse_program(text, "m", given).constants == {**given, "k": 1}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "Constants N, q of m have no value; give them with --const N=…,q=…."),
        ({"q": True}, "Constant N of m has no value; give it with --const N=…."),
        ({"N": 1, "q": True, "NN": 2}, "There is no constant 'NN' in m. Did you mean N?"),
        ({"N": Fraction(1, 2), "q": True}, "Constant N is a whole number, and was given 1/2."),
        ({"N": 1, "q": 1}, "Constant q is a truth value: give true or false."),
        ({"N": 1, "q": True, "k": 1}, "Constant k has a value already, in line 1 of m; "
         "write only const int k; there to give it another."),
    ],
)  # fmt: skip
def test_wrong_constants(given: dict[str, Fraction | bool], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        parse_program(
            "mdp const int N; const bool q; const int k = 1;module M endmodule", "m", given
        )
    assert str(caught.value) == message


def test_a_float_is_what_is_written() -> None:
    found = parse_program("mdp const double p; module M endmodule", "m", {"p": 0.1})
    assert found.constants["p"] == Fraction(1, 10)


def test_constants_of_others_are_passed_over() -> None:
    assert not parse_program("mdp module M endmodule", "m", {"T": 3}, others=["T"]).constants


# Errors.


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"before": "const int N=0.5;"},
         "Constant N is a whole number, and its value is a number of type double."),
        ({"before": "const int a=b0; const int b0=a;"}, "a is defined by itself: a → b0 → a."),
        ({"before": "formula f=f+1;"}, "f is defined by itself: f → f."),
        ({"before": "formula f=1; const int f=1;"},
         "f is declared twice: there is a constant f already."),
        ({"before": "const int c=x;"}, "The value of constant c cannot use variables."),
        ({"before": "const double p=1/0;"}, "This divides by zero."),
        ({"before": "const int x=1;"}, "x is declared twice: there is a constant x already."),
    ],
)  # fmt: skip
def test_refused_declarations(parts: dict[str, str], message: str) -> None:
    assert refused(**parts)[0] == message


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("[] xx=0 -> true;", "There is no constant, variable or formula xx. Did you mean x?"),
        ("[] x -> true;", "A guard must be a truth value, and is a whole number."),
        ("[] x=b -> true;", "= compares a whole number with a truth value."),
        ("[] x & b -> true;", "& joins truth values, and what is on its left is a whole number."),
        ("[] b<1 -> true;", "< joins numbers, and what is on its left is a truth value."),
        ("[] !x -> true;", "! needs a truth value, and this is a whole number."),
        ("[] mod(x,0.5)=1 -> true;", "mod takes whole numbers; floor(x) makes a whole number."),
        ("[] floor(x,1)=1 -> true;", "floor takes one number, not 2."),
        ("[] (x?1:2)=1 -> true;",
         "What is before ? must be a truth value, and is a whole number."),
        ("[] b -> (x'=x/2);", "The new value of x must be a whole number, and is a number of type "
         "double; floor(…) or round(…) make it whole."),
        ("[] b -> (b'=1);", "The new value of b must be a truth value, and is a whole number."),
        ("[] b -> b:(x'=1);", "A chance must be a number, and is a truth value."),
        ("[] b -> (xy'=1);", "There is no variable xy. Did you mean x?"),
        ("[] b -> (x'=1)&(x'=2);", "x is given two values in one update."),
    ],
)  # fmt: skip
def test_refused_commands(command: str, message: str) -> None:
    assert refused(command=command) == (message, 5)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ("x : [3..0];", "The range of x is empty: 3 is more than 0."),
        ("x : [0..3] init 4;", "x begins at 4, outside its range [0..3]."),
        ("x : [0..3] init true;",
         "The initial value of x must be a whole number, and is a truth value."),
        ("x : [0..b]; b : [0..1];",
         "The upper end of x must be constant: it cannot use variables."),
        ("x : [0..99999999999];", "The range of x goes beyond 32 bits."),
    ],
)  # fmt: skip
def test_refused_variables(variables: str, message: str) -> None:
    assert refused(variables=variables) == (message, 4)


@pytest.mark.parametrize(
    ("after", "message"),
    [
        ("module N [] true -> (x'=1); endmodule", "Module N cannot change x, which belongs to "
         "module M; a global variable can be changed by all."),
        ("module M y : [0..1]; endmodule", "Module M is declared twice."),
        ("module N = M [ x=y ] endmodule",
         "Module N must rename variable b of module M, or both would have it."),
        ("module N = MM [ x=y ] endmodule", "There is no module MM. Did you mean M?"),
        ("module N = N [ x=y ] endmodule", "Module N is a copy of itself."),
        ("module N = M [ x=y, b=c, x=z ] endmodule", "x is renamed twice."),
        ('label "a"=true; label "a"=true;', "Label a is declared twice."),
        ('label "a b"=true;', '"a b" is no name: a name is made of letters, digits and _.'),
        ('label "a"=1;', "A label must be a truth value, and is a whole number."),
        ("rewards true : b; endrewards", "A reward must be a number, and is a truth value."),
    ],
)  # fmt: skip
def test_refused_after_the_module(after: str, message: str) -> None:
    assert refused(after=after) == (message, 7)


def test_initial_values_and_initial_states_exclude_each_other() -> None:
    message, line = refused(variables="x : [0..3] init 1; b : bool;", after="init x=1 endinit")
    assert message.startswith("x has an initial value, and the model has init … endinit")
    assert line == 4


def test_a_command_with_an_action_cannot_change_a_global_variable() -> None:
    message, _ = refused(before="global g : [0..1];", command="[a] b -> (g'=1);")
    assert message == "A command with an action ([a]) cannot change the global variable g."


def test_formulas_cannot_grow_without_end() -> None:
    doubled = "".join(f"formula f{i} = f{i - 1}+f{i - 1};" for i in range(1, 60))
    assert "1,000,000 parts" in refused(before=f"formula f0 = x; {doubled}")[0]


def test_powers_cannot_grow_without_end() -> None:
    assert refused(before="const int N = pow(10,1000000000);")[0] == "This number is too large."


# Renaming.


def test_formulas_are_expanded_before_names_change() -> None:
    found = program(
        "[] f -> (x'=0);",
        before="formula f = g>1; formula g = x;",
        variables="x : [0..3];",
        after="module N = M [ x=y ] endmodule",
    )
    first, second = (command.guard for command in found.commands)
    assert evaluate(first, (2, 0))
    assert not evaluate(first, (0, 2))
    assert evaluate(second, (0, 2))


def test_formulas_can_be_renamed_too() -> None:
    found = program(
        "[] f=1 -> (x'=0);",
        before="formula f = 1; formula g = 2;",
        variables="x : [0..3];",
        after="module N = M [ x=y, f=g ] endmodule",
    )
    assert [evaluate(command.guard, (0, 0)) for command in found.commands] == [True, False]


def test_names_can_be_swapped_and_copies_copied() -> None:
    found = program(
        "[a] x=c -> (x'=d);",
        before="const int c = 1; const int d = 2; const int e = 3;",
        variables="x : [0..3];",
        after="module O = N [ y=z, d=e ] endmodule module N = M [ x=y, c=d, d=c, a=q ] endmodule",
    )
    assert found.modules == ("M", "O", "N")
    assert [v.name for v in found.variables] == ["x", "z", "y"]
    assert [command.action for command in found.commands] == ["a", "q", "q"]
    copy = found.commands[1]
    assert evaluate(copy.guard, (0, 3, 0))
    assert copy.updates[0].assign[0][1] == Constant(Fraction(1))


# The model printed in the paper on board games (section 3.2), its two listings joined.


def test_first_throws_of_the_printed_model() -> None:
    """From field 1 a throw leads to 2 to 7; on 2 and 4 stand ladders, taken without a move."""
    found = read_program(MODELS / "snakes-and-ladders.prism")
    assert found.kind == "dtmc"
    assert len(found.commands) == 40
    names = [variable.name for variable in found.variables]
    assert names == ["f1", "f2", "w", "chance", "m"]
    (throw,) = choices(found, (1, 1, 0, 1, 0))
    sixth = Fraction(1, 6)
    assert throw.outcomes == (
        (sixth, (2, 1, 0, 1, 0)),
        (sixth, (3, 1, 0, 2, 1)),
        (sixth, (4, 1, 0, 1, 0)),
        (sixth, (5, 1, 0, 2, 1)),
        (sixth, (6, 1, 0, 2, 1)),
        (sixth, (7, 1, 0, 2, 1)),
    )


def test_the_second_player_of_the_printed_model_swaps_turns_the_other_way() -> None:
    found = read_program(MODELS / "snakes-and-ladders.prism")
    (ladder,) = choices(found, (3, 4, 0, 2, 1))
    assert ladder.outcomes == ((1, (3, 11, 0, 1, 2)),)
    (win,) = choices(found, (3, 20, 0, 1, 5))[1:]
    assert win.outcomes == ((1, (3, 20, 2, 1, 5)),)


def test_every_node_has_its_type() -> None:
    found = program("[] x=0 & b -> 1/2:(x'=x+1) + 1/2:true;")
    guard = found.commands[0].guard
    assert guard.type == "bool"
    assert found.commands[0].updates[0].chance.type == "double"
    assert found.commands[0].updates[0].assign[0][1].type == "int"
    assert Read(0) == found.commands[0].updates[0].assign[0][1].left  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["round", "log", "mod", "player", "ma", "F", "U", "chance"])
def test_names_that_prism_does_not_reserve_can_be_used(name: str) -> None:
    text = (
        f"mdp module {name} {name} : [0..3]; [] {name}=0 & round(0.6)=1 -> ({name}'=1); endmodule"
    )
    assert parse_program(text).variables[0].name == name


def test_old_function_calls() -> None:
    assert constant("func(mod, 7, 4) + func(max, 1, 2)") == Constant(Fraction(5))
    with pytest.raises(SourceError, match=r"There is no function mox\. Did you mean mod\?"):
        constant("func(mox, 7, 4)")
