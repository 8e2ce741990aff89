"""What a file says is what the model was: every format is read back, by us and by Storm."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from exchange_cases import process_of_game, processes, quickly
from grind.round_trip import FILES, ODD, arrived, compare, trip
from grind.tally import Tally
from hypothesis import given
from hypothesis import strategies as st

from oddsmith import check
from oddsmith.errors import LimitError, OddsmithError, OptionError
from oddsmith.model.amounts import Amounts, Rewards
from oddsmith.model.formats import read, write
from oddsmith.model.formats.guards import exactly
from oddsmith.model.formats.numerals import decimal, parse
from oddsmith.model.model import Model
from oddsmith.model.variables import Layout, Valuations, Variable
from oddsmith.properties.ask import load

SUFFIXES = (".drn", ".umb", ".prism", ".tra")
EXACTLY = {".tra": {"fractions": True}}

SIXTH = """
dtmc
module m
  s : [0..2] init 0;
  [] s=0 -> 1/6 : (s'=1) + 5/6 : (s'=2);
  [] s>0 -> true;
endmodule
rewards "r" s=0 : 1/3; endrewards
"""
TWO_STARTS = """
dtmc
module m
  x : [0..3];
  y : [0..3];
  [] true -> true;
endmodule
init (x=0&y=0)|(x=3&y=3) endinit
rewards "r" true : x; endrewards
"""
DEADLOCK = """
dtmc
module m
  a : [-3..0] init 0;
  e : bool init true;
  [] a=0 & e -> 1/8 : (a'=-2) & (e'=false) + 7/8 : (a'=-3) & (e'=false);
  [] a=-3 & !e -> 5/11 : (a'=0) & (e'=true) + 1/11 : (a'=-2) + 5/11 : (a'=-1) & (e'=true);
  [] a=-1 & e -> (a'=0) & (e'=true);
endmodule
rewards "q"
  [] a=0 : 3;
  [] a=-3 : 3;
  [] a=-1 : 1/7;
  a=0 : 1/3;
  a=-3 : 1/3;
endrewards
"""
LIVE = """@type: DTMC
@value_type: double
@parameters

@reward_models

@nr_states
2
@nr_choices
2
@model
state 0 init deadlock
\taction 0
\t\t1 : 1
state 1 goal
\taction 0
\t\t1 : 1
"""
STEPS = """
dtmc
module m
  s : [0..2] init 0;
  [] s<2 -> 1/2 : (s'=s+1) + 1/2 : true;
  [] s=2 -> true;
endmodule
"""
ONE = STEPS + 'rewards "r" s<2 : 7; endrewards\n'
TWO = STEPS + 'rewards "p" s<2 : 1; endrewards rewards "q" s<2 : 2; endrewards\n'


def process(text):
    return load(text).process


def number(path, text):
    """The one answer of a file, as a fraction."""
    (found,) = check(path, text, exact=True)
    return found.answer.exact


def exported(model, path):
    return write(model, path, **EXACTLY.get(path.suffix, {}))


# Any process, any names ------------------------------------------------------------------------

hows = st.fixed_dictionaries(
    {
        "names": st.integers(0, 1 << 16),
        "initial": st.lists(st.integers(0, 5), max_size=3),
        "dead": st.lists(st.integers(0, 5), max_size=2),
    }
)


@pytest.mark.parametrize("file", range(len(FILES)), ids=FILES)
def test_every_format_is_read_back(file):
    """Odd names, several initial states, deadlocks real and called so, in everything there is."""

    @quickly
    @given(processes(distinct=True, stuck=True), hows)
    def check(model, how):
        tally = Tally()
        with trip(model, how | {"file": file}, tally):
            pass
        assert not tally.differences

    check()


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", ODD)
def test_a_name_is_read_back(tmp_path, suffix, name):
    """Each odd name as that of a label, a reward, an action and a variable."""
    model = process(SIXTH)
    goal = model.valuations.column(0) == 1
    layout = type(model.valuations.layout)([replace(model.valuations.variables[0], name=name)])
    model = replace(
        model,
        labels=model.labels | {name: goal},
        rewards={name: model.rewards["r"]},
        actions=(name,),
        names=replace(model.valuations, layout=layout),
    )
    path = tmp_path / f"m{suffix}"
    notes = exported(model, path)
    after = load(path).process
    tally = Tally()
    compare(arrived(model, after, path), tally)
    assert not tally.differences
    label = next(n for n in after.labels if n not in ("init", "deadlock"))
    assert label == name or any("is called" in note for note in notes)


def test_questions_of_games_and_their_files(tmp_path):
    """The same answers from the game and from each of its files, in fractions."""
    for name, rules in (("left-center-right", {}), ("pig", {"goal": 3})):
        game = process_of_game(name, **rules)
        who = "<<player1>> Pmax" if game.kind == "smg" else "P"
        asked = [f'{who}=? [ F "win1" ]', f'{who}=? [ F<=5 "over" ]']
        truth = [one.answer.exact for one in check(game, *asked, exact=True)]
        for suffix in SUFFIXES if game.kind != "smg" else (".umb", ".prism", ".smg"):
            exported(game, tmp_path / f"g{suffix}")
            found = check(tmp_path / f"g{suffix}", *asked, exact=True)
            assert [one.answer.exact for one in found] == truth


# The defects -----------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_two_initial_states_stay_two(tmp_path, suffix):
    exported(process(TWO_STARTS), tmp_path / f"m{suffix}")
    assert number(tmp_path / f"m{suffix}", 'filter(count, "init")') == 2
    assert number(tmp_path / f"m{suffix}", 'filter(sum, x+y, "init")') == 6


@given(st.sets(st.tuples(st.integers(-1, 2), st.integers(0, 1), st.integers(0, 3)), min_size=2))
@quickly
def test_initial_states_are_exactly_those(states):
    """The condition, as our parser understands it, over all values that variables can have."""
    rows = np.array(sorted(states), np.int64)
    variables = [Variable("x", -1, 2), Variable("b", 0, 1, True), Variable("z", 0, 3)]
    text = exactly(variables, list(rows.T), np.arange(len(rows)))
    source = f"dtmc\nmodule m\n x:[-1..2]; b:bool; z:[0..3];\nendmodule\ninit {text} endinit\n"
    found = process(source)
    assert {tuple(found.valuations.values(s)) for s in found.initial} == states


def test_initial_states_among_very_many_values(tmp_path):
    """Twelve variables of 51 values each have 3e20 combinations; eleven of them are initial."""
    dice = Random(1)
    columns = [[dice.randrange(51) for _ in range(40)] for _ in range(12)]
    layout = Layout([Variable(f"v{i}", 0, 50) for i in range(12)])
    initial = np.sort(np.array(dice.sample(range(40), 11)))
    model = Model(
        kind="dtmc",
        choice=np.arange(41),
        row=np.arange(41),
        col=((np.arange(40) + 1) % 40).astype(np.int32),
        chances=Amounts.of([1] * 40),
        initial=initial,
        names=Valuations(layout, layout.pack([np.array(c) for c in columns])),
        labels={"init": np.isin(np.arange(40), initial), "deadlock": np.zeros(40, bool)},
    )
    write(model, tmp_path / "m.prism")
    found = load(tmp_path / "m.prism").process
    said = {tuple(found.valuations.values(s)) for s in found.initial}
    assert said == {tuple(c[s] for c in columns) for s in initial}
    assert found.states == 40


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_deadlocks_earn(tmp_path, suffix):
    """185/6, by hand: x = 10/3 + 7/8 (10/3 + 5/11 (x + 1/7 + x)); the deadlock earns nothing."""
    exported(process(DEADLOCK), tmp_path / f"m{suffix}")
    assert number(tmp_path / f"m{suffix}", 'R{"q"}=? [ C ]') == Fraction(185, 6)


def test_a_live_state_called_deadlock_goes_on(tmp_path):
    (tmp_path / "live.drn").write_text(LIVE)
    model = read(tmp_path / "live.drn")
    for suffix in SUFFIXES:
        notes = exported(model, tmp_path / f"m{suffix}")
        assert number(tmp_path / f"m{suffix}", 'P=? [ F "goal" ]') == 1
        label = "deadlock_label" if suffix == ".prism" else "deadlock"
        assert number(tmp_path / f"m{suffix}", f'filter(count, "{label}")') == 1
        assert bool(notes) == (suffix == ".prism")


def test_rewards_of_an_earlier_export_do_not_stay(tmp_path):
    write(process(TWO), tmp_path / "m.tra")
    write(process(ONE), tmp_path / "m.tra")
    assert number(tmp_path / "m.tra", "R=? [ F s=2 ]") == 28
    (note,) = write(process(STEPS), tmp_path / "m.tra")
    assert "m.srew, m.trew" in note
    with pytest.raises(OddsmithError, match="The model has no rewards"):
        check(tmp_path / "m.tra", "R=? [ F s=2 ]")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.lab", "m.sta", "m.tra"]


def test_rewards_of_a_neighbour_are_left_alone(tmp_path):
    """m1.srew is the first structure of m.tra or the only one of m1.tra: the file says which."""
    write(process(ONE), tmp_path / "m1.tra")
    before = {p: p.read_bytes() for p in tmp_path.iterdir()}
    with pytest.raises(OddsmithError, match=r"m1\.srew would hold .* those of m1\.tra"):
        write(process(TWO), tmp_path / "m.tra")
    assert {p: p.read_bytes() for p in tmp_path.iterdir()} == before
    write(process(STEPS), tmp_path / "m.tra")
    assert not read(tmp_path / "m.tra").rewards
    assert list(read(tmp_path / "m1.tra").rewards) == ["r"]


def test_a_neighbour_does_not_take_rewards(tmp_path):
    write(process(TWO), tmp_path / "m.tra")
    write(process(STEPS), tmp_path / "m2.tra")
    assert list(read(tmp_path / "m.tra").rewards) == ["p", "q"]
    assert not read(tmp_path / "m2.tra").rewards


def test_renamed_files_belong_together(tmp_path):
    write(process(TWO), tmp_path / "m.tra")
    for path in list(tmp_path.iterdir()):
        path.rename(path.with_name("n" + path.name[1:]))
    assert list(read(tmp_path / "n.tra").rewards) == ["p", "q"]


def test_rewards_of_another_tool_are_not_removed(tmp_path):
    (tmp_path / "m1.srew").write_text("3 1\n0 5\n")
    with pytest.raises(OddsmithError, match=r"m1\.srew beside it would be read"):
        write(process(ONE), tmp_path / "m.tra")
    assert [p.name for p in tmp_path.iterdir()] == ["m1.srew"]


def test_a_name_for_a_file_beside(tmp_path):
    with pytest.raises(OptionError, match=r"end it in \.tra"):
        write(process(ONE), tmp_path / "m.lab", "explicit")


def test_numbers_beyond_32_bits(tmp_path):
    """Refused where they could not be read, kept to the last digit where they can."""
    far = 999_999_999_999_999_999
    (tmp_path / "m.tra").write_text("2 2\n0 1 1\n1 1 1\n")
    (tmp_path / "m.sta").write_text(f"(x,y)\n0:(0,{-far})\n1:({(1 << 63) - 1},{far})\n")
    model = read(tmp_path / "m.tra")
    with pytest.raises(LimitError, match=r"x goes from 0 to 9223372036854775807.*32 bits"):
        write(model, tmp_path / "h.prism")
    assert not (tmp_path / "h.prism").exists()
    for suffix in (".drn", ".umb", ".tra"):
        exported(model, tmp_path / f"h{suffix}")
        found = read(tmp_path / f"h{suffix}").valuations
        assert found.values(0) == [0, -far]
        assert found.values(1) == [(1 << 63) - 1, far]


@pytest.mark.parametrize("bound", [(1 << 31) - 1, 1 - (1 << 31)])
def test_numbers_of_32_bits(tmp_path, bound):
    source = STEPS.replace(
        "s : [0..2]", f"y : [{min(bound, 0)}..{max(bound, 0)}] init 0;\n s:[0..2]"
    )
    source = source.replace("(s'=s+1)", f"(s'=s+1) & (y'={bound})")
    write(process(source), tmp_path / "m.prism")
    assert number(tmp_path / "m.prism", f"P=? [ F y={bound} ]") == 1


def test_decimals_say_that_they_are(tmp_path):
    """1/6 is no decimal: whoever writes one says so, and so does whoever reads it."""
    (note,) = write(process(SIXTH), tmp_path / "m.tra")
    assert "1/6 is written as 0.16666666666666666" in note
    said = str(check(tmp_path / "m.tra", "P=? [ F s=1 ]", exact=True))
    assert "without rounding" not in said
    assert "decimals such as 0.16666666666666666: they are taken as they stand" in said
    for suffix in SUFFIXES:
        assert exported(process(SIXTH), tmp_path / f"e{suffix}") == ()
        (one,) = said = check(tmp_path / f"e{suffix}", "P=? [ F s=1 ]", exact=True)
        assert one.answer.exact == Fraction(1, 6)
        assert "exact: fractions, without rounding" in str(said)


def test_decimals_that_are_exact_need_no_word(tmp_path):
    assert write(process(ONE), tmp_path / "m.tra") == ()
    assert "without rounding" in str(check(tmp_path / "m.tra", "P=? [ F s=2 ]", exact=True))


def test_floats_say_that_they_are(tmp_path):
    model = process(SIXTH)
    floats = replace(model, chances=Amounts.of_floats(model.chance.floats))
    write(floats, tmp_path / "m.umb")
    assert "floating-point numbers" in " ".join(read(tmp_path / "m.umb").notes)


@given(st.fractions(0, 10**20) | st.fractions(0, 1, max_denominator=64).map(lambda x: x / 10**30))
@quickly
def test_a_decimal_is_exact_or_the_nearest_float(value):
    found = parse(decimal(value))
    assert found == value or float(found) == float(value)
    if 10**20 % value.denominator == 0:
        assert found == value
    tiny = value / 10**310
    assert abs(parse(decimal(tiny)) - tiny) <= tiny / 10**15


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_long_fractions(tmp_path, suffix):
    """Some hundred digits to the last one; thousands are refused where they are written."""
    model = process(SIXTH)
    for digits in (12, 25, 290) if suffix == ".prism" else (12, 25, 320, 3_900):
        tiny = Fraction(1, 10**digits + 7)
        chances = {Fraction(1, 6): tiny, Fraction(5, 6): 1 - tiny}
        exact = [chances.get(x, x) for x in model.chance.exact]
        values = np.array([float(x) for x in exact])
        long = replace(model, chances=Amounts(model.chance.index, values, exact))
        exported(long, tmp_path / f"m{suffix}")
        after = load(tmp_path / f"m{suffix}").process
        tally = Tally()
        compare(arrived(long, after, tmp_path / f"m{suffix}"), tally)
        assert not tally.differences
    if suffix == ".prism":
        tiny = Fraction(1, 10**310)
        small = Amounts.of([1 - tiny, tiny, Fraction(1), Fraction(1)])
        with pytest.raises(LimitError, match="a chance below 1e-300"):
            write(replace(model, chances=small), tmp_path / "m.prism")
    tiny = Fraction(1, 10**4_100)
    longer = replace(model, rewards={"r": Rewards(state=Amounts(
        np.zeros(3, np.int32), np.zeros(1), [tiny]
    ))})  # fmt: skip
    with pytest.raises(LimitError, match="a fraction of some 4,100 digits"):
        exported(longer, tmp_path / f"n{suffix}")


def test_rewards_below_zero(tmp_path):
    model = process(ONE)
    exact = [-x for x in model.rewards["r"].state.exact]
    values = np.array([float(x) for x in exact])
    losing = Rewards(state=Amounts(model.rewards["r"].state.index, values, exact))
    model = replace(model, rewards={"r": losing, "s": model.rewards["r"]})
    for suffix in SUFFIXES:
        notes = exported(model, tmp_path / f"m{suffix}")
        found = load(tmp_path / f"m{suffix}").process
        assert list(found.rewards) == (["s"] if suffix == ".prism" else ["r", "s"])
        assert bool(notes) == (suffix == ".prism")
    with pytest.raises(OddsmithError, match=r'rewards "r" of m\.tra go down to -7'):
        check(tmp_path / "m.tra", 'R{"r"}=? [ F s=2 ]')


def test_a_game_of_one_player_in_umb(tmp_path):
    model = replace(process(SIXTH), kind="smg", players=("red",), owner=np.zeros(3, np.int8))
    (note,) = write(model, tmp_path / "m.umb")
    assert "written as an mdp" in note
    assert read(tmp_path / "m.umb").kind == "mdp"


def test_what_is_not_reached_is_not_in_a_program(tmp_path):
    model = process(TWO_STARTS)
    model = replace(model, initial=model.initial[:1])
    (note,) = write(model, tmp_path / "m.prism")
    assert note == "Not in the program: 1 states that no initial one leads to."
