"""Reports: one page that loads nothing, reads aloud, and says why something is left out."""

from html.parser import HTMLParser
from itertools import pairwise
from typing import NamedTuple

import pytest
from typer.testing import CliRunner

from oddsmith import Game, coin, game, move
from oddsmith.cli import app
from oddsmith.errors import OddsmithError, OptionError
from oddsmith.present.report.page import report_html
from oddsmith.present.report.subject import telling_section
from oddsmith.show.report.page import prose, table
from oddsmith.solve.play.profile import optimal


class Seen(HTMLParser):
    """What a browser would find in a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.words = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)

    def of(self, *names):
        return [attrs for tag, attrs in self.tags if tag in names]

    def loaded(self):
        """Everything a browser would fetch or follow."""
        named = ("src", "srcset", "href", "data", "poster", "action")
        return [a[name] for _, a in self.tags for name in named if a.get(name)]


@pytest.fixture(scope="module")
def race():
    return report_html(game("coin-race"))


def test_a_report_loads_nothing(race):
    loaded = Seen(race).loaded()
    assert loaded
    assert all(link.startswith(("data:image/", "#")) for link in loaded)
    assert "default-src 'none'" in race
    assert "<script" not in race
    assert "url(" not in race
    assert "@import" not in race


def test_a_report_can_be_read_aloud(race):
    seen = Seen(race)
    assert seen.of("html")[0]["lang"] == "en"
    levels = [int(tag[1]) for tag, _ in seen.tags if tag in ("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    assert all(image["alt"] for image in seen.of("img"))
    assert all(cell["scope"] in ("col", "row") for cell in seen.of("th"))
    ids = [attrs["id"] for _, attrs in seen.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    targets = [a["href"].removeprefix("#") for a in seen.of("a")]
    assert set(targets) <= set(ids)


def test_a_report_has_each_picture_on_light_and_dark_paper(race):
    seen = Seen(race)
    assert len(seen.of("source")) == len(seen.of("img")) >= 4
    assert all("dark" in source["media"] for source in seen.of("source"))
    light = report_html(game("coin-race"), theme="light")
    assert not Seen(light).of("source")
    with pytest.raises(OptionError, match="auto, light, dark"):
        report_html(game("coin-race"), theme="pink")


def test_a_report_says_the_answers_and_how_to_find_them(race):
    words = " ".join(Seen(race).words)
    for said in ("16/27", "11/27", "16/3", "oddsmith report coin-race", "digest of the rules"):
        assert said in words


def test_a_report_on_a_game_with_decisions_says_how_to_play():
    text = report_html(game("piglet", goal=4))
    words = " ".join(Seen(text).words)
    for said in ("How to play", "best move: flip", "oddsmith report piglet --set goal=4"):
        assert said in words


class Angle(Game):
    """Toss <b>one</b> coin & win; `x < 1` is <script>alert(1)</script>."""

    players: int = 1

    class State(NamedTuple):
        """How often it was heads."""

        heads: int = 0

    def winner(self, s):
        return 0 if s.heads else None

    @move(dice=coin)
    def toss(self, s, heads):
        return self.State(s.heads + heads)


class Endless(Angle):
    """A coin that never lands."""

    def winner(self, s):
        return None

    @move(dice=coin)
    def toss(self, s, heads):
        return s


def test_rules_are_shown_as_they_are_written():
    text = report_html(Angle())
    assert "<script" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<code>x &lt; 1</code>" in text


def test_a_game_without_an_end_says_so_in_each_section_it_harms():
    text = report_html(Endless())
    assert "can go on for ever" in text
    assert "A coin that never lands" in text


def test_a_game_that_is_too_large_is_simulated():
    large = report_html(game("piglet", goal=6), states=50, interpreted_games=200)
    assert "These are estimates" in large
    assert "more than 50 states" in large
    assert "play: hold-at" in large
    assert "oddsmith learn piglet" in large
    assert "oddsmith solve piglet --set goal=6" in large
    chance = report_html(game("coin-race", goal=4), states=10, games=1500)
    assert "1,500 games were played" in chance


def test_the_section_that_tells_most_is_found():
    x, y, where = telling_section(optimal(game("piglet"), engine="interpreted"))
    assert {x, y} == {"scores[1]", "total"}
    assert where == "scores[0]=0"


def test_words_and_tables():
    assert prose("a `b` & c") == "<p>a <code>b</code> &amp; c</p>"
    assert prose("it`s") == "<p>it`s</p>"
    shown = table(["", "n"], [["one", "1"], ["two", "–"]])
    assert '<td class="number">1</td>' in shown


def test_interactive_reports_have_the_script_once(monkeypatch):
    pytest.importorskip("plotly")
    monkeypatch.setattr("plotly.offline.get_plotlyjs", lambda: "/* plotly */")
    text = report_html(Angle(), interactive=True)
    assert text.count("/* plotly */") == 1
    assert "Plotly.newPlot" in text
    assert all(link.startswith(("data:", "#")) for link in Seen(text).loaded())


def test_the_command_writes_a_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["report", "coin-race", "-n", "3", "-o", "race.html"])
    assert result.exit_code == 0
    text = (tmp_path / "race.html").read_text()
    assert "oddsmith solve coin-race -n 3" in text
    assert list(tmp_path.iterdir()) == [tmp_path / "race.html"]


def test_the_command_refuses_before_the_work(tmp_path):
    run = CliRunner().invoke
    for bad in (["-o", str(tmp_path / "no" / "x.html")], ["-o", str(tmp_path)], ["--theme", "x"]):
        result = run(app, ["report", "goose", "-n", "6", *bad])
        assert isinstance(result.exception, OddsmithError)
