"""The LLVM text of kernels, a file for each module, and what it holds.

`text/MODULE.json` names the kernels in `text/MODULE.ll.xz`, what each was compiled for, and the
digest of the sources it was made from: where they have changed since, it is not used.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TEXT = HERE / "text"
SOURCES = HERE.parent
"""The package's own folder: names of sources are relative to it."""


@dataclass(frozen=True)
class Made:
    """A kernel that was made for arguments of some kinds."""

    name: str
    arguments: str
    result: str
    symbol: str


@dataclass(frozen=True)
class Contents:
    """What the text of one module of kernels holds."""

    module: str
    digest: str
    """Of the text itself: machine code is kept under it."""
    sources: tuple[str, ...]
    source_digest: str
    kernels: tuple[Made, ...]

    @property
    def fresh(self) -> bool:
        """Whether the sources are still those that the text was made from."""
        return digest_of(self.sources) == self.source_digest

    def text(self) -> str:
        """The LLVM text."""
        return lzma.decompress((TEXT / f"{self.module}.ll.xz").read_bytes()).decode()


def digest_of(sources: tuple[str, ...]) -> str:
    """A digest of sources, as they are now; nothing where one is missing."""
    digest = hashlib.sha256()
    for name in sources:
        try:
            text = (SOURCES / name).read_bytes().replace(b"\r\n", b"\n")
        except OSError:
            return ""
        digest.update(f"{name} {len(text)}\n".encode() + text)
    return digest.hexdigest()


def contents(module: str) -> Contents | None:
    """What there is of a module of kernels."""
    try:
        data = json.loads((TEXT / f"{module}.json").read_text())
    except OSError:
        return None
    return read(module, data)


def read(module: str, data: dict[str, Any]) -> Contents:
    """Contents from JSON."""
    kernels = tuple(Made(*entry) for entry in data["kernels"])
    sources = tuple(data["sources"])
    return Contents(module, data["digest"], sources, data["source_digest"], kernels)


def modules() -> list[str]:
    """All modules of kernels that there is text of."""
    return sorted(path.stem for path in TEXT.glob("*.json"))


def write(
    module: str, text: str, sources: tuple[str, ...], kernels: list[Made]
) -> Contents:  # by make.py
    """Keep the text of a module of kernels."""
    TEXT.mkdir(exist_ok=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    data = {
        "digest": digest,
        "source_digest": digest_of(sources),
        "sources": list(sources),
        "kernels": [[m.name, m.arguments, m.result, m.symbol] for m in kernels],
    }
    packed = lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME)
    (TEXT / f"{module}.ll.xz").write_bytes(packed)
    (TEXT / f"{module}.json").write_text(json.dumps(data, indent=1) + "\n")
    return read(module, data)


def forget_all_but(modules: Iterable[str]) -> None:
    """Remove the texts of modules that are no more."""
    names = {f"{module}{ending}" for module in modules for ending in (".json", ".ll.xz")}
    for path in TEXT.iterdir():
        if path.name not in names:
            path.unlink()
