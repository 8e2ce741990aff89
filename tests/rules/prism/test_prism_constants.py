"""Constants as they are given on a command line."""

from fractions import Fraction

import pytest

from oddsmith.errors import OptionError
from oddsmith.rules.prism.constants import parse_constants


def test_values_are_exact() -> None:
    assert parse_constants(" N = 3, p=0.1,q=-1/6,b=true,e=1e-2") == [
        {"N": 3, "p": Fraction(1, 10), "q": Fraction(-1, 6), "b": True, "e": Fraction(1, 100)}
    ]
    assert parse_constants("") == [{}]


def test_ranges_are_low_step_high_and_combine() -> None:
    found = parse_constants("N=1:2,p=0.1:0.1:0.3")
    assert [(x["N"], x["p"]) for x in found] == [
        (n, Fraction(p, 10)) for n in (1, 2) for p in (1, 2, 3)
    ]
    assert [x["N"] for x in parse_constants("N=0:2:5")] == [0, 2, 4]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("N", "name=value"),
        ("N=1,,M=2", "name=value"),
        ("N=1,N=2", "Constant N is given twice"),
        ("N=__import__('os')", "must be a number, true or false"),
        ("N=", "must be a number, true or false"),
        ("N=1:2:3:4", "low:high or low:step:high"),
        ("N=true:false", "low:high or low:step:high"),
        ("N=1:0:3", "step of constant N must be above zero"),
        ("N=3:1", "range of constant N is empty"),
        ("N=1:1000000000", "more than 10,000 experiments"),
        ("N=1:1000,M=1:1000", "more than 10,000 experiments"),
        ("N=1e999999999", "too large"),
        ("N=1/0", "divides by zero"),
    ],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        parse_constants(text)
