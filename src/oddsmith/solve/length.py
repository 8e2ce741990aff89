"""How long a game lasts: the whole distribution, not just its mean.

The distribution is played forward, one counted move at a time: probability mass moves along the
transitions, mass that reaches an end is the chance of that length. Moves that do not count (a
rest) are played at once. What has not ended bounds the tail. In a mover-relative chain seats do
not matter for the length, so the quotient is enough.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, TypeGuard

import numpy as np

from oddsmith.errors import OddsmithError, OptionError
from oddsmith.model.model import Model
from oddsmith.progress import Progress
from oddsmith.result import QUANTILES, Result, quantile
from oddsmith.rules.board import Board
from oddsmith.rules.game import Game
from oddsmith.solve.chain import UNIT, Chain
from oddsmith.solve.lattice import answers as lattice_answers
from oddsmith.solve.lattice import engine as lattice
from oddsmith.solve.lattice.sweep import EndlessLattice
from oddsmith.solve.odds import answers_of, exact_odds
from oddsmith.solve.question import ask
from oddsmith.solve.settings import Settings
from oddsmith.solve.sweeps import forward

COUNTED = "turns without a throw are counted too"

MOST_STATES = 30_000_000
"""Boards with more are not explored for the distribution of their length."""

FREE_MOVES = 100_000
"""Passes over moves that do not count before they are taken never to end."""


def length(
    subject: Game | Model, *, tail: float = 1e-12, turns: bool = False, **settings: Any
) -> Result:
    """The distribution of a game's length, its quantiles and its mean.

    The distribution ends where less than `tail` of the probability is left. With `turns`, moves
    that do not count (a turn spent resting) are counted too. Other keywords are those of
    `Settings`; they concern the mean.

    >>> from oddsmith import game, length
    >>> result = length(game("coin-race"))
    >>> result.quantiles, result.distribution[:2]
    ({0.05: 3, 0.5: 5, 0.95: 10}, ((3, 0.25), (4, 0.1875)))
    """
    if not 0 < tail < 1:
        raise OptionError(f"The tail must be between 0 and 1, such as 1e-12, not {tail}.")
    wanted = Settings(**settings)
    if _by_lattice(subject, wanted, turns):
        with suppress(EndlessLattice):
            return lattice_answers.length(subject, wanted, turns, tail, [COUNTED] if turns else [])
        wanted.engine = "auto"
    asked = ask(subject, wanted)
    counting = []
    if turns:
        asked.chain = asked.chain.counting_all()
        counting.append(COUNTED)
    if asked.method == "exact":
        _, _, mean, how = exact_odds(asked)
    else:
        visits = forward(asked.chain, wanted.tolerance, wanted.solver, wanted.progress)
        answers, how = answers_of(visits, asked)
        mean = answers[-1]
    chances, left = _distribution(asked.chain, tail, wanted.progress)
    degree = int(np.diff(asked.chain.row).max(initial=1))
    unresolved = left * (1 + 1e-9) + len(chances) * (degree + 4) * UNIT
    found = tuple((k, float(p)) for k, p in enumerate(chances) if p > 0)
    quantiles = {level: quantile(found, level) for level in QUANTILES}
    note = f"distribution to length {len(chances) - 1:,}, {unresolved:.1e} unresolved"
    return asked.result(
        [how, *counting, note],
        duration=mean,
        distribution=found,
        quantiles=quantiles,
        unresolved=unresolved,
    )


def _by_lattice(subject: Game | Model, wanted: Settings, turns: bool) -> TypeGuard[Board]:
    """Whether a lattice answers: it counts turns, so only where those are what is asked for."""
    if not lattice.is_chosen(subject, wanted):
        return False
    asked = wanted.engine != "auto" or wanted.cluster is not None
    large = subject.players * subject.track.size**subject.players > MOST_STATES
    return asked or large or lattice_answers.counts_turns(subject, turns)


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
