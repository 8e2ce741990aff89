"""What commands print: answers as text or JSON, and whether anything was printed yet."""

import shlex
import sys
from dataclasses import replace
from typing import Any

import typer

from oddsmith.errors import OddsmithError
from oddsmith.results.digits import PLAIN, NumberFormat
from oddsmith.show.plain import forgiving


def show(found: Any, as_json: bool, number_format: NumberFormat = PLAIN) -> None:
    """Print what was found; an interrupted result ends with the code of an interrupt."""
    failed = None
    if number_format.file is not None:
        from oddsmith.show.fractions import write_fractions

        try:
            write_fractions(
                number_format.file, found.fractions(), shlex.join(["oddsmith", *sys.argv[1:]])
            )
        except OddsmithError as error:  # the answers themselves are not lost
            failed, number_format = error, replace(number_format, file=None)
    if number_format == PLAIN:
        put(found.to_json() if as_json else str(found), as_json)
    else:
        put(found.to_json(number_format) if as_json else found.text(number_format), as_json)
    if failed is not None:
        raise failed
    if found.interrupted:
        raise typer.Exit(130)


def put(text: str, as_json: bool = False) -> None:
    """Print a text; JSON stays valid whatever the encoding of the output is."""
    global _printed
    forgiving(as_json)
    print(text)
    _printed = True


_printed = False


def has_printed() -> bool:
    """Whether an answer was printed."""
    return _printed
