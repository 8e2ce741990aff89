"""What a request means: a game of the catalogue or a board as text, policies by name.

Names come from strangers. Elsewhere in Oddsmith a game or a policy may be named by a file, which
is loaded; here, never: a name is looked up, a text is parsed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oddsmith.errors import OddsmithError, OptionError
from oddsmith.games import catalogue, game_class
from oddsmith.questions.case import lattice_numbers
from oddsmith.rules.board.file import BoardError
from oddsmith.rules.board.game import Board, board_class
from oddsmith.rules.options import suggestion
from oddsmith.rules.prism.source import SourceError

if TYPE_CHECKING:
    from oddsmith.rules.game import Game

BOARD = "board.toml"
"""What the board of a request is called in errors."""

POLICY = re.compile(r"[a-z]+(-[a-z]+)*(-[0-9]{1,6})*")


@dataclass(frozen=True)
class Bounds:
    """What a job may take."""

    states: int = 5_000_000
    seconds: float = 600.0
    memory_mb: int = 4096


def catalogue_class(key: str) -> type[Game]:
    """The class of a game of the catalogue, by its whole name."""
    names = catalogue()
    if key not in names:
        hint = suggestion(key, names).replace("it has", "there are")
        raise OptionError(f"There is no game {key!r}: {hint}")
    return game_class(key)


def requested_game(request: Mapping[str, Any]) -> Game:
    """The game of a request: `game` by name or `text` of a board, `players` and `options`."""
    texts = {str(name): str(text) for name, text in (request.get("options") or {}).items()}
    if request.get("players") is not None:
        texts["players"] = str(request["players"])
    if request.get("text") is not None:
        return board_class(BOARD, request["text"]).from_text(texts)
    return catalogue_class(request["game"]).from_text(texts)


def requested_board(text: str, players: int | None) -> Board:
    """The board that a text describes."""
    found: Board = board_class(BOARD, text)(**({} if players is None else {"players": players}))
    return found


def limits_of(game: Game, states: int, exact: bool = False) -> dict[str, Any]:
    """The settings that keep a solve to so many states; a lattice is kept by memory instead."""
    return {} if lattice_numbers(game) and not exact else {"max_states": states}


def policy_name(game: Game, name: str) -> str:
    """A way to play by its name and its numbers; a file is none."""
    if not POLICY.fullmatch(name):
        known = ", ".join(["optimal", "random", *type(game).named_policies()])
        raise OptionError(f"{game.name} has no policy {name!r}: there are {known}.")
    return name


class PlacedError(OddsmithError):
    """A mistake in a text in PRISM's language."""

    def __init__(self, error: SourceError, part: str) -> None:
        super().__init__(error.message)
        self.part, self.line, self.column = part, error.line, error.column


def said_of(error: OddsmithError) -> dict[str, Any]:
    """A mistake as the API says it: a sentence, and the place if it is in a text that was sent."""
    if isinstance(error, BoardError):
        place: dict[str, Any] = {"part": "board", "line": error.line, "column": None}
        return {"message": f"{error.message[:1].upper()}{error.message[1:]}", "place": place}
    if isinstance(error, PlacedError):
        place = {"part": error.part, "line": error.line, "column": error.column}
        return {"message": str(error), "place": place}
    return {"message": str(error), "place": None}
