"""What is read from a file: plain files only, within a size, and text in UTF-8.

A pipe would make a command wait for ever, a device give no end of bytes.
"""

from __future__ import annotations

import stat
from os import PathLike
from pathlib import Path

from oddsmith.errors import OptionError

MOST_TEXT = 200_000_000
"""Bytes of a model, a property file, a board."""

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
        raise OptionError(f"{path} is {kind}, not a file: write it to a file first.")


def read_text(path: str | PathLike[str]) -> str:
    """The text of a file that somebody has written: a model, properties, a board."""
    file = Path(path)
    require_plain(file)
    try:
        if file.stat().st_size > MOST_TEXT:
            raise OptionError(f"{file} is too large: more than {MOST_TEXT // 10**6} MB.")
        return file.read_text(encoding="utf-8-sig")  # some editors begin with a mark
    except OSError as error:
        raise OptionError(f"{file} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise OptionError(f"{file} is not a text file in UTF-8.") from None
