"""Picture: a picture of a game by its name, as SVG or as a page that turns and zooms."""

from __future__ import annotations

from typing import Any

from oddsmith.web.tasks import Watcher
from oddsmith.web.tasks.requested import Bounds, policy_name, requested_game

POLICIES = ("compare", "play")
"""Settings that name policies."""


def picture(request: dict[str, Any], watcher: Watcher, bounds: Bounds) -> dict[str, Any]:
    """The picture as text, and what kind of text that is."""
    from oddsmith.present.pictures.by_name import options_from_text, plot
    from oddsmith.show.pictures.files import html_of, svg_of

    game, name = requested_game(request), request["picture"]
    settings = options_from_text(name, request.get("settings") or {})
    for option in POLICIES:
        if settings.get(option) is not None:
            names = str(settings[option]).split(",")
            settings[option] = ",".join(policy_name(game, one.strip()) for one in names)
    drawn = plot(game, name, progress=watcher, **settings)
    theme = request.get("theme", "light")
    if request.get("format", "svg") == "svg":
        return {"media": "image/svg+xml", "content": svg_of(drawn, theme)}
    return {"media": "text/html", "content": html_of(drawn, theme)}
