"""What is read from a file: plain files only, and what is quoted from them in a sentence.

A pipe would make a command wait for ever, a device give no end of bytes. And a file may hold one
line of 30 MB, or what a terminal takes for commands: an error quotes a few letters of it.
"""

from __future__ import annotations

import stat
from os import PathLike
from pathlib import Path

from oddsmith.errors import OptionError

QUOTED = 80
"""Letters of a file that a sentence quotes at most."""

KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


def unfit(path: str | PathLike[str]) -> str:
    """What a path is that cannot be read like a file (a pipe, a device); nothing if it can."""
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError):  # whoever opens it says what is wrong
        return ""
    return next((name for is_kind, name in KINDS if is_kind(mode)), "")


def require_plain(path: str | PathLike[str]) -> None:
    """Refuse to read what is no file."""
    kind = unfit(path)
    if kind:
        raise OptionError(f"{quoted(path)} is {kind}, not a file: write it to a file first.")


def quoted(text: object, most: int = QUOTED) -> str:
    """Some text of a file, or a name, as a sentence may show it: short, on one line, printable.

    >>> quoted("x" * 10**6, most=12), quoted("red\\x1b[31m\\n")
    ('xxxxxxxx…xxx', 'red?[31m?')
    """
    found = str(text)
    if len(found) > most:
        end = most // 4
        found = f"{found[: most - end - 1]}…{found[-end:]}"
    return "".join(letter if letter.isprintable() else "?" for letter in found)
