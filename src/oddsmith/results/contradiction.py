"""A contradiction: what an answer that does not pass the gate becomes.

A sentence and a file to send, in the current folder or where temporary files are; without room for
one the sentence says so. The file has what is needed to find the mistake: the question, the game by
its name, options and digest, both sides of the contradiction and how they were found; files are
named without their folders.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from oddsmith.errors import ContradictionError
from oddsmith.version import __version__

if TYPE_CHECKING:
    from oddsmith.results.answer import Answer
    from oddsmith.results.result import Result

LONG = 1 << 4096
"""Fractions with larger denominators are written in hexadecimal digits."""
PRIVATE = ("progress", "checkpoint", "scratch", "cluster")
"""Settings that no file tells."""
SUFFIX = re.compile(r"\.\w{1,8}$")
"""How a text ends that names a file."""


@dataclass
class Asking:
    """A question while it is answered: what a file to send tells of it."""

    question: str
    subject: Any
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    about: Any = None
    """What the solver was given: a chain, a process; its question sets it."""


asking: ContextVar[Asking | None] = ContextVar("asking", default=None)


def refuse(reason: str, record: dict[str, Any]) -> NoReturn:
    """Give no number: say so, and keep what is known of it in a file."""
    now = asking.get()
    asked = {} if now is None else _asked(now)
    content = {"contradiction": reason, "version": __version__, "asked": asked, **record}
    text = json.dumps(content, indent=2, ensure_ascii=False, default=_plain)
    file = _written(_without_folders(text))
    kept = f" with the file {file}" if file else " (no file could be written about it)"
    raise ContradictionError(
        f"Oddsmith contradicts itself ({reason}), so no answer is given. This is a mistake in "
        f"Oddsmith, not in your rules: please report it{kept}."
    )


def _without_folders(text: str) -> str:
    """A text in which the current folder and the user's own are not named."""
    for find, instead in ((Path.cwd, "."), (Path.home, "~")):
        try:
            folder = os.fspath(find())
        except (OSError, RuntimeError):  # there is none
            continue
        text = text.replace(folder, instead) if len(folder) > 1 else text
    return text


def _written(text: str) -> str | None:
    """A file with this text, here or where temporary files are; None if there is no room."""
    data = text.encode("utf-8", "backslashreplace")
    name = f"oddsmith-contradiction-{sha256(data).hexdigest()[:12]}.json"
    if _saved(Path(name), data):
        return name
    try:
        other = Path(tempfile.gettempdir()) / name
    except OSError:
        return None
    return os.fspath(other) if _saved(other, data) else None


def _saved(path: Path, data: bytes) -> bool:
    try:
        path.write_bytes(data)
    except OSError:
        return False
    return True


def _asked(now: Asking) -> dict[str, Any]:
    """A question as a file tells it: enough to ask it again, and no folder of anybody's."""
    options = {k: _plain(v) for k, v in now.options.items() if k not in PRIVATE}
    told = {"question": now.question, "options": options}
    told["arguments"] = [_plain(one) for one in now.arguments]
    return told | {"subject": _plain(now.subject)}


def _plain(thing: Any) -> Any:
    """Anything as JSON may have it; files by their names, without their folders."""
    if thing is None or isinstance(thing, bool | int | float):
        return thing
    if isinstance(thing, list | tuple):
        return [_plain(one) for one in thing]
    if isinstance(thing, str) and "\n" in thing:
        return thing
    if isinstance(thing, str | Path):
        is_file = isinstance(thing, Path) or Path(thing).is_absolute() or SUFFIX.search(thing)
        return Path(thing).name if is_file else str(thing)
    if hasattr(thing, "described"):
        return game(thing)
    inner = getattr(thing, "game", None)
    return (
        _plain(inner) if hasattr(inner, "described") else str(getattr(thing, "name", type(thing)))
    )


def game(played: Any) -> dict[str, Any]:
    """A game and whose rules they are."""
    from oddsmith.rules.digest import rules_digest

    told = {"game": played.key(), "title": played.name, "players": played.players}
    return told | {"options": played.options, "digest": rules_digest(played)}


def record(found: Result) -> dict[str, Any]:
    """What a file tells of a result."""
    return {
        "game": found.game,
        "title": found.title,
        "players": found.players,
        "options": found.options,
        "digest": found.evidence.digest,
        "method": found.method,
        "how": found.evidence.how,
        "interrupted": found.interrupted,
        "several_winners": found.several_winners,
        "answers": {name: parts(one) for name, one in found.numbers()},
        "quantiles": {str(level): at for level, at in found.quantiles.items()},
        "distribution": found.distribution[:1000],
        "unresolved": found.unresolved,
    }


def parts(one: Answer) -> dict[str, Any]:
    """All that is known of a number."""
    exact = None if one.exact is None else text(one.exact)
    return {"value": one.value, "lower": one.lower, "upper": one.upper, "exact": exact}


def text(number: Any) -> str:
    """A number in full."""
    if number is None or isinstance(number, float) or number.denominator < LONG:
        return str(number)
    return f"{hex(number.numerator)}/{hex(number.denominator)}"


def short(number: Any) -> str:
    """A number for people."""
    if isinstance(number, float) or number.denominator < 10**18:
        return str(number)
    return f"about {number.numerator / number.denominator:.6g}"
