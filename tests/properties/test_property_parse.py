"""The property language: what is read, and what is said about what cannot be."""

from fractions import Fraction

import pytest

from oddsmith.errors import OddsmithError
from oddsmith.properties.goals import Cumulative, Instant, LongRun
from oddsmith.properties.parse import only_property, parse_properties
from oddsmith.properties.syntax import Filter, Given, Quantified, Quantile, Question, Temporal
from oddsmith.rules.prism.expression import Binary, Constant, Label, Name, Unary


def only(text):
    return only_property(parse_properties(text, "the property"))


def parsed(text):
    return only(text).expression


def rejected(text):
    with pytest.raises(OddsmithError) as caught:
        parse_properties(text)
    return str(caught.value)


def test_a_property_file():
    file = parse_properties(
        """
        // a comment
        const int k; const double p = 0.5;
        formula near = x < k;
        label "close" = near & y=1;

        "soon": P>=p [ F<=k "close" ];
        R{"cost"}max=? [ F "close" ] // semicolons may be left out
        "soon" & x=1
        """
    )
    assert [(c.name, c.type) for c in file.constants] == [("k", "int"), ("p", "double")]
    assert [name for name, _, _ in file.labels] == ["close"]
    assert [name for name, _, _ in file.formulas] == ["near"]
    assert [p.name for p in file.properties] == ["soon", "", ""]
    assert [p.text for p in file.properties] == [
        'P>=p [ F<=k "close" ]',
        'R{"cost"}max=? [ F "close" ]',
        '"soon" & x=1',
    ]


def test_the_text_of_a_property_is_one_line():
    assert only('P=? [ F // why\n "a" ]').text == 'P=? [ F "a" ]'


@pytest.mark.parametrize(
    ("text", "kind", "optimum", "relation"),
    [
        ("P=? [ F a ]", "P", None, None),
        ("Pmin=? [ F a ]", "P", "min", None),
        ("P max=? [ F a ]", "P", "max", None),
        ("P>=0.5 [ F a ]", "P", None, ">="),
        ("Pmax<0.5 [ F a ]", "P", "max", "<"),
        ("R=? [ F a ]", "R", None, None),
        ("Rmin=? [ F a ]", "R", "min", None),
        ('R{"x"}max=? [ F a ]', "R", "max", None),
        ("R{2}<=3 [ F a ]", "R", None, "<="),
        ("S=? [ a ]", "S", None, None),
        ("Smax=? [ a ]", "S", "max", None),
        ("S>0.1 [ a ]", "S", None, ">"),
        ("LRAmin=? [ a ]", "S", "min", None),
    ],
)
def test_operators(text, kind, optimum, relation):
    found = parsed(text)
    assert isinstance(found, Question)
    assert (found.kind, found.optimum, found.relation) == (kind, optimum, relation)


def test_temporal_operators_bind_least():
    found = parsed("P=? [ a & b U !c | d ]").body
    assert isinstance(found, Temporal)
    assert found.operator == "U"
    assert found.left == Binary("&", Name("a"), Name("b"))
    assert found.right == Binary("|", Unary("!", Name("c")), Name("d"))


def test_nested_temporal_operators_are_read():
    found = parsed("P=? [ F G a ]").body
    assert (found.operator, found.right.operator) == ("F", "G")
    both = parsed("P=? [ (F a) & (G b) ]").body
    assert (both.left.operator, both.right.operator) == ("F", "G")


@pytest.mark.parametrize(
    ("bound", "low", "high", "strict"),
    [
        ("<=3", None, 3, (False, False)),
        ("<3", None, 3, (False, True)),
        (">=3", 3, None, (False, False)),
        (">3", 3, None, (True, False)),
        ("=3", 3, 3, (False, False)),
        ("[2,5]", 2, 5, (False, False)),
        ("<=(2+1)", None, 3, (False, False)),
    ],
)
def test_windows(bound, low, high, strict):
    from oddsmith.properties.constants import constant_value

    (window,) = parsed(f"P=? [ F{bound} x=1 ]").body.windows
    ends = [None if end is None else constant_value(end) for end in (window.low, window.high)]
    assert ends == [low, high]
    assert (window.low_strict, window.high_strict) == strict


def test_a_bound_on_rewards():
    (window,) = parsed('P=? [ a U{"cost"}<=k b ]').body.windows
    assert (window.reward, window.high) == ("cost", Name("k"))


def test_a_bound_ends_before_a_parenthesis():
    found = parsed("P=? [ F<=k (a | b) ]").body
    assert found.windows[0].high == Name("k")
    assert found.right == Binary("|", Name("a"), Name("b"))


def test_goals_of_rewards():
    assert parsed("R=? [ C ]").body == Cumulative(None)
    assert parsed("R=? [ C<=k+1 ]").body == Cumulative(
        Binary("+", Name("k"), Constant(Fraction(1)))
    )
    assert parsed("R=? [ I=3 ]").body == Instant(Constant(Fraction(3)))
    assert parsed("R=? [ S ]").body == LongRun()
    assert parsed("R=? [ LRA ]").body == LongRun()


def test_r_after_a_property_is_a_reward_and_in_brackets_a_release():
    file = parse_properties("P=? [ a R b ]\nR=? [ F b ]")
    assert [p.expression.kind for p in file.properties] == ["P", "R"]
    assert file.properties[0].expression.body.operator == "R"


def test_coalitions():
    found = parsed("<<one, 2>> Pmax=? [ F a ]")
    assert (found.coalition.players, found.coalition.exists) == (("one", "2"), True)
    other = parsed("[[ one ]] R{2}min=? [ F a ]")
    assert (other.coalition.players, other.coalition.exists) == (("one",), False)
    assert parsed("P>=1 [ F P>=0.5 [ X a ]]").body.right.kind == "P"


def test_other_operators():
    assert isinstance(parsed("E [ F a ]"), Quantified)
    assert isinstance(parsed("P=? [ F a || F b ]").body, Given)
    found = parsed('filter(argmax, P=? [ F a ], "init")')
    assert isinstance(found, Filter)
    assert (found.operator, found.states) == ("argmax", Label("init"))
    assert parsed("filter(+, x)").operator == "+"
    quantile = parsed("quantile(min k, P>=0.9 [ F<=k a ])")
    assert isinstance(quantile, Quantile)
    assert (quantile.optimum, quantile.name) == ("min", "k")


def test_questions_in_arithmetic():
    found = parsed("1 - P=? [ F a ] / P=? [ F b ]")
    assert found.operator == "-"
    assert found.right.operator == "/"


def test_names_may_begin_with_the_letters_of_operators():
    assert parsed("P=? [ F Fail & Until=1 ]").body.right.left == Name("Fail")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("P=? F a", 1, "F is not expected here; a path formula stands in brackets"),
        ("P=? [ F a", 1, "ends too early; a closing bracket ] is missing"),
        ("P [ F a ]", 1, "followed by =? or by a bound"),
        ("x=1;\nP=? [ F a && b ]", 2, "write & for and"),
        ("P=? [ F (a || b) ]", 1, "write | for or"),
        ("P=? [ F x==1 ]", 1, "write = for equality"),
        ("P=? [ F 'a' ]", 1, "double quotation marks"),
        ('P=? [ F "a ]', 1, "quotation mark that opens here is not closed"),
        ("P=? [ F a & F b ]", 1, "Put F and what follows it in parentheses"),
        ("const int F;", 1, "F can stand in brackets only"),
        ("const int P;", 1, "P is a word of the property language"),
        ("const int k", 1, "semicolon"),
        ("P=? [ F a ] P=? [ F b ]", 1, "a semicolon or a new line"),
        ("multi(P=? [ F a ], P=? [ F b ])", 1, "several objectives"),
        ("P=? [ F a # b ]", 1, "# is not expected here"),
        ('R{"a"}{"b"}=? [ F a ]', 1, "One reward structure at a time"),
        ('F "a"', 1, "F can stand in brackets only"),
        ("P=? [ F<= a ]", 1, "] is not expected here"),
    ],
)
def test_errors_say_where_and_what(text, line, words):
    message = rejected(text)
    assert words in message
    assert f"the properties:{line}:" in message
    assert message.splitlines()[-1].strip() == "^"
    for internal in ("Token", "RSQB", "Expected one of", "lark"):
        assert internal not in message


def test_one_property_is_one():
    with pytest.raises(OddsmithError, match="not none"):
        only("const int k = 1;")
    with pytest.raises(OddsmithError, match="not 2"):
        only("x=1; x=2")


def test_deep_and_long_texts():
    assert parsed("(" * 5000 + "a" + ")" * 5000) == Name("a")
    assert parsed(" | ".join(["a"] * 5000)).operator == "|"
