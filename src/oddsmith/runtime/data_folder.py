"""Where this system keeps what programs of a user keep."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path


def data_folder() -> Path:
    """The folder of the user's data; it need not be there yet."""
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "oddsmith"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "oddsmith"
    share = os.environ.get("XDG_DATA_HOME")
    return (Path(share) if share else Path.home() / ".local" / "share") / "oddsmith"


def cache_folder() -> Path:
    """A folder for what can be made again; a temporary one where the user's cannot be written."""
    place = _caches() / "oddsmith"
    try:
        place.mkdir(parents=True, exist_ok=True)
        if os.access(place, os.W_OK):
            return place
    except (OSError, RuntimeError):
        pass
    return private_folder() or place


def _caches() -> Path:
    if sys.platform == "win32":
        return data_folder() / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    caches = os.environ.get("XDG_CACHE_HOME")
    return Path(caches) if caches else Path.home() / ".cache"


def private_folder() -> Path | None:
    """A temporary folder of this user alone, the same in the next run: what is in it is run."""
    try:
        place = Path(tempfile.gettempdir()) / f"oddsmith-{getattr(os, 'getuid', int)()}"
        place.mkdir(mode=0o700, exist_ok=True)
        there = place.lstat()
        own = not hasattr(os, "getuid") or there.st_uid == os.getuid()
        if own and stat.S_ISDIR(there.st_mode) and not there.st_mode & 0o022:
            return place
        return Path(tempfile.mkdtemp(prefix="oddsmith-"))
    except OSError:
        return None
