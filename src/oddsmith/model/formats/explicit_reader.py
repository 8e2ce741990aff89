"""PRISM's explicit files, read: a `.tra` file and those of the same name beside it.

Every line is checked. Without a `.lab` file state 0 is initial; without a `.sta` file the process
has one variable, `s`. A state without transitions is a deadlock and gets a loop. What the
transitions of a choice earn becomes the mean that the choice earns.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from oddsmith.model.amounts import Amounts, Bools, Rewards
from oddsmith.model.formats.beside import own, own_bases
from oddsmith.model.formats.checked import (
    Int64s,
    chances,
    check_count,
    check_memory,
    initial_states,
    ints,
    is_int64,
    loop_notes,
    numbered,
    valuations_of,
)
from oddsmith.model.formats.numerals import Table, amounts, rounding_notes
from oddsmith.model.model import Model
from oddsmith.model.variables import Valuations
from oddsmith.runtime.whole_files import FormatError, lines, size_of

MOST_CHOICES = 1 << 24


def read(path: Path) -> Model:
    """The process in a `.tra` file and the files beside it."""
    found = _Transitions(path)
    labels, initial = _labels(path.with_suffix(".lab"), found.states)
    labels["deadlock"] = labels["deadlock"] | found.loops
    labels = {"init": labels.pop("init"), "deadlock": labels.pop("deadlock"), **labels}
    tables = [found.table]
    rewards = _rewards(path, found, tables)
    rounding = rounding_notes(*tables)
    return Model(
        kind="dtmc" if found.chain else "mdp",
        choice=found.choice,
        row=found.row,
        col=found.col,
        chances=found.chance,
        initial=initial,
        names=_valuations(path.with_suffix(".sta"), found.states),
        labels=labels,
        rewards=rewards,
        actions=tuple(found.actions) or ("",),
        action=found.action,
        name=path.name,
        notes=(*found.notes, *rounding),
        rounded=bool(rounding),
    )


def _fail(path: Path, line: int, what: str) -> NoReturn:
    raise FormatError(f"{path}:{line}: {what}.")


def _whole(path: Path, line: int, text: str, what: str, below: int) -> int:
    """A whole number from 0 to `below` - 1."""
    if text.isdigit() and len(text) < 19 and text.isascii():
        value = int(text)
        if value < below:
            return value
        _fail(path, line, f"{what} {value} is too large: the largest is {below - 1}")
    _fail(path, line, f"{text[:40]!r} is not a {what}: a whole number is expected")


def _number(path: Path, line: int, text: str, table: Table) -> int:
    """The place of a number in a table."""
    place = table(text)
    if place < 0:
        _fail(path, line, f"{text[:40]!r} is not a number")
    return place


def _content(path: Path) -> Iterator[tuple[int, str]]:
    """The lines that say something."""
    for line, text in lines(path):
        stripped = text.strip()
        if stripped and not stripped.startswith("#"):
            yield line, stripped


def _header(path: Path, content: Iterator[tuple[int, str]]) -> tuple[int, list[int]]:
    line, text = next(content, (1, ""))
    parts = text.split()
    if len(parts) not in (2, 3):
        _fail(path, line, "the first line must be two counts (a chain) or three")
    return line, [_whole(path, line, part, "count", 1 << 62) for part in parts]


class _Transitions:
    """What a `.tra` file says."""

    def __init__(self, path: Path) -> None:
        self.path = path
        size = size_of(path)
        content = _content(path)
        line, counts = _header(path, content)
        self.states, announced = counts[0], counts[-1]
        self.chain = len(counts) == 2
        self.actions: dict[str, int] = {}
        if self.states < 1:
            _fail(path, line, "a model has at least one state")
        check_count(f"{path}:{line}", self.states, "states", size, 1)
        check_count(f"{path}:{line}", announced, "transitions", size, 6)
        self._read(content)
        if len(self.target) != announced:
            _fail(path, line, f"{announced:,} transitions announced, {len(self.target):,} found")
        self._arrange()
        if not self.chain and len(counts) == 3 and self.announced_choices != counts[1]:
            _fail(path, line, f"{counts[1]:,} choices announced, {self.announced_choices:,} found")

    def _read(self, content: Iterator[tuple[int, str]]) -> None:
        path, states = self.path, self.states
        self.source, self.target, self.option = array("q"), array("q"), array("q")
        self.place, self.line, self.named = array("q"), array("q"), array("q")
        self.table = Table()
        least = 3 if self.chain else 4
        for line, text in content:
            parts = text.split()
            if not least <= len(parts) <= least + 1:
                _fail(path, line, f"{least} or {least + 1} entries are expected, not {len(parts)}")
            self.source.append(_whole(path, line, parts[0], "state", states))
            if not self.chain:
                self.option.append(_whole(path, line, parts[1], "choice", MOST_CHOICES))
            self.target.append(_whole(path, line, parts[least - 2], "state", states))
            self.place.append(_number(path, line, parts[least - 1], self.table))
            name = parts[least] if len(parts) > least else ""
            self.named.append(self.actions.setdefault(name, len(self.actions)))
            self.line.append(line)
        if self.chain:
            self.option = array("q", bytes(8 * len(self.source)))

    def _arrange(self) -> None:
        """Rows from lines in any order; a loop where there is none."""
        source, option, target = map(ints, (self.source, self.option, self.target))
        line, named = ints(self.line), ints(self.named)
        order = np.lexsort((target, option, source))
        s, o, t = source[order], option[order], target[order]
        new = np.ones(len(s), bool)
        new[1:] = (s[1:] != s[:-1]) | (o[1:] != o[:-1])
        twice = ~new[1:] & (t[1:] == t[:-1])
        if twice.any():
            at = order[1:][twice].max()
            _fail(self.path, int(line[at]), f"state {target[at]} is a target of this choice twice")
        begin = np.flatnonzero(new)
        chooser = s[begin]
        counts = np.bincount(chooser, minlength=self.states)
        self.announced_choices = len(begin)
        start = np.concatenate([[0], np.cumsum(counts)])
        wrong = np.flatnonzero(o[begin] != np.arange(len(begin)) - start[chooser])
        if len(wrong):
            at = order[begin[wrong[0]]]
            what = f"choice {option[at]} of state {source[at]} has no choice before it"
            _fail(self.path, int(line[at]), what)
        action = named[order[begin]]
        differs = np.flatnonzero(named[order] != np.repeat(action, np.diff([*begin, len(s)])))
        if len(differs):
            at = order[differs[0]]
            _fail(self.path, int(line[at]), "another line of this choice has another action")
        row = np.append(begin, len(s)).astype(np.int64)
        first_line = np.array([], np.int64)
        if len(s):
            first_line = np.minimum.reduceat(line[order], begin)
        chance, notes = chances(
            row,
            ints(self.place)[order],
            self.table.exact,
            chooser,
            lambda c: f"{self.path}:{first_line[c]}",
        )
        self.loops = counts == 0
        self._with_loops(row, t, chance, action, counts)
        self.notes = notes + loop_notes(int(np.count_nonzero(self.loops)))

    def _with_loops(
        self, row: Int64s, col: Int64s, chance: Amounts, action: Int64s, counts: Int64s
    ) -> None:
        loops = self.loops
        self.choice = np.concatenate([[0], np.cumsum(counts + loops)]).astype(np.int64)
        if not loops.any():
            self.row, self.col, self.chance = row, col.astype(np.int32), chance
            self.action = action.astype(np.int32)
            return
        no_name = self.actions.setdefault("", len(self.actions))
        is_loop = np.zeros(self.choice[-1], bool)
        is_loop[self.choice[:-1][loops]] = True
        width = np.ones(len(is_loop), np.int64)
        width[~is_loop] = np.diff(row)
        self.row = np.concatenate([[0], np.cumsum(width)]).astype(np.int64)
        of_loop = np.repeat(is_loop, width)
        self.col = np.empty(len(of_loop), np.int32)
        self.col[of_loop] = np.flatnonzero(loops)
        self.col[~of_loop] = col
        exact = list(chance.exact or [])
        one = exact.index(Fraction(1)) if Fraction(1) in exact else len(exact)
        index = np.full(len(of_loop), one, np.int32)
        index[~of_loop] = chance.index
        self.chance = amounts(index, [*exact, *([] if one < len(exact) else [Fraction(1)])])
        self.action = np.full(len(is_loop), no_name, np.int32)
        self.action[~is_loop] = action


def _labels(path: Path, states: int) -> tuple[dict[str, Bools], Int64s]:
    nothing = np.zeros(states, bool)
    if not path.exists():
        first = nothing.copy()
        first[0] = True
        return {"init": first, "deadlock": nothing}, np.array([0], np.int64)
    content = _content(path)
    line, text = next(content, (1, ""))
    if not re.fullmatch(r'(\d+="[^"]+"\s*)+', text):
        _fail(path, line, 'the first line must be like 0="init" 1="deadlock"')
    names = re.findall(r'(\d+)="([^"]+)"', text)
    check_memory(path, len(names), states)
    sets: dict[str, Bools] = {}
    for place, (given, name) in enumerate(names):
        if int(given) != place or name in sets:
            _fail(path, line, f"label {given}={name!r} is out of order or there twice")
        sets[name] = np.zeros(states, bool)
    by_number = list(sets.values())
    for line, text in content:
        state_text, colon, found = text.partition(":")
        if not colon:
            _fail(path, line, "a state, a colon and the numbers of labels are expected")
        state = _whole(path, line, state_text.strip(), "state", states)
        for one in found.split():
            by_number[_whole(path, line, one, "label", len(by_number))][state] = True
    sets.setdefault("deadlock", nothing)
    sets.setdefault("init", np.zeros(states, bool))
    return sets, initial_states(path, sets)


def _valuations(path: Path, states: int) -> Valuations:
    if not path.exists():
        return numbered(states)
    content = _content(path)
    line, text = next(content, (1, ""))
    header = re.fullmatch(r"\(\s*([A-Za-z_]\w*(\s*,\s*[A-Za-z_]\w*)*)?\s*\)", text)
    if not header:
        _fail(path, line, "the first line must be like (x,y)")
    names = [name.strip() for name in (header[1] or "").split(",") if name.strip()]
    if len(set(names)) != len(names):
        _fail(path, line, "a variable is there twice")
    rows = array("q")
    truths: list[bool | None] = [None] * len(names)
    count = 0
    for line, text in content:
        found = re.fullmatch(r"(\d+)\s*:\s*\(([^()]*)\)", text)
        if not found or count >= states or found[1] != str(count):
            _fail(path, line, f"state {count} of {states} is expected here, like {count}:(1,false)")
        values = [x.strip() for x in found[2].split(",")] if found[2].strip() else []
        if len(values) != len(names):
            _fail(path, line, f"{len(names)} values are expected, not {len(values)}")
        for i, value in enumerate(values):
            truth = value in ("true", "false")
            if truths[i] is None:
                truths[i] = truth
            if truth != truths[i] or not (truth or is_int64(value)):
                _fail(path, line, f"{value[:40]!r} is not a value of {names[i]}")
            rows.append(value == "true" if truth else int(value))
        count += 1
    if count != states:
        _fail(path, line, f"{states:,} states are expected, {count:,} found")
    table = ints(rows).reshape(states, len(names))
    columns = [table[:, i] for i in range(len(names))]
    if not names:
        return numbered(states)
    return valuations_of(names, columns, [bool(x) for x in truths])


def _rewards(path: Path, found: _Transitions, tables: list[Table]) -> dict[str, Rewards]:
    rewards: dict[str, Rewards] = {}
    bases = list(own_bases(path))
    for number, base in enumerate(bases, 1):
        of_state = base.with_name(f"{base.name}.srew")
        of_choice = base.with_name(f"{base.name}.trew")
        there = own(path, base)
        names = [name for name in map(_name, there) if name]
        name = names[0] if names else "reward" if len(bases) == 1 else f"reward{number}"
        if name in rewards:
            raise FormatError(f"{path}: two reward structures beside it are called {name!r}.")
        rewards[name] = Rewards(
            _state_rewards(of_state, found, tables) if of_state in there else None,
            _choice_rewards(of_choice, found, tables) if of_choice in there else None,
        )
    return rewards


def _name(path: Path) -> str:
    """The name of a reward structure, in the comments that begin its file."""
    for _, text in lines(path):
        if not text.startswith("#"):
            break
        if found := re.fullmatch(r'#\s*Reward structure\s+"?([^"]+?)"?\s*', text):
            return found[1]
    return ""


def _state_rewards(path: Path, found: _Transitions, tables: list[Table]) -> Amounts | None:
    content = _content(path)
    line, counts = _header(path, content)
    if counts[0] != found.states:
        _fail(path, line, f"{counts[0]:,} states announced, the model has {found.states:,}")
    table = Table()
    tables.append(table)
    index = np.full(found.states, table.add(Fraction(0)), np.int32)
    count = 0
    for line, text in content:
        parts = text.split()
        if len(parts) != 2:
            _fail(path, line, f"a state and a number are expected, not {len(parts)} entries")
        place = _number(path, line, parts[1], table)
        index[_whole(path, line, parts[0], "state", found.states)] = place
        count += 1
    if count != counts[-1]:
        raise FormatError(f"{path}: {counts[-1]:,} rewards announced, {count:,} found.")
    return amounts(index, table.exact) if index.any() else None


def _choice_rewards(path: Path, found: _Transitions, tables: list[Table]) -> Amounts | None:
    """The mean over the outcomes of a choice of what its transitions earn."""
    content = _content(path)
    line, counts = _header(path, content)
    if counts[0] != found.states or len(counts) != (2 if found.chain else 3):
        _fail(path, line, "the counts are not those of the model")
    table = Table()
    tables.append(table)
    zero = table.add(Fraction(0))
    least = 3 if found.chain else 4
    source, option, target = array("q"), array("q"), array("q")
    place, at_line = array("q"), array("q")
    for line, text in content:
        parts = text.split()
        if len(parts) != least:
            _fail(path, line, f"{least} entries are expected, not {len(parts)}")
        source.append(_whole(path, line, parts[0], "state", found.states))
        option.append(0 if found.chain else _whole(path, line, parts[1], "choice", MOST_CHOICES))
        target.append(_whole(path, line, parts[least - 2], "state", found.states))
        place.append(_number(path, line, parts[least - 1], table))
        at_line.append(line)
    if len(place) != counts[-1]:
        raise FormatError(f"{path}: {counts[-1]:,} rewards announced, {len(place):,} found.")
    if not len(place):
        return None
    # Where each line's transition is among those of the model.
    state = ints(source)
    choice = found.choice[state] + ints(option)
    chooses = choice < found.choice[state + 1]
    keys = np.repeat(np.arange(len(found.row) - 1), np.diff(found.row)) * found.states + found.col
    key = np.where(chooses, choice * found.states + ints(target), -1)
    at = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
    missing = np.flatnonzero(keys[at] != key)
    if len(missing):
        first = int(missing[0])
        what = f"the model has no such transition from {source[first]} to {target[first]}"
        _fail(path, at_line[first], what)
    earned = np.full(len(found.col), zero, np.int32)
    earned[at] = ints(place)
    return _means(found, earned, table) if earned.any() else None


def _means(found: _Transitions, earned: npt.NDArray[np.int32], table: Table) -> Amounts:
    lowest = np.minimum.reduceat(earned, found.row[:-1])
    highest = np.maximum.reduceat(earned, found.row[:-1])
    index = lowest.copy()
    exact = found.chance.exact
    assert exact is not None
    for choice in np.flatnonzero(lowest != highest):
        first, last = found.row[choice], found.row[choice + 1]
        mean = sum(
            (exact[found.chance.index[t]] * table.exact[earned[t]] for t in range(first, last)),
            Fraction(0),
        )
        index[choice] = table.add(mean)
    return amounts(index, table.exact)
