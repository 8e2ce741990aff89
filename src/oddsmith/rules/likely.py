"""What is likely wrong with rules that fail: from Python's exception to what to write instead."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oddsmith.rules.game import Game


def likely_cause(game: Game, error: Exception) -> str:
    """A hint that goes behind an exception of a rule, or nothing."""
    hint = _hint(game, error)
    return f"; {hint}" if hint else ""


def _hint(game: Game, error: Exception) -> str:
    text = str(error)
    if isinstance(error, NameError) and hasattr(game, error.name or " "):
        return f"write self.{error.name}"
    if isinstance(error, TypeError) and "does not support item assignment" in text:
        return "a state does not change: put(s.field, index, value) gives the tuple changed"
    if isinstance(error, TypeError) and "State.__new__()" in text and "missing" in text:
        return "give every field of State a default, or define start(self)"
    if isinstance(error, TypeError) and "State.__new__()" in text:
        fields = ", ".join(game.State._fields)
        return f"State has the fields {fields}; each needs a type, as in `turn: int = 0`"
    if isinstance(error, AttributeError):
        return _attribute(game, error)
    if isinstance(error, IndexError) and game.players != game.declared_options()["players"][1]:
        return f"start must give each of {game.players} players an entry"
    if isinstance(error, IndexError):
        return "players and entries are numbered from 0, the last player's turn is followed by 0"
    return ""


def _attribute(game: Game, error: AttributeError) -> str:
    """An attribute that is not there, or cannot be set."""
    if "can't set" in str(error):
        return "a state does not change: s._replace(field=value) gives another"
    missing, owner = error.name or "", error.obj
    if isinstance(owner, game.State):
        return _near(missing, game.State._fields)
    if owner is game:
        own = [name for name in dir(game) if not name.startswith("_")]
        return _near(missing, [*game.declared_options(), *own])
    if missing in game.State._fields:
        return "a move takes (self, s, roll), in this order"
    return ""


def _near(word: str, known: Any) -> str:
    near = difflib.get_close_matches(word, known, n=1)
    return f"perhaps {near[0]!r} is meant" if near else ""
