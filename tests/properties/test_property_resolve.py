"""Names and types in properties."""

from fractions import Fraction

import pytest
from tests.properties.tiny import die, maze

from oddsmith.errors import OddsmithError
from oddsmith.properties.check import check, check_file
from oddsmith.properties.parse import parse_properties
from oddsmith.rules.prism.expression import Binary, Constant, Read


def rejected(text, process=None, **options):
    with pytest.raises(OddsmithError) as caught:
        check(process or maze(), text, **options)
    return str(caught.value)


def test_constants_come_from_the_file_the_model_and_the_caller():
    text = "const int k; const int twice = 2*k; const double p = 1/2; "
    found = check(die(), text + 'P>=p [ F<=twice "done" ]', given={"k": 2}, exact=True)
    assert found.answer is True
    assert found.value.exact == Fraction(3, 4)
    assert check(die(), "s = N", constants={"N": Fraction(0)}).answer is True
    assert check(die(), "const bool b; b", given={"b": "true"}).answer is True


def test_formulas_of_the_model_and_of_the_file():
    first = Binary("=", Read(0), Constant(Fraction(7)), type="bool")
    found = check(die(), "P=? [ F won ]", formulas={"won": first}, exact=True)
    assert found.answer.exact == Fraction(1, 6)
    text = "formula low = s < 9; P=? [ F low & s > 6 ]"
    assert check(die(), text, exact=True).answer.exact == Fraction(1, 3)


def test_labels_and_properties_by_name():
    text = """
    label "odd" = "face1" | "face3" | "face5";
    "chance": P=? [ F "odd" ];
    "likely": P>=0.5 [ F "odd" ];
    "chance" * 2;
    "likely" & s=0
    """
    found = check_file(die(), text, exact=True)
    assert [one.name for one in found] == ["chance", "likely", "", ""]
    assert found[0].answer.exact == Fraction(1, 2)
    assert found[2].answer.exact == 1
    assert [found[1].answer, found[3].answer] == [True, True]


def test_properties_by_name_or_number():
    text = '"a": s=0; "b": s=1; s=2'
    names = [one.text for one in check_file(die(), text, names=["b", "3"])]
    assert names == ["s=1", "s=2"]
    with pytest.raises(OddsmithError, match="There is no property c"):
        check_file(die(), text, names=["c"])


def test_a_text_may_use_what_a_file_defines():
    file = parse_properties('label "odd" = "face1" | "face3" | "face5"; "half": P>=0.5 [F "odd"]')
    assert check(die(), 'P=? [ F "odd" ]', file=file, exact=True).answer.exact == Fraction(1, 2)
    assert check(die(), '!"half"', file=file).answer is False


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('Pmax=? [ F "gaol" ]', 'There is no label "gaol". Did you mean goal?'),
        ("Pmax=? [ F goal ]", 'goal is a label: write "goal", with quotation marks.'),
        ("Pmax=? [ F t=1 ]", "There is no variable, constant or formula t."),
        ('R{"cots"}min=? [ F s=3 ]', 'There are no rewards "cots". Did you mean cost?'),
        ("R{3}min=? [ F s=3 ]", "numbered from 1 to 2"),
        ("Pmax=? [ F s ]", "F needs a truth value, and this is a whole number."),
        ('Pmax=? [ F s="goal" ]', "= compares a whole number with a truth value."),
        ('"goal" + 1', "+ joins numbers"),
        ('Pmax=? [ "goal" ]', "A path formula is needed"),
        ("P=? [ F s=3 ]", "Say Pmin=? or Pmax=?"),
        ("P>=1.5 [ F s=3 ]", "A probability is from 0 to 1."),
        ("Pmax=? [ F<=s s=3 ]", "A constant is needed here"),
        ("Pmax=? [ F<=1.5 s=3 ]", "A number of steps is a whole number."),
        ("Pmax=? [ F<0 s=3 ]", "A number of steps is not negative."),
        ("Pmax=? [ F<=-1 s=3 ]", "- is not expected here"),
        ("Pmax=? [ F[3,2] s=3 ]", "This interval is empty"),
        ("Pmax=? [ F<=1/0 s=3 ]", "/ is not expected here"),
        ("Pmax=? [ F<=(1/0) s=3 ]", "This divides by zero."),
        ("Pmax=? [ F G s=3 ]", "full LTL"),
        ("Pmax=? [ (F s=3) & (G s<4) ]", "full LTL"),
        ("Rmax=? [ G s=3 ]", "The brackets of R hold"),
        ("Rmax=? [ F<=3 s=3 ]", "The brackets of R hold"),
        ("filter(mim, s)", "There is no filter mim. Did you mean min?"),
        ('filter(min, "goal")', "needs a number"),
        ("filter(forall, s)", "needs a truth value"),
        ("const int k; s=k", "The constant k has no value"),
        ("const int k = 1.5; s=k", "The constant k is an int, and 3/2 is none."),
        ("const int k = m; const int m = k; s=k", "k is defined by itself"),
        ('label "x" = "y"; label "y" = "x"; "x"', '"x" is defined by itself'),
        ('label "goal" = s=1; "goal"', '"goal" is defined already.'),
        ("const int s = 1; s=1", "s is defined already."),
        ("1 + quantile(min k, Pmax>0.5 [ F<=k s=3 ])", "A quantile stands alone"),
        ("quantile(min k, Pmax>0.5 [ F<=k s=k ])", "A quantile needs k once"),
        ("quantile(min k, Pmax=? [ F<=k s=3 ])", "A quantile needs P or R with a bound"),
        ("E [ F<=3 s=3 ]", "E and A take no bounds"),
        ("floor(Pmax=? [ F s=3 ])", "floor of a number that is computed is not supported"),
        ("<<1>> Pmax=? [ F s=3 ]", "The model has no players."),
        ("s=3 U s=4", "U is not expected here"),
        ("!" * 3000 + "true", "nested too deeply"),
    ],
)
def test_errors(text, words):
    assert words in rejected(text)


def test_an_error_points_at_its_place():
    message = rejected('Pmax=? [ F\n  "gaol" ]')
    assert message.splitlines()[1:] == ["  the property:2:3", '    "gaol" ]', "    ^"]


def test_given_values_have_the_right_type():
    assert "is a number, not many" in rejected("const int k; s=k", given={"k": "many"})
    assert "is true or false, not 3" in rejected("const bool b; b", given={"b": 3})
    assert "is an int" in rejected("const int k; s=k", given={"k": 0.5})
