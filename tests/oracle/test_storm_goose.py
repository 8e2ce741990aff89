"""Storm, fed with PRISM source written from the printed rules, gives the printed figures."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("stormpy")

from benchmarks.peers.goose_prism import goose_prism, landing, squares
from benchmarks.peers.storm import run

ROOT = Path(__file__).parents[2]
THROWS = 'R{"throws"}=? [F "over"]'


def chance(label: str) -> str:
    return f'P=? [F "{label}"]'


def test_examples_of_the_paper() -> None:
    assert landing(46, 2, 2) == 0
    assert landing(60, 6, 6) == 30
    assert (landing(0, 3, 6), landing(0, 5, 4)) == (53, 26)
    assert len(squares()) == 47


@pytest.mark.parametrize("sound", [False, True])
def test_two_players(sound: bool) -> None:
    asked = [chance("win1"), chance("win2"), chance("draw"), THROWS]
    found = run(goose_prism(2), asked, sound=sound)
    first, second, draw, throws = found["values"]
    assert found["states"] == 4414
    assert first == pytest.approx(0.39362513739375739, abs=1e-12 if sound else 1e-10)
    assert first + second + draw == pytest.approx(1, abs=1e-10)
    assert [f"{value:.5f}" for value in (second, draw)] == ["0.37999", "0.22639"]
    assert f"{throws:.2f}" == "29.07"
    if sound:
        lower, upper = found["bounds"][0]
        assert lower <= 0.39362513739375739 <= upper


@pytest.mark.slow
def test_three_players() -> None:
    asked = [chance("win1"), chance("win2"), chance("win3"), THROWS]
    found = run(goose_prism(3), asked, sound=True)
    assert found["states"] == 297_441
    assert [f"{value:.5f}" for value in found["values"][:3]] == ["0.34596", "0.33290", "0.32114"]
    assert f"{found['values'][3]:.2f}" == "39.42"


def test_as_a_process_of_its_own() -> None:
    job = {"source": goose_prism(2), "properties": [chance("win1")], "sound": True}
    ended = subprocess.run(
        [sys.executable, "-m", "benchmarks.peers.storm"],
        input=json.dumps(job),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    found = json.loads(ended.stdout)
    assert found["values"] == [pytest.approx(0.39362513739375739, abs=1e-12)]
    assert found["peak_mb"] > 0
