"""Games as model checkers see them: every state, label, reward and chance."""

from fractions import Fraction

import numpy as np
import pytest

from oddsmith.games import game
from oddsmith.model.explore import explore


def made(name, **options):
    model = explore(game(name, **options))
    return model.unfolded(), model.closed()


@pytest.mark.parametrize(
    ("name", "options", "kind"),
    [
        ("goose", {"players": 2}, "dtmc"),
        pytest.param("chutes-and-ladders", {"players": 3}, "dtmc", marks=pytest.mark.slow),
        ("first-orchard", {}, "mdp"),
        ("pig", {"goal": 10}, "smg"),
        ("macao", {}, "smg"),
    ],
)
def test_a_process_is_its_game(name, options, kind):
    model, process = made(name, **options)
    over = np.diff(model.choice) == 0
    assert process.kind == kind
    assert process.states == model.states
    assert process.choices == model.choices + np.count_nonzero(over)
    assert process.transitions == model.transitions + np.count_nonzero(over)
    sums = np.add.reduceat(process.chance.floats, process.row[:-1])
    assert np.allclose(sums, 1, atol=1e-15, rtol=0)
    for state in np.random.default_rng(1).integers(0, model.states, 50).tolist():
        for k in range(model.choice[state + 1] - model.choice[state]):
            old, new = model.choice[state] + k, process.choice[state] + k
            a, b = process.row[new], process.row[new + 1]
            assert (
                process.col[a:b].tolist() == model.col[model.row[old] : model.row[old + 1]].tolist()
            )
            weights = model.weight[model.row[old] : model.row[old + 1]].tolist()
            total = int(model.total[old])
            assert [process.chance.fraction(t) for t in range(a, b)] == [
                Fraction(w, total) for w in weights
            ]
            assert (
                process.actions[process.action[new]] == model.origin.actions[model.action[old]].name
            )
        if over[state]:
            assert process.col[process.row[process.choice[state]]] == state
            assert process.actions[process.action[process.choice[state]]] == ""


def test_labels():
    model, process = made("pig", goal=10)
    assert set(process.labels) == {"init", "deadlock", "over", "draw", "win1", "win2"}
    assert process.initial.tolist() == np.flatnonzero(process.labels["init"]).tolist()
    assert np.array_equal(process.labels["win1"], model.winners & 1 & (model.winners > 0))
    assert np.array_equal(process.labels["over"], model.labels["over"])
    assert not process.labels["deadlock"].any()


def test_variables_are_the_numbers_of_the_state():
    model, process = made("goose", players=2)
    assert [v.name for v in process.valuations.variables] == ["positions_0", "positions_1", "turn"]
    for state in (0, 17, 4000):
        positions, turn = model.state(state).positions, model.state(state).turn
        assert process.valuations.values(state) == [*positions, turn]
    assert process.describe(0) == "positions_0=0, positions_1=0, turn=0"


def test_rewards():
    _, process = made("coin-race")
    loop = process.labels["over"]
    turns = process.rewards["turns"].choice.floats
    assert np.array_equal(turns == 0, loop)
    assert process.rewards["turns"].state is None


def test_scores_are_earned_on_entering_an_end():
    model, process = made("fast-pig")
    earned = process.rewards["score1"].choice
    for choice in range(process.choices):
        state = process.chooser[choice]
        mean = Fraction(0)
        for t in range(process.row[choice], process.row[choice + 1]):
            target = int(process.col[t])
            if not process.labels["over"][state] and process.labels["over"][target]:
                mean += process.chance.fraction(t) * int(model.scores[target, 0])
        assert earned.fraction(choice) == mean


def test_players_own_the_states():
    model, process = made("pig", goal=10)
    assert process.players == ("player1", "player2")
    assert np.array_equal(process.owner, model.owner)
    turn = process.valuations.column("turn")
    assert np.array_equal(process.owner, turn)
