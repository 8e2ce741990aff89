"""Exchange: processes written for and read from other tools.

`write(process, "goose.drn")` and `read("goose.drn")` know a format by the end of the file's name;
`FORMATS` lists them. Every format is a module with a `write`; the module is imported when it is
first used.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from oddsmith.errors import OptionError
from oddsmith.model.model import Model


@dataclass(frozen=True)
class Format:
    """A file format: its names, what it is, and the modules that write and read it."""

    name: str
    suffixes: tuple[str, ...]
    about: str
    writer: str
    reader: str | None = None
    takes_fractions: bool = False


FORMATS: dict[str, Format] = {
    form.name: form
    for form in (
        Format(
            "explicit",
            (".tra",),
            "PRISM's explicit files: .tra, with .lab, .sta, .srew and .trew beside it",
            "explicit",
            "explicit_reader",
            takes_fractions=True,
        ),
        Format("drn", (".drn",), "Storm's explicit text", "drn", "drn_reader", True),
        Format("umb", (".umb",), "the unified Markov binary format", "umb", "umb_reader"),
        Format("prism", (".prism", ".pm", ".nm", ".smg"), "PRISM source", "prism_source"),
        Format("aut", (".aut",), "Aldebaran, as mCRL2 reads it", "aut"),
        Format("dot", (".dot", ".gv"), "a picture for Graphviz", "dot"),
    )
}


def write(
    process: Model,
    path: str | Path,
    format: str | None = None,
    *,
    fractions: bool | None = None,
) -> tuple[str, ...]:
    """Write a process to a file; gives notes on what the format cannot say.

    `fractions`: whether chances are written as fractions, where a format has both (explicit and
    drn); by default as its usual readers want it.
    """
    path = Path(path)
    form = format_of(path, format)
    options: dict[str, Any] = {}
    if fractions is not None:
        if not form.takes_fractions:
            raise OptionError(f"The format {form.name} leaves no choice of decimals or fractions.")
        options["fractions"] = fractions
    notes: tuple[str, ...] = _module(form.writer).write(process, path, **options)
    if process.rounded:
        notes += (f"Its numbers are those of {process.name}, decimals that may be rounded.",)
    return notes


def read(path: str | Path, format: str | None = None) -> Model:
    """The process in a file."""
    path = Path(path)
    form = format_of(path, format, "read")
    if form.reader is None:
        raise OptionError(f"{path}: the format {form.name} can be written, not read.")
    process: Model = _module(form.reader).read(path)
    return process


def _module(name: str) -> Any:
    return import_module(f"oddsmith.model.formats.{name}")


def format_of(path: Path, name: str | None = None, done: str = "written") -> Format:
    """The format of a file, by its own name or that of the file; refused if there is none."""
    if name is not None:
        if name not in FORMATS:
            raise OptionError(f"There is no format {name!r}; there are {', '.join(FORMATS)}.")
        return FORMATS[name]
    suffix = path.suffix.lower()
    for form in FORMATS.values():
        if suffix in form.suffixes:
            return form
    known = ", ".join(s for form in FORMATS.values() for s in form.suffixes)
    raise OptionError(
        f"{path} cannot be {done}: the end of its name is none of {known}. "
        "Name the format, or change the name."
    )
