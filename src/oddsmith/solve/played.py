"""The distribution of a game's length, played forward in floats, with bounds on every sum.

Probability mass moves along the transitions, one counted move at a time; mass that reaches an end
is the chance of that length. Moves that do not count (a rest) are played at once. Mass that comes
to a class in which play goes on for ever leaves without an end. What still goes on bounds the tail.

**Rounding.** Chances are added, multiplied and divided, never subtracted, so errors are relative:
after q moves a number is off by at most q (d + 8) u of itself, d the most transitions from or into
a state and u = 2^-53, and so is a sum of such numbers if it is compensated (Neumaier). A pass over
the states plays one move that counts, or as many free ones in a row as its order allows. Before a
move that counts, no more than a trifle may still wait for one that does not; it is played with the
next length, so it is late: the true chance of at most k moves can be larger by the sum of all that
was late. In smaller chains such moves are eliminated first (`counted.py`): then nothing is late.
Together, P(length ≤ k) is known to `off` for every k at once.

**An end.** A game of which a small part goes on for very long (one in 10^9, for 10^9 moves) would
be played for hours. It is given up where the tail cannot be reached within `LONGEST` moves; what is
left is said. Means and variances do not depend on it: they come from linear systems.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from oddsmith.errors import LimitError, OddsmithError
from oddsmith.runtime.progress import Progress
from oddsmith.runtime.watch import Signals, new_signals, watched
from oddsmith.solve.chain import Chain, boundary
from oddsmith.solve.counted import ENDED, counted
from oddsmith.solve.rounding import UNIT

LONGEST = 1_000_000
"""Lengths are followed no farther than this."""

MOST_WORK = 2e10
"""Transitions that may be followed beyond the first LEAST_PASSES passes over the states."""

LEAST_PASSES = 5_000

ELIMINATED_STATES = 5_000
"""Up to so many states moves that do not count are eliminated."""

CHUNK = 4096
"""Moves after which it is looked at whether the tail will ever be reached."""

FREE_MOVES = 100_000
"""Passes over moves that do not count before they are taken never to end."""


class Played:
    """The chances of lengths 0, 1, 2, … as far as they have been played.

    >>> from oddsmith import game
    >>> from oddsmith.runtime.progress import Silent
    >>> from oddsmith.solve.engines.graph import prepare
    >>> from oddsmith.questions.settings import Settings
    >>> race = Played(prepare(game("coin-race"), Settings()).chain, Silent())
    >>> race.play(0.1)
    >>> race.chances[:5], race.left <= 0.1
    ([0.0, 0.0, 0.0, 0.25, 0.1875], True)
    """

    def __init__(self, chain: Chain, progress: Progress) -> None:
        self.chain, self.progress = chain, progress
        self.chances: list[float] = []
        self.left = 1.0
        """What goes on and may still end."""
        self.late = 0.0
        self.bits = 0.0
        """Bits of a common denominator of all chances, where there is one."""
        self.depth = 1
        """Free moves that one pass over the states can play."""
        self.passes = 0
        self.given_up = False
        """Whether the tail is too long to be followed."""
        start = int(chain.place[chain.model.start])
        if start < 0:
            ended = not chain.endless[chain.model.start]
            self.chances, self.left = [float(ended)], 0.0
            return
        if not self._eliminated():
            self._as_it_is(start)
        self.later = np.zeros_like(self.now)
        self.budget = max(LEAST_PASSES, int(MOST_WORK / max(1, len(self.col))))
        self.most = min(LONGEST, self.budget)

    def _as_it_is(self, start: int) -> None:
        from oddsmith.solve import kernels

        chain = self.chain
        self.row, self.col, self.weight = chain.row, chain.col, chain.weight
        self.total, self.counts = chain.total, chain.length
        if not self.counts.all():
            self.depth = int(kernels.free_depth(self.row, self.col, self.counts))
        self.now = np.zeros(chain.size)
        self.now[start] = 1.0
        over = (chain.outcome >= 0) & ~chain.endless
        self.ending = boundary(chain, over.astype(np.float64)[:, None])[:, 0]
        into = np.bincount(chain.col, minlength=1)
        self.degree = int(max(into.max(), np.diff(chain.model.state_row).max(initial=1)))

    def _eliminated(self) -> bool:
        """Let counted moves lead on over those that do not count; False if that is too much."""
        if self.chain.length.all() or self.chain.size > ELIMINATED_STATES:
            return False
        try:
            moves = counted(self.chain)
        except LimitError:
            return False
        matrix = moves.chances()
        self.row, self.col, self.weight = matrix.indptr, matrix.indices, matrix.data
        self.total, self.counts = np.ones(moves.states), np.ones(moves.states)
        self.ending = moves.ending()
        self.now = np.zeros(moves.states)
        for state, weight in moves.begin.items():
            if state != ENDED:
                self.now[state] = weight / moves.begin_total
        self.chances = [moves.begin.get(ENDED, 0) / moves.begin_total]
        self.left, self.passes = float(self.now.sum()), 1
        self.bits = float(max(moves.total, moves.begin_total).bit_length())
        self.degree = int(np.bincount(self.col, minlength=1).max()) + 2 * len(moves.digits)
        return True

    @property
    def moves(self) -> int:
        """How many moves, free ones included, no path that was played has more than."""
        free = self.passes - (len(self.chances) - 1)  # passes; length 0 needs none that counts
        return len(self.chances) + free * self.depth

    @property
    def off(self) -> float:
        """How far the chance of at most k moves can be off, for any k."""
        if not self.passes:  # it was over at the start
            return 0.0
        relative = (self.moves * (self.degree + 8) + len(self.chances)) * UNIT
        return (relative / max(1e-9, 1 - relative) + self.late) * (1 + 1e-9)

    @property
    def unresolved(self) -> float:
        """Bound on the chance to end later than has been played, rounding included.

        It is 0 if every path is over, and none can have been lost because its chance is no float.
        """
        if self.left == 0.0 and (not self.passes or self._smallest_bits < 1000):
            return 0.0
        return self.left * (1 + 1e-9) + self.off

    @property
    def _smallest_bits(self) -> float:
        """The chance of no path that was played is below two to the minus this."""
        if self.bits > 1000:
            return self.bits
        rarest = (self.weight / np.repeat(self.total, np.diff(self.row))).min(initial=1.0)
        return self.bits - self.moves * math.log2(rarest)

    def play(self, tail: float) -> None:
        """Go on until no more than the tail is left, or is given up."""
        while self.left > tail and not self.given_up:
            before, room = self.left, min(CHUNK, self.most - len(self.chances))
            if room <= 0 or self.passes >= self.budget:
                self.given_up = True
                return
            chances = np.zeros(room)
            filled = self._chunk(chances, tail)
            self.chances += chances[:filled].tolist()
            self.given_up = filled == room and self._is_hopeless(before, tail)

    def _is_hopeless(self, before: float, tail: float) -> bool:
        """Whether at this rate the tail lies beyond what is followed; not while much is left."""
        if self.left > 0.01 or self.left <= tail:
            return False
        rate = math.log(before / self.left) / CHUNK if before > self.left else 0.0
        return rate * (self.most - len(self.chances)) < math.log(self.left / tail)

    def _chunk(self, chances: Any, tail: float) -> int:
        from oddsmith.solve import kernels

        signals, already = new_signals(3), len(self.chances)

        def work(signals: Signals = signals) -> Any:
            return kernels.play_forward(
                self.row, self.col, self.weight, self.total, self.ending, self.counts,
                self.now, self.later, already > 0, chances, tail, min(tail, 1e-6) * 1e-6,
                FREE_MOVES, self.budget - self.passes, signals,
            )  # fmt: skip

        def look() -> None:
            moves, left = already + int(signals[0]), float(signals[1]) or self.left
            done, of = -math.log10(min(1.0, left)), -math.log10(tail)
            self.progress.update("playing forward", done, of, f"{moves:,} moves, {left:.1e} left")

        filled, left, late, passes, stuck = watched(work, signals, look)
        if stuck:
            raise OddsmithError(
                f"{self.chain.model.name} can play moves that do not count almost without "
                f"end: let them count to have a length."
            )
        self.left = left if filled else self.left
        self.late, self.passes = self.late + late, self.passes + passes
        return int(filled)
