"""The answers from every state, as a part of a result."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from oddsmith.errors import OptionError
from oddsmith.results import gate
from oddsmith.results.answer import Answer
from oddsmith.results.digits import PLAIN, NumberFormat
from oddsmith.results.gate import SLACK, Reason
from oddsmith.results.part import Part
from oddsmith.results.table import HEAD, Block, short_cell


@dataclass(frozen=True, eq=False)
class StateValues:
    """The answers from every state: win of each player, draw, expected length.

    `values[state]` gives the answers of one state by its name.
    """

    states: Any
    """The states by their names: a sequence."""
    columns: tuple[str, ...]
    value: Any
    """An array, states × columns."""
    error: Any
    """Bounds on the errors, of the same shape."""
    exact: Any = None
    """The fractions, a list for each state, where the answers are exact; infinity is a float."""

    def __len__(self) -> int:
        return len(self.states)

    def answers(self, index: int) -> dict[str, Answer]:
        """The answers of the state with a number."""
        if self.exact is not None:
            fractions = zip(self.columns, self.exact[index], strict=True)
            return {
                name: Answer.of_fraction(x) if isinstance(x, Fraction) else Answer.infinite()
                for name, x in fractions
            }
        found = {}
        for q, name in enumerate(self.columns):
            value, error = float(self.value[index, q]), float(self.error[index, q])
            if math.isinf(value):
                found[name] = Answer.infinite()
                continue
            high = math.inf if name == "length" else 1.0
            known = math.isfinite(error)
            found[name] = Answer.within(value, error, high=high) if known else Answer(value)
        return found

    def __contains__(self, state: Any) -> bool:
        return state in self._numbers

    def __iter__(self) -> Iterator[Any]:
        return iter(self._numbers)

    def __getitem__(self, state: Any) -> dict[str, Answer]:
        return self.answers(self._numbers[state])

    @cached_property
    def _numbers(self) -> dict[Any, int]:
        return numbered(self.states)


def numbered(states: Any) -> dict[Any, int]:
    """The number of each state by its name, which is one state's only."""
    found: dict[Any, int] = {}
    for number in range(len(states)):
        state = states[number]
        if found.setdefault(state, number) != number:
            raise OptionError(
                f"Two states are called {state!r}, so nothing can be said of either by its name: "
                f"give states of the file different values."
            )
    return found


class Values(Part[StateValues]):
    """A line for every state."""

    def blocks(self, number_format: NumberFormat) -> list[Block]:
        value = self.value
        rows = [
            [repr(value.states[i]), *(short_cell(a, PLAIN) for a in value.answers(i).values())]
            for i in range(min(HEAD, len(value)))
        ]
        if len(value) > HEAD:
            rows.append([f"… and {len(value) - HEAD:,} more", *[""] * len(value.columns)])
        return [(["state", *value.columns], rows)]

    def to_dict(self, number_format: NumberFormat) -> dict[str, Any]:
        def line(i: int) -> dict[str, Any]:
            answers = self.value.answers(i).items()
            return {name: one.to_dict(number_format) for name, one in answers}

        states = enumerate(map(repr, self.value.states))
        return {self.name: [{"state": state} | line(i) for i, state in states]}

    def frame(self, pandas: Any) -> Any:
        value = self.value
        frame = pandas.DataFrame([value.states[i]._asdict() for i in range(len(value))])
        for q, name in enumerate(value.columns):
            frame[name] = value.value[:, q]
            frame[f"{name} error"] = value.error[:, q]
            if value.exact is not None:
                frame[f"{name} exact"] = [fractions[q] for fractions in value.exact]
        return frame

    def wrong(self) -> Reason:
        value, several, reason = self.value, self.result.several_winners, None
        rows = [q for q, name in enumerate(value.columns) if name != "length"]
        if value.exact is not None:
            lines = ([row[q] for q in rows] for row in value.exact)
            reason = gate.first(gate.whole(line, several) for line in lines)
            return reason and f"values of states: chances {reason}"
        part, error = value.value[:, rows], value.error[:, rows]
        low, high = part - error, part + error
        if not ((high >= -SLACK).all() and (low <= 1 + SLACK).all()):  # nor where one is no number
            reason = "a chance is not in [0, 1]"
        elif not (value.error >= 0).all() or not (value.value == value.value).all():
            reason = "what was found is not a number"
        elif not (high.sum(axis=1) >= 1 - 1e-15 * len(rows)).all():
            reason = "chances sum to less than one"
        elif not several and not (low.sum(axis=1) <= 1 + 1e-15 * len(rows)).all():
            reason = "chances sum to more than one"
        return reason and f"values of states: {reason}"
