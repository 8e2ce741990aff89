"""Pictures of policies: what is drawn is what the table says. And the command policy."""

import json

import numpy as np
import pytest

from oddsmith import OddsmithError, OptionError, game, optimal
from oddsmith.cli import app
from oddsmith.policies.regions import columns, stretches
from oddsmith.policies.regions import reachable as reached
from oddsmith.present.pictures import policy as plot_policy
from oddsmith.runtime.progress import Silent
from oddsmith.show.drawings.cells import boundary_faces, cells_of, outer_faces
from oddsmith.show.drawings.policy import section
from oddsmith.show.drawings.policy_space import contours, moves, reachable, surface
from oddsmith.show.pictures.geometry import turned_to
from oddsmith.show.pictures.spec import Line, Tiles
from oddsmith.solve.play.judge import table_of


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


# Pictures -----------------------------------------------------------------------------------


def test_a_section_is_painted_by_move(pig):
    picture = section(pig, where="scores[1]=0", compare="hold-at-20")
    (panel,) = picture.panels
    tiles, outline, dotted = panel.layers
    assert isinstance(tiles, Tiles)
    cells = cells_of(pig, ("scores[0]", "total"), "scores[1]=0")
    every = columns(pig)
    for i, j in zip(*np.nonzero(cells.known), strict=True):
        state, kind = cells.states[i, j], tiles.kind[j, i]
        move = every["move"][state]
        pale = bool(move) and not every["reached_by_one"][state]
        colour = {"roll": "ink 0", "hold": "ink 1"}.get(move, "faint") + (" pale" if pale else "")
        assert tiles.names[kind] == (move or "game over") + (", not reachable" if pale else "")
        assert tiles.colours[kind] == colour
    assert (tiles.kind.T[~cells.known] == -1).all()
    assert panel.x.text == "scores[0], the mover's"
    assert panel.y.text == "total"
    assert sorted(tiles.names) == [
        *("game over", "hold", "hold, not reachable", "roll", "roll, not reachable"),
    ]
    assert (dotted.name, dotted.dash) == ("hold-at-20", "dot")
    assert set(dotted.y[~np.isnan(dotted.y)]) == {19.5}  # it changes once, at 20; then it is over
    assert changes(outline) == changes_of(cells, pig)
    assert "where scores[1] = 0. Cells: roll in" in picture.alt


def changes(line: Line) -> float:
    """How long the pieces of a line are, together."""
    pieces = np.stack([line.x, line.y], axis=1).reshape(-1, 3, 2)
    assert np.isnan(pieces[:, 2]).all()
    return float(np.abs(pieces[:, 1] - pieces[:, 0]).sum())


def changes_of(cells, table) -> float:
    """How long the sides between cells with different moves are."""
    action = np.where(table.action == 255, -1, table.action.astype(int))
    code = cells.of(action, -1)
    total = 0.0
    for axis in (0, 1):
        one, other = np.moveaxis(code, axis, 0)[1:], np.moveaxis(code, axis, 0)[:-1]
        differ = (one != other) & (one >= 0) & (other >= 0)
        total += float((differ * np.diff(cells.edges[1 - axis])).sum())
    return total


def test_labels_are_the_users(pig):
    names = {"scores[0]": "mine", "scores[1]": "theirs"}
    picture = section(pig, where="scores[1]=20", labels=names)
    assert picture.panels[0].x.text == "mine"
    assert picture.title == "Pig: optimal moves"
    assert picture.small == "theirs = 20 · 2 players, goal 40"
    with pytest.raises(OptionError, match="no number 'points'"):
        section(pig, where="scores[1]=20", labels={"points": "p"})


def test_more_moves_than_a_legend_names():
    table = optimal(game("think", turns=2), engine="interpreted")
    picture = reachable(table)
    assert len(picture.legend) <= 13
    left = [key for key in picture.legend if key.name.startswith("… and")]
    assert bool(left) == (len(picture.legend) == 13)


def polygons(picture) -> list[int]:
    """How many faces each view has."""
    (panel,) = picture.panels
    return [
        sum(int(turned_to(faces, view).sum()) for faces in panel.layers) for view in panel.views
    ]


def test_both_views_of_a_surface_have_all_faces(pig):
    cells = cells_of(pig, (None, None, None))
    action = np.where(pig.action == 255, -1, pig.action.astype(int))
    count = len(boundary_faces(cells, cells.of(action, -1)))
    assert polygons(surface(pig)) == [count, count]
    with_ends = surface(pig, move="roll")
    assert polygons(with_ends)[0] > count  # rolling also meets the end of the game
    assert {key.name for key in with_ends.legend} == {"roll | hold", "roll | game over"}


def test_a_solid_shows_the_faces_turned_to_the_eye(pig):
    cells = cells_of(pig, (None, None, None))
    inside = cells.of(reached(pig, "one") & (pig.action == 0), False)
    every = len(outer_faces(cells, inside))
    assert [2 * count for count in polygons(moves(pig, "roll"))] == [every, every]
    assert polygons(reachable(pig))[0] > polygons(reachable(pig, by="all"))[0] > 0
    (panel,) = reachable(pig).panels
    assert panel.x.low == cells.edges[0][0]
    highest = panel.layers[0].corners[:, :, 0].max()  # an axis ends before most of it is empty
    assert highest < panel.x.high < cells.edges[0][-1]


def test_the_faces_are_those_that_were_drawn_before(pig):
    """Counts of the first version, which drew with matplotlib alone."""
    assert polygons(surface(pig)) == [48, 48]
    assert polygons(surface(pig, move="roll")) == [3051, 3051]
    assert polygons(reachable(pig)) == [2799, 2799]
    assert polygons(reachable(pig, by="all")) == [464, 464]
    assert polygons(moves(pig)) == [2783, 2783]
    assert polygons(contours(pig)) == [3009, 3009]


def test_contours_separate_worths(pig):
    cells = cells_of(pig, (None, None, None))
    worth = cells.of(pig.worth[:, 0], -1)
    code = np.where(worth < 0, -1, (worth > 0.5).astype(int))
    count = len(boundary_faces(cells, code))
    picture = contours(pig, levels=[0.5])
    assert polygons(picture) == [count, count]
    assert [key.name for key in picture.legend] == ["50 %"]
    with pytest.raises(OptionError, match="No state is worth more"):
        contours(pig, levels=[2.0])


def test_a_game_with_scores_has_levels_of_its_own():
    table = optimal(game("think", turns=2), engine="interpreted")
    names = [key.name for key in contours(table).legend]
    assert len(names) == 4
    assert all(float(name) > 1 for name in names)


@pytest.mark.parametrize("kind", ["png", "html"])
@pytest.mark.parametrize("draw", [section, surface, reachable, moves, contours])
def test_every_picture_is_written(tmp_path, pig, draw, kind):
    pytest.importorskip("matplotlib" if kind == "png" else "plotly")
    picture = draw(pig, **({"where": "scores[1]=20"} if draw is section else {}))
    path = tmp_path / f"policy.{kind}"
    picture.save(path)
    assert path.stat().st_size > 5_000
    assert picture.alt.endswith(".")


def test_moves_and_policies_that_do_not_exist(pig):
    with pytest.raises(OptionError, match="did you mean 'roll'"):
        moves(pig, "rol")
    with pytest.raises(OptionError, match="has no policy 'hold'"):
        section(pig, where="scores[1]=20", compare="hold")
    with pytest.raises(OptionError, match="no changes to draw"):
        section(pig, where="scores[1]=20", compare="random")
    with pytest.raises(OptionError, match="same move in all"):
        surface(optimal(game("pig", goal=8)))
    with pytest.raises(OptionError, match="no number 'foo'"):
        surface(pig, "foo")
    with pytest.raises(OptionError, match="not of the form"):
        section(pig, where="total=x")
    with pytest.raises(OptionError, match="by 'all' or by 'one'"):
        reachable(pig, by="two")


@pytest.mark.parametrize("name", ["section", "surface", "reachable", "moves", "contours"])
def test_pictures_of_any_play(name):
    small = game("pig", goal=40)
    draw = getattr(plot_policy, name)
    given = {"where": "scores[1]=10"} if name == "section" else {}
    best = draw(small, progress=Silent(), **given)
    other = draw(small, progress=Silent(), play="hold-at-8,best-response", player=2, **given)
    assert best.title.startswith("Pig: ")
    assert "best" in other.title
    assert best.title != other.title
    with pytest.raises(OptionError, match="no player 3: they are 1 to 2"):
        draw(small, progress=Silent(), player=3)


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
    files = [str(tmp_path / name) for name in ("p.policy", "p.csv")]
    out = run(capsys, "pig", "--set", "goal=25", "--save", files[0], "--csv", files[1])
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
