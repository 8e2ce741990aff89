"""Exact answers in a file, in full: one line each, to be read by people and by programs.

A line is `name = numerator/denominator`; the last ` = ` divides them, for a name may have one of
its own. Lines that begin with # say what the answers are about.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from oddsmith.errors import OptionError
from oddsmith.results.digits import in_full, read_fraction
from oddsmith.runtime.reading import read_text
from oddsmith.runtime.whole_files import replacing
from oddsmith.version import __version__

BETWEEN = " = "


def write_fractions(
    path: str | Path, fractions: Sequence[tuple[str, Fraction]], about: str = ""
) -> None:
    """Write named fractions in full."""
    if not fractions:
        raise OptionError(f"There is no exact answer to write to {path}.")
    head = [*about.splitlines(), f"oddsmith {__version__}; name{BETWEEN}numerator/denominator"]
    with replacing(Path(path)) as file:
        file.writelines(f"# {line}\n".encode() for line in head)
        for name, exact in fractions:
            file.write(f"{' '.join(name.split())}{BETWEEN}{in_full(exact)}\n".encode())


def read_fractions(path: str | Path) -> dict[str, Fraction]:
    """The fractions of a file that `write_fractions` has written, by their names."""
    found: dict[str, Fraction] = {}
    text = read_text(path)
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        name, between, exact = line.rpartition(BETWEEN)
        try:
            if not between:
                raise ValueError
            found[name] = read_fraction(exact)
        except ValueError:
            raise OptionError(
                f"{path}, line {number}, is not a name and a fraction: name{BETWEEN}16/27."
            ) from None
    return found
