"""How many throws a game on a board takes, where some turns have none.

A lattice counts turns. Where tokens rest, games of the same number of throws have different
numbers of turns, so the chain is written out: states as the mover sees them, its own position
first, then those of the players after it. With M = S^(N-1) positions of the others, state
p M + m becomes m S + q when the token on p comes to q. Two matrices move the mass: a throw, which
counts, and a turn without one, which does not and is played at once. When every token is on hold
alone nobody ever moves again: the game is over there.

Rounding: a number of the next distribution is a sum of at most t products, and each turn without
a throw adds once more, so K throws with at most c such turns each are off by at most
K (t + c + 4) u in the 1-norm, u = 2^-53; sums over all states are pairwise, off by 64 u of the
mass that they add. What is left when it stops, and what was let go because it was too little to
matter, is added.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddsmith.questions.settings import Settings
from oddsmith.results.distribution import quantiles
from oddsmith.results.result import QUANTILES, Result
from oddsmith.rules.board.game import Board
from oddsmith.rules.board.track import ANY, FINISH, Track
from oddsmith.solve.lattice.answers import expected, result
from oddsmith.solve.lattice.engine import find
from oddsmith.solve.lattice.spread import moments
from oddsmith.solve.lattice.sweep import SLOW, UNIT, EndlessLattice, deadlocks


def entries(track: Track, players: int) -> int:
    """How many entries the chain has, at most."""
    return int(len(track.source) * track.size ** (players - 1))


def length(game: Board, settings: Settings, tail: float) -> Result:
    """The distribution of the number of throws, and its mean, which one sweep bounds.

    >>> from oddsmith import game
    >>> found = length(game("goose"), Settings(), 1e-12)
    >>> found.quantiles[0.5], round(found.duration.value, 6)
    (23, 29.065063)
    """
    began = time.perf_counter()
    found = find(game, settings)
    played = _played(_written_out(game.track, game.players), settings, tail)
    known = tuple((count, chance) for count, chance in enumerate(played.chances) if chance > 0)
    last, off, beyond = len(played.chances) - 1, played.off, played.unresolved
    found.how.append(f"written out: distribution to length {last:,}, {beyond:.1e} unresolved")
    mean, step = expected(found.length, found, settings), played.terms + played.passes + 4
    unit = UNIT["float64"]
    spread = moments(
        mean, known, played.left * (1 + 1e-9), found.turn_bound, step * unit, 64 * unit, played.lost
    )
    return result(
        game, settings, began, found,
        **spread.parts(),
        distribution=known,
        quantiles=quantiles(known, QUANTILES, off, beyond),
        unresolved=beyond,
        off=off,
    )  # fmt: skip


@dataclass
class _Chain:
    """Matrices of the chain; states that rest have no throw."""

    throw: Any
    """Column by column: where a throw leads to."""
    finish: Any
    """The chance that a throw ends the game."""
    resting: Any
    """The states whose mover does not throw, and where each leads to."""
    onto: Any
    dead: Any
    """The states in which every token is on hold alone."""
    start: int


def _written_out(track: Track, players: int) -> _Chain:
    from scipy.sparse import csr_array

    size, others = track.size, track.size ** (players - 1)
    states = size * others
    occupied = _occupied(track, players)
    behind = np.arange(others, dtype=np.int64) * size
    mover = np.repeat(np.arange(size), others)
    alone = track.hold[:, None] & ~occupied[track.square]
    rests = alone | (track.rest >= 0)[:, None]
    from_: list[Any] = []
    to: list[Any] = []
    chance: list[Any] = []
    finish = np.zeros((size, others))
    for source, target, tested, weight in zip(
        track.source, track.target, track.tested, track.weight / track.total, strict=True
    ):
        throws = ~rests[source]
        free = throws if tested == ANY else throws & ~occupied[tested]
        if target == FINISH:
            finish[source, free] += weight
        else:
            _add(from_, to, chance, source * others, behind + target, free, weight)
        _add(from_, to, chance, source * others, behind + source, throws & ~free, weight)
    where = np.concatenate(to), np.concatenate(from_)
    resting = np.nonzero(rests.ravel())[0]
    next_ = np.where(track.rest >= 0, track.rest, np.arange(size))
    onto = (np.tile(behind, size) + next_[mover])[resting]
    return _Chain(
        csr_array((np.concatenate(chance), where), shape=(states, states)),
        finish.ravel(),
        resting,
        onto,
        deadlocks(track, players),
        int(sum(track.start * size**axis for axis in range(players))),
    )


def _add(from_: Any, to: Any, chance: Any, base: int, onto: Any, where: Any, weight: float) -> None:
    """Entries of one throw, for all positions of the others in which it is so."""
    places = np.nonzero(where)[0]
    from_.append(base + places)
    to.append(onto[places])
    chance.append(np.full(len(places), weight))


def _occupied(track: Track, players: int) -> Any:
    """[square, positions of the others]: whether one of them is on the square."""
    found = np.zeros((track.squares, track.size ** (players - 1)), np.bool_)
    for axis in range(players - 1):
        stride = track.size**axis
        position = np.arange(found.shape[1]) // stride % track.size
        found[track.square[position], np.arange(found.shape[1])] = True
    return found


@dataclass
class _Played:
    """What came of it."""

    chances: list[float]
    """Of each number of throws 0, 1, 2, …"""
    left: float = 1.0
    lost: float = 0.0
    """Let go as too little to matter."""
    passes: int = 0
    """The most turns without a throw, one after the other."""
    terms: int = 0

    @property
    def off(self) -> float:
        """How far the chance of at most k throws can be off; see the module's docstring."""
        rounding = len(self.chances) * (self.terms + self.passes + 4) + 64
        return self.lost * (1 + 1e-9) + rounding * UNIT["float64"]

    @property
    def unresolved(self) -> float:
        """Bound on the chance to end later than has been played, rounding included."""
        return self.left * (1 + 1e-9) + self.off


def _played(chain: _Chain, settings: Settings, tail: float) -> _Played:
    """Play forward until no more than the tail is left."""
    now = np.zeros(len(chain.finish))
    now[chain.start] = 1.0
    found = _Played([], terms=int(np.diff(chain.throw.indptr).max(initial=1)))
    ended, before = 0.0, 1.0
    while True:
        ended += _settled(chain, now, tail, found)
        found.chances.append(ended)
        found.left = float(now.sum())
        if found.left <= tail:
            return found
        turns = len(found.chances)
        if turns % SLOW == 0:
            if found.left > 0.99 * before:
                raise EndlessLattice
            before = found.left
        if turns % 32 == 0:
            settings.progress.update(
                "playing forward", -np.log10(found.left), -np.log10(tail),
                f"{turns} throws, {found.left:.1e} left",
            )  # fmt: skip
        ended = float((now * chain.finish).sum())
        now = chain.throw @ now


def _settled(chain: _Chain, now: Any, tail: float, found: _Played) -> float:
    """Play all turns without a throw, in place; the mass that ends for ever in them."""
    ended, passes = 0.0, 0
    if not len(chain.resting):
        return ended
    while True:
        if len(chain.dead):
            ended += float(now[chain.dead].sum())
            now[chain.dead] = 0.0
        mass = now[chain.resting]
        now[chain.resting] = 0.0
        if mass.sum() <= tail * 1e-6:
            found.lost += float(mass.sum())
            found.passes = max(found.passes, passes)
            return ended
        now += np.bincount(chain.onto, mass, len(now))
        passes += 1
