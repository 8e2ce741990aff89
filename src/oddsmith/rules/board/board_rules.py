"""A board with everything settled: its squares, its dice, and how tokens meet.

What these mean in play is said in `game.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from oddsmith.dice import Die

Throw = int | str | tuple[int, ...]
"""A throw as a rule names it: its total, `double`, or the numbers of all dice in order."""


@dataclass(frozen=True)
class Square:
    """What happens on a square: at most one effect, and whether tokens may share it."""

    number: int
    name: str = ""
    goto: int | None = None
    again: bool = False
    wait: int = 0
    hold: bool = False
    until: tuple[Throw, ...] = ()
    extra: bool = False
    share: bool = False

    @property
    def label(self) -> str:
        """The square as people call it: its number and its name."""
        return f"{self.number} ({self.name})" if self.name else str(self.number)


@dataclass(frozen=True)
class FirstThrow:
    """An exception for a throw from the start: where it leads, if a square is free."""

    throw: Throw
    goto: int
    free: int | None = None
    """The square that must be free; None: the one it leads to."""


@dataclass(frozen=True)
class BoardRules:
    """A board with everything settled: one variant, every option."""

    start: int
    finish: int
    number_of_dice: int
    die: Die[int]
    overshoot: str
    occupied: str
    squares: dict[int, Square]
    first_throw: tuple[FirstThrow, ...]

    @property
    def identity(self) -> str:
        """The rules without the names of things: equal for boards that play alike."""
        nameless = [replace(square, name="") for square in self.squares.values()]
        effects = sorted(repr(square) for square in nameless if square != Square(square.number))
        rest = repr(replace(self, squares={})).removeprefix(type(self).__name__)
        return f"Plan{rest}{''.join(effects)}"  # what digests have been made of

    def place(self, square: int) -> str:
        """A square as people call it."""
        if square == self.finish:
            return f"{square} (finish)"
        if square in self.squares:
            return self.squares[square].label
        return f"{square} (start)" if square == self.start else str(square)
