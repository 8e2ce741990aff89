"""Value iteration as it is written in books, and one equation of optimal play by itself.

The equations are those of `problem.py`. Value iteration begins with nothing known, every state
worth 0 to whoever moves there, and puts the numbers of one round into the equations to get those
of the next (all at once, as Jacobi does for linear systems). It converges from below or to and
fro, and says nothing of how near it is: a reference to compare with, for games small enough to
look at, not a solver.

In a zero-sum game of two the one unknown of a state is x(s), what it is worth to its mover, for
his opponent gets 1 - x(s). An equation x(s) = max over moves of Q(s, move) then has a plane for
each move, in the unknowns of the states that the move may lead to: their maximum is a folded
plane (Neller & Presser, Optimal Play of the Dice Game Pig, The UMAP Journal 25 (2004) 25-47).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from oddsmith.solve.play.problem import Floats, Problem


@dataclass(frozen=True, eq=False)
class Equations:
    """The right-hand sides of a problem's equations, in plain numpy."""

    problem: Problem

    @cached_property
    def live(self) -> Any:
        """The states in which somebody moves."""
        return np.nonzero(np.diff(self.problem.model.choice) > 0)[0]

    @cached_property
    def chance(self) -> Floats:
        """The chance of each transition."""
        model = self.problem.model
        return np.asarray(model.weight / np.repeat(model.total, np.diff(model.row)), np.float64)

    def start(self) -> Floats:
        """Nothing is known: 0 for whoever moves, and all for his opponent if there is one."""
        x = self.problem.worth.copy()
        x[self.live] = 0.0
        if self.problem.zero_sum:
            x[self.live, 1] = 1.0
        return x

    def of_choices(self, x: Floats) -> Floats:
        """What each choice is worth to each seat, if states are worth x: choices × seats."""
        model, seats = self.problem.model, self.problem.seats
        shift = self.problem.shift if seats > 1 else np.zeros(1, np.int64)
        found = np.empty((model.choices, seats))
        for q in range(seats):
            seen = x[model.col, (q - shift.astype(np.int64)) % seats]
            found[:, q] = np.add.reduceat(self.chance * seen, model.row[:-1])
        return found

    def improved(self, x: Floats) -> Floats:
        """One round of value iteration."""
        choice, worth = self.problem.model.choice, self.of_choices(x)
        best = np.maximum.reduceat(worth[:, 0], choice[self.live])
        new = x.copy()
        for state, most in zip(self.live, best, strict=True):
            moves = range(choice[state], choice[state + 1])
            new[state] = worth[next(c for c in moves if worth[c, 0] == most)]
        return new

    def rounds(self, most: int, change: float) -> Floats:
        """The worth of every state to its mover, round by round, until it hardly changes."""
        x = self.start()
        found = [x[:, 0]]
        for _ in range(most):
            x = self.improved(x)
            found.append(x[:, 0])
            if np.abs(found[-1] - found[-2]).max(initial=0.0) < change:
                break
        return np.array(found)

    def planes(self, state: int) -> tuple[Any, Floats, Floats]:
        """The equation of a state of a problem with one unknown a state.

        Gives the unknowns it depends on, and for each choice the constant and a coefficient for
        each unknown.
        """
        model, problem = self.problem.model, self.problem
        first, last = model.choice[state], model.choice[state + 1]
        span = slice(model.row[first], model.row[last])
        unknown = np.intersect1d(model.col[span], self.live)
        constant = np.zeros(last - first)
        slope = np.zeros((last - first, len(unknown)))
        for c in range(first, last):
            for t in range(model.row[c], model.row[c + 1]):
                to, p = model.col[t], self.chance[t]
                turned = problem.seats > 1 and problem.shift[t] % 2 == 1
                place = np.searchsorted(unknown, to)
                if place < len(unknown) and unknown[place] == to:
                    constant[c - first] += p if turned else 0.0
                    slope[c - first, place] += -p if turned else p
                else:
                    constant[c - first] += p * problem.worth[to, 1 if turned else 0]
        return unknown, constant, slope


@dataclass(frozen=True, eq=False)
class Fold:
    """One equation over two of its unknowns, the others held at their solution.

    Move m is worth constant[m] + slope[m, 0] u + slope[m, 1] v.
    """

    state: int
    unknowns: tuple[int, int]
    moves: tuple[str, ...]
    constant: Floats
    slope: Floats
    solution: tuple[float, float, float]
    """Both unknowns and the state itself."""

    def balance(self) -> float:
        """The share of the unit square in which not the first-ranked move is the best one."""
        at = (np.arange(24) + 0.5) / 24
        u, v = np.meshgrid(at, at)
        worth = self.constant[:, None, None] + self.slope[:, 0, None, None] * u
        worth = worth + self.slope[:, 1, None, None] * v
        share = np.bincount(worth.argmax(axis=0).ravel(), minlength=len(self.moves)) / u.size
        return float(1 - share.max())


def fold_of(
    equations: Equations, x: Floats, state: int, unknowns: tuple[int, int] | None
) -> Fold | None:
    """The fold of a state over two unknowns, or over the two that fold it most evenly.

    None where the equation has no two unknowns; `x` is the solution, states × seats.
    """
    model = equations.problem.model
    depends, constant, slope = equations.planes(state)
    first, last = model.choice[state], model.choice[state + 1]
    moves = tuple(model.origin.actions[a].name for a in model.move[first:last])
    if unknowns is None:
        pairs = list(combinations(range(len(depends)), 2))
    else:
        one, two = (int(np.searchsorted(depends, unknown)) for unknown in unknowns)
        pairs = [(one, two)]
    folds = []
    for i, j in pairs:
        others = np.ones(len(depends), bool)
        others[[i, j]] = False
        held = constant + slope[:, others] @ x[depends[others], 0]
        at = (float(x[depends[i], 0]), float(x[depends[j], 0]), float(x[state, 0]))
        pair = (int(depends[i]), int(depends[j]))
        folds.append(Fold(state, pair, moves, held, slope[:, [i, j]], at))
    return max(folds, key=Fold.balance, default=None)
