"""The PRISM language: text to syntax tree to program, and programs to processes.

Reading needs a parser, which is loaded when it is first used and not with the package.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from os import PathLike
from typing import TYPE_CHECKING

from oddsmith.runtime.reading import read_text

if TYPE_CHECKING:
    from oddsmith.rules.prism.expression import Type
    from oddsmith.rules.prism.program import Program


def parse_program(
    text: str,
    name: str = "model",
    constants: Mapping[str, Fraction | bool | int | float] | None = None,
    *,
    others: Collection[str] = (),
) -> Program:
    """The program that a PRISM text describes.

    `constants` are values for the constants that the text leaves open; `others` names constants
    among them that belong to someone else (to the properties) and are passed over.
    """
    from oddsmith.rules.prism.elaborate import elaborate
    from oddsmith.rules.prism.parse import parse_model
    from oddsmith.rules.prism.source import Source

    source = Source(text, name)
    return elaborate(parse_model(source), source, constants, others=others)


def read_program(
    path: str | PathLike[str],
    constants: Mapping[str, Fraction | bool | int | float] | None = None,
    *,
    others: Collection[str] = (),
) -> Program:
    """The program in a file; see `parse_program`."""
    return parse_program(read_text(path), str(path), constants, others=others)


def undefined_constants(text: str, name: str = "model") -> dict[str, Type]:
    """The constants that a model leaves to its user, with their types, in order."""
    from oddsmith.rules.prism.elaborate import undefined
    from oddsmith.rules.prism.parse import parse_model
    from oddsmith.rules.prism.source import Source

    return undefined(parse_model(Source(text, name)))
