"""Files: written whole or not at all, and every failure one sentence.

A file is written under a temporary name in the same folder and renamed when it is whole, so
nobody ever finds half a file under the final name: not after a full disk, not after Ctrl-C. Several
files that belong together are all written before the first is renamed, and where a rename fails,
those before it are undone: a file system has no more to offer, short of a lost power supply.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from oddsmith.errors import OddsmithError
from oddsmith.runtime import remains
from oddsmith.runtime.reading import require_plain

BLOCK = 1 << 20
"""Bytes read at a time."""
LONGEST_LINE = 1 << 20
"""Bytes of the longest line that is read: a file without line ends is no model."""


class FormatError(OddsmithError):
    """A file that is not what its format says: names file and line."""


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to; it gets its name when it is whole."""
    with together(path) as parts, parts.file(path) as file:
        yield file


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write a file whole or not at all; text in UTF-8."""
    with replacing(Path(path)) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def rows_in(path: str | Path) -> Iterator[Any]:
    """A writer of rows separated by commas, into a file that gets its name when it is whole."""
    import csv
    import io

    with replacing(Path(path)) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
        yield csv.writer(text)
        text.detach()


@contextmanager
def together(path: Path) -> Iterator[Parts]:
    """Several files that are one export: all get their names when all are whole, or none does.

    `path` is what the user has named, and what an error names.
    """
    parts = Parts()
    try:
        yield parts
        parts.commit()
    except OSError as error:
        where = Path(str(error.filename2 or error.filename or path))
        beside = f" ({where.name})" if where in parts.names and where != path else ""
        raise OddsmithError(f"{path} could not be written: {reason(error)}{beside}.") from None
    finally:
        parts.clear()


class Parts:
    """The files of an export on their way: temporaries beside what they will replace."""

    def __init__(self) -> None:
        self._new: dict[Path, Path] = {}
        self._old: dict[Path, Path] = {}
        self._dropped: list[Path] = []
        self._temporary = ExitStack()

    @property
    def names(self) -> set[Path]:
        """What files will be called, and what will be gone."""
        return {*self._new, *self._dropped}

    @contextmanager
    def file(self, path: Path) -> Iterator[IO[bytes]]:
        """One of the files, to write to.

        Where a link is, what it leads to is replaced. A device or a pipe is no file that could be:
        it is written to as it is.
        """
        if path.exists() and not (path.is_file() or path.is_dir()):
            with path.open("wb") as file:
                yield file
            return
        path = path.resolve() if path.is_symlink() else path
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        self._temporary.enter_context(remains.temporary(name))
        self._new[path] = Path(name)
        with os.fdopen(handle, "wb") as file:
            yield file
        self._new[path].chmod(0o666 & ~_umask())

    def drop(self, path: Path) -> None:
        """A file of an earlier export that is not to be there any more."""
        self._dropped.append(path)

    def commit(self) -> None:
        """Give all their names; where that fails in between, what was there before is back."""
        several = len(self._new) + len(self._dropped) > 1
        done: list[Path] = []
        try:
            for path in [*self._new, *self._dropped] if several else []:
                self._keep(path)
            for path, temporary in self._new.items():
                done.append(path)
                temporary.replace(path)
            for path in self._dropped:
                done.append(path)
                path.unlink(missing_ok=True)
        except BaseException:
            for path in done if several else []:
                self._bring_back(path)
            raise

    def _keep(self, path: Path) -> None:
        """A second name for what is there now."""
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not path.exists():
            return
        kept = path.with_name(f".{path.name}.{os.getpid()}.old.part")
        kept.unlink(missing_ok=True)
        self._temporary.enter_context(remains.temporary(kept))
        try:
            kept.hardlink_to(path)
        except OSError:  # a file system without links
            shutil.copy2(path, kept)
        self._old[path] = kept

    def _bring_back(self, path: Path) -> None:
        with suppress(OSError):
            if path in self._old:
                self._old[path].replace(path)
            else:
                path.unlink(missing_ok=True)

    def clear(self) -> None:
        """Leave nothing temporary behind."""
        for temporary in [*self._new.values(), *self._old.values()]:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        self._temporary.close()


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
