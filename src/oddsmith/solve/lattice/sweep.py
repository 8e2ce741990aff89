"""Forward sweeps over the lattice: all winners, the draw and the length of a game at once.

Let x be the distribution of the tokens' positions when the first player is to move, all mass on
the start at first. A round (a turn of every player) moves mass, P x, and what reaches the finish
is won. Each answer is a linear functional of x: F(x) = g(x) + F(P x), where g is what one round
gains. F counts mass, so |F(x)| <= ‖x‖₁: what has not been absorbed bounds the error.

**The tail.** Soon x shrinks almost geometrically. For any number m

    F(x) = (g(x) + F(P x - m x)) / (1 - m),

so x may be replaced by the signed r = P x - m x, with every later gain divided by 1 - m; and r is
far smaller than x when m is near the largest eigenvalue that is left in x, which the ratio of
the norms of successive rounds estimates. The bound is then ‖r‖₁ / (1 - m), for the same reason;
nothing is assumed of the spectrum. It is done when it pays and there is room for a copy of x.

**Deadlocks.** When every token is alone on a square with hold nobody ever moves again: that is a
draw. These few positions are emptied into the draw after every round.

**Rounding.** A number of P x is a sum of at most t products, so a turn is off by at most
(t + 4) u ‖x‖₁ in the 1-norm, u the unit of rounding, and each answer by the sum of these over
all turns; the sums of gains add (s + 64) u of what they sum. The expected length is a functional
with |F(x)| <= U ‖x‖₁, where U bounds the number of turns from any position: if no position
survives K turns with a chance above a < 1, then U = K / (1 - a). That a is the largest number of
K turns played backward from ones (`survival`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from oddsmith.errors import OddsmithError
from oddsmith.rules.board.track import Track
from oddsmith.runtime import memory
from oddsmith.runtime.interrupt import Interrupt
from oddsmith.runtime.progress import Progress

UNIT = {"float64": 2.0**-53, "float32": 2.0**-24}
SLOW = 2000
"""Rounds after which a game that has hardly a chance to end is taken to be endless."""
TAIL, WAIT, PAYS = 0.15, 3, 0.7
"""The tail begins when so much mass is left; rounds between two tries; what a try must gain."""


class EndlessLattice(OddsmithError):  # noqa: N818 - a finding: odds asks the general engine
    """From some position the game hardly ever ends, so no length can be bounded."""

    def __init__(self) -> None:
        super().__init__(
            "From some position this game hardly ever ends, so a lattice cannot bound its answers: "
            "use --engine compiled."
        )


class Sweeper(Protocol):
    """The numbers of a lattice and what can be done to them, wherever they are."""

    name: str
    track: Track
    players: int
    dtype: str
    sum_terms: int
    """The most numbers that are added up one after the other in a sum."""
    keep_error: float
    """How far, relatively, `keep` changes the numbers."""

    @property
    def size(self) -> int:
        """S^N."""

    def place_start(self) -> None:
        """All mass on the start."""

    def fill(self, value: float) -> None:
        """The same number everywhere."""

    def forward(self, mover: int, visits: bool = False) -> tuple[float, float, float, Any]:
        """Play a turn: mass that finished, threw, rested; and arrivals by position."""

    def forward_many(self, mover: int, turns: int) -> Any:
        """Some turns: an array of turns × (finished, threw, rested)."""

    def backward(self, mover: int, win_reward: float, throw_reward: float) -> None:
        """Values before a turn from values after it."""

    def norm(self) -> float:
        """The sum of absolute values."""

    def maximum(self) -> float:
        """The largest number."""

    def take(self, indices: Any) -> float:
        """The sum of the numbers at some places, which are then zero."""

    def can_keep(self) -> bool:
        """Whether there is room for a copy."""

    def keep(self) -> float:
        """Keep a copy, and make the numbers equal to it: the 1-norm of the change."""

    def gap(self, factor: float) -> float:
        """The 1-norm of the numbers minus factor × the copy."""

    def deflate(self, factor: float) -> None:
        """Subtract factor × the copy."""

    def read(self, start: int, stop: int) -> Any:
        """Some of the numbers."""

    def write(self, start: int, values: Any) -> None:
        """Set some of the numbers."""

    def close(self) -> None:
        """Let the numbers go."""


class Total:
    """A sum of many numbers, compensated (Neumaier), that can be written down."""

    def __init__(self, high: float = 0.0, low: float = 0.0) -> None:
        self.high, self.low = high, low

    def add(self, value: float) -> None:
        """Add a number."""
        total = self.high + value
        big, small = (self.high, value) if abs(self.high) >= abs(value) else (value, self.high)
        self.low += (big - total) + small
        self.high = total

    @property
    def value(self) -> float:
        """The sum."""
        return self.high + self.low


@dataclass
class Sums:
    """What a forward sweep has found so far; with the numbers, all that a checkpoint needs."""

    win: list[Total]
    draw: Total = field(default_factory=Total)
    threw: Total = field(default_factory=Total)
    rested: Total = field(default_factory=Total)
    turns: int = 0
    scale: float = 1.0
    """Gains count this many times: the product of all 1 / (1 - m)."""
    left: float = 1.0
    """scale × ‖x‖₁ at the last look."""
    spent: float = 0.0
    """The sum over turns of scale × ‖x‖₁, for the bound on rounding."""
    signed: float = 0.0
    """The part of `spent` since x has been signed."""
    lost: float = 0.0
    """What deflations and copies of lower precision have changed, at most."""
    deflations: int = 0
    next_try: int = 0
    turn_bound: float = math.inf
    ended: list[float] = field(default_factory=list)
    """Chance to end in each turn, while x is a distribution."""
    visits: list[Any] = field(default_factory=list)
    """Expected arrivals by player, an array by position, if asked for."""

    @classmethod
    def begin(cls, track: Track, players: int, visits: bool = False) -> Sums:
        """Nothing found yet."""
        arrived = [np.zeros(track.size) for _ in range(players)] if visits else []
        return cls([Total() for _ in range(players)], visits=arrived)

    def rounding(self, sweeper: Sweeper) -> float:
        """How far rounding can have moved a chance."""
        turns = turn_error(sweeper) * self.spent
        return turns + sum_error(sweeper) * (1 + self.signed) + self.lost

    def bound(self, sweeper: Sweeper) -> float:
        """How far a chance can be off."""
        return (self.left + self.rounding(sweeper)) * (1 + 1e-9)

    def length_bound(self, sweeper: Sweeper) -> float:
        """How far the expected length can be off."""
        sums = sum_error(sweeper) * (self.threw.value + self.rested.value + self.spent)
        return self.bound(sweeper) * self.turn_bound + sums


def turn_error(sweeper: Sweeper) -> float:
    """How far, relatively, rounding can move the mass in a turn."""
    return (sweeper.track.terms + 4) * UNIT[sweeper.dtype]


def sum_error(sweeper: Sweeper) -> float:
    """How far, relatively, a sum of what a turn gains can be off."""
    return (sweeper.sum_terms + 64) * UNIT[sweeper.dtype]


def can_deadlock(track: Track, players: int) -> bool:
    """Whether there is a square to hold every token alone."""
    return len(np.unique(track.square[track.hold])) >= players


def deadlocks(track: Track, players: int) -> Any:
    """The places in the array where every token is on hold alone, in ascending order.

    They are built axis by axis: a token more on any held square that no token before is on. There
    are as many as ways to choose: no more than the numbers of the lattice, for which there is room.
    """
    if not can_deadlock(track, players):
        return np.empty(0, np.int64)
    held = np.nonzero(track.hold)[0].astype(np.int64)
    square = track.square[held]
    found, used = np.zeros(1, np.int64), list[Any]()
    for _ in range(players):
        free = np.ones((len(found), len(held)), np.bool_)
        for other in used:
            free &= other[:, None] != square
        before, token = np.nonzero(free)
        found = found[before] * track.size + held[token]
        used = [other[before] for other in used] + [square[token]]
    return found


def survival(sweeper: Sweeper, progress: Progress, interrupt: Interrupt) -> float:
    """U: a bound on the expected number of turns from any position, deadlocks being ends."""
    players, track = sweeper.players, sweeper.track
    dead = deadlocks(track, players)
    error = turn_error(sweeper)
    sweeper.fill(1.0)
    sweeper.take(dead)
    for rounds in range(1, SLOW + 1):
        for mover in reversed(range(players)):
            sweeper.backward(mover, 0.0, 0.0)
        if rounds % 4 == 0:
            turns = rounds * players
            most = sweeper.maximum() + error * turns
            progress.update(
                "bounding the length", min(0.5, 1 - most), 0.5, f"{turns} turns, {most:.2f} go on"
            )
            if most <= 0.5 or (most < 0.99 and rounds >= SLOW // 8):
                return turns / (1 - most) + players
            interrupt.check()
    raise EndlessLattice


def forward(
    sweeper: Sweeper,
    sums: Sums,
    tolerance: float,
    progress: Progress,
    interrupt: Interrupt,
    *,
    accelerate: bool = True,
    save: Callable[[Sums], None] | None = None,
) -> None:
    """Play rounds until what is left is small; `sums` and the numbers may be half-way."""
    dead = deadlocks(sweeper.track, sweeper.players)
    accelerate = accelerate and sweeper.can_keep()
    began, first = time.perf_counter(), sums.turns
    while not interrupt:
        goal = max(tolerance, sums.rounding(sweeper)) / 4
        speed = (sums.turns - first) * sweeper.size / (time.perf_counter() - began)
        progress.update(
            f"sweeping {memory.shown(sweeper.size * np.dtype(sweeper.dtype).itemsize)}",
            -math.log10(max(sums.left, 1e-300)),
            -math.log10(goal),
            f"{sums.turns:,} turns, ± {sums.left:.1e}, {speed / 1e6:,.0f} million numbers/s",
        )
        if sums.left <= goal:
            return
        precise = sweeper.keep_error * sums.left <= tolerance / 8
        if accelerate and precise and sums.left <= TAIL and sums.turns >= sums.next_try:
            _try_deflation(sweeper, sums, dead)
        else:
            gains = _round(sweeper, sums, dead)
            _add(sums, gains, sums.scale)
            if sums.deflations == 0:
                won, threw, rested = gains[0][-1]
                off = sum_error(sweeper) * float(threw + rested)
                sums.left = max(0.0, float(threw + rested - won) - gains[1]) + off
            elif not (accelerate and precise):
                sums.left = sums.scale * sweeper.norm()
        if save is not None:
            save(sums)


def _round(sweeper: Sweeper, sums: Sums, dead: Any) -> Any:
    """A turn of every player: (won, threw, rested) of each, the draw, arrivals of each."""
    arrived = []
    if sums.visits:
        found = [sweeper.forward(mover, visits=True) for mover in range(sweeper.players)]
        gained = np.array([turn[:3] for turn in found])
        arrived = [turn[3] for turn in found]
    else:
        gained = sweeper.forward_many(0, sweeper.players)
    sums.turns += sweeper.players
    sums.spent += sums.left * sweeper.players
    if sums.deflations:
        sums.signed += sums.left * sweeper.players
    return gained, sweeper.take(dead) if len(dead) else 0.0, arrived


def _add(sums: Sums, gains: Any, scale: float) -> None:
    """Add what a round has gained."""
    gained, draw, arrived = gains
    for player, (won, threw, rested) in enumerate(gained):
        sums.win[player].add(scale * float(won))
        sums.threw.add(scale * float(threw))
        sums.rested.add(scale * float(rested))
        if scale == 1.0:
            sums.ended.append(float(won))
    sums.draw.add(scale * draw)
    for player, arrivals in enumerate(arrived):
        sums.visits[player] += scale * arrivals


def _try_deflation(sweeper: Sweeper, sums: Sums, dead: Any) -> None:
    """A round after which x is replaced by P x - m x, if that is much smaller."""
    before = sweeper.norm()
    sums.lost += sums.scale * sweeper.keep()
    sums.left = min(sums.left, sums.scale * before * (1 + 1e-12))
    gains = _round(sweeper, sums, dead)
    after = sweeper.norm()
    m = after / before if before else 1.0
    gap = sweeper.gap(m) / (1 - m) if m < 1 - 1e-6 else math.inf
    if gap < PAYS * after:
        sweeper.deflate(m)
        sums.scale /= 1 - m
        sums.lost += sums.scale * 4 * UNIT[sweeper.dtype] * before
        sums.deflations += 1
        after = gap * (1 - m)
    _add(sums, gains, sums.scale)
    sums.left = sums.scale * after * (1 + 1e-12)
    sums.next_try = sums.turns + WAIT * sweeper.players
