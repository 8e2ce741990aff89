"""Hostile files: valid ones that the program has written, changed, and read again.

Whatever comes of it is a sentence or the truth: a certificate that is accepted has only true claims
(`grind.claims`), a checkpoint leads to the answer without one, a policy's odds are those of the
moves in its file and no bounds come from it, a board or a model is read or refused. No traceback,
no hang (`run.CASE_SECONDS`), no flood of memory.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from grind import hostile_files as files
from grind import mutate
from grind.tally import Tally
from oddsmith.errors import OddsmithError
from oddsmith.runtime import memory

BASES = 40
"""Valid files of a kind that are drawn from."""

PER_CASE = 10
"""Changed files in a case."""

MOST_MORE = 700.0
"""MiB that a case may take more than what was taken before it."""


class Kind(NamedTuple):
    """A kind of files."""

    share: float
    make: Callable[[Random, Path], files.Base]
    """Writes a valid file, and says what is to be known of it."""


KINDS = {
    "certificate": Kind(5.0, files.certificate),
    "policy": Kind(2.0, files.policy),
    "digits": Kind(2.0, files.digits),
    "sweep": Kind(1.0, files.sweep),
    "board": Kind(0.7, files.board),
    "model": Kind(0.7, files.model),
    "fractions": Kind(0.3, files.fractions),
}


def draw(dice: Random) -> dict[str, Any]:
    """A file, and some ways to change it."""
    names = list(KINDS)
    name = dice.choices(names, [KINDS[one].share for one in names])[0]
    changes = [[int(dice.random() < 0.35), mutate.draw(dice)] for _ in range(PER_CASE)]
    return {"file": name, "seed": dice.randrange(BASES), "changes": changes}


def grind(data: dict[str, Any], tally: Tally) -> None:
    """Change a file, and read it."""
    name, seed = data["file"], int(data["seed"])
    base, other = made(name, seed % BASES), made(name, (seed + 1) % BASES)
    before = memory.peak_mb()
    with tempfile.TemporaryDirectory(prefix="grind-") as folder:
        path = Path(folder, base.path.name)
        for by_bytes, changes in data["changes"]:
            try:
                content = _changed(base, other, bool(by_bytes), changes)
            except RecursionError:  # data so deep that Python cannot copy it, nor write it
                continue
            if content in (base.content, other.content):  # the other one may well be true
                continue
            path.write_bytes(content)
            became = "accepted"
            try:
                wrong = base.judge(path)
            except OddsmithError as error:
                became = "refused"
                if not str(error) or len(str(error)) > 9000:
                    tally.differs(f"{name}: words", "an error without a word, or with too many")
                tally.refusal(f"{name}: {str(error).replace(str(path), '')}")
                wrong = []
            tally.same(f"{name}, changed and {became}", wrong, [])
    if memory.peak_mb() - before > MOST_MORE:
        tally.differs(f"{name}: memory", f"{memory.peak_mb() - before:.0f} MiB more")


@lru_cache(maxsize=4 * BASES)
def made(name: str, seed: int) -> files.Base:
    """A valid file; where one cannot be made of what was drawn, another is drawn."""
    folder = Path(_folder().name, f"{name}-{seed}")
    folder.mkdir(exist_ok=True)
    for attempt in range(100):
        try:
            return KINDS[name].make(Random(f"{name} {seed} {attempt}"), folder)
        except OddsmithError:
            continue
    raise AssertionError(f"no {name} could be made")


@lru_cache(1)
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="grind-hostile-")


def _changed(base: files.Base, other: files.Base, by_bytes: bool, changes: Any) -> bytes:
    content = base.content
    if by_bytes:
        for change in changes:
            content = mutate.change_bytes(content, change, other.content)
        return content
    return base.change(changes, other)
