"""How a solve converges: the bounds that each method has proved after so much work.

All methods solve y = e + Pᵀ y, the expected visits of every live state (see `chain.py`). Let
r = e - (I - Pᵀ) y be the residual of what a method has so far. The chance of an outcome is then
off by the sum of r(s) V(s) with every V(s) in [0, 1]: the truth lies in an interval whose width
is the sum of |r(s)|. That is what is compared, computed afresh from y with a bound on its own
rounding, so it holds whatever the method did.

**Turn by turn.** Fixed-point iteration, y ← e + Pᵀ y from zero, is play itself: after k products
r is the distribution of games that still go on after k turns. What has been won by then is a lower
bound of every chance, and all that goes on might yet be won: their sum is an upper bound. Numbers
are added and multiplied, never subtracted, so rounding is relative, and the bounds are widened by
it.

Work is counted in products with the matrix: each touches every transition once, and so does a
sweep of Gauss–Seidel. A Krylov method is stopped after so many products and asked what it has
(running it again from the start is the simplest way to look).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddsmith.errors import LimitError
from oddsmith.model.model import Model
from oddsmith.questions import limits
from oddsmith.questions.settings import Settings
from oddsmith.rules.game import Game
from oddsmith.runtime.progress import Progress
from oddsmith.solve import krylov
from oddsmith.solve.chain import Chain, Floats, boundary
from oddsmith.solve.direct import NAMES
from oddsmith.solve.engines.graph import Prepared, prepare
from oddsmith.solve.rounding import UNIT
from oddsmith.solve.sweeps import measure

GOAL = 1e-12
"""The width at which a chance is taken as known."""

SETTLED = 1e-3
"""Turns are followed until fewer games than this still go on."""

MOST_TURNS = 2_000


@dataclass(frozen=True, eq=False)
class Course:
    """One method: the width of the bounds after so many products with the matrix."""

    method: str
    products: Any
    width: Any


@dataclass(frozen=True, eq=False)
class Convergence:
    """How the chances of all outcomes become known; see the module's docstring."""

    outcomes: tuple[str, ...]
    turns: Any
    low: Floats
    """Turns × outcomes."""
    high: Floats
    courses: tuple[Course, ...]
    states: int
    transitions: int
    notes: tuple[str, ...] = ()


def convergence(
    subject: Game | Model,
    *,
    play: Any = None,
    endless: Any = "error",
    most_states: int = limits.CONVERGENCE_STATES,
    progress: Progress,
) -> Convergence:
    """How the chances of a game become known, turn by turn and by each method.

    >>> from oddsmith import game
    >>> from oddsmith.runtime.progress import Silent
    >>> race = convergence(game("coin-race"), progress=Silent())
    >>> bool((race.low[:, 0] < 16 / 27).all() and (race.high[:, 0] > 16 / 27).all())
    True
    """
    settings = Settings(method="float", play=play, endless=endless, progress=progress)
    prepared = prepare(subject, settings)
    size = prepared.model.full_states
    if size > most_states:
        raise LimitError(
            f"{prepared.model.name} has {size:,} states: convergence is looked at up to "
            f"{most_states:,}. Take fewer players, or options that make it smaller."
        )
    chain = prepared.chain.unfolded()
    turns, low, high = _turn_by_turn(chain)
    courses = []
    methods = _methods(chain)
    for number, (method, run) in enumerate(methods.items()):
        progress.update("convergence", number, len(methods), method)
        courses.append(_course(chain, method, run))
    return Convergence(
        _outcome_names(prepared, chain),
        turns,
        low,
        high,
        tuple(courses),
        chain.size,
        len(chain.col),
        prepared.notes,
    )


def _outcome_names(prepared: Prepared, chain: Chain) -> tuple[str, ...]:
    players = len(prepared.model.players)
    named = [f"player {p + 1} wins" for p in range(players)]
    if (chain.outcome == 0).any():
        named.append("draw" if players > 1 else "player 1 loses")
    return tuple(named)


def _matrix(chain: Chain) -> Any:
    """Pᵀ on live states: play goes forward by multiplying with it."""
    from scipy.sparse import csr_array

    source = np.repeat(np.arange(chain.size), np.diff(chain.row))
    chance = chain.weight / chain.total[source]
    return csr_array((chance, (chain.col, source)), shape=(chain.size, chain.size))


def _turn_by_turn(chain: Chain) -> tuple[Any, Floats, Floats]:
    """Lower and upper bounds of every outcome after 0, 1, 2, … turns."""
    players = len(chain.model.players)
    ends = [(chain.outcome > 0) & (chain.outcome >> p & 1 == 1) for p in range(players)]
    if (chain.outcome == 0).any():
        ends.append(chain.outcome == 0)
    earned = boundary(chain, np.column_stack(ends).astype(np.float64))
    forward, going_on = _matrix(chain), chain.start_vector()[:, 0]
    steps = int(np.diff(forward.indptr).max(initial=0)) + 3
    won, low, high = np.zeros(earned.shape[1]), [], []
    for turn in range(MOST_TURNS + 1):
        left = float(going_on.sum())
        rounding = 2 * UNIT * (turn * steps + chain.size)
        low.append(won * (1 - rounding))
        high.append(np.minimum((won + left) * (1 + rounding), 1.0))
        if left <= SETTLED:
            break
        won = won + going_on @ earned
        going_on = forward @ going_on
    return np.arange(len(low)), np.array(low), np.array(high)


Run = Callable[[], Iterator[tuple[int, Floats]]]
"""A method at work: from time to time, the products made and the y it would give then."""


def _methods(chain: Chain) -> dict[str, Run]:
    forward, start = _matrix(chain), chain.start_vector()[:, 0]
    methods: dict[str, Run] = {
        "fixed-point iteration": lambda: _repeated(lambda y: start + forward @ y, start),
        "Gauss–Seidel": lambda: _repeated(_sweep(forward, start), start),
    }
    for name, method in krylov.KRYLOV.items():
        if chain.size > limits.CONVERGENCE_KRYLOV:
            break
        called = NAMES[name]  # type: ignore[index]
        methods[called] = lambda method=method: _stopped(method, forward, start)  # type: ignore[misc]
    return methods


def _looks(growth: float) -> Iterator[int]:
    """After how many products to look: 1, 2, 3, … and then ever more rarely."""
    k = 1
    while True:
        yield k
        k = max(k + 1, int(k * growth))


def _repeated(improve: Callable[[Floats], Floats], start: Floats) -> Iterator[tuple[int, Floats]]:
    y, done = np.zeros_like(start), 0
    for k in _looks(1.1):
        while done < k:
            y, done = improve(y), done + 1
        yield k, y


def _sweep(forward: Any, start: Floats) -> Callable[[Floats], Floats]:
    """One sweep of Gauss–Seidel in the order of places: new numbers are used at once."""
    from scipy.sparse import eye_array, tril, triu
    from scipy.sparse.linalg import splu

    system = eye_array(len(start)) - forward
    # The factors of a triangular matrix, in its own order, are itself: solving is substitution.
    lower = splu(tril(system).tocsc(), permc_spec="NATURAL", diag_pivot_thresh=0.0)
    upper = triu(system, 1).tocsr()
    return lambda y: np.asarray(lower.solve(start - upper @ y))


def _stopped(method: Any, forward: Any, start: Floats) -> Iterator[tuple[int, Floats]]:
    for k in _looks(1.35):
        found = method(lambda v: v - forward @ v, start, tolerance=1e-15, max_iterations=k)
        yield min(k, found.iterations), found.x
        if found.converged or found.iterations < k - 2:  # it has given up
            return


def _course(chain: Chain, method: str, run: Run) -> Course:
    """Follow a method until chances are known, its work is spent, or it gets no further."""
    most = limits.CONVERGENCE_WORK / max(1, len(chain.col))
    start = chain.start_vector()
    products, width = [0], [1.0]
    for k, y in run():
        if k == products[-1]:  # it could do nothing with what it was given more
            continue
        bound = measure(chain, np.ascontiguousarray(y).reshape(-1, 1), start).bound
        products.append(k)
        width.append(min(bound, 1.0))
        # What it has long had is all that rounding lets it have.
        stuck = len(width) > 8 and width[-1] < 1e-9 and min(width[-4:]) > 0.9 * min(width[:-4])
        if bound <= GOAL or k > most or stuck:
            break
    return Course(method, np.array(products), np.array(width))
