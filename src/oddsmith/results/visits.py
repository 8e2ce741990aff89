"""Where play comes to, as a part of a result.

A place is not come to with more chance than times.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from oddsmith.results import gate
from oddsmith.results.answer import Answer
from oddsmith.results.digits import NumberFormat
from oddsmith.results.gate import Reason
from oddsmith.results.part import Named, Part
from oddsmith.results.table import Block, short_cell


@dataclass(frozen=True)
class Visit:
    """How often play comes to a set of states: ever, and how many times."""

    where: str
    ever: Answer | None
    """None where it was not computed: a lattice counts arrivals."""
    times: Answer

    def to_dict(self, number_format: NumberFormat) -> dict[str, Any]:
        """The visit as JSON has it."""
        return {
            "where": self.where,
            "ever": None if self.ever is None else self.ever.to_dict(number_format),
            "times": self.times.to_dict(number_format),
        }


class Visits(Part[Sequence[Visit]]):
    """A line for every place."""

    empty = tuple
    main = False

    def numbers(self) -> Named:
        return [
            (f"{name} {visit.where}", one)
            for visit in self.value
            for name, one in (("ever", visit.ever), ("times", visit.times))
            if one is not None
        ]

    def blocks(self, number_format: NumberFormat) -> list[Block]:
        rows = [
            [v.where, short_cell(v.ever, number_format), short_cell(v.times, number_format)]
            for v in self.value
        ]
        return [(["where", "ever", "times"], rows)]

    def frame(self, pandas: Any) -> Any:
        lines = [(v.where, v.ever and v.ever.value, v.times.value) for v in self.value]
        return pandas.DataFrame(lines, columns=["where", "ever", "times"])

    def wrong(self) -> Reason:
        for v in self.value:
            reason = gate.between(f"times {v.where}", v.times, 0, math.inf)
            if v.ever is not None:
                reason = reason or gate.between(f"ever {v.where}", v.ever, 0, 1)
                if reason is None and gate.crossed(v.ever, v.times):
                    reason = f"{v.where} is come to with more chance than times"
            if reason is not None:
                return reason
        return None
