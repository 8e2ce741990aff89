"""Long-run averages: the mean reward of a step, in the limit.

Play ends up in an end component (of a chain: a closed class), and what it earns on the way there
does not matter. In an end component every state has the same best mean g; for any numbers h,

    min over s of (T h - h)(s)  ≤  g  ≤  max over s of (T h - h)(s),

with (T h)(s) the best of r + Σ p h over the choices that stay (Odoni, Oper. Res. 17 (1969)
857-860; Puterman, Markov Decision Processes, 8.5). h comes from relative value iteration, made
aperiodic, or in a chain from sparse LU; the bounds hold whatever it is. Where play ends up is then
a question of reachability: a state of an end component may stop and be worth g.

The least mean is found as the largest of M - r, with M the largest reward.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from oddsmith.errors import LimitError
from oddsmith.model.amounts import Amounts, Bools, Floats, Rewards
from oddsmith.model.model import Model
from oddsmith.questions import limits
from oddsmith.solve.process import one_side
from oddsmith.solve.process.aim import Aim, Values
from oddsmith.solve.process.reach import terminal

SWEEPS = 3_000
PATIENT_SWEEPS = 300_000


def long_run(process: Model, rewards: Rewards, aim: Aim) -> Values:
    """The mean reward a step in the long run."""
    if aim.coalition is not None and not process.is_chain:
        raise LimitError("Long-run averages of games are not supported.")
    gain = one_side.gains(process, rewards)
    largest = float(gain.max(initial=0.0))
    if largest == 0.0:
        return Values.known(np.zeros(process.states))
    if aim.exact:
        return _exactly(process, rewards, aim)
    if aim.maximise or process.is_chain:
        return _largest(process, gain, largest, aim)
    found = _largest(process, largest - gain, largest, replace(aim, maximise=True))
    slack = 4 * 2.0**-53 * largest  # of the two subtractions
    lower = np.maximum(largest - found.upper - slack, 0.0)
    return Values(lower, largest - found.lower + slack, None, None, found.how)


def _classes(process: Model) -> tuple[Any, Bools, list[Any]]:
    """The end component of each state (-1: none), the choices in them, and their states."""
    from oddsmith.model import graph_kernels

    usable = np.ones(process.choices, bool)
    member = graph_kernels.end_components(process.choice, process.row, process.col, usable)
    inside = np.flatnonzero(member >= 0)
    order = inside[np.argsort(member[inside], kind="stable")]
    cuts = np.flatnonzero(np.diff(member[order])) + 1
    return member, usable, np.split(order, cuts) if len(order) else []


def _largest(process: Model, gain: Floats, largest: float, aim: Aim) -> Values:
    """The largest mean from every state."""
    from oddsmith.solve.process import longrun_kernels as kernels

    _, usable, groups = _classes(process)
    lower, upper = np.zeros(process.states), np.zeros(process.states)
    place = np.full(process.states, -1, np.int32)
    graph = (process.choice, process.row, process.col, process.chance.index, process.chance.values)
    for done, states in enumerate(groups):
        if done % 64 == 0:
            aim.progress.update("long-run means", done, len(groups))
        part = kernels.part(states, usable, *graph, gain, place)
        low, high = _mean(part, aim.tolerance / 4)
        lower[states], upper[states] = max(0.0, low), min(largest * (1 + 2.0**-50), high)
    members = np.zeros(process.states, bool)
    for states in groups:
        members[states] = True
    if process.is_chain:
        return terminal(process, members, lower, upper, aim)
    open_process = _with_exits(process, members)
    more = len(open_process.choice) - 1 - process.states
    stop = np.concatenate([np.zeros(process.states, bool), np.ones(more, bool)])
    pad = np.zeros(process.states)
    found = terminal(
        open_process, stop, np.concatenate([pad, lower[members]]),
        np.concatenate([pad, upper[members]]), replace(aim, picks=False),
    )  # fmt: skip
    return Values(found.lower[: process.states], found.upper[: process.states], how=found.how)


def _with_exits(process: Model, members: Bools) -> Model:
    """The process with one more choice in each member: to stop there, in a state of its own."""
    states = process.states
    extra = np.flatnonzero(members)
    counts = np.diff(process.choice) + members
    choice = np.concatenate([[0], np.cumsum(counts), np.zeros(len(extra), np.int64)])
    choice[states + 1 :] = choice[states] + np.arange(1, len(extra) + 1)
    lengths = np.diff(process.row)
    at = process.choice[1:][members]
    lengths = np.concatenate([np.insert(lengths, at, 1), np.ones(len(extra), np.int64)])
    row = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    edge = process.row[at]
    news = (states + np.arange(len(extra))).astype(np.int32)
    one = np.full(len(extra), len(process.chance.values), np.int32)
    col = np.concatenate([np.insert(process.col, edge, news), news])
    index = np.concatenate([np.insert(process.chance.index, edge, one), one])
    chance = Amounts(index.astype(np.int32), np.append(process.chance.values, 1.0))
    return replace(
        process, kind="mdp", choice=choice.astype(np.int64), row=row, col=col, chances=chance,
        labels={}, rewards={}, action=None, owner=None, players=(),
    )  # fmt: skip


def _mean(part: tuple[Any, ...], tolerance: float) -> tuple[float, float]:
    """Bounds on the best mean of an end component."""
    from oddsmith.solve.process import longrun_kernels as kernels

    rows = part[0]
    size = len(rows) - 1
    h = np.zeros(size)
    low, high = kernels.iterate(*part, h, tolerance, SWEEPS)
    if high - low <= tolerance * max(1.0, high):
        return low, high
    if len(part[1]) - 1 == size and size <= limits.LONG_RUN_LU:
        h = _bias(*part[1:])
        low, high = _meet((low, high), kernels.iterate(*part, h, tolerance, 2))
        if high - low <= tolerance * max(1.0, high):
            return low, high
    return _meet((low, high), kernels.iterate(*part, h, tolerance, PATIENT_SWEEPS))


def _meet(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return max(one[0], other[0]), min(one[1], other[1])


def _bias(row: Any, target: Any, chance: Any, earned: Floats) -> Floats:
    """h with h - P h + g = r and h(0) = 0, in a closed class of a chain.

    Where floating point takes the class for several, there is none to be found: nothing is known.
    """
    from oddsmith.solve.factors import factors

    size = len(earned)
    states, source = np.arange(size), np.repeat(np.arange(size), np.diff(row))
    other, moved = states > 0, target > 0  # the first column is that of g
    rows = np.concatenate((states, states[other], source[moved]))
    cols = np.concatenate((np.zeros(size, np.int64), states[other], target[moved]))
    values = np.concatenate((np.ones(size + size - 1), -chance[moved]))
    try:
        found: Floats = factors(rows, cols, values, size).solve(earned)
    except RuntimeError:  # exactly singular
        return np.zeros(size)
    found[0] = 0.0
    return found if bool(np.isfinite(found).all()) else np.zeros(size)


def _exactly(process: Model, rewards: Rewards, aim: Aim) -> Values:
    """Fractions, for chains: what a round trip to one state earns, over how long it takes."""
    from flint import fmpq

    from oddsmith.solve.exact.linear import solve_chain
    from oddsmith.solve.exact.rational import as_fraction, flint_fraction
    from oddsmith.solve.process.equations import choice_gains, rows_of

    if not process.is_chain:
        raise LimitError("Long-run averages with decisions are not computed as fractions.")
    rows, gain = rows_of(process), choice_gains(process, rewards)
    member, _, groups = _classes(process)
    worth = [Fraction(0)] * process.states
    for states in groups:
        home, *others = (int(s) for s in states)
        number = {s: i for i, s in enumerate(others)}
        chances = {
            s: [(number[t], flint_fraction(p)) for t, p in rows(s) if t != home]
            for s in (home, *others)
        }
        earned = {s: flint_fraction(gain[s]) for s in chances}
        ahead = solve_chain(
            [chances[s] for s in others], [[earned[s], fmpq(1)] for s in others], aim.progress
        )
        trip = [earned[home], fmpq(1)]
        for i, p in chances[home]:
            trip = [sum_ + p * value for sum_, value in zip(trip, ahead[i], strict=True)]
        mean = as_fraction((trip[0] / trip[1]).p, (trip[0] / trip[1]).q)
        for s in chances:
            worth[s] = mean
    floats = np.array([float(x) for x in worth])
    down, up = np.nextafter(floats, 0.0), np.nextafter(floats, np.inf)
    return terminal(process, member >= 0, np.maximum(down, 0.0), up, aim, worth)
