"""What a sentence shows of a file or a name: a little of it, on one line, printable.

A file may hold one line of 30 MB, or what a terminal takes for commands.
"""

from __future__ import annotations

QUOTED = 80
"""Letters that a sentence quotes of a file at most."""

LINE, WHOLE = 600, 8_000
"""Letters of a line, and of all of an error, at most."""


def quoted(text: object, most: int = QUOTED) -> str:
    """Some text of a file, or a name, as a sentence may show it.

    >>> quoted("x" * 10**6, most=12), quoted("red\\x1b[31m\\n")
    ('xxxxxxxx…xxx', 'red?[31m?')
    """
    return printable(_shortened(str(text), most))


def printable(text: str) -> str:
    """A text without what could disturb a terminal or a line.

    >>> printable("one\\ntwo\\x07")
    'one?two?'
    """
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def presentable(text: str) -> str:
    """A text of some lines for a terminal: none of them long, and not too many of them."""
    if len(text) <= LINE and text.isprintable():
        return text
    lines = _shortened(text, WHOLE).split("\n")
    return "\n".join(printable(_shortened(line, LINE)) for line in lines)


def _shortened(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    end = most // 4
    return f"{text[: most - end - 1]}…{text[-end:]}"
