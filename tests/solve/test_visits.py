"""Visits of places: what a person calls a square is one row, waiting rooms and all."""

from fractions import Fraction

from oddsmith import game, visits
from oddsmith.rules.board.game import board_class

STRAIGHT = """
[board]
finish = 4
dice = { faces = [1] }
players = 1
[squares]
inn = { at = 2, wait = 3 }
"""


def test_an_inn_and_its_waiting_rooms_are_one_place():
    """One step a turn, from 0 to 4: every place is visited once, the inn too."""
    found = visits(board_class("straight.toml", STRAIGHT)()).visits
    assert [visit.where for visit in found] == ["0 (start)", "1", "2 (inn)", "3", "4 (finish)"]
    assert {visit.ever.exact for visit in found} == {Fraction(1)}
    assert all(visit.times.lower <= 1 <= visit.times.upper for visit in found)


def test_places_of_a_board_have_names():
    names = [visit.where for visit in visits(game("goose"), method="float").visits]
    assert len(names) == len(set(names))
    assert {"0 (start)", "19 (inn)", "31 (well)", "63 (finish)"} <= set(names)
    assert "64" not in names


def test_positions_are_still_told_apart_when_asked_for():
    board = board_class("straight.toml", STRAIGHT)()
    named = [visit.where for visit in visits(board, of="positions[0]").visits]
    assert named == [f"positions[0] = {position}" for position in [*range(5), 5, 6, 7]]
