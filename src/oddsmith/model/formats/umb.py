"""UMB, the unified Markov binary format, which PRISM, Storm and the Modest Toolset share.

A UMB file is a compressed tar archive: an index in JSON, and one file of raw numbers for each
array. The index is made and checked by `umbi`, the format's own library (extra `exchange`); the
arrays are written by NumPy, because umbi's lists of Python numbers would take minutes and
gigabytes. Chances and rewards are exact (`rational`) where they are known as fractions.

Unlike the text formats, UMB keeps players, names with spaces, and the ranges of variables.
"""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import MissingExtraError
from oddsmith.model.amounts import Amounts, Rewards
from oddsmith.model.formats.identifiers import identifiers
from oddsmith.model.formats.numerals import check_digits
from oddsmith.model.formats.ordered import in_order
from oddsmith.model.model import Model
from oddsmith.model.variables import Layout, Valuations, Variable
from oddsmith.runtime.whole_files import replacing
from oddsmith.version import __version__


def library() -> Any:
    """The package umbi; a sentence where it is not installed."""
    try:
        import umbi.umb
        import umbi.umb.index
    except ImportError:
        raise MissingExtraError(
            "UMB files need umbi, which is not installed: pip install 'oddsmith[exchange]'."
        ) from None
    return umbi


@contextmanager
def quietly() -> Iterator[None]:
    """Without what umbi says to the log before it raises."""
    import logging

    logger = logging.getLogger("umbi")
    level = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(level)


def write(process: Model, path: Path) -> tuple[str, ...]:
    """Write a process as UMB; gives notes."""
    umbi = library()
    process, notes = _without_underscores(in_order(process))
    archive = _Archive(process)
    with quietly():
        index = umbi.umb.index.UmbIndex.from_json(archive.index())
        index.validate()
    with replacing(path) as file, tarfile.open(fileobj=file, mode="w:gz", compresslevel=1) as tar:
        text = json.dumps(index.to_json(), indent=1).encode()
        for name, data in [("index.json", text), *archive.files()]:
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    if process.kind == "smg" and len(process.players) == 1:
        notes += (f"UMB has no games of one player: {process.name} is written as an mdp.",)
    return notes


def _without_underscores(process: Model) -> tuple[Model, tuple[str, ...]]:
    """No variable whose name begins with two underscores: Storm reads no such file."""
    old = process.valuations.variables
    reserved = [v.name for v in old if v.name.startswith("__")]
    if not reserved:
        return process, ()
    legal = identifiers(reserved, [v.name for v in old])
    called = dict(zip(reserved, legal, strict=True))
    layout = Layout([replace(v, name=called.get(v.name, v.name)) for v in old])
    shown = ", ".join(f"{name} is called {new}" for name, new in called.items())
    valuations = Valuations(layout, process.valuations.packed)
    return replace(process, names=valuations), (f"Storm reads no such names: {shown}.",)


class _Archive:
    """The index and the files of a process."""

    def __init__(self, process: Model) -> None:
        self.process = process
        labels = [name for name in process.labels if name != "init"]
        self.labels = dict(zip(identifiers(labels), labels, strict=True))
        self.rewards = dict(zip(identifiers(process.rewards), process.rewards, strict=True))

    def index(self) -> dict[str, Any]:
        """The index as JSON."""
        p = self.process
        players = {"dtmc": 0, "mdp": 1, "smg": len(p.players)}[p.kind]
        game = players > 1
        system = {
            "time": "discrete",
            "#players": players,
            "#states": p.states,
            "#initial-states": len(p.initial),
            "#choices": p.choices,
            "#choice-actions": len(p.actions),
            "#branches": p.transitions,
            "#branch-actions": 0,
            "#observations": 0,
            "branch-probability-type": _type(p.chance),
        }
        if game:
            system["player-names"] = list(p.players)
        found: dict[str, Any] = {
            "format-version": 1,
            "format-revision": 0,
            "file-data": {"tool": "Oddsmith", "tool-version": __version__},
            "model-data": {"name": p.name},
            "transition-system": system,
            "annotations": self._annotations(),
        }
        if p.valuations.variables:
            found["valuations"] = {"states": {"unique": False, "classes": [self._fields()]}}
        return found

    def _annotations(self) -> dict[str, Any]:
        p = self.process
        truth = {"type": "bool", "size": 1}
        groups: dict[str, Any] = {
            "aps": {
                name: {"alias": alias, "applies-to": ["states"], "type": truth}
                for name, alias in self.labels.items()
            },
            "rewards": {
                name: {
                    "alias": alias,
                    "applies-to": [where for where, _ in _earned(p, p.rewards[alias])],
                    "type": _type(*(earned for _, earned in _earned(p, p.rewards[alias]))),
                }
                for name, alias in self.rewards.items()
            },
        }
        return {name: group for name, group in groups.items() if group}

    def _fields(self) -> dict[str, Any]:
        fields: list[dict[str, Any]] = []
        used = 0
        for v in self.process.valuations.variables:
            signed, size = _field(v)
            kind = "bool" if v.is_bool else "int" if signed else "uint"
            one: dict[str, Any] = {"name": v.name, "type": {"type": kind, "size": size}}
            if not v.is_bool:
                one |= {"lower": v.low, "upper": v.high}
            fields.append(one)
            used += size
        if used % 8:
            fields.append({"padding": 8 - used % 8})
        return {"variables": fields}

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Every file but the index."""
        p = self.process
        initial = np.zeros(p.states, bool)
        initial[p.initial] = True
        yield "state-is-initial.bin", _bits(initial)
        yield "state-to-choices.bin", p.choice.astype("<u8").tobytes()
        if p.owner is not None and p.kind == "smg" and len(p.players) > 1:
            yield "state-to-player.bin", p.owner.astype("<u4").tobytes()
        yield "choice-to-branches.bin", p.row.astype("<u8").tobytes()
        yield "branch-to-target.bin", p.col.astype("<u8").tobytes()
        yield "branch-to-probability.bin", _numbers(p.chance, _type(p.chance))
        yield "actions/choices/values.bin", p.move.astype("<u4").tobytes()
        names = [name.encode() for name in p.actions]
        ends = np.cumsum([0, *map(len, names)])
        yield "actions/choices/string-mapping.bin", ends.astype("<u8").tobytes()
        yield "actions/choices/strings.bin", b"".join(names)
        for name, alias in self.labels.items():
            yield f"annotations/aps/{name}/states/values.bin", _bits(p.labels[alias])
        for name, alias in self.rewards.items():
            earned = _earned(p, p.rewards[alias])
            kind = _type(*(amounts for _, amounts in earned))
            for where, amounts in earned:
                yield f"annotations/rewards/{name}/{where}/values.bin", _numbers(amounts, kind)
        if p.valuations.variables:
            yield "valuations/states/valuations.bin", _packed(p)


def _earned(process: Model, rewards: Rewards) -> list[tuple[str, Amounts]]:
    """What a reward structure gives to states and choices; nothing to states if to none."""
    found = [("states", rewards.state), ("choices", rewards.choice)]
    given = [(where, amounts) for where, amounts in found if amounts is not None]
    nothing = Amounts(np.zeros(process.states, np.int32), np.zeros(1), [Fraction(0)])
    return given or [("states", nothing)]


def _type(*several: Amounts) -> dict[str, Any]:
    """The type of numbers: rational, in as many times 128 bits as it takes, or double."""
    words = 1
    for amounts in several:
        if amounts.exact is None:
            return {"type": "double", "size": 64}
        for x in amounts.exact:
            check_digits(x)
            bits = max(abs(x.numerator).bit_length() + 1, x.denominator.bit_length() + 1)
            words = max(words, -(-bits // 64))
    return {"type": "rational", "size": 128 * words}


def _numbers(amounts: Amounts, kind: dict[str, Any]) -> bytes:
    """The bytes of numbers: a table of the different ones, and a gather."""
    if kind["type"] == "double" or amounts.exact is None:
        return amounts.floats.astype("<f8").tobytes()
    half = kind["size"] // 16
    rows = [
        x.numerator.to_bytes(half, "little", signed=True) + x.denominator.to_bytes(half, "little")
        for x in amounts.exact
    ]
    table = np.frombuffer(b"".join(rows), np.dtype((np.void, 2 * half)))
    return table[amounts.index].tobytes()


def _bits(truths: npt.NDArray[np.bool_]) -> bytes:
    """Truth values, eight to a byte, padded to words of eight bytes."""
    packed = np.packbits(truths, bitorder="little").tobytes()
    return packed + b"\0" * (-len(packed) % 8)


def _field(variable: Variable) -> tuple[bool, int]:
    """Whether a variable's field has a sign, and its bits."""
    if variable.low >= 0:
        return False, max(variable.high.bit_length(), 1)
    return True, max((-1 - variable.low).bit_length(), max(variable.high, 0).bit_length()) + 1


def _packed(process: Model) -> bytes:
    """The variables of every state, each in its bits, lowest bits first."""
    variables = process.valuations.variables
    sizes = [_field(v)[1] for v in variables]
    out = np.zeros((process.states, -(-sum(sizes) // 8)), np.uint8)
    at = 0
    for i, size in enumerate(sizes):
        values = process.valuations.column(i).astype(np.uint64)
        for bit in range(size):
            place = at + bit
            one = (values >> np.uint64(bit) & np.uint64(1)).astype(np.uint8)
            out[:, place // 8] |= one << np.uint8(place % 8)
        at += size
    return out.tobytes()
