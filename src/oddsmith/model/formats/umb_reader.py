"""UMB, read: discrete-time chains, decision processes and turn-based games.

The index is checked by umbi, the arrays are read by NumPy and checked here: sizes against the
index, pointers against each other, chances against one. An archive is unpacked only as far as
memory reaches, and no member is larger than the index lets it be.
"""

from __future__ import annotations

import json
import tarfile
import zlib
from fractions import Fraction
from itertools import pairwise
from lzma import LZMAError
from pathlib import Path
from typing import IO, Any, NoReturn

import numpy as np
import numpy.typing as npt

from oddsmith.model.amounts import Amounts, Bools, Rewards
from oddsmith.model.dense import dense
from oddsmith.model.formats.checked import MOST_STATES, chances, numbered
from oddsmith.model.formats.numerals import ROUNDED, amounts, decimal, is_long
from oddsmith.model.formats.ordered import in_order
from oddsmith.model.formats.umb import library, quietly
from oddsmith.model.model import Kind, Model
from oddsmith.model.variables import Layout, Valuations, Variable
from oddsmith.runtime import memory
from oddsmith.runtime.reading import require_plain
from oddsmith.runtime.whole_files import FormatError, reason, size_of

LARGEST_INDEX = 1 << 26
"""Bytes of the largest index that is read."""


LARGEST_RATIONAL = 1 << 12
"""Bytes of the largest fraction that is read."""
LARGEST_STATE = 1 << 20
"""Bits of the largest state that is read."""


def read(path: Path) -> Model:
    """The process in a UMB file."""
    library()
    size_of(path)
    return in_order(_Reader(path).process())


class _Reader:
    """A UMB file on its way to a process."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files = self._unpack()
        self.index = self._index()
        self.system = self.index["transition-system"]
        self.notes: tuple[str, ...] = ()
        self.rounded = False
        """Whether it has floating-point numbers that are likely to have been rounded."""

    def fail(self, what: str) -> NoReturn:
        """Say what is wrong with the file."""
        raise FormatError(f"{self.path}: {what}.")

    def _unpack(self) -> dict[str, bytes]:
        require_plain(self.path)
        free = memory.available() or 1 << 34
        found: dict[str, bytes] = {}
        total = 0
        try:
            with tarfile.open(self.path, "r:*") as tar:
                for member in tar:
                    if not member.isfile():
                        continue
                    total += member.size
                    large = member.name == "index.json" and member.size > LARGEST_INDEX
                    if large or total > free // 8:
                        self.fail(
                            f"unpacked it is too large for memory: {memory.shown(total)} or more"
                        )
                    content: IO[bytes] | None = tar.extractfile(member)
                    found[member.name] = content.read() if content else b""
        except OSError as error:
            if isinstance(error, FileNotFoundError | PermissionError):
                self.fail(f"the file could not be read: {reason(error)}")
            self.fail("this is not a UMB file: its archive is damaged")
        except (tarfile.TarError, EOFError, zlib.error, LZMAError, ValueError):
            self.fail("this is not a UMB file: no archive, or a damaged one")
        return found

    def _index(self) -> dict[str, Any]:
        umbi = library()
        try:
            index = json.loads(self.files["index.json"].decode())
            for described in index.get("valuations", {}).values():
                for one in described.get("classes", []):
                    for field in one.get("variables", []):
                        # umbi 0.2 refuses offsets, which Storm writes; they are kept for later.
                        if "offset" in field:
                            field["x-offset"] = field.pop("offset")
            with quietly():
                umbi.umb.index.UmbIndex.from_json(index).validate()
        except KeyError:
            self.fail("this is not a UMB file: it has no index.json")
        except RecursionError:
            self.fail("its index.json is nested too deeply")
        except Exception as error:  # umbi raises many kinds
            self.fail(f"its index.json is not right ({_first_line(error)})")
        found: dict[str, Any] = index
        return found

    def array(self, name: str, kind: str, count: int) -> npt.NDArray[Any]:
        """A file as numbers, as many as the index says."""
        width = np.dtype(kind).itemsize
        data = self.files.get(name)
        if data is None:
            self.fail(f"{name} is missing")
        if len(data) != width * count:
            self.fail(f"{name} has {len(data):,} bytes, not {width * count:,}")
        return np.frombuffer(data, kind)

    def bits(self, name: str, count: int) -> Bools:
        """A file as truth values."""
        data = self.files.get(name)
        if data is None or not -(-count // 8) <= len(data) <= -(-count // 64) * 8:
            self.fail(f"{name} is missing or has the wrong length")
        found = np.unpackbits(np.frombuffer(data, np.uint8), count=count, bitorder="little")
        return found.astype(bool)

    def pointers(self, name: str, count: int, end: int) -> npt.NDArray[np.int64]:
        """A file as pointers that rise from 0 to `end`."""
        found = self.array(name, "<u8", count + 1)
        if found[0] != 0 or found[-1] != end or bool(np.any(found[1:] <= found[:-1])):
            self.fail(
                f"{name} does not rise from 0 to {end:,}: a state without choices, a choice "
                "without branches, or damage"
            )
        return found.astype(np.int64)

    def numbers(self, name: str, described: dict[str, Any], count: int) -> Amounts:
        """A file as numbers, exact where they are rational."""
        kind, size = described["type"], described.get("size")
        if kind == "double":
            floats = self.array(name, "<f8", count)
            if not bool(np.all(np.isfinite(floats))):
                self.fail(f"{name} has a number that is not finite")
            values, index = np.unique(floats, return_inverse=True)
            self.rounded |= any(is_long(decimal(x)) for x in values.tolist())
            return amounts(index, [Fraction(float(x)) for x in values])
        if kind != "rational":
            self.fail(f"{name}: numbers of type {kind} are not read")
        width = (size or 128) // 8
        if width % 2 or not 2 <= width <= LARGEST_RATIONAL:
            self.fail(f"{name}: rational numbers of {size} bits are not read")
        raw = np.frombuffer(self.array(name, f"V{width}", count).tobytes(), np.uint8)
        table, index = _different(raw.reshape(count, width))
        exact = []
        for one in table:
            bottom = int.from_bytes(one[width // 2 :].tobytes(), "little")
            if not bottom:
                self.fail(f"{name} has a number divided by 0")
            top = int.from_bytes(one[: width // 2].tobytes(), "little", signed=True)
            exact.append(Fraction(top, bottom))
        return amounts(index, exact)

    def process(self) -> Model:
        """The process that was read."""
        system = self.system
        if system["time"] != "discrete" or system["#observations"]:
            self.fail("only models in discrete time without observations are read")
        states, choices, branches = (system[f"#{n}"] for n in ("states", "choices", "branches"))
        if max(states, choices, branches) > MOST_STATES:
            self.fail("the model is too large")
        choice = self.pointers("state-to-choices.bin", states, choices)
        row = self.pointers("choice-to-branches.bin", choices, branches)
        target = self.array("branch-to-target.bin", "<u8", branches)
        if bool(np.any(target >= states)):
            self.fail(f"a target is no state: the largest is {states - 1}")
        chance = self._chances(choice, row)
        kind, players, owner = self._players(states, choices)
        initial = self.bits("state-is-initial.bin", states)
        if not initial.any():
            self.fail("no state is initial")
        aps = self._labels(states)
        labels = {"init": initial, "deadlock": aps.pop("deadlock", np.zeros(states, bool)), **aps}
        actions, action = self._actions(choices)
        valuations = self._valuations(states)
        name = self.index.get("model-data", {}).get("name")
        rewards = self._rewards(states, row, chance)
        if self.rounded:
            self.notes += (ROUNDED.format("floating-point numbers"),)
        return Model(
            kind=kind,
            choice=choice,
            row=row,
            col=target.astype(np.int32),
            chances=chance,
            initial=np.flatnonzero(initial).astype(np.int64),
            names=valuations,
            labels=labels,
            rewards=rewards,
            actions=actions,
            action=action,
            players=players,
            owner=owner,
            name=name or self.path.name,
            notes=self.notes,
            rounded=self.rounded,
        )

    def _chances(self, choice: npt.NDArray[np.int64], row: npt.NDArray[np.int64]) -> Amounts:
        kind = self.system.get("branch-probability-type")
        if kind is None:
            self.fail("the model has no chances")
        found = self.numbers("branch-to-probability.bin", kind, int(row[-1]))
        assert found.exact is not None
        chooser = np.repeat(np.arange(len(choice) - 1), np.diff(choice))
        chance, notes = chances(row, found.index, found.exact, chooser, lambda c: str(self.path))
        self.notes += notes
        return chance

    def _players(
        self, states: int, choices: int
    ) -> tuple[Kind, tuple[str, ...], npt.NDArray[np.int8] | None]:
        count = self.system["#players"]
        if count == 0:
            if choices != states:
                self.fail("it has no players, but a state with several choices")
            return "dtmc", (), None
        if count == 1:
            return "mdp", (), None
        if count > 127:
            self.fail(f"{count} players are too many")
        owner = self.array("state-to-player.bin", "<u4", states)
        if bool(np.any(owner >= count)):
            self.fail("a state belongs to no player")
        return "smg", tuple(self.system["player-names"]), owner.astype(np.int8)

    def _group(self, name: str) -> list[tuple[str, str, dict[str, Any]]]:
        """The annotations of a group: key, name for people, description."""
        found = self.index.get("annotations", {}).get(name, {})
        return [(key, one.get("alias") or key, one) for key, one in found.items()]

    def _labels(self, states: int) -> dict[str, Bools]:
        return {
            alias: self.bits(f"annotations/aps/{key}/states/values.bin", states)
            for key, alias, one in self._group("aps")
            if "states" in one.get("applies-to", []) and alias != "init"
        }

    def _rewards(
        self, states: int, row: npt.NDArray[np.int64], chance: Amounts
    ) -> dict[str, Rewards]:
        rewards = {}
        counts = {"states": states, "choices": len(row) - 1, "branches": int(row[-1])}
        for key, alias, one in self._group("rewards"):
            given = {
                where: self.numbers(
                    f"annotations/rewards/{key}/{where}/values.bin", one["type"], counts[where]
                )
                for where in one.get("applies-to", [])
            }
            if "branches" in given:
                self.fail(f"the rewards {alias} of single branches are not read")
            rewards[alias] = Rewards(_some(given.get("states")), _some(given.get("choices")))
        return rewards

    def _actions(self, choices: int) -> tuple[tuple[str, ...], npt.NDArray[np.int32] | None]:
        count = self.system["#choice-actions"]
        if not count:
            return ("",), None
        if count > MOST_STATES or count * 8 > len(
            self.files.get("actions/choices/string-mapping.bin", b"")
        ):
            return self._unnamed(count, choices)
        ends = self.array("actions/choices/string-mapping.bin", "<u8", count + 1).tolist()
        strings = self.files.get("actions/choices/strings.bin", b"")
        if sorted(ends) != ends or ends[-1] > len(strings):
            self.fail("the names of actions are not where they should be")
        try:
            names = tuple(strings[a:b].decode() for a, b in pairwise(ends))
        except UnicodeDecodeError:
            self.fail("the names of actions are not text")
        return names, self._action(count, choices)

    def _unnamed(
        self, count: int, choices: int
    ) -> tuple[tuple[str, ...], npt.NDArray[np.int32] | None]:
        if count > choices:
            self.fail(f"{count:,} actions are more than there are choices")
        return tuple(f"a{i}" for i in range(count)), self._action(count, choices)

    def _action(self, count: int, choices: int) -> npt.NDArray[np.int32]:
        if "actions/choices/values.bin" not in self.files:
            return np.zeros(choices, np.int32)
        action = self.array("actions/choices/values.bin", "<u4", choices)
        if bool(np.any(action >= count)):
            self.fail("a choice has an action that there is not")
        return action.astype(np.int32)

    def _offset(self, field: dict[str, Any]) -> int:
        offset = field.get("x-offset") or 0
        if not isinstance(offset, int) or abs(offset) >= 1 << 60:
            self.fail("a variable has an offset that is no whole number")
        return offset

    def _valuations(self, states: int) -> Valuations:
        described = self.index.get("valuations", {}).get("states")
        if described is None:
            return numbered(states)
        classes = described["classes"]
        fields = [f for f in classes[0]["variables"] if "padding" not in f]
        kinds = {f["type"]["type"] for f in fields}
        names = [f["name"] for f in fields]
        plain = not any(f.get("is-optional") for f in fields) and len(set(names)) == len(names)
        wide = any(f["type"].get("size", 64) > 64 for f in fields)
        if len(classes) != 1 or not kinds <= {"bool", "int", "uint"} or not plain or wide:
            self.notes += ("Its variables are not all whole numbers or truth values; left out.",)
            return numbered(states)
        total = sum(f.get("padding") or _size(f) for f in classes[0]["variables"])
        if total % 8 or not fields or total > LARGEST_STATE:
            self.fail("the variables of a state do not fill whole bytes, or too many")
        data = self.array("valuations/states/valuations.bin", f"V{total // 8}", states)
        raw = np.frombuffer(data.tobytes(), np.uint8).reshape(states, total // 8)
        variables, columns, at = [], [], 0
        for one in classes[0]["variables"]:
            if "padding" in one:
                at += one["padding"]
                continue
            column = _extract(raw, at, _size(one), one["type"]["type"] == "int")
            column += self._offset(one)
            at += _size(one)
            truth = one["type"]["type"] == "bool"
            low, high = (0, 1) if truth else _range(one, column)
            variables.append(Variable(one["name"], low, high, truth))
            columns.append(column)
        layout = Layout(variables)
        return Valuations(layout, layout.pack(columns))


def _different(rows: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.uint8], npt.NDArray[Any]]:
    """The different rows, and which of them each row is; eight bytes at a time where it goes."""
    index = np.zeros(len(rows), np.int64)
    for at in range(0, rows.shape[1], 8):
        part = np.zeros((len(rows), 8), np.uint8)
        part[:, : rows.shape[1] - at] = rows[:, at : at + 8]
        _, place = dense(part.view("<u8").reshape(-1))
        _, index = dense(index * (int(place.max(initial=0)) + 1) + place)
    _, first = np.unique(index, return_index=True)
    return rows[first], index


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200].rstrip(".")


def _some(given: Amounts | None) -> Amounts | None:
    """None where nothing is earned."""
    return given if given is not None and bool(np.any(given.floats != 0)) else None


def _size(field: dict[str, Any]) -> int:
    return int(field["type"].get("size") or (1 if field["type"]["type"] == "bool" else 64))


def _range(field: dict[str, Any], column: npt.NDArray[np.int64]) -> tuple[int, int]:
    """The range that the file says, if the values are in it and it is one; else what occurs."""
    low, high = int(column.min()), int(column.max())
    lower, upper = field.get("lower"), field.get("upper")
    if not (isinstance(lower, int) and isinstance(upper, int)):
        return low, high
    fits = -(1 << 62) < lower <= low and high <= upper < 1 << 62
    return (lower, upper) if fits else (low, high)


def _extract(raw: npt.NDArray[np.uint8], at: int, size: int, signed: bool) -> npt.NDArray[np.int64]:
    """A field of some bits, in every state."""
    found = np.zeros(len(raw), np.uint64)
    for bit in range(size):
        place = at + bit
        one = (raw[:, place // 8] >> np.uint8(place % 8)) & np.uint8(1)
        found |= one.astype(np.uint64) << np.uint64(bit)
    values = found.view(np.int64).copy()
    if signed and size < 64:
        values -= (values >> (size - 1)) << size
    return values
