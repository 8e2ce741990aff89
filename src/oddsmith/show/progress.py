"""A progress bar on the error stream, for people only: silent when nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from oddsmith.progress import Progress, Silent


@contextmanager
def progress_bar(quiet: bool = False) -> Iterator[Progress]:
    """A bar with the stage, how far it is, the facts of the moment and an estimate of the rest."""
    if quiet or not sys.stderr.isatty():
        yield Silent()
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
