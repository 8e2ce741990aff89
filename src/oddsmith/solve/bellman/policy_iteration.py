"""Policy iteration in floating point, for components in which sweeps are slow.

The values of settled picks are a linear system (`linear.py`); a side improves its picks when those
before it have nothing left to improve (Howard, Dynamic Programming and Markov Processes, 1960;
Hoffman and Karp, Management Sci. 12 (1966) 359-370). Nobody has to trust what comes of it: it is
proved like any other candidate (`by_policy.py`, where one side decides).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from oddsmith.model.amounts import Bools, Floats, Ints
from oddsmith.runtime.progress import Progress
from oddsmith.solve.bellman.linear import Solve, linear_solver
from oddsmith.solve.factors import Rows

IMPROVEMENTS = 200
"""Rounds of policy iteration before a component goes back to sweeps, a side."""

BETTER = 2e-14
"""A choice is better if it is so by this, relative where values exceed one."""

BLUR = 1e-4
"""What `BETTER` may grow to where picks go round, which with one side, or two that want the
contrary, comes from rounding: bounds will tell what it did."""


@dataclass(eq=False)
class Component:
    """Nodes that lead to one another, and what is known of all that they lead to outside.

    To the player q seats after the mover an option o is worth

        given(o, q) + Σ p(t) x(t, q - turn)
    """

    rows: Ints
    """Node i has the options rows[i] to rows[i + 1], one at least."""
    row: Ints
    col: Ints
    chance: Floats
    given: Floats
    """Options × seats."""
    out: Floats
    """The chance of each option to leave the component."""
    turn: Ints | None = None
    """With several seats, how many of them each transition turns the view by."""
    endless: float = 0.0
    """What play that never leaves is worth."""
    maximise: bool = True

    @property
    def nodes(self) -> int:
        """How many there are."""
        return len(self.rows) - 1

    @property
    def seats(self) -> int:
        """From how many seats a node is seen."""
        return int(self.given.shape[1])

    @cached_property
    def owner(self) -> Ints:
        """The node of each option."""
        return np.repeat(np.arange(self.nodes), np.diff(self.rows))

    @property
    def band(self) -> int:
        """How far the unknowns of nodes that lead to each other are apart at most."""
        source = np.repeat(self.owner, np.diff(self.row))
        return (int(np.abs(source - self.col).max(initial=0)) + 1) * self.seats

    @cached_property
    def options(self) -> Rows:
        """What options lead to, as the mover sees it."""
        col = self.col
        if self.turn is not None:
            col = self.col * self.seats + (-self.turn) % self.seats
        return Rows(self.row, col, self.chance, self.nodes * self.seats)

    def worths(self, x: Floats) -> Floats:
        """What options are worth to the mover."""
        return np.asarray(self.given[:, 0] + self.options @ x)

    def leading_picks(self, good: Bools, pick: Ints) -> Ints:
        """Picks by which play leaves, of good options, wherever it can."""
        from oddsmith.solve.bellman.leading import lead

        pick, everywhere = pick.copy(), np.ones(self.nodes, bool)
        lead(~everywhere, self.rows, self.row, self.col, good, self.out, everywhere, pick)
        return pick

    def equations(self, pick: Ints) -> tuple[Rows, Floats, Floats]:
        """Of x = P x + b under picks: P, what is left of each of its rows, b.

        Where the picks never leave, x is the worth of endless play: so there is one solution.
        """
        from oddsmith.solve.bellman.leading import never_leaving

        many, out, right = self.seats, self.out[pick], self.given[pick]
        inner, one = self._inner.take(pick), np.arange(self.nodes + 1)
        stays = never_leaving(one, inner.row, inner.col // many, out, one[:-1].copy())
        if not stays.any() and many == 1:
            return inner, out, right[:, 0]
        right[stays], out[stays] = self.endless, 1.0
        kept = ~stays[inner.source]
        source, at, chance = inner.source[kept], inner.col[kept], inner.value[kept]
        col, turn = at // many, at % many
        # A row for each node and seat, entries by rows.
        row = source[:, None] * many + np.arange(many)
        order = np.argsort(row, axis=None, kind="stable")
        seen = (col[:, None] * many + (np.arange(many) - turn[:, None]) % many).ravel()
        counts = np.bincount(row.ravel(), minlength=self.nodes * many)
        rows = Rows(
            np.concatenate(([0], np.cumsum(counts))), seen[order],
            np.repeat(chance, many)[order], self.nodes * many,
        )  # fmt: skip
        return rows, np.repeat(out, many), right.ravel()

    @cached_property
    def _inner(self) -> Rows:
        """The options with their turns: target × seats + turn."""
        turn = 0 if self.turn is None else self.turn
        return Rows(self.row, self.col * self.seats + turn, self.chance, self.nodes * self.seats)

    def better(self, pick: Ints, x: Floats, who: Bools | None, margin: float) -> Ints | None:
        """The picks, improved where that is possible; who decides may have better ones, or all."""
        worth = self.worths(x)
        best = np.maximum if self.maximise else np.minimum
        top = best.reduceat(worth, self.rows[:-1])
        gained = np.abs(top - worth[pick]) > margin * np.maximum(1.0, np.abs(x[:: self.seats]))
        if who is not None:
            gained &= who
        if not gained.any():
            return None
        return np.where(gained, first(worth == top[self.owner], self.rows), pick)


Stay = Callable[[Bools | None, Floats, Ints, float], Ints | None]
"""Picks by which those who decide keep play for ever where that is better for them, if it is."""


def improve(
    of: Component, pick: Ints, x: Floats, progress: Progress, *,
    sides: Sequence[Bools | None] = (None,), rounds: int = IMPROVEMENTS, blur: float = BLUR,
    seldom: float = np.inf, stay: Stay | None = None,
) -> tuple[Floats, Ints, Solve] | None:  # fmt: skip
    """Picks that no side has better ones than, their values, and how those are solved for.

    A side is the nodes in which it decides; None is all of them, each for who decides there.
    None if it comes to no end, or the equations cannot be solved.
    """
    chain = len(of.row) - 1 == of.nodes
    for made in range(rounds * len(sides)):
        progress.update("policy iteration", made, None, f"{of.nodes:,} states")
        inner, out, right = of.equations(pick)
        solve = linear_solver(inner, out, seldom)
        solution = None if solve is None else solve(right, x)
        if solve is None or solution is None:
            return None
        x = solution
        if chain:
            return x, pick, solve
        margin = BETTER
        if made > rounds * len(sides) // 2:  # round in circles, perhaps because of rounding
            margin = min(margin * 2.0 ** (made - rounds * len(sides) // 2), blur)
        for who in sides:
            better = of.better(pick, x, who, margin)
            if better is None and stay is not None:
                better = stay(who, x, pick, 64 * margin)
            if better is not None:
                pick = better
                break
        else:
            return x, pick, solve
    return None


def first(right: Bools, rows: Ints) -> Ints:
    """The first option of each node that is right; there is one."""
    places = np.nonzero(right)[0]
    return np.asarray(places[np.searchsorted(places, rows[:-1])])
