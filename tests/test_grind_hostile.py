"""Hostile files: some of every kind, and the references that judge them."""

import copy
from pathlib import Path
from random import Random

import pytest
from grind import hostile, hostile_files, mutate
from grind.claims import false_claims
from grind.run import grind, run_case
from grind.tally import Tally

from oddsmith import certify, game
from oddsmith.rules.prism import parse_program
from oddsmith.solve.exact import resumed

CHAIN = """dtmc
module m
 s:[0..2] init 0;
 [] s=0 -> 1/3:(s'=1) + 1/3:(s'=2) + 1/3:true;
 [] s>0 -> true;
endmodule
rewards "r" s=0 : 1; endrewards
"""

CHOICES = """mdp
module m
 s:[0..2] init 0;
 [a] s=0 -> 1/3:(s'=1) + 2/3:(s'=2);
 [b] s=0 -> 1/2:(s'=1) + 1/2:(s'=2);
 [c] s=0 -> true;
 [] s>0 -> true;
endmodule
"""

QUESTIONS = [
    (CHAIN, "P=? [ F s=1 ]"),
    (CHAIN, 'R{"r"}=? [ F s>0 ]'),
    (CHAIN, 'R{"r"}=? [ F s=1 ]'),
    (CHOICES, "Pmax=? [ F s=1 ]"),
    (CHOICES, "Pmin=? [ F s=1 ]"),
]


@pytest.mark.parametrize(("model", "text"), QUESTIONS)
def test_true_claims_are_true_and_false_ones_are_not(model, text):
    """By elimination: the bounds of a certificate, and the same moved by a hair."""
    assert parse_program(model)
    content = certify(model, text, method="exact").content
    assert list(false_claims(content, Random(1))) == []
    for side, hair in (("lower", 1), ("upper", -1)):
        forged = copy.deepcopy(content)
        result = forged["claims"][0]["results"][0]
        if result.get(side) in (None, "infinite"):
            continue
        top, bottom = result[side]
        result[side] = [top * 10**6 + hair, bottom * 10**6]
        assert list(false_claims(forged, Random(1)))


def test_seats_are_turned():
    content = certify(game("piglet", goal=2), method="exact", ask="play").content
    assert content["model"].get("shift") is not None
    assert list(false_claims(content, Random(1))) == []


def test_a_change_is_the_same_for_the_same_numbers():
    data = {"a": [1, 2, {"b": "0x1f"}], "c": None}
    for seed in range(200):
        twice = []
        for _ in range(2):
            changed = copy.deepcopy(data)
            for change in mutate.draw(Random(seed)):
                mutate.change_data(changed, change, {"a": [3]})
            twice.append(mutate.spelled(changed))
        assert twice[0] == twice[1]


def test_who_believes_digits_is_found(monkeypatch):
    """The defect that was: a changed digit makes another answer."""
    base = hostile.made("digits", 0)
    data = copy.deepcopy(base.data)
    data["digits"][5] ^= 1
    path = base.path.with_name("forged.1")
    path.write_bytes(base.write(data))
    with pytest.raises(Exception, match="damaged"):
        base.judge(path)
    monkeypatch.setattr(resumed, "is_true", lambda *_: True)
    assert base.judge(path) == ["a solution that is none"]


@pytest.mark.parametrize("name", hostile.KINDS)
def test_some_files_of_every_kind_are_refused_or_true(name):
    tally, dice = Tally(), Random(f"hostile {name}")
    for seed in range(3):
        changes = [[int(dice.random() < 0.35), mutate.draw(dice)] for _ in range(10)]
        found = run_case("hostile", {"file": name, "seed": seed, "changes": changes}, tally)
        assert found == []
    assert tally.total >= 20


def test_bases_are_what_the_program_accepts():
    for name in hostile.KINDS:
        base = hostile.made(name, 1)
        path = Path(base.path.parent, f"again{base.path.suffix}")
        path.write_bytes(base.content)
        assert base.judge(path) == []
        assert hostile_files.MOST_STATES


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, 4])
def test_minutes_of_hostile_files(seed):
    report = grind(180.0, seed=seed, chosen=["hostile"])
    assert not report.findings, str(report)
