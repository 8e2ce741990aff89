"""Graph and Claim: what a certificate is about, before it is proved.

Both become the part of a certificate that `rebuild.py` regenerates from the rules: the model, and
for each claim where play stops, what it earns and is worth, and who is free. The meaning of all
that is in the docstring of `checker.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from oddsmith.errors import LimitError
from oddsmith.model.amounts import Bools
from oddsmith.model.dense import Int64s as Int64s
from oddsmith.model.model import Model

SHORT = 1 << 62
"""Whole numbers from here on are written in hexadecimal digits."""


@dataclass(frozen=True, eq=False)
class Graph:
    """States, choices and transitions with whole weights, as the checker sees them."""

    choice: Int64s
    row: Int64s
    col: Int64s
    weight: Int64s
    shift: Int64s | None = None

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.choice) - 1

    def to_json(self) -> dict[str, Any]:
        """The model of a certificate."""
        found = {
            "choices": np.diff(self.choice).tolist(),
            "outcomes": np.diff(self.row).tolist(),
            "to": self.col.tolist(),
            "weight": self.weight.tolist(),
        }
        return found if self.shift is None else found | {"shift": self.shift.tolist()}


@dataclass(frozen=True)
class ClaimedNumber:
    """A number that is claimed: what it is called, and of which node."""

    about: str
    state: int
    seat: int = 0


@dataclass(frozen=True, eq=False)
class Claim:
    """One question about a graph; see `checker.py`."""

    about: str
    numbers: tuple[ClaimedNumber, ...]
    stop: Bools
    worth: Sequence[Sequence[Fraction]]
    """What each stopping state is worth to each seat, in the order of the states."""
    endless: Fraction | None
    """What play that never stops is worth; None: infinitely much."""
    seats: int = 1
    gain: Sequence[Fraction] | None = None
    """What each choice earns."""
    lower_free: Bools | bool = False
    upper_free: Bools | bool = False
    """The states in which any choice may be taken, in a lower and an upper bound."""

    def free(self, sign: int) -> Bools:
        """The free states, for a lower (1) or an upper bound (-1)."""
        found = self.lower_free if sign == 1 else self.upper_free
        return np.broadcast_to(np.asarray(found, bool), self.stop.shape)

    def to_json(self) -> dict[str, Any]:
        """The claim without its proof."""
        over = lcm(*(x.denominator for row in self.worth for x in row))
        found: dict[str, Any] = {
            "about": self.about,
            "seats": self.seats,
            "stop": {
                "states": np.flatnonzero(self.stop).tolist(),
                "worth": [written(int(x * over)) for row in self.worth for x in row],
                "over": written(over),
            },
            "endless": "infinite" if self.endless is None else fraction(self.endless),
            "lower": {"free": _spelled(self.lower_free)},
            "upper": {"free": _spelled(self.upper_free)},
            "results": [{"about": a.about, "state": a.state, "seat": a.seat} for a in self.numbers],
        }
        if self.gain is not None:
            over = lcm(*{x.denominator for x in self.gain})
            values = [written(int(x * over)) for x in self.gain]
            found["gain"] = {"values": values, "over": written(over)}
        return found


def _spelled(free: Bools | bool) -> Any:
    if isinstance(free, bool):
        return "all" if free else "none"
    return [int(x) for x in free]


def written(number: int) -> int | str:
    """A whole number as a certificate has it: in hexadecimal digits if it is long."""
    return number if -SHORT < number < SHORT else hex(number)


def fraction(number: Fraction) -> list[int | str]:
    """A fraction as a certificate has it."""
    return [written(number.numerator), written(number.denominator)]


def graph_of_model(model: Model, shift: Any = None) -> Graph:
    """The graph of a game's model; `shift` is that of the model if it is not given."""
    shift = model.shift if shift is None else shift
    return Graph(
        np.asarray(model.choice, np.int64),
        np.asarray(model.row, np.int64),
        np.asarray(model.col, np.int64),
        np.asarray(model.weight, np.int64),
        None if shift is None or not len(shift) else np.asarray(shift, np.int64),
    )


def graph_of_process(process: Model) -> Graph:
    """The graph of a closed model, chances as whole numbers, outcomes in the order of states."""
    try:
        weight = np.asarray(process.weight, np.int64)
    except LimitError as reason:
        raise LimitError(f"There is no certificate of {process.name}, for {reason}.") from None
    of_choice = np.repeat(np.arange(process.choices), np.diff(process.row))
    order = np.lexsort((process.col, of_choice))
    return Graph(
        np.asarray(process.choice, np.int64),
        np.asarray(process.row, np.int64),
        np.asarray(process.col, np.int64)[order],
        weight[order],
    )
