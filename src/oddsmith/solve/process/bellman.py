"""Bounds on the value of every state of a process: the mathematics.

All questions without a step bound have one form. Some states stop the play and have a known worth;
elsewhere a choice c earns g(c) ≥ 0 and leads on, and the value is the best of the choices:

    x(s) = best over c of  g(c) + Σ p(t) x(t)                                   (Bellman)

with best = max or min; in a chain there is one choice. What play without an end is worth decides
among the solutions of this equation. For chances (`NOTHING`) it is worth nothing; for rewards
until a target (`INFINITE`) it is infinite; for total rewards (`EARNED`) it is what it earns, so
nothing if nothing more is earned, otherwise infinite. (Who wants little in total is given a target:
`rewards.total_reward`.)

**Components.** Strong components are solved in turn, those that can be reached first, so a
component knows the worth of everything outside it. Inside, the graph decides first:

- chance, max: an end component (where play can be kept) is one node: all its states can reach the
  best way out of it at no cost (de Alfaro, Formal Verification of Probabilistic Systems, 1997);
- chance, min: states that can keep play among themselves and states worth nothing are worth
  nothing;
- reward, max: a component with an end component (for total rewards: one that earns) or with a way
  to an infinite state is infinite as a whole;
- reward, min: states that cannot surely leave toward finite states are infinite, choices that may
  lead to such are never taken, states that can surely leave at no cost toward states worth nothing
  are worth nothing, and end components that cost nothing are one node.

Infinite is decided here alone, and then both bounds are. An upper bound that is infinite by itself
says only that nothing was proved.

After that every way to play that matters leaves the component with probability one, and the
equation has one solution (Bertsekas and Tsitsiklis, Math. Oper. Res. 16 (1991) 580-595).

**Bounds.** Let T be the right side of the equation, computed in floating point and then moved down
(up) by a bound on its rounding. Sums have terms ≥ 0 only, so that a relative bound is enough.
From x = 0, x ← max(x, T↓x) stays below the value: T is monotone. If T↑y ≤ y for some y ≥ 0, then y
is above the value (Park's induction for chances; for rewards because play that matters ends).
Candidates for y are extrapolated from the last sweeps, as in optimistic value iteration (Hartmanns
and Kaminski, CAV 2020); x too is moved up where T↓x ≥ x proves it. A component in which sweeps are
slow goes to policy iteration with sparse LU, whose answer is one more candidate; and where that
proves nothing either, a small component is solved in fractions (`small_exact.py`).

Solvers need not be trusted: only the last test T↑y ≤ y, T↓x ≥ x is.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.model.amounts import Bools, Floats
from oddsmith.model.model import Model
from oddsmith.solve.bellman.bounds import Question, Transitions, bound
from oddsmith.solve.process.aim import EARNED, INFINITE, NOTHING, Aim, Values


def solve(
    process: Model,
    stop: Bools,
    lower: Floats,
    upper: Floats,
    gain: Floats | None,
    endless: int,
    aim: Aim,
) -> Values:
    """Bounds in every state; `lower` and `upper` have the worth where play stops."""
    assert endless != EARNED or aim.maximise or process.is_chain, "see rewards.total_reward"
    chance = process.chance
    of = Transitions(
        process.choice, process.row, process.col, chance.index, chance.values, chance.exact
    )
    earned = np.empty(0) if gain is None else gain
    asked = Question(earned, worth_of_endless(endless), aim.maximise, aim.tolerance)
    how = bound(of, stop, lower, upper, asked, aim.progress)
    known = (lower[stop] == upper[stop]) & ((lower[stop] == 0.0) | (lower[stop] == 1.0))
    return Values(lower, upper, how=how, sharp=endless == NOTHING and bool(known.all()))


def worth_of_endless(endless: int) -> float:
    """What play without an end is worth, besides what it earns."""
    return np.inf if endless == INFINITE else 0.0


def gains(process: Model, rewards: Any) -> Floats:
    """What each choice earns: its own reward and that of its state.

    There may be many millions, so nothing is added that is nothing.
    """
    state, choice = rewards.state, rewards.choice
    gain: Floats | None = None if choice is None or not choice.values.any() else choice.floats
    if state is not None and state.values.any():
        own = state.floats
        if not process.is_chain:
            own = np.repeat(own, np.diff(process.choice))
        gain = own if gain is None else gain + own
    return np.zeros(process.choices) if gain is None else gain
