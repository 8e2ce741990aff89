"""Statistical model checking: estimates around the exact answers, tests, refusals, the seed."""

import json
import math
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from tests.rules.prism.random_programs import Writer, program_of

from oddsmith import check
from oddsmith.errors import LimitError, OddsmithError, OptionError
from oddsmith.model.formats import write
from oddsmith.model.prism.explore import explore
from oddsmith.properties.ask import load
from oddsmith.properties.statistical.check_paths import estimate
from oddsmith.rules.prism import parse_program
from oddsmith.solve.simulate import paths
from oddsmith.solve.simulate.statistics import Moments, Test, chance

FIVE_SIGMA = 1 - 5.7e-7
ODDSMITH = [sys.executable, "-c", "from oddsmith.cli import main; main()"]

DIE = """dtmc  // D. Knuth and A. Yao, The complexity of nonuniform random number generation (1976)
module die
  s : [0..7] init 0;
  d : [0..6] init 0;
  [] s=0 -> 0.5 : (s'=1) + 0.5 : (s'=2);
  [] s=1 -> 0.5 : (s'=3) + 0.5 : (s'=4);
  [] s=2 -> 0.5 : (s'=5) + 0.5 : (s'=6);
  [] s=3 -> 0.5 : (s'=1) + 0.5 : (s'=7) & (d'=1);
  [] s=4 -> 0.5 : (s'=7) & (d'=2) + 0.5 : (s'=7) & (d'=3);
  [] s=5 -> 0.5 : (s'=7) & (d'=4) + 0.5 : (s'=7) & (d'=5);
  [] s=6 -> 0.5 : (s'=2) + 0.5 : (s'=7) & (d'=6);
  [] s=7 -> true;
endmodule
label "done" = s=7;
rewards "flips" s<7 : 1; endrewards
"""

# Joints of several parts and several commands a part, overlaps, chances that depend on the state,
# rewards of states and actions, and a deadlock.
MIXED = """dtmc
const int N = 6;
module a
  x : [0..N] init 0;
  [go] x<N -> (x+1)/(N+2) : (x'=x+1) + 1-(x+1)/(N+2) : (x'=max(x-1,0));
  [go] x>2 & x<N -> 1/3 : (x'=N) + 2/3 : true;
  [] x=1 -> (x'=3);
endmodule
module b
  y : [0..5] init 0;
  up : bool init true;
  [go] up & y<5 -> 0.7 : (y'=y+1) + 0.3 : (up'=false);
  [go] !up -> (up'=true);
  [go] y=2 -> (y'=0);
  [alone] x>3 & y<5 -> 0.25 : (y'=y+1) + 0.75 : (y'=y);
endmodule
label "high" = x>=4;
rewards "r" up : y+0.5; x=2 : 3; endrewards
rewards "acts" [go] x<4 : 2; [alone] true : x/7; [] true : 5; endrewards
"""

COUNTERS = """mdp
module m
  x : [0..4] init 0;
  [left] x<4 -> 0.5 : (x'=x+1) + 0.5 : true;
  [right] x<4 -> 0.1 : (x'=4) + 0.9 : true;
  [stay] x=2 -> true;
endmodule
"""


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    file = tmp_path_factory.mktemp("paths") / "mixed.prism"
    file.write_text(MIXED)
    return str(file)


def exact(model, text):
    return check(model, text)[0].answer.value


def agrees(model, text, truth=None, games=40_000, **options):
    """The estimate's interval of five sigma has the exact answer."""
    found = estimate(model, text, games=games, confidence=FIVE_SIGMA, **options)[0]
    truth = exact(model, text) if truth is None else truth
    low, high = found.value.lower, found.value.upper
    if low is None:  # all paths earned the same
        low = high = found.value.value
    assert low - 1e-12 <= truth <= high + 1e-12, text
    assert found.paths == games
    return found


BOUNDED = [
    "P=? [ X x=1 ]",
    "P=? [ X y=0 ]",
    'P=? [ F<=9 "high" ]',
    'P=? [ F[3,8] "high" ]',
    "P=? [ F[4,30] y=5 ]",
    "P=? [ G<=7 x<5 ]",
    "P=? [ G[2,6] x<5 ]",
    "P=? [ x<4 U<=12 y=3 ]",
    "P=? [ x<5 U[2,12] y>=3 ]",
    "P=? [ x<4 W<=12 y=3 ]",
    "P=? [ (y>1) R<=8 (x<5) ]",
    "P=? [ !(F<=9 x=6) ]",
    'P=? [ F<=3 !"init" ]',
    'P=? [ F<=40 "deadlock" ]',
    'R{"r"}=? [ C<=11 ]',
    'R{"acts"}=? [ C<=11 ]',
    'R{"acts"}=? [ C<=300 ]',
    'R{"r"}=? [ I=5 ]',
    'R{"acts"}=? [ I=5 ]',
]


@pytest.mark.parametrize("text", BOUNDED)
def test_estimates_on_a_program_surround_what_check_finds(mixed, text):
    agrees(mixed, text)


@pytest.mark.parametrize("text", BOUNDED)
def test_estimates_on_a_process_surround_what_check_finds(mixed, text):
    process = load(mixed).process
    agrees(process, text, exact(mixed, text))


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed):
    writer = Writer(seed)
    writer.kind, writer.modules = "dtmc", 2
    program = program_of(writer.source())
    process = explore(program, max_states=5000)
    for text in ('P=? [ "l0" U[1,7] "l1" ]', 'P=? [ "l1" W<=5 !"l0" ]', 'P=? [ F<=4 "deadlock" ]'):
        truth = exact(process, text)
        agrees(program, text, truth, games=3000)
        agrees(process, text, truth, games=3000)


def test_unbounded_formulas_are_decided_in_states_that_are_never_left():
    die = parse_program(DIE)
    assert agrees(die, "P=? [ F d=6 ]", 1 / 6, steps=1000).undecided == 0
    agrees(die, 'P=? [ F[3,200] "done" ]', 1.0, steps=1000)
    agrees(die, "P=? [ s<6 U d=3 ]", 1 / 6, steps=1000)
    agrees(die, "P=? [ G d<4 ]", 1 / 2, steps=1000)
    found = agrees(die, 'R=? [ F "done" ]', 11 / 3, steps=1000)
    assert found.steps == pytest.approx(40_000 * 11 / 3, rel=0.05)


def test_undecided_paths_widen_the_interval_both_ways():
    """After four flips 3/4 of all dice are known to be through, 1/8 of all with a six."""
    found = agrees(parse_program(DIE), "P=? [ F d=6 ]", 1 / 6, steps=4)
    assert found.undecided / found.paths == pytest.approx(1 / 4, abs=0.02)
    assert found.value.lower < 1 / 8 < 3 / 8 < found.value.upper
    assert "count both ways" in " ".join(found.notes)


def test_a_mean_with_undecided_paths_is_refused():
    with pytest.raises(LimitError, match="raise --steps"):
        estimate(parse_program(DIE), 'R=? [ F "done" ]', steps=3)


def test_a_goal_that_is_missed_for_ever_makes_a_mean_infinite():
    found = estimate(parse_program(DIE), "R=? [ F d=6 ]", steps=100)[0]
    assert math.isinf(found.value.value)
    assert math.isinf(exact_of(DIE, "R=? [ F d=6 ]"))


def exact_of(text, question):
    return check(explore(parse_program(text)), question)[0].answer.value


def test_modules_are_not_multiplied_out():
    """Eighty coins have 2^80 successors; the number of heads is binomial."""
    coins = "".join(
        f"module c{i}\n x{i} : [0..1] init 0;\n [flip] true -> 0.5 : (x{i}'=1) + 0.5 : (x{i}'=0);\n"
        "endmodule\n"
        for i in range(80)
    )
    heads = "+".join(f"x{i}" for i in range(80))
    model = parse_program(f'dtmc\n{coins}rewards "heads" true : {heads}; endrewards\n')
    agrees(model, "R=? [ I=1 ]", 40.0, games=5000)
    agrees(model, f"P=? [ X {heads}=40 ]", math.comb(80, 40) / 2**80, games=5000)


def test_logarithms_are_walked_in_floating_point():
    model = parse_program(
        "dtmc module m x : [0..2] init 0; "
        "[] x=0 -> log(2,4) : (x'=1) + 1-log(2,4) : (x'=2); endmodule"
    )
    agrees(model, "P=? [ X x=1 ]", math.log(2, 4))


def test_a_random_player_takes_every_choice_as_likely(tmp_path):
    """Against the chain with the choices of each state merged."""
    chain = parse_program(COUNTERS.replace("mdp", "dtmc"))
    mdp = parse_program(COUNTERS)
    for text in ("P=? [ F<=6 x=4 ]", "P=? [ X x=1 ]"):
        truth = check(explore(chain), text)[0].answer.value
        agrees(mdp, text, truth, play="random")
        agrees(explore(mdp), text, truth, play="random")


def test_a_file_of_another_tool_is_walked(tmp_path):
    file = tmp_path / "die.drn"
    write(explore(parse_program(DIE)), file, None)
    agrees(str(file), 'P=? [ F<=4 "done" ]')


def test_a_game_is_walked():
    agrees("coin-race", 'P=? [ F<=6 "over" ]')


def test_paths_depend_on_the_seed_alone(monkeypatch):
    die = parse_program(DIE)
    texts = ["P=? [ F<=5 d=6 ]", 'R=? [ F "done" ]']

    def found(seed=7):
        return [
            (one.value, one.paths, one.steps)
            for one in estimate(die, *texts, games=10_001, seed=seed, steps=500).found
        ]

    first = found()
    assert found() == first
    assert found(8) != first
    monkeypatch.setattr(paths, "WALKERS", 7)
    monkeypatch.setattr(paths, "LEAST", 33)
    monkeypatch.setattr(paths, "MOST", 50)
    assert found() == first


def test_the_half_width_is_reached():
    die = parse_program(DIE)
    found = estimate(die, "P=? [ F<=5 d=6 ]", half_width=0.003)[0]
    assert found.value.upper - found.value.lower <= 0.006
    assert found.paths < 200_000
    mean = estimate(die, 'R=? [ F "done" ]', half_width=0.02, steps=500)[0]
    assert mean.value.upper - mean.value.lower <= 0.04
    with pytest.raises(LimitError, match="cannot be known"):
        estimate(die, "P=? [ F d=6 ]", half_width=0.001, steps=3)


def test_intervals_cover_as_often_as_they_say():
    """Of 300 intervals of 90 %, some 270 have the truth; five standard deviations are 26."""
    die = parse_program(DIE)
    covered = sum(
        one.value.lower <= 1 / 8 <= one.value.upper
        for one in (
            estimate(die, "P=? [ F<=3 d=6 ]", games=500, confidence=0.9, seed=s)[0]
            for s in range(300)
        )
    )
    assert 244 <= covered <= 296


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("P>=0.1 [ F<=3 d=6 ]", True),
        ("P>0.15 [ F<=3 d=6 ]", False),
        ("P<0.15 [ F<=3 d=6 ]", True),
        ("P<=0.1 [ F<=3 d=6 ]", False),
        ("P>=0.85 [ G<=3 d!=6 ]", True),
        ('P>=1 [ F<=100 "done" ]', True),
        ('P>=1 [ F<=3 "done" ]', False),
        ("P>0 [ F<=3 d=6 ]", True),
        ("P<=0 [ F<=2 d=6 ]", True),
        ("P>=0 [ F<=2 d=6 ]", True),
        ("P<=1 [ F<=2 d=6 ]", True),
        ("P<1 [ F<=2 d=6 ]", True),
    ],
)
def test_sequential_tests_decide(text, holds):
    found = estimate(parse_program(DIE), text, confidence=0.999)[0]
    assert found.holds is holds
    assert 0 < found.paths < 50_000


def test_a_test_errs_as_seldom_as_it_says():
    """The chance is 1/8, on the edge of the region of indifference: 5 % wrong answers at most."""
    wrong = 0
    rng = np.random.default_rng(5)
    for _ in range(400):
        test = Test(0.125 + 0.05, 0.05, 0.05)
        while test.above is None:
            test.add((rng.random(500) < 0.125).astype(np.int8))
        wrong += test.above
    assert wrong <= 20 + 22  # five standard deviations


def test_a_test_without_enough_paths_is_undecided():
    found = estimate(parse_program(DIE), "P>=0.125 [ F<=3 d=6 ]", games=300)[0]
    assert found.holds is None
    assert found.shown.startswith("undecided")
    assert found.paths == 300
    hidden = estimate(parse_program(DIE), "P>=0.17 [ F d=6 ]", games=3000, steps=3)[0]
    assert hidden.holds is None  # 1/8 to 3/8 is all that three flips tell


def test_a_bound_on_a_mean_is_compared_with_its_interval():
    die = parse_program(DIE)
    assert estimate(die, 'R>=3.5 [ F "done" ]', steps=500)[0].holds is True
    assert estimate(die, 'R<3.5 [ F "done" ]', steps=500)[0].holds is False
    assert estimate(die, 'R<3.6667 [ F "done" ]', steps=500, games=100)[0].holds is None


def test_statistics_of_batches_are_those_of_the_whole():
    numbers = np.random.default_rng(3).normal(1e6, 1.0, 1000)
    parts, whole = Moments(), Moments()
    for part in np.array_split(numbers, 7):
        parts.add(part)
    whole.add(numbers)
    assert parts.mean == pytest.approx(whole.mean, rel=1e-14)
    assert parts.squares == pytest.approx(whole.squares, rel=1e-9)
    assert parts.squares == pytest.approx(numbers.var() * 1000, rel=1e-6)
    assert chance(0, 0, 10, 1.96).lower == 0.0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("P=? [ F d=6 ]", "--steps"),
        ("P=? [ F<=3 P>0.5 [ X d=6 ] ]", "nested"),
        ("P=? [ F<=3 d=6 || F<=2 s=3 ]", "Conditional"),
        ("S=? [ d=6 ]", "P and R of one path formula"),
        ("R=? [ C ]", "C<=k"),
        ("R=? [ S ]", "C<=k"),
        ("1 + P=? [ X d=6 ]", "P and R of one path formula"),
        ('P=? [ F{"flips"}<=3 d=6 ]', "Bounds on rewards"),
        ("P=? [ F<=3 e=6 ]", "There is no variable"),
        ("P=? [ F<=3 1/d > 2 ]", "In state s=0, d=0"),
    ],
)
def test_what_paths_cannot_answer_is_refused(text, message):
    with pytest.raises(OddsmithError, match=message):
        estimate(parse_program(DIE), text)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("[] true -> 0.5 : (x'=x+1) + 0.5 : (x'=0);", "x would become 4, outside its range"),
        ("[] true -> x/3 : (x'=3) + 0.5 : (x'=0);", "sum to 1/2, not to 1"),
        ("[] true -> 1/(1-x) : (x'=1);", "x=1: .*"),
    ],
)
def test_errors_in_states_are_those_of_exploration(command, message):
    model = parse_program(f"dtmc module m x : [0..3] init 0; {command} endmodule")
    with pytest.raises(OddsmithError, match=message) as explored:
        explore(model)
    with pytest.raises(OddsmithError, match=message) as walked:
        estimate(model, "P=? [ F<=100 false ]")
    assert str(walked.value) == str(explored.value)


def test_a_negative_reward_is_an_error():
    model = parse_program(
        "dtmc module m x : [0..3] init 0; [a] x<3 -> (x'=x+1); endmodule\n"
        'rewards "s" true : 2-x; endrewards rewards "t" [a] true : 1-x; endrewards'
    )
    for text in ('R{"s"}=? [ C<=9 ]', 'R{"s"}=? [ I=9 ]', 'R{"t"}=? [ C<=9 ]'):
        with pytest.raises(OddsmithError, match="below zero"):
            estimate(model, text)


def test_decisions_and_several_starts_are_refused():
    with pytest.raises(OptionError, match="--play random"):
        estimate(parse_program(COUNTERS), "P=? [ F<=3 x=4 ]")
    with pytest.raises(OddsmithError, match="no best choice"):
        estimate(parse_program(COUNTERS), "Pmax=? [ F<=3 x=4 ]", play="random")
    with pytest.raises(OptionError, match="random"):
        estimate(parse_program(COUNTERS), "P=? [ F<=3 x=4 ]", play="optimal")
    several = parse_program("dtmc module m x : [0..3]; [] true -> true; endmodule init x>1 endinit")
    with pytest.raises(OddsmithError, match="2 initial states"):
        estimate(several, "P=? [ X x=3 ]")


@pytest.mark.parametrize(
    "options",
    [{"games": 0}, {"confidence": 1.0}, {"half_width": 0}, {"seed": -1}, {"steps": 0},
     {"indifference": 0.5}],
)  # fmt: skip
def test_options_out_of_range_are_refused(options):
    with pytest.raises(OptionError):
        estimate(parse_program(DIE), "P=? [ X s=1 ]", **options)


def test_equal_rewards_are_told():
    found = estimate(parse_program(DIE), "R=? [ C<=3 ]", games=100)[0]
    assert found.value.value == 3.0
    assert "may not have been seen" in " ".join(found.notes)


# The command line


def run(*arguments, cwd=None):
    return subprocess.run([*ODDSMITH, "simulate", *arguments], capture_output=True, text=True)


def test_the_command_prints_the_entries_of_check_and_more(mixed):
    done = run(mixed, "P=? [ F<=9 x>=4 ]", "P>=0.1 [ F<=9 x>=4 ]", "--games", "5000", "--json")
    assert done.returncode == 0, done.stderr
    found, tested = json.loads(done.stdout)
    checked = json.loads(check(mixed, "P=? [ F<=9 x>=4 ]").to_json())[0]
    assert set(checked) <= set(found)
    assert (found["paths"], found["seed"], found["confidence"]) == (5000, 1, 0.95)
    assert found["lower"] < found["value"] < found["upper"]
    assert tested["holds"] is True


def test_the_command_makes_experiments(tmp_path):
    file = tmp_path / "die.prism"
    file.write_text(DIE)
    props = tmp_path / "die.props"
    props.write_text('const int k;\n"six": P=? [ F<=k d=6 ];\n"end": P=? [ F<=k "done" ];\n')
    done = run(str(file), "--props", str(props), "--property", "six", "--const", "k=3:5")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("six: P=?") == 3
    assert run(str(file)).returncode == 1
    assert "Give a property" in run(str(file)).stderr


@pytest.mark.slow
def test_a_model_without_end_is_interrupted(tmp_path):
    file = tmp_path / "die.prism"
    file.write_text(DIE)
    arguments = ["simulate", str(file), "P=? [ F<=3 d=6 ]", "--half-width", "1e-7", "--json"]
    with subprocess.Popen(
        [*ODDSMITH, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        time.sleep(8)
        os.killpg(process.pid, signal.SIGINT)
        out, error = process.communicate(timeout=60)
    assert process.returncode == 130, error
    (found,) = json.loads(out)
    assert found["interrupted"]
    assert found["lower"] < 1 / 8 < found["upper"]
