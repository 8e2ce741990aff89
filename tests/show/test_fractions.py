"""Exact answers in a file: written in full, read back, and the errors of files."""

from fractions import Fraction

import pytest

from oddsmith import check, compare, duel, game, length, odds, tournament, visits
from oddsmith.errors import OddsmithError, OptionError
from oddsmith.results.digits import NumberFormat
from oddsmith.show.fractions import read_fractions, write_fractions


def through_a_file(found, tmp_path):
    path = tmp_path / "answers.txt"
    write_fractions(path, found.fractions(), "about this\nand that")
    assert path.read_text().startswith("# about this\n# and that\n# oddsmith ")
    return read_fractions(path)


def test_odds_come_back_from_a_file(tmp_path):
    found = through_a_file(odds(game("coin-race"), method="exact"), tmp_path)
    assert found == {
        "player 1 wins": Fraction(16, 27),
        "player 2 wins": Fraction(11, 27),
        "expected length": Fraction(16, 3),
    }


def test_names_may_have_an_equals_sign(tmp_path):
    race = check("coin-race", 'P=? [ F "win1" ]', 'R{"length"}=? [ F turn = 1 ]', exact=True)
    found = through_a_file(race, tmp_path)
    assert found['P=? [ F "win1" ]'] == Fraction(16, 27)
    assert len(found) == 2
    seen = visits(game("coin-race"), of="turn", method="exact")
    assert through_a_file(seen, tmp_path)["times turn = 1"] == Fraction(80, 27)


def test_experiments_are_told_apart(tmp_path):
    model = "dtmc\nconst int N;\nmodule m\nx:[0..9];\n[] x<N -> 1/3:(x'=x+1)+2/3:(x'=9);\nendmodule"
    found = through_a_file(check(model, "P=? [ F x=N ]", constants="N=1:3", exact=True), tmp_path)
    assert list(found.values()) == [Fraction(1, 3), Fraction(1, 9), Fraction(1, 27)]
    assert next(iter(found)) == "P=? [ F x=N ], N = 1"


def test_every_kind_of_result_can_be_written(tmp_path):
    piglet = game("piglet", goal=2)
    pair = duel(piglet, "optimal", "random", method="exact")
    found = through_a_file(pair, tmp_path)
    assert found["optimal against random, a coin decides"] == pair.coin.exact
    all_three = tournament(piglet, ["optimal", "random", "hold-at-1"], method="exact")
    assert through_a_file(all_three, tmp_path)["random, mean"] == all_three.mean["random"].exact
    two = compare(game("coin-race"), game("coin-race", goal=3), method="exact")
    assert through_a_file(two, tmp_path)["player 1 wins, change"] == Fraction(-2, 81)
    long = length(game("coin-race"), horizon=3, generating_function=True)
    assert through_a_file(long, tmp_path)["coefficient of z^3 in N(z)"] == 4


def test_numbers_of_any_length_are_read_back(tmp_path):
    path, exact = tmp_path / "long.txt", Fraction(3**40_000, 2**60_000 + 1)
    write_fractions(path, [("long", exact)])
    assert read_fractions(path) == {"long": exact}


def test_nothing_exact_is_nothing_to_write(tmp_path):
    found = odds(game("coin-race"), method="certified")
    with pytest.raises(OptionError, match="no exact answer"):
        write_fractions(tmp_path / "x", found.fractions())


def test_a_folder_is_not_written(tmp_path):
    with pytest.raises(OddsmithError, match="could not be written"):
        write_fractions(tmp_path, [("x", Fraction(1))])


@pytest.mark.parametrize("text", ["player 1 wins 1/2\n", "x = 1/y\n", "x = 1/0\n", "x = \n"])
def test_a_line_that_is_no_fraction_is_named(text, tmp_path):
    path = tmp_path / "bad.txt"
    path.write_text("# fine\na = 1/2\n" + text)
    with pytest.raises(OptionError, match="line 3"):
        read_fractions(path)


# Formats in tables -----------------------------------------------------------------------------


def test_tables_have_the_digits_that_were_asked_for():
    found = odds(game("coin-race"), method="exact")
    assert "0.5925925926" in found.text(NumberFormat(digits=10))
    assert "rounded to the nearest" in found.text(NumberFormat(digits=10))
    assert "[0; 1, 1, 2, 5]" in found.text(NumberFormat(continued=True))
    assert "in full in here.txt" in found.text(NumberFormat(file="here.txt"))
    assert found.to_dict(NumberFormat(digits=3))["win"][0]["decimal"] == "0.593"
    seen = visits(game("coin-race"), of="turn", method="exact")
    assert "2.96296" in seen.text(NumberFormat(digits=5))
    assert "[2; 1, 26]" in seen.text(NumberFormat(continued=True))
    race = check("coin-race", 'P=? [ F "win1" ]', exact=True)
    assert "0.5926" in race.text(NumberFormat(digits=4))
    assert '"decimal": "0.5926"' in race.to_json(NumberFormat(digits=4))


def test_what_is_not_shown_in_full_has_a_hint():
    hint = "--fractions FILE"
    assert hint not in str(odds(game("coin-race"), method="exact"))
    assert hint in str(odds(game("chutes-and-ladders"), method="exact"))
    assert hint in str(length(game("chutes-and-ladders"), horizon=12))
    assert hint not in odds(game("chutes-and-ladders"), method="exact").text(NumberFormat(digits=3))
