"""Which choices are best, given what every state is worth; and what picks leave of a process."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from oddsmith.model.amounts import Amounts, Bools, Floats
from oddsmith.model.model import Model
from oddsmith.solve.process.aim import Aim, Objective

if TYPE_CHECKING:
    from oddsmith.solve.bellman.in_fractions import Solver

Picks = npt.NDArray[np.int64]

PICKING = 1e-13
"""The tolerance with which values are found if choices are to be told apart."""

TIE = 1e-11

SWEEPS = 5_000
"""At most so many over a component: what they find is improved afterwards."""


def best_picks(process: Model, objective: Objective, x: Floats, maximise: Any) -> Picks:
    """A best choice in every state.

    One who wants a large chance must not put off going there, nor one who wants to pay little,
    nor one who wants to earn much before he idles for ever; the others may take any best choice.
    """
    from oddsmith.solve.process import pick_kernels

    senses = np.broadcast_to(np.asarray(maximise, bool), process.states)
    toward = ~senses if objective.until else senses
    # Stopping states that are worth nothing are not worth going to.
    goal = objective.stop & (x > 0) if objective.gain is None else objective.stop
    earning = np.full(process.states, -1)
    if objective.total:
        earning = _earning(process, objective.earned, x)
        goal = goal | (x == 0) | (earning >= 0)
    picks: Picks = pick_kernels.best_choices(
        goal, process.choice, process.row, process.col, process.chance.index,
        process.chance.values, objective.earned, senses, toward, x, TIE,
    )  # fmt: skip
    return np.where(senses & (earning >= 0), earning, picks)


def exact_picks(work: Solver, process: Model, objective: Objective, maximise: bool) -> Picks:
    """The same where values are fractions: a tie is a tie.

    Floating point takes choices for equally good that differ by 1e-11, and one that is taken a
    million million times then loses everything. An infinite value has many choices that are as
    good: those states keep their picks.
    """
    senses, stop = np.full(process.states, maximise), objective.stop
    good = good_choices(work, process, stop, senses)
    picks = _among(good, work.pick, process)
    toward = np.full(process.states, maximise != objective.until)
    nothing = np.array([value is not None and value == 0 for value in work.x], bool)
    goal = stop & ~nothing if objective.gain is None else stop
    if objective.total:
        kept = np.array([value is None for value in work.x], bool) & ~stop
        earning = np.array([value != 0 for value in work.gain], bool) & good
        at = np.flatnonzero(earning & ~kept[process.chooser])
        picks[process.chooser[at]] = at
        goal = stop | nothing
        goal[process.chooser[at]] = True
    _lead(process, goal, good, toward, picks)
    return picks


def good_picks(work: Solver, process: Model, stop: Bools, senses: Bools) -> Picks:
    """The picks, and where one is not as good as the best in fractions, the first that is."""
    return _among(good_choices(work, process, stop, senses), work.pick, process)


def good_choices(work: Solver, process: Model, stop: Bools, senses: Bools) -> Bools:
    """Which choices are as good as the best; of an infinite value, only the pick."""
    worth = [work.worth(c) for c in range(process.choices)]
    good = np.zeros(process.choices, bool)
    choice = process.choice.tolist()
    for s in range(process.states):
        own = range(choice[s], choice[s + 1])
        best = work.x[s]
        if stop[s]:
            best = max((worth[c] for c in own), key=_key(bool(senses[s])))
        elif best is None:
            good[work.pick[s]] = True
            continue
        for c in own:
            good[c] = worth[c] is best or worth[c] == best
    assert np.maximum.reduceat(good, process.choice[:-1]).all(), "every value is that of a choice"
    return good


def _among(good: Bools, picked: Any, process: Model) -> Picks:
    """The picks where they are good, elsewhere the first good choice."""
    picks: Picks = np.array(picked, np.int64)
    return np.where(good[picks], picks, process.choice[:-1] + _first_of(good, process))


def _key(maximise: bool) -> Any:
    """How values are ordered, infinity (None) as the largest."""

    def key(value: Any) -> Any:
        return (value is None) == maximise, 0 if value is None else value if maximise else -value

    return key


def _first_of(good: Bools, process: Model) -> Picks:
    """The place of the first good choice in every state."""
    at = np.flatnonzero(good)
    states, where = np.unique(process.chooser[at], return_index=True)
    found: Picks = np.zeros(process.states, np.int64)
    found[states] = at[where] - process.choice[states]
    return found


def endless_picks(process: Model, stop: Bools) -> Picks:
    """Picks by which play goes on for ever with positive chance, wherever it can: the graph's.

    Some states can stay among themselves without stopping (`collapse.avoiding`); from the others
    play goes toward those.
    """
    from oddsmith.solve.bellman.collapse import avoiding

    inner = ~stop[process.chooser]
    inside = avoiding(process.choice, process.row, process.col, inner)
    leaves = np.add.reduceat(~inside[process.col], process.row[:-1]) > 0
    staying = inner & inside[process.chooser] & ~leaves
    picks: Picks = process.choice[:-1] + _first_of(staying, process)
    _lead(process, inside, inner, np.ones(process.states, bool), picks)
    return picks


def _lead(process: Model, goal: Bools, good: Bools, toward: Bools, picks: Picks) -> None:
    """Change picks such that play goes toward a goal by good choices, where somebody wants that."""
    from oddsmith.solve.bellman.leading import lead

    known = goal.copy()
    lead(known, process.choice, process.row, process.col, good, np.empty(0), toward, picks)


def _earning(process: Model, gain: Floats, x: Floats) -> Picks:
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


def choice_worth(process: Model, picks: Picks, gain: Floats, x: Floats) -> Floats:
    """What the picked choice of every state is worth, given what states are."""
    from oddsmith.solve.process import pick_kernels

    found: Floats = pick_kernels.worths(
        picks, process.row, process.col, process.chance.index, process.chance.values, gain, x
    )
    return found


def keep(process: Model, picks: Picks, where: Bools) -> tuple[Model, Picks]:
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
        chances=Amounts(chance.index[edges], chance.values, chance.exact),
        rewards={},
        action=None if action is None else action[old],
        players=(),
        owner=None,
    )
    return smaller, old


def approximate(process: Model, objective: Objective, maximise: Bools, aim: Aim) -> Floats:
    """Values of a game by plain iteration from below: good for finding choices, no proof."""
    from oddsmith.runtime.watch import new_signals, watched
    from oddsmith.solve.bellman import components
    from oddsmith.solve.process import pick_kernels

    stop = objective.stop
    x = np.where(stop, objective.lower, 0.0)
    order, bounds = components.components(process.state_row, process.col, stop)
    signals = new_signals(4)
    graph = (process.choice, process.row, process.col, process.chance.index, process.chance.values)

    def work() -> None:
        pick_kernels.approximate(
            order, bounds, stop, *graph, objective.earned, maximise, x, 1e-14, SWEEPS, signals,
        )  # fmt: skip

    def look() -> None:
        facts = f"change {signals[1]:.1e}"
        aim.progress.update("looking for choices", signals[0], process.states, facts)

    watched(work, signals, look)
    return x
