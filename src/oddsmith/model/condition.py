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

PART = re.compile(r"\s*([\w.\[\]]+)\s*(==|!=|<=|>=|=|<|>)\s*(-?\d{1,1000})\s*\Z")


def matching(names: Names, text: str) -> npt.NDArray[np.bool_]:
    """The states that satisfy a condition: comparisons of numbers, joined by `&`."""
    found = np.ones(len(names), bool)
    for part in text.split("&"):
        match = PART.match(part)
        if match is None:
            raise OptionError(
                f"The condition {part.strip()!r} is not of the form NAME=NUMBER, such as "
                f"positions[0]=31; comparisons are {' '.join(COMPARISONS)}, joined by &."
            )
        name, comparison, number = match.groups()
        found &= COMPARISONS[comparison](names.column(name), int(number))
    return found
