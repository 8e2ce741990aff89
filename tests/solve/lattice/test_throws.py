"""Throws: the written-out chain of a board says the same as the general engine."""

from typing import Any

import pytest

from oddsmith import game, length
from oddsmith.questions.settings import Settings
from oddsmith.solve.lattice import throws
from oddsmith.solve.lattice.values import chances_of_first, values

BOARDS: list[tuple[str, dict[str, Any]]] = [
    ("goose", {}),
    ("goose", {"players": 1}),
    ("goose", {"variant": "one-die"}),
    ("short", {"players": 3}),
    ("snakes-and-ladders", {}),
]


@pytest.mark.parametrize(("name", "options"), BOARDS)
def test_the_distribution_is_that_of_the_general_engine(name: str, options: dict[str, Any]) -> None:
    board: Any = _short(**options) if name == "short" else game(name, **options)
    found = throws.length(board, Settings(), 1e-12)
    known = length(board, engine="interpreted")
    chances = dict(known.distribution)
    assert found.quantiles == known.quantiles
    assert dict(found.distribution).keys() == chances.keys()
    assert max(abs(p - chances[n]) for n, p in found.distribution) < 1e-13


def _short(players: int) -> Any:
    """A board with everything that a lattice has, for three."""
    from oddsmith.rules.board.game import board_class

    text = """
[board]
finish = 12
occupied = "return"
[squares]
inn = { at = 4, wait = 2 }
well = { at = 6, hold = true }
cell = { at = 9, hold = true }
"""
    return board_class("short.toml", text)(players=players)


@pytest.mark.parametrize("players", [1, 2, 3])
def test_chances_of_the_first_are_those_of_all_positions(players: int) -> None:
    board = _short(players)
    found = chances_of_first(board, Settings(tolerance=1e-10))
    known = values(board, Settings()).values
    assert known is not None
    for code, chance in zip(board.track.codes, found, strict=True):
        state = board.State((int(code), *[board.begin] * (players - 1)), 0)
        assert chance == pytest.approx(known[state]["win 1"].value, abs=1e-9)
