"""Headline: the odds of a game of the catalogue in short, solved if that is quick."""

from __future__ import annotations

import gc
import time
from contextlib import suppress
from typing import Any

from oddsmith.errors import LimitError
from oddsmith.results.result import Result
from oddsmith.rules.game import Game
from oddsmith.runtime.progress import Progress
from oddsmith.web.tasks import Watcher
from oddsmith.web.tasks.requested import Bounds, limits_of, requested_game

HEADLINE_SECONDS = 30.0
"""Games that take more seconds are simulated, and those of more states than a job may have."""
GAMES = 20_000


def headline(request: dict[str, Any], watcher: Watcher, bounds: Bounds) -> dict[str, Any]:
    """Who wins how often, and how long it takes."""
    from oddsmith.ask.odds import odds

    game = requested_game(request)
    limits = limits_of(game, bounds.states)
    patient = _Patient(watcher)
    with suppress(LimitError, MemoryError):
        return _shown(odds(game, progress=patient, **limits))
    gc.collect()  # what was explored in vain
    return _simulated(game, watcher) | {"hurried": patient.lost}


def _simulated(game: Game, watcher: Watcher) -> dict[str, Any]:
    from oddsmith.policies.policy import usual_policy
    from oddsmith.solve.simulate.decisions import has_decisions
    from oddsmith.solve.simulate.run import simulate

    play = usual_policy(game) if has_decisions(game) else None
    found = _shown(simulate(game, games=GAMES, play=play, progress=watcher))
    if play is not None:
        found |= {"play": play.name, "how": [f"everybody plays {play.name}", *found["how"]]}
    return found


def _shown(result: Result) -> dict[str, Any]:
    return {
        "method": result.method,
        "play": None,
        "hurried": False,
        "win": [answer.to_dict() for answer in result.win],
        "draw": None if result.draw is None else result.draw.to_dict(),
        "score": [answer.to_dict() for answer in result.score],
        "length": None if result.duration is None else result.duration.to_dict(),
        "how": list(result.evidence.how),
    }


class _Patient:
    """Passes progress on until patience is at an end."""

    def __init__(self, progress: Progress) -> None:
        self.progress, self.until = progress, time.monotonic() + HEADLINE_SECONDS
        self.lost = False

    def update(self, stage: str, done: float, of: float | None, facts: str = "") -> None:
        """Say how far the work is, or stop it."""
        if time.monotonic() > self.until:
            self.lost = True
            raise LimitError("This takes too long.")
        self.progress.update(stage, done, of, facts)
