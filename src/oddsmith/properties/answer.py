"""What a checked property gives back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import LimitError
from oddsmith.model.model import Model
from oddsmith.results import gate
from oddsmith.results.answer import Answer
from oddsmith.results.digits import PLAIN, NumberFormat
from oddsmith.results.evidence import Evidence
from oddsmith.solve.process.aim import Values

One = bool | Answer


@dataclass(frozen=True)
class Range:
    """The least and the greatest value."""

    low: Answer
    high: Answer

    def __str__(self) -> str:
        return self.text()

    def text(self, number_format: NumberFormat = PLAIN) -> str:
        """The range for people."""
        return f"[{text_of(self.low, number_format)}, {text_of(self.high, number_format)}]"


Each = tuple[tuple[str, One], ...]
"""Answers state by state: what the state is called, and the answer there."""
Reply = One | Range | Each
NO_STATE = "no state to print"
"""What is said of `filter(print, …)` where nothing is left: a question is never without a line."""


@dataclass(frozen=True, eq=False)
class Checked:
    """A property and its answer."""

    name: str
    text: str
    answer: Reply
    evidence: Evidence
    value: Answer | None = None
    """The number that a bounded property is about, in a single initial state."""
    notes: tuple[str, ...] = ()
    picks: npt.NDArray[np.int64] | None = None
    """The best choice in each state, where the property is one question."""
    chance: bool = False
    """Whether the numbers are chances."""

    def __post_init__(self) -> None:
        gate.checked(self)

    @property
    def states(self) -> int:
        """How many states the model has."""
        return self.evidence.states

    @property
    def seconds(self) -> float:
        """What it took, once the model was there."""
        return self.evidence.seconds

    @property
    def how(self) -> tuple[str, ...]:
        """How the answer was found."""
        return self.evidence.how

    def ends(self) -> tuple[Answer, Answer] | None:
        """The least and the greatest value, if a range was asked for."""
        return (self.answer.low, self.answer.high) if isinstance(self.answer, Range) else None

    def entries(self, number_format: NumberFormat = PLAIN) -> list[dict[str, Any]]:
        """The answer as JSON has it: one entry, or one a state; infinity is the text "inf".

        A property that holds or not has `holds`, and as its value the number it is about.
        """
        shared = {"name": self.name} if self.name else {}
        shared |= {"property": self.text}
        costs = {"states": self.states, "seconds": round(self.seconds, 6)}
        evidence = costs | {"method": self.evidence.method} | self.evidence.to_dict()
        if self.answer == ():
            return [
                shared | {"state": None} | dict.fromkeys(_NUMBER) | {"note": NO_STATE} | evidence
            ]
        if isinstance(self.answer, tuple):
            return [
                shared | {"state": state} | _plain(one, None, number_format) | evidence
                for state, one in self.answer
            ]
        if isinstance(self.answer, Range):
            low, high = self.answer.low, self.answer.high
            return [
                shared | {"end": end} | _plain(one, None, number_format) | evidence
                for end, one in (("least", low), ("greatest", high))
            ]
        return [shared | _plain(self.answer, self.value, number_format) | evidence]

    def named_numbers(self) -> list[tuple[str, Answer]]:
        """The numbers that the answer is made of, and what tells them apart."""
        return named_numbers(self.answer, self.value)

    def lines(self, number_format: NumberFormat = PLAIN) -> list[tuple[str, str]]:
        """What to print: (state, answer) for each state asked about; the state is empty for one."""
        if self.answer == ():
            return [("", NO_STATE)]
        if isinstance(self.answer, tuple):
            return [(state, text_of(one, number_format)) for state, one in self.answer]
        if isinstance(self.answer, Range):
            return [("", self.answer.text(number_format))]
        behind = f" ({text_of(self.value, number_format)})" if self.value is not None else ""
        return [("", text_of(self.answer, number_format) + behind)]

    def __str__(self) -> str:
        label = f"{self.name}: " if self.name else ""
        shown = self.lines()
        if isinstance(self.answer, tuple) and self.answer:
            return f"{label}{self.text}" + "".join(f"\n  {state}: {text}" for state, text in shown)
        return f"{label}{self.text}: {shown[0][1]}"


def named_numbers(answer: Reply, value: Answer | None) -> list[tuple[str, Answer]]:
    """Numbers of a reply by their state, or by which end of a range they are."""
    if isinstance(answer, tuple):
        found: list[tuple[str, One | None]] = [(f"in {s}", one) for s, one in answer]
    elif isinstance(answer, Range):
        found = [("least", answer.low), ("greatest", answer.high)]
    else:
        found = [("", answer), ("", value)]
    return [(name, one) for name, one in found if isinstance(one, Answer)]


def answer_in(values: Values, state: int, process: Model) -> Answer:
    """The number in one state."""
    low, high = float(values.lower[state]), float(values.upper[state])
    exact = None if values.exact is None else values.exact[state]
    if isinstance(exact, Fraction):
        below, above = math.nextafter(low, -math.inf), math.nextafter(high, math.inf)
        gate.agree((exact, exact), (below, above), process.name)  # bounds may be it, rounded
        return Answer.of_fraction(exact)
    if math.isnan(low) or (exact is not None and math.isnan(exact)):
        where = process.describe(state)
        raise LimitError(f"There is no such number in the state {where}: it divides by zero.")
    if math.isinf(low) and low == high:
        return Answer(low, low, high)
    if math.isinf(low) and math.isinf(high):
        where = process.describe(state)
        raise LimitError(
            f"Nothing is known of this number in the state {where}: it may divide by zero."
        )
    middle = low if low == high or math.isinf(high) else min(max(low + (high - low) / 2, low), high)
    return Answer(middle, low, high)


def text_of(one: One, number_format: NumberFormat = PLAIN) -> str:
    """An answer for people."""
    if isinstance(one, bool):
        return str(one).lower()
    return one.text(number_format)


def _plain(found: One, about: Answer | None, number_format: NumberFormat) -> dict[str, Any]:
    """One answer; `about` is the number behind a truth value."""
    if isinstance(found, bool):
        number = _plain(about, None, number_format) if about is not None else dict.fromkeys(_NUMBER)
        return {"holds": found} | number
    return found.to_dict(number_format)


_NUMBER = ("value", "lower", "upper", "exact")
