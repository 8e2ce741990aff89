"""Arithmetic with bounds: the truth stays inside."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsmith.model.amounts import Amounts
from oddsmith.properties import intervals
from oddsmith.solve.process.aim import Values

numbers = st.fractions(min_value=-50, max_value=50, max_denominator=10**6)
chances = st.fractions(min_value=0, max_value=1, max_denominator=10**9)
slack = st.sampled_from([0.0, 1e-12, 1e-3])


def known(x, wide=0.0):
    low, high = intervals.around(x)
    return Values(np.array([low - wide]), np.array([high + wide]))


def holds(values, truth):
    return Fraction(float(values.lower[0])) <= truth <= Fraction(float(values.upper[0]))


@given(numbers, numbers, slack, slack)
def test_sums_and_products(x, y, a, b):
    one, other = known(x, a), known(y, b)
    assert holds(intervals.add(one, other), x + y)
    assert holds(intervals.add(one, intervals.negative(other)), x - y)
    assert holds(intervals.multiply(one, other), x * y)
    assert holds(intervals.smaller(one, other), min(x, y))
    assert holds(intervals.larger(one, other), max(x, y))


@given(numbers, numbers.filter(lambda y: abs(y) > 1), slack, slack)
def test_quotients(x, y, a, b):
    assert holds(intervals.divide(known(x, a), known(y, b)), x / y)


@given(chances)
def test_complements(x):
    low, high = intervals.around(x)
    found = intervals.complement(Values(np.array([low]), np.array([high]), [x]))
    assert holds(found, 1 - x)
    assert found.exact == [1 - x]


def test_complements_that_floats_have():
    for x in (0.0, 0.25, 0.5, 1.0, 0.1, 1e-3):
        found = intervals.complement(Values.known([x]))
        exact = Fraction(1) - Fraction(x) == Fraction(1.0 - x)
        assert (found.lower[0] == found.upper[0]) == exact


@given(numbers, numbers, st.sampled_from([">", ">=", "<", "<=", "=", "!="]))
def test_comparisons_do_not_lie(x, y, relation):
    truth = {
        ">": x > y, ">=": x >= y, "<": x < y, "<=": x <= y, "=": x == y, "!=": x != y,
    }[relation]  # fmt: skip
    everywhere = np.ones(1, bool)
    yes, no = intervals.compared(known(x, 1e-9), relation, known(y), everywhere)
    assert not (no if truth else yes)[0]
    one, other = (intervals.constant(z, 1) for z in (x, y))
    yes, no = intervals.compared(one, relation, other, everywhere)
    assert (bool(yes[0]), bool(no[0])) == (truth, not truth)


def test_division_by_zero():
    one = known(Fraction(1))
    assert np.isnan(intervals.divide(one, known(Fraction(0))).lower[0])
    unknown = intervals.divide(one, known(Fraction(0), 1e-9))
    assert (unknown.lower[0], unknown.upper[0]) == (-math.inf, math.inf)


def test_infinity():
    infinite = Values(np.array([math.inf]), np.array([math.inf]), [math.inf])
    one = intervals.constant(Fraction(1), 1)
    assert intervals.add(infinite, one).lower[0] == math.inf
    assert intervals.add(infinite, one).exact == [math.inf]
    gone = intervals.add(infinite, intervals.negative(infinite))
    assert np.isnan(gone.lower[0])
    assert intervals.divide(one, infinite).upper[0] <= 5e-324


@pytest.mark.parametrize("number", [Fraction(10) ** 400, -(Fraction(10) ** 400)])
def test_numbers_beyond_floats(number):
    low, high = intervals.around(number)
    assert low <= number <= high


def test_amounts():
    found = intervals.of_amounts(Amounts.of([Fraction(1, 3), 2, Fraction(1, 3)]))
    assert found.exact[2] == Fraction(1, 3)
    assert Fraction(float(found.lower[0])) < Fraction(1, 3) < Fraction(float(found.upper[0]))
    rounded = intervals.of_amounts(Amounts.of_floats(np.array([0.1, 0.2])))
    assert rounded.lower[0] < 0.1 < rounded.upper[0]
