"""How long a game lasts: the whole distribution, not just its mean.

The distribution is played forward, one counted move at a time: probability mass moves along the
transitions, mass that reaches an end is the chance of that length. Moves that do not count (a
rest) are played at once. What has not ended bounds the tail. In a mover-relative chain seats do
not matter for the length, so the quotient is enough.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from typing import Any, TypeGuard

import numpy as np

from oddsmith.errors import OddsmithError, OptionError
from oddsmith.model.model import Model
from oddsmith.progress import Progress
from oddsmith.result import QUANTILES, Answer, Result, quantile
from oddsmith.rules.board import Board
from oddsmith.rules.game import Game
from oddsmith.solve.chain import UNIT, Chain
from oddsmith.solve.exact_length import MOST_UNASKED, exact_distribution
from oddsmith.solve.generating import generating_function as generating_function_of
from oddsmith.solve.lattice import answers as lattice_answers
from oddsmith.solve.lattice import engine as lattice
from oddsmith.solve.lattice import throws
from oddsmith.solve.lattice.sweep import EndlessLattice
from oddsmith.solve.odds import answers_of, exact_way
from oddsmith.solve.question import Asked, ask
from oddsmith.solve.settings import Settings
from oddsmith.solve.sweeps import forward

COUNTED = "turns without a throw are counted too"

MOST_STATES = 30_000_000
"""Boards with more are not explored for the distribution of their length."""

FREE_MOVES = 100_000
"""Passes over moves that do not count before they are taken never to end."""


def length(
    subject: Game | Model,
    *,
    tail: float = 1e-12,
    turns: bool = False,
    horizon: int | None = None,
    generating_function: bool = False,
    **settings: Any,
) -> Result:
    """The distribution of a game's length, its quantiles and its mean.

    The distribution ends where less than `tail` of the probability is left. With `turns`, moves
    that do not count (a turn spent resting) are counted too. Other keywords are those of
    `Settings`; they concern the mean.

    With `method="exact"` the chances of lengths up to the `horizon` are fractions as well, in
    `exact_distribution`, and quantiles within it are decided in fractions; unless said otherwise
    it is far enough for them. `generating_function` asks for the whole distribution as one
    fraction of polynomials. Both imply exact.

    >>> from oddsmith import game, length
    >>> result = length(game("coin-race"))
    >>> result.quantiles, result.distribution[:2]
    ({0.05: 3, 0.5: 5, 0.95: 10}, ((3, 0.25), (4, 0.1875)))
    >>> exact = length(game("coin-race"), horizon=5, generating_function=True)
    >>> print(exact.exact_distribution[5], exact.exact_distribution.left)
    3/16 3/8
    >>> print(exact.generating_function)
    (4z^3 - z^4) / (16 - 16z + 4z^3 - z^4)
    """
    if not 0 < tail < 1:
        raise OptionError(f"The tail must be between 0 and 1, such as 1e-12, not {tail}.")
    if horizon is not None and horizon < 0:
        raise OptionError(f"The horizon is a number of moves, 0 or more, not {horizon}.")
    wanted = Settings(**settings)
    if horizon is not None or generating_function:
        if wanted.method not in ("auto", "exact"):
            what = "a horizon" if horizon is not None else "a generating function"
            raise OptionError(f"There is {what} for exact answers only, not {wanted.method} ones.")
        wanted.method = "exact"
    if _by_lattice(subject, wanted, turns):
        with suppress(EndlessLattice):
            if _written_out(subject, wanted, turns):
                return throws.length(subject, wanted, tail)
            return lattice_answers.length(subject, wanted, turns, tail, [COUNTED] if turns else [])
        wanted.engine = "auto"
    asked = ask(subject, wanted)
    counting = []
    if turns:
        asked.chain = asked.chain.counting_all()
        counting.append(COUNTED)
    function = generating_function_of(asked.chain, wanted.progress) if generating_function else None
    if asked.method == "exact":
        mean, how = _exact_mean(asked)
    else:
        visits = forward(asked.chain, wanted.tolerance, wanted.solver, wanted.progress)
        answers, how = answers_of(visits, asked)
        mean = answers[-1]
    chances, left = _distribution(asked.chain, tail, wanted.progress)
    degree = int(np.diff(asked.chain.row).max(initial=1))
    unresolved = left * (1 + 1e-9) + len(chances) * (degree + 4) * UNIT
    found = tuple((k, float(p)) for k, p in enumerate(chances) if p > 0)
    note = f"distribution to length {len(chances) - 1:,}, {unresolved:.1e} unresolved"
    result = asked.result(
        [how, *counting, note],
        duration=mean,
        distribution=found,
        quantiles={level: quantile(found, level) for level in QUANTILES},
        unresolved=unresolved,
    )
    if wanted.method != "exact":
        return result
    result = _in_fractions(result, asked, horizon)
    return replace(result, generating_function=function)


def _exact_mean(asked: Asked) -> tuple[Answer, str]:
    """The expected length as a fraction."""
    from oddsmith.solve.exact.values import start_values, totals_of

    chain = asked.chain
    moves = (totals_of(chain) * chain.length.astype(np.int64))[:, None]
    nothing = np.zeros((chain.model.states, 1), np.int64)
    (mean,), reports = start_values(
        chain, nothing, moves, exact_way(asked.settings, asked.model.game)
    )
    how = "; ".join(str(report) for report in reports)
    return Answer.of_fraction(mean), how or "known at once"


def _in_fractions(result: Result, asked: Asked, horizon: int | None) -> Result:
    """The result with its distribution in fractions, and with quantiles that they decide."""
    chain, progress = asked.chain, asked.settings.progress
    if horizon is None:
        horizon = min(MOST_UNASKED, max(result.quantiles.values()) + 1)
    exact = exact_distribution(chain, horizon, progress)
    decided = {level: exact.quantile(level) for level in result.quantiles}
    quantiles = {k: at if at is not None else result.quantiles[k] for k, at in decided.items()}
    beyond = [f"{level:.0%}" for level, at in decided.items() if at is None]
    notes = [f"lengths to {horizon:,} in fractions"]
    if beyond:
        notes[0] += f"; beyond that floats, also for the quantile of {', '.join(beyond)}"
    evidence = replace(
        result.evidence,
        how=(*result.evidence.how, *notes),
        seconds=time.perf_counter() - asked.began,
    )
    return replace(result, evidence=evidence, quantiles=quantiles, exact_distribution=exact)


def _by_lattice(subject: Game | Model, wanted: Settings, turns: bool) -> TypeGuard[Board]:
    """Whether a lattice answers: it counts turns, so only where those are what is asked for."""
    if not lattice.is_chosen(subject, wanted):
        return False
    asked = wanted.engine != "auto" or wanted.cluster is not None
    large = subject.players * subject.track.size**subject.players > MOST_STATES
    counted = lattice_answers.counts_turns(subject, turns)
    return asked or large or counted or _written_out(subject, wanted, turns)


def _written_out(board: Board, wanted: Settings, turns: bool) -> bool:
    """Whether the chain is written out to count throws: the lattice counts turns."""
    plain = wanted.engine == "auto" and wanted.cluster is None and wanted.precision == "float64"
    counted = turns or lattice_answers.counts_turns(board, turns)
    return plain and wanted.checkpoint is None and not counted and throws.fits(board)


def _distribution(chain: Chain, tail: float, progress: Progress) -> tuple[list[float], float]:
    """The chance of each length 0, 1, 2, …, and the mass that is left."""
    from oddsmith.solve import kernels

    start = int(chain.place[chain.model.start])
    if start < 0:
        return [1.0], 0.0
    now, later = np.zeros(chain.size), np.zeros(chain.size)
    now[start] = 1.0
    source = np.repeat(np.arange(chain.size), np.diff(chain.row))
    inside = np.bincount(source, chain.weight, minlength=chain.size)
    free = np.nonzero(chain.length == 0)[0]
    chances: list[float] = []
    left = 1.0

    def advance(counted: bool) -> float:
        return float(
            kernels.advance(
                chain.row, chain.col, chain.weight, chain.total, inside, chain.length,
                now, later, counted,
            )
        )  # fmt: skip

    ended = 0.0
    while True:
        for _ in range(FREE_MOVES):
            if len(free) == 0 or now[free].sum() <= tail * 1e-6:
                break
            ended += advance(counted=False)
        else:
            raise OddsmithError(
                f"{chain.model.game.name} can play moves that do not count almost without end: "
                f"let them count to have a length."
            )
        chances.append(ended)
        left = float(now.sum())
        if left <= tail:
            return chances, left
        ended = advance(counted=True)
        now, later = later, now
        now += later  # free moves that were left too small to matter stay
        later[:] = 0.0
        if len(chances) % 16 == 0:
            done, of = -np.log10(left), -np.log10(tail)
            progress.update("playing forward", done, of, f"{len(chances)} moves, {left:.1e} left")
