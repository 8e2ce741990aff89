"""Models of any kind to answers, in Python and on the command line."""

import csv
import json
import math
from fractions import Fraction

import numpy as np
import pytest

from oddsmith import check, estimate, explore, game, odds
from oddsmith.errors import OddsmithError, OptionError
from oddsmith.model.formats import read, write
from oddsmith.properties.ask import load
from oddsmith.rules.prism import parse_program

WALK = """dtmc
const int N;
const double p = 1/2;
module walk
  x : [0..N] init 1;
  [] x>0 & x<N -> p : (x'=x+1) + 1-p : (x'=x-1);
  [] x=0 | x=N -> true;
endmodule
label "won" = x=N;
rewards "steps" x>0 & x<N : 1; endrewards
"""

CHOICE = """mdp
module m
  s : [0..3] init 0;
  [safe] s=0 -> 1/2 : (s'=1) + 1/2 : (s'=2);
  [bold] s=0 -> 1/3 : (s'=1) + 2/3 : (s'=3);
  [] s>0 -> true;
endmodule
"""


@pytest.fixture
def command(capsys):
    """Run a command in this process; what it prints."""
    from oddsmith.cli import app

    def run(*arguments):
        app(list(arguments), standalone_mode=False)
        return capsys.readouterr().out

    return run


@pytest.fixture
def walk(tmp_path):
    path = tmp_path / "walk.prism"
    path.write_text(WALK)
    return path


@pytest.fixture
def choice(tmp_path):
    path = tmp_path / "choice.nm"
    path.write_text(CHOICE)
    return path


def test_gamblers_ruin_from_a_file(walk):
    """From 1 of N the chance to win is 1/N, the mean duration N - 1 (Feller I, XIV.2)."""
    won, steps = check(
        walk, 'P=? [ F "won" ]', 'R{"steps"}=? [ F x=0 | x=N ]', constants={"N": 7}, exact=True
    )
    assert won.answer.exact == Fraction(1, 7)
    assert steps.answer.exact == 6


def test_a_range_of_constants_is_a_table_of_experiments(walk):
    found = check(walk, 'P=? [ F "won" ]', constants="N=2:5", exact=True)
    assert found.ranged == ("N",)
    assert [one.answer.exact for one in found] == [Fraction(1, n) for n in range(2, 6)]
    assert "4 experiments" in str(found)
    entries = json.loads(found.to_json())
    assert [e["constants"]["N"] for e in entries] == ["2", "3", "4", "5"]


def test_constants_of_properties_do_not_build_the_model_again(walk, tmp_path):
    props = tmp_path / "walk.props"
    props.write_text('const int k;\n"soon": P=? [ F<=k "won" ];\nP>=0.1 [ F "won" ];\n')
    found = check(walk, file=props, constants="N=4,k=1:6", names=["soon"])
    assert len({id(e.loaded.process) for e in found.experiments}) == 1
    values = [one.answer.value for one in found]
    assert values == sorted(values)
    assert len(values) == 6


def test_a_property_beside_a_file_is_asked_once_and_knows_its_names(walk, tmp_path):
    props = tmp_path / "walk.props"
    props.write_text('"sure": P>=1 [ F x=0 | x=N ];\n')
    found = check(walk, 'filter(count, "sure")', file=props, constants="N=3")
    assert [one.text for one in found] == ["P>=1 [ F x=0 | x=N ]", 'filter(count, "sure")']


def test_json_has_the_promised_keys(walk):
    (entry,) = json.loads(check(walk, 'P=? [ F "won" ]', constants="N=3").to_json())
    assert entry.pop("constants") == {"N": "3"}
    promised = ["property", "value", "lower", "upper", "exact", "states", "seconds"]
    evidence = ["transitions", "compile_seconds", "peak_memory_mb", "how", "version", "digest"]
    assert list(entry) == [*promised, "method", *evidence]
    solved = json.loads(odds(game("goose"), method="float", engine="compiled").to_json())
    assert set(evidence) < set(solved)  # as every command says it
    assert entry["method"] == "certified"
    assert entry["lower"] <= 1 / 3 <= entry["upper"]
    assert entry["states"] == 4


def test_a_bounded_property_says_whether_it_holds(walk):
    (entry,) = json.loads(check(walk, 'P>=0.3 [ F "won" ]', constants="N=3").to_json())
    assert entry["holds"] is True
    assert entry["value"] == pytest.approx(1 / 3)


def test_games_are_models_too():
    """Two solvers that share no code: the lattice of a board and the checker of processes."""
    solved = odds(game("goose"))
    won, drawn = check("goose", 'P=? [ F "win1" ]', 'P=? [ F "draw" ]')
    assert solved.win[0].lower <= won.answer.upper
    assert won.answer.lower <= solved.win[0].upper
    assert drawn.answer.lower <= solved.draw.upper
    assert solved.draw.lower <= drawn.answer.upper


def test_a_game_of_two_is_solved_as_optimal_play_is():
    pig = game("pig", goal=12)
    best = odds(pig).win[0]
    (found,) = check(pig, '<<player1>> Pmax=? [ F "win1" ]')
    assert found.answer.lower <= best.upper
    assert best.lower <= found.answer.upper


def test_the_strategy_of_a_property_as_a_table_and_as_a_chain(choice, tmp_path, command):
    out = tmp_path / "best.csv"
    command("check", str(choice), "Pmax=? [ F s=3 ]", "--strategy", str(out))
    (line,) = csv.DictReader(out.read_text().splitlines())
    assert line["action"] == "bold"
    assert line["leads to"] == "s=1 | s=3"
    chain = tmp_path / "best.drn"
    command("check", str(choice), "Pmax=? [ F s=3 ]", "--strategy", str(chain))
    (found,) = check(chain, "P=? [ F s=3 ]", exact=True)
    assert found.answer.exact == Fraction(2, 3)


def test_experiments_are_drawn(walk, tmp_path, command):
    pytest.importorskip("matplotlib")
    out = tmp_path / "plot.png"
    command("check", str(walk), 'P=? [ F "won" ]', "--const", "N=2:6", "--plot", str(out))
    assert out.read_bytes().startswith(b"\x89PNG")


def test_a_game_exported_is_read_back(tmp_path, command):
    out = tmp_path / "orchard.drn"
    text = command("export", "coin-race", "--players", "2", "-o", str(out))
    assert "states" in text
    there = load("coin-race").process
    assert read(out).states == there.states
    source = command("export", "coin-race", "--format", "prism")
    path = tmp_path / "race.prism"
    path.write_text(source)
    ours, theirs = (check(m, 'P=? [ F "win1" ]', exact=True)[0] for m in ("coin-race", path))
    assert ours.answer.exact == theirs.answer.exact


def test_what_is_wrong_is_one_sentence(walk, tmp_path):
    for arguments, says in [
        ({"constants": None}, "N"),
        ({"constants": "N=3,q=1"}, "q"),
        ({"constants": "N=1:100000"}, "experiments"),
    ]:
        with pytest.raises(OddsmithError, match=says):
            check(walk, 'P=? [ F "won" ]', **arguments)
    with pytest.raises(OptionError, match="Check what"):
        check(walk, constants="N=3")
    with pytest.raises(OptionError, match="cannot be read"):
        check(tmp_path / "none.prism", "P=? [ F x=1 ]")
    with pytest.raises(OptionError, match="no constants"):
        check("goose", 'P=? [ F "win1" ]', constants="N=3")
    with pytest.raises(OptionError, match="strategy"):
        check(walk, 'P=? [ F "won" ]', "P=? [ X x=0 ]", constants="N=3", picks=True)


def test_a_process_can_be_checked_itself(walk, tmp_path):
    process = load(walk, {"N": 3}).process
    write(process, tmp_path / "walk.tra")
    (found,) = check(read(tmp_path / "walk.tra"), 'P=? [ F "won" ]')
    assert found.answer.value == pytest.approx(1 / 3, abs=1e-9)


@pytest.mark.parametrize("symmetry", [True, False])
def test_an_explored_game_is_asked_as_the_game_is(symmetry):
    """Two geese: 0.3936… is the published chance of the first, and 0.2264… that nobody wins."""
    model = explore(game("goose"), symmetry=symmetry)
    (won,) = check(model, 'P=? [ F "win1" ]')
    assert won.answer.lower < 0.393625137393757 < won.answer.upper
    assert won.answer.upper - won.answer.lower < 1e-9
    (never,) = check(model, 'P=? [ F "draw" ]')
    assert never.answer.lower < 0.226389550527354 < never.answer.upper


def test_an_explored_program_that_stops_is_closed_as_its_text_is():
    text = """dtmc
    module coin x : [0..2] init 0; [] x=0 -> 1/3 : (x'=1) + 2/3 : (x'=2); endmodule
    label "win1" = x=1;"""
    (chance,) = check(explore(text), 'P=? [ F "win1" ]', exact=True)
    assert chance.answer.exact == Fraction(1, 3)
    (stays,) = check(explore(text), "P=? [ G<=9 x<2 ]", exact=True)
    assert stays.answer.exact == Fraction(1, 3)


OPEN = """dtmc
const int n;
formula far = x>=n;
module walk x : [0..9] init 0; [] x<9 -> 1/2 : (x'=x+1) + 1/2 : true; endmodule
label "win1" = x=9;
"""


@pytest.mark.parametrize("value", [2, "2", "4/2", 2.0, np.int64(2), np.float64(2), Fraction(2)])
def test_constants_are_numbers_of_any_kind(value):
    for ask in (check, odds):
        arguments = ["P=? [ F<=2 far ]"] if ask is check else []
        assert ask(OPEN, *arguments, constants={"n": value})
    (chance,) = check(OPEN, "P=? [ F<=2 far ]", constants={"n": value}, exact=True)
    assert chance.answer.exact == Fraction(1, 4)


@pytest.mark.parametrize("given", [5, ["n"], {"n": None}, {"n": "two"}, {"n": []}, {"n": math.inf}])
def test_other_constants_are_refused_in_a_sentence(given):
    with pytest.raises(OptionError, match=r"[Cc]onstant"):
        check(OPEN, "P=? [ F<=2 far ]", constants=given)
    with pytest.raises(OptionError, match=r"[Cc]onstant"):
        odds(OPEN, constants=given)


@pytest.mark.parametrize("win", [5, [5], {"x": 9}])
def test_a_win_that_is_no_text_is_refused_in_a_sentence(win):
    with pytest.raises(OptionError, match="Winning is a label or a condition"):
        odds(OPEN, constants={"n": 2}, win=win)


def test_a_program_that_has_its_constants_is_not_given_others_in_silence():
    program = parse_program(OPEN, "walk", {"n": 2})
    with pytest.raises(OptionError, match="n cannot be given"):
        check(program, "P=? [ F<=2 far ]", constants={"n": 3})
    (chance,) = check(program, "const int k; P=? [ F<=k far ]", constants={"k": 2}, exact=True)
    assert chance.answer.exact == Fraction(1, 4)


def test_paths_of_a_text_know_its_formulas_and_constants():
    (chance,) = estimate(OPEN, "P=? [ F<=n far ]", constants={"n": 2}, games=5_000)
    assert chance.value.lower < 1 / 4 < chance.value.upper


def test_an_explored_program_is_asked_as_its_text_is():
    """Play is over where somebody has won; the program goes on, and has rewards of its own."""
    text = """dtmc
    module m x : [0..3] init 0;
      [] x=0 -> 1/4 : (x'=1) + 3/4 : (x'=2);
      [] x=1 -> (x'=3);
      [] x=2 -> (x'=2);
      [] x=3 -> (x'=3);
    endmodule
    label "win1" = x=1;
    rewards "steps" x=1 : 5; endrewards"""
    model = explore(text)
    for asked in ("P=? [ F x=3 ]", 'R{"steps"}=? [ C<=9 ]', 'P=? [ F "win1" ]'):
        (given,), (there,) = check(text, asked, exact=True), check(model, asked, exact=True)
        assert there.answer.exact == given.answer.exact
    (later,) = check(model, "P=? [ F x=3 ]", exact=True)
    assert later.answer.exact == odds(model).win[0].exact == Fraction(1, 4)
