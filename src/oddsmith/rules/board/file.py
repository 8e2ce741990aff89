"""Board files: a board as a table of squares, in TOML; the file, its variants, options on top.

Every mistake is one sentence that names the file, the line and the square. What the tables mean
is in `game.py`, and `settle.py` checks what they say before anything runs; a commented example is
written by `oddsmith new board.toml`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn

from oddsmith.errors import OptionError
from oddsmith.rules.board.effects import EFFECTS
from oddsmith.rules.board.toml_lines import line_of
from oddsmith.rules.options import suggestion
from oddsmith.runtime.reading import read_text

STANDARD = "standard"
OVERSHOOT = ("bounce", "stay", "win")
OCCUPIED = ("return", "share", "swap", "restart")
LAYOUTS = ("serpentine", "spiral")
"""How the board is drawn; no rule."""
PROSE = ("name", "rules", "source")
BOARD = (*PROSE, "layout", "players", "start", "finish", "dice", "overshoot", "occupied")
TABLES = ("board", "squares", "jumps", "first-throw", "variants")


class BoardError(OptionError):
    """A mistake in a board's text: `line` is where, if a line says it; `message` what is wrong."""

    def __init__(
        self, place: str, message: str, line: int | None = None, where: Sequence[str] = ()
    ) -> None:
        super().__init__(f"{', '.join([place, *where])}: {message}")
        self.message = f"{', '.join(where)}: {message}" if where else message
        self.line = line


@dataclass(frozen=True)
class BoardFile:
    """The text of a board and its tables."""

    path: str
    text: str = field(repr=False)
    data: dict[str, Any] = field(repr=False)

    def fail(self, where: tuple[str, ...], message: str) -> NoReturn:
        """Raise the error for what stands at a place in the tables."""
        raise BoardError(self.place(where), message, self.line(where))

    def line(self, where: tuple[str, ...]) -> int | None:
        """The line of what stands at a place in the tables, if one says it."""
        return line_of(self.text, where) or None

    def place(self, where: tuple[str, ...]) -> str:
        """The file and the line of what stands at a place in the tables."""
        line = self.line(where)
        return f"{self.path}, line {line}" if line else self.path


def read_board(path: str, text: str | None = None) -> BoardFile:
    """A board file; its tables are known to be tables of the right names."""
    if text is None:
        text = read_text(path)
    text = text.replace("\r\n", "\n")
    _check_keys(path, text)
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise BoardError(path, "brackets are nested too deep.") from None
    except ValueError as error:  # TOML's own, or a number with thousands of digits
        raise _syntax_error(path, text, str(error)) from None
    file = BoardFile(path, text, data)
    for name, table in data.items():
        if name in BOARD:
            file.fail((name,), f"{name} must stand below the line [board].")
        if name not in TABLES:
            file.fail((name,), f"There is no table [{name}]: {hint(name, TABLES)}")
        if not isinstance(table, dict):
            file.fail((name,), f"{name} must be a table: write [{name}] on a line of its own.")
    if "board" not in data:
        file.fail((), "A board needs a table [board] with at least its finish.")
    for variant, changes in data.get("variants", {}).items():
        _check_variant(file, variant, changes)
    return file


def _check_keys(path: str, text: str) -> None:
    """Refuse keys of very many parts: to read one takes TOML the square of their number."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") >= MOST_PARTS and _LONG_KEY.search(_IN_QUOTES.sub("text", line)):
            where = f"{path}, line {number}"
            raise BoardError(where, "a key has too many parts with points between them.", number)


MOST_PARTS = 100
_LONG_KEY = re.compile(rf"(?:[\w-]+[ \t]*\.[ \t]*){{{MOST_PARTS}}}")
_IN_QUOTES = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'')


def _check_variant(file: BoardFile, variant: str, changes: Any) -> None:
    where = ("variants", variant)
    if variant == STANDARD:
        file.fail(where, f"{STANDARD} is the board as it stands above: call the variant otherwise.")
    if not isinstance(changes, dict):
        file.fail(where, f"Variant {variant!r} must be a table.")
    for name, table in changes.items():
        if name not in TABLES[:-1] or not isinstance(table, dict):
            known = ", ".join(TABLES[:-1])
            file.fail((*where, name), f"A variant changes tables ({known}), not {name!r}.")


def _syntax_error(path: str, text: str, message: str) -> BoardError:
    """TOML's own complaint, in our order: file, line, what."""
    found = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", message)
    if found:
        line = int(found[2]) if found[2] else len(text.rstrip("\n").split("\n"))
        hint = next((f": {to}" for said, to in _MEANT.items() if found[1].startswith(said)), "")
        return BoardError(f"{path}, line {line}", f"{found[1]}{hint}.", line)
    return BoardError(path, "a number is too long.")


_MEANT = {
    "Invalid value": "write a number, a text in quotes, true or false",
    "Expected newline or end of document": "a text stands in quotes, each key on its own line",
    "Expected '='": "write finish = 63",
    "Cannot overwrite": "the name is there already, and each may be given once",
    "Cannot declare": "the table is there already, and each may be given once",
    "Unclosed inline table": "a } is missing",
    "Unclosed array": "a ] is missing",
}
"""What is likely meant, by how TOML's complaint begins."""


def hint(word: str, known: Any) -> str:
    """What is likely meant by a word, and what there is."""
    return suggestion(word, known).replace("it has", "there are")


def merged(file: BoardFile, variant: str) -> dict[str, Any]:
    """The tables with a variant's changes: a square or a throw it names is replaced.

    What is `false` (`inn = false`) is not there.
    """
    tables = {name: deepcopy(file.data.get(name, {})) for name in TABLES[:-1]}
    for name, changes in file.data.get("variants", {}).get(variant, {}).items():
        tables[name] |= deepcopy(changes)
    return {
        name: {key: value for key, value in table.items() if value is not False}
        for name, table in tables.items()
    }


@dataclass(frozen=True)
class BoardVariant:
    """A board file, the variant chosen, and the options given on top of it."""

    file: BoardFile
    variant: str = STANDARD
    given: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def tables(self) -> dict[str, Any]:
        """The tables as they hold."""
        tables = merged(self.file, self.variant)
        for option, value in self.given.items():
            *path, key = _path_of(option)
            table = tables
            for name in path:
                table = table.get(name, {})
            if path[0] != "board" and key not in table:
                raise OptionError(
                    f"{self.file.path} has no {option} in the variant {self.variant}."
                )
            table[key] = value
        return tables

    def fail(self, where: tuple[str, ...], message: str, square: str = "") -> NoReturn:
        """Raise the error for what stands at a place in the tables, or was given in its stead."""
        line, within = None, list[str]()
        for option in self.given:
            if where[: len(_path_of(option))] == _path_of(option):
                place = f"Option {option} of {self.file.path}"
                break
        else:
            changes = self.file.data.get("variants", {}).get(self.variant, {})
            if len(where) > 1 and where[1] in changes.get(where[0], {}):
                where = ("variants", self.variant, *where)
            place, line = self.file.place(where), self.file.line(where)
            if self.variant != STANDARD:
                within.append(f"variant {self.variant}")
            if self.given:
                changed = ", ".join(f"{k}={shown(v)}" for k, v in self.given.items())
                within.append(f"with {changed}")
        raise BoardError(place, message, line, [*within, *([f"square {square}"] * bool(square))])


def _path_of(option: str) -> tuple[str, ...]:
    """The place in the tables that an option changes.

    >>> _path_of("finish"), _path_of("inn.wait"), _path_of("jumps.4")
    (('board', 'finish'), ('squares', 'inn', 'wait'), ('jumps', '4'))
    """
    name, dot, key = option.rpartition(".")
    if not dot:
        return "board", key
    return ("jumps", key) if name == "jumps" and key not in EFFECTS else ("squares", name, key)


def shown(value: Any) -> str:
    """A value as an error shows it: short."""
    try:
        text = f"{value!r}"
    except ValueError:  # a number of thousands of digits
        return "a number that long"
    return text if len(text) <= 60 else f"{text[:57]}…"


def dice_text(value: Any) -> Any:
    """Dice given as a table, as text; what is no dice stays as it is.

    >>> dice_text({"number": 2, "faces": [0, 1, 1]}), dice_text("2d6")
    ('2d[0,1,1]', '2d6')
    """
    if not isinstance(value, dict):
        return value
    faces = value.get("faces", [1, 2, 3, 4, 5, 6])
    number = value.get("number", 1)
    return f"{'' if number == 1 else number}d[{','.join(str(face) for face in faces)}]"
