"""The values of all states in fractions: each solves the equation of its state."""

from fractions import Fraction

import pytest

from oddsmith import explore, game, odds, values
from oddsmith.errors import OptionError


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("coin-race", {}),
        ("left-center-right", {"players": 3, "stake": 2}),
        ("chutes-and-ladders", {}),
        ("piglet", {"goal": 3}),
    ],
)
def test_every_state_is_worth_what_its_move_leads_to(name, options):
    rules = game(name, **options)
    found = values(rules, method="exact", engine="interpreted").values
    start = odds(rules, method="exact", engine="interpreted")
    model = explore(rules, engine="interpreted", symmetry=False)
    first = found[model.state(model.start)]
    assert [first[f"win {i + 1}"].exact for i in range(rules.players)] == [
        answer.exact for answer in start.win
    ]
    assert first["length"].exact == start.duration.exact
    if not model.is_chain:
        return
    for s in range(model.states):
        c = model.choice[s]
        if model.choice[s + 1] == c:
            continue
        here = found[model.state(s)]
        total = Fraction(0)
        for e in range(model.row[c], model.row[c + 1]):
            there = found[model.state(int(model.col[e]))]
            total += Fraction(int(model.weight[e]), int(model.total[c])) * there["win 1"].exact
        assert here["win 1"].exact == total


def test_no_checkpoint():
    with pytest.raises(OptionError, match="no checkpoint"):
        values(game("coin-race"), method="exact", checkpoint="x")
