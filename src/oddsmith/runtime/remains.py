"""What a process would leave behind if it were ended now: for whoever watches it.

A call into a library cannot be stopped from inside its process, so a command that Ctrl-C does not
bring to rest is ended from outside (see `command`). Who ends it reads here what was kept, so that
it can be said, and what lies about, so that it can be cleared away.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from oddsmith.errors import StoppedError

_left: dict[str, Any] = {"said": "", "kept": "", "keeping": [], "temporary": [], "alone": False}
_lock = threading.RLock()
_tell: Callable[[dict[str, Any]], None] | None = None


def told(tell: Callable[[dict[str, Any]], None]) -> None:
    """Have every change told to whoever watches this process."""
    global _tell
    _tell = tell
    _now()


def _now(**changes: Any) -> None:
    with _lock:
        _left.update(changes)
        if _tell is not None:
            _tell(_left)


def kept(what: str) -> None:
    """Say where the work done so far is safe, as the end of a sentence."""
    _now(kept=what)


def stopped(said: str) -> StoppedError:
    """Ctrl-C that was heard where something can be said of the work."""
    _now(said=said)
    return StoppedError(said)


def watched() -> bool:
    """Whether somebody watches this process, and has the last word."""
    return _tell is not None


def last_word(text: str) -> None:
    """Say why this process, which has been interrupted, now ends by itself."""
    _now(said=text)


def words(printed: bool = False) -> str:
    """What to say of this run if it is interrupted; perhaps after an answer was printed."""
    if not printed:
        return sentence(_left)
    more = f"; {_left['kept']}" if _left["kept"] else ""
    return f"interrupted; what is printed is what was found until then{more}"


def sentence(left: dict[str, Any]) -> str:
    """What to say of a run that was interrupted when it would have left this."""
    return left.get("said") or f"interrupted; {left.get('kept') or 'nothing was kept'}"


@contextmanager
def keeping(what: str) -> Iterator[None]:
    """While something is written that must not be cut off: it is waited for."""
    with _lock:
        _now(keeping=[*_left["keeping"], what])
    try:
        yield
    finally:
        with _lock:
            _now(keeping=[other for other in _left["keeping"] if other != what])


def ends_alone() -> None:
    """Say that this process brings itself to an end when it hears Ctrl-C, in its own time."""
    _now(alone=True)


@contextmanager
def temporary(path: str | Path) -> Iterator[None]:
    """While a file or folder is there that must not stay, however this process ends."""
    name = os.path.abspath(path)  # noqa: PTH100 - nothing is resolved
    with _lock:
        _now(temporary=[*_left["temporary"], name])
    try:
        yield
    finally:
        with _lock:
            _now(temporary=[other for other in _left["temporary"] if other != name])


@contextmanager
def folder() -> Iterator[Path]:
    """A temporary folder."""
    import tempfile

    place = tempfile.mkdtemp(prefix="oddsmith-")
    with temporary(place):
        try:
            yield Path(place)
        finally:
            clear(place)


def clear(path: str | Path) -> None:
    """Remove a file or a folder with all that is in it, if it can be."""
    import shutil

    with suppress(OSError):
        if Path(path).is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            Path(path).unlink(missing_ok=True)
