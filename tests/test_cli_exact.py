"""Exact answers as a person asks for them at the command line."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from tests.test_cli import answer, run

from oddsmith.cli import commands as cli
from oddsmith.errors import OddsmithError
from oddsmith.show.fractions import read_fractions


def test_exact_is_a_method():
    found = answer("solve", "snakes-and-ladders", "--players", "1", "--exact")
    assert found["method"] == "exact"
    assert found["win"][0]["exact"] == "1/1"


def test_digits_on_demand():
    """11/27 = 0.407 407 …; fifty digits, the last one rounded."""
    found = answer("solve", "coin-race", "--digits", "50")
    assert found["win"][1]["decimal"] == "0." + "407" * 16 + "41"
    assert found["win"][1]["exact"] == "11/27"


@pytest.mark.parametrize("command", ["duel", pytest.param("tournament", marks=pytest.mark.slow)])
def test_a_duel_in_fractions(command: str):
    found = answer(command, "piglet", "hold-at-1", "optimal", "--set", "goal=1", "--exact")
    assert [found[key]["exact"] for key in ("first", "second", "coin")] == ["2/3", "1/3", "1/2"]


def test_check_with_digits_and_a_file(tmp_path: Path):
    path = tmp_path / "answers.txt"
    done = run("check", "coin-race", 'P=? [ F "win1" ]', "--digits", "6", "--fractions", str(path))
    assert "0.592593" in done.stdout
    assert read_fractions(path) == {'P=? [ F "win1" ]': Fraction(16, 27)}


def test_lengths_in_fractions(tmp_path: Path):
    path = tmp_path / "lengths.txt"
    done = run(
        "length", "coin-race", "--horizon", "4", "--generating-function", "--fractions", str(path)
    )
    assert "(4z^3 - z^4) / (16 - 16z + 4z^3 - z^4)" in done.stdout
    assert str(path) in done.stdout
    found = read_fractions(path)
    assert (found["length 3"], found["longer than 4"]) == (Fraction(1, 4), Fraction(9, 16))
    assert found["variance of the length"] == Fraction(16, 3)


def test_continued_fractions():
    found = answer("solve", "coin-race", "--continued")
    assert found["win"][0]["continued_fraction"] == "[0; 1, 1, 2, 5]"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--exact", "--method", "certified"], "Either --exact or --method certified"),
        (["--digits", "5", "--method", "float"], "--digits is for exact answers"),
        (["--digits", "5", "--continued"], "in one way"),
        (["--digits", "-1"], "from 0 to 1,000,000"),
        (["--fractions", "none/answers.txt"], "there is no directory none"),
    ],
)
def test_contradictions_are_one_sentence(options: list[str], said: str):
    done = run("solve", "coin-race", *options)
    assert done.returncode == 1
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert not done.stdout


def test_a_full_disk_does_not_lose_the_answers(monkeypatch, tmp_path, capsys):
    def full(*_):
        raise OddsmithError("x could not be written: no space left on device.")

    monkeypatch.setattr("oddsmith.show.fractions.write_fractions", full)
    file = str(tmp_path / "x")
    with pytest.raises(OddsmithError, match="no space left"):
        cli.app(["solve", "coin-race", "--fractions", file, "--json"], standalone_mode=False)
    assert json.loads(capsys.readouterr().out)["win"][0]["exact"] == "16/27"
