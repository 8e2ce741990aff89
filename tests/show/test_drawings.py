"""What is drawn of boards and answers are the numbers of the answers."""

import numpy as np
import pytest

from oddsmith import game, length, odds, visits
from oddsmith.results.answer import Answer
from oddsmith.results.result import Evidence, Result
from oddsmith.rules.board.game import board_class
from oddsmith.show.board_json import drawing_of
from oddsmith.show.drawings import board, lengths, seats, sensitivity
from oddsmith.show.drawings.visits import bars
from oddsmith.show.pictures.spec import (
    Arrows,
    Band,
    Bars,
    Line,
    Mark,
    Picture,
    Points,
    Scale,
    Shapes,
    Texts,
)


def layers(picture: Picture, kind: type, panel: int = 0) -> list:
    return [layer for layer in picture.panels[panel].layers if isinstance(layer, kind)]


def texts(picture: Picture) -> list[str]:
    return [text for layer in layers(picture, Texts) for text in layer.text]


# Boards -------------------------------------------------------------------------------------


def test_every_square_of_a_board_says_what_it_is() -> None:
    drawn = board.board(drawing_of(game("goose")), "Goose", "small")
    written = texts(drawn)
    assert [str(n) for n in range(64)] == sorted(
        (text for text in written if text.isdigit()), key=int
    )
    assert written.count("goose") == written.count("again") == 13
    for words in ("→ 12", "→ 30", "→ start", "wait 1", "start", "finish", "inn", "prison"):
        assert words in written
    assert written.count("hold") == 2
    assert len(layers(drawn, Shapes)[0].corners) == 64
    assert {key.name for key in drawn.legend} == {
        "same again", "leads on", "leads back", "rest", "on hold",
    }  # fmt: skip
    assert drawn.panels[0].bare
    assert "58 death: restart" in drawn.alt


def test_ladders_and_chutes_are_told_apart_by_more_than_colour() -> None:
    chutes = game("chutes-and-ladders")
    up, down = layers(board.board(drawing_of(chutes), "Chutes"), Arrows)
    assert (len(up.x), len(down.x)) == (9, 10)
    assert up.ink != down.ink
    assert up.bend == 0 < down.bend
    assert up.to_y[0] > up.y[0]  # paper has y upwards, so a ladder goes up
    assert (np.asarray(down.to_y) <= np.asarray(down.y)).all()


def test_words_that_do_not_fit_are_left_out() -> None:
    text = "[board]\nfinish = 3000\n[squares]\n'a very long name indeed' = { at = 7, wait = 1 }\n"
    drawn = board.board(drawing_of(board_class("long.toml", text)()), "Long")
    assert "a very long name indeed" not in texts(drawn)
    assert all(layer.size >= board.SMALLEST_PRINT - 0.5 for layer in layers(drawn, Texts))
    assert max(drawn.size) < 11


def test_a_heat_map_has_the_values_and_leaves_other_squares_faint() -> None:
    snakes = drawing_of(game("snakes-and-ladders"))
    values = {number: number / 20 for number in range(1, 15)}
    drawn = board.heat(
        snakes, values, "Heat", told={}, scale=Scale(format="percent", label="share")
    )
    empty, known = layers(drawn, Shapes)
    assert list(known.value) == list(values.values())
    assert (known.scale.low, known.scale.high) == (0.05, 0.7)
    assert len(empty.corners) == 6
    assert set(empty.fill) == {"faint"}
    assert "35.0" in texts(drawn)  # square 7
    assert empty.text[0].endswith("nobody stands here")


def test_what_is_written_on_a_dark_value_is_light() -> None:
    values = {number: float(number) for number in range(1, 21)}
    drawn = board.heat(
        drawing_of(game("snakes-and-ladders")), values, "Heat", told={}, scale=Scale()
    )
    ink = {text: layer.ink for layer in layers(drawn, Texts) for text in layer.text}
    assert (ink["2.00"], ink["19"]) == ("line", "paper")


# Lengths ------------------------------------------------------------------------------------


def test_bars_of_a_length_are_the_distribution() -> None:
    found = length(game("coin-race"))
    drawn = lengths.lengths([found])
    (drawn_bars,) = layers(drawn, Bars)
    chance = dict(zip(np.asarray(drawn_bars.x).tolist(), drawn_bars.height, strict=True))
    assert all(chance[at] == share for at, share in found.distribution if at in chance)
    assert sum(chance.values()) >= lengths.SHOWN
    marks = {mark.text: mark.at for mark in layers(drawn, Mark)}
    assert marks["50 % of games: at most 5"] == 5
    assert marks[f"mean {found.duration.value:.2f}"] == found.duration.value
    assert "% last longer than" in drawn.small
    assert "unresolved" in drawn.small


def test_lengths_add_up() -> None:
    found = length(game("coin-race"))
    (line,) = layers(lengths.lengths([found], cumulative=True), Line)
    assert line.step
    assert line.y[5] == pytest.approx(sum(share for at, share in found.distribution if at <= 5))
    two = lengths.lengths([found, length(game("coin-race", goal=3))])
    assert [line.name for line in layers(two, Line)] == [
        "2 players, goal 2, mean 5.33", "2 players, goal 3, mean 8.81",
    ]  # fmt: skip


# Who wins -----------------------------------------------------------------------------------


def guess(*win: tuple[float, float, float], draw: float = 0.0) -> Result:
    answers = tuple(Answer(value, low, high) for low, value, high in win)
    evidence = Evidence("estimate", games=1000)
    return Result("some", "Some", len(win), {}, evidence, win=answers, draw=Answer(draw))


def test_seats_of_one_game_are_bars_with_their_bounds() -> None:
    found = odds(game("coin-race"))
    drawn = seats.seats([found])
    (seated,) = layers(drawn, Bars)
    assert list(seated.height) == [float(answer.exact) for answer in found.win]
    assert seated.text == ["59.26 %", "40.74 %"]
    assert [line.name for line in layers(drawn, Line)] == ["an equal share"]
    rough = seats.seats([guess((0.3, 0.4, 0.5), (0.2, 0.3, 0.4), draw=0.3)])
    assert [bar.ink for bar in layers(rough, Bars)] == ["ink 0", "ink 3"]
    assert [line.y for line in layers(rough, Line)[:2]] == [[0.3, 0.5], [0.2, 0.4]]
    assert "1,000 games" in rough.small


def test_seats_of_several_games_are_lines() -> None:
    one = guess((0.3, 0.4, 0.5), (0.2, 0.3, 0.4), draw=0.3)
    two = guess((0.3, 0.4, 0.5), (0.2, 0.3, 0.4), (0.2, 0.3, 0.4))
    drawn = seats.seats([one, two])
    named = {line.name: list(line.y) for line in layers(drawn, Line)}
    assert named["player 1"] == [0.4, 0.4]
    assert named["draw"] == [0.3, 0.0]
    assert named["an equal share"] == [1 / 2, 1 / 3]
    assert "player 3" in [points.name for points in layers(drawn, Points)]
    assert len(layers(drawn, Band)) == 3


# One rule -----------------------------------------------------------------------------------


def test_a_rule_that_varies_and_its_mark() -> None:
    goals = [2, 3, 4]
    found = [odds(game("coin-race", goal=goal)) for goal in goals]
    drawn = sensitivity.sensitivity("goal", 2, goals, found)
    assert [panel.title for panel in drawn.panels] == ["who wins", "how long"]
    first, second = layers(drawn, Line)
    assert first.name == "player 1 wins"
    assert list(first.y) == [result.win[0].value for result in found]
    assert list(second.x) == goals
    (long,) = layers(drawn, Line, 1)
    assert list(long.y) == [result.duration.value for result in found]
    assert [mark.at for mark in layers(drawn, Mark)] == [2]
    assert drawn.small == "2 players · exact"
    assert not layers(sensitivity.sensitivity("goal", 9, goals, found), Mark)


def test_a_rule_of_words_has_points_that_are_not_joined() -> None:
    found = [odds(game("coin-race", goal=goal)) for goal in (2, 3)]
    drawn = sensitivity.sensitivity("way", "b", ["a", "b"], found)
    assert not layers(drawn, Line)
    assert [mark.at for mark in layers(drawn, Mark)] == [1]
    assert drawn.panels[0].x.ticks == ((0.0, "a"), (1.0, "b"))


def test_visits_as_bars() -> None:
    found = visits(game("coin-race"), of="steps[1]")
    drawn = bars(found)
    (shown,) = layers(drawn, Bars)
    assert list(shown.height) == [visit.times.value for visit in found.visits]
    assert drawn.panels[0].x.label == "steps[1]"
    assert drawn.panels[0].x.ticks[0] == (0.0, "0")
