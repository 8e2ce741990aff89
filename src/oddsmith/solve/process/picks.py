"""Which choices are best, given what every state is worth; and what picks leave of a process."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.model.process import Amounts, Bools, Floats, Process
from oddsmith.solve.process.aim import Aim
from oddsmith.solve.process.bellman import EARNED, INFINITE, NOTHING

Picks = npt.NDArray[np.int64]

TIE = 1e-11

SWEEPS = 5_000
"""At most so many over a component: what they find is improved afterwards."""


def best_picks(
    process: Process, stop: Bools, x: Floats, gain: Floats | None, endless: int, maximise: Any
) -> Picks:
    """A best choice in every state.

    One who wants a large chance must not put off going there, nor one who wants to pay little,
    nor one who wants to earn much before he idles for ever; the others may take any best choice.
    """
    from oddsmith.solve.process import pick_kernels

    senses = np.broadcast_to(np.asarray(maximise, bool), process.states)
    toward = ~senses if endless == INFINITE else senses
    # Stopping states that are worth nothing are not worth going to.
    goal = stop & (x > 0) if endless == NOTHING else stop
    earning = np.full(process.states, -1)
    if endless == EARNED and gain is not None:
        earning = _earning(process, gain, x)
        goal = stop | (x == 0) | (earning >= 0)
    picks: Picks = pick_kernels.best_choices(
        goal, process.choice, process.row, process.col, process.chance.index,
        process.chance.values, np.empty(0) if gain is None else gain, senses, toward, x, TIE,
    )  # fmt: skip
    return np.where(senses & (earning >= 0), earning, picks)


def _earning(process: Process, gain: Floats, x: Floats) -> Picks:
    """A best choice of every state that earns something at once, or -1; for one who wants much."""
    worth = choice_worth(process, np.arange(process.choices), gain, x)
    first, chooser = process.choice[:-1], process.chooser
    best = np.maximum.reduceat(worth, first)[chooser]
    good = worth == best
    finite = np.isfinite(best)
    good[finite] |= best[finite] - worth[finite] <= TIE * np.maximum(1.0, best[finite])
    found: Picks = np.full(process.states, -1, np.int64)
    earning = np.flatnonzero(good & (gain > 0))
    found[chooser[earning]] = earning
    return found


def choice_worth(process: Process, picks: Picks, gain: Floats | None, x: Floats) -> Floats:
    """What the picked choice of every state is worth, given what states are."""
    from oddsmith.solve.process import pick_kernels

    found: Floats = pick_kernels.worths(
        picks, process.row, process.col, process.chance.index, process.chance.values,
        np.empty(0) if gain is None else gain, x,
    )  # fmt: skip
    return found


def keep(process: Process, picks: Picks, where: Bools) -> tuple[Process, Picks]:
    """The process with one choice left where it is picked; the old number of every choice."""
    counts = np.diff(process.choice)
    kept = np.repeat(~where, counts)
    kept[picks[where]] = True
    old = np.flatnonzero(kept)
    choice = np.concatenate([[0], np.cumsum(np.where(where, 1, counts))]).astype(np.int64)
    lengths = np.diff(process.row)
    edges = np.repeat(kept, lengths)
    row = np.concatenate([[0], np.cumsum(lengths[old])]).astype(np.int64)
    chance = process.chance
    action = process.action
    smaller = replace(
        process,
        kind="dtmc" if len(old) == process.states else "mdp",
        choice=choice,
        row=row,
        col=process.col[edges],
        chance=Amounts(chance.index[edges], chance.values, chance.exact),
        rewards={},
        action=None if action is None else action[old],
        players=(),
        owner=None,
    )
    return smaller, old


def approximate(
    process: Process,
    stop: Bools,
    x: Floats,
    gain: Floats | None,
    maximise: Bools,
    aim: Aim,
) -> Floats:
    """Values of a game by plain iteration from below: good for finding choices, no proof."""
    from oddsmith.solve.process import components, pick_kernels
    from oddsmith.watch import new_signals, watched

    order, bounds = components.components(process.state_row, process.col, stop)
    signals = new_signals(4)
    graph = (process.choice, process.row, process.col, process.chance.index, process.chance.values)

    def work() -> None:
        pick_kernels.approximate(
            order, bounds, stop, *graph, np.empty(0) if gain is None else gain, maximise, x,
            1e-14, SWEEPS, signals,
        )  # fmt: skip

    def look() -> None:
        facts = f"change {signals[1]:.1e}"
        aim.progress.update("looking for choices", signals[0], process.states, facts)

    watched(work, signals, look)
    return x
