"""Bounds on the value of every state where one side decides, component by component.

All questions without a step bound have one form. Some states stop the play and have a known worth;
elsewhere a choice c earns g(c) ≥ 0 and leads on, and the value is the best of the choices:

    x(s) = best over c of  g(c) + Σ p(t) x(t)                                   (Bellman)

with best = max or min; in a chain there is one choice. What play without an end is worth, besides
what it earns, decides among the solutions of this equation: nothing (chances, total rewards),
infinitely much (rewards until a target), or a number (optimal play). (Who wants little in total is
given a target: `process/rewards.py`.)

**Components.** Strong components are solved in turn, those that can be reached first, so a
component knows the worth of everything outside it. Inside, the graph decides first:

- chance, max: an end component (where play can be kept) is one node: all its states can reach the
  best way out of it at no cost (de Alfaro, Formal Verification of Probabilistic Systems, 1997); if
  endless play is worth more than nothing, to stay is one more option;
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
slow goes to policy iteration with sparse LU, whose answer is one more candidate; where that proves
too little, a small component is solved in fractions (`small_exact.py`); what is left is swept for
as long as it takes.

Solvers need not be trusted: only the last test T↑y ≤ y, T↓x ≥ x is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from oddsmith.questions import limits
from oddsmith.runtime.progress import Progress
from oddsmith.runtime.watch import Signals, new_signals, watched


class Transitions(NamedTuple):
    """States, choices and transitions in compressed rows, with chances as numbers in a table."""

    choice: Any
    row: Any
    col: Any
    index: Any
    values: Any
    exact: Any = None
    """The table as fractions, if there are any."""

    @property
    def states(self) -> int:
        """Number of states."""
        return len(self.choice) - 1


class Criterion(NamedTuple):
    """What is criterion about transitions."""

    gain: Any
    """What each choice earns; empty if nothing."""
    endless: float
    """What play without an end is worth, besides what it earns; see `collapse.prepare`."""
    maximise: bool
    tolerance: float
    """How far apart the bounds may be, relative to the value where that is above one."""


def bound(
    of: Transitions, stop: Any, lower: Any, upper: Any, criterion: Criterion, progress: Progress
) -> str:
    """Bounds in every state, written to `lower` and `upper`, which have them where play stops.

    Returns how they were proved, for people.
    """
    from oddsmith.solve.bellman import collapse, components, sweeps
    from oddsmith.solve.bellman.by_policy import solve_component
    from oddsmith.solve.bellman.small_exact import solve_in_fractions

    assert (stop | (np.diff(of.choice) > 0)).all(), "play goes on where nobody can move"
    order, bounds = components.components(of.row[of.choice], of.col, stop)
    graph = (of.choice, of.row, of.col, of.index, of.values)
    worth = (criterion.gain, criterion.endless, criterion.maximise)
    place = np.full(of.states, -1, np.int32)
    k, count, patient, by_policy, by_fractions = 0, len(bounds) - 1, False, 0, 0
    most = 0.0
    while k < count:
        signals = new_signals(5)

        def walk(signals: Signals = signals, k: int = k, patient: bool = patient) -> int:
            return int(
                sweeps.sweep(
                    order, bounds, k, stop, *graph, *worth, lower, upper, place,
                    criterion.tolerance, np.inf if patient else float(limits.SLOW_SWEEPS), signals,
                )
            )  # fmt: skip

        def look(signals: Signals = signals) -> None:
            done, gap, sweeps = signals[0], signals[1], signals[2]
            facts = f"sweep {sweeps:.0f}, change {gap:.1e}" if sweeps else ""
            progress.update("solving", done, of.states, facts)

        stopped = watched(walk, signals, look)
        if signals[-1]:
            raise KeyboardInterrupt
        most = max(most, float(signals[3]))
        if stopped < 0:
            break
        k, patient = stopped, False
        states = order[bounds[k] : bounds[k + 1]]
        parts = collapse.prepare(
            states,
            *graph,
            criterion.gain,
            criterion.endless,
            criterion.maximise,
            lower,
            upper,
            place,
        )
        proved = solve_component(parts, states, lower, upper, criterion.maximise, progress)
        narrow = proved and _narrow(parts, lower[states], upper[states], criterion.tolerance)
        if not narrow and solve_in_fractions(
            of, states, criterion, lower, upper, parts[0] >= 0, progress
        ):
            by_fractions += 1
        else:
            by_policy += proved
            patient = not proved
        k += not patient
    how = f"{count:,} components, at most {most:,.0f} sweeps"
    if by_policy:
        how += f", {by_policy:,} by policy iteration"
    if by_fractions:
        how += f", {by_fractions:,} in fractions"
    return how


def _narrow(parts: tuple[Any, ...], lower: Any, upper: Any, tolerance: float) -> bool:
    """Whether bounds are as near to each other as they should and what is outside allows."""
    _, _, _, _, _, _, low, high, _, _, _, _ = parts
    given = float(((high - low) / np.maximum(1.0, low)).max(initial=0.0))
    with np.errstate(invalid="ignore"):  # infinite are both bounds
        gap = float(np.nanmax((upper - lower) / np.maximum(1.0, lower), initial=0.0))
    return gap <= tolerance + 4 * given
