"""From a board to its lattice: which games have one, where its numbers live, one forward sweep."""

from __future__ import annotations

import time
from contextlib import closing
from itertools import chain, count
from pathlib import Path

from oddsmith.errors import LimitError, MissingExtraError, OddsmithError
from oddsmith.questions import limits
from oddsmith.questions.choice import by_name, choose
from oddsmith.questions.settings import Settings
from oddsmith.results.offers import Offer
from oddsmith.rules.board.game import Board
from oddsmith.rules.digest import rules_digest
from oddsmith.runtime.interrupt import Interrupt
from oddsmith.solve.lattice.checkpoint import Checkpoint
from oddsmith.solve.lattice.first_passage import first_passage
from oddsmith.solve.lattice.solution import LatticeSolution
from oddsmith.solve.lattice.sweep import (
    Sums,
    Sweeper,
    can_deadlock,
    forward,
    sum_error,
    survival,
    turn_error,
)

KEPT_AFTER = 10.0
"""Seconds of work from which on Ctrl-C leaves a checkpoint unasked."""


def make_sweeper(game: Board, settings: Settings) -> Sweeper:
    """Where the numbers live: a cluster, a CUDA device, or the memory of this machine."""
    track, players, dtype = game.track, game.players, settings.precision
    taken = choose("lattice", _offers(game, settings)).engine
    if settings.cluster is not None:
        from oddsmith.solve.lattice.shards.sweeper import ShardedSweeper

        return ShardedSweeper(
            track, players, dtype, cluster=settings.cluster, scratch=settings.scratch
        )
    if taken == "cuda":
        from oddsmith.solve.lattice.cuda.sweeper import CudaSweeper

        try:
            return CudaSweeper(track, players, dtype)
        except (MissingExtraError, LimitError) as error:
            if settings.engine == "cuda":
                raise
            choose("lattice", _offers(game, settings, str(error)))
    from oddsmith.solve.lattice.cpu import CpuSweeper

    return CpuSweeper(track, players, dtype)


def _offers(game: Board, settings: Settings, why_not: str = "") -> list[Offer]:
    """Where the numbers of a lattice could be; `why_not` is why there is no device."""
    few = f"fewer than {limits.CUDA_NUMBERS:,} numbers"
    large = game.track.size**game.players >= limits.CUDA_NUMBERS
    offers = [
        Offer("cluster", rather="only where it is asked for"),
        Offer("cuda", why_not=why_not, rather="" if large else few, because=f"no {few}"),
        Offer("processor", because=why_not or few),
    ]
    if settings.cluster is not None:
        return by_name("cluster", offers, f"--cluster {settings.cluster} was asked for")
    if settings.engine == "auto":
        return offers
    named = {"lattice": "processor"}.get(settings.engine, settings.engine)
    return by_name(named, offers, f"--engine {settings.engine} was asked for")


def one_is_enough(game: Board, settings: Settings) -> bool:
    """Whether tokens do not disturb each other, and nothing is asked of the sweeps themselves."""
    here = settings.cluster is None and settings.engine != "cuda"
    plain = here and settings.checkpoint is None and settings.precision == "float64"
    return plain and not game.track.interacts


def find(
    game: Board, settings: Settings, *, visits: bool = False, whole: bool = False
) -> LatticeSolution:
    """One forward sweep; `whole` plays the tail too, so that every turn's chance is known."""
    if one_is_enough(game, settings):
        alone = Offer("first passage", because="tokens do not disturb each other: one is enough")
        choose("lattice", [alone, *_offers(game, settings)])
        return first_passage(game.track, game.players, settings.tolerance, visits)
    sweeper = make_sweeper(game, settings)
    with closing(sweeper), Interrupt() as interrupt:
        return _sweep(game, settings, sweeper, interrupt, visits, whole)


def _sweep(
    game: Board, settings: Settings, sweeper: Sweeper, interrupt: Interrupt, visits: bool,
    whole: bool,
) -> LatticeSolution:  # fmt: skip
    began = time.monotonic()
    question = " visits" * visits + " whole" * whole
    path = settings.checkpoint or _unused_path(f"{game.key()}-{game.players}")
    checkpoint = Checkpoint(path, rules_digest(game) + question)
    if settings.checkpoint:
        checkpoint.prepare()
    how = []
    if settings.checkpoint and checkpoint.exists():
        sums = checkpoint.read(sweeper)
        how.append(f"went on from {path}, sealed by you, at turn {sums.turns:,}")
    else:
        bound = survival(sweeper, settings.progress, interrupt)
        sweeper.place_start()
        sums = Sums.begin(game.track, game.players, visits)
        sums.turn_bound = bound
    save = (lambda sums: checkpoint.now_and_then(sweeper, sums)) if settings.checkpoint else None
    forward(
        sweeper, sums, settings.tolerance, settings.progress, interrupt,
        accelerate=not whole, save=save,
    )  # fmt: skip
    if interrupt and (settings.checkpoint or time.monotonic() - began > KEPT_AFTER):
        how.append(_kept(checkpoint, sweeper, sums))
    elif not interrupt and settings.checkpoint:
        checkpoint.remove()
    if checkpoint.trouble:
        how.append(checkpoint.trouble)
    return _found(game, sweeper, sums, how, bool(interrupt))


def _unused_path(name: str) -> str:
    """A file for a checkpoint nobody asked for: one from earlier may be hours ahead."""
    names = chain([name], (f"{name}-{n}" for n in count(2)))
    return next(f"{n}.checkpoint" for n in names if not Path(f"{n}.checkpoint").exists())


def _kept(checkpoint: Checkpoint, sweeper: Sweeper, sums: Sums) -> str:
    try:
        checkpoint.write(sweeper, sums)
    except OddsmithError as error:
        return str(error)
    path = checkpoint.path
    return f"kept in {path}: the same command with --checkpoint {path} goes on"


def _found(
    game: Board, sweeper: Sweeper, sums: Sums, how: list[str], interrupted: bool
) -> LatticeSolution:
    track, players = game.track, game.players
    tail = f", tail deflated {sums.deflations} times" if sums.deflations else ""
    positions = f"{track.size}^{players} = {sweeper.size:,} numbers"
    how = [
        f"lattice: {positions} of {sweeper.dtype}, {sweeper.name}",
        *how,
        f"forward: {sums.turns:,} turns{tail}; {sums.left:.1e} left",
    ]
    return LatticeSolution(
        win=[total.value for total in sums.win],
        draw=sums.draw.value,
        can_draw=can_deadlock(track, players),
        length=sums.threw.value,
        turns_length=sums.threw.value + sums.rested.value,
        turns=sums.turns,
        left=sums.left,
        bound=sums.bound(sweeper),
        off=sums.rounding(sweeper) * (1 + 1e-9),
        length_bound=sums.length_bound(sweeper),
        turn_bound=sums.turn_bound,
        step_error=turn_error(sweeper),
        sum_error=sum_error(sweeper),
        ended=sums.ended,
        visits=sums.visits,
        numbers=sweeper.size,
        how=how,
        interrupted=interrupted,
    )
