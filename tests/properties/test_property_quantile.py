"""Quantiles: the least or greatest bound for which a property holds."""

import math

import pytest
from tests.properties.tiny import die, f, maze, tiny

from oddsmith.errors import OddsmithError
from oddsmith.properties.check import check


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The die ends within 3 flips with 3/4, within 5 with 15/16, within 7 with 63/64, …
        ('quantile(min k, P>=0.75 [ F<=k "done" ])', 3),
        ('quantile(min k, P>0.75 [ F<=k "done" ])', 5),
        ('quantile(max k, P<0.75 [ F<=k "done" ])', 2),
        ('quantile(max k, P<=0.75 [ F<=k "done" ])', 4),
        ('quantile(min k, P>=0 [ F<=k "done" ])', 0),
        ('quantile(min k, P>=1 [ F<=k "done" ])', math.inf),  # in the limit only
        ('quantile(min k, P>=0.2 [ F<=k "face1" ])', math.inf),
        ('quantile(min k, P>=1/6 [ F<=k "face1" ])', math.inf),
        ('quantile(max k, P>=0.9 [ F<=k "done" ])', math.inf),
        ('quantile(max k, P>=0.25 [ G<=k !"done" ])', 4),
        ('quantile(max k, P>0.25 [ G<=k !"done" ])', 2),
        ('quantile(max k, P>=0.25 [ !(F<=k "done") ])', 4),
        ('quantile(min k, P>=0.25 [ G<=k !"done" ])', 0),
        ('quantile(max k, P>=0.5 [ F<=k "face1" ])', -math.inf),
        ('quantile(min k, P>=0.99 [ F{"flips"}<=k "done" ])', 9),
        ("quantile(min k, R>=3 [ C<=k ])", 3),
        ("quantile(min k, R>=4 [ C<=k ])", math.inf),
        ('quantile(min k, P>=0.999999 [ true U<=k "done" ])', 21),
    ],
)
def test_the_die(text, expected):
    found = check(die(), text).answer
    assert found.value == expected
    assert found.exact == (expected if math.isfinite(expected) else None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('quantile(min k, Pmax>=0.6 [ F{"cost"}<=k "goal" ])', 2),
        ('quantile(min k, Pmax>=0.6 [ F<=k "goal" ])', 2),
        ('quantile(min k, Pmax>=0.5 [ F<=k "goal" ])', 1),
        ('quantile(min k, P>=0.1 [ F<=k "goal" ])', math.inf),  # some policy stays away
        ('quantile(max k, P<=0.6 [ F<=k "goal" ])', 1),  # holds for all policies
    ],
)
def test_the_maze(text, expected):
    assert check(maze(), text).answer.value == expected


def test_a_bound_that_is_met_at_last():
    line = tiny([[{s + 1: 1}] for s in range(9)] + [[{9: 1}]], rewards={"two": [2] * 9 + [0]})
    assert check(line, "quantile(min k, P>=1 [ F<=k s=9 ])").answer.value == 9
    assert check(line, 'quantile(min k, P>=1 [ F{"two"}<=k s=9 ])').answer.value == 18


def test_every_initial_state_has_its_own():
    line = tiny([[{1: 1}], [{2: 1}], [{2: 1}]], initial=(0, 1))
    found = check(line, "quantile(min k, P>=1 [ F<=k s=2 ])").answer
    assert [(where, one.value) for where, one in found] == [("s=0", 2), ("s=1", 1)]


@pytest.mark.parametrize(
    "text",
    [
        "quantile(min k, P>=0.5 [ F<=3 s=k ])",
        "quantile(min k, P>=0.5 [ F<k s=7 ])",
        "quantile(min k, P>=0.5 [ F>=k s=7 ])",
        "quantile(min k, P>=0.5 [ F<=2*k s=7 ])",
        "quantile(min k, P>=0.5 [ F s=7 ])",
    ],
)
def test_what_is_no_quantile(text):
    with pytest.raises(OddsmithError):
        check(die(), text)


def test_fractions_decide_at_the_bound():
    coin = tiny([[{0: f(1, 2), 1: f(1, 2)}], [{1: 1}]])
    assert check(coin, "quantile(min k, P>=7/8 [ F<=k s=1 ])").answer.value == 3
    assert check(coin, "quantile(min k, P>7/8 [ F<=k s=1 ])").answer.value == 4
