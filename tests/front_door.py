"""The command line in this process, as somebody meets it who types: what is printed, and the code.

Imports and compiled kernels are shared with the other tests; `test_cli.py` starts real processes.
"""

import contextlib
import io
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from unittest import mock

from oddsmith.cli import commands as cli
from oddsmith.cli import output
from oddsmith.runtime import remains


@dataclass(frozen=True)
class Said:
    """What a command has printed, and the code that it left with."""

    code: int
    out: str
    err: str


class _Left(BaseException):
    """The command would have ended the process here."""


def run(*words: str, typed: Iterable[str] = ()) -> Said:
    """Run a command of `oddsmith`; `typed` are the lines that are typed when it asks."""
    out, err = io.StringIO(), io.StringIO()
    codes: list[int] = []

    def leave(code: int) -> None:
        codes.append(code)
        raise _Left

    nothing = {"said": "", "kept": "", "keeping": [], "temporary": [], "alone": False}
    with (
        mock.patch.object(cli, "leave", leave),
        mock.patch.object(output, "_printed", False),  # what other commands printed is theirs
        mock.patch.object(remains, "_left", nothing),
        mock.patch.object(sys, "argv", ["oddsmith", *words]),
        mock.patch.object(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in typed))),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        contextlib.suppress(_Left),
    ):
        cli.main()
    return Said(codes[0], out.getvalue(), err.getvalue())
