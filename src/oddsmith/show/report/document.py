"""A report on a game as one page: rules, odds, lengths, pictures and how all of it was found.

What stands in it is asked by `oddsmith.present.report`, as sections of words, tables and pictures,
and laid out here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from oddsmith.show.pictures.spec import Picture
from oddsmith.show.report import page
from oddsmith.version import __version__

OPENED = """<script>
document.querySelectorAll("details").forEach(function (part) {
  part.addEventListener("toggle", function () { window.dispatchEvent(new Event("resize")); });
});
</script>"""
"""A plot that was drawn while it could not be seen learns how large it is when it is opened."""


@dataclass(frozen=True)
class Words:
    """Text as a docstring has it: paragraphs, lists, `code`."""

    text: str


@dataclass(frozen=True)
class Note:
    """Something to know about what is shown, or why it is not."""

    text: str


@dataclass(frozen=True)
class Code:
    """A command, or any text that is shown as it is."""

    text: str


@dataclass(frozen=True)
class Grid:
    """A table; a `folded` one is opened by who wants to see it."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    folded: bool = False


@dataclass(frozen=True, eq=False)
class Shown:
    """A picture."""

    picture: Picture
    caption: str = ""


Part = Words | Note | Code | Grid | Shown


@dataclass
class Section:
    """A heading and what stands under it."""

    title: str
    parts: list[Part] = field(default_factory=list)


@dataclass(frozen=True)
class Report:
    """All that a page says."""

    title: str
    lead: Sequence[str]
    sections: Sequence[Section]


def laid_out(report: Report, paper: page.Paper = "auto", interactive: bool = False) -> str:
    """The page of a report."""
    named = [(f"part-{n}", section) for n, section in enumerate(report.sections, start=1)]
    links = "".join(f'<li><a href="#{at}">{page.escape(s.title)}</a></li>' for at, s in named)
    body = [
        f"<header><h1>{page.escape(report.title)}</h1>",
        *(f'<p class="lead">{page.escape(line)}</p>' for line in report.lead),
        f'<nav aria-label="Contents"><ul>{links}</ul></nav></header><main>',
    ]
    for at, section in named:
        parts = "".join(_part(part, paper, interactive) for part in section.parts)
        heading = f'<h2 id="{at}">{page.escape(section.title)}</h2>'
        body.append(f'<section aria-labelledby="{at}">{heading}{parts}</section>')
    made = f"Made by Oddsmith {__version__} on {date.today().isoformat()}."
    body.append(f"</main><footer>{made} This page is one file and loads nothing.</footer>")
    if interactive:
        body.append(OPENED)
    script = _script() if interactive else ""
    return page.page(report.title, "\n".join(body), paper=paper, script=script)


def _part(part: Part, paper: page.Paper, interactive: bool) -> str:
    if isinstance(part, Words):
        return page.prose(part.text)
    if isinstance(part, Note):
        return f'<div class="note">{page.prose(part.text)}</div>'
    if isinstance(part, Code):
        return f'<pre tabindex="0"><code>{page.escape(part.text)}</code></pre>'
    if isinstance(part, Grid):
        shown = page.table(part.header, part.rows, "" if part.folded else part.caption)
        if not part.folded:
            return shown
        return f"<details><summary>{page.escape(part.caption)}</summary>{shown}</details>"
    found = page.figure(part.picture, paper, part.caption)
    if interactive:
        turning = part.picture.to_html("dark" if paper == "dark" else "light", alone=False)
        found += f"<details><summary>Turn and zoom</summary>{turning}</details>"
    return found


def _script() -> str:
    """The script of pictures that turn, once for the page."""
    from oddsmith.errors import MissingExtraError

    try:
        from plotly.offline import get_plotlyjs
    except ImportError:
        raise MissingExtraError(
            "An interactive report needs plotly, which is not installed: "
            "pip install 'oddsmith[plot]'."
        ) from None
    return str(get_plotlyjs())
