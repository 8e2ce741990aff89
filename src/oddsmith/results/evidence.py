"""Evidence: how an answer was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from oddsmith.results.offers import Plan

Method = Literal["exact", "certified", "float", "estimate"]


@dataclass(frozen=True)
class Evidence:
    """How an answer was found: enough to judge it and to find it again."""

    method: Method
    how: tuple[str, ...] = ()
    states: int = 0
    transitions: int = 0
    decisions: int = 0
    """In how many states a player had something to decide."""
    numbers: int = 0
    """Of a lattice: the numbers it holds."""
    seconds: float = 0.0
    compile_seconds: float = 0.0
    """Of the seconds, those that compiled the rules; the next time they come from a cache."""
    peak_memory_mb: float = 0.0
    version: str = ""
    digest: str = ""
    seed: int | None = None
    games: int | None = None
    interrupted: bool = False
    plan: Plan | None = None
    """What every engine offered, where that was asked for."""

    def to_dict(self) -> dict[str, Any]:
        """The evidence as JSON has it; the method stands with what was asked."""
        data: dict[str, Any] = {"numbers": self.numbers}
        if not self.numbers:
            data = {"states": self.states, "transitions": self.transitions}
        data |= {
            "seconds": round(self.seconds, 6),
            "compile_seconds": round(self.compile_seconds, 6),
            "peak_memory_mb": round(self.peak_memory_mb, 1),
            "how": list(self.how),
            "version": self.version,
            "digest": self.digest,
        }
        if self.games is not None:
            data |= {"games": self.games, "seed": self.seed}
        if self.plan is not None:
            data |= self.plan.to_dict()
        if self.interrupted:
            data["interrupted"] = True
        return data
