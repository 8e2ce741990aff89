"""The grinder: its references by hand, its shrinking, and its findings."""

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest
from grind import models
from grind.plain import reach, solve, totals
from grind.played import ask_played
from grind.run import grind, replay
from grind.shrink import shrink
from grind.tally import Tally

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
FINDINGS = sorted(Path(__file__).parent.parent.glob("grind/findings/*.json"))


def test_elimination_in_fractions():
    # x + y = 3, x - y = 1
    rows = [{0: Fraction(1), 1: Fraction(1)}, {0: Fraction(1), 1: Fraction(-1)}]
    assert solve(rows, [[Fraction(3)], [Fraction(1)]]) == [[2], [1]]


def test_a_gambler_with_two_coins_is_ruined_as_the_textbook_says():
    # Odds q/p = 2: the chance to come from 2 to 4 before 0 is (1 - 2²) / (1 - 2⁴) = 1/5.
    step = [[(THIRD, s + 1), (2 * THIRD, s - 1)] for s in range(1, 4)]
    chain = [[], *step, []]
    assert reach(chain, {4})[2] == Fraction(1, 5)


def test_what_is_earned_without_an_end_is_infinite():
    chain = [[(HALF, 0), (HALF, 1)], [], [(Fraction(1), 2)]]
    assert totals(chain, [Fraction(1)] * 3, {1}) == [2, 0, None]


def test_shrinking_keeps_what_matters():
    data = {"states": [[3, 1], [9, 12], [4, 4]], "on": True}
    assert shrink(data, lambda d: any(9 in s for s in d["states"])) == {
        "states": [[9]],
        "on": False,
    }


@pytest.mark.parametrize("path", FINDINGS, ids=lambda path: path.stem)
def test_what_was_found_once_stays_mended(path):
    assert replay(path) == []


def test_some_cases_of_every_kind_agree_with_their_references():
    report = grind(300.0, seed=1, chosen=["game", "model", "board"], cases=24)
    assert report.tally.total > 100
    assert not report.findings, str(report)


def test_programs_are_played_as_walks_in_fractions_say():
    tally = Tally()
    for seed in range(12):
        data = models.draw(Random(seed))
        program = models.Program(data)
        tally.attempt(ask_played, program, program.plain(), data, tally)
    assert not tally.differences
    assert tally.answers[": odds of play"] > 20


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["game", "model", "board"])
def test_minutes_of_a_kind_agree_with_their_references(kind):
    report = grind(90.0, seed=2, chosen=[kind])
    assert not report.findings, str(report)
