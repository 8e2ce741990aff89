"""Which commands earn: the loop of a deadlock is none, and names must be the model's actions."""

from fractions import Fraction

import pytest

from oddsmith import check, estimate
from oddsmith.certificate.reference import reference_process
from oddsmith.errors import OddsmithError
from oddsmith.rules.prism import read_program
from oddsmith.runtime.progress import Silent

DEAD = """{kind}
module m
  s : [0..1] init 0;
  [] s=0 -> (s'=1);
endmodule
rewards "steps" [] true : 1; endrewards
rewards "states" true : 1; endrewards
"""


@pytest.fixture
def model(tmp_path):
    def write(text):
        path = tmp_path / "m.prism"
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize("kind", ["dtmc", "mdp"])
def test_a_deadlock_earns_its_states_reward_alone(model, kind):
    # One step leads to the deadlock and earns 1; PRISM and Storm let its loop earn nothing.
    path = model(DEAD.format(kind=kind))
    best = "" if kind == "dtmc" else "max"
    asked = [f'R{{"steps"}}{best}=? [ C ]', f'R{{"steps"}}{best}=? [ C<=5 ]']
    asked += [f'R{{"states"}}{best}=? [ C<=5 ]', f'R{{"states"}}{best}=? [ C ]']
    *finite, endless = (one.answer for one in check(path, *asked, exact=True))
    assert [a.exact for a in finite] == [1, 1, 5]
    assert endless.value == float("inf")


def test_paths_and_the_interpreter_agree_about_deadlocks(model):
    path = model(DEAD.format(kind="dtmc"))
    assert estimate(path, 'R{"steps"}=? [ C<=5 ]', games=100)[0].value.value == 1
    assert estimate(path, 'R{"states"}=? [ C<=5 ]', games=100)[0].value.value == 5
    process = reference_process(read_program(path), [(0,), (1,)], Silent())
    earned = process.rewards["steps"].choice
    assert [earned.fraction(i) for i in range(2)] == [1, 0]


TWO = """mdp
module a  x : [0..1] init 0;  [go] x=0 -> (x'=1);  [] x=1 -> true;  endmodule
module b  y : [0..1] init 0;  [go] y=0 -> (y'=1);  [] y=1 -> true;  endmodule
"""


@pytest.mark.parametrize(
    ("more", "where"),
    [
        ('rewards "r" [gone] true : 1; endrewards', 'rewards "r"'),
        ("rewards [stop] true : 1; endrewards", "rewards"),
        ("system a |[stop]| b endsystem", "system … endsystem"),
        ("system (a || b) / {stop} endsystem", "system … endsystem"),
        ("system (a || b) {stop<-go} endsystem", "system … endsystem"),
    ],
)
def test_a_name_that_is_no_action_is_refused(model, more, where):
    with pytest.raises(OddsmithError, match="There is no action") as error:
        check(model(TWO + more + "\n"), "P=? [ F x=1 ]")
    assert f"which {where} names" in str(error.value)


def test_names_that_system_gives_are_actions(model):
    path = model(
        TWO + "system (a || b) {go<-went} endsystem\nrewards [went] true : 3; endrewards\n"
    )
    assert check(path, "Rmax=? [ F x=1 ]", exact=True)[0].answer.exact == Fraction(3)
