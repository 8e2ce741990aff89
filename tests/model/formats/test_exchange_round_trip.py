"""What is written is read again, to the last fraction."""

import numpy as np
import pytest
from exchange_cases import GAMES, assert_same, process_of_game, processes, quickly
from hypothesis import given

from oddsmith.errors import OptionError
from oddsmith.model.formats import FORMATS, read, write
from oddsmith.model.formats.flat import without_players

EXACT = (("model.tra", {"fractions": True}), ("model.drn", {}), ("model.umb", {}))


@pytest.mark.parametrize(("file", "options"), EXACT)
@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_games(tmp_path, name, rules, file, options):
    process = process_of_game(name, **rules)
    notes = write(process, tmp_path / file, **options)
    if file == "model.umb":
        assert_same(process, read(tmp_path / file))
    else:
        assert bool(notes) == (process.kind == "smg")
        assert_same(without_players(process, "")[0], read(tmp_path / file))


@pytest.mark.parametrize(("file", "options"), EXACT)
def test_processes_at_random(tmp_path_factory, file, options):
    @quickly
    @given(processes())
    def check(process):
        path = tmp_path_factory.mktemp("exchange") / file
        write(process, path, **options)
        if file != "model.umb":
            process, _ = without_players(process, "")
        assert_same(process, read(path))

    check()


@pytest.mark.parametrize("file", ["model.tra", "model.drn"])
def test_decimals_are_put_right(tmp_path, file):
    """Sixths in decimals do not sum to one; after division by their sum they are sixths again."""
    process = process_of_game("pig", goal=8)
    write(process, tmp_path / file, fractions=False)
    found = read(tmp_path / file)
    assert set(found.chance.exact) == set(process.chance.exact)
    summed, decimals = found.notes
    assert "up to rounding" in summed
    assert "taken as they stand" in decimals
    assert found.rounded


def test_floats_survive_decimals(tmp_path):
    process = process_of_game("goose", players=2)
    write(process, tmp_path / "goose.tra")
    found = read(tmp_path / "goose.tra")
    assert np.allclose(np.sort(found.chance.floats), np.sort(process.chance.floats), atol=1e-15)


def test_formats_by_name():
    assert set(FORMATS) == {"explicit", "drn", "umb", "prism", "aut", "dot"}
    with pytest.raises(OptionError, match=r"none of \.tra"):
        read("model.xyz")
    with pytest.raises(OptionError, match="There is no format 'foo'"):
        read("model.tra", "foo")
    with pytest.raises(OptionError, match="can be written, not read"):
        read("model.dot")


def test_a_choice_of_numerals_only_where_there_is_one(tmp_path):
    process = process_of_game("left-center-right")
    with pytest.raises(OptionError, match="no choice of decimals"):
        write(process, tmp_path / "m.prism", fractions=True)
