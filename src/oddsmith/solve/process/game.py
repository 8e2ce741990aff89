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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from oddsmith.model.amounts import Bools, Floats
from oddsmith.model.model import Model
from oddsmith.solve.process import bellman
from oddsmith.solve.process.aim import EARNED, INFINITE, Aim, Values
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
    stop: Bools
    gain: Floats | None
    endless: int
    maximise: bool

    def bounds(self, lower: Floats, upper: Floats, aim: Aim) -> Values:
        """Bounds that hold, and best answers (as choices of the half)."""
        aim = replace(aim, maximise=self.maximise, coalition=None, exact=False)
        low, high = np.where(self.stop, lower, 0.0), np.where(self.stop, upper, 0.0)
        found = bellman.solve(self.process, self.stop, low, high, self.gain, self.endless, aim)
        picks = best_picks(
            self.process, self.stop, found.middle, self.gain, self.endless, self.maximise
        )
        return replace(found, picks=picks)


@dataclass(frozen=True, eq=False)
class Game:
    """A question about a game; `senses` says in which states those decide who want much."""

    process: Model
    stop: Bools
    lower: Floats
    upper: Floats
    gain: Floats | None
    endless: int
    aim: Aim
    senses: Bools

    def bounds(self) -> Values:
        """Bounds on the value of every state, and picks of both sides."""
        picks = self._improved(self._first())
        aim = self.aim
        low = self._half(picks, self.senses).bounds(self.lower, self.upper, aim)
        high = self._half(picks, ~self.senses).bounds(self.lower, self.upper, aim)
        how = f"a game: {low.how} with one side fixed, {high.how} with the other"
        return Values(low.lower, np.maximum(high.upper, low.lower), None, picks, how)

    def fractions(
        self, found: Values, worth: Sequence[Fraction], gain: Sequence[Fraction] | None
    ) -> tuple[list[Fraction | float], Picks | None]:
        """The value of every state in fractions, and picks of both sides worth it, if wanted."""
        from oddsmith.solve.bellman.in_fractions import Side
        from oddsmith.solve.process.equations import solved
        from oddsmith.solve.process.exact import within_bounds

        assert found.picks is not None
        process, changing = self.process, self._changing
        much = self.endless != INFINITE
        sides = [Side(not much, 0), Side(much, 1)]  # who answers, then whose picks are improved
        work = solved(
            process, self.stop, worth, gain, self.endless,
            replace(found, picks=self._proper(found.picks)), sides, changing, self.aim.progress,
        )  # fmt: skip
        values = within_bounds(process, work.x, found)
        if not self.aim.picks:
            return values, None
        answers = good_picks(work, process, self.stop, self.senses)
        return values, self._infinite(np.where(changing, work.pick, answers))

    @property
    def _changing(self) -> Bools:
        """The states of the side whose picks are improved; see the module's docstring."""
        return ~self.senses if self.endless == INFINITE else self.senses

    def _first(self) -> Picks:
        """Picks to begin with."""
        if self.endless == INFINITE:
            return self._proper(self.process.choice[:-1].astype(np.int64))
        if self.endless == EARNED:
            return self._earning()
        x = approximate(
            self.process, self.stop, self.lower.copy(), self.gain, self.senses, self.aim
        )
        return best_picks(self.process, self.stop, x, self.gain, self.endless, self.senses)

    def _earning(self) -> Picks:
        """Picks by which the total is infinite, wherever those who want much can force that."""
        from oddsmith.solve.process.game_kernels import earning_for_ever

        process, first = self.process, self.process.choice[:-1]
        assert self.gain is not None
        infinite, picks = earning_for_ever(
            process.choice, process.row, process.col, self.stop, self.gain > 0, self.senses
        )
        return np.where(infinite & self.senses, picks, first)

    def _proper(self, picks: Picks) -> Picks:
        """Picks by which play surely stops, where it can be forced to and these do not."""
        from oddsmith.solve.process.game_kernels import surely_stopping

        if self.endless != INFINITE:
            return picks
        sure, toward = self._stopping
        part, _ = keep(self.process, picks, ~self.senses)
        nobody = np.zeros(self.process.states, bool)
        stops, _ = surely_stopping(part.choice, part.row, part.col, self.stop, nobody)
        return np.where(sure & ~stops & ~self.senses & ~self.stop, toward, picks)

    @cached_property
    def _stopping(self) -> tuple[Bools, Picks]:
        """Where those who want little can force play to stop, and how; elsewhere, how not."""
        from oddsmith.solve.process.game_kernels import surely_stopping

        process = self.process
        sure, picks = surely_stopping(
            process.choice, process.row, process.col, self.stop, ~self.senses
        )
        return sure, picks

    def _half(self, picks: Picks, fixed: Bools) -> Half:
        """The game with the picks of one side kept; the side that wants much, or the other.

        Who wants little in total tries to come where he can stay for nothing: that is a target.
        """
        part, old = keep(self.process, picks, fixed)
        gain = None if self.gain is None else self.gain[old]
        maximise = bool(not self.senses[fixed].any())
        stop, endless = self.stop, self.endless
        if endless == EARNED and not maximise:
            from oddsmith.solve.bellman.collapse import avoiding

            assert gain is not None
            stop = stop | avoiding(part.choice, part.row, part.col, gain == 0.0)
            endless = INFINITE
        return Half(part, old, stop, gain, endless, maximise)

    def _improved(self, picks: Picks) -> Picks:
        """Picks of both sides by strategy iteration, in floating point."""
        aim = replace(self.aim, tolerance=PICKING)
        process, gain, endless = self.process, self.gain, self.endless
        changing = self._changing
        sign = -1.0 if endless == INFINITE else 1.0
        for _ in range(ROUNDS):
            half = self._half(picks, changing)
            found = half.bounds(self.lower, self.upper, aim)
            x = found.middle
            wanted = best_picks(process, self.stop, x, gain, endless, self.senses)
            before, after = (choice_worth(process, p, gain, x) for p in (picks, wanted))
            with np.errstate(invalid="ignore"):
                better = sign * (after - before) > 1e-12 * np.maximum(1.0, before)
            better &= changing & ~self.stop & np.isfinite(before)
            assert found.picks is not None
            answers = half.old[found.picks]
            picks = np.where(better, wanted, np.where(changing, picks, answers))
            if not better.any():
                break
        return self._infinite(picks)

    def _infinite(self, picks: Picks) -> Picks:
        """Where play cannot be forced to stop, and that is infinite, picks by which it does not."""
        if self.endless != INFINITE:
            return picks
        sure, toward = self._stopping
        return np.where(~sure & self.senses & ~self.stop, toward, picks)
