"""The games of pure chance keep the catalogue's contract."""

from collections import Counter

import numpy as np
import pytest
from tests.games.contract import *  # noqa: F403
from tests.games.contract import cases, made, model_of, name_of

from oddsmith import simulate

CASES = [
    ("chutes-and-ladders", {}),
    ("coin-race", {}),
    ("coin-race", {"players": 3, "goal": 3}),
    ("goose", {}),
    ("goose", {"variant": "one-die"}),
    ("goose", {"maze.goto": 37}),
    ("goose", {"variant": "listing"}),
    ("left-center-right", {"players": 2}),
    ("left-center-right", {}),
    ("snakes-and-ladders", {}),
    ("snakes-and-ladders", {"players": 1}),
]


SLOW = (
    "chutes-and-ladders",
    ("coin-race", {"players": 3, "goal": 3}),
    ("goose", {"variant": "one-die"}),
    ("goose", {"maze.goto": 37}),
    ("goose", {"variant": "listing"}),
    ("left-center-right", {"players": 2}),
    "snakes-and-ladders",
)


@pytest.fixture(params=cases(CASES, SLOW), ids=name_of)
def case(request):
    return request.param


def test_there_is_nothing_to_decide(case):
    model = model_of(case)
    np.testing.assert_array_equal(np.diff(model.choice), model.winners < 0)
    assert model.is_chain


def counts(result):
    """How many games each player won, how many were drawn, and how long they were."""
    games = result.evidence.games
    won = [round(answer.value * games) for answer in (*result.win, result.draw)]
    return won, Counter({k: round(p * games) for k, p in result.distribution})


def test_both_engines_play_the_same_games(case):
    played = [
        simulate(made(case), games=300, seed=3, engine=engine)
        for engine in ("compiled", "interpreted")
    ]
    assert counts(played[0]) == counts(played[1])
    assert sum(counts(played[0])[1].values()) == 300
