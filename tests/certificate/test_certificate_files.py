"""Certificates as files: of games, boards and PRISM models; tampered with, damaged, hostile."""

from __future__ import annotations

import copy
import gzip
import json
import subprocess
import sys
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.certificate.forgeries import FORGERIES, forge

from oddsmith import Game, certify, coin, game, move, odds, optimal
from oddsmith.certificate import checker
from oddsmith.certificate.verify import NotProvedError, verify
from oddsmith.errors import OddsmithError

HERE = Path(__file__).parent

DICE = """dtmc
const double p;
module die
  s : [0..3] init 0;
  [] s=0 -> p:(s'=1) + (1-p):(s'=2);
  [] s=1 -> 1/3:(s'=0) + 2/3:(s'=3);
  [] s=2 -> 1/2:(s'=2) + 1/2:(s'=0);
endmodule
label "done" = s=3;
rewards "steps" s<3 : 1; endrewards
"""

CHOOSE = """mdp
module walk
  x : [0..4] init 2;
  [left]  x>0 & x<4 -> 0.75:(x'=x-1) + 0.25:(x'=x);
  [right] x>0 & x<4 -> 0.5:(x'=x+1) + 0.5:(x'=x-1);
  [stay]  x=2 -> true;
endmodule
rewards "cost" [left] true : 1; [right] true : 2; endrewards
"""

DUEL = """smg
player one [a], [b] endplayer
player two [c], [d] endplayer
module m
  s : [0..4] init 0;
  [a] s=0 -> 1/2:(s'=1) + 1/2:(s'=2);
  [b] s=0 -> (s'=1);
  [c] s=1 -> (s'=0);
  [d] s=1 -> 1/3:(s'=3) + 2/3:(s'=4);
  [b] s=2 -> (s'=3);
endmodule
"""


def saved(certificate, folder) -> str:
    path = str(folder / "some.cert")
    certificate.save(path)
    return path


def proved(path, **how):
    return {one.about: one for one in verify(path, **how).verdict.proved}


@pytest.mark.parametrize("method", ["exact", "certified"])
def test_a_race_of_coins(method, tmp_path):
    found = proved(saved(certify(game("coin-race"), method=method), tmp_path))
    for about, truth in (("player 1 wins", Fraction(16, 27)), ("length", Fraction(16, 3))):
        assert found[about].lower <= truth <= found[about].upper
        assert found[about].upper - found[about].lower < 1e-12
    assert (found["player 1 wins"].lower == Fraction(16, 27)) == (method == "exact")
    assert found["a draw"].upper == 0  # by the graph, without rounding


@pytest.mark.slow
def test_a_game_that_is_over_at_once():
    """It has no transition at all; the second opinion on `length` found that this was an error."""

    class Over(Game):
        """To a goal of 0, player 2 has won before anybody moves."""

        goal: int = 1

        class State(NamedTuple):
            x: int = 0

        def start(self):
            return self.State()

        def winner(self, s):
            return 1 if s.x >= self.goal else None

        @move(dice=coin)
        def toss(self, s, face):
            return self.State(s.x + face)

    proved = certify(Over(goal=0)).verdict.proved
    assert [(one.about, one.lower, one.upper) for one in proved] == [
        ("player 1 wins", 0, 0), ("player 2 wins", 1, 1), ("a draw", 0, 0), ("length", 0, 0),
    ]  # fmt: skip


def test_two_geese_agree_with_the_forward_solver(tmp_path):
    goose = game("goose")
    path = saved(certify(goose, method="certified"), tmp_path)
    found, forward = proved(path, no_rules=True), odds(goose)
    for about, answer in zip(found, [*forward.win, forward.draw, forward.duration], strict=True):
        assert found[about].lower <= answer.upper
        assert answer.lower <= found[about].upper
        assert found[about].upper - found[about].lower < 1e-11


@pytest.mark.slow
def test_two_geese_exactly(tmp_path):
    path = saved(certify(game("goose"), method="exact"), tmp_path)
    found = proved(path)
    exact = odds(game("goose"), method="exact")
    assert found["player 1 wins"].lower == exact.win[0].exact == found["player 1 wins"].upper


@pytest.mark.parametrize("method", ["exact", "certified"])
@pytest.mark.parametrize("symmetry", [True, False])
def test_optimal_piglet(method, symmetry, tmp_path):
    piglet = game("piglet", goal=3)
    path = saved(certify(piglet, method=method, symmetry=symmetry), tmp_path)
    found = proved(path)
    truth = optimal(piglet, method="exact").advice(piglet.start())[0].worth.exact
    mine = found["what the game is worth to player 1"]
    assert mine.lower <= truth <= mine.upper
    assert mine.upper - mine.lower < 1e-11
    assert mine.condition.startswith("nobody gains")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("pig", {"goal": 6}),
        ("first-orchard", {"fruit": 2}),
        pytest.param("left-center-right", {"players": 3}, marks=pytest.mark.slow),
    ],
)
def test_small_games(name, options, tmp_path):
    path = saved(certify(game(name, **options)), tmp_path)
    assert verify(path).rules


def test_three_players_have_an_equilibrium(tmp_path):
    path = saved(certify(game("piglet", goal=3, players=3), ask="play"), tmp_path)
    found = proved(path)
    assert sum(one.lower for one in found.values()) == 1


@pytest.mark.parametrize(
    ("model", "text", "constants", "truth"),
    [
        (DICE, 'P=? [ F "done" ]', "p=1/4", 1),
        (DICE, "P=? [ s!=2 U s=3 ]", "p=1/4", Fraction(2, 11)),
        (DICE, "P=? [ G s!=2 ]", "p=1/4", Fraction(2, 11)),
        (DICE, 'R{"steps"}=? [ F "done" ]', "p=1/4", Fraction(33, 2)),
        (DICE, 'R{"steps"}=? [ C ]', "p=1/4", Fraction(33, 2)),
        (DICE, 'R{"steps"}=? [ F s=2 ]', "p=1/4", "infinite"),
        (CHOOSE, "Pmax=? [ F x=4 ]", "", Fraction(1, 2)),
        (CHOOSE, "Pmin=? [ F x=4 ]", "", 0),
        (CHOOSE, "Pmax=? [ G x=2 ]", "", 1),
        (CHOOSE, 'R{"cost"}min=? [ F x=0 ]', "", Fraction(8, 3)),
        (CHOOSE, 'R{"cost"}max=? [ F x=0 ]', "", "infinite"),
        (DUEL, "<<one>> Pmax=? [ F s=3 ]", "", Fraction(2, 3)),
        (DUEL, "<<two>> Pmin=? [ F s=3 ]", "", None),
    ],
)
def test_prism_models(model, text, constants, truth, tmp_path):
    for method in ("exact", "certified"):
        found = certify(model, text, constants=constants, method=method)
        (one,) = proved(saved(found, tmp_path)).values()
        if truth == "infinite":
            assert one.lower == "infinite"
        elif truth is not None:
            assert one.lower <= truth <= one.upper
        if method == "exact":
            assert one.lower == one.upper


def test_what_has_no_certificate_says_so():
    for text in ("P=? [ F<=3 s=3 ]", "S=? [ s=3 ]", "P=? [ F P>0.5 [ X s=3 ] ]", "P=? [ X s=1 ]"):
        with pytest.raises(OddsmithError, match="A certificate is one of"):
            certify(DICE, text, constants="p=1/2")
    with pytest.raises(OddsmithError, match="optimal play"):
        certify(game("piglet", goal=3), play="random")


def test_a_board_is_in_its_certificate(tmp_path):
    from oddsmith.rules.board.new import write_template

    board = tmp_path / "my.toml"
    write_template(str(board))
    path = saved(certify(game(str(board)), method="certified"), tmp_path)
    board.unlink()
    assert verify(path).rules


PYTHON = """
from typing import NamedTuple
from oddsmith import Game, coin, move

class Toss(Game):
    '''Heads wins.'''
    players = 1
    class State(NamedTuple):
        won: int = 0
    def winner(self, s):
        return 0 if s.won else None
    def mover(self, s):
        return 0
    @move(dice=coin)
    def toss(self, s, heads):
        return self.State(int(heads))
"""


def test_python_is_never_loaded_because_a_certificate_names_it(tmp_path):
    file = tmp_path / "toss.py"
    file.write_text(PYTHON)
    path = saved(certify(game(f"{file}:Toss")), tmp_path)
    with pytest.raises(OddsmithError, match="--rules"):
        verify(path)
    assert verify(path, no_rules=True).verdict.proved
    assert verify(path, rules=f"{file}:Toss").rules


# Forgeries -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def originals():
    return {
        "exact": certify(game("piglet", goal=3), method="exact").content,
        "certified": certify(game("piglet", goal=2), method="certified").content,
        "chain": certify(game("coin-race"), method="exact").content,
        "prism": certify(CHOOSE, "Pmax=? [ F x=4 ]", method="exact").content,
    }


@pytest.mark.parametrize("original", ["exact", "certified", "chain", "prism"])
@pytest.mark.parametrize("forgery", list(FORGERIES))
def test_a_forgery_is_refused(forgery, original, originals, tmp_path):
    content = copy.deepcopy(originals[original])
    if not forge(forgery, content):
        pytest.skip("nothing to forge")
    path = tmp_path / "forged.cert"
    path.write_bytes(gzip.compress(json.dumps(content).encode()))
    with pytest.raises(OddsmithError) as refused:
        verify(path)
    assert "\n" not in str(refused.value)


def test_infinite_bounds_need_doubts(tmp_path):
    content = certify(CHOOSE, 'R{"cost"}max=? [ F x=0 ]', method="exact").content
    for doubt in (None, {"values": ["infinite"] * 5, "over": 1}, {"values": [1] * 5, "over": 1}):
        forged = copy.deepcopy(content)
        forged["claims"][0]["lower"]["doubt"] = doubt
        with pytest.raises(checker.Refused, match="doubt"):
            checker.check(forged)


def test_the_proof_alone_sees_a_forged_proof(originals):
    for forgery in ("a value", "a claim", "the policy", "no ranks"):
        content = copy.deepcopy(originals["exact"])
        assert forge(forgery, content)
        with pytest.raises(checker.Refused):
            checker.check(content)


# Damage --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x1f\x8b",
        b"\x1f\x8b\x08\x00garbage",
        b"not json",
        b"[]",
        b"[" * 100_000,
        b'{"format": "oddsmith certificate 1"}',
        b'{"format": "oddsmith certificate 2"}',
        b'{"format": "oddsmith certificate 1", "format": "oddsmith certificate 1"}',
        b'{"a": NaN}',
        b'{"a": 1e999999999}',
        b'{"a": ' + b"9" * 100_000 + b"}",
        gzip.compress(b" " * 40_000_000),
        b"\xff\xfe",
        b'{"format": "oddsmith certificate 1", "title": "\\ud800"}',
    ],
)
@pytest.mark.parametrize("no_rules", [True, False])
def test_what_is_no_certificate_is_refused_in_one_sentence(data, no_rules, tmp_path):
    path = tmp_path / "bad.cert"
    path.write_bytes(data)
    with pytest.raises(OddsmithError) as refused:
        verify(path, no_rules=no_rules)
    assert "\n" not in str(refused.value)


def parts(value, path=()):
    """All places in a JSON value."""
    yield path
    items = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        items = list(enumerate(value))[:1]
    for key, inner in items:
        yield from parts(inner, (*path, key))


ODD = [None, -1, 10**30, "x", []]


@pytest.mark.parametrize("original", ["certified", "prism"])
def test_odd_values_anywhere_never_make_it_crash(original, originals, tmp_path):
    path = tmp_path / "odd.cert"
    for place in list(parts(originals[original]))[1:]:
        for odd in ODD:
            content = copy.deepcopy(originals[original])
            inner = content
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = odd
            path.write_text(json.dumps(content))
            for no_rules in (True, False) if place[0] == "source" else (True,):
                with suppress(OddsmithError):
                    verify(path, no_rules=no_rules)


def test_a_terminal_is_not_disturbed(tmp_path):
    content = certify(game("coin-race")).content
    content["title"] = content["claims"][0]["results"][0]["about"] = "\x1b[2Jred\n"
    path = tmp_path / "red.cert"
    path.write_text(json.dumps(content))
    assert "\x1b" not in str(verify(path, no_rules=True))


def test_a_path_that_cannot_be_written_is_refused_before_the_work():
    oddsmith = [sys.executable, "-c", "from oddsmith.cli import main; main()"]
    command = [*oddsmith, "solve", "coin-race", "--certificate", "/no/such/place.cert"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout == ""


def test_what_memory_cannot_hold_is_refused_before_it_is_read(tmp_path, monkeypatch):
    path = saved(certify(game("coin-race")), tmp_path)
    monkeypatch.setattr(checker, "_free", lambda: 1000)
    with pytest.raises(OddsmithError, match="not enough memory"):
        verify(path)


def test_a_truncated_file(tmp_path):
    path = Path(saved(certify(game("coin-race")), tmp_path))
    data = path.read_bytes()
    for cut in (10, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:cut])
        with pytest.raises(NotProvedError, match="damaged"):
            verify(path)


def test_the_checker_runs_alone(tmp_path):
    path = saved(certify(game("coin-race")), tmp_path)
    alone = tmp_path / "alone.py"
    alone.write_text(Path(checker.__file__).read_text(encoding="utf-8"), encoding="utf-8")
    command = [sys.executable, "-I", "-S", str(alone), path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "player 1 wins = 16/27" in done.stdout
    Path(path).write_bytes(b"nothing")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_the_commands(tmp_path):
    oddsmith = [sys.executable, "-c", "from oddsmith.cli import main; main()"]
    path = str(tmp_path / "race.cert")

    def run(*arguments, code=0):
        done = subprocess.run([*oddsmith, *arguments], capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        return done

    run("solve", "coin-race", "--certificate", path)
    found = json.loads(run("verify", path, "--json").stdout)
    assert found["proved"][0]["exact"] == ["16", "27"]
    assert found["rules"] == "compared"
    assert "not run" in run("verify", path, "--no-rules").stdout
    Path(path).write_text("{}")
    done = run("verify", path, code=1)
    assert len(done.stderr.splitlines()) == 1
