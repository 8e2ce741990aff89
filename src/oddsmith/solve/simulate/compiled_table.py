"""Batches of games by compiled rules, a thread a core; some of them are played twice.

Compiled rules play the same games as the interpreter does (`play.py`). So in one of `SAMPLED`
batches, the first among them, the first games are played by both (`AGAIN` of them, of long games
the first `MOVES` moves of one), and compared: who won, how long they were, where the last of them
ended. The sample grows with the number of games and costs a per cent.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from functools import partial
from typing import Any

import numpy as np

from oddsmith.errors import NotCompilable
from oddsmith.model.replay import row_of_rules
from oddsmith.model.step.steps import Steps
from oddsmith.results import contradiction
from oddsmith.rules import interpret
from oddsmith.rules.game import Game
from oddsmith.rules.layout import Layout
from oddsmith.runtime.watch import INTERVAL, Workers
from oddsmith.solve.simulate import play, run
from oddsmith.solve.simulate.stream import Stream, seed_of_batch

SAMPLED = 64
"""One of so many batches is looked at."""

AGAIN, MOVES = 8, 20_000
"""So many games of it are played again, or one game for so many moves."""


class CompiledTable:
    """Batches by the compiled kernel, a thread a core."""

    look = round = run.ROUND * run.BATCH

    def __init__(self, game: Game, steps: Steps, layout: Layout, seed: int, max_moves: int) -> None:
        self.game, self.steps, self.layout = game, steps, layout
        self.seed, self.max_moves = seed, max_moves
        self.start = np.array(layout.row(interpret.first_state(game)), np.int64)
        self.counts = np.array([int(a.counts) for a in game.actions], np.int64)
        self.workers = Workers()
        self.current = self.start
        self.how = f"compiled, on {self.workers.count} cores"

    def compile(self) -> None:
        """Compile the kernel, or load it from the cache, by playing no game."""
        tally, last = run.new_tally(self.game.players), self.start.copy()
        self._call(tally, last, 0, 0, 0)

    def _call(self, tally: run.Tally, last: Any, batch: int, games: int, max_moves: int) -> Any:
        from oddsmith.solve.simulate import kernels

        dice = self.steps.tables
        return kernels.play_batch(
            self.steps.table, games, seed_of_batch(self.seed, batch), self.start,
            self.game.players, self.counts, max_moves, dice.faces, dice.cumulative,
            dice.start, dice.total, self.layout.low, self.layout.radix,
            self.game.has_score, tally.wins, tally.lengths, tally.sums, tally.scores, last,
            self.workers.signals,
        )  # fmt: skip

    def play(self, first: int, games: int) -> Iterator[run.Tally]:
        """Play games first, first + 1, … in batches; tallies in order."""
        batches = run.batches(first, games)
        jobs = [self.workers.submit(partial(self.play_one, *batch)) for batch in batches]
        for (batch, size), job in zip(batches, jobs, strict=True):
            tally = self._patiently(job)
            if batch % SAMPLED == 0:
                self._compare(batch, min(size, AGAIN), int(tally.sums[0]) // size)
            yield tally

    def _patiently(self, job: Future[run.Tally]) -> run.Tally:
        """The result of a job; an error if no move is finished for too long."""
        moves, since, signals = 0.0, time.monotonic(), self.workers.signals
        while True:
            try:
                return job.result(timeout=INTERVAL)
            except FutureTimeout:
                if signals[1] != moves or moves == 0:  # nothing counts while it compiles
                    moves, since = float(signals[1]), time.monotonic()
                elif time.monotonic() - since > interpret.RULE_SECONDS:
                    state = self.layout.state(self.current)
                    raise interpret.loops_for_ever(self.game, state) from None

    def play_one(self, batch: int, games: int) -> run.Tally:
        """Play one batch."""
        return self._played(batch, games, self.max_moves)[0]

    def _played(self, batch: int, games: int, max_moves: int) -> tuple[run.Tally, Any]:
        """The tally of the first games of a batch, and the row of the last state.

        With fewer moves than a game may take, a game that is cut off is not counted.
        """
        from oddsmith.solve.simulate import kernels

        tally = run.new_tally(self.game.players)
        last = self.current = self.start.copy()
        reason = self._call(tally, last, batch, games, max_moves)
        cut_off = reason == kernels.TOO_LONG and max_moves < self.max_moves
        if reason != kernels.DONE and not cut_off:
            self._raise(reason, self.layout.state(last), "a number beyond 64 bits")
        tally.games = games
        return tally, last

    def _compare(self, batch: int, games: int, length: int) -> None:
        """Play the first games of a batch by both; no number if they are not the same games."""
        most = self.max_moves
        if games * length > MOVES:
            games, most = 1, min(MOVES, self.max_moves)
        stream = Stream(self.seed, batch)
        start = interpret.first_state(self.game)
        played = [play.moves(self.game, self.layout, start, stream, most) for _ in range(games)]
        if self._is_same(batch, played, most):
            return
        count = next(n for n in range(1, games + 1) if not self._is_same(batch, played[:n], most))
        ended = self.layout.state(self._played(batch, count, most)[1])
        by_python = played[count - 1]
        contradiction.refuse(
            f"the compiled rules of {self.game.name} do not play as they do in Python: game "
            f"{count} of batch {batch} with seed {self.seed} ends in {ended!r}, and by Python in "
            f"{by_python[2]!r} after {by_python[1]} moves",
            {"seed": self.seed, "batch": batch, "game": count},
        )

    def _is_same(self, batch: int, played: list[tuple[int, int, Any]], most: int) -> bool:
        """Whether compiled rules play these games too."""
        tally, last = self._played(batch, len(played), most)
        ended = [game for game in played if game[0] != interpret.GOES_ON]
        expected = run.tally_of(self.game, ended)
        return self.layout.state(last) == played[-1][2] and all(
            np.array_equal(getattr(tally, name), getattr(expected, name))
            for name in ("wins", "lengths", "sums", "scores")
        )

    def _raise(self, reason: int, state: Any, why: str) -> None:
        from oddsmith.solve.simulate import kernels

        if reason == kernels.STOPPED:
            raise KeyboardInterrupt
        if reason == kernels.DECISION:
            raise play.decision(self.game, state)
        if reason == kernels.TOO_LONG:
            raise play.too_long(self.game, self.max_moves, state)
        row_of_rules(self.game, self.layout, state, symmetric=False)  # raises what is wrong
        raise NotCompilable(f"{why or 'an error'} in {state!r}")

    def close(self) -> None:
        """Stop."""
        self.workers.close()
