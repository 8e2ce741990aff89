"""What every game of decisions must do besides: play optimally, and let policies meet."""

import itertools

import numpy as np
import pytest
from tests.games.contract import check_estimates, made, model_of, odds_of, once

from oddsmith import game, odds, optimal, simulate, tournament
from oddsmith.games import game_class
from oddsmith.policies.policy import named
from oddsmith.policies.table import Table


def policies_of(case):
    return ["random", *game_class(case[0]).named_policies()]


def best_of(case):
    return once((case[0], str(case[1]), "optimal"), lambda: optimal(made(case)))


def test_there_is_something_to_decide(case):
    assert not model_of(case).is_chain
    assert odds_of(case).evidence.decisions > 0


def test_every_policy_names_a_legal_move_in_every_state(case):
    model = model_of(case, symmetry=False)
    states = np.nonzero(np.diff(model.choice) > 1)[0]
    for name in policies_of(case):
        named(made(case), name).decide(model, states)


def test_optimal_play_is_certain_or_says_so(case):
    found = best_of(case)
    assert found.error < 1e-9
    assert len(found) == len(found.worth) == len(found.action)


def test_optimal_play_is_worth_what_its_chain_gives(case):
    """Backward, by the solver of decisions, and forward, by that of chains."""
    found, model = best_of(case), model_of(case)
    if model.scores is not None:
        forward = odds_of(case).score
    elif made(case).players == 1:
        forward = odds_of(case).win
    else:
        result = odds_of(case)
        drawn = (result.draw.lower, result.draw.upper)
        if drawn != (0.0, 0.0) or made(case).options.get("ties") == "shared":
            pytest.skip("what is shared is not told apart by the chances to win")
        forward = result.win
    start = made(case).start()
    for player, answer in enumerate(forward):
        place, seat = found._seat(start, player)
        worth = float(found.worth[place, seat])
        assert answer.lower - 1e-11 <= worth <= answer.upper + 1e-11


def test_nobody_does_better_than_optimal_play(case):
    """In a tournament of two, up to the bounds; alone, against every policy."""
    subject, names = made(case), policies_of(case)
    if subject.players == 2 and not subject.has_score:
        found = tournament(subject, ["optimal", *names], method="certified")
        for name in names:
            against = found["optimal", name]
            assert against.coin.upper >= 0.5 - 1e-9
            # From either seat nobody gets more against optimal play than optimal play does.
            assert found[name, "optimal"].first.lower <= found["optimal", "optimal"].first.upper
            assert found[name, "optimal"].second.lower <= found["optimal", "optimal"].second.upper
        return
    for name, player in itertools.product(names, range(subject.players)):
        play = ["optimal"] * subject.players
        play[player] = name
        other, best = odds(model_of(case), play=play, method="certified"), odds_of(case)
        which = "score" if subject.has_score else "win"
        assert getattr(other, which)[player].lower <= getattr(best, which)[player].upper


def test_simulated_duels_agree_with_solved_ones(case):
    """At 99.99 % confidence, with a seed that was not chosen for its result."""
    for name in policies_of(case)[:3]:
        solved = odds(model_of(case), play=name, method="certified")
        played = simulate(model_of(case), play=name, games=4000, seed=20_261, confidence=0.9999)
        check_estimates(played, solved)


def test_both_engines_play_by_the_same_policies(case):
    """The rules, asked state by state, and the model: estimates of the same truth."""
    subject = made(case)
    for name in policies_of(case)[:2]:
        played = [
            simulate(subject, play=name, games=300, seed=5, engine=engine, confidence=0.99999)
            for engine in ("interpreted", "auto")
        ]
        check_estimates(*played)


def test_a_policy_is_kept_in_a_file(case, tmp_path):
    found = best_of(case)
    found.save(tmp_path / "kept.policy")
    back = Table.load(tmp_path / "kept.policy", made(case))
    model = model_of(case)
    states = np.nonzero(np.diff(model.choice) > 1)[0]
    np.testing.assert_array_equal(back.decide(model, states), found.decide(model, states))
    start = made(case).start()
    assert [a.move for a in back.advice(start)] == [a.move for a in found.advice(start)]


def test_the_game_can_be_asked_by_name(case):
    assert game(case[0], **case[1]) == made(case)
