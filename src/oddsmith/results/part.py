"""A part of a result: what one field of a `Result` is to whatever shows, writes or doubts it.

Tables, JSON, data frames, files of fractions, comparisons and the gate ask the parts of a result
and know none by name, so a part is said once, at its field in `result.py`. Most are a `Number`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from types import NoneType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from oddsmith.results import gate
from oddsmith.results.answer import Answer
from oddsmith.results.digits import NumberFormat
from oddsmith.results.gate import Reason
from oddsmith.results.table import Block, cells

if TYPE_CHECKING:
    from oddsmith.results.result import Result

T = TypeVar("T")
Named = list[tuple[str, Answer]]


@dataclass(frozen=True)
class Part(Generic[T]):
    """A part of one result that was asked for."""

    name: str
    """Of its field."""
    value: T
    result: Result

    empty: ClassVar[type] = NoneType
    """What makes the value of the field where the part was not asked for."""
    main: ClassVar[bool] = True
    """Whether its rows stand in the main table, or its numbers elsewhere."""
    first: ClassVar[bool] = False
    """Whether its rows stand there before those of other parts."""

    def numbers(self) -> Named:
        """All its numbers, by names that are the same in every result."""
        return []

    def rows(self) -> Named:
        """Those that people are shown, as they are called there."""
        return self.numbers()

    def cells(self, answer: Answer, number_format: NumberFormat, bounds: int) -> list[str]:
        """A number as the cells of a row, with so many columns for its bounds."""
        return cells(answer, number_format, bounds)

    def blocks(self, number_format: NumberFormat) -> list[Block]:
        """What is shown below the main table: tables, or texts."""
        return []

    def to_dict(self, number_format: NumberFormat) -> dict[str, Any]:
        """Its entries in JSON."""
        value: Any = self.value
        if isinstance(value, tuple):
            return {self.name: [one.to_dict(number_format) for one in value]}
        return {self.name: value.to_dict(number_format)}

    def fractions(self) -> list[tuple[str, Fraction]]:
        """What is known exactly, with its name."""
        return [(name, one.exact) for name, one in self.rows() if one.exact is not None]

    def frame(self, pandas: Any) -> Any:
        """A data frame, if it has more to say than the main table."""
        return None

    def wrong(self) -> Reason:
        """What is impossible about it, if anything is."""
        return None


@dataclass(frozen=True)
class Number(Part[Answer]):
    """One number."""

    row: str = ""
    """What its row is called."""
    most: float = math.inf
    """What it can be at most; it is never negative."""
    called: str = ""
    """What it is called where it is wrong, if not "the" and the name of its row."""
    law: Callable[[Result], Reason] = lambda _: None
    """What else must hold of it."""

    def numbers(self) -> Named:
        return [(self.row, self.value)]

    def wrong(self) -> Reason:
        called = self.called or f"the {self.row}"
        return gate.between(called, self.value, 0, self.most) or self.law(self.result)


class Several(Part[Sequence[Answer]]):
    """A number of each player."""

    empty = tuple
    first = True


def part(kind: type[Part[Any]], **settings: Any) -> Any:
    """A field of `Result` that is a part of this kind."""
    made = partial(kind, **settings) if settings else kind
    return field(default_factory=kind.empty, metadata={"part": made, "empty": kind.empty()})
