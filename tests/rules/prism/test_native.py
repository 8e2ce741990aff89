"""What is compiled: which commands are looked at, and which are tables."""

from fractions import Fraction

import pytest
from tests.rules.prism.random_programs import program_of
from tests.rules.prism.test_prism_explore import check

from oddsmith.model.prism.dispatch import Node, all_of, any_of, split, wanted_by
from oddsmith.model.prism.explore import explore
from oddsmith.model.prism.native import Native
from oddsmith.rules.prism.expression import Binary, Constant, Read
from oddsmith.rules.prism.program import Program


def tried(node: Node[int], state: dict[int, int]) -> list[int]:
    """What a tree leads to in a state."""
    found = list(node.here)
    if node.variable is not None and state[node.variable] in node.cases:
        found += tried(node.cases[state[node.variable]], state)
    return found + (tried(node.rest, state) if node.rest else [])


def test_two_levels_of_switches_leave_little_to_test() -> None:
    items = [
        (64 * turn + place, {0: frozenset({turn}), 1: frozenset({place})})
        for turn in range(3)
        for place in range(64)
    ]
    tree = split([*items, (999, {})])
    for turn in range(3):
        for place in range(64):
            assert sorted(tried(tree, {0: turn, 1: place})) == [64 * turn + place, 999]


def test_what_guards_want() -> None:
    def equal(variable: int, value: int) -> Binary:
        return Binary("=", Read(variable), Constant(Fraction(value)))

    either = Binary("|", equal(0, 1), equal(0, 4))
    assert wanted_by(Binary("&", either, equal(2, 5))) == {0: {1, 4}, 2: {5}}
    assert wanted_by(Binary("|", equal(0, 1), equal(1, 4))) == {}
    assert any_of([{0: frozenset({1}), 2: frozenset({5})}, {0: frozenset({2})}]) == {0: {1, 2}}
    assert all_of([{0: frozenset({1, 2})}, {0: frozenset({2, 3})}]) == {0: {2}}


BOARD = "dtmc\nmodule board\n  turn : [0..1]; p : [0..19]; q : [0..19];\n" + "\n".join(
    f"  [] turn={turn} & {me}={place} & {other}!=19 ->"
    f" 1/2 : ({me}'={(place * 3 + 1) % 20}) & (turn'={1 - turn})"
    f" + 1/3 : ({me}'={other}=3 ? 0 : {place}) & (turn'={1 - turn}) + 1/6 : true;"
    for turn, me, other in ((0, "p", "q"), (1, "q", "p"))
    for place in range(20)
)


def test_a_board_is_explored_as_it_is_interpreted() -> None:
    assert check(program_of(BOARD + "\nendmodule"))


def known(program: Program) -> list[bool]:
    return [rows is not None for rows in Native(program).slots.known]


def test_constant_updates_are_tables() -> None:
    text = """dtmc
module m
  x : [0..9]; y : [-2..2];
  [] x=0 -> 1/2 : (x'=3) + 1/2 : (y'=-1);
  [] x>2 & x<9 -> (x'=x+1);
  [] x=2 -> (x'=x*4+y*0) & (y'=2);
  [] x=1 -> (x'=x+1);
  [] x=9 -> (x'=x+y);
  [] y=2 -> 1/(x+1) : true + x/(x+1) : (y'=0);
endmodule
"""
    program = program_of(text)
    assert known(program) == [True, True, False, True, False, False]
    assert check(program)


@pytest.mark.parametrize("states", [7, 40])
def test_exports_are_looked_up(states: int) -> None:
    lines = "\n".join(f"  [] s={i} -> (s'={(i * 5 + 2) % states});" for i in range(states))
    program = program_of(f"mdp\nmodule e\n  s : [0..{states - 1}];\n{lines}\nendmodule")
    functions = Native(program).functions
    assert any("private constant" in text for text in functions) == (states > 8)
    assert check(program)


def test_a_program_without_commands_or_variables() -> None:
    process = explore(program_of("mdp\nmodule m\n  x : [0..2] init 1;\nendmodule"))
    assert process.states == process.choices == process.transitions == 1
    assert process.labels["deadlock"].all()
