"""Memory: what there is, what was used, and the refusal to start what does not fit."""

from __future__ import annotations

import sys
from pathlib import Path

from oddsmith.errors import LimitError

MIB = 1 << 20
GIB = 1 << 30


def available() -> int | None:
    """Bytes of memory that can still be had, or None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        free = next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration, ValueError):
        return None
    return free * 1024


def peak_mb() -> float:
    """The most memory this process has held so far, in MiB."""
    try:
        # Linux: ru_maxrss of a child starts at its parent's; VmHWM is this program's own.
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    except (OSError, StopIteration, ValueError):
        pass
    try:
        import resource
    except ImportError:  # Windows
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / MIB if sys.platform == "darwin" else peak / 1024


def require(needed: int, what: str, advice: str) -> None:
    """Refuse work that needs more memory than there is, saying what would help."""
    free = available()
    if free is not None and needed > free:
        raise LimitError(
            f"{what} needs about {needed / GIB:.1f} GiB of memory and {free / GIB:.1f} GiB are "
            f"free: {advice}."
        )
