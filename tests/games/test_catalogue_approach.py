"""Games of few turns, of approach and of other decisions keep the catalogue's contract."""

import pytest
from tests.games.contract import *  # noqa: F403
from tests.games.contract import cases, name_of
from tests.games.decisions import *  # noqa: F403

CASES = [
    ("cant-stop", {"sides": 2}),
    ("fast-pig", {"most": 6}),
    ("fast-pig", {"most": 5, "players": 2}),
    ("first-orchard", {"fruit": 2}),
    ("macao", {}),
    ("macao", {"players": 3, "target": 6}),
    ("risk", {"attackers": 4, "defenders": 3}),
    ("shi", {"turns": 2, "cap": 8, "lead": 4}),
    ("sixteen", {"target": 10, "ties": "draw"}),
    ("skunk", {"turns": 2, "cap": 6, "lead": 3}),
    ("think", {"turns": 2, "cap": 15}),
    ("twenty-one", {"target": 12}),
]


@pytest.fixture(
    params=cases(
        CASES,
        slow=("cant-stop", "fast-pig", "macao", "shi", "sixteen", "skunk", "think", "twenty-one"),
    ),
    ids=name_of,
)
def case(request):
    return request.param
