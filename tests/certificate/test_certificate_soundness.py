"""The checker against all policies of small models: it accepts what is true and nothing else.

Models have loops, end components and dead ends, where vectors that satisfy the equations need not
be the values: a checker without ranks would be fooled.
"""

from __future__ import annotations

import copy
from fractions import Fraction
from math import inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.certificate.small_models import KINDS, Case, number
from tests.solve.process import all_policies as plain

from oddsmith.certificate import checker
from oddsmith.certificate.claim import fraction

QUESTIONS = [
    (kind, sides)
    for kind in KINDS
    for sides in ("max", "min", "two")
    if (kind, sides) != ("total reward", "two")
]


def contains(verdict, truth) -> bool:
    return all(
        number(one.lower) <= x and (one.upper is None or x <= number(one.upper))
        for one, x in zip(verdict.proved, truth, strict=True)
    )


@pytest.mark.parametrize(("kind", "sides"), QUESTIONS)
def test_what_solvers_find_is_proved_and_true(kind, sides):
    for seed in range(20):
        case = Case(seed, kind, sides)
        truth = case.truth()
        for exact in (False, True):
            found = case.certificate(exact).verdict
            assert contains(found, truth), (seed, exact)
            for one, x in zip(found.proved, truth, strict=True):
                if exact:
                    assert number(one.lower) == number(one.upper) == x, seed
                elif x == inf:
                    assert number(one.lower) == inf, seed
                else:
                    assert number(one.upper) - number(one.lower) < 1e-9 * max(1, x), seed


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "sides"), QUESTIONS)
def test_what_solvers_find_is_proved_and_true_in_many_models(kind, sides):
    for seed in range(100, 500):
        case = Case(seed, kind, sides)
        truth = case.truth()
        for exact in (False, True):
            assert contains(case.certificate(exact).verdict, truth), (seed, exact)


def claims_of(vector: list[Fraction], content: dict, side: str) -> dict:
    """A certificate with other bounds on one side, and results that claim them."""
    forged = copy.deepcopy(content)
    claim = forged["claims"][0]
    over = 1
    for x in vector:
        over *= x.denominator
    claim[side] |= {"values": [int(x * over) for x in vector], "over": over}
    claim[side].pop("doubt", None)
    for one in claim["results"]:
        one[side] = fraction(vector[one["state"]])
    return forged


NUDGES = st.sampled_from([Fraction(0), Fraction(1, 7), Fraction(-1, 7), Fraction(1), Fraction(-1)])
VALUES = st.sampled_from([Fraction(0), Fraction(1, 2), Fraction(1), Fraction(3), Fraction(20)])


@settings(max_examples=150)
@given(st.integers(0, 400), st.sampled_from(QUESTIONS), st.data())
def test_whatever_is_accepted_is_true(seed, question, data):
    case = Case(seed, *question)
    truth = case.truth()
    content = case.certificate(True).content
    side = data.draw(st.sampled_from(["lower", "upper"]))
    n = case.n
    if data.draw(st.booleans()):
        constant = data.draw(VALUES)
        vector = [constant] * n
    else:
        finite = [Fraction(100) if x == inf else Fraction(x) for x in truth]
        some = data.draw(st.sets(st.integers(0, n - 1)))
        nudge = data.draw(NUDGES)
        vector = [x + nudge if s in some else x for s, x in enumerate(finite)]
    forged = claims_of(vector, content, side)
    claim = forged["claims"][0]
    if data.draw(st.booleans()):
        claim[side]["rank"] = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    if side == "lower" and "reward" in case.kind and data.draw(st.booleans()):
        endless = data.draw(st.sets(st.integers(0, n - 1), min_size=1))
        ranks = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
        doubts = [data.draw(st.sampled_from([0, 1, 2])) for _ in range(n)]
        claim["lower"]["doubt"] = {"values": doubts, "over": 2, "rank": ranks}
        for s in endless:
            claim["lower"]["values"][s] = "infinite"
            claim["results"][s] |= {"lower": "infinite", "upper": None}
    if claim.get("policy") is not None and data.draw(st.booleans()):
        counts = forged["model"]["choices"]
        claim["policy"] = [data.draw(st.integers(0, k - 1)) for k in counts]
    try:
        verdict = checker.check(forged)
    except checker.Refused:
        return
    assert contains(verdict, truth)


def bootstraps(case: Case) -> list[Fraction]:
    """A solution of the equations that is not the value: endless play taken for the contrary."""

    def worth(picks):
        chain = [case.choices[s][picks[s]] for s in range(case.n)]
        goal = case.barred if case.kind == "until" else case.target
        reached = plain.chain_reach(
            chain, case.target | case.barred, [int(s in goal) for s in range(case.n)]
        )
        if case.kind == "until":
            return [1 - x for x in reached]
        other = case.barred
        worths = [int(s in other) for s in range(case.n)]
        return plain.chain_reach(chain, case.target | case.barred, worths)

    if case.sides == "two":
        return plain.over_two(case.choices, worth, case.senses, max, min)
    return plain.over_policies(case.choices, worth, max if case.sides == "max" else min)


@pytest.mark.parametrize("sides", ["max", "min", "two"])
@pytest.mark.parametrize(("kind", "side"), [("until", "lower"), ("never", "upper")])
def test_solutions_of_the_equations_that_are_not_the_value_are_refused(kind, side, sides):
    fooling = 0
    for seed in range(60):
        case = Case(seed, kind, sides)
        truth, wrong = case.truth(), bootstraps(case)
        if wrong == truth:
            continue
        fooling += 1
        content = case.certificate(True).content
        forged = claims_of(wrong, content, side)
        ranks = [content["claims"][0][side].get("rank", [0] * case.n)]
        ranks += [list(range(case.n)), list(range(case.n))[::-1], [0] * case.n]
        for rank in ranks:
            forged["claims"][0][side]["rank"] = rank
            with pytest.raises(checker.Refused):
                checker.check(forged)
    assert fooling > 10
