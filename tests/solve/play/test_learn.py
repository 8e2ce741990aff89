"""Learning by self-play: what is learned is measured exactly against optimal play."""

import numpy as np
import pytest

from oddsmith import OptionError, explore, game, learn, odds, simulate
from oddsmith.ask.learn import measure
from oddsmith.errors import LimitError, RuleError
from oddsmith.policies.learned import Learned
from oddsmith.policies.policy import named
from oddsmith.policies.table import Table

pytestmark = pytest.mark.slow


def test_a_small_game_is_learned_to_the_end():
    piglet = game("piglet", goal=5)
    found = measure(explore(piglet), learn(piglet, games=5000))
    assert found.closed > 0.9999
    assert found.random < found.gets <= found.best + 1e-12


@pytest.mark.slow
def test_pig_is_learned_far_beyond_the_rule_of_thumb():
    pig = game("pig", goal=40)
    model = explore(pig)
    learned = measure(model, learn(pig, games=20_000))
    thumb = measure(model, named(pig, "hold-at-20"))
    assert learned.closed > 0.97
    assert learned.closed > thumb.closed


@pytest.mark.slow
def test_more_games_are_better():
    pig = game("pig", goal=50)
    model = explore(pig)
    few, many = (measure(model, learn(pig, games=games)).closed for games in (20, 5_000))
    assert many > few


@pytest.mark.slow
def test_alone_for_points():
    think = game("think", turns=2, cap=30)
    found = measure(explore(think), learn(think, games=20_000))
    assert found.closed > 0.95


@pytest.mark.slow
def test_three_players():
    pig = game("pig", goal=12, players=3)
    learned = learn(pig, games=5000)
    alone = odds(pig, play=[learned, "random", "random"]).win[0].value
    everybody = odds(pig, play=["random"] * 3).win[0].value
    assert alone > everybody + 0.1


@pytest.mark.slow
def test_states_that_seats_tell_apart():
    """Equal turns: not interchangeable, so states are learned as they are."""
    pig = game("pig", goal=8, ending="equal-turns", beyond=4)
    learned = learn(pig, games=5000)
    assert not learned.relative
    assert measure(explore(pig), learned).closed > 0.95


@pytest.mark.slow
def test_the_same_seed_learns_the_same():
    pig = game("pig", goal=30)
    one, same, other = (learn(pig, games=500, seed=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one.worth, same.worth)
    np.testing.assert_array_equal(one.action, same.action)
    assert len(one) != len(other) or (one.worth != other.worth).any()


@pytest.mark.slow
def test_dice_that_depend_on_the_state():
    farkle = game("farkle", goal=200)
    assert measure(explore(farkle), learn(farkle, games=3000)).closed > 0.9


def test_when_the_table_is_full_states_are_guessed():
    pig = game("pig", goal=30)
    learned = learn(pig, games=3000, states=200)
    assert len(learned) == 200
    assert "guessed" in learned.how[0]
    assert measure(explore(pig), learned).closed > 0.5


def test_it_plays_states_that_it_has_never_met():
    pig = game("pig", goal=30)
    learned = learn(pig, games=5)
    far = pig.State(scores=(29, 29), turn=1, total=0)
    assert pig.actions[learned.move(pig, far)].name in ("roll", "hold")
    assert (
        simulate(pig, play=[learned, "random"], games=200, engine="interpreted").win[0].value > 0.5
    )


def test_it_is_kept_in_a_file(tmp_path):
    pig = game("pig", goal=30)
    learned = learn(pig, games=200)
    learned.save(tmp_path / "learned.policy")
    back = Table.load(tmp_path / "learned.policy", pig)
    assert isinstance(back, Learned)
    model = explore(pig)
    states = np.nonzero(np.diff(model.choice) > 1)[0][::25]
    np.testing.assert_array_equal(back.decide(model, states), learned.decide(model, states))


def test_a_limit_of_seconds():
    learned = learn(game("pig", goal=30), games=10**9, seconds=0.3)
    assert len(learned) > 0


def test_what_cannot_be_learned():
    with pytest.raises(OptionError, match="0"):
        learn(game("pig"), games=0)
    with pytest.raises(OptionError, match="nothing to decide"):
        learn(game("goose"))
    with pytest.raises(OptionError, match="chances"):
        learn(game("pig"), explore=2)
    with pytest.raises(LimitError, match="fewer states"):
        learn(game("pig"), states=10**12)
    with pytest.raises(OptionError, match="one or two players"):
        measure(explore(game("pig", players=3, goal=5)), "random")


def test_rules_that_cannot_be_compiled():
    from typing import NamedTuple

    from oddsmith import Game, coin, move

    class Texts(Game):
        class State(NamedTuple):
            word: str = ""
            turn: int = 0

        def winner(self, s):
            return s.turn if len(s.word) > 3 else None

        @move(dice=coin)
        def toss(self, s, heads):
            return self.State(s.word + "a" * heads, 1 - s.turn)

        @move
        def hold(self, s):
            return self.State(s.word + "b", 1 - s.turn)

    with pytest.raises(RuleError, match="cannot be learned"):
        learn(Texts())
