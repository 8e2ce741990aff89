"""Bounds on the value of every state where one side decides, component by component.

The mathematics is in `process/bellman.py`. A component is swept; one in which sweeps are slow goes
to policy iteration with sparse LU; one about which floating point proves nothing to fractions, if
it is small; what is left is swept for as long as it takes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from oddsmith.runtime.progress import Progress
from oddsmith.runtime.watch import Signals, new_signals, watched

SLOW_SWEEPS = 2_000.0
"""A component that seems to need more sweeps is solved by policy iteration."""


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


class Question(NamedTuple):
    """What is asked about transitions."""

    gain: Any
    """What each choice earns; empty if nothing."""
    endless: float
    """What play without an end is worth, besides what it earns; see `local.prepare`."""
    maximise: bool
    tolerance: float
    """How far apart the bounds may be, relative to the value where that is above one."""


def bound(
    of: Transitions, stop: Any, lower: Any, upper: Any, asked: Question, progress: Progress
) -> str:
    """Bounds in every state, written to `lower` and `upper`, which have them where play stops.

    Returns how they were proved, for people.
    """
    from oddsmith.solve.process import components, kernels, local
    from oddsmith.solve.process.policy_iteration import solve_component
    from oddsmith.solve.process.small_exact import solve_in_fractions

    order, bounds = components.components(of.row[of.choice], of.col, stop)
    graph = (of.choice, of.row, of.col, of.index, of.values)
    place = np.full(of.states, -1, np.int32)
    k, count, patient, by_policy, by_fractions = 0, len(bounds) - 1, False, 0, 0
    most = 0.0
    while k < count:
        signals = new_signals(5)

        def walk(signals: Signals = signals, k: int = k, patient: bool = patient) -> int:
            return int(
                kernels.sweep(
                    order, bounds, k, stop, *graph, asked.gain, asked.endless, asked.maximise,
                    lower, upper, place, asked.tolerance, np.inf if patient else SLOW_SWEEPS,
                    signals,
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
        parts = local.prepare(
            states, *graph, asked.gain, asked.endless, asked.maximise, lower, upper, place
        )
        proved = solve_component(parts, states, lower, upper, asked.maximise, progress)
        narrow = proved and _narrow(parts, lower[states], upper[states], asked.tolerance)
        if not narrow and solve_in_fractions(
            of, states, asked, lower, upper, parts[0] >= 0, progress
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
