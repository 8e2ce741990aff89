"""A plan as it is shown: what every engine offered, and which offer was taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Offer:
    """What an engine could answer, at what cost, and why it does not."""

    engine: str
    method: str
    size: str = ""
    memory: int | None = None
    """Bytes it would take at most, where that is known."""
    seconds: float | None = None
    """About how long on two cores, an order of magnitude."""
    why_not: str = ""
    """Why it cannot."""
    rather: str = ""
    """Why another is taken, although it could."""
    taken: bool = False

    @property
    def says(self) -> str:
        """What became of it."""
        if self.taken:
            return "taken"
        return f"cannot: {self.why_not}" if self.why_not else f"not taken: {self.rather}"

    def to_dict(self) -> dict[str, Any]:
        """The offer as JSON has it."""
        data: dict[str, Any] = {"engine": self.engine, "method": self.method, "says": self.says}
        if self.size:
            data["size"] = self.size
        if self.memory is not None:
            data["memory_mb"] = round(self.memory / 2**20, 1)
        if self.seconds is not None:
            data["seconds"] = float(f"{self.seconds:.1g}")
        return data


@dataclass(frozen=True)
class Plan:
    """All offers for a question."""

    question: str
    offers: tuple[Offer, ...]

    def rows(self) -> list[list[str]]:
        """The offers as rows of a table."""
        return [
            [
                offer.engine,
                offer.method,
                offer.size,
                "" if offer.memory is None else _bytes(offer.memory),
                "" if offer.seconds is None else _seconds(offer.seconds),
                offer.says,
            ]
            for offer in self.offers
        ]


HEADER = ["engine", "method", "what it holds", "its memory", "about", "what became of it"]


def _bytes(number: int) -> str:
    mib = number / 2**20
    return f"{mib / 1024:,.1f} GiB" if mib >= 1024 else f"{mib:,.1f} MiB"


def _seconds(seconds: float) -> str:
    if seconds < 0.1:
        return "< 0.1 s"
    return f"{float(f'{seconds:.1g}'):,g} s"
