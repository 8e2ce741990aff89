"""Pictures by name: what they show is what the questions answer, and mistakes are told early."""

import numpy as np
import pytest
from typer.testing import CliRunner

import oddsmith
from oddsmith import OddsmithError, OptionError, game, odds, plot, values, visits
from oddsmith.cli import app
from oddsmith.present.pictures.answers import chances_by_square, games_of_players, varied_rule
from oddsmith.present.pictures.by_name import PICTURES, options_from_text
from oddsmith.rules.board.game import board_class
from oddsmith.runtime.progress import Silent
from oddsmith.show.drawings.tokens import TokenGrid, grid_of
from oddsmith.show.pictures.spec import Heat, Line, Shapes, Surface


@pytest.fixture(scope="module")
def goose_grid() -> TokenGrid:
    goose = game("goose")
    return grid_of(goose, values(goose))


def of(picture, kind, panel=0):
    return [layer for layer in picture.panels[panel].layers if isinstance(layer, kind)]


# Figure 4.2 of the Goose paper --------------------------------------------------------------


def test_two_geese_on_the_start_have_the_odds_of_the_game(goose_grid: TokenGrid) -> None:
    found = odds(game("goose"))
    assert goose_grid.places[0] == "0 (start)"
    assert goose_grid.first[0, 0] == pytest.approx(found.win[0].value, abs=1e-11)
    assert goose_grid.draw[0, 0] == pytest.approx(found.draw.value, abs=1e-11)


def test_positions_are_those_where_a_goose_can_stand(goose_grid: TokenGrid) -> None:
    squares = [int(place.split()[0]) for place in goose_grid.places]
    moved_on = {5, 9, 14, 18, 23, 27, 32, 36, 41, 45, 50, 54, 59, 6, 42, 58}
    assert squares == [n for n in range(64) if n not in moved_on | {1}]  # nobody throws a 1


def test_the_wall_the_valley_and_the_spikes(goose_grid: TokenGrid) -> None:
    for chance in (goose_grid.first, goose_grid.second):
        wall, valley = chance[-1, :-1], chance[:-1, -1]
        assert (wall == 1).all()  # player 1 has won
        assert (valley == 0).all()  # player 2 has
    well, prison = (goose_grid.places.index(name) for name in ("31 (well)", "52 (prison)"))
    assert goose_grid.draw[well, prison] == goose_grid.draw[prison, well] == 1
    assert np.nansum(goose_grid.draw == 1) == 2
    assert np.isnan(np.diag(goose_grid.first)[2:10]).all()  # a square holds one goose


def test_prison_costs_the_other_more_than_the_well(goose_grid: TokenGrid) -> None:
    """With player 2 in the prison, player 1 wins far more often; in the well, nobody does."""
    well, prison = (goose_grid.places.index(name) for name in ("31 (well)", "52 (prison)"))
    usual, drawn = np.nanmean(goose_grid.first[:20]), np.nanmean(goose_grid.draw[:20])
    assert np.nanmean(goose_grid.first[:20, prison]) > usual + 0.1
    assert abs(np.nanmean(goose_grid.first[:20, well]) - usual) < 0.05
    assert np.nanmean(goose_grid.draw[:20, well]) > drawn + 0.25


def test_the_picture_of_two_tokens() -> None:
    drawn = plot("goose", "tokens")
    assert len(drawn.panels) == 6
    assert drawn.columns == 2
    assert [panel.z is not None for panel in drawn.panels] == [False, True] * 3
    heat, surface = of(drawn, Heat, 4)[0], of(drawn, Surface, 5)[0]
    assert np.array_equal(heat.value, surface.z, equal_nan=True)
    assert heat.text[0][0].startswith("player 1 on 0 (start), player 2 on 0 (start): 22.6")
    assert [name for _, name in drawn.panels[0].x.ticks] == ["0", "19", "31", "52", "63"]
    assert len(plot("goose", "tokens", quantity="draw").panels) == 2
    assert len(plot("coin-race", "tokens").panels) == 4  # no draw


# Squares ------------------------------------------------------------------------------------


def test_visits_on_the_board() -> None:
    found = visits(game("chutes-and-ladders"))
    drawn = plot("chutes-and-ladders", "visits")
    faint, known = of(drawn, Shapes)
    assert sum(known.value) == pytest.approx(sum(v.times.value for v in found.visits))
    assert len(faint.corners) == 19  # chutes and ladders
    assert known.value[-1] == 1  # in the end it is there
    assert "ever" in known.text[3]


@pytest.mark.parametrize("picture", ["board", "visits"])
def test_an_explored_board_is_drawn_as_the_board(picture) -> None:
    goose = game("goose")
    drawn = plot(oddsmith.explore(goose), picture)
    assert drawn.title == plot(goose, picture).title
    assert len(of(drawn, Shapes)) == len(of(plot(goose, picture), Shapes)) > 0


def test_visits_with_more_players_come_from_the_lattice() -> None:
    drawn = plot(game("goose", players=3), "visits", player=2)
    assert "player 2's" in drawn.title
    known = of(drawn, Shapes)[1]
    assert known.value[-1] == pytest.approx(0.3330, abs=1e-3)  # it wins
    assert known.scale.high < known.value[0]  # the start is beyond the scale
    assert "beyond the scale" in drawn.small


def test_chances_from_each_square_are_values_of_states() -> None:
    goose = game("goose")
    chance, _ = chances_by_square(goose, Silent())
    table = values(goose).values
    for square in (0, 10, 31, 62):
        known = table[goose.State((square, 0), 0)]["win 1"].value
        assert chance[square].value == pytest.approx(known, abs=1e-11)
    assert 63 not in chance
    assert 5 not in chance


def test_chances_of_positions_that_play_does_not_come_to() -> None:
    """On this board nobody comes back to the start, nor has it a lattice; solved by hand."""
    text = '[board]\nfinish = 3\ndice = "d2"\novershoot = "win"\noccupied = "swap"\n'
    chance, _ = chances_by_square(board_class("three.toml", text)(), Silent())
    # V(2, b) = 1. V(0, 2) = (0 + 1 - V(0, 2)) / 2, V(1, 2) = (1 + 1 - V(1, 2)) / 2, and so on.
    expected = {0: 11 / 18, 1: 5 / 6, 2: 1.0}
    assert {at: answer.value for at, answer in chance.items()} == pytest.approx(expected)


def test_the_board_and_its_first_throws() -> None:
    drawn = plot("goose")
    assert drawn.title == "Game of the Goose"
    assert drawn.small == "2 players · first throw 3,6: goto 53, 4,5: goto 26"
    assert plot("goose", title="A board").title == "A board"
    assert plot("coin-race").title == "Coin race: who wins"


# Players and rules --------------------------------------------------------------------------


def test_seats_by_number_of_players() -> None:
    drawn = plot("snakes-and-ladders", "seats", up_to=4)
    first = next(line for line in of(drawn, Line) if line.name == "player 1")
    assert list(first.x) == [2, 3, 4]
    expected = [odds(game("snakes-and-ladders", players=n)).win[0].value for n in (2, 3, 4)]
    assert list(first.y) == expected
    assert [one.players for one in games_of_players(game("risk"), 9)] == [2]


def test_a_rule_varies_as_its_game_parses_it() -> None:
    goose = game("goose", **{"inn.wait": 2})
    assert varied_rule(goose, "inn.wait=0..3") == ("inn.wait", [0, 1, 2, 3])
    assert varied_rule(goose, "finish = 50..63:5") == ("finish", [50, 55, 60])
    assert varied_rule(goose, "overshoot=bounce, win") == ("overshoot", ["bounce", "win"])
    drawn = plot(goose, "sensitivity", vary="inn.wait=0,3")
    (first, _) = of(drawn, Line)
    for at, chance in zip((0, 3), first.y, strict=True):
        assert chance == odds(game("goose", **{"inn.wait": at})).win[0].value


@pytest.mark.parametrize(
    ("name", "picture", "options", "message"),
    [
        ("goose", "visit", {}, "There is no picture 'visit': did you mean 'visits'?"),
        ("goose", "seats", {"upto": 3}, "The picture seats has no option 'upto': did you mean"),
        ("coin-race", "board", {}, "Coin race is no race along the squares of a board"),
        ("pig", "tokens", {}, "The picture tokens is of two players with a piece each"),
        ("goose", "tokens", {"quantity": "x"}, "There is no quantity 'x' of two tokens: choose f"),
        ("chutes-and-ladders", "chances", {}, "Alone, the player of Chutes and Ladders always"),
        ("goose", "sensitivity", {}, "What varies? Name an option and its values"),
        ("goose", "sensitivity", {"vary": "inn.wait"}, "What varies is written like inn.wait=0..5"),
        ("goose", "sensitivity", {"vary": "inn.wiat=0..5"}, "did you mean 'inn.wait'?"),
        ("goose", "sensitivity", {"vary": "inn.wait=5..0"}, "5..0 is no range"),
        ("goose", "sensitivity", {"vary": "inn.wait=1"}, "must vary over 2 to 60 values"),
        ("goose", "sensitivity", {"vary": "inn.wait=a,b"}, "cannot be 'a': it is a whole number"),
        ("goose", "sensitivity", {"vary": "inn.wait=0..101:101"}, "from 0 to 100, not 101"),
        ("goose", "sensitivity", {"vary": "players=2..3"}, "varies in the picture seats"),
        ("goose", "seats", {"up_to": 1}, "cannot be played by 2 players or more, up to 1"),
        ("goose", "length", {"play": "optimal"}, "leaves nothing to decide"),
    ],
)
def test_mistakes_are_one_sentence(name, picture, options, message) -> None:
    with pytest.raises(OptionError) as error:
        plot(name, picture, **options)
    assert message in str(error.value)


def test_every_picture_there_is_can_be_asked_for() -> None:
    for name, kind in PICTURES.items():
        assert "title" in kind.options, name
        assert kind.says[0].islower() or kind.says.startswith("player"), name


def test_options_from_texts() -> None:
    assert options_from_text("length", {"cumulative": "yes", "up_to": "3"}) == {
        "cumulative": True, "up_to": 3,
    }  # fmt: skip
    assert options_from_text("contours", {"levels": "0.1,0.5", "labels": "turn=who"}) == {
        "levels": [0.1, 0.5], "labels": {"turn": "who"},
    }  # fmt: skip
    for picture, option, text, takes in (
        ("length", "cumulative", "perhaps", "is true or false, not 'perhaps'"),
        ("seats", "up_to", "x", "is a whole number, not 'x'"),
        ("contours", "levels", "a,b", "is numbers such as 0.03,0.09, not 'a,b'"),
        ("section", "labels", "turn", "is NAME=TEXT, not 'turn'"),
    ):
        with pytest.raises(OptionError, match=takes):
            options_from_text(picture, {option: text})


def test_plot_stays_a_function() -> None:
    """No module of that name may ever hide it."""
    assert callable(oddsmith.plot)
    assert oddsmith.plot is plot


# Results ------------------------------------------------------------------------------------


def test_results_draw_what_they_hold() -> None:
    race = game("coin-race")
    asked = (odds, oddsmith.length, visits, values)
    titles = [ask(race).plot().title.removeprefix("Coin race: ") for ask in asked]
    assert titles == [
        "who wins", "how long it takes", "how often play comes there", "the chances of two tokens",
    ]  # fmt: skip
    with pytest.raises(OptionError, match="There is no picture of all values of Piglet"):
        values(game("piglet")).plot()


# The command --------------------------------------------------------------------------------


def test_the_command_writes_a_file(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["plot", "snakes", "board", "--theme", "dark"])
    assert done.output == "snakes-and-ladders-board.png: Snakes and Ladders\n"
    assert (tmp_path / "snakes-and-ladders-board.png").read_bytes().startswith(b"\x89PNG")
    done = CliRunner().invoke(app, ["plot", "coin-race", "length", "--cumulative", "-o", "a.svg"])
    assert done.output == "a.svg: Coin race: how long it takes\n"
    assert "at most this length" in (tmp_path / "a.svg").read_text()


def test_the_command_checks_before_it_solves(tmp_path) -> None:
    def said(*arguments: str) -> str:
        # Ten geese take hours to solve: a mistake must be found before.
        done = CliRunner().invoke(app, ["plot", "goose", "-n", "10", *arguments])
        assert isinstance(done.exception, OddsmithError), done.output
        return str(done.exception)

    assert "a picture is a png, svg, pdf or html" in said("chances", "-o", "x.gif")
    assert "there is no directory" in said("chances", "-o", str(tmp_path / "no" / "x.png"))
    assert "There is no theme 'pink'" in said("chances", "--theme", "pink")
    assert "no option 'up_to'" in said("chances", "--up-to", "3")
    assert "no option 'labels'" in said("chances", "--label", "a=b")
    assert "There is no picture 'chance'" in said("chance")


def test_the_help_lists_the_pictures() -> None:
    shown = CliRunner().invoke(app, ["plot", "--help"]).output
    for name, kind in PICTURES.items():
        assert f"  {name} " in shown
        assert kind.says in shown


BEFORE_SOLVING = {
    "a place that many states share": ("section", {}, "fix total too"),
    "a number that there is not": ("section", {"where": "score=3"}, "no number 'score'"),
    "a condition that is none": ("section", {"where": "scores[1]"}, "NAME=NUMBER"),
    "another policy misspelt": (
        "section",
        {"where": "scores[1]=3", "compare": "holdat"},
        "no policy 'holdat'",
    ),
    "a move misspelt": ("surface", {"move": "flp"}, "did you mean 'flip'"),
    "an axis that there is not": ("contours", {"x": "score"}, "no number 'score'"),
    "a policy misspelt": ("reachable", {"play": "holdat"}, "no policy 'holdat'"),
}


@pytest.mark.parametrize("mistake", BEFORE_SOLVING)
def test_a_mistake_is_told_before_anything_is_solved(mistake, monkeypatch):
    monkeypatch.setattr("oddsmith.present.pictures.policy.table_of", None)
    picture, options, advice = BEFORE_SOLVING[mistake]
    with pytest.raises(OptionError, match=advice):
        plot(game("piglet", goal=4), picture, **options)


def test_a_player_who_is_not_there_is_told_before_anything_is_explored(monkeypatch):
    monkeypatch.setattr("oddsmith.ask.visits.plan", None)
    with pytest.raises(OptionError, match="no player 7"):
        plot(game("goose"), "visits", player=7)
