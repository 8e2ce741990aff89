"""What workers do: a function (request, watcher, bounds) -> result for every kind of job."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, Protocol

from oddsmith.runtime.progress import Progress
from oddsmith.web.tasks.requested import Bounds


class Watcher(Progress, Protocol):
    """Who watches a job: told how far it is, and given what is known already."""

    def partial(self, result: dict[str, Any]) -> None:
        """Take a part of the result."""


Task = Callable[[dict[str, Any], Watcher, Bounds], dict[str, Any]]

JOBS = ("headline", "odds", "board", "play", "check", "report", "picture")
"""What anybody may ask for; each has a module of its name."""
MODULES = {kind: kind for kind in (*JOBS, "inspect", "warm")} | {"cards": "cards", "card": "cards"}
"""The module of each kind; the last ones are short work of the server's own."""


def task_of(kind: str) -> Task:
    """The function that does a kind of job; its module is loaded when it is first needed."""
    module = importlib.import_module(f"oddsmith.web.tasks.{MODULES[kind]}")
    found: Task = getattr(module, kind)
    return found
