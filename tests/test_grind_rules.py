"""Rules in ordinary Python by both engines: drawn at random, and construct by construct."""

from random import Random

import pytest
from grind import rules
from grind.construct_check import check
from grind.constructs import bodies
from grind.rule_games import rule_text
from grind.rule_shrink import shrink_text
from grind.run import grind

SOUND = ("same", "refused")


def test_rules_are_the_same_for_the_same_seed():
    assert rule_text(Random("a")) == rule_text(Random("a")) != rule_text(Random("b"))


def test_drawn_rules_are_python():
    for seed in range(50):
        compile(rules.draw(Random(seed))["source"], "rules", "exec")


def test_shrinking_cuts_along_the_syntax():
    source = "def f(x):\n    if x > 1:\n        y = (x + 2) * 3\n        return y\n    return 0\n"
    assert shrink_text(source, lambda text: "x + 2" in text, 10.0) == "def f(x):\n    y = x + 2\n"


def test_one_set_of_rules_by_both_engines():
    report = grind(300.0, seed=39, chosen=["rules"], cases=1)
    assert not report.findings, str(report)


@pytest.mark.parametrize("body", bodies()[8::240])
def test_a_construct_is_python_or_refused(body):
    assert check(body).kind in SOUND


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_every_construct_is_python_or_refused(part):
    found = [check(body) for body in bodies()[part::20]]
    assert [str(one) for one in found if one.kind not in SOUND] == []


@pytest.mark.slow
def test_rules_for_minutes():
    report = grind(240.0, seed=2, chosen=["rules"])
    assert not report.findings, str(report)
