"""Coalitions in turn-based games."""

import itertools

import pytest
from tests.properties.property_reference import Reference
from tests.properties.tiny import f, tiny

from oddsmith.errors import OddsmithError
from oddsmith.properties.check import check

OWNER = [0, 1, 0, 1, 0]


def game():
    return tiny(
        [
            [{1: 1}, {2: f(1, 2), 4: f(1, 2)}],
            [{3: f(2, 3), 0: f(1, 3)}, {2: 1}],
            [{3: f(3, 4), 4: f(1, 4)}, {1: f(1, 2), 4: f(1, 2)}],
            [{3: 1}],
            [{4: 1}],
        ],
        kind="smg",
        players=("ann", "bob"),
        owner=OWNER,
        labels={"win": [3], "lose": [4], "end": [3, 4]},
        rewards={"steps": [1, 1, 1, 0, 0]},
    )


def best(process, team, maximise, value):
    """The team picks first, its opponents answer: with memoryless policies this is the value."""
    counts = [len(options) for options in Reference(process).choices]
    ours = [range(c) if OWNER[s] in team else [0] for s, c in enumerate(counts)]
    theirs = [[0] if OWNER[s] in team else range(c) for s, c in enumerate(counts)]
    outer, inner = (max, min) if maximise else (min, max)
    return outer(
        inner(
            value([a if OWNER[s] in team else b for s, (a, b) in enumerate(zip(x, y, strict=True))])
            for y in itertools.product(*theirs)
        )
        for x in itertools.product(*ours)
    )


@pytest.mark.parametrize("team", [("ann",), ("bob",), ("ann", "bob"), ()])
@pytest.mark.parametrize("optimum", ["min", "max"])
def test_values_of_a_game(team, optimum):
    process = game()
    reference = Reference(process)
    numbers = [("ann", "bob").index(name) for name in team]
    win = process.labels["win"].tolist()
    expected = best(
        process,
        numbers,
        optimum == "max",
        lambda policy: reference._until(policy, [True] * 5, win)[0],
    )
    found = check(process, f'<<{",".join(team)}>> P{optimum}=? [ F "win" ]').answer
    assert found.lower <= expected <= found.upper
    by_number = ",".join(str(n + 1) for n in numbers)
    assert check(process, f'<<{by_number}>> P{optimum}=? [ F "win" ]').answer == found
    contrary = {"min": "max", "max": "min"}[optimum]
    lost = check(process, f'<<{",".join(team)}>> P{contrary}=? [ G !"win" ]').answer
    assert lost.lower <= 1 - expected <= lost.upper


@pytest.mark.parametrize("team", [("ann",), ("bob",)])
@pytest.mark.parametrize("optimum", ["min", "max"])
def test_rewards_of_a_game(team, optimum):
    process = game()
    reference = Reference(process)
    numbers = [("ann", "bob").index(name) for name in team]
    end, steps = process.labels["end"].tolist(), process.rewards["steps"].state
    expected = best(
        process,
        numbers,
        optimum == "max",
        lambda policy: reference._reward(policy, lambda s, c: steps.fraction(s), end)[0],
    )
    found = check(process, f'<<{team[0]}>> R{{"steps"}}{optimum}=? [ F "end" ]').answer
    assert found.lower <= expected <= found.upper


def test_bounds_of_a_game():
    process = game()
    least = check(process, '<<ann>> Pmin=? [ F "win" ]').answer.value
    most = check(process, '<<ann>> Pmax=? [ F "win" ]').answer.value
    assert least < most - 0.01
    middle = (least + most) / 2
    assert check(process, f'<<ann>> P>={middle} [ F "win" ]').answer is True
    assert check(process, f'[[ann]] P>={middle} [ F "win" ]').answer is False
    assert check(process, f'<<ann>> P<={middle} [ F "win" ]').answer is True
    assert check(process, f'[[ann]] P<={middle} [ F "win" ]').answer is False


def test_players_by_name():
    with pytest.raises(OddsmithError, match=r"There is no player anne\. Did you mean ann\?"):
        check(game(), '<<anne>> Pmax=? [ F "win" ]')
    with pytest.raises(OddsmithError, match="There is no player 3"):
        check(game(), '<<3>> Pmax=? [ F "win" ]')
    together = check(game(), 'Pmax=? [ F "win" ]')
    assert together.answer == check(game(), '<<*>> Pmax=? [ F "win" ]').answer
    assert any("all players" in note for note in together.notes)
