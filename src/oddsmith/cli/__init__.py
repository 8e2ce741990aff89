"""The command line: a command that is watched (`watched.py`), and what it does (`commands.py`)."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name in ("app", "main"):  # loaded when first used: who watches the command needs neither
        from oddsmith.cli import commands

        return getattr(commands, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
