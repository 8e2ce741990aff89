"""The plain interpreter: choices, rewards, initial states, and errors that name the state."""

from fractions import Fraction

import pytest

from oddsmith.errors import LimitError
from oddsmith.rules.prism import parse_program
from oddsmith.rules.prism.interpret import (
    Option,
    StateError,
    choice_reward,
    choices,
    initial_states,
    state_reward,
)
from oddsmith.rules.prism.program import Program


def program(commands: str, rest: str = "", variables: str = "x : [0..3]; b : bool;") -> Program:
    return parse_program(f"mdp\nmodule M {variables}\n{commands}\nendmodule\n{rest}", "m.prism")


def test_joined_commands_multiply_their_chances() -> None:
    found = parse_program(
        "mdp module M x : [0..1]; [a] true -> 1/3:(x'=1) + 2/3:(x'=0); endmodule "
        "module N y : [0..1]; [a] true -> 1/2:(y'=1-x) + 1/2:true; [a] false -> true; endmodule"
    )
    sixth = Fraction(1, 6)
    expected = (
        (sixth, (1, 1)), (sixth, (1, 0)), (2 * sixth, (0, 1)), (2 * sixth, (0, 0))
    )  # fmt: skip
    assert choices(found, (0, 0)) == [Option((0, 1), "a", -1, expected)]


def test_updates_read_the_state_before() -> None:
    found = program("[] true -> (x'=y)&(y'=x);", variables="x : [0..3]; y : [0..3];")
    assert choices(found, (1, 2))[0].outcomes == ((1, (2, 1)),)


def test_an_action_waits_for_all_who_know_it() -> None:
    found = parse_program(
        "mdp module M x : [0..1]; [a] x=0 -> true; endmodule "
        "module N y : [0..1]; [a] y=1 -> true; endmodule"
    )
    assert choices(found, (0, 0)) == []
    assert len(choices(found, (0, 1))) == 1


def test_outcomes_without_a_chance_are_left_out_unread() -> None:
    found = program("[] true -> x:(x'=x+9) + 1-x:(x'=1);")
    assert choices(found, (0, 0))[0].outcomes == ((1, (1, 0)),)


def test_chances_may_miss_one_by_a_little() -> None:
    found = program("[] true -> 0.333333:(x'=1) + 0.666666:true;")
    assert [chance for chance, _ in choices(found, (0, 0))[0].outcomes] == [
        Fraction(1, 3),
        Fraction(2, 3),
    ]


@pytest.mark.parametrize(
    ("command", "message", "shown"),
    [
        ("[] true -> 0.5:(x'=1);", "the chances of this command sum to 1/2, not to 1.",
         "[] true -> 0.5:(x'=1);"),
        ("[] true -> x-1:true + 2-x:true;", "the chance -1 is negative.", "x-1:true + 2-x:true;"),
        ("[] true -> (x'=x-1);", "x would become -1, outside its range [0..3].", "x-1);"),
        ("[] mod(1,x)=0 -> true;", "mod needs a second number above zero, not 0.",
         "mod(1,x)=0 -> true;"),
        ("[] b | 1/x>1 -> true;", "this divides by zero.", "1/x>1 -> true;"),
        ("[] true -> (x'=floor(1/x));", "this divides by zero.", "1/x));"),
        ("[] log(x,2)>1 -> true;", "log(x, b) needs x and b above zero, and b other than 1.",
         "log(x,2)>1 -> true;"),
    ],
)  # fmt: skip
def test_errors_name_the_state(command: str, message: str, shown: str) -> None:
    found = program(command)
    with pytest.raises(StateError) as caught:
        choices(found, (0, 0))
    sentence, _, line, caret = str(caught.value).split("\n")
    assert sentence == f"In state x=0, b=false: {message}"
    assert line[caret.index("^") :] == shown


def test_logic_stops_as_soon_as_it_can() -> None:
    found = program("[] x=0 | 1/x>1 -> true; [] x>0 & 1/x<1 -> true; [] x=0 => true -> true;")
    assert [option.commands for option in choices(found, (0, 0))] == [(0,), (2,)]


def test_rewards_add_up() -> None:
    found = program(
        "[a] true -> true;",
        'rewards "r" x>0 : x; x>1 : 1/2; [a] b : 3; [] true : 7; endrewards',
    )
    (structure,) = found.rewards
    assert state_reward(found, structure, (2, 0)) == Fraction(5, 2)
    assert choice_reward(found, structure, (2, 1), "a") == 3
    assert choice_reward(found, structure, (2, 0), "a") == 0
    assert choice_reward(found, structure, (2, 0), "") == 7


def test_initial_states() -> None:
    found = program("", "init x>0 & (b | x=2) endinit")
    assert initial_states(found) == [(1, 1), (2, 0), (2, 1), (3, 1)]
    assert initial_states(program("")) == [(0, 0)]
    assert initial_states(program("", "init false endinit")) == []


def test_many_variables_are_no_trouble_where_the_condition_names_them() -> None:
    variables = "".join(f"x{i} : [0..9];" for i in range(30))
    condition = " & ".join(f"x{i}={i % 10}" for i in range(30))
    found = program("", f"init {condition} endinit", variables)
    assert initial_states(found) == [tuple(i % 10 for i in range(30))]


def test_too_many_initial_states(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oddsmith.rules.prism.interpret.MAX_INITIAL", 1000)
    variables = "".join(f"x{i} : [0..9];" for i in range(30))
    with pytest.raises(LimitError, match="more than 1,000 combinations"):
        initial_states(program("", "init true endinit", variables))
