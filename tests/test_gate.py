"""The gate: inconsistent answers become a sentence and a file, whatever holds them.

Expected values here are impossible by arithmetic alone: no solver is asked what is wrong.
"""

from __future__ import annotations

import inspect
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import oddsmith
from oddsmith import (
    best_response,
    check,
    compare,
    duel,
    estimate,
    game,
    learn,
    length,
    odds,
    optimal,
    simulate,
    tournament,
    values,
    visits,
)
from oddsmith.ask.tournament import Duel
from oddsmith.errors import ContradictionError
from oddsmith.properties.answer import Checked, Range
from oddsmith.properties.statistical.path_counts import Estimate
from oddsmith.questions import door
from oddsmith.results import gate
from oddsmith.results.answer import Answer
from oddsmith.results.distribution import ExactDistribution
from oddsmith.results.result import Evidence, Result, StateValues, Visit


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def made(method="certified", **parts):
    evidence = Evidence(method, digest="0123456789abcdef")
    return Result("some", "Some game", 2, {"goal": 3}, evidence, **parts)


def exactly(*fractions):
    return tuple(Answer.of_fraction(Fraction(x)) for x in fractions)


ZERO, HALF = Answer(0.0, 0.0, 0.0), Answer(0.5, 0.499, 0.501)
NO_NUMBERS = {
    "is not below": (0.25, 0.5, 0.0),
    "not between its bounds 0.4": (0.7, 0.4, 0.6),
    "not a number": (math.nan,),
    "the lower bound nan": (0.5, math.nan, 1.0),
    "1/3 is not between its bounds 0.4 and 0.5": (0.45, 0.4, 0.5, Fraction(1, 3)),
    "3/5 is not between its bounds": (0.45, 0.4, 0.5, Fraction(3, 5)),
}


@pytest.mark.parametrize("reason", NO_NUMBERS)
def test_what_is_no_number_is_no_answer(reason):
    with pytest.raises(ContradictionError, match=reason) as refused:
        Answer(*NO_NUMBERS[reason])
    (file,) = Path().glob("oddsmith-contradiction-*.json")
    assert str(file) in str(refused.value)
    assert json.loads(file.read_text())["answer"]["value"] is not None


SIDES = {"distribution": ((1, 0.5), (3, 0.5)), "unresolved": 0.0, "duration": Answer(2.0, 2.0, 2.0)}
"""One or three: the mean is 2, the variance 1."""


def spread(variance, deviation):
    """Both as exact as floats can say them."""
    return {
        "variance": Answer(variance, variance, variance),
        "deviation": Answer(deviation, deviation, deviation),
    }


WRONG = {
    "the variance: -1": SIDES | spread(-1.0, 1.0),
    "is not the root of the variance": SIDES | spread(1.0, 1.5),
    "and the distribution has at least 1": SIDES | spread(0.25, 0.5),
    "and the distribution has 1": SIDES | spread(4.0, 2.0),
    "no finite length": spread(1.0, 1.0) | {"duration": Answer(math.inf, math.inf, math.inf)},
    "player 1 wins: 1.50": {"win": (Answer(1.5, 1.4, 1.6), HALF), "draw": ZERO},
    "sum to at most": {"win": (HALF, Answer(0.4, 0.4, 0.4)), "draw": ZERO},
    "sum to at least": {"win": (HALF, Answer(0.6, 0.6, 0.6)), "draw": ZERO},
    "sum to 5/6": {"win": exactly("1/2", "1/3"), "draw": exactly(0)[0]},
    "is impossible": {"win": exactly("3/2", "-1/2"), "draw": exactly(0)[0]},
    "the expected length: -2"  : {"duration": Answer(-2.0, -2.0, -2.0)},
    "more chance than times": {"visits": (Visit("here", HALF, Answer(0.1, 0.1, 0.1)),)},
    "is left": {"distribution": ((1, 0.5), (2, 0.25)), "unresolved": 1e-12},
    "a chance that is none": {"distribution": ((1, 1.5), (2, -0.5)), "unresolved": 0.0},
    "not in order": {"distribution": ((2, 0.5), (1, 0.5)), "unresolved": 0.0},
    "30% of games last at most 2": {
        "distribution": ((1, 0.5), (2, 0.5)), "unresolved": 0.0, "quantiles": {0.3: 2, 0.6: 1},
    },
    "says otherwise": {
        "distribution": ((1, 0.5), (2, 0.2)), "unresolved": 0.3, "quantiles": {0.95: 2},
    },
    "95% of games last at most 3": {
        "distribution": ((1, 0.5), (2, 0.5)), "unresolved": 0.0, "quantiles": {0.95: 3},
    },
    "in fractions is none": {
        "exact_distribution": ExactDistribution(((1, Fraction(2)), (2, Fraction(-1))), 2)
    },
    "values of states: chances sum to more": {
        "values": StateValues(["s"], ("win 1", "win 2", "draw", "length"),
                              np.array([[0.5, 0.75, 0.0, 1.0]]), np.zeros((1, 4)))
    },
    "values of states: chances sum to 7/6": {
        "values": StateValues(["s"], ("win 1", "draw"), np.array([[0.5, 2 / 3]]), np.zeros((1, 2)),
                              [[Fraction(1, 2), Fraction(2, 3)]])
    },
}  # fmt: skip


@pytest.mark.parametrize("reason", WRONG)
def test_what_cannot_be_is_not_given(reason):
    with pytest.raises(ContradictionError, match="no answer is given") as refused:
        made(**WRONG[reason])
    assert reason in str(refused.value)
    (file,) = Path().glob("oddsmith-contradiction-*.json")
    assert str(file) in str(refused.value)
    told = json.loads(file.read_text())
    assert (told["digest"], told["method"], told["options"]) == (
        "0123456789abcdef", "certified", {"goal": 3},
    )  # fmt: skip
    assert reason in told["contradiction"]


def test_what_can_be_passes():
    made(win=(HALF, HALF), draw=ZERO, duration=Answer(math.inf, math.inf, math.inf))
    made("exact", win=exactly("1/2", "1/3"), draw=exactly("1/6")[0])
    made(**SIDES, **spread(1.0, 1.0))
    made("exact", win=exactly(1, "1/3"), draw=exactly(0)[0], several_winners=True)
    made("float", win=(Answer(0.5), Answer(0.5 + 1e-12)), draw=Answer(0.0))
    made(distribution=((1, 0.5), (2, 0.25)), unresolved=0.25, quantiles={0.5: 1, 0.7: 2})


def test_long_fractions_are_summed_too():
    third = Fraction(3**3000, 3**3001 + 1)
    made("exact", win=exactly(third, 1 - third), draw=exactly(0)[0])
    with pytest.raises(ContradictionError, match="do not sum to one"):
        made("exact", win=exactly(third, 1 - third - Fraction(1, 7**3000)), draw=exactly(0)[0])


def test_a_property_passes_the_gate():
    with pytest.raises(ContradictionError):
        Checked("", "P=? [ F x=1 ]", Answer(1.5, 1.5, 1.5), Evidence("certified"), chance=True)
    low, high = Answer.of_fraction(Fraction(2)), Answer.of_fraction(Fraction(1))
    with pytest.raises(ContradictionError, match="least value is above"):
        Checked("", "filter(range, x)", Range(low, high), Evidence("exact"))
    with pytest.raises(ContradictionError, match=r"from 1/3, and from 0\.4 to"):
        gate.agree((Fraction(1, 3), Fraction(1, 3)), (0.4, 0.5), "some model")
    gate.agree((Fraction(1, 2), Fraction(1, 2)), (0.5, 0.5), "some model")


def test_a_duel_and_an_estimate_are_of_chances():
    with pytest.raises(ContradictionError, match="a chance"):
        Duel("one", "other", HALF, Answer(1.5, 1.25, 1.75))
    with pytest.raises(ContradictionError, match="a chance"):
        Estimate("", "P=? [ F x=1 ]", Answer(-1.0), 9, 0, 9, 0.0, 0.95, 1, "", chance=True)


def test_another_method_may_not_contradict(monkeypatch):
    """The odds of one game by two methods, one of which is made to lie."""
    race = game("coin-race", goal=5)
    odds(race, method="exact")
    odds(race, method="certified")

    def lies(visits, settings):
        half = Answer(0.5, 0.5, 0.5)
        return [half, half, ZERO, Answer(1.0, 0.0, 9.0)], ""

    monkeypatch.setattr("oddsmith.ask.odds.certified_odds", lies)
    with pytest.raises(ContradictionError, match="two methods exclude each other") as refused:
        odds(race, method="certified")
    (file,) = Path().glob("oddsmith-contradiction-*.json")
    assert str(file) in str(refused.value)
    told = json.loads(file.read_text())
    assert told["now"] == ["0.5", "0.5"]
    assert "/" in told["before"][0]
    assert told["asked"]["question"] == "odds"
    assert told["asked"]["options"] == {"method": "certified"}
    assert told["asked"]["subject"]["options"] == {"players": 2, "goal": 5}
    assert told["digest"] == told["asked"]["subject"]["digest"]


def test_a_file_names_no_folder(tmp_path, monkeypatch):
    model = tmp_path / "coin.prism"
    model.write_text("dtmc\nmodule m\n x : [0..1];\n [] x=0 -> 1/2:(x'=0) + 1/2:(x'=1);\nendmodule")
    monkeypatch.setattr("oddsmith.properties.check.answer_in", lambda *_: Answer(2.0, 2.0, 2.0))
    monkeypatch.setattr("oddsmith.properties.filters.answer_in", lambda *_: Answer(2.0, 2.0, 2.0))
    with pytest.raises(ContradictionError):
        check(str(model), "P=? [ F x=1 ]")
    (file,) = Path().glob("oddsmith-contradiction-*.json")
    assert str(tmp_path) not in file.read_text()
    assert "P=? [ F x=1 ]" in file.read_text()


def test_a_full_disk_does_not_hide_the_sentence(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(ContradictionError, match="no file could be written"):
        Answer(math.nan)


QUESTIONS = {
    "odds": lambda: odds(game("coin-race")),
    "length": lambda: length(game("coin-race")),
    "visits": lambda: visits(game("coin-race")),
    "values": lambda: values(game("coin-race")),
    "simulate": lambda: simulate(game("coin-race"), games=50, seed=1),
    "compare": lambda: compare(game("coin-race"), game("coin-race", goal=3)),
    "check": lambda: check("coin-race", 'P=? [ F "win1" ]'),
    "estimate": lambda: estimate("coin-race", 'P=? [ F<=9 "win1" ]', games=50, seed=1),
    "optimal": lambda: optimal(game("piglet", goal=2)),
    "best_response": lambda: best_response(game("piglet", goal=2), "random"),
    "duel": lambda: duel(game("piglet", goal=2), "optimal", "random"),
    "tournament": lambda: tournament(game("piglet", goal=2), ["optimal", "random"]),
    "learn": lambda: learn(game("piglet", goal=2), games=50, seed=1),
}
NO_QUESTIONS = {"certify", "explore", "game", "plot", "verify"} | {
    "coin", "move", "policy", "pool", "product", "put", "sicherman",
}  # fmt: skip


def test_every_public_question_is_in_this_file():
    functions = {name for name in oddsmith.__all__ if inspect.isfunction(getattr(oddsmith, name))}
    assert functions - NO_QUESTIONS == QUESTIONS.keys()
    assert {
        n for n in functions if hasattr(getattr(oddsmith, n), "is_question")
    } == QUESTIONS.keys()


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_public_question_passes_the_gate(question, monkeypatch):
    passed = []
    for name in ("number", "result", "checked", "chances", "table"):
        monkeypatch.setattr(gate, name, lambda *_, name=name, **__: passed.append(name))
    monkeypatch.setattr(door, "leaves", lambda *_: passed.append("leaves"))
    QUESTIONS[question]()
    assert "leaves" in passed
    assert {"number", "result", "table"} & set(passed)
