"""Origin: what a model was made of that has no rules in Python: a program, or another tool's file.

Who asks a model speaks of where it comes from: a name, players, what can be done, a digest. A game
says all that of itself; for other models this does, under the same names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Act:
    """What can be done in a state, as a game's move has it."""

    name: str
    counts: bool = True


@dataclass(frozen=True)
class Origin:
    """Where a model comes from, if not from a game."""

    name: str
    players: int
    actions: tuple[Act, ...]
    digest: str
    wins: tuple[str, ...] = ()
    """Where players win, as it was said: labels, or conditions."""
    described: Mapping[str, Any] = field(default_factory=dict)
    """Constants that were given, for people."""
    has_score = False
    hidden = ()
    squares = None
    interchangeable = ()
    knows_mover = True

    def key(self) -> str:
        """What the model is called where names are looked up: its file without the folder."""
        return self.name.replace("\\", "/").rpartition("/")[2]

    @property
    def options(self) -> Mapping[str, Any]:
        """As `described`."""
        return self.described

    @property
    def action_numbers(self) -> dict[str, int]:
        """The number of each action."""
        return {act.name: number for number, act in enumerate(self.actions)}

    @staticmethod
    def named_policies() -> dict[str, Any]:
        """Ways to play that have names: none."""
        return {}
