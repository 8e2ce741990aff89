"""Beside a `.tra` file: which reward files are its own.

PRISM finds rewards by their names: those of `m.tra` are `m.srew` and `m.trew`, or `m1.srew`,
`m2.srew`, … where there are several structures. So `m1.srew` may belong to `m.tra` or to `m1.tra`.
Our files say it in a comment, which PRISM skips:

    # Model "m.tra"

It counts where the file that it names is still there and could have such a file beside it: files
that somebody has renamed together belong together. Without it, the longest name there is wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from oddsmith.errors import OddsmithError
from oddsmith.runtime.whole_files import lines

STAMP = "# Model "
REWARDS = (".srew", ".trew")


def reward_files(path: Path, structures: int) -> list[Path]:
    """What the reward files of a model are called: of each structure, states and transitions."""
    numbers = [""] if structures == 1 else [str(i + 1) for i in range(structures)]
    return [path.with_name(f"{path.stem}{i}{suffix}") for i in numbers for suffix in REWARDS]


def own_bases(path: Path) -> Iterator[Path]:
    """The names, without an ending, of a model's own reward files that are there."""
    plain = path.with_suffix("")
    if any(_own(path, plain)):
        yield plain
    number = 1
    while any(_own(path, base := plain.with_name(f"{plain.name}{number}"))):
        yield base
        number += 1


def own(path: Path, base: Path) -> list[Path]:
    """Those of the two reward files of a name that are there and belong to a model."""
    return list(_own(path, base))


def _own(path: Path, base: Path) -> Iterator[Path]:
    for suffix in REWARDS:
        file = base.with_name(f"{base.name}{suffix}")
        if file.is_file() and _owner(file, path) == path.name:
            yield file


def make_room(path: Path, written: list[Path]) -> list[Path]:
    """A model's old reward files that are not written again, to be removed.

    Refuses to touch what belongs to another model, or was written by somebody else.
    """
    for file in written:
        if file.is_file() and (other := _owner(file, path)) != path.name:
            raise OddsmithError(
                f"{path} was not written: {file.name} would hold its rewards, and holds those of "
                f"{other}; choose another name."
            )
    old = [file for base in own_bases(path) for file in _own(path, base) if file not in written]
    for file in old:
        if not _stamp(file):
            raise OddsmithError(
                f"{path} was not written: {file.name} beside it would be read as its rewards; "
                "move it away, or choose another name."
            )
    return old


def _owner(file: Path, asking: Path) -> str:
    """The `.tra` file that a reward file belongs to, where `asking` is taken to be there."""
    stems = [file.stem, *(file.stem[:i] for i in _cuts(file.stem))]
    names = [f"{stem}.tra" for stem in stems]
    if asking.stem in stems:
        names[stems.index(asking.stem)] = asking.name
    there = [name for name in names if name == asking.name or file.with_name(name).exists()]
    stamp = _stamp(file)
    return stamp if stamp in there else there[0] if there else ""


def _cuts(stem: str) -> Iterator[int]:
    """Where a name could end and a number from 1 on begin."""
    for i in range(len(stem) - 1, 0, -1):
        if not re.fullmatch(r"[0-9]+", stem[i:]):
            return
        if stem[i] != "0":
            yield i


def _stamp(file: Path) -> str:
    """The model that a reward file names in the comments that begin it."""
    for _, text in lines(file):
        if not text.startswith("#"):
            break
        if text.startswith(STAMP):
            return text[len(STAMP) :].strip().strip('"')
    return ""
