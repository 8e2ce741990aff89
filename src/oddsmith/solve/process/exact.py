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

from oddsmith.errors import LimitError, OddsmithError
from oddsmith.model.process import Bools, Process, Rewards
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
    for s in range(process.states):
        value = work.x[s]
        if not found.lower[s] <= value <= found.upper[s]:
            raise OddsmithError(
                f"The exact value {float(value)} of {process.name} in {process.describe(s)} is "
                f"outside its certified bounds [{found.lower[s]}, {found.upper[s]}]: please "
                f"report this."
            )
    return work.x


class _Exact:
    """Values under picks, in fractions."""

    def __init__(
        self, process: Process, stop: Bools, worth: Sequence[Fraction],
        gain: Sequence[Fraction] | None, endless: int, found: Values, picks: Any, aim: Aim,
    ) -> None:  # fmt: skip
        self.process, self.aim, self.gain, self.endless = process, aim, gain, endless
        self.rows = rows_of(process)
        self.choice = process.choice.tolist()
        self.x: list[Fraction | float] = [Fraction(0)] * process.states
        self.fixed = stop.copy()
        for s in np.flatnonzero(stop):
            self.x[s] = Fraction(worth[int(s)])
        for s in np.flatnonzero(~stop & (found.upper == 0)):
            self.fixed[s] = True
        for s in np.flatnonzero(~stop & np.isinf(found.lower)):
            self.fixed[s] = True
            self.x[s] = inf
        if endless == NOTHING and gain is None:
            for s in np.flatnonzero(~stop & (found.lower == 1) & (found.upper == 1)):
                self.fixed[s] = True
                self.x[s] = Fraction(1)
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

    def _worth(self, c: int) -> Fraction | float:
        value: Fraction | float = self.gain[c] if self.gain is not None else Fraction(0)
        for t, p in self.rows(c):
            there = self.x[t]
            value = inf if there == inf else value + p * there
            if value == inf:
                return inf
        return value

    def _improve(self, s: int, sign: int) -> bool:
        best, found = self.x[s], self.pick[s]
        for c in range(self.choice[s], self.choice[s + 1]):
            value = self._worth(c)
            if (value > best) if sign > 0 else (value < best):
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
        value: Any = self.gain[self.pick[s]] if self.gain is not None else Fraction(0)
        stay = Fraction(0)
        for t, p in self.rows(self.pick[s]):
            if t == s:
                stay += p
            else:
                value = inf if self.x[t] == inf else value + p * self.x[t]
        self.x[s] = self._endless([s]) if stay == 1 else value / (1 - stay)

    def _endless(self, states: list[int]) -> Fraction | float:
        """What it is worth to stay in these states for ever."""
        if self.endless == NOTHING:
            return Fraction(0)
        earning = self.gain is not None and any(self.gain[self.pick[s]] for s in states)
        return inf if self.endless == INFINITE or earning else Fraction(0)

    def _component(self, states: list[int]) -> None:
        from flint import fmpq

        from oddsmith.solve.exact.linear import solve_chain
        from oddsmith.solve.exact.rational import lowest

        number = {s: i for i, s in enumerate(states)}
        inside: list[list[tuple[int, Any]]] = []
        right = []
        closed = True
        for s in states:
            given: Any = self.gain[self.pick[s]] if self.gain is not None else Fraction(0)
            inside.append([])
            for t, p in self.rows(self.pick[s]):
                if t in number:
                    inside[-1].append((number[t], fmpq(p.numerator, p.denominator)))
                else:
                    closed = False
                    given = inf if self.x[t] == inf else given + p * self.x[t]
            right.append(given)
        if closed:
            value = self._endless(states)
            for s in states:
                self.x[s] = value
            return
        if inf in right:  # all of them come there with positive chance
            for s in states:
                self.x[s] = inf
            return
        constants = [[fmpq(g.numerator, g.denominator)] for g in right]
        solved = solve_chain(inside, constants, self.aim.progress)
        for s, (value,) in zip(states, solved, strict=True):
            self.x[s] = lowest(int(value.p), int(value.q))
