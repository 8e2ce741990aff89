"""A plan as it is shown: for each part of the work, what was offered, and which offer was taken."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Offer:
    """What an engine could do, at what cost, and what speaks against it."""

    engine: str
    method: str = ""
    size: str = ""
    memory: int | None = None
    """Bytes it would take at most, where that is known."""
    seconds: float | None = None
    """About how long on two cores, an order of magnitude."""
    why_not: str = ""
    """Why it cannot."""
    rather: str = ""
    """Why another is taken, although it could."""
    because: str = ""
    """Why it is taken, if it is: what speaks against those after it."""
    refusal: str = ""
    """The sentence if it is taken, for it was asked for by name and cannot."""
    taken: bool = False

    @property
    def is_open(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.why_not and not self.rather

    @property
    def says(self) -> str:
        """What became of it."""
        if self.taken:
            return f"taken: {self.because}" if self.because else "taken"
        return f"cannot: {self.why_not}" if self.why_not else f"not taken: {self.rather}"

    def to_dict(self) -> dict[str, Any]:
        """The offer as JSON has it."""
        data: dict[str, Any] = {"engine": self.engine}
        data |= {"method": self.method} if self.method else {}
        data["says"] = self.says
        if self.size:
            data["size"] = self.size
        if self.memory is not None:
            data["memory_mb"] = round(self.memory / 2**20, 1)
        if self.seconds is not None:
            data["seconds"] = float(f"{self.seconds:.1g}")
        return data


@dataclass(frozen=True)
class Choice:
    """A part of the work, and who does it."""

    part: str
    offers: tuple[Offer, ...]

    @classmethod
    def of(cls, part: str, offers: list[Offer], taken: Offer) -> Choice:
        """The choice of one offer: what spoke for it speaks against others that were open."""
        return cls(
            part,
            tuple(
                replace(each, taken=True)
                if each is taken
                else replace(each, rather=taken.because)
                if each.is_open
                else each
                for each in offers
            ),
        )

    @property
    def taken(self) -> Offer:
        """The offer that was taken."""
        return next(offer for offer in self.offers if offer.taken)


@dataclass(frozen=True)
class Plan:
    """All choices that were made for a question: which engine answers, then who does what."""

    question: str
    engines: Choice
    parts: tuple[Choice, ...] = ()

    @property
    def offers(self) -> tuple[Offer, ...]:
        """What the engines offered."""
        return self.engines.offers

    def tables(self) -> list[tuple[list[str], list[list[str]]]]:
        """The offers as tables: headers and rows."""
        rows = [
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
        tables = [
            (
                ["engine", "method", "what it holds", "its memory", "about", "what became of it"],
                rows,
            )
        ]
        parts = [
            [choice.part if n == 0 else "", offer.method or offer.engine, offer.says]
            for choice in self.parts
            for n, offer in enumerate(choice.offers)
        ]
        return [*tables, (["part of the work", "by", "what became of it"], parts)][
            : 1 + bool(parts)
        ]

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON has it: the engines, and who did the parts of the work."""
        parts = [
            {"part": choice.part, "offers": [offer.to_dict() for offer in choice.offers]}
            for choice in self.parts
        ]
        return {"plan": [offer.to_dict() for offer in self.offers], "parts": parts}


def _bytes(number: int) -> str:
    mib = number / 2**20
    return f"{mib / 1024:,.1f} GiB" if mib >= 1024 else f"{mib:,.1f} MiB"


def _seconds(seconds: float) -> str:
    if seconds < 0.1:
        return "< 0.1 s"
    return f"{float(f'{seconds:.1g}'):,g} s"
