"""Progress of long work, said by whoever works and shown by whoever watches."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Something that watches long work."""

    def update(self, stage: str, done: float, of: float | None, facts: str = "") -> None:
        """Report: the stage's name, how much is done (of how much, if known), current facts."""


class Silent:
    """Nobody watches."""

    def update(self, stage: str, done: float, of: float | None, facts: str = "") -> None:
        """Do nothing."""

    def __repr__(self) -> str:
        return "Silent()"
