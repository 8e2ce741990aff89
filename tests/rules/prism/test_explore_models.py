"""Exploration of whole models: against Storm, and what is said of those that are not well."""

from fractions import Fraction
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.peers.goose_prism import goose_prism
from benchmarks.peers.lcr_prism import lcr_prism
from benchmarks.peers.pig_prism import pig_prism
from tests.rules.prism.random_programs import program_of

from oddsmith import published
from oddsmith.errors import LimitError, OddsmithError, RuleError
from oddsmith.model.model import Model
from oddsmith.model.prism import long_numbers
from oddsmith.model.prism.explore import explore
from oddsmith.rules.prism.expression import Binary, Call, Constant, Expression, Read
from oddsmith.rules.prism.program import Command, Program, Synchronisation, Update, Variable

SNAKES = (Path(published.__file__).parent / "snakes-and-ladders.prism").read_text()

URN = """dtmc
module urn
  r : [0..30] init 30; b : [0..25] init 25;
  [] r+b>0 -> r/(r+b) : (r'=r-1) + b/(r+b) : (b'=b-1);
endmodule
"""

RING = "mdp\n" + "\n".join(
    f"""module p{i}
  s{i} : [0..3] init 0; c{i} : [0..2] init 0; b{i} : bool init false;
  [] s{i}=0 & c{i}<2 -> 1/2 : (s{i}'=1)&(b{i}'=true) + 1/2 : (s{i}'=1)&(b{i}'=false);
  [sync{i}] s{i}=1 & b{i} -> 0.9 : (s{i}'=2) + 0.1 : (s{i}'=0);
  [sync{(i + 3) % 4}] s{i}!=3 -> (c{i}'=min(2,c{i}+1));
  [] s{i}=1 & !b{i} -> (s{i}'=0)&(c{i}'=min(2,c{i}+1));
  [] s{i}=2 -> (s{i}'=0);
  [] c{i}=2 & s{i}=0 -> (s{i}'=3);
endmodule"""
    for i in range(4)
)

TOGETHER = "mdp\n" + "\n".join(
    f"""module m{i}
  x{i} : [0..1] init 0;
  [go] x{i}=0 -> 0.5 : (x{i}'=1) + 0.5 : true;
  [go] true -> (x{i}'=1-x{i});
endmodule"""
    for i in range(7)
)
"""128 commands act together in a state, with up to 128 outcomes each."""

WIDE = "dtmc\n" + "\n".join(
    f"module m{i}\n  x{i} : [0..3] init 0;\n"
    f"  [go] x{i}=0 -> 0.2 : (x{i}'=1) + 0.3 : (x{i}'=2) + 0.5 : (x{i}'=3);\nendmodule"
    for i in range(9)
)
"""One choice with 19683 outcomes, more than the buffers have room for at first."""

EXPORT = (
    "dtmc\nmodule e\n s : [0..299] init 0;\n"
    + "\n".join(
        f" [] s={i} -> 1/3 : (s'={i * 7 % 300}) + 2/3 : (s'={(i * i + 1) % 300});"
        for i in range(300)
    )
    + "\nendmodule"
)

MODELS = {
    "snakes and ladders": SNAKES.replace("1000", "60"),
    "goose": goose_prism(2),
    "left center right": lcr_prism(3),
    "pig": pig_prism(20),
    "pig against holding": pig_prism(15, hold_at=8),
    "urn": URN,
    "ring": RING,
    "together": TOGETHER,
    "wide": WIDE,
    "export": EXPORT,
}


@pytest.mark.parametrize("name", MODELS)
def test_storm_builds_the_same(name: str, tmp_path: Path) -> None:
    stormpy = pytest.importorskip("stormpy", minversion="2")
    process = explore(program_of(MODELS[name]))
    path = tmp_path / "model.prism"
    path.write_text(MODELS[name])
    model = stormpy.build_model(stormpy.parse_prism_program(str(path)))
    assert process.states == model.nr_states
    assert process.choices == model.nr_choices
    assert process.transitions == model.nr_transitions
    matrix = model.transition_matrix
    theirs = sorted(x.value for row in range(model.nr_choices) for x in matrix.get_row(row))
    assert np.abs(np.sort(process.chance.floats) - theirs).max() < 1e-9
    check_sums(process)


def check_sums(process: Model) -> None:
    """All chances of a choice sum to one, exactly."""
    exact = process.chance.exact
    assert exact is not None
    for c in range(min(process.choices, 3000)):
        edges = range(process.row[c], process.row[c + 1])
        assert sum(process.chance.fraction(e) for e in edges) == 1
        assert len({int(process.col[e]) for e in edges}) == len(edges)
    assert process.row[-1] == process.transitions
    assert process.choice[-1] == process.choices
    assert [float(x) for x in exact] == list(process.chance.values)


def test_the_published_board_has_the_published_number_of_states() -> None:
    process = explore(program_of(SNAKES))
    assert process.states == 564_879
    assert process.is_chain
    assert any("several commands are enabled" in note for note in process.notes)


def whole(n: int) -> Constant:
    return Constant(Fraction(n))


def program(
    variables: list[Variable],
    commands: list[tuple[Expression, list[tuple[Expression, Any]]]],
    kind: Any = "mdp",
) -> Program:
    """A program of one module, made by hand: ranges may be wider than the language allows."""
    made = tuple(
        Command(0, "", guard, tuple(Update(chance, tuple(assign)) for chance, assign in updates))
        for guard, updates in commands
    )
    joint = Synchronisation("", (tuple(range(len(made))),))
    return Program(
        kind, "", "by hand", {}, {}, tuple(variables), ("m",), made, (joint,), None, {}, ()
    )


TRUE = Constant(Fraction(1), type="bool")


def test_variables_wider_than_32_bits_in_several_words() -> None:
    top = (1 << 62) - 1
    variables = [
        Variable("x", -(1 << 61), top, 5 - (1 << 61)),
        Variable("y", 0, (1 << 40) + 7, 3),
        Variable("z", 1 - (1 << 62), top, 0),
    ]
    x, y, z = Read(0), Read(1), Read(2)
    up = [
        (0, Binary("+", x, whole(1 << 60))),
        (1, Binary("*", y, whole(1000))),
        (2, Binary("-", z, x)),
    ]
    guard = Binary("<", y, whole(1 << 30))
    process = explore(program(variables, [(guard, [(whole(1), up)])]))
    expected = [[5 - (1 << 61), 3, 0]]
    while expected[-1][1] < 1 << 30:
        a, b, c = expected[-1]
        expected.append([a + (1 << 60), b * 1000, c - a])
    found = [process.valuations.values(s) for s in range(process.states)]
    assert found == expected


def test_a_product_beyond_64_bits_is_an_error_and_not_a_wrong_number() -> None:
    variables = [Variable("x", 0, (1 << 62), 1 << 40)]
    square = Binary("*", Binary("*", Read(0), Read(0)), Read(0))
    step = Call("mod", (square, whole(1000)))
    with pytest.raises(RuleError, match="64 bits"):
        explore(program(variables, [(TRUE, [(whole(1), [(0, step)])])]))


def test_chances_too_long_for_64_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    primes = (10007, 10009, 10037, 10039, 10061)
    text = "dtmc\n" + "\n".join(
        f"module m{i}\n x{i} : [0..1];\n [go] x{i}=0 -> 1/{p} : (x{i}'=1) + {p - 1}/{p} : true;\n"
        "endmodule"
        for i, p in enumerate(primes)
    )
    process = explore(program_of(text))
    start = [process.chance.fraction(e) for e in range(process.row[0], process.row[1])]
    assert sum(start) == 1
    assert min(start) == Fraction(1, prod(primes))
    monkeypatch.setattr(long_numbers, "MOST_STATES", 31)
    process = explore(program_of(text))
    assert process.chance.exact is None
    start = process.chance.floats[process.row[0] : process.row[1]]
    assert start.sum() == pytest.approx(1, abs=1e-12)
    assert process.states == 32


def test_logarithms_are_floats() -> None:
    text = """dtmc
module m
  x : [1..4] init 2;
  [] x<4 -> log(x,10) : (x'=4) + 1-log(x,10) : (x'=3);
  [] x=4 -> true;
endmodule
"""
    process = explore(program_of(text))
    assert process.chance.exact is None
    floats = process.chance.floats
    assert floats[0] == pytest.approx(np.log10(2))
    assert floats[:2].sum() == pytest.approx(1)


def test_several_initial_states() -> None:
    text = """mdp
module m
  x : [0..9]; y : [0..9]; b : bool;
  [] x>0 -> (x'=x-1);
endmodule
init x+y=7 & y>=3 & !b endinit
"""
    process = explore(program_of(text))
    begins = [process.valuations.values(int(s)) for s in process.initial]
    assert begins == [[x, 7 - x, 0] for x in range(5)]
    assert process.labels["init"].sum() == 5
    assert process.states == 15
    assert process.labels["deadlock"].sum() == 5
    assert any("5 deadlock states got a loop" in note for note in process.notes)


def test_uneven_chances_are_scaled_and_it_is_said() -> None:
    text = """dtmc
module m
  x : [0..3] init 0;
  [] x=0 -> 0.333333 : (x'=1) + 0.333333 : (x'=2) + 0.333333 : (x'=3);
  [] x>0 -> true;
endmodule
"""
    process = explore(program_of(text))
    assert [process.chance.fraction(e) for e in range(3)] == [Fraction(1, 3)] * 3
    assert any("line 4" in note and "x=0" in note for note in process.notes)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("[] true -> (x'=x+1);", "outside its range"),
        ("[] true -> 0.5 : (x'=0);", "sum to 1/2"),
        ("[] true -> x-1 : (x'=0) + 2-x : (x'=1);", "negative"),
        ("[] mod(5, x)=0 -> (x'=0);", "mod needs"),
        ("[] true -> 1/x : (x'=0) + 1-1/x : (x'=1);", "zero"),
        ("[] x=0 -> 1/x : (x'=0);", "zero"),
        ("[] x=0 -> (x'=mod(3, x));", "mod needs"),
        ("[] x=0 -> (x'=-1);", "outside its range"),
    ],
)
def test_errors_name_the_state(command: str, words: str) -> None:
    text = f"mdp\nmodule m\n  x : [0..3] init 0;\n  {command}\nendmodule\n"
    with pytest.raises(RuleError, match=words) as caught:
        explore(program_of(text))
    assert "In state x=" in str(caught.value)
    assert "model.prism:4" in str(caught.value)


def test_what_is_not_needed_does_not_fail() -> None:
    text = """dtmc
module m
  x : [0..3] init 0;
  [] x=0 | mod(6, x)=0 -> (x=0 ? 1 : 1/x) : (x'=min(3, x+1)) + (x>0 ? 1-1/x : 0) : (x'=x+9);
endmodule
"""
    with pytest.raises(RuleError, match="x would become 11"):
        explore(program_of(text))
    assert explore(program_of(text.replace("x'=x+9", "x'=0"))).states == 4


def test_rewards_below_zero_are_an_error() -> None:
    text = """mdp
module m
  x : [0..3] init 0;
  [a] true -> (x'=mod(x+1,4));
endmodule
rewards "r"
  x<3 : 1;
  [a] true : 2-x;
endrewards
"""
    with pytest.raises(RuleError, match="In state x=3: this reward is -1") as caught:
        explore(program_of(text))
    assert "model.prism:8" in str(caught.value)
    assert explore(program_of(text), rewards=False).rewards == {}
    process = explore(program_of(text.replace("2-x", "x/2")))
    earned = process.rewards["r"]
    assert earned.state is not None
    assert earned.choice is not None
    assert [earned.state.fraction(s) for s in range(4)] == [1, 1, 1, 0]
    assert [earned.choice.fraction(c) for c in range(4)] == [Fraction(i, 2) for i in range(4)]


def test_limits() -> None:
    with pytest.raises(LimitError, match="more than 1,000 states"):
        explore(program_of(pig_prism(30)), max_states=1000)


def test_progress_is_told_and_can_stop_it() -> None:
    class Impatient:
        def update(self, stage: str, done: float, of: float | None, facts: str = "") -> None:
            assert stage == "exploring"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explore(program_of(pig_prism(30)), progress=Impatient())


def test_a_label_that_has_no_value_names_the_state() -> None:
    text = """mdp
module m
  x : [0..3] init 3;
  [] x>0 -> (x'=x-1);
endmodule
label "odd" = mod(5, x)=1;
"""
    with pytest.raises(OddsmithError, match="In state x=0"):
        explore(program_of(text))
