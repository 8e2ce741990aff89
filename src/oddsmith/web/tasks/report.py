"""Report: one page of HTML on a game, with everything in it."""

from __future__ import annotations

from typing import Any

from oddsmith.web.tasks import Watcher
from oddsmith.web.tasks.requested import Bounds, requested_game

STATES = 1_000_000
"""Larger games are simulated."""


def report(request: dict[str, Any], watcher: Watcher, bounds: Bounds) -> dict[str, Any]:
    """The page."""
    from oddsmith.present.report.page import report_html

    states = min(bounds.states, STATES)
    return {"html": report_html(requested_game(request), progress=watcher, states=states)}
