"""Arrays that several owners share, made read-only: who wants to change one has to copy it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Number = TypeVar("Number", bound=np.generic)


def freeze(owner: Any) -> None:
    """Make every array among a dataclass's fields, or in a mapping of it, read-only.

    Nothing is copied.

    >>> from dataclasses import make_dataclass
    >>> pair = make_dataclass("Pair", ["left", "right"])(np.zeros(2), 1)
    >>> freeze(pair)
    >>> pair.left[0] = 3
    Traceback (most recent call last):
        ...
    ValueError: assignment destination is read-only
    """
    for field in fields(owner):
        value = getattr(owner, field.name)
        for each in value.values() if isinstance(value, Mapping) else [value]:
            if isinstance(each, np.ndarray):
                read_only(each)


def read_only(array: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """The array itself, made read-only."""
    array.flags.writeable = False
    return array
