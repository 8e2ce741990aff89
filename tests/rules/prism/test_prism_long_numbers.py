"""Literals of more digits than 64 bits hold are fractions too, where the model is not large."""

from fractions import Fraction

import pytest

from oddsmith.errors import LimitError, RuleError
from oddsmith.model.prism import long_numbers
from oddsmith.properties.ask import check, load

DIGITS = "0.1234567890123456789012"
LONG = Fraction(1234567890123456789012, 10**22)

MODEL = f"""
{{kind}}
const double p = {DIGITS};
module m
  s : [0..3] init 0;
  [a] s=0 -> p : (s'=1) + 1-p : (s'=2);
  [b] s=1 -> (s'=3);
  [] s=2 -> true;
endmodule
label "near" = s*0.1 <= 0.1000000000000000000000001;
rewards "r"
  s=0 : 0.33333333333333333333333;
  [b] true : {DIGITS};
endrewards
"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "long.prism"

    def write(kind="dtmc", text=MODEL):
        path.write_text(text.format(kind=kind))
        return path

    return write


@pytest.mark.parametrize(("kind", "best"), [("dtmc", ""), ("mdp", "max")])
def test_long_literals_are_fractions(model, kind, best):
    path = model(kind)
    reach, total = check(path, f"P{best}=? [ F s=1 ]", f'R{{"r"}}{best}=? [ C ]', exact=True)
    assert reach.answer.exact == LONG
    assert total.answer.exact == Fraction(33333333333333333333333, 10**23) + LONG * LONG
    rounded = check(path, f"P{best}=? [ F s=1 ]")[0].answer
    assert rounded.lower <= LONG <= rounded.upper


def test_long_literals_are_compared_as_fractions(model):
    """The bound, a hair above it and a hair below; and 0.1 is less than 0.1 and a hair."""
    asked = [
        f"P>={DIGITS} [ F s=1 ]",
        f"P>{DIGITS} [ F s=1 ]",
        f"P<{DIGITS}1 [ F s=1 ]",
        'filter(count, "near")',
        "filter(count, s*0.1 <= 0.1000000000000000000000001)",
    ]
    answers = [one.answer for one in check(model(), *asked, exact=True)]
    assert answers[:3] == [True, False, True]
    assert [one.exact for one in answers[3:]] == [2, 2]


def test_larger_models_are_not_called_exact(model, monkeypatch):
    monkeypatch.setattr(long_numbers, "MOST_STATES", 2)
    path = model()
    with pytest.raises(LimitError, match="leave out --exact"):
        check(path, "P=? [ F s=1 ]", exact=True)
    with pytest.raises(LimitError, match="leave out --exact"):
        check(path, 'R{"r"}=? [ C ]', exact=True)
    found = check(path, "P=? [ F s=1 ]")[0].answer
    assert found.exact is None
    assert found.lower <= LONG <= found.upper


def test_rounding_that_changes_the_rules_is_an_error(model):
    """By fractions s=1 lies below the bound, rounded it is equal to it."""
    path = model(
        text="""{kind}
module m
  s : [0..2] init 1;
  [] s/3 < 0.33333333333333333333334 -> (s'=0);
  [] s/3 >= 0.33333333333333333333334 -> (s'=2);
endmodule
"""
    )
    for exact in (False, True):
        with pytest.raises(RuleError, match="rounding them changes what can happen in s=1"):
            check(path, "P=? [ F s=0 ]", exact=exact)


def test_rounding_in_guards_of_larger_models_is_said(model, monkeypatch):
    monkeypatch.setattr(long_numbers, "MOST_STATES", 2)
    assert long_numbers.ROUNDED in load(model()).process.notes


def test_choices_are_matched_whatever_their_order(model):
    """Native code finds [c1] first, for its guard names a value; the interpreter [c0].

    From x=2 the best way to x=0 is to try [c1] once, then it is over; [c0] waits and earns 1.
    """
    text = """
mdp
module m
  x : [0..2] init 0; t : [0..1] init 0;
  [c0] t=0 -> (x'=2);
  [c1] x=2 & t=0 -> 1e-30 : (x'=1) & (t'=1) + 1-1e-30 : (t'=1);
endmodule
rewards "r" [c0] true : 1; [c1] true : 7; endrewards
"""
    path = model("mdp", text.replace("{", "{{").replace("}", "}}"))
    reach, least = check(path, "Pmax=? [ F x=1 ]", 'R{"r"}min=? [ F t=1 ]', exact=True)
    assert reach.answer.exact == Fraction(1, 10**30)
    assert least.answer.exact == 8
