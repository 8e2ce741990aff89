"""Visits in fractions: the chance to be somewhere, and how often."""

from fractions import Fraction

import pytest

from oddsmith import game, visits


@pytest.mark.parametrize("players", [1, 2])
def test_exact_visits_are_inside_the_certified_ones(players):
    rules = game("snakes-and-ladders", players=players)
    exact, near = (visits(rules, method=method).visits for method in ("exact", "certified"))
    for one, other in zip(exact, near, strict=True):
        assert one.where == other.where
        for fraction, bounds in ((one.ever, other.ever), (one.times, other.times)):
            assert Fraction(bounds.lower) <= fraction.exact <= Fraction(bounds.upper)


def test_a_way_without_return_is_gone_once():
    """Alone, to two steps: every count of steps is come to once, and surely."""
    found = visits(game("coin-race", players=1), of="steps[0]", method="exact").visits
    assert [v.times.exact for v in found] == [1, 1, 1]
    assert [v.ever.exact for v in found] == [1, 1, 1]


def test_a_race_hands_the_turn_over():
    """Each move but the last hands it over; with 16/3 moves, and the start, that adds up."""
    race = visits(game("coin-race"), of="turn", method="exact").visits
    assert [v.times.exact for v in race] == [Fraction(91, 27), Fraction(80, 27)]
    assert sum(v.times.exact for v in race) == 1 + Fraction(16, 3)
