"""Inspect: a board's text or tables, read and checked, with nothing solved."""

from __future__ import annotations

from typing import Any

from oddsmith.rules.board.board_text import board_text
from oddsmith.show.board_json import drawing_of
from oddsmith.web.tasks import Watcher
from oddsmith.web.tasks.cards import options
from oddsmith.web.tasks.requested import Bounds, requested_board


def inspect(request: dict[str, Any], watcher: Watcher, bounds: Bounds) -> dict[str, Any]:
    """What is known of a board at once; a mistake in it is an error with its line."""
    text = request.get("text")
    if text is None:
        text = board_text(request["tables"])
    board = requested_board(text, request.get("players"))
    positions = board.track.size
    return {
        "text": text,
        "tables": board.file.data,
        "title": board.name,
        "players": board.players,
        "drawing": drawing_of(board),
        "positions": positions,
        "lattice": not board.why_no_lattice,
        "size": min(board.players * positions**board.players, 10**18),
        "options": options(type(board)),
    }
