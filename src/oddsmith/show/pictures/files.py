"""Pictures as files and as texts.

A file is written beside its place first and then moved there, so that a full disk or a mistake
leaves what was there before, and never half a picture.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape

from oddsmith.errors import OptionError
from oddsmith.runtime.whole_files import write_whole
from oddsmith.show.pictures.spec import Picture
from oddsmith.show.pictures.theme import theme

DPI = 120
NO_XML = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f]")
"""Letters that an SVG must not have."""

KINDS = ("png", "svg", "pdf", "html")


def kind_of(path: str | Path) -> str:
    """The kind of a picture's file, by its ending; another one is refused."""
    kind = Path(path).suffix.lower().lstrip(".")
    if kind not in KINDS:
        raise OptionError(f"{path} cannot be written: a picture is a png, svg, pdf or html file.")
    return kind


def drawable(path: str | Path, paper: str = "light") -> None:
    """Refuse what cannot be drawn with what is installed, before the work."""
    from oddsmith.show.pictures import interactive, static
    from oddsmith.show.pictures.spec import Panel

    if kind_of(path) == "html":
        interactive.figure_of(Picture("", [Panel([])]), theme(paper))
    else:
        with static.styled(theme(paper)):
            pass


def save(picture: Picture, path: str | Path, paper: str = "light") -> None:
    """Write a picture: png, svg, pdf or html, by the ending of the file's name."""
    kind = kind_of(path)
    draw: Callable[[Picture, str], str] | None = {"html": html_of, "svg": svg_of}.get(kind)
    write_whole(path, _drawn(picture, paper, kind) if draw is None else draw(picture, paper))


def svg_of(picture: Picture, paper: str = "light") -> str:
    """The picture as SVG; its title and what it shows stand first, for who cannot see it."""
    text = NO_XML.sub("", _drawn(picture, paper, "svg").decode())
    start = text.index("<svg")
    end = text.index(">", start) + 1
    head = text[start:end].replace("<svg", '<svg role="img"', 1)
    words = f"<title>{escape(NO_XML.sub('', picture.title))}</title>"
    if picture.alt:
        words += f"\n <desc>{escape(NO_XML.sub('', picture.alt))}</desc>"
    return f"{text[:start]}{head}\n {words}{text[end:]}"


def html_of(picture: Picture, paper: str = "light", alone: bool = True) -> str:
    """The picture as HTML that turns and zooms: see `interactive`."""
    from oddsmith.show.pictures.interactive import fragment, page

    return page(picture, theme(paper)) if alone else fragment(picture, theme(paper))


def _drawn(picture: Picture, paper: str, kind: str) -> bytes:
    from oddsmith.show.pictures.static import figure_of, styled

    nothing = {
        "svg": {"Date": None, "Creator": None, "Format": None, "Type": None},
        "pdf": {"CreationDate": None},
    }
    with styled(theme(paper)):
        stream = io.BytesIO()
        figure = figure_of(picture, paper)
        figure.savefig(stream, format=kind, dpi=DPI, metadata=nothing.get(kind))
    return _smaller(stream) if kind == "png" else stream.getvalue()


def _smaller(stream: io.BytesIO) -> bytes:
    """A png with 256 colours, chosen so that none is far off: it is a third as large."""
    from PIL import Image

    small = io.BytesIO()
    with Image.open(stream) as image:
        full = image.convert("RGB")
    few = full.quantize(256, Image.Quantize.MAXCOVERAGE, 1, dither=Image.Dither.NONE)
    few.save(small, format="png", optimize=True)
    return small.getvalue()
