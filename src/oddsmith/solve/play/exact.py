"""Optimal play in fractions: policy iteration with exact evaluation, component by component.

It begins with the picks of the floating-point solution, so there is usually nothing to improve;
then every comparison is one of fractions, and a tie is a tie. Components are evaluated by FLINT
(Dixon's p-adic lifting), as in `oddsmith.solve.exact`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from oddsmith.errors import LimitError, OddsmithError
from oddsmith.progress import Progress
from oddsmith.solve.exact import MAX_COMPONENT
from oddsmith.solve.play.optimal import IMPROVEMENTS, Solution
from oddsmith.solve.play.problem import Problem

Worths = list[tuple[Any, ...]]


def solve_exactly(found: Solution, progress: Progress) -> tuple[list[tuple[Fraction, ...]], int]:
    """The worth of every state to every seat as fractions, and in how many states moves tie.

    The picks of the solution are corrected where they were wrong.
    """
    problem = found.problem
    work = _Exact(problem, found.pick)
    count = len(problem.bounds) - 1
    for k in range(count - 1, -1, -1):
        progress.update("solving exactly", problem.states - problem.bounds[k], problem.states)
        work.component(problem.order[problem.bounds[k] : problem.bounds[k + 1]])
    fractions = [
        tuple(Fraction(int(value.p), int(value.q)) for value in values) for values in work.x
    ]
    certain = np.ones(problem.states, bool)
    certain[list(work.ties)] = False
    found.certain = certain
    return fractions, len(work.ties)


class _Exact:
    """The values found so far."""

    def __init__(self, problem: Problem, pick: Any) -> None:
        from flint import fmpq

        self.problem, self.model, self.pick = problem, problem.model, pick
        self.number = fmpq
        self.x: Worths = [()] * problem.states
        self.ties: set[int] = set()
        self.seats = range(problem.seats)
        self.endless = _rational(fmpq, problem)

    def component(self, states: Any) -> None:
        """Improve the picks in a component until no other choice is better."""
        model = self.model
        listed = [int(s) for s in states]
        if len(listed) * len(self.seats) > MAX_COMPONENT:
            raise LimitError(
                f"{model.game.name} has {len(listed):,} states that depend on each other; exact "
                f"play is for up to {MAX_COMPONENT // len(self.seats):,}. "
                f"Ask for method='certified'."
            )
        if len(listed) == 1 and model.choice[listed[0]] == model.choice[listed[0] + 1]:
            self.x[listed[0]] = self._worth(listed[0])
            return
        for _ in range(IMPROVEMENTS):
            self._evaluate(listed)
            better = [(s, c) for s in listed if (c := self._better(s)) is not None]
            if not better:
                self.ties |= {s for s in listed if self._tied(s)}
                return
            for s, c in better:
                self.pick[s] = c - model.choice[s]
        raise OddsmithError(
            f"Exact play of {model.game.name} goes round in circles near "
            f"{model.state(listed[0])!r}: ask for method='certified'."
        )

    def _worth(self, s: int) -> tuple[Any, ...]:
        """What the end of the game is worth, exactly."""
        model, fmpq = self.model, self.number
        if model.scores is not None or len(self.seats) == 1:
            return tuple(fmpq(int(value)) for value in self.problem.worth[s])
        bits = int(model.winners[s])
        players = model.game.players
        count = bits.bit_count()
        if count == 0:
            return tuple(fmpq(1, players) for _ in self.seats)
        return tuple(fmpq(bits >> q & 1, count) for q in self.seats)

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

    def _tied(self, s: int) -> bool:
        first, last = int(self.model.choice[s]), int(self.model.choice[s + 1])
        picked = first + int(self.pick[s])
        return any(self._value(c) == self.x[s][0] for c in range(first, last) if c != picked)

    def _evaluate(self, states: list[int]) -> None:
        """Solve for the values of a component under its picks."""
        from flint import fmpq_mat, fmpz, fmpz_mat

        model, many, fmpq = self.model, len(self.seats), self.number
        number = {s: i for i, s in enumerate(states)}
        size = len(states) * many
        matrix, right = [fmpz(0)] * (size * size), []
        for i, s in enumerate(states):
            c = int(model.choice[s]) + int(self.pick[s])
            total = int(model.total[c])
            for q in self.seats:
                me = i * many + q
                matrix[me * size + me] += total
                given = fmpq(0)
                for weight, t, seat in self._outcomes(c, q):
                    if t in number:
                        matrix[me * size + number[t] * many + seat] -= weight
                    else:
                        given += weight * self.x[t][seat]
                right.append(given)
        if size == 1 and matrix[0] != 0:
            self.x[states[0]] = (right[0] / matrix[0],)
            return
        try:
            solved = fmpq_mat(fmpz_mat(size, size, matrix)).solve(
                fmpq_mat(size, 1, right), algorithm="dixon" if size > 1 else None
            )
        except ZeroDivisionError:  # the picks never leave: endless play
            for s in states:
                self.x[s] = (self.endless,) * many
            return
        for i, s in enumerate(states):
            self.x[s] = tuple(solved[i * many + q, 0] for q in self.seats)


def _rational(fmpq: Any, problem: Problem) -> Any:
    players = problem.model.game.players
    if problem.model.scores is not None or players == 1:
        return fmpq(int(problem.endless))
    return fmpq(1, players)
