"""A board's tables as the text of a board file: the inverse of reading it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from oddsmith.errors import OptionError
from oddsmith.rules.board.file import PROSE

BARE = re.compile(r"[A-Za-z0-9_-]+")
DEEPEST = 8
"""Tables inside tables; a board has four."""
NUMBER_DIGITS = 4000
"""Longer numbers cannot be read again."""


def board_text(tables: Mapping[str, Any]) -> str:
    """The text that says the same as the tables: `tomllib.loads` gives them back.

    Prose of several lines stands in lines, the squares of the board one a line.

    >>> print(board_text({"board": {"finish": 9}, "squares": {"inn": {"at": [3, 5], "wait": 1}}}))
    [board]
    finish = 9
    <BLANKLINE>
    [squares]
    inn = { at = [3, 5], wait = 1 }
    <BLANKLINE>
    """
    parts: list[str] = []
    loose = {name: table for name, table in tables.items() if not isinstance(table, Mapping)}
    if loose:
        parts.append(_lines(loose))
    for name, table in tables.items():
        if not isinstance(table, Mapping):
            continue
        inner = name == "variants" and all(isinstance(one, Mapping) for one in table.values())
        if inner and table:
            parts += [_table(f"{_key(name)}.{_key(one)}", table[one]) for one in table]
        else:
            parts.append(_table(_key(name), table))
    return "\n".join(parts)


def _table(header: str, table: Mapping[str, Any]) -> str:
    return f"[{header}]\n{_lines(table)}"


def _lines(table: Mapping[str, Any]) -> str:
    keys = {_key(name): value for name, value in _ordered(table)}
    width = max((len(key) for key in keys), default=0)
    return "".join(f"{key:{width}} = {_value(value, long=True)}\n" for key, value in keys.items())


def _ordered(table: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The entries as they are, but prose of several lines last, so that the rules are seen."""
    last = [name for name in table if name in PROSE and "\n" in str(table[name])]
    return [(n, table[n]) for n in table if n not in last] + [(n, table[n]) for n in last]


def _key(name: Any) -> str:
    text = str(name)
    return text if BARE.fullmatch(text) else _quoted(text)


def _value(value: Any, long: bool = False, depth: int = 0) -> str:
    if depth > DEEPEST:
        raise OptionError("The tables of a board are nested too deep.")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _number(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        return _prose(value) if long and "\n" in value else _quoted(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(one, depth=depth + 1) for one in value)}]"
    if isinstance(value, Mapping):
        if not value:
            return "{}"
        inside = [f"{_key(name)} = {_value(one, depth=depth + 1)}" for name, one in value.items()]
        return f"{{ {', '.join(inside)} }}"
    raise OptionError(f"A board file has texts, numbers, lists and tables, not {value!r}.")


def _number(value: int) -> str:
    if value.bit_length() > NUMBER_DIGITS * 3:
        raise OptionError("A number of the board is too long.")
    return str(value)


def _quoted(text: str) -> str:
    """A text in quotes on one line.

    >>> print(_quoted('say "goose"' + chr(10)))
    "say \\"goose\\"\\n"
    """
    return '"' + "".join(_escaped(letter) for letter in text) + '"'


def _prose(text: str) -> str:
    """A text of several lines; its first line begins below the quotes."""
    letters = (letter if letter == "\n" else _escaped(letter) for letter in text)
    return '"""\n' + "".join(letters) + '"""'


_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def _escaped(letter: str) -> str:
    if letter in _SHORT:
        return _SHORT[letter]
    return f"\\u{ord(letter):04x}" if ord(letter) < 32 or ord(letter) == 127 else letter
