"""Certificates that lie: about their policy, about whose rules they prove; and random changes.

Piglet to 3 points is worth 6/11 to who begins (Neller and Presser): a certificate that lets later
claims rest on another policy can say anything else.
"""

from __future__ import annotations

import copy
import json
import random
from fractions import Fraction
from math import inf
from pathlib import Path

import pytest
from tests.certificate.mutations import mutated
from tests.certificate.test_certificate_files import CHOOSE, DICE, DUEL

from oddsmith import certify, game
from oddsmith.certificate import checker
from oddsmith.certificate.verify import NotProvedError, verify
from oddsmith.errors import OddsmithError

DEFECTS = Path(__file__).parent.parent / "data" / "defects"


def test_later_claims_rest_on_the_policy_that_was_proved_optimal():
    with pytest.raises(NotProvedError, match="another policy than the claim about optimal play"):
        verify(DEFECTS / "forged.cert")
    with pytest.raises(checker.Refused, match="another policy"):
        checker.check(checker.read(str(DEFECTS / "forged.cert")))


def test_odds_by_another_policy_are_refused_and_by_the_same_one_accepted():
    """The claims of odds in a certificate are replaced by true ones about the worst policy."""
    honest = certify(game("piglet", goal=2), method="exact").content
    checker.check(honest)
    other = copy.deepcopy(honest)
    for claim in other["claims"][1:]:
        claim["policy"] = [1 - p if n == 2 else p
                           for p, n in zip(claim["policy"], other["model"]["choices"], strict=True)
                           ]  # fmt: skip
    with pytest.raises(checker.Refused, match="another policy"):
        checker.check(other)


def test_a_certificate_without_its_constants_is_one_sentence():
    with pytest.raises(OddsmithError, match="which values its constants have"):
        verify(DEFECTS / "crash1.cert")


@pytest.mark.parametrize("ask", [None, 'P=? [ F "over" ]'])
def test_a_board_without_a_name_is_verified(ask, tmp_path):
    board = game(str(DEFECTS / "sb.toml"))
    certify(board, ask).save(tmp_path / "x.cert")
    found = verify(tmp_path / "x.cert")
    assert found.rules.where == "certificate"
    assert found.rules.key is None


def test_a_board_in_a_file_of_an_odd_name_is_verified(tmp_path):
    odd = tmp_path / "my\tboard\x1b.toml"
    odd.write_bytes((DEFECTS / "sb.toml").read_bytes())
    certify(game(str(odd))).save(tmp_path / "x.cert")
    assert verify(tmp_path / "x.cert").verdict.title.endswith("my?board?.toml, 2 players")


def goose(folder, change) -> str:
    """A board that calls itself Game of the Goose."""
    catalogue = type(game("goose")).file.text
    path = folder / "mine.toml"
    path.write_text(change(catalogue), encoding="utf-8")
    certify(game(str(path)), method="certified").save(folder / "goose.cert")
    return str(folder / "goose.cert")


@pytest.mark.parametrize(
    ("written", "changed"),
    [
        ("at = 31, hold = true", "at = 31"),
        ("at = 19, wait = 1", "at = 19, wait = 3"),  # numbers that are options too
        ("goto = 30", "goto = 12"),
    ],
)
def test_changed_rules_are_not_the_catalogues_even_under_its_name(tmp_path, written, changed):
    assert written in type(game("goose")).file.text
    found = verify(goose(tmp_path, lambda t: t.replace(written, changed)))
    assert found.verdict.title == "Game of the Goose, 2 players"
    assert "NOT the rules of the catalogue's goose" in str(found)
    assert json.loads(found.to_json())["same_as_catalogue"] is False


def test_the_catalogues_rules_in_a_file_are_recognised(tmp_path):
    found = verify(goose(tmp_path, lambda t: t + "\n# a remark\n"))
    assert "those in the certificate, the same as the catalogue's goose" in str(found)
    assert json.loads(found.to_json())["same_as_catalogue"] is True


def test_options_that_are_said_are_those_of_the_catalogue(tmp_path):
    (tmp_path / "mine.toml").write_text(type(game("goose")).file.text, encoding="utf-8")
    certify(game(str(tmp_path / "mine.toml"), **{"inn.wait": 3})).save(tmp_path / "x.cert")
    found = verify(tmp_path / "x.cert")
    assert found.verdict.title == "Game of the Goose, 2 players, inn.wait 3"
    assert json.loads(found.to_json())["same_as_catalogue"] is True


def test_rules_of_the_catalogue_are_said_to_be_that(tmp_path):
    certify(game("coin-race")).save(tmp_path / "x.cert")
    assert "rules: those of the catalogue (coin-race)" in str(verify(tmp_path / "x.cert"))
    assert "rules: not run" in str(verify(tmp_path / "x.cert", no_rules=True))


def test_a_seat_is_free_alone_and_words_say_so():
    """Of several seats only who decides is free, so nothing holds "however it is played"."""
    content = certify(game("piglet", goal=2), ask="play", method="exact").content
    claim = content["claims"][0]
    count = len(claim["lower"]["values"])
    for side, value in (("lower", 0), ("upper", 1)):
        claim[side] = {"free": "all", "values": [value] * count, "over": 1}
        for one in claim["results"]:
            one[side] = [value, 1]
    assert {one.condition for one in checker.check(content).proved} == {
        "if no more than one player leaves the policy, where the file says"
    }


@pytest.mark.parametrize("number", [Fraction(10) ** 5000, Fraction(-7, 3) * 10**400])
def test_numbers_of_thousands_of_digits_are_shown(number):
    for up in (False, True):
        shown = Fraction(checker.decimal(number, up))
        assert shown >= number if up else shown <= number
        assert abs(shown - number) <= abs(number) / 10**14
    assert "e+" in checker.described(checker.Proved("it", number, number, ""))


# Random changes ------------------------------------------------------------------------------

BASES = {
    "piglet": lambda method: certify(game("piglet", goal=2), method=method),
    "piglet, seats": lambda m: certify(game("piglet", goal=2), method=m, symmetry=False),
    "coins": lambda method: certify(game("coin-race"), method=method),
    "board": lambda method: certify(game(str(DEFECTS / "sb.toml")), method=method),
    "always": lambda m: certify(DICE, "P=? [ G s!=2 ]", constants="p=1/4", method=m),
    "dear": lambda m: certify(CHOOSE, 'R{"cost"}max=? [ F x=0 ]', method=m),
    "coalition": lambda m: certify(DUEL, "<<one>> Pmax=? [ F s=3 ]", method=m),
}


def number(bound):
    return inf if bound == "infinite" else bound


def fuzz(base, method, seed, rounds, folder) -> int:
    """Verify changed certificates; how many of them still prove what is true."""
    truth = {one.about: number(one.lower) for one in BASES[base]("exact").verdict.proved}
    content = BASES[base](method).content
    path, rng, accepted = folder / "changed.cert", random.Random(seed), 0
    for _ in range(rounds):
        path.write_text(json.dumps(mutated(content, rng)))
        try:
            found = verify(path, no_rules=rng.random() < 0.2)
        except OddsmithError:
            continue
        assert str(found)
        assert json.loads(found.to_json())
        accepted += 1
        for one in found.verdict.proved if found.rules else ():
            assert one.lower is None or number(one.lower) <= truth[one.about], one
            assert one.upper is None or number(one.upper) >= truth[one.about], one
    return accepted


@pytest.mark.parametrize("base", BASES)
def test_changed_certificates_are_refused_or_true(base, tmp_path):
    assert fuzz(base, "exact", 1, 150, tmp_path) > 0


@pytest.mark.slow
@pytest.mark.parametrize("method", ["exact", "certified"])
@pytest.mark.parametrize("base", BASES)
def test_many_changed_certificates_are_refused_or_true(base, method, tmp_path):
    assert fuzz(base, method, 2, 3000, tmp_path) > 0


COIN = """dtmc
module coin
  x : [0..1] init 0;
  [] x=0 -> 1/2:(x'=0) + 1/2:(x'=1);
endmodule
label "win1" = x=1;
"""


def forged(content, path):
    path.write_text(json.dumps(content))
    return path


def test_a_model_that_calls_itself_after_a_game_is_told_from_it(tmp_path):
    """One coin, proved to come up in the end, is not the Game of the Goose."""
    lie = copy.deepcopy(certify(COIN, 'P=? [ F "win1" ]').content)
    lie["title"] = lie["source"]["name"] = "The Game of the GOOSE (2 players)"
    found = verify(forged(lie, tmp_path / "x.cert"))
    assert (found.rules.key, found.rules.same) == ("goose", False)
    assert "NOT the rules of the catalogue's goose" in str(found)


def test_the_title_of_a_file_of_another_tool_is_that_of_the_file(tmp_path):
    (tmp_path / "m.tra").write_text("2 3\n0 0 0.5\n0 1 0.5\n1 1 1\n")
    lie = copy.deepcopy(certify(str(tmp_path / "m.tra"), "P=? [ F s=1 ]").content)
    verify(forged(lie, tmp_path / "x.cert"), rules=str(tmp_path / "m.tra"))
    lie["title"] = "Game of the Goose, 2 players"
    with pytest.raises(OddsmithError, match=r"about m\.tra, but calls itself otherwise"):
        verify(forged(lie, tmp_path / "x.cert"), rules=str(tmp_path / "m.tra"))


def test_words_that_a_certificate_defines_itself_are_shown(tmp_path):
    """The catalogue's rules, but what "won" means is the certificate's: everybody has, always."""
    own = 'label "won" =\n  true;'
    certify(game("coin-race"), 'P=? [ F "won" ]', definitions=own).save(tmp_path / "x.cert")
    found = verify(tmp_path / "x.cert")
    assert 'with its own words: label "won" = true;' in str(found)
    assert json.loads(found.to_json())["definitions"] == 'label "won" = true;'


LATE = '''
from typing import NamedTuple
from oddsmith import Game, coin, move, put

class Late(Game):
    """Players are said to be interchangeable, but ties far from the start go to player 2."""
    class State(NamedTuple):
        squares: tuple[int, int] = (0, 0)
        turn: int = 0
    interchangeable = ("squares",)
    def winner(self, s):
        if s.turn == 0 and max(s.squares) >= 20:
            return 0 if s.squares[0] > s.squares[1] else 1
    @move(dice=coin)
    def toss(self, s, heads):
        step = 1 + heads
        return self.State(put(s.squares, s.turn, s.squares[s.turn] + step), 1 - s.turn)
'''


def test_players_are_interchangeable_in_every_state_or_nothing_is_verified(tmp_path, monkeypatch):
    """Exploring looks at a sample of states; a verdict is not a matter of luck."""
    (tmp_path / "late.py").write_text(LATE)
    rules = str(tmp_path / "late.py")
    monkeypatch.setattr("oddsmith.model.replay.check_symmetry", lambda *_: None)
    certify(game(rules)).save(tmp_path / "x.cert")
    monkeypatch.undo()
    with pytest.raises(OddsmithError, match="declares its players interchangeable, but"):
        verify(tmp_path / "x.cert", rules=rules)
    certify(game(rules), symmetry=False).save(tmp_path / "y.cert")
    verify(tmp_path / "y.cert", rules=rules)
