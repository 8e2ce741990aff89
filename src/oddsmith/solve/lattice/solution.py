"""What a lattice, or one token's first passage, says of a game."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from oddsmith.rules.board.track import Track


@dataclass
class LatticeSolution:
    """Numbers with their bounds; lists are by player."""

    win: list[float]
    draw: float = 0.0
    can_draw: bool = False
    length: float = 0.0
    """Expected number of throws."""
    turns_length: float = 0.0
    """Expected number of turns, those without a throw included."""
    turns: int = 0
    """Turns that were played."""
    left: float = 1.0
    """Mass that has not ended."""
    bound: float = 1.0
    """How far a chance can be off: what has not ended, and rounding."""
    off: float = 0.0
    """How far, for any turn, the chance to end by then can be off by rounding."""
    length_bound: float = float("inf")
    turn_bound: float = float("inf")
    """The expected number of turns from any position is not more."""
    step_error: float = 0.0
    """How far, relatively, rounding can move the mass in a turn."""
    sum_error: float = 0.0
    """How far, relatively, a sum of what a turn gains can be off."""
    ended: list[float] = field(default_factory=list)
    """Chance to end in each turn."""
    visits: list[Any] = field(default_factory=list)
    """Expected arrivals by position."""
    numbers: int = 0
    how: list[str] = field(default_factory=list)
    interrupted: bool = False

    @classmethod
    def begin(cls, track: Track, players: int, visits: bool = False) -> LatticeSolution:
        """Nothing yet."""
        arrived = [np.zeros(track.size) for _ in range(players)] if visits else []
        return cls([0.0] * players, visits=arrived)
