"""Fast play of boards on which a turn changes only the mover's token.

All there is to know about such a board is its `Track`; here it becomes small tables that the
kernels of `board_kernels.py` (all cores) and `board_cuda.py` (a graphics card) read, whatever the
game and its number of players.

Random numbers are Philox4x32-10 (J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, Parallel
random numbers: as easy as 1, 2, 3, SC'11). It has no state: block b of game g is a function of the
counter (g mod 2³², g div 2³², b, 0) and of the key, the seed. The four words of blocks 0, 1, 2, …
are the game's stream, so that a game does not depend on who plays it or when, and the tally of
games 0 to n - 1 is the same, bit for bit, on any number of cores and on any device.

A throw is a number below the track's total T, each equally likely: of a word w the upper half of
w T, unless the lower half is less than 2³² mod T, when the next word is taken instead (D. Lemire,
ACM TOMACS 29 (2019), article 3). The numbers are dealt out to the entries of the mover's position
in their order, to each as many as its weight.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, TypeVar, cast

import numpy as np

from oddsmith.rules.board.game import Board
from oddsmith.rules.board.track import ANY, FINISH, Track
from oddsmith.rules.game import Game
from oddsmith.runtime.watch import Workers
from oddsmith.solve.simulate import play
from oddsmith.solve.simulate.run import Tally, new_tally

F = TypeVar("F")

WORD = 32
MASK = (1 << WORD) - 1

MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
KEY_STEPS = 0x9E3779B9, 0xBB67AE85
ROUNDS = 10
"""The constants of Philox4x32-10."""

LARGE_TOTAL, LARGE_TABLE = 1 << 12, 1 << 22
"""Beyond this, entries are found by bisection, not in a table of all numbers below the total."""

FIELD = 20
"""Bits of a position or square in an entry of the table that the kernel reads."""

LEAST, MOST = 1 << 10, 1 << 16
"""Games a job of the kernel."""

FIRST_LOOK = 1 << 18
"""Games played before the interval is looked at for the first time."""

UNLIMITED = 1 << 62


def key_of(seed: int) -> tuple[int, int]:
    """The key of a seed: its 64 bits; of a longer one, 64 bits mixed from all of it."""
    if seed >> 64:
        seed = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0])
    return seed & MASK, seed >> WORD


def refusal(game: Game) -> str:
    """Why this module cannot play a board that has a lattice; empty if it can."""
    track = cast(Board, game).track
    if track.total > 1 << WORD:
        return f"a throw has {track.total:,} equally likely outcomes, more than 32 bits can draw"
    if track.size >= (1 << FIELD) - 2:
        return f"the board has {track.size:,} positions"
    return ""


@dataclass(frozen=True, eq=False)
class Tables:
    """A track for kernels.

    Positions are numbered anew: those that throw, from `first_hold` on those that throw only in
    company, from `first_room` on the waiting rooms; the number after the last is the finish.
    A waiting room has one entry, whatever is thrown: where its token goes.
    """

    codes: Any
    """The board's number of each position."""
    square: Any
    squares: int
    start: int
    first_hold: int
    first_room: int
    finish: int
    total: int
    row: Any
    """The entries of position p are those from row[p] to row[p + 1] - 1."""
    last: Any
    """The last of the numbers below the total that choose an entry."""
    target: Any
    tested: Any
    """Entries; the finish is the last position + 1, no tested square is `nowhere`."""

    @property
    def nowhere(self) -> int:
        """A square on which no token ever stands."""
        return self.squares

    @property
    def away(self) -> int:
        """The square of the finish."""
        return self.squares + 1

    @property
    def least(self) -> int:
        """A word is drawn again if the lower half of its product with the total is less."""
        return (1 << WORD) % self.total

    @cached_property
    def direct(self) -> bool:
        """Whether a table of all numbers below the total is small enough."""
        return self.total <= LARGE_TOTAL and self.total * self.finish <= LARGE_TABLE

    @cached_property
    def expanded(self) -> Any:
        """The entry of each position and number: all positions' numbers, one after the other."""
        numbers, first = np.diff(self.last, prepend=-1), self.row[:-1]
        numbers[first] = self.last[first] + 1
        return np.repeat(np.arange(len(self.target)), numbers)

    def packed(self, field: int, dtype: Any) -> Any:
        """Entries as numbers: target, its square and the tested square, each of so many bits."""
        squares = np.append(self.square, self.away)
        parts = (self.target, squares[self.target], self.tested)
        entries = sum(part.astype(dtype) << dtype(i * field) for i, part in enumerate(parts))
        return (entries[self.expanded] if self.direct else entries).astype(dtype)

    def state(self, game: Board, positions: Any, turns: int) -> Any:
        """The game's own state after so many turns."""
        return game.State(tuple(int(self.codes[p]) for p in positions), turns % game.players)


def tables_of(track: Track) -> Tables:
    """The tables of a track."""
    kind = np.where(track.rest >= 0, 2, track.hold)
    order = np.argsort(kind, kind="stable")
    number = np.empty(track.size + 1, np.int64)
    number[order] = np.arange(track.size)
    number[FINISH] = track.size
    rooms = np.nonzero(track.rest >= 0)[0]
    source = number[np.append(track.source, rooms)]
    target = number[np.append(track.target, track.rest[rooms])]
    tested = np.append(track.tested, np.full(len(rooms), ANY))
    weight = np.append(track.weight, np.full(len(rooms), track.total))
    by_source = np.argsort(source, kind="stable")
    upto = np.cumsum(weight[by_source]) - 1 - source[by_source] * track.total
    return Tables(
        codes=track.codes[order],
        square=track.square[order],
        squares=track.squares,
        start=int(number[track.start]),
        first_hold=int((kind == 0).sum()),
        first_room=int((kind <= 1).sum()),
        finish=track.size,
        total=track.total,
        row=np.searchsorted(source[by_source], np.arange(track.size + 1)),
        last=upto,
        target=target[by_source],
        tested=np.where(tested == ANY, track.squares, tested)[by_source],
    )


class BoardTable:
    """Games by the kernel for boards, a thread a core."""

    look, round = FIRST_LOOK, UNLIMITED

    def __init__(self, game: Board, seed: int, max_moves: int) -> None:
        self.game, self.key, self.max_moves = game, key_of(seed), max_moves
        self.tables = tables_of(game.track)
        self.arrays = kernel_arrays(self.tables)
        self.workers = Workers()
        self.how = f"board kernel, on {self.workers.count} cores"

    def play(self, first: int, games: int) -> Iterator[Tally]:
        """Play games first, first + 1, …; tallies in order."""
        work = (partial(self.play_some, *job) for job in jobs(first, games, LEAST, MOST))
        for job in in_turn(map(self.workers.submit, work), 2 * self.workers.count):
            yield job.result()

    def play_some(self, first: int, games: int) -> Tally:
        """Play some games in this thread."""
        from oddsmith.solve.simulate import board_kernels

        tally = new_tally(self.game.players)
        last = np.zeros(self.game.players, np.int64)
        reason = board_kernels.play_games(
            np.uint64(first), np.uint64(games), np.uint32(self.key[0]), np.uint32(self.key[1]),
            self.game.players, self.max_moves, *self.arrays,
            tally.wins, tally.lengths, tally.sums, last, self.workers.signals,
        )  # fmt: skip
        if reason == board_kernels.STOPPED:
            raise KeyboardInterrupt
        if reason == board_kernels.TOO_LONG:
            state = self.tables.state(self.game, last, self.max_moves)
            raise play.too_long(self.game, self.max_moves, state)
        tally.games = games
        return tally

    def close(self) -> None:
        """Stop."""
        self.workers.close()


def kernel_arrays(tables: Tables) -> tuple[Any, ...]:
    """What the kernel wants to know about a board."""
    start = tables.start | int(tables.square[tables.start]) << FIELD
    return (
        tables.packed(FIELD, np.uint64),
        tables.last.astype(np.uint32),
        tables.row.astype(np.uint64),
        tables.direct,
        np.uint64(start),
        np.uint64(tables.first_hold),
        np.uint64(tables.first_room),
        np.uint64(tables.finish),
        tables.squares,
        np.uint64(tables.total),
        np.uint32(tables.least),
    )


def jobs(first: int, games: int, least: int, most: int, unit: int = 1) -> Iterator[tuple[int, int]]:
    """Games first, first + 1, … in jobs (first game, games): small ones at first, then larger.

    A job is a sixteenth of the games before it, in whole units, so that those lost to Ctrl-C are
    few.

    >>> list(jobs(0, 2500, 1024, 1 << 20, 1024)), list(jobs(1 << 16, 5000, 1024, 1 << 20, 1024))
    ([(0, 1024), (1024, 1024), (2048, 452)], [(65536, 4096), (69632, 904)])
    """
    end = first + games
    while first < end:
        size = min(end - first, most, max(least, first // 16 // unit * unit))
        yield first, size
        first += size


def in_turn(futures: Iterable[F], ahead: int) -> Iterator[F]:
    """Futures in their order, no more than so many of them in work ahead of who waits."""
    waiting: deque[F] = deque()
    for future in futures:
        waiting.append(future)
        if len(waiting) > ahead:
            yield waiting.popleft()
    yield from waiting


def make_table(game: Game, seed: int, engine: str, max_moves: int) -> Any:
    """Where the games of a board are played."""
    board = cast(Board, game)
    if engine == "cuda":
        from oddsmith.solve.simulate.board_cuda import CudaTable

        return CudaTable(board, seed, max_moves)
    table = BoardTable(board, seed, max_moves)
    table.play_some(0, 0)
    return table
