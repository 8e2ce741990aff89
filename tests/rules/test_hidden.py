"""Fields that players do not see: Monty Hall, and a card that one of two players must guess.

The truths are textbook ones: switching wins 2/3, staying 1/3; a guess of one of four cards is
right with the chance 1/4.
"""

from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest

from oddsmith import (
    Die,
    Game,
    best_response,
    check,
    duel,
    explore,
    game,
    learn,
    length,
    move,
    odds,
    optimal,
    policy,
    simulate,
    values,
)
from oddsmith.errors import OptionError, RuleError
from oddsmith.policies.policy import Random, Rule
from oddsmith.present.play import Session
from oddsmith.rules.digest import rules_digest
from oddsmith.rules.hidden import HiddenError, Unseen

MONTY = Path(__file__).parent.parent / "data" / "defects" / "monty_hall.py"
Open = type(game(f"{MONTY}"))


class Monty(Open):
    """Choose door 0; the host opens another with a goat; stay or switch."""

    hidden = ("car",)

    @policy
    def switching(self, s):
        return "switch" if s.stage == 1 else "hide"

    @policy
    def staying(self, s):
        return "stay"

    @policy
    def cheating(self, s):
        return "stay" if s.car == 0 else "switch"


def test_without_the_declaration_the_chooser_sees_the_car():
    assert odds(Open()).win[0].exact == 1


def test_ways_to_play_that_do_not_look():
    assert odds(Monty(), play="switching").win[0].exact == Fraction(2, 3)
    assert odds(Monty(), play="staying").win[0].exact == Fraction(1, 3)
    assert odds(Monty(), play="random").win[0].exact == Fraction(1, 2)
    assert length(Monty(), play="random").duration.exact == 2
    assert len(values(Monty(), play="switching").values) > 1
    seen = simulate(Monty(), play="switching", games=4000, confidence=0.9999)
    assert seen.win[0].lower < 2 / 3 < seen.win[0].upper
    blunt = simulate(Monty(), play="switching", games=2000, engine="interpreted")
    assert 0.5 < blunt.win[0].value < 0.8


@pytest.mark.parametrize(
    "ask",
    [
        lambda: odds(Monty()),
        lambda: odds(Monty(), play="optimal"),
        lambda: odds(Monty(), play="best-response"),
        lambda: optimal(Monty()),
        lambda: optimal(Monty(), method="exact"),
        lambda: learn(Monty(), games=10),
        lambda: length(Monty()),
        lambda: simulate(Monty(), games=10),
        lambda: best_response(Guess(), "hiding", player=1),
        lambda: duel(Guess(), "optimal", "random"),
    ],
)
def test_best_play_is_refused(ask):
    with pytest.raises(OptionError, match="which they do not see, and best play is computed for"):
        ask()


def test_properties_are_refused():
    with pytest.raises(OptionError, match="Properties and files of models know no hidden fields"):
        check(Monty(), 'Pmax=? [ F "win1" ]')


@pytest.mark.parametrize(
    "play",
    [
        "cheating",
        lambda game, s: "stay" if s.car in (0,) else "switch",
        lambda game, s: ("stay", "switch")[s.car],
        lambda game, s: "stay" if s == game.State(0, 1) else "switch",
        lambda game, s: "stay" if hash(s) % 2 else "switch",
        lambda game, s: {0: "stay"}.get(s.car, "switch"),
        lambda game, s: "stay" if f"{s.car}" == "0" else "switch",
        lambda game, s: "stay" if game.winner(s._replace(stage=2)) == 0 and s.car else "switch",
        Rule(lambda game, s: "stay", "stay").where("car>0", Rule(lambda game, s: "switch", "sw")),
        Random().where(lambda game, s: s.car > 0, Rule(lambda game, s: "switch", "switch")),
    ],
)
def test_ways_to_play_that_look(play):
    with pytest.raises(RuleError, match="looks at car, which players do not see"):
        odds(Monty(), play=play)
    with pytest.raises(RuleError, match="looks at car, which players do not see"):
        simulate(Monty(), play=play, games=50, engine="interpreted")


def test_whoever_prints_a_state_is_told_nothing():
    play = lambda game, s: "stay" if "car=0" in repr(s) else "switch"  # noqa: E731
    assert odds(Monty(), play=play).win[0].exact == Fraction(2, 3)


def test_any_use_of_what_is_unseen_is_an_error():
    car = Unseen("car")
    uses = [
        lambda: car + 1, lambda: 1 + car, lambda: car - 1, lambda: -car, lambda: car * 2,
        lambda: car == 1, lambda: car == 1, lambda: car != 1, lambda: car < 1, lambda: bool(car),
        lambda: int(car), lambda: [1, 2][car], lambda: car[0], lambda: list(car), lambda: 1 in car,
        lambda: hash(car), lambda: str(car), lambda: car.name, lambda: car(), lambda: len(car),
        lambda: car % 2, lambda: car // 2, lambda: 2**car, lambda: abs(car), lambda: car & 1,
        lambda: car in (1, 2), lambda: range(car), lambda: max(car, 1),
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(HiddenError, match="looks at car"):
            use()
    assert repr(car) == "hidden"


class Guess(Game):
    """One player hides a card in a place, the other guesses it."""

    hidden = ("place",)

    class State(NamedTuple):
        place: int = -1
        guess: int = -1
        turn: int = 0

    def winner(self, s):
        return None if s.guess < 0 else 1 if s.guess == s.place else 0

    @move(each=range(4), when=lambda self, s, n: s.turn == 0)
    def hide(self, s, place):
        return self.State(place, -1, 1)

    @move(each=range(4), when=lambda self, s, n: s.turn == 1)
    def look(self, s, place):
        return self.State(s.place, place, 1)

    @policy
    def hiding(self, s):
        return "hide 2" if s.turn == 0 else "look 2"


def test_two_players_of_whom_one_guesses():
    assert odds(Guess(), play=["hiding", "random"]).win[1].exact == Fraction(1, 4)
    assert odds(Guess(), play=["random", "hiding"]).win[1].exact == Fraction(1, 4)
    assert odds(Guess(), play="hiding").win[1].exact == 1


def test_nothing_to_decide_nothing_to_refuse():
    class Dealt(Game):
        hidden = ("card",)

        class State(NamedTuple):
            card: int = -1

        def winner(self, s):
            return None if s.card < 0 else s.card

        @move(dice=Die([0, 0, 1]))
        def deal(self, s, card):
            return self.State(card)

    assert odds(Dealt()).win[0].exact == Fraction(2, 3)
    assert check(Dealt(), 'P=? [ F "win2" ]', exact=True)[0].answer.exact == Fraction(1, 3)


def test_the_digest_covers_it():
    class Shown(Monty):
        hidden = ()

    assert rules_digest(Monty()) != rules_digest(Open())
    assert rules_digest(Shown()) != rules_digest(Monty())


@pytest.mark.parametrize(
    ("named", "words"),
    [
        (("cars",), "names 'cars', which State has not"),
        ("car", r"a tuple of names of fields: write hidden = \('car',\)"),
        (["car"], "must be a tuple"),
    ],
)
def test_hidden_fields_that_are_none(named, words):
    with pytest.raises(RuleError, match=words):
        type("Wrong", (Monty,), {"hidden": named})()


def test_whose_turn_it_is_is_not_hidden():
    with pytest.raises(RuleError, match="players know whose turn it is"):
        type("Wrong", (Guess,), {"hidden": ("turn",)})()


def test_a_person_who_plays_does_not_see_it():
    said: list[str] = []
    for seed in range(3):
        lines = iter(["", "state", "?", "odds", "switch"])
        session = Session(
            Monty(), ask=lambda prompt, it=lines: next(it), say=said.append, seed=seed
        )
        assert session.play() == "over"
    text = "\n".join(said)
    assert "State(car=hidden, stage=1)" in text
    assert "[" not in text
    assert "car " not in text.replace("about car, which", "")
    assert "do not see" in " ".join(text.split())


def test_opponents_do_not_see_it_either():
    said: list[str] = []
    lines = iter(["hide 1"])
    session = Session(Guess(), ask=lambda prompt: next(lines), say=said.append, seed=1)
    assert session.play() == "over"
    assert "plays hiding" in " ".join(said)
    with pytest.raises(OptionError, match="best play is computed"):
        Session(Guess(), against="optimal", ask=input, say=said.append).play()


def test_the_model_is_that_of_the_rules():
    assert explore(Monty()).states == explore(Open()).states
