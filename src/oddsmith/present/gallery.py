"""The pictures of the papers, made again: files, and a page that shows them beside what is said.

`published/figures/figures.toml` says which figure of which paper each is, how it is made, what is
to be seen and how it compares; see there. Figures are made one after another, so that what is made
is kept when somebody stops it.
"""

from __future__ import annotations

import json
import os
import shlex
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from textwrap import wrap
from typing import Any

from oddsmith import published
from oddsmith.errors import OddsmithError, OptionError
from oddsmith.games import game as named_game
from oddsmith.results.shown import Shown
from oddsmith.rules.game import Game
from oddsmith.rules.options import suggestion
from oddsmith.runtime.progress import Progress, Silent
from oddsmith.runtime.whole_files import write_whole
from oddsmith.show.pictures.spec import Picture
from oddsmith.show.report import page
from oddsmith.version import __version__

INDEX = "index.html"
COLUMNS = 92
"""Of a long number, as in the print."""


@dataclass(frozen=True)
class Figure:
    """A figure of a paper, and how it is made again."""

    name: str
    paper: str
    sources: tuple[str, ...]
    figure: str
    title: str
    shows: str
    compared: str
    game: str = ""
    players: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    board: str = ""
    """A file beside the figures' own, copied beside the pictures."""
    picture: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    fraction: str = ""
    """Instead of a picture: an answer as a fraction, such as `win 1`."""

    def subject(self) -> Game:
        """The game that it is about."""
        players = {"players": self.players} if self.players else {}
        if self.board:
            from oddsmith.rules.board.game import board_class

            return board_class(self.board, board_text(self.board))(**players)
        return named_game(self.game, **self.options, **players)

    @property
    def command(self) -> str:
        """The command that makes it alone."""
        words = ["-n", str(self.players)] if self.players else []
        for name, value in self.options.items():
            words += ["--set", f"{name}={value}"]
        if self.fraction:
            asked = ["solve", self.game, *words, "--exact", "--fractions", f"{self.name}.txt"]
            return shlex.join(["oddsmith", *asked])
        for name, value in self.settings.items():
            words += [f"--{name.replace('_', '-')}", str(value)]
        asked = ["plot", self.board or self.game, self.picture, *words, "-o", f"{self.name}.svg"]
        return shlex.join(["oddsmith", *asked])


@dataclass(frozen=True, eq=False)
class Made:
    """A figure that was made: its files, and its picture or its fraction as text."""

    figure: Figure
    written: tuple[str, ...] = ()
    picture: Picture | None = None
    text: str = ""
    failed: str = ""
    """Why it could not be made, if so."""


@dataclass(frozen=True, eq=False, repr=False)
class Gallery(Shown):
    """Figures that were made, in a directory."""

    directory: Path
    made: tuple[Made, ...]
    wanted: int
    interrupted: bool = False

    @property
    def ok(self) -> bool:
        """Whether all figures were made."""
        return len(self.made) == self.wanted and not any(one.failed for one in self.made)

    def __str__(self) -> str:
        bad = [one for one in self.made if one.failed]
        failed = [f"{one.figure.name} could not be made: {one.failed}" for one in bad]
        done = len(self.made) - len(failed)
        of = f"{done} of {self.wanted}" if done < self.wanted else f"{done}"
        stopped = "; stopped early, what was made is kept" if self.interrupted else ""
        index = self.directory / INDEX
        return "\n".join([*failed, f"{of} figures in {self.directory}{stopped}: open {index}."])

    def to_json(self) -> str:
        """The figures as JSON."""
        listed = [
            {
                "name": one.figure.name,
                "figure": one.figure.figure,
                "paper": one.figure.paper,
                "command": one.figure.command,
                "files": list(one.written),
                "failed": one.failed or None,
            }
            for one in self.made
        ]
        found = {"directory": str(self.directory), "ok": self.ok, "figures": listed}
        return json.dumps(found, indent=2, ensure_ascii=False)


def figures(names: Iterable[str] = ()) -> list[Figure]:
    """The figures of the sources named, or all.

    >>> [figure.name for figure in figures(["simple-game"])]
    ['goose-3.1', 'goose-3.2']
    """
    listed = [
        Figure(**{**entry, "sources": tuple(entry["sources"])}) for entry in _data()["figure"]
    ]
    wanted = list(dict.fromkeys(names))
    known = sorted({source for figure in listed for source in figure.sources})
    for name in wanted:
        if name not in known:
            from oddsmith.reproduce import sources

            if name in sources():
                raise OptionError(
                    f"{name} has no figures, only numbers: figures are those of {', '.join(known)}."
                )
            hint = suggestion(name, known).replace("it has", "there are")
            raise OptionError(f"There is no published source {name!r} with figures: {hint}")
    if not wanted:
        return listed
    return [figure for figure in listed if set(figure.sources) & set(wanted)]


def papers() -> dict[str, dict[str, str]]:
    """Title and source of each paper by its short name."""
    found: dict[str, dict[str, str]] = _data()["paper"]
    return found


def _data() -> dict[str, Any]:
    return tomllib.loads(board_text("figures.toml"))


def board_text(name: str) -> str:
    """The text of a file beside the figures' own."""
    return (files(published) / "figures" / name).read_text(encoding="utf-8")


def make_gallery(
    directory: str | Path = "figures",
    names: Iterable[str] = (),
    progress: Progress | None = None,
) -> Gallery:
    """Make the figures of the sources named, or all, and a page of them, in a directory."""
    wanted = figures(names)
    place = _writable(Path(directory))
    progress = progress or Silent()
    made: list[Made] = []
    drawn: dict[str, Picture] = {}
    interrupted = False
    try:
        for number, figure in enumerate(wanted):
            progress.update("figures", number, len(wanted), f"{figure.paper}: {figure.figure}")
            made.append(_made(figure, place, drawn))
    except KeyboardInterrupt:
        interrupted = True
    write_whole(place / INDEX, index_html(made))
    return Gallery(place, tuple(made), len(wanted), interrupted)


def _writable(place: Path) -> Path:
    """The directory, made if it is not there; refused before the work if it cannot be written."""
    try:
        place.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise OptionError(f"{place} cannot be written: it is a file, not a directory.") from None
    except OSError as error:
        raise OptionError(f"{place} cannot be made: {error.strerror}.") from None
    if not os.access(place, os.W_OK | os.X_OK):
        raise OptionError(f"{place} cannot be written: permission is denied.")
    return place


def _made(figure: Figure, place: Path, drawn: dict[str, Picture]) -> Made:
    """Make a figure; one that two papers have is drawn once."""
    try:
        if figure.fraction:
            text = _fraction(figure)
            write_whole(place / f"{figure.name}.txt", text + "\n")
            return Made(figure, (f"{figure.name}.txt",), text=text)
        from oddsmith.present.pictures.by_name import plot

        same = figure.command.removesuffix(f"{figure.name}.svg")
        if same not in drawn:
            drawn[same] = plot(figure.subject(), figure.picture, **figure.settings)
        picture, written = drawn[same], []
        for mark, theme in (("", "light"), ("-dark", "dark")):
            for ending in (".png", ".svg"):
                written.append(f"{figure.name}{mark}{ending}")
                picture.save(place / written[-1], theme)
        if any(panel.z is not None for panel in picture.panels):
            written.append(f"{figure.name}.html")
            picture.save(place / written[-1])
        if figure.board:
            written.append(figure.board)
            write_whole(place / figure.board, board_text(figure.board))
        return Made(figure, tuple(written), picture)
    except OddsmithError as error:
        return Made(figure, failed=str(error))


def _fraction(figure: Figure) -> str:
    """The answer written out, numerator over denominator, in lines."""
    from oddsmith.ask.odds import odds
    from oddsmith.results.digits import in_full

    found = odds(figure.subject(), method="exact")
    exact = found.win[int(figure.fraction.removeprefix("win ")) - 1].exact
    assert exact is not None
    above, below = in_full(exact).split("/")
    counts = f"{len(above):,} digits over {len(below):,}; the decimal is {float(exact):.15f}…"
    return "\n".join([*wrap(above, COLUMNS), "─" * COLUMNS, *wrap(below, COLUMNS), "", counts])


# The page -----------------------------------------------------------------------------------


def index_html(made: Iterable[Made]) -> str:
    """A page of figures, by paper, that stands alone; links lead to the files beside it."""
    known = papers()
    by_paper: dict[str, list[Made]] = {}
    for one in made:
        by_paper.setdefault(one.figure.paper, []).append(one)
    title = "The pictures of the papers, made again"
    lead = (
        "Each figure is computed from the rules of the game and drawn again, with the command that "
        "makes it alone. What is compared is what the papers say in words and numbers."
    )
    body = [f'<header><h1>{title}</h1><p class="lead">{lead}</p>', "<nav><ul>"]
    for ones in by_paper.values():
        body += [
            f'<li><a href="#{one.figure.name}">{page.escape(_called(one.figure))}</a></li>'
            for one in ones
        ]
    body.append("</ul></nav></header><main>")
    for paper, ones in by_paper.items():
        named = known[paper]
        body.append(f"<section><h2>{page.escape(named['title'])}</h2>")
        body.append(f'<p class="lead">{page.escape(named["source"])}</p>')
        body += [_shown(one) for one in ones]
        body.append("</section>")
    body.append(
        f"</main><footer>Made by Oddsmith {__version__}. This page is one file and loads nothing; "
        "the links lead to the pictures beside it.</footer>"
    )
    return page.page(title, "\n".join(body))


def _called(figure: Figure) -> str:
    return f"{figure.figure}: {figure.title}"


def _shown(one: Made) -> str:
    figure = one.figure
    parts = [f'<article id="{figure.name}"><h3>{page.escape(_called(figure))}</h3>']
    if one.failed:
        parts.append(f'<p class="note">{page.escape(f"It could not be made: {one.failed}")}</p>')
    if one.picture is not None:
        parts.append(page.figure(one.picture))
    if one.text:
        name = page.escape(figure.title)
        parts.append(f'<pre tabindex="0" aria-label="{name}">{page.escape(one.text)}</pre>')
    parts.append(f"<h4>What to see</h4>{page.prose(figure.shows)}")
    parts.append(f"<h4>Beside the paper</h4>{page.prose(figure.compared)}")
    if one.written:
        links = (f'<a href="{page.escape(name)}">{page.escape(name)}</a>' for name in one.written)
        parts.append(f'<p class="lead">{" · ".join(links)}</p>')
    parts.append(f'<pre tabindex="0"><code>{page.escape(figure.command)}</code></pre></article>')
    return "".join(parts)
