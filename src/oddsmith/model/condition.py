"""Conditions on states as text, such as `positions[0]=31 & turn=1`: parsed, never evaluated."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import OptionError
from oddsmith.model.names import Names

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}

PART = re.compile(r"\s*([\w.\[\]]+)\s*(==|!=|<=|>=|=|<|>)\s*(-?\d{1,1000}|true|false)\s*\Z")


def matching(names: Names, text: str) -> npt.NDArray[np.bool_]:
    """The states that satisfy a condition: comparisons of numbers, joined by `&`; true is 1."""
    found = np.ones(len(names), bool)
    for part in text.split("&"):
        match = PART.match(part)
        if match is None:
            raise OptionError(
                f"The condition {part.strip()!r} is not of the form NAME=NUMBER, such as "
                f"positions[0]=31; comparisons are {' '.join(COMPARISONS)}, joined by &."
            )
        name, comparison, number = match.groups()
        value = {"true": 1, "false": 0}.get(number)
        if value is None:
            value = int(number)
        found &= COMPARISONS[comparison](names.column(name), value)
    return found


def state_like(names: Names, text: str) -> Any:
    """The one state with the values that a text names, such as `x=3 done=true`."""
    parts = [part for part in re.split(r"[\s,&]+", text.strip().strip("()")) if part]
    found = np.flatnonzero(matching(names, " & ".join(parts)))
    if not len(found):
        raise OptionError(f"No play comes to a state with {text}.")
    if len(found) > 1:
        raise OptionError(
            f"{len(found):,} states have {text}: name more of {', '.join(names.columns)}."
        )
    return names[int(found[0])]
