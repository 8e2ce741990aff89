"""Numbers at the ends of floating point: bounds that hold, or one sentence."""

from fractions import Fraction

import pytest
from tests.solve.process.all_policies import make

from oddsmith.errors import LimitError
from oddsmith.properties.ask import check as ask
from oddsmith.properties.check import check
from oddsmith.solve.process.aim import Aim
from oddsmith.solve.process.reach import until
from oddsmith.solve.process.steps import cumulative

f = Fraction
RARE, RARER = f(1, 10**40), f(1, 10**280)


def chances(rows, target):
    process, _ = make(rows, [[0] * len(choices) for choices in rows])
    goal = process.choice[:-1] * 0 == 1
    goal[target] = True
    return until(process, ~goal | goal, goal, Aim())


def test_one_state_that_is_seldom_left():
    # 0 is left by chance 2e-280, toward 1 (worth 1e-40) or 3: worth 0.5e-40.
    rows = [
        [{0: 1 - 2 * RARER, 1: RARER, 3: RARER}],
        [{2: RARE, 3: 1 - RARE}],
        [{2: f(1)}],
        [{3: f(1)}],
    ]
    found = chances(rows, 2)
    assert found.lower[0] <= RARE / 2 <= found.upper[0]


def test_a_component_that_is_seldom_left():
    # 0 and 4 are left by chance 2e-280 from 0 only; the worth is the same 0.5e-40.
    rows = [
        [{4: 1 - 2 * RARER, 1: RARER, 3: RARER}],
        [{2: RARE, 3: 1 - RARE}],
        [{2: f(1)}],
        [{3: f(1)}],
        [{0: f(1)}],
    ]
    found = chances(rows, 2)
    assert found.lower[0] <= RARE / 2 <= found.upper[0]
    assert found.lower[4] <= RARE / 2 <= found.upper[4]


def test_a_sum_beyond_floats_is_not_infinite():
    process, rewards = make([[{0: f(1)}]], [[10**300]])
    found = cumulative(process, rewards, 200, Aim())
    assert found.lower[0] <= 2 * 10**302 <= found.upper[0]
    process, rewards = make([[{0: f(1)}]], [[10**308]])
    found = cumulative(process, rewards, 200, Aim())
    assert found.lower[0] < float("inf") == found.upper[0]


DRN = """@type: DTMC
@parameters

@reward_models
r
@nr_states
3
@model
state 0 [0] init
	action 0 [0]
		1 : {chance}
		2 : {rest}
state 1 [{reward}] goal
	action 0 [0]
		2 : 1
state 2 [0]
	action 0 [0]
		2 : 1
"""


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("digits", [320, 400])
def test_a_chance_that_floats_round_is_refused(tmp_path, exact, digits):
    # 1e-320 has three digits as a double, 1e-400 none: "certified" was 0 and 9.99988e-21.
    path = tmp_path / "tiny.drn"
    path.write_text(DRN.format(chance=f"1e-{digits}", rest="0." + "9" * digits, reward="1e300"))
    for question in ('P=? [ F<=1 "goal" ]', 'P=? [ F "goal" ]', 'R{"r"}=? [ I=1 ]'):
        with pytest.raises(LimitError, match=r"has a chance below 1e-300"):
            ask(path, question, exact=exact)


@pytest.mark.parametrize("exact", [False, True])
def test_a_reward_beyond_floats_is_refused_where_it_is_asked_for(tmp_path, exact):
    # R [ C<=3 ] was answered inf: it is 5e399.
    path = tmp_path / "great.drn"
    path.write_text(DRN.format(chance="0.5", rest="0.5", reward="1e400"))
    (found,) = ask(path, 'P=? [ F "goal" ]', exact=exact)
    assert found.answer.lower <= 0.5 <= found.answer.upper
    with pytest.raises(LimitError, match=r"has a reward above 1e\+300"):
        ask(path, 'R{"r"}=? [ C<=3 ]', exact=exact)


def test_an_expression_beyond_floats_has_its_fraction():
    process, _ = make([[{0: f(1)}]], [[0]])
    found = check(process, "1e400 + 1")
    assert found.answer.exact == 10**400 + 1
