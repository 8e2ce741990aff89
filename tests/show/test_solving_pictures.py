"""Pictures of how games are solved: the numbers behind them, and what is refused."""

import numpy as np
import pytest

from oddsmith import game
from oddsmith.ask.convergence import GOAL
from oddsmith.ask.convergence import convergence as followed
from oddsmith.errors import LimitError, OptionError
from oddsmith.model.explore import explore
from oddsmith.present.pictures.solving import convergence, fold, iteration, states
from oddsmith.runtime.progress import Silent
from oddsmith.show.drawings.iteration import apart
from oddsmith.show.drawings.states import layered
from oddsmith.show.pictures.spec import Arrows, Band, Line, Shapes, Texts
from oddsmith.solve.play.iteration import Equations, fold_of
from oddsmith.solve.play.problem import game_problem

# Neller & Presser, Optimal Play of the Dice Game Pig, equations (1) and their solution.
PIGLET = {
    (0, 0, 0): 4 / 7,
    (0, 0, 1): 5 / 7,
    (0, 1, 0): 2 / 5,
    (0, 1, 1): 3 / 5,
    (1, 0, 0): 4 / 5,
    (1, 1, 0): 2 / 3,
}


def piglet_round(p):
    """The paper's equations (1), as printed."""
    return {
        (0, 0, 0): max((1 - p[0, 0, 0] + p[0, 0, 1]) / 2, 1 - p[0, 0, 0]),
        (0, 0, 1): max((1 - p[0, 0, 0] + 1) / 2, 1 - p[0, 1, 0]),
        (0, 1, 0): max((1 - p[1, 0, 0] + p[0, 1, 1]) / 2, 1 - p[1, 0, 0]),
        (0, 1, 1): max((1 - p[1, 0, 0] + 1) / 2, 1 - p[1, 1, 0]),
        (1, 0, 0): max((1 - p[0, 1, 0] + 1) / 2, 1 - p[0, 1, 0]),
        (1, 1, 0): max((1 - p[1, 1, 0] + 1) / 2, 1 - p[1, 1, 0]),
    }


def piglet():
    model = explore(game("piglet", goal=2))
    equations = Equations(game_problem(model))
    names = {}
    for s in equations.live:
        state = model.state(int(s))
        names[*state.scores, state.total] = int(s)
    return model, equations, names


# Convergence --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "truth"),
    [
        ("coin-race", {}, [16 / 27, 11 / 27]),
        ("goose", {}, [0.3936251373937573914]),  # SIAM Review 58 (2016), section 4
    ],
)
def test_bounds_contain_the_truth_after_every_turn_and_close(name, options, truth):
    found = followed(game(name, **options), progress=Silent())
    for q, chance in enumerate(truth):
        assert (found.low[:, q] <= chance + 1e-12).all()
        assert (found.high[:, q] >= chance - 1e-12).all()
    assert (np.diff(found.low, axis=0) >= -1e-12).all()
    assert (np.diff(found.high, axis=0) <= 1e-12).all()
    assert (found.high - found.low)[-1].max() < 0.002
    assert [course.method for course in found.courses][:3] == [
        "fixed-point iteration",
        "Gauss–Seidel",
        "IDR(4)",
    ]
    for course in found.courses:
        assert course.width[0] == 1.0
        assert course.width[-1] <= GOAL
        assert (np.diff(course.products) > 0).all()


def test_fixed_point_width_is_the_share_of_games_that_still_go_on():
    # After three tosses one game in four is over: heads, tails, heads or heads, heads, heads.
    found = followed(game("coin-race"), progress=Silent())
    course = found.courses[0]
    assert course.products[3] == 3
    assert course.width[3] == pytest.approx(0.75, abs=1e-9)
    assert (found.high - found.low)[3] == pytest.approx([0.75, 0.75], abs=1e-9)


def test_convergence_of_a_game_with_decisions_says_who_plays_how():
    picture = convergence(game("piglet", goal=3), progress=Silent(), play="hold-at-1")
    assert "play: hold-at-1" in picture.small
    bands = [layer for layer in picture.panels[0].layers if isinstance(layer, Band)]
    assert [band.name for band in bands] == ["player 1 wins", "player 2 wins"]
    assert picture.panels[1].y.log


def test_convergence_of_a_game_with_too_many_states_is_refused():
    with pytest.raises(LimitError, match="convergence is looked at up to 5"):
        followed(game("coin-race"), most_states=5, progress=Silent())


# Value iteration ----------------------------------------------------------------------------


def test_value_iteration_is_the_papers_round_by_round():
    _, equations, names = piglet()
    rounds = equations.rounds(60, 1e-9)
    values = dict.fromkeys(PIGLET, 0.0)
    for found in rounds:
        assert {k: found[s] for k, s in names.items()} == pytest.approx(values, abs=1e-12)
        values = piglet_round(values)
    assert {k: rounds[-1][s] for k, s in names.items()} == pytest.approx(PIGLET, abs=1e-8)


def test_iteration_picture_names_every_state_with_its_fraction():
    picture = iteration(game("piglet", goal=2), progress=Silent())
    words = {
        text
        for layer in picture.panels[0].layers
        if isinstance(layer, Texts)
        for text in layer.text
    }
    assert words == {
        "0,0,0 → 4/7",
        "0,0,1 → 5/7",
        "0,1,0 → 2/5",
        "0,1,1 → 3/5",
        "1,0,0 → 4/5",
        "1,1,0 → 2/3",
    }
    lines = [layer for layer in picture.panels[0].layers if isinstance(layer, Line)]
    assert len(lines) == 12  # a line a state, and dashes at its end


def test_iteration_of_a_large_game_is_refused():
    with pytest.raises(LimitError, match="a line each for 24 at most"):
        iteration(game("piglet"), progress=Silent())


def test_names_beside_lines_keep_apart():
    places = apart([0.5, 0.5, 0.5, 0.1], 0.1, 0.0, 1.0)
    assert places[3] == 0.1
    assert sorted(places[:3]) == pytest.approx([0.4, 0.5, 0.6])


# The fold -----------------------------------------------------------------------------------


def test_the_first_equation_of_piglet_has_its_two_planes():
    model, equations, names = piglet()
    x = np.zeros((model.states, 2))
    for key, s in names.items():
        x[s, 0] = PIGLET[key]
    start, other = names[0, 0, 0], names[0, 0, 1]
    found = fold_of(equations, x, start, (start, other))
    planes = dict(
        zip(found.moves, zip(found.constant, found.slope.tolist(), strict=True), strict=True)
    )
    assert planes == {"flip": (0.5, [-0.5, 0.5]), "hold": (1.0, [-1.0, 0.0])}
    assert found.solution == (4 / 7, 5 / 7, 4 / 7)


def test_fold_picture_shows_both_moves_and_takes_a_state():
    picture = fold(game("piglet", goal=2), progress=Silent())
    assert [key.name for key in picture.legend] == ["flip is best", "hold is best", "the solution"]
    named = fold(
        game("piglet", goal=2),
        progress=Silent(),
        state="scores=(0,1) total=1",
        unknowns="scores=(1,0); scores=(1,1)",
    )
    assert named.panels[0].z.label == "worth of 0,1,1"
    faces = named.panels[0].layers[0]
    assert faces.corners.shape[1:] == (4, 3)
    assert faces.corners.min() >= 0.0


@pytest.mark.parametrize(
    ("name", "options", "settings", "sentence"),
    [
        ("coin-race", {}, {}, "leaves nothing to decide"),
        ("think", {}, {}, "who go for the win"),
        ("piglet", {"goal": 2}, {"state": "scores=(0,0) total=3"}, "play never comes to"),
        ("piglet", {"goal": 2}, {"unknowns": "total=1; total=0"}, "give its state too"),
        ("piglet", {"goal": 2}, {"state": "total=1", "unknowns": "total=1"}, "two states with ;"),
        ("piglet", {"goal": 2}, {"state": "total=1", "unknowns": "total=1; total=0"}, "they are"),
    ],
)
def test_fold_refuses_in_a_sentence(name, options, settings, sentence):
    with pytest.raises(OptionError, match=sentence):
        fold(game(name, **options), progress=Silent(), **settings)


# States -------------------------------------------------------------------------------------


def test_states_of_the_simple_game_are_those_of_the_paper():
    # SIAM Review 58 (2016), figure 3.2: player 1 wins in 8 and 9, player 2 in 10 and 11.
    picture = states(game("coin-race"), progress=Silent())
    (shapes,) = [layer for layer in picture.panels[0].layers if isinstance(layer, Shapes)]
    ended = [text for text in shapes.text if "wins" in text]
    assert ended == ["2,0,1 1 wins", "2,1,1 1 wins", "0,2,0 2 wins", "1,2,0 2 wins"]
    arrows = [layer for layer in picture.panels[0].layers if isinstance(layer, Arrows)]
    assert sum(len(layer.x) for layer in arrows) == 16  # two from each of the eight others


def test_states_of_a_large_game_are_refused_with_a_way_out():
    with pytest.raises(LimitError, match="oddsmith export"):
        states(game("goose"), progress=Silent())


def test_layers_give_every_state_a_place_of_its_own():
    edges = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 0), (2, 4), (1, 4), (4, 4)]
    x, y = layered(5, edges)
    assert len({*zip(x, y, strict=True)}) == 5
    assert (x[0] < x[1] == x[2] < x[3] == x[4]).all()
