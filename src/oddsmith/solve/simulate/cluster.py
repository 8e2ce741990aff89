"""Simulation on a cluster: the same games as one process plays, by all workers.

A game depends on the seed and its number, or on those of its batch, alone. So it does not matter
which worker plays which games, nor how often: tallies are whole numbers, and their sum is the
same, bit for bit. Games that a dying worker takes with it are played again by another.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from oddsmith.errors import OddsmithError, OptionError
from oddsmith.rules.board.game import Board
from oddsmith.rules.game import Game
from oddsmith.rules.loading import class_in_file, file_of
from oddsmith.runtime.cluster import Cluster
from oddsmith.solve.simulate import run
from oddsmith.solve.simulate.board import UNLIMITED, in_turn, jobs
from oddsmith.solve.simulate.run import BATCH, Tally, new_tally

MOST = 1 << 20
"""The most games a task."""
AHEAD = 3
"""Tasks in work for each thread of a worker."""


@dataclass(frozen=True)
class Sitting:
    """All that a worker must know to play any of the games."""

    name: str
    game: bytes
    """The game, or its class and options, pickled."""
    file: str
    """The file of its rules, if that is a person's own."""
    seed: int
    engine: str
    max_moves: int


class ClusterTable:
    """Games played by the workers of a cluster, in place of a table of this process."""

    round = UNLIMITED

    def __init__(self, table: Any, game: Game, seed: int, max_moves: int, where: str) -> None:
        self.look = table.look
        self.how, engine = table.how.split(", on ")[0], engine_of(table)
        table.close()
        self.sitting = Sitting(game.name, pickled(game), file_of(game), seed, engine, max_moves)
        self.cluster = Cluster(where)
        try:
            workers = self.cluster.ask_workers()
        except BaseException:
            self.cluster.close()
            raise
        self.threads = sum(worker.threads for worker in workers.values())
        plural = "" if len(workers) == 1 else "s"
        self.how += f", on {len(workers)} worker{plural} of a cluster ({where})"

    def play(self, first: int, games: int) -> Iterator[Tally]:
        """Play games first, first + 1, …; tallies in order."""
        tasks = jobs(first, games, BATCH, MOST, BATCH)
        futures = (self.cluster.submit(play_some, self.sitting, *task) for task in tasks)
        for future in in_turn(futures, AHEAD * self.threads):
            yield self.cluster.results([future])[0]

    def close(self) -> None:
        """Let the workers go."""
        self.cluster.close()


def engine_of(table: Any) -> str:
    """The engine that plays the same games as a table does."""
    found = {
        "BoardTable": "board",
        "CompiledTable": "compiled",
        "InterpretedTable": "interpreted",
    }.get(type(table).__name__)
    if found is None:
        table.close()
        raise OptionError("A cluster plays on the cores of its workers: choose the engine auto.")
    return found


def pickled(game: Game) -> bytes:
    """A game as workers get it."""
    try:
        return pickle.dumps(game if isinstance(game, Board) else (type(game), game.options))
    except (pickle.PicklingError, AttributeError, TypeError):
        raise _foreign(game.name) from None


def _foreign(name: str) -> OddsmithError:
    return OddsmithError(
        f"The workers of the cluster cannot load the rules of {name}: its file must be in the same "
        f"place on every worker, and its class on the top level of a module."
    )


# Run by workers --------------------------------------------------------------------------------

_tables: dict[Sitting, Any] = {}
_lock = threading.Lock()


def play_some(sitting: Sitting, first: int, games: int) -> Tally:
    """Play games first, first + 1, … in this thread."""
    table = _table_for(sitting)
    if sitting.engine == "board":
        found: Tally = table.play_some(first, games)
        return found
    if sitting.engine == "compiled":
        tallies = (table.play_one(batch, size) for batch, size in run.batches(first, games))
    else:
        tallies = table.play(first, games)
    total: Tally | None = None
    for tally in tallies:
        total = total or new_tally(len(tally.wins) - 1)
        total.add(tally)
    assert total is not None
    return total


def _table_for(sitting: Sitting) -> Any:
    """A table for a sitting, set up once a process; only the latest is kept."""
    with _lock:
        if sitting not in _tables:
            _tables.clear()
            _tables[sitting] = _new_table(sitting)
        return _tables[sitting]


def _new_table(sitting: Sitting) -> Any:
    try:
        if sitting.file:
            class_in_file(sitting.file)
        game = pickle.loads(sitting.game)
        if isinstance(game, tuple):
            game = game[0](**game[1])
    except (ImportError, AttributeError, OptionError):
        raise _foreign(sitting.name) from None
    return run._table(game, 1, sitting.seed, sitting.engine, sitting.max_moves)
