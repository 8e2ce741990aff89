"""Figures of policies: what is drawn is what the table says. And the command that draws them."""

import json

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.collections import LineCollection, QuadMesh
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

from oddsmith import OddsmithError, OptionError, game, optimal
from oddsmith.cli import app
from oddsmith.errors import MissingExtraError
from oddsmith.show import policy as figures
from oddsmith.show.cells import boundary_faces, cells_of, outer_faces
from oddsmith.solve.play.judge import table_of
from oddsmith.solve.play.regions import columns, reachable, stretches


@pytest.fixture(scope="module")
def pig():
    return optimal(game("pig", goal=40))


def column(table, name):
    return table.names.column(name)


# Cells and faces ----------------------------------------------------------------------------


def test_cells_hold_the_states(pig):
    cells = cells_of(pig, ("scores[0]", "scores[1]", "total"))
    known = cells.states[cells.known]
    assert len(known) == len(set(known.tolist())) == len(pig)
    for axis, name in enumerate(cells.axes):
        at = np.nonzero(cells.known)[axis]
        assert (cells.values[axis][at] == column(pig, name)[known]).all()


def test_a_value_that_never_occurs_leaves_no_hole(pig):
    """No turn total is 1, so the cell of 0 meets that of 2 half way."""
    cells = cells_of(pig, (None, "total"), "scores[1]=10")
    assert cells.axes == ("scores[0]", "total")
    assert cells.values[1][:3].tolist() == [0, 2, 3]
    assert cells.edges[1][:4].tolist() == [-1, 1, 2.5, 3.5]


def test_faces_between_moves_are_all_the_changes(pig):
    cells = cells_of(pig, (None, None, None))
    assert cells.axes == ("scores[0]", "scores[1]", "total")
    action = np.where(pig.action == 255, -1, pig.action.astype(int))
    faces = boundary_faces(cells, cells.of(action, -1))
    for axis, along in enumerate(cells.axes):
        found = stretches(pig, along)
        lines = set(zip(*(found[n].tolist() for n in cells.axes if n != along), strict=True))
        assert np.count_nonzero(faces.axis == axis) == len(found["move"]) - len(lines)
    flat = cells.states.ravel()
    assert (pig.action[flat[faces.before]] != pig.action[flat[faces.after]]).all()


def test_a_solid_has_its_faces(pig):
    cells = cells_of(pig, (None, None, None))
    inside = np.zeros(cells.states.shape, bool)
    inside[3, 4, 5] = True
    assert len(outer_faces(cells, inside)) == 6
    inside[4, 4, 5] = True
    faces = outer_faces(cells, inside)
    assert len(faces) == 10
    low, high = faces.corners.min(axis=(0, 1)), faces.corners.max(axis=(0, 1))
    assert low.tolist() == [cells.edges[0][3], cells.edges[1][4], cells.edges[2][5]]
    assert high.tolist() == [cells.edges[0][5], cells.edges[1][5], cells.edges[2][6]]


def test_cells_that_cannot_be_told_apart(pig):
    with pytest.raises(OptionError, match=r"fix scores\[1\] too, .* such as scores\[1\]=0"):
        cells_of(pig, ("scores[0]", "total"))
    with pytest.raises(OptionError, match=r"there are scores\[0\], total"):
        cells_of(pig, (None, None, None), "scores[1]=10")
    with pytest.raises(OptionError, match="not all different"):
        cells_of(pig, ("total", "total"), "scores[1]=10")
    with pytest.raises(OptionError, match=r"nothing to decide in Pig where scores\[1\]=99"):
        cells_of(pig, (None, None), "scores[1]=99")


def test_the_turn_is_the_first_players_where_states_have_one():
    plain = optimal(game("piglet", goal=5), symmetry=False)
    assert cells_of(plain, (None, None, None)).where == "turn=0"
    assert cells_of(plain, (None, None), "scores[1]=2 & turn=1").where == "scores[1]=2 & turn=1"
    second = table_of(plain.game, "hold-at-2", player=1)
    assert cells_of(second, (None, None, None)).where == "turn=1"


# Figures ------------------------------------------------------------------------------------


def test_a_section_is_painted_by_move(pig):
    figure = figures.section(pig, where="scores[1]=0", compare="hold-at-20")
    axis = figure.axes[0]
    mesh = next(c for c in axis.collections if isinstance(c, QuadMesh))
    painted = np.asarray(mesh.get_array())[..., :3]
    cells = cells_of(pig, ("scores[0]", "total"), "scores[1]=0")
    every = columns(pig)
    inks = dict(zip(("roll", "hold"), (figures._rgb(i) for i in figures.INKS), strict=False))
    for i, j in zip(*np.nonzero(cells.known), strict=True):
        state = cells.states[i, j]
        move = every["move"][state]
        ink = inks[move] if move else figures._rgb(figures.OVER)
        pale = bool(move) and not every["reached_by_one"][state]
        expected = ink + (1 - ink) * figures.PALE if pale else ink
        assert painted[j, i] == pytest.approx(expected, abs=1e-6)
    assert axis.get_xlabel() == "scores[0], the mover's"
    assert axis.get_ylabel() == "total"
    texts = [text.get_text() for text in axis.get_legend().get_texts()]
    assert set(texts) == {
        *("roll", "roll, not reachable", "hold", "hold, not reachable"),
        *("game over", "hold-at-20"),
    }
    *_, dotted = (c for c in axis.collections if isinstance(c, LineCollection))
    heights = {float(y) for line in dotted.get_segments() for _, y in line}
    assert heights == {19.5}  # hold-at-20 changes once, at 20; at the goal the game is over


def test_labels_and_titles_are_the_users(pig):
    names = {"scores[0]": "mine", "scores[1]": "theirs"}
    figure = figures.section(pig, where="scores[1]=20", labels=names, title="A wave")
    axis = figure.axes[0]
    assert axis.get_xlabel() == "mine"
    assert axis.get_title(loc="left").strip() == "A wave"
    assert [text.get_text() for text in axis.texts] == ["theirs = 20 · 2 players, goal 40"]
    with pytest.raises(OptionError, match="no number 'points'"):
        figures.section(pig, where="scores[1]=20", labels={"points": "p"})


def polygons(figure) -> list[int]:
    """How many faces each view has."""
    found = [c for axis in figure.axes for c in axis.collections if isinstance(c, Poly3DCollection)]
    return [len(c.get_facecolor()) for c in found]


def test_both_views_of_a_surface_have_all_faces(pig):
    cells = cells_of(pig, (None, None, None))
    action = np.where(pig.action == 255, -1, pig.action.astype(int))
    count = len(boundary_faces(cells, cells.of(action, -1)))
    assert polygons(figures.surface(pig)) == [count, count]
    with_ends = polygons(figures.surface(pig, move="roll"))
    assert with_ends[0] > count  # rolling also meets the end of the game


def test_a_solid_shows_the_faces_turned_to_the_eye(pig):
    cells = cells_of(pig, (None, None, None))
    action = pig.action.astype(int)
    inside = cells.of(reachable(pig, "one") & (action == 0), False)
    every = len(outer_faces(cells, inside))
    assert [2 * count for count in polygons(figures.moves(pig, "roll"))] == [every, every]
    larger = polygons(figures.reachable(pig))
    smaller = polygons(figures.reachable(pig, by="all"))
    assert larger[0] > 0
    assert smaller[0] > 0


def test_contours_separate_worths(pig):
    cells = cells_of(pig, (None, None, None))
    worth = cells.of(pig.worth[:, 0], -1)
    code = np.where(worth < 0, -1, (worth > 0.5).astype(int))
    count = len(boundary_faces(cells, code))
    assert polygons(figures.contours(pig, levels=[0.5])) == [count, count]
    with pytest.raises(OptionError, match="No state is worth more"):
        figures.contours(pig, levels=[2.0])


def test_a_game_with_scores_has_levels_of_its_own():
    table = optimal(game("think", turns=2), engine="interpreted")
    figure = figures.contours(table)
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert len(texts) == 4
    assert all(float(text) > 1 for text in texts)


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
@pytest.mark.parametrize("name", figures.FIGURES)
def test_every_figure_is_written(tmp_path, pig, name, kind):
    options = {"where": "scores[1]=20"} if name == "section" else {}
    path = tmp_path / f"{name}.{kind}"
    figures.save(figures.FIGURES[name](pig, **options), path)
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[kind]
    assert path.read_bytes().startswith(start)


def test_files_that_cannot_be_written(tmp_path, pig):
    figure = figures.section(pig, where="scores[1]=20")
    with pytest.raises(OptionError, match="a figure is a png, svg or pdf file"):
        figures.save(figure, tmp_path / "section.gif")
    with pytest.raises(OptionError, match="cannot be written: No such file"):
        figures.save(figure, tmp_path / "none" / "section.png")


def test_moves_and_policies_that_do_not_exist(pig):
    with pytest.raises(OptionError, match="did you mean 'roll'"):
        figures.moves(pig, "rol")
    with pytest.raises(OptionError, match="has no policy 'hold'"):
        figures.section(pig, where="scores[1]=20", compare="hold")
    with pytest.raises(OptionError, match="no changes to draw"):
        figures.section(pig, where="scores[1]=20", compare="random")
    with pytest.raises(OptionError, match="same move in all"):
        figures.surface(optimal(game("pig", goal=8)))


def test_without_matplotlib(monkeypatch, pig):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"oddsmith\[plot\]"):
        figures.section(pig, where="scores[1]=20")


# The command --------------------------------------------------------------------------------


def run(capsys, *arguments: str) -> str:
    app(["policy", *arguments], standalone_mode=False)
    return capsys.readouterr().out


def test_the_command_says_what_a_policy_is(capsys):
    found = json.loads(run(capsys, "piglet", "--set", "goal=3", "--json"))
    assert (found["states"], found["decisions"], found["undecided"]) == (27, 18, 0)
    assert found["worth"]["1"]["exact"] == "6/11"
    assert found["moves"] == {"flip": 16, "hold": 2}
    assert found["reached_by_all"] < found["reached_by_one"] < found["states"]
    text = run(capsys, "piglet", "--set", "goal=3")
    assert "closest decision: by 0.02" in text
    assert "6/11" in text


def test_the_command_advises(capsys):
    given = ("piglet", "--set", "goal=3", "--at", "scores=(0,0) total=1")
    found = json.loads(run(capsys, *given, "--json"))
    assert found["state"] == "State(scores=(0, 0), turn=0, total=1)"
    (best, other) = found["advice"]
    assert best["margin"] == -other["margin"] > 0
    assert f"{best['move']}  " in run(capsys, *given)
    text = run(capsys, "piglet", "--set", "goal=3", "--at", "State(scores=(0, 0), turn=1, total=2)")
    assert "State(scores=(0, 0), turn=1, total=2)" in text
    over = run(capsys, "piglet", "--set", "goal=3", "--at", "scores=(2,0) total=1")
    assert "the game is over" in over


def test_the_command_writes(capsys, tmp_path):
    files = [str(tmp_path / name) for name in ("p.policy", "p.csv", "p.png")]
    out = run(
        capsys, "pig", "--set", "goal=25", "--save", files[0], "--csv", files[1],
        "--plot", "section", "--out", files[2], "--where", "scores[1]=10",
        "--compare", "hold-at-9", "--label", "total=at stake",
    )  # fmt: skip
    assert [line[9:] for line in out.splitlines() if line.startswith("written")] == files
    again = json.loads(run(capsys, "pig", "--set", "goal=25", "--play", files[0], "--json"))
    fresh = json.loads(run(capsys, "pig", "--set", "goal=25", "--json"))
    assert again["moves"] == fresh["moves"]
    assert again["reached_by_one"] == fresh["reached_by_one"]


def test_the_command_judges_any_play(capsys):
    small = ("pig", "--set", "goal=25", "--play")
    response = json.loads(run(capsys, *small, "hold-at-8,best-response", "--json"))
    assert (response["policy"], response["player"]) == ("best response", 2)
    first = json.loads(run(capsys, *small, "hold-at-8,hold-at-12", "--json"))
    second = json.loads(run(capsys, *small, "hold-at-8,hold-at-12", "--player", "2", "--json"))
    assert (first["policy"], first["player"]) == ("hold-at-8", 1)
    assert (second["policy"], second["player"]) == ("hold-at-12", 2)
    worth = second["worth"]["2"]["value"]
    assert first["worth"]["1"]["value"] + worth == pytest.approx(1, abs=1e-10)
    assert response["worth"]["2"]["value"] > worth
    with pytest.raises(OptionError, match="the best response to it does not know"):
        run(capsys, *small, "hold-at-8,best-response", "--player", "1")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--plot", "wave", "--out", "a.png"], "no figure 'wave'"),
        (["--plot", "surface"], "such as --out surface.png"),
        (["--out", "a.png"], "Which figure"),
        (["--plot", "surface", "--out", "a.gif"], "png, svg or pdf"),
        (["--plot", "surface", "--out", "a.png", "--compare", "race"], "no use for --compare"),
        (["--plot", "surface", "--out", "a.png", "--x", "foo"], "no number 'foo'"),
        (["--plot", "section", "--out", "a.png", "--where", "total=x"], "not of the form"),
        (["--plot", "contours", "--out", "a.png", "--levels", "a"], "Levels are numbers"),
        (["--plot", "reachable", "--out", "a.png", "--by", "two"], "by 'all' or by 'one'"),
        (["--plot", "surface", "--out", "/none/a.png"], "cannot be written"),
        (["--csv", "/none/a.csv"], "cannot be written"),
        (["--save", "/none/a.policy"], "cannot be written"),
        (["--at", "garbage"], "not of the form"),
        (["--at", "foo=3"], "has no 'foo'"),
        (["--at", "total=5000"], "outside its range"),
        (["--player", "3"], "no player 3: they are 1 to 2"),
    ],
)
def test_a_mistake_is_one_sentence(capsys, arguments, message):
    with pytest.raises(OddsmithError, match=message) as error:
        run(capsys, "piglet", "--set", "goal=4", *arguments)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)
