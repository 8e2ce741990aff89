"""From a board to its lattice: which games have one, where its numbers live, one forward sweep."""

from __future__ import annotations

import time
from contextlib import closing
from itertools import chain, count
from pathlib import Path
from typing import Any, TypeGuard

from oddsmith.errors import LimitError, MissingExtraError, OddsmithError, OptionError
from oddsmith.model.model import Model
from oddsmith.questions.settings import LATTICE_ENGINES, Settings, nothing_to_decide
from oddsmith.rules.board.game import Board
from oddsmith.rules.digest import rules_digest
from oddsmith.rules.game import Game
from oddsmith.runtime.interrupt import Interrupt
from oddsmith.solve.lattice.checkpoint import Checkpoint
from oddsmith.solve.lattice.first_passage import first_passage
from oddsmith.solve.lattice.found import Found
from oddsmith.solve.lattice.sweep import (
    Sums,
    Sweeper,
    can_deadlock,
    forward,
    sum_error,
    survival,
    turn_error,
)

SMALL = 1000
"""Up to so many states a board is solved exactly by the general engine."""
LARGE = 5 * 10**7
"""From so many numbers on a CUDA device is used where there is one."""
KEPT_AFTER = 10.0
"""Seconds of work from which on Ctrl-C leaves a checkpoint unasked."""


def is_chosen(subject: Game | Model, settings: Settings, small: int = SMALL) -> TypeGuard[Board]:
    """Whether the lattice answers; if not, what is said of a lattice alone is refused."""
    if settings.play is not None and isinstance(subject, Board):
        raise nothing_to_decide(subject)
    if _is_chosen(subject, settings, small):
        return True
    for name in ("checkpoint", "scratch"):
        if name == "checkpoint" and settings.method == "exact":  # of digits: see solve/exact
            continue
        if getattr(settings, name) is not None:
            raise OptionError(
                f"--{name} is for sweeps of a board's lattice, and this is answered without one: "
                f"leave it out, or ask for --engine lattice."
            )
    if settings.precision != "float64":
        raise OptionError(
            f"--precision {settings.precision} is for a board's lattice, and this is answered "
            f"without one: leave it out, or ask for --engine lattice."
        )
    return False


def _is_chosen(subject: Game | Model, settings: Settings, small: int) -> TypeGuard[Board]:
    """Whether it was asked for by name, or is the better engine for this board."""
    asked = settings.engine in LATTICE_ENGINES or settings.cluster is not None
    if settings.method == "exact" and settings.engine == "cuda" and settings.cluster is None:
        return False  # digits are lifted there, without a lattice
    if not isinstance(subject, Board) or subject.more_than_mover:
        if asked:
            raise OptionError(_refusal(subject))
        return False
    if asked:
        if settings.method == "exact":
            raise OptionError(
                "A lattice gives certified answers: exact ones take --engine auto or cuda."
            )
        if settings.method == "estimate":
            raise OptionError("This question is answered by solving: simulate gives estimates.")
        return True
    general = settings.engine != "auto" or settings.solver != "auto" or not settings.symmetry
    if general or settings.max_states is not None or settings.method in ("exact", "estimate"):
        return False
    return bool(subject.players * subject.track.size**subject.players > small)


def _refusal(subject: Any) -> str:
    if isinstance(subject, Board):
        why = subject.more_than_mover
    else:
        name = subject.name if isinstance(subject, Game) else "A model"
        return f"{name} is no board of squares, so it has no lattice: leave --engine out."
    return f"{subject.name} has no lattice, because {why}: leave --engine out."


def make_sweeper(game: Board, settings: Settings) -> Sweeper:
    """Where the numbers live: a cluster, a CUDA device, or the memory of this machine."""
    track, players, dtype = game.track, game.players, settings.precision
    if settings.cluster is not None:
        from oddsmith.solve.lattice.shards.sweeper import ShardedSweeper

        return ShardedSweeper(
            track, players, dtype, cluster=settings.cluster, scratch=settings.scratch
        )
    if settings.engine == "cuda":
        from oddsmith.solve.lattice.cuda.sweeper import CudaSweeper

        return CudaSweeper(track, players, dtype)
    if settings.engine == "auto" and track.size**players >= LARGE:
        from oddsmith.solve.lattice.cuda.sweeper import CudaSweeper

        try:
            return CudaSweeper(track, players, dtype)
        except (MissingExtraError, LimitError):
            pass
    from oddsmith.solve.lattice.cpu import CpuSweeper

    return CpuSweeper(track, players, dtype)


def find(game: Board, settings: Settings, *, visits: bool = False, whole: bool = False) -> Found:
    """One forward sweep; `whole` plays the tail too, so that every turn's chance is known."""
    alone = not game.track.interacts and settings.cluster is None and settings.engine != "cuda"
    if alone and settings.checkpoint is None and settings.precision == "float64":
        return first_passage(game.track, game.players, settings.tolerance, visits)
    sweeper = make_sweeper(game, settings)
    with closing(sweeper), Interrupt() as interrupt:
        return _sweep(game, settings, sweeper, interrupt, visits, whole)


def _sweep(
    game: Board, settings: Settings, sweeper: Sweeper, interrupt: Interrupt, visits: bool,
    whole: bool,
) -> Found:  # fmt: skip
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


def _found(game: Board, sweeper: Sweeper, sums: Sums, how: list[str], interrupted: bool) -> Found:
    track, players = game.track, game.players
    tail = f", tail deflated {sums.deflations} times" if sums.deflations else ""
    positions = f"{track.size}^{players} = {sweeper.size:,} numbers"
    how = [
        f"lattice: {positions} of {sweeper.dtype}, {sweeper.name}",
        *how,
        f"forward: {sums.turns:,} turns{tail}; {sums.left:.1e} left",
    ]
    return Found(
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
