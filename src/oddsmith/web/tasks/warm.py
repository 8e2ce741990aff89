"""Warm: load what the page asks for first, so that nobody waits for it."""

from __future__ import annotations

from typing import Any

from oddsmith.web.tasks import Watcher
from oddsmith.web.tasks.requested import Bounds

FIRST = """
[board]
finish = 63
dice = "2d6"
occupied = "return"
[squares]
inn = { at = 19, wait = 1 }
well = { at = 31, hold = true }
prison = { at = 52, hold = true }
"""


def warm(request: dict[str, Any], watcher: Watcher, bounds: Bounds) -> dict[str, Any]:
    """Do everything that the workshop does once, for a board like most."""
    from oddsmith.web.tasks.board import board

    board({"text": FIRST, "players": 2}, watcher, bounds)
    return {}
