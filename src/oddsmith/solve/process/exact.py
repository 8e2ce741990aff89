"""Values as fractions: policy iteration that begins with the picks of the floating-point bounds.

What the graph decides (worth nothing, one, infinite) the bounds have decided without rounding, so
it is taken from them. Under picks the process is a chain; its components are solved in turn, a
single state by substitution, a larger one by p-adic lifting (`oddsmith.solve.exact`). Picks are
improved until no choice is better in fractions. At the end every value must lie within the
certified bounds: a check that costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from oddsmith.digits import in_lowest_terms
from oddsmith.errors import LimitError, OddsmithError
from oddsmith.model.process import Bools, Process, Rewards
from oddsmith.solve.exact.rational import flint_fraction
from oddsmith.solve.process.aim import Aim, Values
from oddsmith.solve.process.bellman import INFINITE, NOTHING

MAX_TRANSITIONS = 5_000_000

IMPROVEMENTS = 1_000

Rows = Callable[[int], list[tuple[int, Fraction]]]


def rows_of(process: Process) -> Rows:
    """The outcomes of a choice as (state, chance) with chances as fractions."""
    exact = process.chance.exact
    if exact is None:
        raise LimitError(
            f"The chances of {process.name} are not fractions (logarithms, roots or very long "
            f"ones): leave out --exact."
        )
    if process.transitions > MAX_TRANSITIONS:
        raise LimitError(
            f"{process.name} has {process.transitions:,} transitions; fractions are for up to "
            f"{MAX_TRANSITIONS:,}. Leave out --exact."
        )
    row, col, index = process.row.tolist(), process.col.tolist(), process.chance.index.tolist()

    def outcomes(c: int) -> list[tuple[int, Fraction]]:
        return [(col[e], exact[index[e]]) for e in range(row[c], row[c + 1])]

    return outcomes


def choice_gains(process: Process, rewards: Rewards) -> list[Fraction]:
    """What each choice earns, as fractions."""
    found = [Fraction(0)] * process.choices
    for amounts, number in ((rewards.state, process.chooser), (rewards.choice, None)):
        if amounts is None:
            continue
        if amounts.exact is None:
            raise LimitError(f"The rewards of {process.name} are not fractions.")
        index = amounts.index if number is None else amounts.index[number]
        exact = amounts.exact
        found = [a + exact[i] for a, i in zip(found, index.tolist(), strict=True)]
    return found


def solve_exactly(
    process: Process,
    stop: Bools,
    worth: Sequence[Fraction],
    gain: Sequence[Fraction] | None,
    endless: int,
    aim: Aim,
    sides: Bools | None,
    found: Values,
    picks: Any,
) -> list[Fraction | float]:
    """The value of every state as a fraction (or infinity)."""
    work = _Exact(process, stop, worth, gain, endless, found, picks, aim)
    maximise = np.full(process.states, aim.maximise) if sides is None else sides
    work.improve_all(maximise)
    values: list[Fraction | float] = [
        inf if value is None else in_lowest_terms(int(value.p), int(value.q)) for value in work.x
    ]
    lower, upper = found.lower.tolist(), found.upper.tolist()
    for s, value in enumerate(values):
        rounded = _rounded(value)
        if not lower[s] <= rounded <= upper[s]:
            raise OddsmithError(
                f"The exact value {rounded} of {process.name} in {process.describe(s)} is "
                f"outside its certified bounds [{lower[s]}, {upper[s]}]: please report this."
            )
    return values


def _rounded(value: Fraction | float) -> float:
    try:
        return float(value)
    except OverflowError:
        return inf


class _Exact:
    """Values under picks, as FLINT fractions; None is infinity."""

    def __init__(
        self, process: Process, stop: Bools, worth: Sequence[Fraction],
        gain: Sequence[Fraction] | None, endless: int, found: Values, picks: Any, aim: Aim,
    ) -> None:  # fmt: skip
        from flint import fmpq

        self.process, self.aim, self.endless = process, aim, endless
        self.zero = zero = fmpq(0)
        rows_of(process)  # refuses what has no fractions
        assert process.chance.exact is not None
        self.chance = [flint_fraction(value) for value in process.chance.exact]
        self.row, self.col = process.row.tolist(), process.col.tolist()
        self.index = process.chance.index.tolist()
        self.gain = None if gain is None else [flint_fraction(value) for value in gain]
        self.choice = process.choice.tolist()
        self.x: list[Any] = [zero] * process.states
        self.fixed = stop.copy()
        for s in np.flatnonzero(stop):
            self.x[s] = flint_fraction(worth[int(s)])
        self.fixed[~stop & (found.upper == 0)] = True
        for s in np.flatnonzero(~stop & np.isinf(found.lower)):
            self.fixed[s] = True
            self.x[s] = None
        if endless == NOTHING and gain is None:
            for s in np.flatnonzero(~stop & (found.lower == 1) & (found.upper == 1)):
                self.fixed[s] = True
                self.x[s] = fmpq(1)
        self.pick = process.choice[:-1].tolist() if picks is None else picks.tolist()

    def improve_all(self, maximise: Bools) -> None:
        """Evaluate and improve until no choice is better."""
        self._evaluate()
        deciding = np.flatnonzero((np.diff(self.process.choice) > 1) & ~self.fixed).tolist()
        for _ in range(IMPROVEMENTS):
            # One side at a time (Hoffman and Karp, Management Sci. 12 (1966) 359-370).
            changed = [s for s in deciding if maximise[s] and self._improve(s, 1)]
            if not changed:
                changed = [s for s in deciding if not maximise[s] and self._improve(s, -1)]
            if not changed:
                return
            self._evaluate()
        raise OddsmithError(f"Exact values of {self.process.name} were not found: picks go round.")

    def _earned(self, c: int) -> Any:
        return self.zero if self.gain is None else self.gain[c]

    def _worth(self, c: int) -> Any:
        value = self._earned(c)
        for e in range(self.row[c], self.row[c + 1]):
            there = self.x[self.col[e]]
            if there is None:
                return None
            value += self.chance[self.index[e]] * there
        return value

    def _improve(self, s: int, sign: int) -> bool:
        best, found = self.x[s], self.pick[s]
        for c in range(self.choice[s], self.choice[s + 1]):
            value = self._worth(c)
            if _less(best, value) if sign > 0 else _less(value, best):
                best, found = value, c
        changed = found != self.pick[s]
        self.pick[s] = found
        return bool(changed)

    def _evaluate(self) -> None:
        """The values of the chain that the picks make."""
        from oddsmith.solve.process import components

        process = self.process
        pick = np.array(self.pick, np.int64)
        lengths = np.diff(process.row)[pick]
        row = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        edges = np.repeat(process.row[pick] - row[:-1], lengths) + np.arange(row[-1])
        order, bounds = components.components(row, process.col[edges], self.fixed)
        states, cuts = order.tolist(), bounds.tolist()
        for k in range(len(cuts) - 1):
            if k % 4096 == 0:
                self.aim.progress.update("solving exactly", cuts[k], process.states)
            first, last = cuts[k], cuts[k + 1]
            if last - first > 1:
                self._component(states[first:last])
            elif not self.fixed[states[first]]:
                self._one(states[first])

    def _one(self, s: int) -> None:
        c = self.pick[s]
        value, stay = self._earned(c), self.zero
        for e in range(self.row[c], self.row[c + 1]):
            t, chance = self.col[e], self.chance[self.index[e]]
            there = self.x[t]
            if t == s:
                stay += chance
            elif value is not None:
                value = None if there is None else value + chance * there
        if stay == 1:
            self.x[s] = self._endless([s])
        else:
            self.x[s] = value / (1 - stay) if value is not None and stay else value

    def _endless(self, states: list[int]) -> Any:
        """What it is worth to stay in these states for ever."""
        if self.endless == NOTHING:
            return self.zero
        earning = self.gain is not None and any(self.gain[self.pick[s]] != 0 for s in states)
        return None if self.endless == INFINITE or earning else self.zero

    def _component(self, states: list[int]) -> None:
        from oddsmith.solve.exact.linear import solve_chain

        number = {s: i for i, s in enumerate(states)}
        inside: list[list[tuple[int, Any]]] = []
        right: list[Any] = []
        closed = True
        for s in states:
            c = self.pick[s]
            given = self._earned(c)
            inside.append([])
            for e in range(self.row[c], self.row[c + 1]):
                t, chance = self.col[e], self.chance[self.index[e]]
                if t in number:
                    inside[-1].append((number[t], chance))
                    continue
                closed = False
                if given is not None:
                    given = None if self.x[t] is None else given + chance * self.x[t]
            right.append(given)
        if closed or None in right:  # infinity: all of them come there with positive chance
            value = self._endless(states) if closed else None
            for s in states:
                self.x[s] = value
            return
        solved = solve_chain(inside, [[value] for value in right], self.aim.progress)
        for s, (value,) in zip(states, solved, strict=True):
            self.x[s] = value


def _less(one: Any, other: Any) -> bool:
    """Whether one value is less than another; None is infinity."""
    return one is not None and (other is None or bool(one < other))
