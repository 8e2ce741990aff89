"""Games as fractions: equal to what is published, or to what others find in fractions.

What is printed (of a coin race, Chutes and Ladders, First Orchard, Piglet, the Game of the Goose)
is among the figures of `oddsmith reproduce`. Here are also games of which no fraction is
published: they are compared with Storm's exact engine, or with a recursion written here.
"""

from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from benchmarks.peers.lcr_prism import lcr_prism
from benchmarks.peers.piglet_prism import piglet_prism

from oddsmith import game, odds, optimal, published
from oddsmith.reproduce import compare, load
from oddsmith.results.answer import Answer

PUBLISHED = Path(published.__file__).parent


def in_storm(source, *properties, solver="TOPOLOGICAL"):
    """Storm's exact answers."""
    pytest.importorskip("stormpy", minversion="2")
    from benchmarks.peers.storm_exact import run

    return [Fraction(value) for value in run(source, list(properties), solver)["values"]]


@pytest.fixture(scope="module")
def geese():
    """Two players of the Game of the Goose, in fractions."""
    return odds(game("goose", players=2), method="exact")


def printed(where):
    """What the paper on the Game of the Goose prints about two players."""
    [table] = [t for t in load("goose").tables if t.where == where and t.method == "exact"]
    return table.printed["win 1"], table.reading.get("win 1", "stretches")


@pytest.mark.slow
def test_the_chance_of_two_geese_has_3970_digits_and_no_chance_is_lost(geese):
    first, second = (answer.exact for answer in geese.win)
    assert (len(str(first.numerator)), len(str(first.denominator))) == (3970, 3970)
    assert first + second + geese.draw.exact == 1
    assert 29 < geese.duration.exact < 30


@pytest.mark.slow
def test_every_printed_decimal_of_two_geese(geese):
    text, reading = printed("section 4, 49 digits")
    assert reading == "truncated"
    assert compare(text, geese.win[0], reading) == "agree"


@pytest.mark.slow
def test_the_digits_that_are_left_of_the_printed_fraction(geese):
    """Fig. 4.1: no stretch of thirty digits would agree by chance, and there are 78 of them."""
    text, reading = printed("Fig. 4.1, stretches")
    stretches = [s for part in text.split("/") for s in part.split("…") if s]
    assert len(stretches) == 78
    assert min(map(len, stretches)) >= 30
    assert sum(map(len, stretches)) == 6783
    assert compare(text, geese.win[0], reading) == "agree"
    assert compare(text, geese.win[1], reading) == "differ"


@pytest.mark.parametrize(
    ("text", "value", "verdict"),
    [
        ("12…/7", "1234/7", "agree"),
        ("…34/7", "1234/7", "agree"),
        ("1…4/…", "1234/7", "agree"),
        ("12…34/7", "1234/7", "agree"),
        ("123…34/7", "1234/7", "differ"),  # a digit is printed once
        ("…43…/7", "1234/7", "differ"),
        ("2…/7", "1234/7", "differ"),
        ("1/7", "1/7", "agree"),
    ],
)
def test_stretches_stand_in_their_order(text, value, verdict):
    assert compare(text, Answer.of_fraction(Fraction(value)), "stretches") == verdict


def test_stretches_of_what_is_not_known_as_a_fraction_decide_nothing():
    assert compare("1…/3", Answer(0.5, 0.4, 0.6), "stretches") == "undecided"


@pytest.mark.parametrize("players", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_left_center_right_is_what_storm_finds(players):
    ours = odds(game("left-center-right", players=players), method="exact")
    asked = [f'P=? [F "win{seat}"]' for seat in range(1, players + 1)]
    theirs = in_storm(lcr_prism(players), *asked, 'R{"turns"}=? [F "over"]')
    assert [answer.exact for answer in (*ours.win, ours.duration)] == theirs


@pytest.mark.parametrize("players", [2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_left_center_right_rounds_to_the_printed_table(players):
    found = odds(game("left-center-right", players=players), method="exact")
    assert sum(answer.exact for answer in found.win) == 1
    [table] = [t for t in load("left-center-right").tables if t.players == players]
    answers = {f"win {seat}": answer for seat, answer in enumerate(found.win, start=1)}
    answers["length"] = found.duration
    for question, text in table.printed.items():
        expected = "differ" if question in table.differ else "agree"
        assert compare(text, answers[question]) == expected, question


SLOWER_GOALS = [pytest.param(goal, marks=pytest.mark.slow) for goal in range(8, 21)]


@pytest.mark.parametrize("goal", [2, 3, 5, 7, *SLOWER_GOALS])
def test_nobody_does_better_against_optimal_piglet(goal):
    """Storm finds the best responses to our policy in either seat; both are worth our value."""
    subject = game("piglet", goal=goal)
    best = optimal(subject, method="exact")
    start = subject.start()

    def hold(own, other, total):
        advice = best.advice(start._replace(scores=(own, other), total=total))
        return advice[0].move == "hold"

    value = best.advice(start)[0].worth.exact
    assert value == odds(subject, method="exact").win[0].exact
    assert in_storm(piglet_prism(goal, hold, seat=2), 'Pmax=? [F "win1"]') == [value]
    assert in_storm(piglet_prism(goal, hold, seat=1), 'Pmin=? [F "win1"]') == [value]


THROWS = {
    (3, 2): {(0, 2): 2890, (1, 1): 2611, (2, 0): 2275},
    (3, 1): {(0, 1): 855, (1, 0): 441},
    (2, 2): {(0, 2): 295, (1, 1): 420, (2, 0): 581},
    (2, 1): {(0, 1): 125, (1, 0): 91},
    (1, 2): {(0, 1): 55, (1, 0): 161},
    (1, 1): {(0, 1): 15, (1, 0): 21},
}
"""By dice, how often attacker and defender lose so many armies; the first row as published."""


@cache
def battle(attackers, defenders):
    """The attacker's chance when both sides always throw as many dice as they may."""
    if defenders == 0 or attackers == 1:
        return Fraction(defenders == 0)
    throws = THROWS[min(3, attackers - 1), min(2, defenders)]
    won = sum(
        ways * battle(attackers - lost[0], defenders - lost[1]) for lost, ways in throws.items()
    )
    return won / sum(throws.values())


@pytest.mark.parametrize(("attackers", "defenders"), [(3, 1), (4, 2), (6, 5), (11, 10), (20, 19)])
def test_a_battle_of_risk_is_a_recursion_over_the_published_throws(attackers, defenders):
    fought = game("risk", attackers=attackers, defenders=defenders)
    assert odds(fought, method="exact", play="dice").win[0].exact == battle(attackers, defenders)


def test_nobody_does_better_with_fewer_dice_in_risk():
    assert odds(game("risk"), method="exact").win[0].exact == battle(10, 10)


@pytest.mark.slow
def test_the_printed_snakes_and_ladders_is_what_storm_finds():
    """564,879 states, because the model counts moves; the fraction has 778 digits."""
    from oddsmith.model.prism.explore import explore
    from oddsmith.properties.check import check
    from oddsmith.rules.prism import parse_program

    source = (PUBLISHED / "snakes-and-ladders.prism").read_text(encoding="utf-8")
    program = parse_program(source, "snakes-and-ladders.prism", {})
    asked = "P=? [ F w=1 ]"
    ours = check(
        explore(program), asked, exact=True, constants=program.constants, formulas=program.formulas
    )  # fmt: skip
    assert [ours.answer.exact] == in_storm(source, asked)
