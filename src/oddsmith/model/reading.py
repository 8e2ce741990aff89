"""Models that are written down: programs in PRISM's language, and explicit files of other tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oddsmith.errors import OptionError
from oddsmith.runtime.progress import Progress, Silent

if TYPE_CHECKING:
    from oddsmith.model.model import Model
    from oddsmith.rules.prism.program import Program

PRISM_SUFFIXES = (".prism", ".pm", ".nm", ".smg", ".sm")

Constants = Mapping[str, Fraction | bool | int | float]


def is_model_file(model: Any) -> bool:
    """Whether a name is that of a file with a model, not of a game."""
    from oddsmith.model.formats import FORMATS

    suffixes = {s for form in FORMATS.values() for s in form.suffixes}
    return Path(str(model)).suffix.lower() in {*suffixes, *PRISM_SUFFIXES}


def program_of(model: Any, constants: Constants, others: Sequence[str] = ()) -> Program | None:
    """The PRISM program that is meant: in a file, as a text of several lines, or as it is."""
    from oddsmith.rules.prism import parse_program, read_program
    from oddsmith.rules.prism.program import Program

    if isinstance(model, Program):
        left = [name for name in constants if name not in others]
        if left:
            raise OptionError(
                f"{model.source} is a program already, and its constants have their values: "
                f"{', '.join(left)} cannot be given."
            )
        return model
    if isinstance(model, str) and "\n" in model:
        return parse_program(model, "the model", constants, others=others)
    if isinstance(model, str | Path) and Path(model).suffix.lower() in PRISM_SUFFIXES:
        return read_program(model, constants, others=others)
    return None


def model_of_program(
    program: Program, *, max_states: int | None = None, progress: Progress | None = None
) -> Model:
    """All states of a program, and what was noticed on the way."""
    from oddsmith.model.prism.explore import explore

    found = explore(program, max_states=max_states, progress=progress or Silent())
    return replace(found, notes=(*program.warnings, *found.notes), how="compiled")
