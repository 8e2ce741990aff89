"""Truth values as LLVM has them, with those that are known left out of the instructions."""

from __future__ import annotations

from abc import ABC, abstractmethod


class Truths(ABC):
    """What can be done with truth values wherever instructions are written."""

    @abstractmethod
    def op(self, text: str) -> str:
        """Write an instruction; what it gives."""

    @abstractmethod
    def do(self, text: str) -> None:
        """Write an instruction that gives nothing."""

    def both(self, a: str, b: str) -> str:
        """a and b."""
        if "false" in (a, b):
            return "false"
        if a == "true" or a == b:
            return b
        return a if b == "true" else self.op(f"and i1 {a}, {b}")

    def either(self, a: str, b: str) -> str:
        """a or b."""
        if "true" in (a, b):
            return "true"
        if a == "false" or a == b:
            return b
        return a if b == "false" else self.op(f"or i1 {a}, {b}")

    def negate(self, a: str) -> str:
        """Not a."""
        if a in ("true", "false"):
            return "false" if a == "true" else "true"
        return self.op(f"xor i1 {a}, true")

    def unlike(self, a: str, b: str) -> str:
        """Either a or b, but not both."""
        if a in ("true", "false"):
            a, b = b, a
        if b in ("true", "false"):
            return a if b == "false" else self.negate(a)
        return self.op(f"xor i1 {a}, {b}")
