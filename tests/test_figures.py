"""The pictures of the papers: every figure can be made, and the page says which it is."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from oddsmith import reproduce
from oddsmith.cli import app
from oddsmith.errors import OddsmithError, OptionError
from oddsmith.present import gallery
from oddsmith.present.gallery import Figure, figures, index_html, make_gallery, papers
from oddsmith.present.pictures.by_name import check_options

SIMPLE = ["goose-3.1", "goose-3.2"]


def test_every_figure_of_the_papers_is_there():
    named = {(figure.paper, figure.figure) for figure in figures()}
    assert named >= {("goose", f"Fig. {n}") for n in ("1.1", "3.1", "3.2", "4.1", "4.2")}
    assert named >= {("pig", f"Figure {n}") for n in range(1, 8)}
    assert ("ganzenbord", "Figuur 2") in named


@pytest.mark.parametrize("figure", figures(), ids=lambda figure: figure.name)
def test_a_figure_says_how_it_is_made(figure):
    assert figure.paper in papers()
    assert set(figure.sources) <= set(reproduce.sources())
    assert figure.subject().players == 2
    assert figure.shows
    assert figure.compared
    if not figure.fraction:
        check_options(figure.picture, figure.settings)
        assert figure.command.startswith("oddsmith plot ")


def test_the_simple_game_as_a_board_is_the_simple_game():
    from oddsmith import odds

    board = next(figure for figure in figures() if figure.board).subject()
    assert [str(a.exact) for a in odds(board).win] == ["16/27", "11/27"]


def test_figures_of_a_source_are_made(tmp_path):
    found = make_gallery(tmp_path / "out", ["simple-game"])
    assert found.ok
    assert [one.figure.name for one in found.made] == SIMPLE
    written = {path.name for path in (tmp_path / "out").iterdir()}
    endings = (".png", ".svg", "-dark.png", "-dark.svg")
    expected = {f"{name}{ending}" for name in SIMPLE for ending in endings}
    assert written == {*expected, "three-squares.toml", "index.html"}
    page = (tmp_path / "out" / "index.html").read_text()
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert 'lang="en"' in page
    assert page.count("<img ") == 2
    assert "oddsmith plot coin-race states -o goose-3.2.svg" in page


def test_stopping_keeps_what_was_made(tmp_path, monkeypatch):
    def made(figure: Figure, place: Path, drawn):
        if figure.name == SIMPLE[1]:
            raise KeyboardInterrupt
        return original(figure, place, drawn)

    original = gallery._made
    monkeypatch.setattr(gallery, "_made", made)
    result = CliRunner().invoke(
        app, ["reproduce", "simple-game", "--figures", "-o", str(tmp_path / "out")]
    )
    assert result.exit_code == 130
    assert "1 of 2 figures" in result.output
    assert "what was made is kept" in result.output
    assert (tmp_path / "out" / "goose-3.1.png").is_file()
    assert (tmp_path / "out" / "index.html").is_file()


def test_a_figure_that_fails_is_said_and_harms_no_other(tmp_path, monkeypatch):
    original = gallery.Figure.subject

    def subject(figure: Figure):
        if figure.name == SIMPLE[0]:
            raise OptionError("It rains.")
        return original(figure)

    monkeypatch.setattr(gallery.Figure, "subject", subject)
    found = make_gallery(tmp_path, ["simple-game"])
    assert not found.ok
    assert "goose-3.1 could not be made: It rains." in str(found)
    assert "It rains." in index_html(found.made)
    assert (tmp_path / "goose-3.2.svg").is_file()


def test_what_cannot_be_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    run = CliRunner().invoke
    for arguments, sentence in (
        (["simple-game", "--figures", "-o", str(tmp_path / "file")], "a file, not a directory"),
        (["nothing", "--figures"], "no published source 'nothing'"),
        (["first-orchard", "--figures"], "no figures, only numbers"),
        (["simple-game", "-o", "x"], "give --figures too"),
        (["simple-game", "--figures", "--full"], "--full is for numbers"),
    ):
        result = run(app, ["reproduce", *arguments])
        assert isinstance(result.exception, OddsmithError)
        assert sentence in str(result.exception)


@pytest.mark.slow
def test_the_exact_fraction_has_the_digits_that_can_be_read_in_print():
    from fractions import Fraction

    from oddsmith.results.answer import Answer

    figure = next(figure for figure in figures() if figure.fraction)
    above, below = gallery._fraction(figure).split("\n\n")[0].split("─" * gallery.COLUMNS)
    exact = Fraction(int("".join(above.split())), int("".join(below.split())))
    printed = [
        text
        for table in reproduce.load("goose").tables
        for text in table.printed.values()
        if reproduce.UNREADABLE in text
    ]
    assert printed
    for text in printed:
        assert reproduce.compare(text, Answer.of_fraction(exact), "stretches") == "agree"


@pytest.mark.slow
def test_all_figures_can_be_made(tmp_path):
    found = make_gallery(tmp_path)
    assert found.ok, str(found)
    for figure in ("goose-4.2", "pig-1", "pig-3", "pig-5", "pig-6", "pig-7"):
        assert (tmp_path / f"{figure}.html").is_file()
