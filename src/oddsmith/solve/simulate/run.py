"""Simulation: batches of games on all cores, tallied into estimates.

Chances get the interval of Clopper and Pearson, which holds what it claims; expected lengths and
scores get Student's, which is approximate (`statistics.py`). Batches have fixed sizes and streams
of their own, so the answer depends on the seed and the number of games only, not on the number of
cores or on the engine. Boards on which a turn changes only the mover's token are played from tables
(`board.py`), where every game has a stream of its own.
"""

from __future__ import annotations

import os
import signal
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from oddsmith.errors import NotCompilable, OptionError
from oddsmith.model.model import ROUNDED, Model
from oddsmith.model.opened import refuse_without_wins
from oddsmith.questions import door, limits
from oddsmith.questions.case import why_no_lattice
from oddsmith.questions.choice import by_name, choose
from oddsmith.results.answer import Answer
from oddsmith.results.distribution import sample_quantile
from oddsmith.results.evidence import Evidence
from oddsmith.results.lengths import Moments
from oddsmith.results.offers import Offer
from oddsmith.results.result import QUANTILES, Result
from oddsmith.rules import interpret
from oddsmith.rules.digest import rules_digest
from oddsmith.rules.game import Game, check_game
from oddsmith.rules.layout import Layout, layout_of
from oddsmith.runtime import memory
from oddsmith.runtime.progress import Progress, Silent
from oddsmith.solve.simulate import play
from oddsmith.solve.simulate.statistics import (
    CHANCES,
    MEANS,
    Looks,
    chance,
    mean_interval,
    root,
    spread_of_sums,
    variance_interval,
)
from oddsmith.version import __version__

BATCH = 1024
"""Games a stream."""

ROUND = 16
"""Batches played before the interval is looked at for the first time."""

HISTOGRAM = 1 << 14
"""Lengths from here on are counted together."""

Engine = Literal["auto", "interpreted", "compiled", "board", "cuda"]
ENGINES = ("auto", "interpreted", "compiled", "board", "cuda")


@door.question
def simulate(
    subject: Game | Model,
    *,
    games: int | None = None,
    half_width: float | None = None,
    confidence: float = 0.95,
    seed: int = 1,
    engine: Engine = "auto",
    max_moves: int = 1_000_000,
    cluster: str | None = None,
    play: Any = None,
    progress: Progress | None = None,
) -> Result:
    """Play a game many times: the share of games each player wins, and how long they last.

    Plays `games` games (100,000 if neither is given), or until every chance is known to within
    `half_width` at the given confidence. Ctrl-C ends it early with the games played so far.
    The `engine` plays the game's rules, `interpreted` or `compiled`, or the tables of a board on
    which a turn changes only the mover's token, on all cores (`board`) or on a graphics card
    (`cuda`); the first two play the same games, and so do the others. `auto` plays by tables
    where it can, on the cores. Where players decide, `play` says how they do, as for `odds`:
    optimally, unless it is given. With a `cluster`, "local" or the address of a Dask scheduler, the
    same games are played by its workers.

    >>> from oddsmith import game, simulate
    >>> result = simulate(game("coin-race"), games=2000, seed=7)
    >>> result.win[0].lower < 16 / 27 < result.win[0].upper
    True
    """
    if isinstance(subject, Model):
        subject = subject.opened()
        refuse_without_wins(subject)
    game = subject.origin if isinstance(subject, Model) else check_game(subject)
    _check(games, half_width, confidence, seed, engine, max_moves)
    began = time.perf_counter()
    progress = progress or Silent()
    limit = games if games is not None else 100_000 if half_width is None else 10**12
    tally = new_tally(game.players)
    from oddsmith.solve.simulate import decisions

    on_rows = isinstance(subject, Model) and not isinstance(game, Game)
    if on_rows or play is not None or decisions.has_decisions(game):
        if cluster is not None:
            raise OptionError("Games between policies are played on this machine, not a cluster.")
        table = decisions.decision_table(subject, play, limit, seed, engine, max_moves, progress)
    else:
        table = _table(game, limit, seed, engine, max_moves)
    if cluster is not None:
        from oddsmith.solve.simulate.cluster import ClusterTable

        table = ClusterTable(table, game, seed, max_moves, cluster)
    error = 1 - confidence
    interrupted = False
    try:
        try:
            last = _play(table, tally, limit, half_width, error, progress)
        except NotCompilable as reason:  # found late: from the beginning, by the interpreter
            table.close()
            table = _table(game, limit, seed, engine, max_moves, str(reason))
            tally = new_tally(game.players)
            last = _play(table, tally, limit, half_width, error, progress)
    except _StoppedEarly as stopped:
        interrupted, last = True, stopped.error
    finally:
        table.close()
    found = _result(game, tally, table, last, confidence, seed, began, interrupted)
    if not isinstance(subject, Model):
        return found
    said = (*subject.notes, *([ROUNDED] if subject.rounded else []))
    return replace(found, evidence=replace(found.evidence, how=(*found.evidence.how, *said)))


def _check(
    games: int | None,
    half_width: float | None,
    confidence: float,
    seed: int,
    engine: str,
    max_moves: int,
) -> None:
    if engine not in ENGINES:
        raise OptionError(f"There is no engine {engine!r}: choose one of {', '.join(ENGINES)}.")
    if games is not None and not isinstance(games, int):
        raise OptionError(f"The number of games must be a whole number, not {games!r}.")
    if games is not None and games < 1:
        raise OptionError(f"The number of games must be positive, not {games}.")
    if half_width is not None and not 0 < half_width < 0.5:
        raise OptionError(f"The half-width must be between 0 and 0.5, not {half_width}.")
    if not 0 < confidence < 1:
        raise OptionError(f"The confidence must be between 0 and 1, not {confidence}.")
    if seed < 0:
        raise OptionError(f"The seed must not be negative, as {seed} is.")
    if max_moves < 1:
        raise OptionError(f"The most moves of a game must be positive, not {max_moves}.")


@dataclass
class Tally:
    """What has been counted so far."""

    wins: Any
    """Games won by each player, then games drawn."""
    lengths: Any
    sums: Any = field(default_factory=lambda: np.zeros(2, np.int64))
    games: int = 0
    scores: Any = None
    """Sum and sum of squares of each player's score (players × 2)."""

    def __post_init__(self) -> None:
        if self.scores is None:  # boards have none
            self.scores = np.zeros((len(self.wins) - 1, 2))

    def add(self, other: Tally) -> None:
        """Add the games of another tally."""
        self.wins += other.wins
        self.lengths += other.lengths
        self.sums += other.sums
        self.games += other.games
        self.scores += other.scores

    def chances(self, error: float) -> list[Answer]:
        """The chances of each player, and of a draw."""
        return [chance(int(w), 0, self.games, error) for w in self.wins]

    def half_width(self, error: float) -> float:
        """The widest half of an interval of a chance."""
        ends = ((one.lower, one.upper) for one in self.chances(error))
        return max((high - low) / 2 for low, high in ends if low is not None and high is not None)

    def length(self, confidence: float) -> Moments:
        """Of the length; of variance and root, with intervals if every length was counted.

        One game has no variance.
        """
        total, squares = (int(sum_) for sum_ in self.sums)
        mean = self._mean(total, squares, confidence)
        if self.games < 2:
            return Moments(mean)
        variance = spread_of_sums(self.games, total, squares)
        seen = np.nonzero(self.lengths)[0]
        fourth = None
        if not self.lengths[-1]:
            far = (seen - total / self.games) ** 4
            fourth = float((far * self.lengths[seen]).sum()) / self.games
        found = variance_interval(variance, fourth, self.games, confidence)
        return Moments(mean, found, root(found))

    def score(self, confidence: float) -> tuple[Answer, ...]:
        """The expected score of each player."""
        return tuple(self._mean(float(a), float(b), confidence) for a, b in self.scores)

    def _mean(self, total: float, squares: float, confidence: float) -> Answer:
        variance = spread_of_sums(self.games, total, squares)
        return mean_interval(total / self.games, variance, self.games, confidence)


def new_tally(players: int) -> Tally:
    """Nothing counted yet."""
    wins, lengths = np.zeros(players + 1, np.int64), np.zeros(HISTOGRAM, np.int64)
    return Tally(wins, lengths)


def _play(
    table: Any, tally: Tally, limit: int, half_width: float | None, error: float, progress: Progress
) -> float:
    """Play on all cores, tally by tally, until enough is known; the error of the last look.

    How many are played between two looks at the intervals depends on counts only, never on the
    clock, so that the same seed always stops after the same number of games.
    """
    began, last = time.perf_counter(), error
    looks = Looks(half_width, error, table.look, BATCH)
    try:
        for until, last in looks:
            while tally.games < min(until, limit):
                ahead = min(max(table.look, tally.games), until - tally.games)
                ahead = ahead if half_width else table.round
                for played in table.play(tally.games, min(ahead, limit - tally.games)):
                    tally.add(played)
                    rate = tally.games / (time.perf_counter() - began)
                    facts = f"± {tally.half_width(last):.1e}, {rate:,.0f} games/s"
                    progress.update("playing", tally.games, None if half_width else limit, facts)
            if tally.games >= limit or half_width is None or tally.half_width(last) <= half_width:
                break
    except KeyboardInterrupt:
        if not tally.games:
            raise
        raise _StoppedEarly(last) from None
    return last


class _StoppedEarly(Exception):  # noqa: N818 - a wish, not an accident
    """Ctrl-C after some games; the look that was to come had this error."""

    def __init__(self, error: float) -> None:
        super().__init__()
        self.error = error


def _table(
    game: Game, limit: int, seed: int, engine: str, max_moves: int, why_not: str = ""
) -> Any:
    """Where the games are played; `why_not` is why the rules cannot be compiled, once known."""
    from oddsmith.model.explore_interpreted import Interpreted
    from oddsmith.solve.simulate import board

    few = limit <= limits.FEW_GAMES
    taken = choose("simulate", _offers(game, few, engine, why_not)).engine
    if taken in ("cuda", "board"):
        return board.make_table(game, seed, engine, max_moves)
    start = interpret.first_state(game)
    layout = layout_of(game, start)
    if taken == "interpreted":
        how = f"interpreted, some 100 times slower than compiled: {why_not}"
        how = how if why_not else "interpreted"
        return InterpretedTable(game, layout, limit, seed, max_moves, how)
    from oddsmith.model.compiled import steps_of
    from oddsmith.solve.simulate.compiled_table import CompiledTable

    search = Interpreted(game, layout, start, False, None, Silent())
    search.run(0)
    try:
        steps = steps_of(game, layout)
        table = CompiledTable(game, steps, steps.layout, seed, max_moves)
        table.compile()
        return table
    except NotCompilable as reason:
        return _table(game, limit, seed, engine, max_moves, str(reason))


def _offers(game: Game, few: bool, engine: str, why_not: str) -> list[Offer]:
    """Who could play the games of a game without decisions."""
    from oddsmith.solve.simulate import board

    no_tables = why_no_lattice(game) or board.refusal(game)
    offers = [
        Offer("cuda", why_not=no_tables),
        Offer("board", why_not=no_tables, because="the tables of a board say all of its rules"),
        Offer("compiled", why_not=why_not, because="rules are played some 100 times faster"),
        Offer("interpreted", because="the rules cannot be compiled"),
    ]
    if engine == "auto":
        offers[0] = replace(offers[0], rather="" if no_tables else "only where it is asked for")
        if few:
            said = f"no more than {limits.FEW_GAMES:,} games: compiling would take longer"
            offers[2] = replace(offers[2], rather=said)
            offers[3] = replace(offers[3], because=said)
        return offers
    refusal = f"{game.name} cannot be compiled: {why_not}."
    if engine != "compiled":
        name = f"{game.name} cannot be played by the engine {engine!r}"
        refusal = f"{name}: {no_tables}; choose auto."
    return [
        replace(each, why_not="", refusal=refusal if each.why_not else "")
        if each.engine == engine
        else each
        for each in by_name(engine, offers)
    ]


def batches(first: int, games: int) -> list[tuple[int, int]]:
    """The batches (number, size) of games first, first + 1, …, where a batch begins."""
    return [
        (start // BATCH, min(BATCH, first + games - start))
        for start in range(first, first + games, BATCH)
    ]


class InterpretedTable:
    """Batches by the interpreter, a process a core where the system can fork."""

    look = round = ROUND * BATCH

    def __init__(
        self,
        game: Game,
        layout: Layout | str,
        limit: int,
        seed: int,
        max_moves: int,
        how: str,
        policies: tuple[Any, ...] = (),
    ) -> None:
        self.arguments = (game, layout, seed, max_moves, policies)
        self.cores = os.cpu_count() or 1
        self.pool: ProcessPoolExecutor | None = None
        self.how = how
        if hasattr(os, "fork") and self.cores > 1 and limit > limits.FEW_GAMES:
            import multiprocessing

            global _shared
            _shared = self.arguments  # a forked child inherits it: nothing need be pickled
            context = multiprocessing.get_context("fork")
            self.pool = ProcessPoolExecutor(self.cores, mp_context=context)
            self.how += f", on {self.cores} cores"

    def play(self, first: int, games: int) -> Iterator[Tally]:
        """Play games first, first + 1, … in batches; tallies in order."""
        jobs_to_do = batches(first, games)
        if self.pool is None:
            for batch, size in jobs_to_do:
                yield play_interpreted(self.arguments, batch, size)
            return
        with warnings.catch_warnings():
            # Python 3.12 warns of a fork beside threads; the children only interpret rules.
            warnings.simplefilter("ignore", DeprecationWarning)
            with _deaf_children():
                jobs = [self.pool.submit(_play_shared, batch, size) for batch, size in jobs_to_do]
        for job in jobs:
            yield job.result()

    def close(self) -> None:
        """Stop."""
        if self.pool is not None:
            self.pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes forked here do not hear Ctrl-C: it is for this one, which ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


_shared: Any = None


def _play_shared(batch: int, games: int) -> Tally:
    return play_interpreted(_shared, batch, games)


def play_interpreted(arguments: Any, batch: int, games: int) -> Tally:
    """Play one batch by the interpreter."""
    game, layout, seed, max_moves, policies = arguments
    return tally_of(game, play.play_batch(game, layout, games, seed, batch, max_moves, policies))


def tally_of(game: Game, played: list[tuple[int, int, Any]]) -> Tally:
    """The tally of games that ended so: winner bits, length, last state."""
    tally = new_tally(game.players)
    for winners, length, state in played:
        if game.has_score:
            for player, score in enumerate(interpret.scores(game, state)):
                tally.scores[player] += (score, score * score)
        if winners == 0:
            tally.wins[-1] += 1
        for player in range(game.players):
            tally.wins[player] += winners >> player & 1
        tally.lengths[min(length, HISTOGRAM - 1)] += 1
        tally.sums += (length, length * length)
    tally.games = len(played)
    return tally


def _result(
    game: Game,
    tally: Tally,
    table: Any,
    error: float,
    confidence: float,
    seed: int,
    began: float,
    interrupted: bool,
) -> Result:
    chances = tally.chances(error)
    seen = np.nonzero(tally.lengths[:-1])[0]  # the last counts all games of at least so many moves
    counts = [(int(k), int(tally.lengths[k])) for k in seen]
    evidence = Evidence(
        method="estimate",
        how=(f"played: {table.how}", _claim(confidence, game.has_score)),
        seconds=time.perf_counter() - began,
        peak_memory_mb=memory.peak_mb(),
        version=__version__,
        digest=rules_digest(game),
        seed=seed,
        games=tally.games,
        interrupted=interrupted,
    )
    return Result(
        game.key(),
        game.name,
        game.players,
        game.described,
        evidence,
        win=tuple(chances[:-1]),
        draw=chances[-1],
        **tally.length(confidence).parts(),
        score=tally.score(confidence) if game.has_score else (),
        distribution=tuple((k, count / tally.games) for k, count in counts),
        quantiles={level: sample_quantile(counts, tally.games, level) for level in QUANTILES},
        unresolved=int(tally.lengths[-1]) / tally.games,
        several_winners=int(tally.wins.sum()) > tally.games,
    )


def _claim(confidence: float, scores: bool) -> str:
    """What is said of the intervals."""
    means = "lengths and scores" if scores else "lengths"
    return f"{100 * confidence:.6g}% confidence intervals ({CHANCES}; of {means} {MEANS})"
