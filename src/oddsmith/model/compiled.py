"""Compiling a game: its rules as native functions, and why not where that cannot be."""

from __future__ import annotations

from oddsmith.errors import NotCompilable, OddsmithError
from oddsmith.model.step.steps import Steps
from oddsmith.model.step.values import Refused
from oddsmith.rules.game import Game
from oddsmith.rules.layout import Layout


def steps_of(game: Game, layout: Layout | str) -> Steps:
    """A game's native functions; `NotCompilable`, with the reason, where there are none."""
    if isinstance(layout, str):
        raise NotCompilable(layout)
    try:
        return Steps(game, layout)
    except Refused as reason:
        raise NotCompilable(f"{reason.what} is not compiled{_where(reason)}") from None
    except (OddsmithError, MemoryError):
        raise
    except RecursionError:
        raise NotCompilable("rules that are nested so deeply are not compiled") from None
    except Exception as error:  # a mistake of ours; the interpreter plays such rules
        raise NotCompilable(f"the compiler failed, {type(error).__name__}: {error}") from None


def _where(reason: Refused) -> str:
    return f" ({reason.place})" if reason.place else ""
