"""What this machine is called, so that machine code is run only where it was made for.

Machine code is made for this very processor, or for any of a kind (`MACHINES`). What is made for
this one lies in a folder that is named after all that the processor can do: an environment that is
copied to another machine finds none there, and makes its own.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from pathlib import Path

MACHINES = {
    "x86_64-linux": ("x86_64-unknown-linux-gnu", "x86-64-v3"),
    "aarch64-linux": ("aarch64-unknown-linux-gnu", "generic"),
    "x86_64-apple": ("x86_64-apple-darwin", "x86-64-v3"),
    "aarch64-apple": ("arm64-apple-darwin", "apple-m1"),
    "x86_64-windows": ("x86_64-pc-windows-gnu", "x86-64-v3"),
    "aarch64-windows": ("aarch64-pc-windows-gnu", "generic"),
}
"""Kinds of machines: LLVM's name, and the least of their processors."""

V3 = {"avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"}
"""What tells an x86-64-v3 from lesser processors, as Linux names it."""


@functools.cache
def kind() -> str:
    """The kind of this machine, a key of `MACHINES` where it is one."""
    if sys.platform == "win32":
        name = os.environ.get("PROCESSOR_ARCHITECTURE", "")
    else:
        name = os.uname().machine
    name = {"amd64": "x86_64", "arm64": "aarch64"}.get(name.lower(), name.lower())
    system = {"linux": "linux", "darwin": "apple", "win32": "windows"}.get(sys.platform, "other")
    return f"{name}-{system}"


@functools.cache
def features() -> frozenset[str]:
    """What the processor can do, where the system says so; nothing elsewhere."""
    try:
        with Path("/proc/cpuinfo").open() as file:
            for line in file:
                name, _, said = line.partition(":")
                if name.strip() in ("flags", "Features"):
                    return frozenset(said.split())
    except OSError:
        pass
    return frozenset()


@functools.cache
def this_machine() -> str:
    """The name of the folder of what was made for this processor."""
    able = " ".join(sorted(features()))
    return f"{kind()}-{hashlib.sha256(able.encode()).hexdigest()[:8]}"


def is_of_its_kind() -> bool:
    """Whether machine code made for all of this kind runs here."""
    if kind() == "x86_64-linux":
        return features() >= V3
    return kind() in MACHINES
