"""ServerSettings: where a server listens, what it keeps and what it lets a job take."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from oddsmith.runtime.data_folder import data_folder

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
"""Names by which a browser may call a server on its own machine."""


@dataclass(frozen=True)
class Limits:
    """What anybody may ask of the server."""

    body_bytes: int = 1 << 20
    """The largest request."""
    states: int = 5_000_000
    """The most states that a job explores."""
    seconds: float = 600.0
    """How long a job may run."""
    memory_mb: int = 4096
    """How much memory a worker may hold."""
    queued: int = 200
    """Jobs that may wait."""
    kept: int = 1000
    """Finished jobs that are kept; older ones are forgotten."""
    kept_mb: int = 256
    """What they may take on the disk."""
    polls: int = 200
    """Requests that may wait for news of a job at the same time."""


def default_workers() -> int:
    """As many workers as there are cores for this process."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return max(1, os.cpu_count() or 1)


@dataclass(frozen=True)
class ServerSettings:
    """One server."""

    data: Path = field(default_factory=data_folder)
    host: str = "127.0.0.1"
    allowed_hosts: tuple[str, ...] = ()
    """Names besides the loopback ones that a request's Host may have."""
    workers: int = field(default_factory=default_workers)
    limits: Limits = field(default_factory=Limits)
    warm: bool = True
    """Whether workers load what the page asks for first before anybody asks."""

    @property
    def host_names(self) -> frozenset[str]:
        """Every name that a request's Host may have, in small letters, without its port."""
        return frozenset(name.lower() for name in (*LOOPBACK, *self.allowed_hosts))
