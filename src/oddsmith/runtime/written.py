"""Files that will be written: tried before the work, not after it."""

from __future__ import annotations

import os
from pathlib import Path

from oddsmith.errors import OptionError


def try_to_write(path: str | Path) -> None:
    """Refuse a file that cannot be written, by the name that the user gave it.

    A file that is there is opened and left as it is; one that is not is made and removed again.
    What is no file (a device, a pipe) is refused, for a file that is whole is put in its place.
    """
    try:
        place = Path(path)
        if place.is_dir():
            raise _refused(path, "it is a directory")
        if place.exists():
            if not place.is_file():
                raise _refused(path, "it is no file")
            place.open("r+b").close()
        elif not place.parent.is_dir():
            raise _refused(path, f"there is no directory {place.parent}")
        else:
            place.open("xb").close()
            place.unlink()
        if not os.access(place.parent, os.W_OK):
            raise _refused(path, f"nothing can be written in its directory {place.parent}")
    except OSError as error:
        raise _refused(path, (error.strerror or "it is not known why").lower()) from None
    except ValueError:
        raise _refused(path, "that is no name of a file") from None


def _refused(path: str | Path, why: str) -> OptionError:
    return OptionError(f"{path} cannot be written: {why}.")
