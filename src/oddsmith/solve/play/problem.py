"""Problem: a game of decisions as its movers see it, and the mathematics that solvers share.

Let x(s, q) be what the player q seats after the mover of state s can expect, so that x(s, 0) is
the mover's own. A choice c of s leads to state t with chance p(t), and the view turns by k seats
when the mover changes; player q of s is then player q - k of t:

    Q(s, c, q) = Σ p(t) x(t, q - k)

The mover takes a choice σ(s) with the largest Q(s, c, 0); the others get Q(s, σ(s), q). In this
form a mover-relative model, a plain one (where k is the difference of the owners) and one player
against fixed opponents (one seat, no turning) are the same problem.

**Worth.** Players go for the win: one who wins alone gets 1, several who win together share it,
and a draw is shared by all, so that two players' chances always add up to one (a zero-sum game);
a single player gets nothing for a draw. Where the game has scores, players go for those. Play
without an end is a draw; where there are scores, it is worth nothing, or the least of them if that
is less.

**Optimal play.** For one player or two, x(s, 0) is the value of the game. With more players (or
scores that two do not split) σ is a Markov perfect equilibrium: nobody gains by leaving it alone.
There may be several of those; this is one. There may be none without chance moves of the players'
own (compare Solan and Vieille, J. Math. Econ. 39 (2003) 911): then an error says so.

**Certificates.** Let x be any numbers and e ≥ 0 such that for every state, seat and allowed choice

    Q_x(s, c, q) - x(s, q) + Q_e(s, c, q) < e(s, q),

where the mover (q = 0) is allowed every choice, everybody else only σ. Then x + e drops in
expectation with every move of anybody who deviates from σ alone: it is a strict supermartingale,
so play ends with probability one and x + e bounds from above what any single player can get
against σ (Puterman, Markov Decision Processes, 7.2; Condon, Inform. Comput. 96 (1992) 203-224).
Nothing is assumed about end components: one that a deviating player could stay in would contradict
the strict drop, and then none is found; what he can do there is solved for (`collapse.py`). In a
zero-sum game of two, x(s, 0) + e(s, 0) bounds the value from above and 1 - x(s, 1) - e(s, 1) from
below. For more players the same with σ for everybody, and with the sign turned, bounds the value
of σ, and the difference to the first bound is what a player could gain by deviating: the regret.
Residuals are computed as sums of differences with a bound on their rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.model.model import Model
from oddsmith.rules.hidden import refuse_best_play
from oddsmith.solve import endless

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Problem:
    """A game of decisions; see the module's docstring."""

    model: Model
    seats: int
    shift: Any
    """Seats the view turns by in each transition; empty where there is one seat."""
    worth: Floats
    """What each seat gets where the game is over (states × seats), 0 where it goes on."""
    endless_exactly: Fraction
    """What play without an end is worth."""
    zero_sum: bool
    """Whether what the seats get always adds up to one: two players going for the win."""

    @property
    def states(self) -> int:
        """Number of states."""
        return self.model.states

    @property
    def endless(self) -> float:
        """What play without an end is worth, as a float."""
        return float(self.endless_exactly)

    @property
    def worth_rounding(self) -> float:
        """How far what an end is worth can be from its float: a third is none."""
        shared = self.model.scores is None and len(self.model.players) > 2
        return 2.0**-54 if shared else 0.0

    @cached_property
    def order(self) -> npt.NDArray[np.int32]:
        """All states, component by component in topological order."""
        return self._components[0]

    @cached_property
    def bounds(self) -> npt.NDArray[np.int64]:
        """Component c has the states order[bounds[c]] … order[bounds[c+1]-1]."""
        return self._components[1]

    @cached_property
    def place(self) -> npt.NDArray[np.int32]:
        """Where each state stands in the order."""
        found = np.empty(self.states, np.int32)
        found[self.order] = np.arange(self.states, dtype=np.int32)
        return found

    @cached_property
    def _components(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        from oddsmith.solve.bellman.components import components

        nowhere = np.zeros(self.states, bool)
        order, bounds = components(self.model.state_row, self.model.col, nowhere)
        return order[::-1].copy(), self.states - bounds[::-1].astype(np.int64)


def game_problem(model: Model) -> Problem:
    """Everybody decides, each for himself."""
    _check_sight(model)
    players = len(model.players)
    worth = worth_of(model)
    if players == 1:
        shift: Any = np.empty(0, np.uint8)
    elif model.shift is not None:
        shift = model.shift
    else:
        shift = _owner_shift(model)
    zero_sum = players == 2 and model.scores is None
    return Problem(model, players, shift, worth, endless.of_play(model), zero_sum)


def response_problem(model: Model, player: int, endless: Fraction) -> Problem:
    """One player decides; in the states of the others the model has one choice only.

    `endless` is what play without an end is worth in the whole game, of which this is a part.
    """
    assert model.shift is None
    _check_sight(model)
    worth = np.ascontiguousarray(worth_of(model)[:, player : player + 1])
    return Problem(model, 1, np.empty(0, np.uint8), worth, endless, False)


def _check_sight(model: Model) -> None:
    """Decisions are weighed by what the whole state says, so players must see all of it."""
    if not model.is_chain:
        refuse_best_play(model.origin)


def _owner_shift(model: Model) -> Any:
    """How many seats the view turns in each transition of a plain model."""
    from oddsmith.solve.play import problem_kernels

    return problem_kernels.owner_shift(
        model.state_row, model.col, model.mover.astype(np.int64), len(model.players)
    )


def worth_of(model: Model) -> Floats:
    """What each player (as the state sees them) gets where the game is over, 0 elsewhere."""
    if model.scores is not None:
        return np.where((model.winners >= 0)[:, None], model.scores, 0).astype(np.float64)
    players = len(model.players)
    bits = model.winners
    worth = np.zeros((model.states, players))
    over = np.nonzero(bits >= 0)[0]
    won = (bits[over, None] >> np.arange(players)[None, :]) & 1
    count = won.sum(axis=1)
    drawn = 0.0 if players == 1 else 1 / players
    worth[over] = np.where(count[:, None] > 0, won / np.maximum(count, 1)[:, None], drawn)
    return worth
