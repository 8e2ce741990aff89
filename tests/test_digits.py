"""Fractions in digits: identities of whole numbers, and expansions that everybody knows."""

import math
import random
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddsmith.errors import OptionError
from oddsmith.results.answer import Answer
from oddsmith.results.digits import (
    FLINT_BITS,
    NumberFormat,
    average,
    continued_fraction,
    continued_text,
    convergents,
    decimal,
    in_full,
    in_lowest_terms,
    read_fraction,
    short_fraction,
)

fractions = st.fractions(max_denominator=10**12) | st.builds(
    Fraction, st.integers(-(10**400), 10**400), st.integers(1, 10**400)
)


def value_of(terms):
    """A continued fraction from its end."""
    value = Fraction(terms[-1])
    for term in reversed(terms[:-1]):
        value = term + 1 / value
    return value


def euclid(a, b):
    """The quotients as school has them."""
    found = []
    while b:
        quotient, rest = divmod(a, b)
        found.append(quotient)
        a, b = b, rest
    return found


# Decimals ------------------------------------------------------------------------------------


@given(fractions, st.integers(0, 60))
def test_a_decimal_is_the_nearest(exact, digits):
    text = decimal(exact, digits)
    _, point, after = text.partition(".")
    assert len(after) == digits
    assert bool(point) == (digits > 0)
    assert abs(Fraction(text) - exact) <= Fraction(1, 2 * 10**digits)


@pytest.mark.parametrize(
    ("exact", "digits", "text"),
    [
        (Fraction(1, 8), 2, "0.12"),  # ties go to the even digit
        (Fraction(3, 8), 2, "0.38"),
        (Fraction(-3, 8), 2, "-0.38"),
        (Fraction(5, 2), 0, "2"),
        (Fraction(7, 2), 0, "4"),
        (Fraction(999, 1000), 2, "1.00"),
        (Fraction(-1, 1000), 2, "0.00"),
        (Fraction(0), 3, "0.000"),
        (Fraction(1, 7), 12, "0.142857142857"),
        (Fraction(22, 7), 12, "3.142857142857"),
    ],
)
def test_decimals_by_hand(exact, digits, text):
    assert decimal(exact, digits) == text


def test_digits_are_those_of_the_repeating_decimal():
    """1/97 repeats after 96 digits, so its thousandth digits are known."""
    assert decimal(Fraction(1, 97), 9600)[2:-1] == (decimal(Fraction(1, 97), 97)[2:98] * 100)[:-1]


def test_a_negative_number_of_digits_is_refused():
    with pytest.raises(OptionError, match="0 digits"):
        decimal(Fraction(1, 3), -1)


# Continued fractions -------------------------------------------------------------------------


@given(fractions)
def test_a_continued_fraction_is_the_number(exact):
    terms = continued_fraction(exact)
    assert value_of(terms) == exact
    assert all(term >= 1 for term in terms[1:])
    assert len(terms) == 1 or terms[-1] > 1


@given(fractions, st.integers(1, 8))
def test_the_first_terms_are_the_first(exact, count):
    assert continued_fraction(exact, count) == continued_fraction(exact)[:count]


def fibonacci(number):
    a, b = 0, 1
    for _ in range(number):
        a, b = b, a + b
    return a


def long_fraction(name):
    """Cases that are hard for an algorithm that looks at the leading halves only."""
    chance, bits = random.Random(63), 4 * FLINT_BITS
    if name == "random":
        return chance.getrandbits(bits), chance.getrandbits(bits) | 1
    if name == "unequal":
        return chance.getrandbits(bits), chance.getrandbits(FLINT_BITS + 7) | 1
    if name == "small over large":
        return 3, chance.getrandbits(bits) | 1
    if name == "golden":
        return fibonacci(bits), fibonacci(bits - 1)
    if name == "next to a whole":
        return 10**9000 * 3 + 1, 10**9000
    terms = [1, 2] * 4000 + [7 ** (FLINT_BITS // 2)] + [3, 1] * 4000 + [2]  # one huge term
    top, bottom = 1, 0
    for term in reversed(terms):
        top, bottom = term * top + bottom, top
    return top, bottom


@pytest.mark.parametrize(
    "name", ["random", "unequal", "small over large", "golden", "next to a whole", "a huge term"]
)
def test_long_fractions_divide_as_school_has_it(name):
    """Halves of halves give the quotients of Euclid's algorithm."""
    top, bottom = long_fraction(name)
    common = math.gcd(top, bottom)
    exact = in_lowest_terms(top // common, bottom // common)
    expected = euclid(top, bottom)
    assert continued_fraction(exact) == expected
    assert continued_fraction(exact, 30) == expected[:30]


def test_continued_fractions_of_known_numbers():
    e = sum((Fraction(1, math.factorial(k)) for k in range(60)), Fraction(0))
    assert continued_fraction(e, 15) == [2, 1, 2, 1, 1, 4, 1, 1, 6, 1, 1, 8, 1, 1, 10]  # Euler
    root = Fraction(math.isqrt(2 * 10**200), 10**100)
    assert continued_fraction(root, 60) == [1] + [2] * 59
    pi = Fraction("3.14159265358979323846264338327950288419716939937510")
    assert continued_fraction(pi, 12) == [3, 7, 15, 1, 292, 1, 1, 1, 2, 1, 3, 1]  # OEIS A001203
    assert [str(x) for x in convergents([3, 7, 15, 1])] == ["3", "22/7", "333/106", "355/113"]


@settings(max_examples=30)
@given(fractions)
def test_convergents_come_from_both_sides(exact):
    near = list(convergents(continued_fraction(exact)))
    assert near[-1] == exact
    for before, after in pairwise(near):
        size = before.denominator * after.denominator
        assert abs(before - after) == Fraction(1, size)
        assert min(before, after) <= exact <= max(before, after)


def test_a_long_continued_fraction_is_cut():
    assert continued_text(Fraction(2)) == "[2]"
    assert continued_text(Fraction(1, 2)) == "[0; 2]"
    assert continued_text(Fraction(fibonacci(40), fibonacci(39)), 4) == "[1; 1, 1, 1, …]"
    twelve = value_of([0] + [1] * 10 + [2])
    assert continued_text(twelve) == "[0; 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2]"


# In full and in short ------------------------------------------------------------------------


@given(fractions)
def test_a_fraction_in_full_is_read_back(exact):
    assert read_fraction(in_full(exact)) == exact


def test_read_fractions_are_in_lowest_terms():
    found = read_fraction("-6/4")
    assert (found.numerator, found.denominator) == (-3, 2)
    assert read_fraction("6/-4") == Fraction(-3, 2)
    with pytest.raises(ValueError, match="zero"):
        read_fraction("1/0")


@settings(max_examples=40)
@given(fractions.filter(lambda x: len(in_full(x)) > 70))
def test_a_short_fraction_begins_as_it_does(exact):
    """Digits are cut off, not rounded: the number lies behind them."""
    text, sizes = short_fraction(exact).split("… ")
    unit = Fraction(10) ** -len(text.partition(".")[2].partition("e")[0])
    unit *= Fraction(10) ** int(text.partition("e")[2] or 0)
    assert 0 <= abs(exact) - abs(Fraction(text)) < unit
    assert (exact < 0) == text.startswith("-")
    top, bottom = abs(exact.numerator), exact.denominator
    assert sizes == f"({len(str(top))} digits / {len(str(bottom))} digits)"


@settings(max_examples=30)
@given(st.lists(fractions, min_size=1, max_size=5))
def test_the_mean_of_fractions(several):
    found = average(several)
    assert found == sum(several, Fraction(0)) / len(several)
    assert math.gcd(found.numerator, found.denominator) == 1


@pytest.mark.parametrize("digits", [270_000])
def test_very_long_fractions_have_all_faces(digits):
    """Python alone refuses to write such numbers; p/q with p = q - 1 is 0.999…"""
    bottom = 10**digits
    exact = in_lowest_terms(bottom - 1, bottom)
    assert decimal(exact, 5) == "1.00000"
    assert decimal(exact, digits) == "0." + "9" * digits
    assert short_fraction(exact) == f"0.999999999999999… ({digits} digits / {digits + 1} digits)"
    assert continued_fraction(exact) == [0, 1, bottom - 1]
    assert read_fraction(in_full(exact)) == exact


# How answers are written -------------------------------------------------------------------------


def test_an_answer_has_faces():
    answer = Answer.of_fraction(Fraction(415, 93))
    assert answer.decimal(4) == "4.4624"
    assert answer.continued_fraction() == [4, 2, 6, 7]
    assert answer.continued_fraction(terms=2) == [4, 2]
    assert [str(near) for near in answer.convergents()] == ["4", "9/2", "58/13", "415/93"]
    assert answer.text(NumberFormat(digits=3)) == "4.462"
    assert answer.to_dict(NumberFormat(digits=3))["decimal"] == "4.462"
    assert answer.to_dict(NumberFormat(continued=True))["continued_fraction"] == "[4; 2, 6, 7]"
    assert set(answer.to_dict()) == {"value", "lower", "upper", "exact"}


def test_an_interval_has_no_exact_face():
    answer = Answer(0.5, 0.4, 0.6)
    for form in (lambda: answer.decimal(3), answer.continued_fraction, answer.convergents):
        with pytest.raises(OptionError, match="not known exactly"):
            form()
    assert "decimal" not in answer.to_dict(NumberFormat(digits=3))
