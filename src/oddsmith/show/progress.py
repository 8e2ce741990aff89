"""Progress on the error stream: a bar for people, a line now and then for everybody else."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

from oddsmith.runtime.progress import Progress

FIRST_LINE = 10.0
"""Seconds of work after which a line is said where there is no terminal; the next after twice."""


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar with the stage, how far it is, the facts of the moment and an estimate of the rest."""
    if not sys.stderr.isatty():
        lines = _Lines()
        try:
            yield lines
        finally:
            lines.over.set()
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[facts]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with RichProgress(*columns, console=Console(stderr=True), transient=True) as rich:
        yield _Bar(rich)


class _Lines:
    """Lines ever more seldom, also while nobody says how far the work is."""

    def __init__(self) -> None:
        self.over = Event()
        self.last = ""
        Thread(target=self._speak, daemon=True).start()

    def update(self, stage: str, done: float, of: float | None, facts: str = "") -> None:
        """Remember how far the work is."""
        share = f"{stage} {min(1.0, done / of):.0%}" if of else stage
        self.last = f"{share}, {facts}" if facts else share

    def _speak(self) -> None:
        began, wait = time.monotonic(), FIRST_LINE
        while not self.over.wait(wait):
            spent = time.monotonic() - began
            what = f": {self.last}" if self.last else ""
            print(f"still at work after {spent:.0f} s{what}", file=sys.stderr, flush=True)
            wait = spent


class _Bar:
    """One bar; a new stage starts it anew."""

    def __init__(self, rich: object) -> None:
        self.rich = rich
        self.stage = ""

    def update(self, stage: str, done: float, of: float | None, facts: str = "") -> None:
        """Show how far the work is."""
        from rich.progress import Progress as RichProgress

        assert isinstance(self.rich, RichProgress)
        if stage != self.stage:
            for task in self.rich.task_ids:
                self.rich.remove_task(task)
            self.task = self.rich.add_task(stage, total=of, facts=facts)
            self.stage = stage
        self.rich.update(self.task, completed=done, total=of, facts=facts)
