"""On which line of a TOML text a key stands, however the text is laid out."""

from __future__ import annotations

import tomllib
from typing import Any

MOST = 500_000
"""Letters that are parsed in search of a line; what is not found by then is told without."""


def line_of(text: str, where: tuple[str, ...]) -> int:
    """The line on which a key stands, or the nearest table around it; 0 if none does.

    The text is read statement by statement; a statement is as many lines as it takes to parse.

    >>> line_of("[board]\\nfinish = 9\\n[squares]\\ninn = { at = 3 }", ("squares", "inn", "at"))
    4
    """
    best, depth, statement, first = 0, 0, "", 1
    table: tuple[str, ...] = ()
    parsed = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if not statement:
            first = number
        statement += line + "\n"
        parsed += len(statement)
        if parsed > MOST:  # a statement of very many lines
            return best
        try:
            found = tomllib.loads(statement)
        except (ValueError, RecursionError):
            continue  # it goes on in the next line
        header = statement.lstrip().startswith("[")
        statement = ""
        if header:
            table = _header(found)
            reached = len(table) if where[: len(table)] == table else 0
        elif found and where[: len(table)] == table:
            inside = _steps(found, where[len(table) :])
            reached = len(table) + inside if inside else 0
        else:
            continue
        if reached > depth:
            best, depth = first, reached
    return best


def _header(found: Any) -> tuple[str, ...]:
    """The keys of a table's header, from the empty table it makes."""
    keys: list[str] = []
    while isinstance(found, dict) and found:
        ((key, found),) = found.items()
        keys.append(key)
        found = found[-1] if isinstance(found, list) else found
    return tuple(keys)


def _steps(found: Any, keys: tuple[str, ...]) -> int:
    """How many of the keys lead on inside what a statement makes."""
    for steps, key in enumerate(keys):
        if not isinstance(found, dict) or key not in found:
            return steps
        found = found[key]
    return len(keys)
