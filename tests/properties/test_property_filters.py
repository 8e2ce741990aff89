"""Filters: one answer out of many."""

from fractions import Fraction

import pytest
from tests.properties.tiny import die, f, maze

from oddsmith.errors import OddsmithError
from oddsmith.properties.check import check
from oddsmith.questions import limits


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("filter(min, P=? [ F s=7 ], s=1 | s=3)", f(1, 3)),
        ("filter(max, P=? [ F s=7 ], s<7)", f(2, 3)),
        ("filter(sum, P=? [ F s=7 ], s<2)", f(1, 2)),
        ("filter(+, s)", 78),
        ("filter(avg, P=? [ F s=7 ], s<2)", f(1, 4)),
        ("filter(count, P>=1/3 [ F s=7 ])", 3),
        ("filter(first, P=? [ F s=7 ], s>2)", f(2, 3)),
        ("filter(state, P=? [ F s=7 ], s=1)", f(1, 3)),
        ('filter(state, P=? [ F s=7 ], "init")', f(1, 6)),
        ("filter(min, s, s>3) + 1", 5),
        ("P=? [ F s = 7 * filter(count, s=0) ]", f(1, 6)),
        ("filter(sum, s, s>20)", 0),
    ],
)
def test_numbers(text, expected):
    assert check(die(), text, exact=True).answer.exact == expected
    bounds = check(die(), text).answer
    assert bounds.lower <= expected <= bounds.upper
    assert bounds.upper - bounds.lower < 1e-8


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('filter(forall, P>=1 [ F "done" ])', True),
        ('filter(&, "even" => "done")', True),
        ("filter(exists, P>=0.9 [ F s=7 ], s<7)", False),
        ("filter(|, s=3)", True),
        ("filter(state, P>=1/6 [ F s=7 ], s=0)", True),
        ("filter(first, s=1, s>0)", True),
        ("filter(forall, s=9, s>20)", True),
        ("!filter(exists, s=3)", False),
        ("P>=1/6 [ F filter(argmax, P=? [ F s=7 ]) ]", True),
    ],
)
def test_truth_values(text, expected):
    assert check(die(), text).answer is expected


def test_range():
    found = check(die(), "filter(range, P=? [ F s=7 ], s<2)", exact=True)
    assert (found.answer.low.exact, found.answer.high.exact) == (f(1, 6), f(1, 3))
    assert str(found).endswith("[1/6, 1/3]")
    assert [(e["end"], e["exact"]) for e in found.entries()] == [
        ("least", "1/6"),
        ("greatest", "1/3"),
    ]
    with pytest.raises(OddsmithError, match="stands alone"):
        check(die(), "1 + filter(range, s)")


def test_states_with_the_least_and_greatest_value():
    found = check(die(), "filter(argmax, P=? [ F s=7 ], s<7)", exact=True)
    assert [(where, one.exact) for where, one in found.answer] == [("s=3", f(2, 3))]
    least = check(maze(), "filter(argmin, s*s - 2*s)")
    assert [(where, one.exact) for where, one in least.answer] == [("s=1", Fraction(-1))]


def test_ties_are_decided_by_fractions_or_said(monkeypatch):
    text = "filter(argmax, P=? [ F s=8 | s=10 ], s=1 | s=2)"
    assert [where for where, _ in check(die(), text).answer] == ["s=1", "s=2"]
    assert check(die(), text).notes == ()
    monkeypatch.setattr(limits, "DECIDED_IN_FRACTIONS", 0)
    found = check(die(), text)
    assert [where for where, _ in found.answer] == ["s=1", "s=2"]
    assert any("may share" in note for note in found.notes)


def test_printing():
    found = check(die(), "filter(print, P=? [ F s=7 ])", exact=True)
    expected = [("s=0", f(1, 6)), ("s=1", f(1, 3)), ("s=3", f(2, 3)), ("s=7", 1)]
    assert [(where, one.exact) for where, one in found.answer] == expected
    everything = check(die(), 'filter(printall, "done", s>5)')
    assert everything.answer == (("s=6", False), *((f"s={i}", True) for i in range(7, 13)))


def test_nothing_to_print_is_said():
    """A question is never without a line: not at the terminal, not in JSON."""
    for text in ("filter(print, s=99, s<3)", "filter(printall, P=? [ F s=7 ], s>20)"):
        found = check(die(), text)
        assert found.answer == ()
        assert found.lines() == [("", "no state to print")]
        assert str(found) == f"{text}: no state to print"
        (entry,) = found.entries()
        assert (entry["state"], entry["value"], entry["note"]) == (None, None, "no state to print")


def test_sets_without_states():
    with pytest.raises(OddsmithError, match="no state"):
        check(die(), "filter(min, s, s>20)")
    with pytest.raises(OddsmithError, match="no state"):
        check(die(), "filter(argmin, s, s>20)")
    with pytest.raises(OddsmithError, match="these are 13"):
        check(die(), "filter(state, s)")
