"""What a picture is to those who ask for it by name: its function says everything."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from oddsmith.show.pictures.spec import Picture

Of = Literal["games", "boards", "choices"]
"""What can be drawn so: every game, boards, games in which somebody chooses."""


@dataclass(frozen=True)
class Kind:
    """A kind of picture."""

    function: Callable[..., Picture]
    of: Of
    of_models: bool
    """Whether it is of models too that come from a program or a file."""

    @property
    def says(self) -> str:
        """What it shows: the first line of its function's docstring."""
        line = (self.function.__doc__ or "").split("\n")[0].rstrip(".")
        return line[0].lower() + line[1:]

    @property
    def options(self) -> dict[str, Any]:
        """The options it takes, with their types; every picture has a title."""
        types = typing.get_type_hints(self.function)
        names = list(inspect.signature(self.function).parameters)[1:]
        return {"title": str} | {name: types[name] for name in names if name != "progress"}


F = typing.TypeVar("F", bound=Callable[..., Picture])


def picture(of: Of, of_models: bool = False) -> Callable[[F], F]:
    """Mark a function `(game, *, progress, own options) -> Picture`: `plot` finds it by name."""

    def marked(function: F) -> F:
        function.kind = Kind(function, of, of_models)  # type: ignore[attr-defined]
        return function

    return marked
