"""Odds: who wins how often, as `oddsmith solve` answers it."""

from __future__ import annotations

from typing import Any

from oddsmith.web.tasks import Watcher
from oddsmith.web.tasks.asked import Bounds, game_asked, limits_of, policy_name


def odds(request: dict[str, Any], watcher: Watcher, bounds: Bounds) -> dict[str, Any]:
    """The whole result, as JSON has it."""
    from oddsmith.ask.odds import odds as solved

    game = game_asked(request)
    method, play = request.get("method", "auto"), request.get("play")
    settings: dict[str, Any] = {"method": method, "progress": watcher}
    if play is not None:
        settings["play"] = ",".join(policy_name(game, name.strip()) for name in play.split(","))
    if method != "estimate":
        settings |= limits_of(game, bounds.states, exact=method == "exact")
    return solved(game, **settings).to_dict()
