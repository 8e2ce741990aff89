"""Where an error is: a sentence, the position, and the line with a caret under it.

Models and properties are both read with this, so that their errors look alike.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from oddsmith.errors import RuleError

WIDTH = 100
"""How much of a long line an error shows."""


class SourceError(RuleError):
    """A text is wrong at one place; `line` and `column` count from one."""

    def __init__(self, text: str, message: str, line: int, column: int) -> None:
        super().__init__(text)
        self.message = message
        self.line = line
        self.column = column


class Rejected(Exception):  # noqa: N818 - caught, never shown
    """A sentence and an offset, on the way to whoever holds the text and can show the line."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at


@dataclass(frozen=True)
class Source:
    """A text and what it is called.

    >>> print(Source("mdp\\nmodul M", "m.prism").error("What is modul?", 4))
    What is modul?
      m.prism:2:1
      modul M
      ^
    """

    text: str
    name: str = "model"

    def position(self, at: int) -> tuple[int, int]:
        """Line and column of an offset, both from one."""
        at = max(0, min(at, len(self.text)))
        return self.text.count("\n", 0, at) + 1, at - self.text.rfind("\n", 0, at)

    def error(self, message: str, at: int) -> SourceError:
        """The error that says `message` and shows the place."""
        line, column = self.position(at)
        return SourceError(f"{message}\n{self.excerpt(at)}", message, line, column)

    def excerpt(self, at: int) -> str:
        """`name:line:column`, and below it the line with a caret."""
        at = max(0, min(at, len(self.text)))
        line, column = self.position(at)
        begin = at - column + 1
        end = self.text.find("\n", at)
        end = len(self.text) if end < 0 else end
        first = max(begin, at - WIDTH // 2) if end - begin > WIDTH else begin
        last = min(end, first + WIDTH)
        before, after = "…" if first > begin else "", "…" if last < end else ""
        shown = f"{before}{self.text[first:last]}{after}".translate(_PRINTABLE).rstrip()
        caret = " " * (at - first + len(before)) + "^"
        return f"  {self.name}:{line}:{column}\n  {shown}\n  {caret}"


_PRINTABLE = dict.fromkeys((*range(32), 127, 0x2028, 0x2029), " ")
"""Control characters, tabs among them, would move the caret."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """` Did you mean x?`, or nothing.

    >>> did_you_mean("heigth", ["height", "depth"])
    ' Did you mean height?'
    """
    import difflib

    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" Did you mean {close[0]}?" if close else ""


@contextmanager
def without_collection() -> Iterator[None]:
    """Let Python's garbage collector rest while a large tree is made.

    It would walk over the growing tree again and again, which doubles the time and finds nothing.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
