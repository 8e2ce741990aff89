"""Files: written whole or not at all, and every failure one sentence.

A file is written under a temporary name in the same folder and renamed when it is whole, so
nobody ever finds half a file under the final name: not after a full disk, not after Ctrl-C.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from oddsmith.errors import OddsmithError
from oddsmith.reading import require_plain

BLOCK = 1 << 20
"""Bytes read at a time."""
LONGEST_LINE = 1 << 20
"""Bytes of the longest line that is read: a file without line ends is no model."""


class FormatError(OddsmithError):
    """A file that is not what its format says: names file and line."""


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to; it gets its name when it is whole."""
    temporary = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            yield file
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
        temporary = None
    except OSError as error:
        raise OddsmithError(f"{path} could not be written: {reason(error)}.") from None
    finally:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def reason(error: OSError) -> str:
    """What the system says, as the end of a sentence."""
    return (error.strerror or str(error) or type(error).__name__).rstrip(".").lower()


def size_of(path: Path) -> int:
    """Bytes in a file; a sentence if it is none."""
    require_plain(path)
    try:
        if path.is_dir():
            raise FormatError(f"{path} is a folder, not a file.")
        return path.stat().st_size
    except OSError as error:
        raise FormatError(f"{path} could not be read: {reason(error)}.") from None


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Every line of a text file with its number, from 1, without the line's end."""
    number = 1
    rest = b""
    require_plain(path)
    try:
        with path.open("rb") as file:
            while block := file.read(BLOCK):
                whole, end, rest = (rest + block).rpartition(b"\n")
                if len(rest) > LONGEST_LINE:
                    raise FormatError(f"{path}:{number}: a line is too long for a model.")
                if end:
                    for text in _text(path, number, whole).split("\n"):
                        yield number, text
                        number += 1
    except OSError as error:
        raise FormatError(f"{path} could not be read: {reason(error)}.") from None
    if rest:
        yield number, _text(path, number, rest)


def _text(path: Path, number: int, raw: bytes) -> str:
    """Lines as text; a sentence if they are none."""
    try:
        text = raw.decode("utf-8")
        at = text.find("\0")
    except UnicodeDecodeError as error:
        text, at = "", error.start
        text = raw[:at].decode("utf-8", "replace")
    if at >= 0:
        raise FormatError(f"{path}:{number + text[:at].count(chr(10))}: this is not text.")
    return text.replace("\r", "")
