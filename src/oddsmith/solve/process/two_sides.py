"""Turn-based games: a coalition that wants much, and opponents who want little.

The value is found by strategy iteration (Hoffman and Karp, Management Sci. 12 (1966) 359-370): the
picks of one side are kept, the other answers as well as it can (a decision process, solved with
bounds that hold), and where another choice is better for the first side it is picked. Whose picks
are improved depends on which solution of x = T x the value is (`bellman/bounds.py`):

- Chances and total rewards: the *least*. The side that wants much improves. What its picks J are
  worth against the best answer is at most the value; when no choice is better, J = T J, and so J is
  at least the least solution. The other side then takes any choice that is best for J. Where a
  total is infinite is a question of the graph again (`earning_for_ever`): the first picks force it
  there, for one more beside 10^12 is no improvement that floating point would see.
- Rewards until a target: the value is infinite where play may go on for ever. The side that wants
  little improves, from picks by which play surely stops wherever it can force that: a question of
  the graph (`surely_stopping`; de Alfaro and Henzinger, Concurrent omega-regular games, LICS 2000).
  All later picks are such too. When no choice is better, the other side takes any choice that is
  best for J; against it play either goes on for ever or earns at least J.

In floating point "better" is a matter of rounding, so the picks are not trusted: with those of one
side kept and the other free, the value is bounded from below, and the other way round from above.
In fractions better is better.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from oddsmith.model.amounts import Bools
from oddsmith.model.model import Model
from oddsmith.solve.process import one_side
from oddsmith.solve.process.aim import Aim, Objective, Values
from oddsmith.solve.process.picks import (
    PICKING,
    Picks,
    approximate,
    best_picks,
    choice_worth,
    good_picks,
    keep,
)

ROUNDS = 1_000


@dataclass(frozen=True, eq=False)
class Half:
    """The game with the picks of one side kept: a decision process of the other."""

    process: Model
    old: Picks
    """The number in the game of every choice."""
    objective: Objective
    maximise: bool

    def bounds(self, aim: Aim) -> Values:
        """Bounds that hold, and best answers (as choices of the half)."""
        aim = replace(aim, maximise=self.maximise, coalition=None, exact=False)
        found = one_side.solve(self.process, self.objective, aim)
        picks = best_picks(self.process, self.objective, found.middle, self.maximise)
        return replace(found, picks=picks)


@dataclass(frozen=True, eq=False)
class TwoSides:
    """A question about a game; `senses` says in which states those decide who want much."""

    process: Model
    objective: Objective
    aim: Aim
    senses: Bools

    def bounds(self) -> Values:
        """Bounds on the value of every state, and picks of both sides."""
        picks = self._improved(self._first())
        low = self._half(picks, self.senses).bounds(self.aim)
        high = self._half(picks, ~self.senses).bounds(self.aim)
        how = f"a game: {low.how} with one side fixed, {high.how} with the other"
        return Values(low.lower, np.maximum(high.upper, low.lower), None, picks, how)

    def fractions(self, found: Values) -> tuple[list[Fraction | float], Picks | None]:
        """The value of every state in fractions, and picks of both sides worth it, if wanted."""
        from oddsmith.solve.bellman.in_fractions import Side
        from oddsmith.solve.process.equations import solved
        from oddsmith.solve.process.exact import within_bounds

        assert found.picks is not None
        process, changing = self.process, self._changing
        much = not self.objective.until
        sides = [Side(not much, 0), Side(much, 1)]  # who answers, then whose picks are improved
        proper = replace(found, picks=self._proper(found.picks))
        work = solved(process, self.objective, proper, sides, changing, self.aim.progress)
        values = within_bounds(process, work.x, found)
        if not self.aim.picks:
            return values, None
        answers = good_picks(work, process, self.objective.stop, self.senses)
        return values, self._infinite(np.where(changing, work.pick, answers))

    @property
    def _changing(self) -> Bools:
        """The states of the side whose picks are improved; see the module's docstring."""
        return ~self.senses if self.objective.until else self.senses

    def _first(self) -> Picks:
        """Picks to begin with."""
        process, objective = self.process, self.objective
        if objective.until:
            return self._proper(process.choice[:-1].astype(np.int64))
        if objective.total:
            return self._earning()
        x = approximate(process, objective, self.senses, self.aim)
        return best_picks(process, objective, x, self.senses)

    def _earning(self) -> Picks:
        """Picks by which the total is infinite, wherever those who want much can force that."""
        from oddsmith.solve.process.game_kernels import earning_for_ever

        process, first, objective = self.process, self.process.choice[:-1], self.objective
        infinite, picks = earning_for_ever(
            process.choice, process.row, process.col, objective.stop, objective.earned > 0,
            self.senses,
        )  # fmt: skip
        return np.where(infinite & self.senses, picks, first)

    def _proper(self, picks: Picks) -> Picks:
        """Picks by which play surely stops, where it can be forced to and these do not."""
        from oddsmith.solve.process.game_kernels import surely_stopping

        if not self.objective.until:
            return picks
        sure, toward = self._stopping
        part, _ = keep(self.process, picks, ~self.senses)
        nobody = np.zeros(self.process.states, bool)
        stops, _ = surely_stopping(part.choice, part.row, part.col, self.objective.stop, nobody)
        return np.where(sure & ~stops & ~self.senses & ~self.objective.stop, toward, picks)

    @cached_property
    def _stopping(self) -> tuple[Bools, Picks]:
        """Where those who want little can force play to stop, and how; elsewhere, how not."""
        from oddsmith.solve.process.game_kernels import surely_stopping

        process = self.process
        sure, picks = surely_stopping(
            process.choice, process.row, process.col, self.objective.stop, ~self.senses
        )
        return sure, picks

    def _half(self, picks: Picks, fixed: Bools) -> Half:
        """The game with the picks of one side kept; the side that wants much, or the other."""
        part, old = keep(self.process, picks, fixed)
        maximise = bool(not self.senses[fixed].any())
        objective = self.objective.of_choices(old)
        if not maximise:
            objective = objective.for_the_least(part)
        return Half(part, old, objective, maximise)

    def _improved(self, picks: Picks) -> Picks:
        """Picks of both sides by strategy iteration, in floating point."""
        aim = replace(self.aim, tolerance=PICKING)
        process, objective, changing = self.process, self.objective, self._changing
        sign = -1.0 if objective.until else 1.0
        for _ in range(ROUNDS):
            half = self._half(picks, changing)
            found = half.bounds(aim)
            x = found.middle
            wanted = best_picks(process, objective, x, self.senses)
            before, after = (choice_worth(process, p, objective.earned, x) for p in (picks, wanted))
            with np.errstate(invalid="ignore"):
                better = sign * (after - before) > 1e-12 * np.maximum(1.0, before)
            better &= changing & ~self.objective.stop & np.isfinite(before)
            assert found.picks is not None
            answers = half.old[found.picks]
            picks = np.where(better, wanted, np.where(changing, picks, answers))
            if not better.any():
                break
        return self._infinite(picks)

    def _infinite(self, picks: Picks) -> Picks:
        """Where play cannot be forced to stop, and that is infinite, picks by which it does not."""
        if not self.objective.until:
            return picks
        sure, toward = self._stopping
        return np.where(~sure & self.senses & ~self.objective.stop, toward, picks)
