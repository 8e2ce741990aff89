"""States, rolls and what came of a move, in people's words: for whoever plays at a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from oddsmith.rules import interpret
from oddsmith.rules.game import Game
from oddsmith.rules.moves import Action

WIDTH = 78
"""Columns of a line."""

SHORT = 12
"""A value with more characters is shown as it has become, not as it was."""

NO_BREAK = "\xa0"


class Words:
    """How to speak of a game with the player in one of its seats."""

    def __init__(self, game: Game, seat: int) -> None:
        self.game, self.seat = game, seat

    # Players ------------------------------------------------------------------------------

    def player(self, player: int) -> str:
        """A player, for the middle of a sentence."""
        return "you" if player == self.seat else f"player {player + 1}"

    def numbered(self, player: int) -> str:
        """A player by number, and whether that is you."""
        return f"player {player + 1}" + " (you)" * (player == self.seat)

    def line(self, player: int, what: str) -> str:
        """What a player did, the player in a column of its own."""
        width = max(len(self.player(p)) for p in range(self.game.players))
        return wrapped(f"  {self.player(player):{width}}  {what}", width + 6)

    # States -------------------------------------------------------------------------------

    def each_player(self, name: str, value: Any) -> bool:
        """Whether a field has one entry a player.

        A game that names its interchangeable fields has named those; in another one, a tuple
        with as many entries as there are players is taken to be one.
        """
        known = {*self.game.interchangeable, self.game.squares} - {""}
        fits = isinstance(value, tuple) and len(value) == self.game.players
        return fits and (name in known if known else True)

    def is_nothing(self, name: str, value: Any) -> bool:
        """Whether a field is a row of zeros: nothing rolled, nothing put aside."""
        row = isinstance(value, tuple) and not self.each_player(name, value)
        return row and not any(value)

    def value(self, name: str, value: Any) -> str:
        """A value of a field: a place by its name, numbers side by side."""
        if name == self.game.squares and isinstance(value, int):
            return self.game.place(value)
        return shown(value)

    def parts(self, state: Any) -> Iterator[tuple[str, str]]:
        """The fields of a state with their values; whose turn it is goes without saying."""
        for name, value in zip(state._fields, state, strict=True):
            if name == "turn" or name in self.game.hidden or self.is_nothing(name, value):
                continue
            called = name.replace("_", " ")
            if not self.each_player(name, value):
                yield called, self.value(name, value)
            elif self.game.players == 1:
                yield called, self.value(name, value[0])
            else:
                each = [f"{self.numbered(p)}: {self.value(name, v)}" for p, v in enumerate(value)]
                yield called, ", ".join(map(unbroken, each))

    def state(self, state: Any) -> str:
        """A state on one line if it fits, else a line a field."""
        parts = list(self.parts(state))
        line = " | ".join(f"{name}  {value}" for name, value in parts)
        if len(line) <= WIDTH:
            return wrapped(line)
        width = max(len(name) for name, _ in parts)
        return "\n".join(wrapped(f"{name:{width}}  {value}", width + 2) for name, value in parts)

    # Moves --------------------------------------------------------------------------------

    def change(self, before: Any, after: Any, mover: int) -> str:
        """What is different after a move, the mover's own first."""
        mine: list[str] = []
        theirs: list[str] = []
        for name, old, new in zip(before._fields, before, after, strict=True):
            if name == "turn" or name in self.game.hidden or old == new:
                continue
            called = name.replace("_", " ")
            if not self.each_player(name, old):
                if not self.is_nothing(name, new):
                    mine.append(self._turned(called, name, old, new))
                continue
            for player, (was, now) in enumerate(zip(old, new, strict=True)):
                if was != now:
                    text = self._turned(called, name, was, now)
                    own = player == mover
                    (mine if own else theirs).append(text if own else self._of(player, text))
        return ", ".join(map(unbroken, mine + theirs)) or "nothing changes"

    def roll(self, action: Action, roll: Any, before: Any) -> str:
        """What the dice of a move showed; nothing, where that tells what players do not see."""
        if not action.has_roll or (self.game.hidden and self._tells(action, before)):
            return ""
        return self.game.roll_name(roll)

    def _tells(self, action: Action, before: Any) -> bool:
        """Whether a move can change what players do not see, so that its roll would tell."""
        outcomes = interpret.outcomes(self.game, "", action, before)
        return any(
            getattr(before, name) != getattr(after, name)
            for _, _, after in outcomes
            for name in self.game.hidden
        )

    def _of(self, player: int, text: str) -> str:
        return f"{self.player(player)}: {text}"

    def _turned(self, called: str, name: str, old: Any, new: Any) -> str:
        was, now = self.value(name, old), self.value(name, new)
        before = "" if name == self.game.squares else f"{called} "
        if was == now or len(was) > SHORT or self.is_nothing(name, old):
            return before + now  # the same: another waiting room of one square
        return f"{before}{was} → {now}"


def wrapped(text: str, indent: int = 0) -> str:
    """Text in lines that fit, all but the first indented."""
    lines = textwrap.fill(
        text, WIDTH, subsequent_indent=" " * indent, break_on_hyphens=False, break_long_words=False
    )
    return lines.replace(NO_BREAK, " ")


def unbroken(text: str) -> str:
    """Text that stays on one line."""
    return text.replace(" ", NO_BREAK)


def paragraphs(text: str) -> str:
    """Paragraphs and lists, such as a docstring's, in lines that fit."""
    found: list[str] = []
    for line in text.splitlines():
        goes_on = bool(found and found[-1] and line) and not line.startswith("- ")
        if goes_on:
            found[-1] += f" {line.strip()}"
        else:
            found.append(line)
    return "\n".join(wrapped(each, 2 if each.startswith("- ") else 0) for each in found)


def shown(value: Any) -> str:
    """A value for people: yes or no, numbers side by side, a NamedTuple's fields by name."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        pairs = zip(value._fields, value, strict=True)
        return ", ".join(f"{name} {shown(item)}" for name, item in pairs)
    if isinstance(value, tuple | list):
        nested = any(isinstance(item, tuple | list) for item in value)
        return (" / " if nested else " ").join(map(shown, value)) or "none"
    if isinstance(value, frozenset):
        return shown(sorted(value, key=repr))
    return f"{value:,}" if isinstance(value, int) else str(value)
