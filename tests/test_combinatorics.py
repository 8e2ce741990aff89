"""Ranks against brute-force enumeration, `math.comb` and the definition of the order.

Every test runs on the plain functions and on the same functions compiled.
"""

import math
from itertools import combinations, product

import pytest
from grind.alone import Stopped, compiled
from hypothesis import given, settings
from hypothesis import strategies as st

from oddsmith import combinatorics
from oddsmith.errors import OptionError


class Compiled:
    """The functions compiled, for each shape of their arguments; what stops is an error there."""

    def __getattr__(self, name):
        function = getattr(combinatorics, name)

        def call(*arguments):
            try:
                return _compiled(function, tuple(map(shape, arguments)), arguments)(*arguments)
            except Stopped:
                return function(*arguments)

        return call


def shape(argument):
    return len(argument) if isinstance(argument, tuple) else None


KEPT = {}


def _compiled(function, key, arguments):
    if (function, key) not in KEPT:
        KEPT[function, key] = compiled(function, *arguments)
    return KEPT[function, key]


@pytest.fixture(params=["plain", "compiled"])
def c(request):
    return combinatorics if request.param == "plain" else Compiled()


def colexicographic(objects):
    """Sort by the last element, then by the one before it, and so on."""
    return sorted(objects, key=lambda each: each[::-1])


def all_compositions(total, k):
    return [parts for parts in product(range(total + 1), repeat=k) if sum(parts) == total]


def test_binomial_is_the_one_of_the_standard_library(c):
    for n in range(25):
        for k in range(30):
            assert c.binomial(n, k) == c.subsets(n, k) == math.comb(n, k)
    assert c.binomial(5, -1) == c.binomial(-1, 0) == c.binomial(-3, 2) == 0
    assert c.binomial(60, 30) == math.comb(60, 30)  # 60 C(60, 30) is close to 2**63


def test_subsets_are_ranked_in_colexicographic_order(c):
    for n in range(8):
        for k in range(1, 6):
            expected = colexicographic(combinations(range(n), k))
            ranks = range(c.subsets(n, k))
            assert [c.rank_subset(subset) for subset in expected] == list(ranks)
            assert [c.unrank_subset(rank, n, (0,) * k) for rank in ranks] == expected


def test_compositions_are_ranked_by_their_bars(c):
    """In colexicographic order of the sets of bars, the partial sums without the last."""
    for total in range(7):
        for k in range(1, 5):
            expected = sorted(
                all_compositions(total, k),
                key=lambda parts: [sum(parts[:end]) for end in range(len(parts) - 1, 0, -1)],
            )
            ranks = range(c.compositions(total, k))
            assert [c.rank_composition(parts) for parts in expected] == list(ranks)
            assert [c.unrank_composition(rank, total, (7,) * k) for rank in ranks] == expected


def test_compositions_at_most_are_ranked_by_their_sum_first(c):
    for total in range(6):
        for k in range(1, 5):
            size = c.compositions_at_most(total, k)
            found = [c.unrank_composition_at_most(rank, total, (0,) * k) for rank in range(size)]
            brute = [p for p in product(range(total + 1), repeat=k) if sum(p) <= total]
            assert sorted(found) == sorted(brute)
            assert [c.rank_composition_at_most(parts, total) for parts in found] == list(
                range(size)
            )
            sums = [sum(parts) for parts in found]
            assert sums == sorted(sums)


def test_at_most_is_a_composition_with_one_more_part_for_the_slack(c):
    for parts in product(range(4), repeat=3):
        with_slack = (*parts, 9 - sum(parts))
        assert c.rank_composition_at_most(parts, 9) == c.rank_composition(with_slack)


def test_counts_of_compositions(c):
    """C(t+k-1, k-1) compositions and C(t+k, k) of at most t: stars and bars."""
    for total in range(8):
        for k in range(1, 6):
            assert c.compositions(total, k) == math.comb(total + k - 1, k - 1)
            assert c.compositions_at_most(total, k) == math.comb(total + k, k)
    assert (c.compositions(0, 0), c.compositions(3, 0)) == (1, 0)
    assert (c.compositions(-1, 3), c.compositions_at_most(-1, 3)) == (0, 0)


def test_states_of_left_center_right(c):
    """n players with 3 tokens each: n C(4n, n) states, "over 8 million" for seven players."""
    assert [n * c.compositions_at_most(3 * n, n) for n in (2, 3, 7)] == [56, 660, 8_288_280]


@pytest.mark.parametrize("rank", [-1, -100, 10, 1000])
def test_a_rank_out_of_range_is_refused(c, rank):
    with pytest.raises(OptionError, match="out of range"):
        c.unrank_subset(rank, 5, (0, 0))
    with pytest.raises(OptionError, match="out of range"):
        c.unrank_composition(rank, 3, (0, 0, 0))
    with pytest.raises(OptionError, match="out of range"):
        c.unrank_composition_at_most(rank, 3, (0, 0))


def test_parts_that_sum_to_more_than_the_total_are_refused(c):
    with pytest.raises(OptionError, match="more than the total"):
        c.rank_composition_at_most((2, 2), 3)


def test_the_empty_tuple_is_the_only_one_of_its_kind():
    """In plain Python; Numba has no loop over a tuple of length 0."""
    assert combinatorics.rank_subset(()) == 0
    assert combinatorics.unrank_subset(0, 5, ()) == ()
    assert combinatorics.rank_composition(()) == 0
    assert combinatorics.unrank_composition(0, 0, ()) == ()


@given(st.sets(st.integers(0, 2000), min_size=1, max_size=20))
def test_large_subsets_come_back(elements):
    """Ranks far beyond 64 bits: plain Python has no limit."""
    subset = tuple(sorted(elements))
    rank = combinatorics.rank_subset(subset)
    assert rank == sum(math.comb(element, j + 1) for j, element in enumerate(subset))
    assert combinatorics.unrank_subset(rank, 2001, subset) == subset


@given(st.lists(st.integers(0, 30), min_size=1, max_size=8))
def test_compositions_come_back(parts):
    parts = tuple(parts)
    total = sum(parts)
    rank = combinatorics.rank_composition(parts)
    assert 0 <= rank < combinatorics.compositions(total, len(parts))
    assert combinatorics.unrank_composition(rank, total, parts) == parts
    rank = combinatorics.rank_composition_at_most(parts, total + 5)
    assert combinatorics.unrank_composition_at_most(rank, total + 5, parts) == parts


@settings(deadline=None)  # the first example waits for the compiler
@given(st.integers(0, 200), st.data())
def test_compiled_equals_plain_up_to_the_documented_limit(total, data):
    n, k = total + 10, 10
    assert n * math.comb(n, k) < 2**63
    rank = data.draw(st.integers(0, combinatorics.compositions(total, k) - 1))
    parts = Compiled().unrank_composition(rank, total, (0,) * k)
    assert parts == combinatorics.unrank_composition(rank, total, (0,) * k)
    assert Compiled().rank_composition(parts) == rank
