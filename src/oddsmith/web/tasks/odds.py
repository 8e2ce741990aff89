"""Odds: who wins how often, as `oddsmith solve` answers it."""

from __future__ import annotations

from typing import Any

from oddsmith.web.tasks import Watcher
from oddsmith.web.tasks.requested import Bounds, limits_of, policy_name, requested_game


def odds(request: dict[str, Any], watcher: Watcher, bounds: Bounds) -> dict[str, Any]:
    """The whole result, as JSON has it."""
    from oddsmith.ask.odds import odds as solved

    game = requested_game(request)
    method, play = request.get("method", "auto"), request.get("play")
    settings: dict[str, Any] = {"method": method, "progress": watcher}
    if play is not None:
        settings["play"] = ",".join(policy_name(game, name.strip()) for name in play.split(","))
    if method != "estimate":
        settings |= limits_of(game, bounds.states, exact=method == "exact")
    return solved(game, **settings).to_dict()
