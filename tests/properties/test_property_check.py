"""Properties of processes whose answers are known by hand."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from tests.properties.tiny import die, f, maze, tiny

from oddsmith.errors import LimitError, OddsmithError
from oddsmith.properties.check import check
from oddsmith.questions import limits


def exactly(process, text):
    found = check(process, text, exact=True).answer
    return found if isinstance(found, bool) or found.exact is None else found.exact


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('P=? [ F "face1" ]', f(1, 6)),
        ('P=? [ F<=3 "done" ]', f(3, 4)),  # six of eight throws of three coins
        ('P=? [ F<=5 "done" ]', f(15, 16)),
        ('P=? [ G !"even" ]', f(1, 2)),
        ("P=? [ X s=1 ]", f(1, 2)),
        ('R{"flips"}=? [ F "done" ]', f(11, 3)),  # Knuth and Yao 1976
        ("R=? [ C ]", f(11, 3)),
        ("R=? [ C<=3 ]", 3),
        ("R=? [ I=3 ]", f(1, 4)),
        ('S=? [ "even" ]', f(1, 2)),
        ("R=? [ S ]", 0),
        ('P=? [ F "face2" || F "even" ]', f(1, 3)),
        ('P=? [ G !"face2" || F "even" ]', f(2, 3)),
        ('P=? [ F "even" || G !"face2" ]', f(2, 5)),
        ('P=? [ F s=1 || G !"face2" ]', f(2, 5)),
        ('P=? [ F s=4 || F "face3" ]', 1),
        ('P=? [ !(F "even") ]', f(1, 2)),
        ('1 - P=? [ F "even" ] * 2', 0),
        ('P=? [ F "face1" ] / P=? [ F "even" ]', f(1, 3)),
        ('max(P=? [ F "face1" ], 1/7, s)', f(1, 6)),
        ('s=0 ? -P=? [ F "face1" ] : 0', f(-1, 6)),
        ("s + 1", 1),
        ('P=? [ F{"flips"}<=3 "done" ]', f(3, 4)),
        ('P=? [ F{"flips"}<3 "done" ]', 0),
        ('P=? [ !"even" U{"flips"}<=4 "face1" ]', f(1, 8)),
    ],
)
def test_a_die_of_coins(text, expected):
    assert exactly(die(), text) == expected
    bounds = check(die(), text).answer
    assert bounds.lower <= expected <= bounds.upper
    assert bounds.upper - bounds.lower < 1e-8


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Pmax=? [ F "goal" ]', f(3, 4)),
        ('Pmin=? [ F "goal" ]', 0),  # stay in 1
        ('Pmax=? [ !s=1 U "goal" ]', f(2, 3)),  # 1/2 out of 3/4
        ('R{"cost"}min=? [ F "end" ]', f(4, 3)),
        ('Pmax=? [ F{"cost"}<=1 "goal" ]', f(1, 2)),
        ('Pmax=? [ F{"cost"}<=3 "goal" ]', f(21, 32)),  # the risk, up to three times
        ('Pmax=? [ F{"cost"}<=4 "goal" ]', f(2, 3)),  # the sure way first: 1/2 + 1/3 of 1/2
    ],
)
def test_a_maze(text, expected):
    assert exactly(maze(), text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P>=1/6 [ F s=7 ]", True),  # the bound is met: only fractions can tell
        ("P>1/6 [ F s=7 ]", False),
        ("P<=1/6 [ F s=7 ]", True),
        ("P<1/6 [ F s=7 ]", False),
        ('P>=1 [ F "done" ]', True),
        ('P<1 [ F "done" ]', False),
        ('P>0 [ G !"done" ]', False),
        ("R<=11/3 [ C ]", True),
        ("R<11/3 [ C ]", False),
        ('P>=0.5 [ F P>=1 [ F "even" ] ]', True),
        ('P>0.5 [ F P>=1 [ F "even" ] ]', False),
        ("P=? [ F s=7 ] = P=? [ F s=8 ]", True),
        ("P=? [ F s=7 ] != 1/6", False),
        ('P>=2/3 [ F "face1" ] | s=0', True),
        ('P>=1/6 [ F "face1" ] <=> s=0', True),
        ('s=0 => P>=0.2 [ F "face1" ]', False),
        ("S>=1/2 [ s=8 | s=10 | s=12 ]", True),
        ("P=? [ F s=7 ] > 0.1 ? true : false", True),
    ],
)
def test_bounds_are_decided_and_never_guessed(text, expected):
    assert check(die(), text).answer is expected
    assert check(die(), text, exact=True).answer is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('P>=0.1 [ F "goal" ]', False),  # for all policies: the least counts
        ('P<=0.75 [ F "goal" ]', True),  # the greatest
        ('P<0.75 [ F "goal" ]', False),
        ('Pmax>=0.75 [ F "goal" ]', True),
        ('Pmin<0.1 [ F "goal" ]', True),
        ('R<=100 [ F "end" ]', False),  # play may stay away for ever
        ('Rmin<=4/3 [ F "end" ]', True),
        ('R>=4/3 [ F "end" ]', True),
    ],
)
def test_bounds_in_a_decision_process(text, expected):
    assert check(maze(), text).answer is expected


def test_a_bounded_property_tells_its_number():
    found = check(maze(), 'Pmax>=0.5 [ F "goal" ]')
    assert found.answer is True
    assert found.value.lower <= 0.75 <= found.value.upper


def test_what_cannot_be_decided_is_an_error(monkeypatch):
    monkeypatch.setattr(limits, "DECIDED_IN_FRACTIONS", 0)
    monkeypatch.setattr(limits, "DECIDED_AT_ONCE", 0)
    with pytest.raises(LimitError, match=r"P>=1/6 cannot be decided in the state s=0.*0\.166"):
        check(die(), "P>=1/6 [ F s=7 ]")
    with pytest.raises(LimitError, match="cannot be decided"):
        check(die(), "P>=1 [ F P>=1/6 [ F s=7 ] ]")
    assert check(die(), "P>=0.16 [ F s=7 ]").answer is True


def test_only_states_that_matter_must_be_decided(monkeypatch):
    monkeypatch.setattr(limits, "DECIDED_IN_FRACTIONS", 0)
    monkeypatch.setattr(limits, "DECIDED_AT_ONCE", 0)
    assert check(die(), "P>=1/3 [ F s=7 ]").answer is False  # open in the state 1, not in 0
    assert check(die(), "s=0 | P>=1/6 [ F s=7 ]").answer is True
    assert check(die(), "s>0 & P>=1/6 [ F s=7 ]").answer is False


def test_infinite_rewards():
    found = check(maze(), 'Rmax=? [ F "goal" ]')
    assert found.answer.value == math.inf
    assert str(found) == 'Rmax=? [ F "goal" ]: inf'
    [entry] = json.loads(json.dumps(found.entries(), allow_nan=False))
    assert entry["value"] == "inf"
    assert check(maze(), 'Rmax>=1000 [ F "goal" ]').answer is True
    assert check(maze(), 'Rmax=? [ F "goal" ]', exact=True).answer.value == math.inf


def test_no_number():
    with pytest.raises(LimitError, match="divides by zero"):
        check(die(), "1 / P=? [ F s>20 ]")
    with pytest.raises(LimitError, match="may divide by zero"):
        check(die(), "1 / (P=? [ F s=7 ] - P=? [ F s=8 ])")
    with pytest.raises(LimitError, match="divides by zero"):
        check(die(), "1 / (P=? [ F s=7 ] - P=? [ F s=8 ])", exact=True)
    with pytest.raises(LimitError, match="divides by zero"):
        check(die(), "P=? [ F s=7 || F s>20 ]")
    with pytest.raises(LimitError, match="does not exist"):
        check(die(), "P>=0.5 [ F s=7 || F s>20 ]")


def test_several_initial_states():
    coin = [[{1: f(1, 2), 2: f(1, 2)}], [{1: 1}], [{2: 1}]]
    process = tiny(coin, initial=(0, 1))
    found = check(process, "P=? [ F s=1 ]", exact=True)
    assert [(where, one.exact) for where, one in found.answer] == [("s=0", f(1, 2)), ("s=1", 1)]
    assert check(process, "P>=1 [ F s=1 ]").answer == (("s=0", False), ("s=1", True))
    assert [entry["state"] for entry in found.entries()] == ["s=0", "s=1"]
    assert "\n  s=1: 1" in str(found)


def test_picks():
    found = check(maze(), 'Pmax=? [ F "goal" ]', picks=True)
    assert found.picks.tolist()[:2] == [0, 2]  # the sure way, onward
    other = check(maze(), 'Pmin=? [ G !"goal" ]', picks=True)
    assert other.picks.tolist()[:2] == [0, 2]


def test_conditional_probabilities_of_a_decision_process():
    """From 0, one choice reaches a with 1/2 and then b with 1/2; the other b alone."""
    process = tiny(
        [
            [{1: f(1, 2), 2: f(1, 2)}, {2: f(1, 4), 4: f(3, 4)}],
            [{3: f(1, 2), 4: f(1, 2)}, {4: 1}],
            [{3: 1}],
            [{3: 1}],
            [{4: 1}],
        ],
        labels={"a": [1], "b": [3]},
    )
    assert exactly(process, 'Pmax=? [ F "a" || F "b" ]') == f(1, 3)
    assert exactly(process, 'Pmin=? [ F "a" || F "b" ]') == 0
    assert exactly(process, 'Pmax=? [ G !"a" || F "b" ]') == 1
    bounds = check(process, 'Pmax=? [ F "a" || F "b" ]').answer
    assert bounds.lower <= f(1, 3) <= bounds.upper
    with pytest.raises(OddsmithError, match="condition is F or U"):
        check(process, 'Pmax=? [ F "a" || G !"b" ]')
    with pytest.raises(OddsmithError, match="without bounds"):
        check(process, 'Pmax=? [ F "a" || F<=3 "b" ]')


def test_paths_of_the_graph():
    process = maze()
    assert check(process, 'E [ F "goal" ]').answer is True
    assert check(process, 'A [ F "goal" ]').answer is False
    assert check(process, "A [ G s<5 ]").answer is True
    assert check(process, "E [ G s<2 ]").answer is True
    assert check(process, "E [ X s=4 ]").answer is True
    assert check(process, "A [ X s=1 ]").answer is False
    assert check(process, 'E [ !(F "end") ]').answer is True
    assert check(process, 'P>=1 [ F E [ X "trap" ] ]').answer is True
    assert check(die(), 'A [ F "done" ]').answer is False  # the coin may never end
    assert check(die(), 'P>=1 [ F "done" ]').answer is True


def test_a_budget_needs_whole_numbers():
    process = tiny([[{1: 1}], [{1: 1}]], rewards={"half": [f(1, 2), 0]})
    with pytest.raises(OddsmithError, match="whole numbers"):
        check(process, 'P=? [ F{"half"}<=3 s=1 ]')


def test_the_answer_as_text():
    assert str(check(die(), '"init" & s=0')) == '"init" & s=0: true'
    found = check(die(), 'P>=0.5 [ F "even" ]', exact=True)
    assert str(found) == 'P>=0.5 [ F "even" ]: true (1/2)'
    assert found.states == 13
    assert found.seconds >= 0
    assert found.how
    assert [(entry["holds"], entry["exact"]) for entry in found.entries()] == [(True, "1/2")]


def test_sets_are_numpy_truth_values():
    process = die()
    assert process.labels["even"].dtype == np.bool_
    assert check(process, 'filter(count, "even")').answer.exact == Fraction(3)


def test_wide_bounds_are_noted(monkeypatch):
    from oddsmith.solve.process import reach
    from oddsmith.solve.process.aim import Values

    wide = Values(np.full(13, 0.25), np.full(13, 0.75))
    assert check(die(), 'P=? [ F "even" ]').notes == ()
    monkeypatch.setattr(reach, "until", lambda *arguments: wide)
    assert any("wider" in note for note in check(die(), 'P=? [ F "even" ]').notes)
    assert any("wider" in note for note in check(die(), 'P>=0.2 [ F "even" ]').notes)
    assert check(die(), 'Pmax=? [ F "even" ]').answer.lower == 0.25
