"""Random PRISM programs: compiled to be certified, interpreted to be verified, the same model."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.rules.prism.random_programs import Writer, program_of

from oddsmith.certificate.make import certify
from oddsmith.certificate.verify import verify
from oddsmith.errors import OddsmithError


def questions(program):
    """A chance and a reward that can be asked of a program."""
    variable = program.variables[0]
    goal = variable.name if variable.is_bool else f"{variable.name}={variable.high}"
    game = "<<1>> " if program.kind == "smg" else ""
    most, least = ("", "") if program.kind == "dtmc" else ("max", "min")
    yield f"{game}P{most}=? [ F {goal} ]"
    yield f"{game}P{least}=? [ G !({goal}) ]"
    for structure in program.rewards[:1]:
        name = f'{{"{structure.name}"}}' if structure.name else ""
        yield f"{game}R{name}{least}=? [ F {goal} ]"


def verified(seeds, path) -> int:
    count = 0
    for seed in seeds:
        text = Writer(seed).source()
        try:
            program = program_of(text)
            found = [certify(text, one, max_states=2000) for one in questions(program)]
        except OddsmithError as refused:  # rules that fail, too many states
            if "certificate was found" in str(refused):
                raise
            continue
        for one in found:
            one.save(path)
            assert verify(path).rules, seed
            count += 1
    return count


def test_random_programs(tmp_path):
    assert verified(range(10, 13), tmp_path / "some.cert") > 2


@pytest.mark.slow
def test_many_random_programs(tmp_path):
    assert verified(range(100, 220), tmp_path / "some.cert") > 150


SELDOM = """dtmc
module m
  x : [0..3] init 0;
  [] x=0 -> (x'=1);
  [] x=1 -> 1/{rounds}: (x'=2) + 1/{rounds}: (x'=3) + ({rounds}-2)/{rounds}: (x'=0);
endmodule
"""


@pytest.mark.parametrize("digits", [9, 13, 16])
def test_a_circle_that_is_left_once_in_very_many_rounds(digits, tmp_path):
    """Toward each side with chance one half; fractions bound the rounds where no sweep does."""
    text = SELDOM.replace("{rounds}", f"{10**digits}")
    certify(text, "P=? [ F x=2 ]", method="certified").save(tmp_path / "seldom.cert")
    (claim,) = verify(tmp_path / "seldom.cert").verdict.proved
    assert claim.lower <= Fraction(1, 2) <= claim.upper
