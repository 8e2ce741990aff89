"""Optimal play in fractions: policy iteration with exact evaluation, component by component.

It begins with the picks of the floating-point solution, so there is usually nothing to improve;
then every comparison is one of fractions, and a tie is a tie. Components are evaluated by p-adic
lifting (`oddsmith.solve.exact`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from oddsmith.errors import OddsmithError
from oddsmith.model import graph
from oddsmith.results.digits import in_lowest_terms, nonzero_float
from oddsmith.runtime.progress import Progress
from oddsmith.solve.play.optimal import IMPROVEMENTS, Solution, no_equilibrium
from oddsmith.solve.play.problem import Problem
from oddsmith.solve.rounding import UNIT

Worths = list[tuple[Any, ...]]


def solve_exactly(found: Solution, progress: Progress) -> tuple[list[tuple[Fraction, ...]], int]:
    """The worth of every state to every seat as fractions, and in how many states moves tie.

    The picks, values and margins of the solution are corrected where they were wrong.
    """
    problem = found.problem
    work = _Exact(problem, found.pick)
    count = len(problem.bounds) - 1
    for k in range(count - 1, -1, -1):
        progress.update("solving exactly", problem.states - problem.bounds[k], problem.states)
        work.component(problem.order[problem.bounds[k] : problem.bounds[k + 1]])
    fractions = [
        tuple(in_lowest_terms(int(value.p), int(value.q)) for value in values) for values in work.x
    ]
    found.x = np.array([[float(value) for value in values] for values in fractions], np.float64)
    found.lower = found.upper = np.abs(found.x) * UNIT
    found.regret = 0.0
    found.margin = np.full(problem.states, np.inf)
    for s, margin in work.margin.items():
        found.margin[s] = nonzero_float(in_lowest_terms(int(margin.p), int(margin.q)))
    found.certain = found.margin > 0
    return fractions, int(np.count_nonzero(~found.certain))


class _Exact:
    """The values found so far."""

    def __init__(self, problem: Problem, pick: Any) -> None:
        from flint import fmpq

        self.problem, self.model, self.pick = problem, problem.model, pick
        self.number = fmpq
        self.x: Worths = [()] * problem.states
        self.margin: dict[int, Any] = {}
        """By how much the pick is better than any other choice, in states that have others."""
        self.seats = range(problem.seats)
        self.endless = _rational(fmpq, problem)

    def component(self, states: Any) -> None:
        """Improve the picks in a component until nobody has better ones.

        Players do so one after another, as in `optimal.py`; what nobody gains by leaving alone
        is optimal play.
        """
        model = self.model
        listed = [int(s) for s in states]
        if len(listed) == 1 and model.choice[listed[0]] == model.choice[listed[0] + 1]:
            self.x[listed[0]] = self._worth(listed[0])
            return
        players = [-1]
        if len(self.seats) > 1 and model.shift is None:
            players = sorted({int(model.owner[s]) for s in listed}, reverse=True)
        for _ in range(IMPROVEMENTS * len(players)):
            self._evaluate(listed)
            if not any(self._improve(listed, player) for player in players):
                self._set_margins(listed)
                return
        if len(self.seats) > 1 and not self.problem.zero_sum:
            raise no_equilibrium(self.problem, listed[0])
        raise OddsmithError(
            f"Exact play of {model.game.name} goes round in circles near "
            f"{model.state(listed[0])!r}: ask for method='certified'."
        )

    def _improve(self, states: list[int], player: int) -> bool:
        """Better picks for a player (-1: for all), if there are any."""
        mine = [s for s in states if player in (-1, self.model.owner[s])]
        better = [(s, c) for s in mine if (c := self._better(s)) is not None]
        if not better:
            better = self._staying(states, player)
        for s, c in better:
            self.pick[s] = c - self.model.choice[s]
        return bool(better)

    def _staying(self, states: list[int], player: int) -> list[tuple[int, int]]:
        """Choices that stay for ever in an end component, where that is worth more."""
        model, many = self.model, len(self.seats)
        if all(value >= self.endless for s in states for value in self.x[s]):
            return []
        number = {s: i for i, s in enumerate(states)}
        choice, row, col, origin = [0], [0], [], []
        for s in states:
            first = int(model.choice[s])
            for q in self.seats:
                picked = range(first + int(self.pick[s]), first + int(self.pick[s]) + 1)
                for c in range(first, int(model.choice[s + 1])) if q == 0 else picked:
                    if q == 0 and self._value(c) < self.x[s][0]:
                        continue
                    for _, t, seat in self._outcomes(c, q):
                        inside = t in number
                        col.append(number[t] * many + seat if inside else len(states) * many)
                    row.append(len(col))
                    origin.append((s, c, q))
                choice.append(len(row) - 1)
        choice.append(len(row) - 1)  # the world outside: it has no choices
        better = []
        for nodes, choices in graph.end_components(
            np.array(choice), np.array(row), np.array(col, np.int32)
        ):
            s, q = states[nodes[0] // many], int(nodes[0]) % many
            whose = -1 if player < 0 else (int(model.owner[s]) + q) % many
            if whose == player and self.x[s][q] < self.endless:
                better += [origin[c][:2] for c in choices if origin[c][2] == 0]
        return better

    def _worth(self, s: int) -> tuple[Any, ...]:
        """What the end of the game is worth, exactly."""
        model, fmpq = self.model, self.number
        if model.scores is not None:
            return tuple(fmpq(int(value)) for value in self.problem.worth[s])
        # A share of a win is one over a small number, which its float tells.
        return tuple(
            fmpq(0) if value == 0 else fmpq(1, round(1 / value)) for value in self.problem.worth[s]
        )

    def _outcomes(self, c: int, q: int) -> list[tuple[int, int, int]]:
        """(weight, state, seat) of every outcome of a choice, seen from a seat."""
        model, problem = self.model, self.problem
        span = range(int(model.row[c]), int(model.row[c + 1]))
        if problem.seats == 1:
            return [(int(model.weight[e]), int(model.col[e]), 0) for e in span]
        return [
            (int(model.weight[e]), int(model.col[e]), (q - int(problem.shift[e])) % problem.seats)
            for e in span
        ]

    def _value(self, c: int) -> Any:
        """Q(s, c, 0)."""
        sum_ = self.number(0)
        for weight, t, q in self._outcomes(c, 0):
            sum_ += weight * self.x[t][q]
        return sum_ / int(self.model.total[c])

    def _better(self, s: int) -> int | None:
        """A choice that is better than the pick, the best of them."""
        best, found = self.x[s][0], None
        for c in range(int(self.model.choice[s]), int(self.model.choice[s + 1])):
            value = self._value(c)
            if value > best:
                best, found = value, c
        return found

    def _set_margins(self, states: list[int]) -> None:
        """Compare the picks with all other choices: a margin of 0 is a tie."""
        for s in states:
            first, last = int(self.model.choice[s]), int(self.model.choice[s + 1])
            picked = first + int(self.pick[s])
            others = [self._once_left(s, c) for c in range(first, last) if c != picked]
            if others:
                self.margin[s] = self._once_left(s, picked) - max(others)

    def _once_left(self, s: int, c: int) -> Any:
        """Q(s, c, 0), the chance of staying in s taken out; endless if the choice never leaves."""
        sum_, left = self.number(0), 0
        for weight, t, q in self._outcomes(c, 0):
            if (t, q) != (s, 0):
                sum_ += weight * self.x[t][q]
                left += weight
        return sum_ / left if left else self.endless

    def _leaving(self, states: list[int]) -> list[int]:
        """The states from which play by the picks may leave a component."""
        model = self.model
        before: dict[int, list[int]] = {s: [] for s in states}
        found = []
        for s in states:
            c = int(model.choice[s]) + int(self.pick[s])
            targets = [int(t) for t in model.col[model.row[c] : model.row[c + 1]]]
            for t in targets:
                if t in before:
                    before[t].append(s)
            if any(t not in before for t in targets):
                found.append(s)
        known = set(found)
        for t in found:
            new = [s for s in dict.fromkeys(before[t]) if s not in known]
            found += new
            known.update(new)
        return found

    def _evaluate(self, states: list[int]) -> None:
        """Solve for the values of a component under its picks."""
        from oddsmith.solve.exact.linear import solve_chain

        model, many, fmpq = self.model, len(self.seats), self.number
        leaving = set(self._leaving(states))
        for s in states:
            if s not in leaving:
                self.x[s] = (self.endless,) * many
        states = [s for s in states if s in leaving]
        number = {s: i for i, s in enumerate(states)}
        rows, right = [], []
        for s in states:
            c = int(model.choice[s]) + int(self.pick[s])
            total = int(model.total[c])
            for q in self.seats:
                inside, given = [], fmpq(0)
                for weight, t, seat in self._outcomes(c, q):
                    if t in number:
                        inside.append((number[t] * many + seat, fmpq(weight, total)))
                    else:
                        given += fmpq(weight, total) * self.x[t][seat]
                rows.append(inside)
                right.append([given])
        solved = solve_chain(rows, right)
        for i, s in enumerate(states):
            self.x[s] = tuple(solved[i * many + q][0] for q in self.seats)


def _rational(fmpq: Any, problem: Problem) -> Any:
    players = problem.model.game.players
    if problem.model.scores is not None or players == 1:
        return fmpq(int(problem.endless))
    return fmpq(1, players)
