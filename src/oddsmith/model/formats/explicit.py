"""PRISM's explicit files: `.tra`, `.lab`, `.sta`, `.srew`, `.trew`.

The files of PRISM 4.8 and later (manual, appendix "Explicit Model Files"), read there by
`prism -importmodel model.all`:

- `.tra`: `states transitions`, then `from to chance action` (a chain); or `states choices
  transitions`, then `from choice to chance action` (a decision process);
- `.lab`: `0="init" 1="deadlock" …`, then `state: labels`;
- `.sta`: `(x,y)`, then `state:(1,false)`;
- `.srew`, `.trew`: the name of the structure in a comment, the counts, then what each state, or
  each transition, earns. Several structures are `model1.srew`, `model2.srew`, …, and each has
  both files, so that PRISM knows them by the same number.

Numbers are decimals: exact where that takes few digits, otherwise rounded to floats, and then a
note says so. With `fractions` they are fractions, which `prism -exact` reads; PRISM's other engines
do not (`Double.parseDouble` in prism/Evaluator.java). Storm does not read these files: its
"explicit" format is another (a first line `dtmc`, labels by name). Give it DRN or UMB.

All the files are one export: they are written together or not at all, and reward files of an
earlier one do not stay beside it (`beside`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from oddsmith.errors import OptionError
from oddsmith.model.amounts import Amounts, Ints
from oddsmith.model.formats.beside import STAMP, make_room, reward_files
from oddsmith.model.formats.flat import (
    decimal_notes,
    with_identifiers,
    without_players,
)
from oddsmith.model.formats.numerals import texts
from oddsmith.model.formats.ordered import in_order
from oddsmith.model.formats.spell import AT_ONCE, Pieces, Tokens, number
from oddsmith.model.model import Model
from oddsmith.runtime.whole_files import Parts, together

NAME = "PRISM's explicit format"
BESIDE = (".lab", ".sta", ".srew", ".trew")


def write(process: Model, path: Path, *, fractions: bool = False) -> tuple[str, ...]:
    """Write all the files of a process; `path` names the `.tra` file. Gives notes."""
    if path.suffix.lower() in BESIDE:
        raise OptionError(
            f"{path}: a name that ends in {path.suffix} is for a file beside the transitions; "
            "end it in .tra."
        )
    process, notes = without_players(process, NAME)
    process, renamed = with_identifiers(in_order(process), NAME)
    rewards = reward_files(path, len(process.rewards))
    with together(path) as parts:
        stale = make_room(path, rewards)
        for old in stale:
            parts.drop(old)
        write_rewards(process, path, parts, fractions)
        write_states(process, path.with_suffix(".sta"), parts)
        write_labels(process, path.with_suffix(".lab"), parts)
        write_transitions(process, path, parts, fractions)
    if stale:
        shown = ", ".join(old.name for old in stale)
        notes += (f"Rewards of an earlier export to {path.name} were removed: {shown}.",)
    return (*notes, *renamed, *decimal_notes(process, fractions))


def write_transitions(process: Model, path: Path, parts: Parts, fractions: bool) -> None:
    """Write a `.tra` file."""
    pieces = Pieces()
    space = pieces(" ")
    chance = pieces.all([f" {text}" for text in texts(process.chance, fractions)])
    action = pieces.all([f" {name}\n" if name else "\n" for name in process.actions])
    of_choice = action[process.move]
    with parts.file(path) as file:
        file.write((" ".join(map(str, _counts(process, process.transitions))) + "\n").encode())
        for first, last, fields in _transitions(process, space):
            chances = chance[process.chance.index[first:last]]
            actions = of_choice[_choices(process, first, last)]
            pieces.write(file, np.stack([*fields, chances, actions], axis=1))


def _counts(process: Model, transitions: int) -> list[int]:
    chain = process.kind == "dtmc"
    return [process.states, *([] if chain else [process.choices]), transitions]


def _choices(process: Model, first: int, last: int) -> Ints:
    """The choice that each of some transitions belongs to."""
    return np.searchsorted(process.row, np.arange(first, last), side="right") - 1


def _transitions(process: Model, space: int) -> Iterator[tuple[int, int, list[Tokens]]]:
    """Transitions, some at a time: `from choice to`, or `from to` in a chain."""
    for first in range(0, process.transitions, AT_ONCE):
        last = min(first + AT_ONCE, process.transitions)
        spaces = np.full(last - first, space, np.int64)
        choice = _choices(process, first, last)
        state = process.chooser[choice].astype(np.int64)
        fields = [number(state), spaces]
        if process.kind != "dtmc":
            fields += [number(choice - process.choice[state]), spaces]
        yield first, last, [*fields, number(process.col[first:last])]


def write_labels(process: Model, path: Path, parts: Parts) -> None:
    """Write a `.lab` file."""
    pieces = Pieces()
    header = " ".join(f'{i}="{name}"' for i, name in enumerate(process.labels))
    sets = np.array(list(process.labels.values()), bool).reshape(len(process.labels), -1)
    marks = pieces.all([f" {i}" for i in range(len(process.labels))])
    colon, end, nothing = pieces(":"), pieces("\n"), pieces("")
    with parts.file(path) as file:
        file.write(f"{header}\n".encode())
        for first in range(0, process.states, AT_ONCE):
            some = sets[:, first : first + AT_ONCE]
            shown = np.flatnonzero(some.any(axis=0))
            tokens = np.full((len(shown), len(marks) + 3), end, np.int64)
            tokens[:, 0] = number(shown + first)
            tokens[:, 1] = colon
            tokens[:, 2:-1] = np.where(some[:, shown].T, marks, nothing)
            pieces.write(file, tokens)


def write_states(process: Model, path: Path, parts: Parts) -> None:
    """Write a `.sta` file."""
    pieces = Pieces()
    variables = process.valuations.variables
    with parts.file(path) as file:
        file.write(f"({','.join(v.name for v in variables)})\n".encode())
        for first in range(0, process.states, AT_ONCE):
            last = min(first + AT_ONCE, process.states)
            columns = [number(np.arange(first, last))]
            for i, v in enumerate(variables):
                found = process.valuations.layout.unpack(process.valuations.packed[first:last], i)
                values, index = np.unique(found, return_inverse=True)
                shown = [str(bool(x)).lower() if v.is_bool else str(x) for x in values.tolist()]
                mark = "," if i else ":("
                columns.append(pieces.all([f"{mark}{x}" for x in shown])[index])
            closing = pieces(")\n" if variables else ":()\n")
            columns.append(np.full(last - first, closing, np.int64))
            pieces.write(file, np.stack(columns, axis=1))


def write_rewards(process: Model, path: Path, parts: Parts, fractions: bool) -> None:
    """Write the `.srew` and `.trew` files of every reward structure."""
    files = iter(reward_files(path, len(process.rewards)))
    for name, rewards in process.rewards.items():
        title = f'# Reward structure "{name}"\n{STAMP}"{" ".join(path.name.split())}"\n'
        with parts.file(next(files)) as file:
            _write_state_rewards(process, rewards.state, title, file, fractions)
        with parts.file(next(files)) as file:
            _write_choice_rewards(process, rewards.choice, title, file, fractions)


def _write_state_rewards(
    process: Model, earned: Amounts | None, title: str, file: IO[bytes], fractions: bool
) -> None:
    pieces = Pieces()
    shown = np.empty(0, np.int64)
    spelled = np.empty((0, 2), np.int64)
    if earned is not None:
        shown = np.flatnonzero(earned.values[earned.index])
        values = pieces.all([f" {text}\n" for text in texts(earned, fractions)])
        spelled = np.stack([number(shown), values[earned.index[shown]]], axis=1)
    file.write(f"{title}# State rewards\n{process.states} {len(shown)}\n".encode())
    pieces.write(file, spelled)


def _write_choice_rewards(
    process: Model, earned: Amounts | None, title: str, file: IO[bytes], fractions: bool
) -> None:
    """Every transition of a choice earns what the choice earns."""
    pieces = Pieces()
    space = pieces(" ")
    width = np.diff(process.row)
    earns = np.zeros(process.choices, bool) if earned is None else earned.floats != 0
    file.write(f"{title}# Transition rewards\n".encode())
    counts = _counts(process, int(width[earns].sum()))
    file.write((" ".join(map(str, counts)) + "\n").encode())
    if earned is None:
        return
    values = pieces.all([f" {text}\n" for text in texts(earned, fractions)])
    for first, last, fields in _transitions(process, space):
        choice = _choices(process, first, last)
        tokens = np.stack([*fields, values[earned.index[choice]]], axis=1)
        pieces.write(file, tokens[earns[choice]])
