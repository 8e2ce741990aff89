"""Pictures: themes for every eye, and both renderers draw every layer in both themes."""

import builtins
import errno
import json
import re
from pathlib import Path
from xml.dom import minidom

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("plotly")

from matplotlib.backends.backend_agg import FigureCanvasAgg

from oddsmith.errors import MissingExtraError, OddsmithError, OptionError
from oddsmith.show.pictures import geometry, interactive, static
from oddsmith.show.pictures.spec import (
    Arrows,
    Axis,
    Band,
    Bars,
    Faces,
    Heat,
    Key,
    Line,
    Mark,
    Panel,
    Picture,
    Points,
    Scale,
    Shapes,
    Surface,
    Texts,
    Tiles,
)
from oddsmith.show.pictures.theme import (
    DARK,
    LIGHT,
    THEMES,
    contrast,
    gradient,
    mixed,
    rgb,
    span,
    theme,
)
from oddsmith.show.pictures.words import mark_rows, number, wrapped

# Themes -------------------------------------------------------------------------------------

SEEN_BY = {
    "most": np.eye(3),
    "protanopes": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
         [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopes": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
         [-0.011820, 0.042940, 0.968881]]
    ),
}  # fmt: skip
"""On linear red, green and blue: G. M. Machado et al., A Physiologically-based Model for
Simulation of Color Vision Deficiency, IEEE TVCG 15 (2009), severity 1."""


def lab(colours, eyes="most"):
    """Colours in CIELAB, as somebody sees them."""
    part = np.array([rgb(colour) for colour in colours])
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    linear = np.clip(linear @ SEEN_BY[eyes].T, 0, 1)
    to_xyz = np.array(
        [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
         [0.0193339, 0.1191920, 0.9503041]]
    )  # fmt: skip
    t = linear @ to_xyz.T / np.array([0.95047, 1.0, 1.08883])
    f = np.where(t > 216 / 24389, np.cbrt(t), (24389 / 27 * t + 16) / 116)
    return np.stack(
        [116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], axis=1
    )


def differences(colours, eyes="most"):
    """How different each two colours look: Delta E of 1976; 2.3 can just be seen."""
    seen = lab(colours, eyes)
    return np.linalg.norm(seen[:, None] - seen[None], axis=-1)[np.triu_indices(len(seen), 1)]


@pytest.mark.parametrize("eyes", SEEN_BY)
@pytest.mark.parametrize("paper", THEMES.values(), ids=THEMES)
def test_inks_stay_apart(paper, eyes):
    assert len(set(paper.inks)) == 8
    assert differences(paper.inks, eyes).min() > 15
    assert differences(paper.inks[:4], eyes).min() > 25
    assert min(differences([ink, paper.faint], eyes)[0] for ink in paper.inks) > 20


@pytest.mark.parametrize("paper", THEMES.values(), ids=THEMES)
def test_everything_stands_out_from_the_paper(paper):
    assert min(contrast(ink, paper.paper) for ink in paper.inks) >= 3
    assert contrast(paper.line, paper.paper) >= 7
    assert contrast(paper.muted, paper.paper) >= 4.5
    assert contrast(paper.line, paper.faint) >= 7


@pytest.mark.parametrize("eyes", SEEN_BY)
@pytest.mark.parametrize("paper", THEMES.values(), ids=THEMES)
def test_scales_are_even_and_ordered(paper, eyes):
    light = lab(paper.sequential, eyes)[:, 0]
    steps = np.diff(light) if paper is DARK else -np.diff(light)
    assert (steps > 2).all()  # always away from the paper
    if eyes == "most":
        apart = np.linalg.norm(np.diff(lab(paper.sequential), axis=0), axis=1)
        assert apart.max() < 1.5 * apart.min()
    middle = len(paper.diverging) // 2
    grey = rgb(paper.diverging[middle])
    assert grey.max() - grey.min() < 0.06
    assert differences([paper.diverging[0], paper.diverging[-1]], eyes)[0] > 60


@pytest.mark.parametrize("paper", THEMES.values(), ids=THEMES)
def test_words_can_be_read_on_every_colour(paper):
    for scale in (paper.sequential, paper.diverging, paper.inks):
        for under in scale:
            assert contrast(paper.readable(under), under) >= 3.7


def test_colours_by_name():
    assert LIGHT.colour("ink 1") == LIGHT.inks[1]
    assert DARK.colour("ink 9") == DARK.inks[1]
    assert LIGHT.colour("faint") == LIGHT.faint
    assert LIGHT.colour("#123456") == "#123456"
    assert LIGHT.colour("ink 0 pale") == mixed(LIGHT.inks[0], "#ffffff", 0.68)
    assert contrast(DARK.colour("ink 0 pale"), DARK.paper) < contrast(DARK.inks[0], DARK.paper)
    with pytest.raises(OptionError, match=r"no theme 'sepia': choose one of light, dark\.$"):
        theme("sepia")


def test_values_become_colours():
    plain, split = Scale(), Scale("diverging")
    assert span(plain, [1, np.nan, 3]) == (1, 3)
    assert span(split, [-1, 0.5]) == (-1, 1)
    assert span(Scale(low=0, high=1), [5]) == (0, 1)
    assert span(plain, [2, 2]) == (1.5, 2.5)
    assert span(plain, []) == (0, 1)
    found = LIGHT.painted(plain, [0, 1, np.nan])
    assert found == [LIGHT.sequential[0], LIGHT.sequential[-1], LIGHT.faint]
    assert LIGHT.painted(split, [-3, 0, 3])[1] == LIGHT.diverging[4]
    assert gradient(("#000000", "#ffffff"), [0.5]).tolist() == [[0.5, 0.5, 0.5]]


# Words and geometry -------------------------------------------------------------------------


def test_numbers_and_lines():
    assert [number(v) for v in (0, -0.0, 0.30000000000000004, 123456, 1e8)] == [
        *("0", "0", "0.3", "123,456", "10⁸"),
    ]
    assert number(0.125, "percent") == "12.5 %"
    assert wrapped("a b", 9, 9) == "a b"
    lines = wrapped("many words " * 20, 3, 9).split("\n")
    assert len(lines) > 3
    assert " ".join(lines) == ("many words " * 20).strip()


def test_words_of_marks_do_not_run_into_each_other():
    marks = [Mark(at, "a long word") for at in (0.1, 0.12, 0.5, 0.95)]
    assert mark_rows(marks, [0.1, 0.12, 0.5, 0.95], 6) == [0, 1, 0, 0]


def test_a_bent_arrow():
    straight, bent = (Arrows([0], [0], [4], [0], bend=bend) for bend in (0, 0.25))
    assert geometry.arrow_curves(straight)[0].tolist() == [[0, 0], [4, 0]]
    (curve,) = geometry.arrow_curves(bent)
    assert curve[len(curve) // 2].tolist() == [2, 1]  # to the left, a quarter of the way
    assert curve[-1].tolist() == [4, 0]


def test_what_lies_beneath_a_word():
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
    layers = [
        Tiles([0, 2, 4], [0, 2], np.array([[0, -1]]), ["a"], ["ink 0"]),
        Shapes([square], fill=["ink 3"]),
        Heat([10, 11, 12], [0, 1], np.array([[1.0, np.nan]]), Scale(low=0, high=1)),
    ]
    found = geometry.colours_beneath(layers, LIGHT, [0.5, 1.5, 3, 9, 10.5, 11.5], [0.5] * 6)
    white = "#ffffff"
    strong = [LIGHT.inks[3], LIGHT.inks[0], LIGHT.sequential[-1]]
    assert found.tolist() == [*strong[:2], white, white, strong[2], white]
    assert [LIGHT.readable(colour) for colour in strong] == [white, white, white]
    assert LIGHT.readable(LIGHT.inks[1]) == LIGHT.line


def cube(size=3):
    """The faces of a cube of little cubes, with normals."""
    corners, outward = [], []
    for axis in range(3):
        one, other = (a for a in range(3) if a != axis)
        for i in range(size):
            for j in range(size):
                for at, sign in ((0, -1), (size, 1)):
                    face = np.zeros((4, 3))
                    face[:, axis] = at
                    face[:, one] = [i, i + 1, i + 1, i]
                    face[:, other] = [j, j, j + 1, j + 1]
                    corners.append(face)
                    outward.append(sign * np.eye(3)[axis])
    colour = np.tile([0.2, 0.4, 0.6], (len(corners), 1))
    return Faces(np.array(corners), colour, np.array(outward))


def area(faces):
    sides = faces.corners[:, 1] - faces.corners[:, 0], faces.corners[:, 3] - faces.corners[:, 0]
    return np.linalg.norm(np.cross(*sides), axis=1).sum()


def test_faces_in_a_plane_are_merged():
    faces = cube()
    few = geometry.merged(faces)
    assert len(faces.corners) == 54
    assert len(few.corners) == 6
    assert area(few) == pytest.approx(area(faces))
    faces.colour[0] = [1, 0, 0]  # one of another colour stays alone
    few = geometry.merged(faces)
    assert area(few) == pytest.approx(54)
    assert np.count_nonzero(few.colour[:, 0] == 1) == 1
    slanted = Faces(np.array([[[0, 0, 0], [1, 0, 1], [1, 1, 1], [0, 1, 0.0]]]), np.ones((1, 3)))
    assert (geometry.merged(slanted).corners == slanted.corners).all()


def test_half_of_a_solid_is_turned_to_the_eye():
    assert np.count_nonzero(geometry.turned_to(cube(), (28.0, -122.0))) == 27
    open_faces = Faces(cube().corners, cube().colour)
    assert geometry.turned_to(open_faces, (28.0, -122.0)).all()


# Every layer --------------------------------------------------------------------------------

X = np.arange(6)
SQUARES = [np.array([(i, 0), (i + 1, 0), (i + 1, 1), (i, 1)]) for i in range(4)]
HEAT = np.array([[0.0, 0.5], [np.nan, 1.0]])
NASTY = "</script><b>$x$ & $y$"


def zoo() -> Picture:
    """A picture with every layer."""
    flat = [
        Line(X, X / 5, "a line", dash="dash"),
        Line(X, X / 6, "a step", ink="ink 1", step=True),
        Band(X, X / 7, X / 4, "a band", ink="ink 2"),
        Bars(X, X / 8, "bars", ink="ink 3", text=[f"{x}!" for x in X]),
        Points([1, 2], [0.5, 0.7], "points", ink="ink 4", text=["one", "two"]),
        Mark(2, "here"),
        Mark(0.4, "there", across="y", dash="dot"),
    ]
    heat = [Heat([0, 1, 2], [0, 1, 2], HEAT, Scale(label="worth"), [["a", "b"], ["c", "d"]])]
    tiles = [Tiles([0, 1, 2], [0, 1], np.array([[1, -1]]), ["no", "yes"], ["ink 0", "ink 1 pale"])]
    board = [
        Shapes(SQUARES, value=[0, 1, 2, np.nan], text=list("abcd"), scale=Scale(label="visits")),
        Texts([0.5, 2.5], [0.5, 0.5], ["0", NASTY], bold=True),
        Arrows([0.5], [0.5], [3.5], [0.5], bend=0.2, name="a jump"),
    ]
    kinds = [Shapes(SQUARES, fill=["ink 0", "faint", "ink 0", "#ff0000"], edge="paper")]
    hill = [Surface([0, 1, 2], [0, 1], np.array([[0, 1, 2], [1, 2, np.nan]]), Scale(label="z"))]
    views = ((20.0, -60.0), (20.0, 30.0))
    return Picture(
        NASTY,
        [
            Panel(flat, Axis("turns", "n"), Axis("chance", format="percent"), title="flat"),
            Panel(heat, Axis("mine"), Axis("theirs", ticks=((0.5, "low"), (1.5, "high")))),
            Panel(tiles, title="tiles"),
            Panel(board, Axis(low=0, high=4), Axis(low=1, high=0), equal=True, bare=True),
            Panel(kinds, equal=True, bare=True),
            Panel([Line([1, 2], [1e-6, 1], "a log")], y=Axis("error", log=True)),
            Panel(hill, z=Axis("height"), title="hill"),
            Panel([cube()], z=Axis("z", low=0, high=3), views=views),
        ],
        small="2 players, for $5",
        legend=[Key("a key", "ink 7"), Key("another", "line", "dot")],
        columns=3,
        size=(12, 10),
        alt="Every layer < once & all.",
    )


NAMED = {
    *("a line", "a step", "a band", "bars", "points", "yes", "a jump", "a log", "a key"),
    "another",
}


@pytest.fixture(scope="module", params=THEMES)
def drawn(request):
    """The zoo by matplotlib."""
    return static.figure_of(zoo(), request.param), theme(request.param)


def test_matplotlib_draws_every_layer(drawn):
    figure, paper = drawn
    flat, heat, tiles, board, kinds, log, hill, one, other = (
        axes for axes in figure.axes if axes.get_label() != "<colorbar>"
    )
    assert sum(axes.get_label() == "<colorbar>" for axes in figure.axes) == 2
    assert len(flat.patches) == 6
    assert len(flat.lines) == 5  # two lines, points, two marks
    assert flat.get_xlabel() == "turns (n)"
    assert {"here", "there", "one", "two", "0!", "5!"} <= {text.get_text() for text in flat.texts}
    (mesh,) = heat.collections
    assert mesh.get_array().mask.sum() == 1
    assert [text.get_text() for text in heat.get_yticklabels()] == ["low", "high"]
    assert tiles.collections[0].get_array().compressed().tolist() == [1]
    assert len(board.collections[0].get_paths()) == 4
    assert [text.get_text() for text in board.texts] == ["0", NASTY]
    assert board.get_ylim() == (1, 0)
    assert not board.axison
    assert board.get_aspect() == kinds.get_aspect() == 1
    assert log.get_yscale() == "log"
    assert len(hill.collections[0].get_facecolor()) == 1  # the other has a hole
    assert [len(axes.collections[0].get_facecolor()) for axes in (one, other)] == [27, 27]
    (legend,) = figure.legends
    assert {text.get_text() for text in legend.get_texts()} == NAMED
    assert figure.get_facecolor()[:3] == pytest.approx(rgb(paper.paper))
    assert figure.texts[0].get_text() == NASTY


def test_nothing_overlaps(drawn):
    figure, paper = drawn
    with static.styled(paper):
        figure.draw_without_rendering()
        renderer = FigureCanvasAgg(figure).get_renderer()
    boxes = [text.get_window_extent(renderer) for text in figure.texts]
    boxes += [legend.get_window_extent(renderer) for legend in figure.legends]
    boxes += [axes.get_tightbbox(renderer) for axes in figure.axes if axes.name != "3d"]
    for i, box in enumerate(boxes):
        assert box.x0 >= -1
        assert box.y1 <= figure.bbox.y1 + 1
        for other in boxes[:i]:
            assert not box.padded(-2).overlaps(other)


@pytest.mark.parametrize("paper", THEMES.values(), ids=THEMES)
def test_plotly_draws_every_layer(paper):
    figure = interactive.figure_of(zoo(), paper)
    kinds = [trace.type for trace in figure.data]
    assert [kinds.count(k) for k in ("bar", "heatmap", "surface", "mesh3d")] == [1, 2, 1, 1]
    legend = [trace.name for trace in figure.data if trace.showlegend]
    assert set(legend) == NAMED
    assert len(legend) == len(NAMED)
    (mesh,) = (trace for trace in figure.data if trace.type == "mesh3d")
    assert len(mesh.i) == len(mesh.facecolor) == 12  # six faces are left of 54
    fills = [t.fillcolor for t in figure.data if t.type == "scatter" and t.fill == "toself"]
    assert fills.count(paper.inks[0]) == 1  # two squares of a colour together
    assert paper.faint in fills
    assert len(figure.layout.shapes) == 2
    assert figure.layout.yaxis4.range == (1, 0)
    assert figure.layout.yaxis4.scaleanchor == "x4"
    assert not figure.layout.yaxis4.visible
    assert figure.layout.yaxis6.type == "log"
    assert figure.layout.paper_bgcolor == paper.paper
    words = [
        text
        for trace in figure.data
        if trace.to_plotly_json().get("mode") == "text"
        for text in trace.text
    ]
    assert words[1] == "<b>&lt;/script&gt;&lt;b&gt;$x$ &amp; $y$</b>"


NONE = np.array([])
HOLE = np.array([[np.nan]])


@pytest.mark.parametrize(
    "panel",
    [
        Panel([]),
        Panel([], z=Axis()),
        Panel([Line(NONE, NONE, "a"), Band(NONE, NONE, NONE), Bars(NONE, NONE), Shapes([])]),
        Panel([Points(NONE, NONE), Texts(NONE, NONE, []), Arrows(NONE, NONE, NONE, NONE)]),
        Panel([Tiles([0, 1], [0, 1], np.array([[-1]]), [], []), Heat([0, 1], [0, 1], HOLE)]),
        Panel([Surface([0, 1], [0, 1], np.full((2, 2), np.nan))], z=Axis()),
        Panel([Line([1, 2], [0, 0])], y=Axis(log=True)),
        Panel([Line([1, 2, 3], [1, np.inf, 2]), Mark(2, "here")]),
        Panel([Line([1, 2], [1, 2], "_ 名 \N{GAME DIE}\x00")], title="_\x0b$"),
    ],
)
def test_little_to_draw_is_drawn(panel):
    picture = Picture("\x01 a title " * 30, [panel], alt="\x02")
    minidom.parseString(picture.to_svg())
    assert "Plotly.newPlot" in picture.to_html(alone=False)


# Files --------------------------------------------------------------------------------------

SMALL = Picture(
    "Two bars", [Panel([Bars([1, 2], [0.5, 0.25], "chance $x$")])], small="<small>", alt="a & b"
)


@pytest.mark.parametrize("name", THEMES)
def test_an_svg_says_what_it_shows(name):
    text = zoo().to_svg(name)
    assert "<title>&lt;/script&gt;&lt;b&gt;$x$ &amp; $y$</title>" in text
    assert "<desc>Every layer &lt; once &amp; all.</desc>" in text
    assert ">2 players, for $5</text>" in text  # words stay words
    assert set(re.findall(r'https?://[^/"]+', text)) == {"http://www.w3.org"}
    assert THEMES[name].paper in text


def test_a_page_stands_alone():
    text = zoo().to_html("dark")
    head, body = text.split("<script>", 1)[0], text.rsplit("</head>", 1)[1]
    assert '<html lang="en">' in head
    assert "<title>&lt;/script&gt;&lt;b&gt;$x$ &amp; $y$</title>" in head
    assert "default-src 'none'" in head
    assert 'content="dark"' in head
    assert 'aria-label="Every layer &lt; once &amp; all."' in body
    assert body.count("</script>") == 1
    for part in (head, body):  # and in between there is plotly.js, which loads maps only
        assert not re.search(r"https?://|\bsrc=|\bhref=|@import|url\(", part)
    assert "sendChartToCloud" in body  # the button that would is removed


def test_a_fragment_expects_plotly():
    text = SMALL.to_html(alone=False)
    assert len(text) < 10_000
    assert text == SMALL.to_html(alone=False)
    assert text.startswith("<figure")
    assert "&lt;small&gt;" in text
    plot = json.loads(re.search(r"var plot = (.*);\n", text).group(1))
    assert plot["data"][0]["name"] == "chance $x$"


@pytest.mark.parametrize("kind", ["png", "svg", "pdf", "html"])
def test_files_of_every_kind(tmp_path, kind):
    path = tmp_path / f"bars.{kind.upper()}"
    SMALL.save(path, "dark")
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF", "html": b"<!DOCTYPE html>"}[kind]
    first = path.read_bytes()
    assert first.startswith(start)
    SMALL.save(path, "dark")
    assert path.read_bytes() == first
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def test_a_picture_shows_itself_in_a_notebook():
    assert SMALL._repr_svg_().startswith("<?xml")


def test_files_that_cannot_be_written(tmp_path, monkeypatch):
    with pytest.raises(OptionError, match=r"bars\.gif .*: a picture is a png, svg, pdf or html"):
        SMALL.save(tmp_path / "bars.gif")
    with pytest.raises(OddsmithError, match=r"could not be written: no such file or directory\.$"):
        SMALL.save(tmp_path / "none" / "bars.svg")
    with pytest.raises(OptionError, match="no theme 'blue'"):
        SMALL.save(tmp_path / "bars.svg", "blue")
    path = tmp_path / "bars.svg"
    path.write_text("as before")

    def full(self, target):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OddsmithError, match=r"could not be written: no space left on device\.$"):
        SMALL.save(path)
    assert path.read_text() == "as before"
    assert [found.name for found in tmp_path.iterdir()] == ["bars.svg"]


@pytest.mark.parametrize(("kind", "library"), [("png", "matplotlib"), ("html", "plotly")])
def test_without_the_library(tmp_path, monkeypatch, kind, library):
    real = builtins.__import__

    def missing(name, *rest):
        if name.split(".")[0] == library:
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(MissingExtraError, match=rf"{library}, .*'oddsmith\[plot\]'\.$"):
        SMALL.save(tmp_path / f"bars.{kind}")
    assert not list(tmp_path.iterdir())
