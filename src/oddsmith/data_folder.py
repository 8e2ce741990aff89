"""Where this system keeps what programs of a user keep."""

from __future__ import annotations

import os
import sys
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
