"""The equations of a process in fractions, and their solution by policy iteration.

Under picks the process is a chain; its components are solved in turn, a single state by
substitution, a larger one by p-adic lifting (`oddsmith.solve.exact`). Picks are changed only for a
choice that is better in fractions, until there is none. What the graph decides (worth nothing, one,
infinite) is given.

**Why that is the value.** Let J be the value of the picks at the end, so J = T J (`bellman.py`).

- Chances and total rewards, max: the value is the least solution of x = T x, and J is at most the
  value. From picks to better ones J rises: in a closed class that the new picks make, and in which
  nothing is earned, all of them tie, so none was changed there, and J was zero.
- Chances, min: without the states that can be worth nothing play always stops, so x = T x has one
  solution.
- Rewards until a target, min: the first picks must be *proper*, that is, play under them stops with
  probability one wherever it can (found in the graph, whatever picks were given). Then all later
  ones are: in a closed class made by better picks all tie, so it was closed before. Any proper
  play earns at least J, by J ≤ T J along it (Bertsekas and Tsitsiklis 1991).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from oddsmith.errors import LimitError, OddsmithError
from oddsmith.model.process import Bools, Process, Rewards
from oddsmith.runtime.progress import Progress
from oddsmith.solve.exact.rational import flint_fraction
from oddsmith.solve.process.aim import INFINITE, NOTHING, Values

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
            raise LimitError(
                f"The rewards of {process.name} are not fractions (logarithms, roots or very long "
                f"ones): leave out --exact."
            )
        index = amounts.index if number is None else amounts.index[number]
        exact = amounts.exact
        found = [a + exact[i] for a, i in zip(found, index.tolist(), strict=True)]
    return found


@dataclass(frozen=True, eq=False)
class Equations:
    """Choices in compressed rows, with their chances as FLINT fractions."""

    name: str
    choice: Any
    row: Any
    col: Any
    index: Sequence[int]
    """For each transition its chance, as a number in the table `chance`."""
    chance: Sequence[Any]
    progress: Progress

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.choice) - 1

    @classmethod
    def of(cls, process: Process, progress: Progress) -> Equations:
        """Those of a process; refuses what has no fractions."""
        rows_of(process)
        assert process.chance.exact is not None
        chance = [flint_fraction(value) for value in process.chance.exact]
        index = process.chance.index.tolist()
        return cls(process.name, process.choice, process.row, process.col, index, chance, progress)

    def side(self, stop: Bools, gain: Sequence[Any] | None, endless: int, found: Values) -> Side:
        """A question in which one side decides; `found` has what the graph decides, and picks."""
        zero, infinite = ~stop & (found.upper == 0), ~stop & np.isinf(found.lower)
        sure = ~stop & (found.lower == 1) & (found.upper == 1)
        if endless != NOTHING or gain is not None:
            sure[:] = False
        work = Side(self, gain, endless, stop | zero | infinite | sure, found.picks)
        for s in np.flatnonzero(infinite).tolist():
            work.x[s] = None
        for s in np.flatnonzero(sure).tolist():
            work.x[s] = flint_fraction(Fraction(1))
        return work


class Side:
    """Values under picks, as FLINT fractions; None is infinity. States in `fixed` keep theirs."""

    def __init__(
        self, equations: Equations, gain: Sequence[Any] | None, endless: int, fixed: Bools,
        picks: Any,
    ) -> None:  # fmt: skip
        from flint import fmpq

        self.equations, self.gain, self.endless, self.fixed = equations, gain, endless, fixed
        self.zero = fmpq(0)
        self.x: list[Any] = [self.zero] * equations.states
        self.choice = equations.choice.tolist()
        self.row, self.col = equations.row.tolist(), equations.col.tolist()
        self.index, self.chance = equations.index, equations.chance
        self.pick = self.choice[:-1] if picks is None else picks.tolist()

    def improve_all(self, maximise: bool) -> None:
        """Evaluate and improve until no choice is better."""
        self._evaluate()
        if self.endless == INFINITE and not maximise and self._make_proper():
            self._evaluate()
        deciding = np.flatnonzero((np.diff(self.equations.choice) > 1) & ~self.fixed).tolist()
        for _ in range(IMPROVEMENTS):
            if not [s for s in deciding if self.improve(s, maximise)]:
                return
            self._evaluate()
        raise OddsmithError(
            f"Exact values of {self.equations.name} were not found: picks go round."
        )

    def improve(self, s: int, maximise: bool) -> bool:
        """Pick the best choice of a state, if it is better than the value; whether it was."""
        best, found = self.x[s], self.pick[s]
        for c in range(self.choice[s], self.choice[s + 1]):
            value = self.worth(c)
            if less(best, value) if maximise else less(value, best):
                best, found = value, c
        changed = found != self.pick[s]
        self.pick[s] = found
        return bool(changed)

    def worth(self, c: int) -> Any:
        """What a choice is worth, given what states are."""
        value = self._earned(c)
        for e in range(self.row[c], self.row[c + 1]):
            there = self.x[self.col[e]]
            if there is None:
                return None
            value += self.chance[self.index[e]] * there
        return value

    def _earned(self, c: int) -> Any:
        return self.zero if self.gain is None else self.gain[c]

    def _make_proper(self) -> bool:
        """Where play under the picks may go on for ever, picks by which it stops; whether any.

        Backward from states where it does stop, by choices that lead to nothing infinite.
        """
        bad = {s for s, value in enumerate(self.x) if value is None and not self.fixed[s]}
        if not bad:
            return False
        entering: dict[int, list[tuple[int, int]]] = {}
        frontier: list[int] = []
        for s in bad:
            for c in range(self.choice[s], self.choice[s + 1]):
                targets = self.col[self.row[c] : self.row[c + 1]]
                if any(self.x[t] is None and t not in bad for t in targets):
                    continue
                for t in targets:
                    entering.setdefault(t, []).append((s, c))
        frontier = [t for t in entering if t not in bad]
        for t in frontier:  # grows as states are reached
            for s, c in entering.get(t, []):
                if s in bad:
                    bad.discard(s)
                    self.pick[s] = c
                    frontier.append(s)
        return True

    def _evaluate(self) -> None:
        """The values of the chain that the picks make."""
        from oddsmith.solve.process import components

        of = self.equations
        pick = np.array(self.pick, np.int64)
        lengths = np.diff(of.row)[pick]
        row = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        edges = np.repeat(of.row[pick] - row[:-1], lengths) + np.arange(row[-1])
        order, bounds = components.components(row, of.col[edges], self.fixed)
        states, cuts = order.tolist(), bounds.tolist()
        for k in range(len(cuts) - 1):
            if k % 4096 == 0:
                of.progress.update("solving exactly", cuts[k], of.states)
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
        solved = solve_chain(inside, [[value] for value in right], self.equations.progress)
        for s, (value,) in zip(states, solved, strict=True):
            self.x[s] = value


def less(one: Any, other: Any) -> bool:
    """Whether one value is less than another; None is infinity."""
    return one is not None and (other is None or bool(one < other))
