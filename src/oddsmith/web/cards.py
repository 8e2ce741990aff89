"""The catalogue as the page shows it: a short task once, kept as long as no game changes."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from oddsmith import games
from oddsmith.version import __version__
from oddsmith.web.jobs import Manager
from oddsmith.web.store import StoreError


async def of_all(manager: Manager) -> list[dict[str, Any]]:
    """A card for every game, in short."""
    return list((await _cards(manager)).values())


async def of_one(manager: Manager, key: str) -> dict[str, Any]:
    """A game's card with its rules and its board."""
    found: dict[str, Any] = await manager.short_tasks.ask("card", {"game": key})
    return found


async def _cards(manager: Manager) -> dict[str, Any]:
    name = _edition()
    with suppress(StoreError):
        kept = manager.store.note(name)
        if kept is not None:
            return dict(kept)
    made = await manager.short_tasks.ask("cards", {})
    with suppress(StoreError):
        manager.store.keep_note(name, made)
    return made


def _edition() -> str:
    """What changes when a game does."""
    files = Path(games.__file__).parent.iterdir()
    newest = max(file.stat().st_mtime_ns for file in files if file.suffix in (".py", ".toml"))
    return f"cards {__version__} {newest}"
