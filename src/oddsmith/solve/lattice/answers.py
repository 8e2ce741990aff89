"""The questions, answered by a lattice."""

from __future__ import annotations

import time
from typing import Any

from oddsmith.errors import OptionError
from oddsmith.questions.settings import Settings
from oddsmith.results.answer import Answer
from oddsmith.results.distribution import quantiles
from oddsmith.results.evidence import Evidence, Method
from oddsmith.results.result import QUANTILES, Result
from oddsmith.results.visits import Visit
from oddsmith.rules.board.game import Board
from oddsmith.rules.digest import rules_digest
from oddsmith.runtime import memory
from oddsmith.solve.lattice.engine import find
from oddsmith.solve.lattice.solution import LatticeSolution
from oddsmith.solve.lattice.spread import moments
from oddsmith.solve.lattice.sweep import can_deadlock
from oddsmith.version import __version__


def odds(game: Board, settings: Settings) -> Result:
    """Every player's chance to win, a draw's, and the expected length."""
    began = time.perf_counter()
    found = find(game, settings)
    chance = _answers(found, settings)
    draw = chance(found.draw) if found.can_draw else Answer(0.0, 0.0, 0.0)
    return result(
        game, settings, began, found,
        win=tuple(chance(value) for value in found.win),
        draw=draw,
        duration=expected(found.length, found, settings),
    )  # fmt: skip


def _answers(found: LatticeSolution, settings: Settings) -> Any:
    """How a number of the sweep becomes an answer."""
    if settings.method == "float":
        return Answer
    return lambda value: Answer.within(value, found.bound, high=1.0)


def expected(value: float, found: LatticeSolution, settings: Settings) -> Answer:
    """An expected number of something, with its bounds if they are asked for."""
    if settings.method == "float":
        return Answer(value)
    return Answer.within(value, found.length_bound)


def result(
    game: Board, settings: Settings, began: float, found: LatticeSolution, **parts: Any
) -> Result:
    """A result with the lattice's evidence."""
    method: Method = "float" if settings.method == "float" else "certified"
    how = list(found.how)
    if method == "certified" and found.bound > settings.tolerance and not found.interrupted:
        how[-1] += f"; ± {found.bound:.1e}, more than the {settings.tolerance:.0e} asked for"
    evidence = Evidence(
        method=method,
        how=tuple(how),
        numbers=found.numbers,
        seconds=time.perf_counter() - began,
        peak_memory_mb=memory.peak_mb(),
        version=__version__,
        digest=rules_digest(game),
        interrupted=found.interrupted,
    )
    return Result(game.key(), game.name, game.players, game.described, evidence, **parts)


def counts_turns(game: Board, turns: bool) -> bool:
    """Whether the lattice, which plays turn by turn, knows the distribution that is asked for."""
    dead = can_deadlock(game.track, game.players)
    return not dead and (turns or not game.track.rests)


COUNTED = "turns without a throw are counted too"


def length(game: Board, settings: Settings, turns: bool, tail: float) -> Result:
    """The distribution of the length, in throws where every turn has one, or in turns."""
    began = time.perf_counter()
    if not counts_turns(game, turns):
        draws = can_deadlock(game.track, game.players)
        why = "can end in a deadlock" if draws else "has turns without a throw"
        advice = "" if draws else "add --turns to count them, or "
        raise OptionError(
            f"{game.name} {why}, and a lattice knows the turns of games that are won: {advice}"
            f"let the general engine explore its states with --engine compiled."
        )
    finer = Settings(**{**vars(settings), "tolerance": min(settings.tolerance, tail)})
    found = find(game, finer, whole=True)
    found.how += [COUNTED] * turns
    mean = expected(found.turns_length if turns else found.length, found, settings)
    chances = tuple((turn, chance) for turn, chance in enumerate(found.ended, start=1) if chance)
    spread = moments(mean, chances, found.left, found.turn_bound, found.step_error, found.sum_error)
    return result(
        game, settings, began, found,
        **spread.parts(),
        distribution=chances,
        quantiles=quantiles(chances, QUANTILES, found.off, found.bound),
        unresolved=found.bound,
        off=found.off,
    )  # fmt: skip


def visits(game: Board, settings: Settings, player: int) -> Result:
    """How often the player's token arrives at each place."""
    began = time.perf_counter()
    track = game.track
    within = (track.target >= 0) & (track.source != track.target)
    within &= track.square[track.source] == track.square[track.target]
    if within.any():
        raise OptionError(
            f"{game.name} lets a token move from a square into its own waiting room, which a "
            f"lattice would count as an arrival: use --engine compiled."
        )
    found = find(game, settings, visits=True)
    times: dict[str, float] = {}
    for position, arrived in zip(track.codes, found.visits[player - 1], strict=True):
        place = game.place(int(position))
        begins = 1.0 if position == game.begin else 0.0
        times[place] = times.get(place, 0.0) + float(arrived) + begins
    times[game.place(game.goal)] = found.win[player - 1]
    rows = tuple(
        Visit(place, None, expected(value, found, settings)) for place, value in times.items()
    )
    return result(game, settings, began, found, visits=rows)
