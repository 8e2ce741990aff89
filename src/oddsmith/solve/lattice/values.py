"""The value of every position of a lattice, by sweeps backward.

V(s), the chance that a player wins from s, is the limit of v <- T v + (chance to win in the
turn), T a turn backward, from v = 0: after k turns v is the chance to win within them, so
v <= V <= v + a, where a(s) is the chance that the game is not over after k turns, which the same
sweep from ones without a reward gives. Rounding of a turn, at most (t + 4) u, is carried on with
the chance to survive, so in all by at most (t + 4) u times the bound U on the number of turns
from any position (see sweep.py); expected lengths, at most U, are off by U times as much.

Players differ by their seat only, so values are computed for the turn of the first player; with
another one to move the table is turned.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from typing import Any

import numpy as np

from oddsmith.errors import OptionError
from oddsmith.questions.settings import Settings
from oddsmith.results.answer import Answer
from oddsmith.results.result import Result
from oddsmith.results.states import StateValues
from oddsmith.rules.board.game import Board
from oddsmith.runtime import memory
from oddsmith.runtime.interrupt import Interrupt
from oddsmith.solve.lattice.answers import result
from oddsmith.solve.lattice.engine import make_sweeper
from oddsmith.solve.lattice.solution import LatticeSolution
from oddsmith.solve.lattice.sweep import UNIT, Sweeper, deadlocks, survival


class LatticeStates(Sequence[Any]):
    """All positions of a lattice with the first player to move, as states of the game."""

    def __init__(self, game: Board) -> None:
        self.game, self.codes = game, game.track.codes
        self.number = {int(code): i for i, code in enumerate(self.codes)}

    def __len__(self) -> int:
        return int(len(self.codes) ** self.game.players)

    def __getitem__(self, index: Any) -> Any:
        if not 0 <= index < len(self):
            raise IndexError(index)
        places = []
        for _ in range(self.game.players):
            index, digit = divmod(int(index), len(self.codes))
            places.append(int(self.codes[digit]))
        return self.game.State(tuple(reversed(places)), 0)

    def index_of(self, positions: Sequence[int]) -> int:
        """The place of the positions, given from the mover on."""
        found = 0
        for position in positions:
            found = found * len(self.codes) + self.number[position]
        return found


class LatticeValues(StateValues):
    """Values of a lattice; a state with another player to move is looked up as seen from there."""

    def __getitem__(self, state: Any) -> dict[str, Answer]:
        game, turn = self.states.game, state.turn
        players = game.players
        if (winner := game.winner(state)) is not None:
            known = {name: Answer(0.0, 0.0, 0.0) for name in self.columns}
            return known | {f"win {winner + 1}": Answer(1.0, 1.0, 1.0)}
        try:
            seen = self.states.index_of(state.positions[turn:] + state.positions[:turn])
        except KeyError:
            raise KeyError(state) from None
        found = self.answers(seen)
        turned = {f"win {(p + turn) % players + 1}": found[f"win {p + 1}"] for p in range(players)}
        ordered = {name: turned[name] for name in sorted(turned, key=lambda n: int(n[4:]))}
        return {**ordered, "draw": found["draw"], "length": found["length"]}


def values(game: Board, settings: Settings) -> Result:
    """The odds from every position."""
    if settings.checkpoint is not None:
        raise OptionError("The values of all positions have no checkpoint: leave it out.")
    began = time.perf_counter()
    players, track = game.players, game.track
    numbers = track.size**players
    memory.require(
        8 * numbers * (players + 3), f"Values of {numbers:,} positions", "use odds instead"
    )
    sweeper = make_sweeper(game, settings)
    with closing(sweeper), Interrupt() as interrupt:
        bound = survival(sweeper, settings.progress, interrupt)
        rounds, alive = _enough_rounds(sweeper, settings, interrupt)
        table = np.empty((numbers, players + 2))
        for column in range(players):
            _sweep(sweeper, rounds, column, settings, interrupt)
            table[:, column] = sweeper.read(0, numbers)
        _sweep(sweeper, rounds, -1, settings, interrupt)
        table[:, players + 1] = sweeper.read(0, numbers)
    error = np.zeros(players + 2)
    error[:-1] = alive + (track.terms + 4) * UNIT[settings.precision] * bound
    error[-1] = error[0] * bound
    dead = deadlocks(track, players)
    table[:, players] = np.maximum(0.0, 1.0 - table[:, :players].sum(axis=1)) if len(dead) else 0.0
    error[players] = (players + 1) * error[0] if len(dead) else 0.0
    columns = (*(f"win {p + 1}" for p in range(players)), "draw", "length")
    states = LatticeStates(game)
    shown = np.broadcast_to(error if settings.method != "float" else np.inf, table.shape)
    how = [
        f"lattice: {track.size}^{players} = {numbers:,} numbers of {settings.precision}, "
        f"{sweeper.name}",
        f"backward: {rounds * players:,} turns, {alive:.1e} not over; for the first player's turn",
    ]
    found = LatticeSolution([], bound=float(error[0]), numbers=numbers, how=how)
    return result(game, settings, began, found, values=LatticeValues(states, columns, table, shown))


def _enough_rounds(sweeper: Sweeper, settings: Settings, interrupt: Interrupt) -> tuple[int, float]:
    """Rounds after which no position has more than the tolerance left, and how much it has."""
    sweeper.fill(1.0)
    sweeper.take(deadlocks(sweeper.track, sweeper.players))
    rounds, most = 0, 1.0
    goal = max(settings.tolerance / 4, 16 * UNIT[settings.precision])
    while most > goal:
        for _ in range(4):
            _back(sweeper, -2)
        rounds += 4
        most = sweeper.maximum()
        interrupt.check()
        settings.progress.update(
            "how many turns", -np.log10(most or 1.0), -np.log10(goal), f"{most:.1e} not over"
        )
    error = rounds * sweeper.players * (sweeper.track.terms + 4) * UNIT[sweeper.dtype]
    return rounds, most * (1 + error) + 1e-300


def _sweep(
    sweeper: Sweeper, rounds: int, column: int, settings: Settings, interrupt: Interrupt
) -> None:
    """Values of one question: the chance of a player, or (-1) the expected length."""
    sweeper.fill(0.0)
    name = "length" if column < 0 else f"win {column + 1}"
    for done in range(rounds):
        _back(sweeper, column)
        interrupt.check()
        settings.progress.update(f"backward: {name}", done, rounds)


def _back(sweeper: Sweeper, column: int) -> None:
    """A round backward; -1 counts throws, -2 has no reward."""
    for mover in reversed(range(sweeper.players)):
        sweeper.backward(mover, 1.0 if mover == column else 0.0, 1.0 if column == -1 else 0.0)


def chances_of_first(game: Board, settings: Settings) -> Any:
    """The first player's chance to win with its token on each position, the others on the start.

    An array by the track's positions, off by the settings' tolerance and rounding at most: what
    the values of all positions say there, for a fraction of their cost.
    """
    players, track = game.players, game.track
    numbers = track.size**players
    memory.require(8 * numbers * 2, f"Values of {numbers:,} positions", "use odds instead")
    sweeper = make_sweeper(game, settings)
    with closing(sweeper), Interrupt() as interrupt:
        rounds, _ = _enough_rounds(sweeper, settings, interrupt)
        _sweep(sweeper, rounds, 0, settings, interrupt)
        others = sum(track.start * track.size**axis for axis in range(players - 1))
        stride = track.size ** (players - 1)
        places = [position * stride + others for position in range(track.size)]
        return np.array([float(sweeper.read(place, place + 1)[0]) for place in places])
