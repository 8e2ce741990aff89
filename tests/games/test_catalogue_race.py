"""Jeopardy race games keep the catalogue's contract, and that of decisions."""

import pytest
from tests.games.contract import *  # noqa: F403
from tests.games.contract import cases, name_of
from tests.games.decisions import *  # noqa: F403

CASES = [
    ("big-pig", {"goal": 6, "beyond": 4}),
    ("farkle", {"goal": 200}),
    ("frey", {"goal": 6, "beyond": 4}),
    ("hog", {"goal": 12, "most": 5}),
    ("pass-the-pigs", {"goal": 12}),
    ("pig", {"goal": 12}),
    ("pig", {"goal": 8, "players": 3}),
    ("pig", {"goal": 8, "ending": "equal-turns", "beyond": 6}),
    ("pig", {"goal": 8, "ending": "one-more", "ties": "shared", "beyond": 6}),
    ("pig-dice", {"goal": 12, "ending": "first"}),
    ("piggy", {"goal": 12, "dice": "sicherman"}),
    ("piglet", {"goal": 5}),
    ("two-dice-pig", {"goal": 12}),
]


@pytest.fixture(
    params=cases(
        CASES,
        slow=(
            "big-pig",
            "farkle",
            "frey",
            "hog",
            "pass-the-pigs",
            ("pig", {"goal": 8, "ending": "equal-turns", "beyond": 6}),
            ("pig", {"goal": 8, "ending": "one-more", "ties": "shared", "beyond": 6}),
            "pig-dice",
            "piggy",
            "piglet",
            "two-dice-pig",
        ),
    ),
    ids=name_of,
)
def case(request):
    return request.param
