"""Dice against brute-force enumeration of every throw, and against known facts."""

import copy
import math
import operator
import pickle
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import product as throws

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsmith.dice import Die, coin, d4, d6, d8, d10, d12, d20, pool, product, sicherman
from oddsmith.errors import OptionError

dice = st.dictionaries(st.integers(-9, 9), st.integers(1, 3), min_size=1, max_size=4).map(Die)


def brute(function, *thrown):
    """The distribution of `function` of the faces, by throwing every way there is."""
    counts = Counter()
    listed = [[face for face, weight in die.items() for _ in range(weight)] for die in thrown]
    for faces in throws(*listed):
        counts[function(*faces)] += 1
    return Die(counts)


# What a die is


def test_the_usual_dice():
    for die, sides in [(d4, 4), (d6, 6), (d8, 8), (d10, 10), (d12, 12), (d20, 20)]:
        assert die.faces == tuple(range(1, sides + 1))
        assert die.weights == (1,) * sides
        assert die.total == len(die) == sides
        assert die.mean() == Fraction(sides + 1, 2)
        assert die.variance() == Fraction(sides**2 - 1, 12)
    assert coin.faces == (0, 1)


def test_weights_are_in_lowest_terms_and_faces_in_order():
    die = Die({3: 4, 1: 6, 2: 2})
    assert die.faces == (1, 2, 3)
    assert die.weights == (3, 1, 2)
    assert list(die) == [1, 2, 3]
    assert list(die.items()) == [(1, 3), (2, 1), (3, 2)]
    assert die.total == 6


def test_faces_that_cannot_be_compared_keep_the_order_given():
    assert Die([2, "miss", 1]).faces == (2, "miss", 1)


def test_equal_distributions_are_equal_dice():
    assert Die([1, 1, 2, 2]) == Die([2, 1]) == Die({1: 7, 2: 7}) == Die(Die([1, 2]))
    assert hash(Die([1, 1, 2, 2])) == hash(Die([1, 2]))
    assert Die(["a", 1]) == Die([1, "a"])
    assert hash(Die(["a", 1])) == hash(Die([1, "a"]))
    assert Die([1, 2]) != Die([1, 2, 2])
    assert Die([1, 2]) != (1, 2)


def test_a_copy_keeps_the_weights():
    loaded = Die({1: 1, 6: 5})
    for twin in (Die(loaded), copy.copy(loaded), copy.deepcopy(loaded)):
        assert twin == loaded
        assert twin.weights == (1, 5)


@given(dice)
def test_repr_evaluates_back_and_pickles_come_back(die):
    assert eval(repr(die)) == die
    assert pickle.loads(pickle.dumps(die)) == die


def test_str_is_an_aligned_table():
    assert str(Die({"hit": 1, "critical": 2, "miss": 9})).splitlines() == [
        "    face  weight  fraction  percent",
        "critical       2       1/6   16.67%",
        "     hit       1      1/12    8.33%",
        "    miss       9       3/4   75.00%",
    ]


def test_a_die_never_changes():
    with pytest.raises(AttributeError, match="never changes"):
        d6.faces = (1,)
    with pytest.raises(AttributeError, match="never changes"):
        d6.colour = "red"
    with pytest.raises(AttributeError, match="never changes"):
        del d6._weights
    assert d6 == Die(range(1, 7))


@pytest.mark.parametrize(
    ("faces", "message"),
    [
        ([], "at least one face"),
        ({}, "at least one face"),
        (6, r"Die\(range\(1, 7\)\)"),
        (None, "list of its faces"),
        ({1: 0}, "face 1 must be a positive integer, not 0"),
        ({1: -2}, "positive integer, not -2"),
        ({1: 0.5}, "positive integer, not 0.5"),
        ({1: Fraction(1, 2)}, "positive integer"),
        ({1: "2"}, "positive integer, not '2'"),
        ([[1, 2]], r"\[1, 2\] cannot be a face: it is not hashable"),
    ],
)
def test_what_is_not_a_die_is_refused(faces, message):
    with pytest.raises(OptionError, match=message):
        Die(faces)


# Questions


@given(dice)
def test_probabilities_sum_to_one(die):
    assert sum(die.probability(face) for face in die) == 1


def test_probability_of_a_face_it_has_and_of_one_it_has_not():
    assert Die("aab").probability("a") == Fraction(2, 3)
    assert d6.probability(7) == 0
    assert 6 in d6
    assert 7 not in d6


@given(dice)
def test_mean_and_variance_by_their_definitions(die):
    mean = sum(face * die.probability(face) for face in die)
    assert die.mean() == mean
    assert die.variance() == sum(face**2 * die.probability(face) for face in die) - mean**2


def test_mean_of_words_is_refused():
    with pytest.raises(OptionError, match="'a' is not a finite number"):
        Die("ab").mean()


def test_mean_of_truth_values_is_their_probability():
    assert d6.map(lambda face: face >= 5).mean() == Fraction(1, 3)


def test_map_merges_equal_images():
    assert d6.map(lambda face: face % 3) == Die([0, 1, 2])
    with pytest.raises(OptionError, match="not hashable"):
        d6.map(lambda face: [face])


def test_where_conditions():
    assert (2 * d6).where(lambda total: total >= 11) == Die({11: 2, 12: 1})
    with pytest.raises(OptionError, match="No face"):
        d6.where(lambda face: face > 6)


# Arithmetic


@given(dice, dice)
def test_arithmetic_of_two_dice_is_that_of_every_throw(a, b):
    for function in (operator.add, operator.sub, operator.mul):
        assert function(a, b) == brute(function, a, b)


@given(dice, st.integers(-5, 5))
def test_arithmetic_with_a_number(die, number):
    assert die + number == number + die == brute(lambda face: face + number, die)
    assert die - number == brute(lambda face: face - number, die)
    assert number - die == brute(lambda face: number - face, die)
    assert -die == 0 - die


@given(dice, st.integers(1, 3))
def test_a_number_of_dice_is_their_sum(die, count):
    assert count * die == brute(lambda *faces: sum(faces), *[die] * count)


def test_sums_of_many_dice():
    """Mean and variance of a sum of independent dice are the sums of theirs."""
    many = 100 * d6
    assert (many.faces[0], many.faces[-1]) == (100, 600)
    assert many.total == 6**100
    assert many.mean() == 350
    assert many.variance() == 100 * Fraction(35, 12)
    assert 10 * coin == Die({k: math.comb(10, k) for k in range(11)})


def test_no_dice_and_one_die():
    assert 0 * d6 == Die([0])
    assert 1 * d6 == d6
    assert sum([d6, d6]) == 2 * d6
    assert np.int64(2) * d6 == 2 * d6


@pytest.mark.parametrize("count", [-1, -10])
def test_a_negative_number_of_dice_is_refused(count):
    with pytest.raises(OptionError, match="number of dice"):
        count * d6
    with pytest.raises(OptionError, match="number of dice"):
        d6.pool(count)


def test_die_times_number_says_what_to_write():
    with pytest.raises(TypeError, match=r"`2 \* d6` throws two dice and adds them") as error:
        d6 * 2
    assert "`d6.map(lambda face: 2 * face)`" in str(error.value)


@pytest.mark.parametrize("other", ["a", None, (1,)])
def test_arithmetic_with_anything_else_is_a_type_error(other):
    for function in (operator.add, operator.sub, operator.mul):
        with pytest.raises(TypeError):
            function(d6, other)
        with pytest.raises(TypeError):
            function(other, d6)
    with pytest.raises(TypeError):
        2.5 * d6


def test_sicherman_dice_sum_like_two_dice():
    a, b = sicherman
    assert a + b == 2 * d6
    assert a != d6


# Several dice


@given(dice, st.integers(0, 3))
def test_a_pool_is_every_throw_sorted(die, count):
    assert die.pool(count) == brute(lambda *faces: tuple(sorted(faces)), *[die] * count)


@given(dice, dice, dice)
def test_a_mixed_pool_is_every_throw_sorted(a, b, c):
    sort = lambda *faces: tuple(sorted(faces))  # noqa: E731
    assert pool(a, b, c) == brute(sort, a, b, c)
    assert pool(a, b, a) == brute(sort, a, b, a)


def test_a_pool_tells_three_and_six_from_four_and_five():
    two = d6.pool(2)
    assert len(two) == 21
    assert two.probability((3, 6)) == two.probability((4, 5)) == Fraction(2, 36)
    assert two.probability((3, 3)) == Fraction(1, 36)
    assert two.map(sum) == 2 * d6


def test_pools_enumerate_multisets_not_throws():
    """C(n+5, n) multisets of n d6; five dice of Yahtzee make 252."""
    assert len(d6.pool(5)) == 252
    assert len(d6.pool(15)) == math.comb(20, 5)
    assert len(pool(*[d6] * 10, *[d4] * 2)) == len(
        {tuple(sorted(a + b)) for a in d6.pool(10) for b in d4.pool(2)}
    )
    assert d6.pool(5).probability((1, 2, 3, 4, 5)) == Fraction(math.factorial(5), 6**5)
    assert d6.pool(15).probability((6,) * 15) == Fraction(1, 6**15)


def test_a_pool_of_nothing():
    assert d6.pool(0) == pool() == product() == Die([()])


def test_pools_of_faces_that_cannot_be_compared():
    mixed = Die([1, "a"])
    assert mixed.pool(2) == pool(mixed, mixed) == Die({(1, 1): 1, (1, "a"): 2, ("a", "a"): 1})
    assert pool(Die(["a"]), Die([1])).faces == (("a", 1),)


@given(dice, dice)
def test_product_is_every_throw_in_order(a, b):
    assert product(a, b) == brute(lambda *faces: faces, a, b)


def test_risk_three_against_two():
    """Attacker's three dice against two: 2890, 2611 and 2275 of 7776, as published for Risk."""

    def defender_loses(throw):
        attack, defence = sorted(throw[0])[::-1], sorted(throw[1])[::-1]
        return sum(a > d for a, d in zip(attack, defence, strict=False))

    battle = product(d6.pool(3), d6.pool(2)).map(defender_loses)
    assert battle.total == 7776
    assert battle == Die({2: 2890, 1: 2611, 0: 2275})


# Digest


class Colour(Enum):
    RED = 1


class Silent:
    pass


def test_the_digest_is_a_63_bit_number_of_the_contents():
    assert 0 <= d6.digest < 2**63
    assert d6.digest == d6.digest == Die([1, 2, 3, 4, 5, 6] * 2).digest
    several = [d4, d6, coin, -d6, 2 * d6, d6.pool(2), Die("ab"), Die(["1"]), Die([1]), Die([(1,)])]
    assert len({die.digest for die in several}) == len(several)


def test_equal_dice_have_equal_digests():
    for a, b in [
        (Die([1]), Die([1.0])),
        (Die([1]), Die([True])),
        (Die([0.5]), Die([Fraction(1, 2)])),
        (Die([0.5]), Die([Decimal("0.5")])),
        (Die([math.inf]), Die([Decimal("inf")])),
        (Die([1, "a"]), Die(["a", 1])),
        (Die([(1, 2.0)]), Die([(1.0, 2)])),
        (Die([frozenset("ab")]), Die([frozenset("ba")])),
        (Die([Die([1, "a"])]), Die([Die(["a", 1])])),
    ]:
        assert a == b
        assert a.digest == b.digest


def test_the_digest_is_the_same_in_every_process():
    """A new interpreter hashes strings with another seed."""
    code = (
        "from oddsmith.dice import *;"
        "print(d6.digest, Die([frozenset('abc'), ('x', None), 'y']).digest)"
    )
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    here = Die([frozenset("abc"), ("x", None), "y"])
    assert run.stdout.split() == [str(d6.digest), str(here.digest)]


def test_the_digest_of_d6_does_not_change_from_version_to_version():
    assert d6.digest == 60763596485337169


def test_the_digest_refuses_a_face_that_prints_as_an_address():
    assert Die([Colour.RED]).digest == Die([Colour.RED]).digest
    with pytest.raises(OptionError, match="__repr__"):
        _ = Die([Silent()]).digest


def test_importing_dice_needs_the_standard_library_only():
    code = "import sys, oddsmith.dice; sys.exit(bool({'numpy', 'numba', 'scipy'} & {*sys.modules}))"
    subprocess.run([sys.executable, "-c", code], check=True)
