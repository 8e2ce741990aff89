"""Arrays that several owners share, made read-only: who wants to change one has to copy it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np


def freeze(owner: Any) -> None:
    """Make every array among a dataclass's fields read-only; nothing is copied.

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
        if isinstance(value, np.ndarray):
            value.flags.writeable = False
