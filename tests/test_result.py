"""Results: what they promise as JSON, as a data frame, as text and in a notebook."""

import importlib.metadata
import json
import math
from fractions import Fraction
from typing import NamedTuple

import pytest

from oddsmith import DRAW, Game, coin, game, length, move, odds, simulate, values, visits
from oddsmith.results.answer import Answer
from oddsmith.results.result import Evidence, Result

ANSWER = {"value", "lower", "upper", "exact"}
METHODS = ["exact", "certified", "float"]


class Toss(Game):
    """Toss in turn, at most twice each: the first heads wins, <b>none</b> is a draw."""

    title = "Toss <b>&</b> see"

    word: str = "<script>"

    class State(NamedTuple):
        tosses: int = 0
        turn: int = 0
        won: int = -9

    def winner(self, s):
        if s.won != -9:
            return s.won
        return DRAW if s.tosses == 4 else None

    @move(dice=coin)
    def toss(self, s, heads):
        return self.State(s.tosses + 1, 1 - s.turn, s.turn if heads else -9)


WIN, DRAWN = [Fraction(1, 2) + Fraction(1, 8), Fraction(1, 4) + Fraction(1, 16)], Fraction(1, 16)
MEAN = 1 * Fraction(1, 2) + 2 * Fraction(1, 4) + 3 * Fraction(1, 8) + 4 * Fraction(1, 8)  # 15/8


def read(result):
    """The result as a reader of its JSON gets it; strictly JSON, so no Infinity and no NaN."""

    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(result.to_json(), parse_constant=refuse)


# JSON ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_odds_as_json(method):
    """The keys that the command line promises, in their order; more may follow."""
    found = read(odds(Toss(players=2), method=method))
    promised = [
        "game",
        "players",
        "options",
        "method",
        "win",
        "draw",
        "duration",
        "states",
        "transitions",
        "seconds",
        "peak_memory_mb",
    ]
    assert [key for key in found if key in promised] == promised
    assert (found["players"], found["method"]) == (2, method)
    assert found["options"] == {"word": "<script>"}
    assert len(found["win"]) == 2
    for answer in (*found["win"], found["draw"], found["duration"]):
        assert set(answer) == ANSWER
        assert isinstance(answer["value"], float)
    # By hand: no heads after 0 to 3 tosses, heads at the first to the fourth, and the draw.
    assert (found["states"], found["transitions"]) == (9, 8)
    assert found["seconds"] >= 0
    assert found["peak_memory_mb"] > 0


def test_an_exact_answer_as_json():
    found = read(odds(Toss(), method="exact"))
    assert [answer["exact"] for answer in found["win"]] == ["5/8", "5/16"]
    assert found["draw"] == {"value": 0.0625, "lower": 0.0625, "upper": 0.0625, "exact": "1/16"}
    assert found["duration"]["exact"] == "15/8"


def test_a_whole_number_is_a_fraction_in_json():
    """`exact` is always p/q, so that a reader needs one rule only."""
    assert Answer.of_fraction(Fraction(3)).to_dict()["exact"] == "3/1"
    assert Answer.of_fraction(Fraction(0)).to_dict()["exact"] == "0/1"


def test_a_certified_answer_as_json():
    found = read(odds(Toss(), method="certified"))
    for answer, truth in zip((*found["win"], found["draw"]), (*WIN, DRAWN), strict=True):
        assert answer["exact"] is None
        assert answer["lower"] <= truth <= answer["upper"]


def test_a_float_answer_as_json():
    found = read(odds(Toss(), method="float"))
    assert {answer["lower"] for answer in (*found["win"], found["draw"])} == {None}


def test_an_estimate_as_json():
    found = read(simulate(Toss(), games=100, seed=5))
    assert (found["method"], found["games"], found["seed"]) == ("estimate", 100, 5)
    for answer in (*found["win"], found["draw"], found["duration"]):
        assert answer["lower"] <= answer["value"] <= answer["upper"]
        assert answer["exact"] is None


@pytest.mark.parametrize("method", METHODS)
def test_length_as_json(method):
    found = read(length(Toss(), method=method))
    assert found["mean"] == pytest.approx(float(MEAN))
    assert found["quantiles"] == {"0.05": 1, "0.5": 1, "0.95": 4}
    assert found["distribution"] == [[1, 0.5], [2, 0.25], [3, 0.125], [4, 0.125]]
    assert set(found["duration"]) == ANSWER


def test_visits_as_json():
    found = read(visits(Toss(), of="tosses"))
    assert [row["where"] for row in found["visits"]] == [f"tosses = {k}" for k in range(5)]
    assert [row["ever"]["exact"] for row in found["visits"]] == ["1/1", "1/1", "1/2", "1/4", "1/8"]
    assert all(set(row["times"]) == ANSWER for row in found["visits"])


@pytest.mark.parametrize("method", ["certified", "float"])
def test_values_as_json(method):
    """Every state by its name; a bound that is not known is null, never Infinity."""
    found = read(values(Toss(), method=method))
    assert len(found["values"]) == 9
    start = found["values"][0]
    assert start["state"] == "State(tosses=0, turn=0, won=-9)"
    assert set(start) == {"state", "win 1", "win 2", "draw", "length"}
    assert start["win 1"]["value"] == pytest.approx(5 / 8)
    bounds = start["win 1"]["lower"], start["win 1"]["upper"]
    if method == "float":
        assert bounds == (None, None)
    else:
        assert bounds[0] <= 5 / 8 <= bounds[1]


def test_the_version_is_the_one_of_the_package():
    assert read(odds(Toss()))["version"] == importlib.metadata.version("oddsmith")


def test_the_digest_stands_for_the_rules():
    one, other = read(odds(Toss())), read(odds(Toss(word="x")))
    assert one["digest"] != other["digest"]
    assert one["digest"] == read(simulate(Toss(), games=10))["digest"]


# Answers -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "exact",
    [Fraction(1, 3), Fraction(1, 2), Fraction(10**400, 7), Fraction(1, 10**400), Fraction(0)],
)
def test_the_bounds_of_a_fraction_contain_it(exact):
    answer = Answer.of_fraction(exact)
    assert answer.exact == exact
    assert answer.error == 0.0
    assert Fraction(answer.lower) <= exact
    assert answer.upper == math.inf or exact <= Fraction(answer.upper)
    assert answer.lower == answer.upper == exact or answer.lower < answer.upper


def test_an_answer_stays_within_what_is_possible():
    answer = Answer.within(1.0, 1e-3, high=1.0)
    assert (answer.value, answer.upper) == (1.0, 1.0)
    assert Answer.within(-1e-9, 1e-3, high=1.0).lower == 0.0
    assert Answer.within(-1e-9, 1e-3, high=1.0).value == 0.0


def test_an_answer_prints_with_its_error():
    assert str(Answer(0.5, 0.375, 0.6)).startswith("0.50 ± 0.1")
    assert str(Answer.of_fraction(Fraction(16, 27))) == "16/27"
    assert str(Answer.of_fraction(Fraction(5))) == "5"
    assert str(Answer(0.5)) == "0.5"


WIDTHS = [(0.5, 0.25, 0.75), (1 / 3, 0.21875, 0.40625), (0.123456789, 0.1234567749, 0.1234568051)]


@pytest.mark.parametrize(("value", "lower", "upper"), WIDTHS)
def test_a_printed_error_is_not_too_small(value, lower, upper):
    """What is printed is a claim too: digits that are cut off must be cut off outward."""
    middle, error = (Fraction(part) for part in str(Answer(value, lower, upper)).split(" ± "))
    assert middle - error <= Fraction(lower)
    assert middle + error >= Fraction(upper)


@pytest.mark.parametrize(("value", "lower", "upper"), WIDTHS)
def test_a_printed_interval_is_not_too_narrow(value, lower, upper):
    found = Result("x", "X", 1, {}, Evidence("certified"), win=(Answer(value, lower, upper),))
    line = next(line for line in str(found).splitlines() if line.startswith("player 1 wins"))
    low, high = line.split()[-2:]
    assert Fraction(low) <= Fraction(lower)
    assert Fraction(high) >= Fraction(upper)


def test_a_long_fraction_is_printed_short():
    text = str(Answer.of_fraction(Fraction(10**50 + 1, 3 * 10**50)))
    assert len(text) < 60
    assert "51 digits / 51 digits" in text
    assert text.startswith("0.3333")


# Data frames ---------------------------------------------------------------------------------


def test_odds_as_a_frame():
    pytest.importorskip("pandas")
    frame = odds(Toss(), method="exact").to_frame()
    assert list(frame.columns) == ["answer", "value", "lower", "upper", "exact"]
    assert list(frame["answer"]) == ["player 1 wins", "player 2 wins", "draw", "expected length"]
    assert list(frame["exact"]) == ["5/8", "5/16", "1/16", "15/8"]


def test_length_as_a_frame():
    pytest.importorskip("pandas")
    frame = length(Toss()).to_frame()
    assert list(frame.columns) == ["length", "probability"]
    assert list(frame["length"]) == [1, 2, 3, 4]
    assert frame["probability"].sum() == pytest.approx(1)


def test_visits_as_a_frame():
    pytest.importorskip("pandas")
    frame = visits(Toss(), of="tosses").to_frame()
    assert len(frame) == 5
    assert list(frame["ever"]) == [1, 1, 0.5, 0.25, 0.125]


def test_values_as_a_frame():
    """One row a state, its fields as columns: states by their names, not by numbers."""
    pytest.importorskip("pandas")
    frame = values(Toss()).to_frame()
    assert list(frame.columns[:3]) == ["tosses", "turn", "won"]
    assert {"win 1", "win 2", "draw", "length"} <= set(frame.columns)
    row = frame[(frame.tosses == 3) & (frame.won == -9)].iloc[0]
    assert (row["win 2"], row["draw"]) == (pytest.approx(0.5), pytest.approx(0.5))


# Text and notebook ---------------------------------------------------------------------------


QUESTIONS = {
    "odds": odds,
    "length": length,
    "values": values,
    "visits": lambda game: visits(game, of="tosses"),
    "simulate": lambda game: simulate(game, games=10),
}
every_question = pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS.keys())


@every_question
def test_a_result_prints_the_game_and_how_it_was_found(question):
    text = str(question(Toss()))
    assert text.startswith("Toss <b>&</b> see, 2 players, word <script>")
    assert " MiB" in text


def test_odds_print_as_a_table():
    lines = str(odds(Toss())).splitlines()
    first = next(line for line in lines if line.startswith("player 1 wins"))
    assert first.split() == ["player", "1", "wins", "0.625", "5/8"]


@every_question
def test_html_is_escaped(question):
    """A title, an option or a state may hold anything; a page must not run it."""
    page = question(Toss())._repr_html_()
    assert "<script>" not in page
    assert "<b>&</b>" not in page
    assert "Toss &lt;b&gt;&amp;&lt;/b&gt; see" in page
    assert "&lt;script&gt;" in page


def test_names_of_sets_are_escaped():
    def under(s):
        return s.tosses < 2

    under.__name__ = "<i>under</i>"
    assert "<i>" not in visits(Toss(), where=under)._repr_html_()


def test_a_game_of_one_player_says_so():
    assert str(odds(game("chutes-and-ladders"))).startswith("Chutes and Ladders, 1 player")


def test_a_draw_that_cannot_be_is_not_printed():
    """A row of zeros tells nobody anything; JSON has it all the same."""
    race = odds(game("coin-race"))
    assert "draw" not in [name for name, _ in race.rows()]
    assert race.to_dict()["draw"]["exact"] == "0/1"


def test_a_long_table_is_cut():
    text = str(values(game("snakes-and-ladders")))
    assert "more" in text
    assert len(text.splitlines()) < 40


def test_an_interruption_is_said():
    evidence = Evidence("certified", interrupted=True)
    found = Result(
        game="x", title="X", players=1, options={}, evidence=evidence, win=(Answer(0.5, 0.4, 0.6),)
    )
    assert "interrupted" in str(found)
    assert found.to_dict()["interrupted"] is True


def test_a_quantile_beyond_the_three():
    found = length(Toss())
    assert [found.quantile(level) for level in (0.5, 0.6, 0.8, 1.0)] == [1, 2, 3, 4]
