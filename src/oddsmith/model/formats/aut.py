"""Aldebaran (`.aut`) as mCRL2 reads it: labelled transition systems with probabilities.

    des (0,3,4)
    (0,"roll",1 1/3 2)

After the action come the targets with the chances between them; the last has what is left (mCRL2,
`liblts_aut.cpp`). A choice is one transition, so `ltsinfo` counts choices. Chances are fractions:
where they are not known as such, the floats are taken at their word. Labels of states, variables
and rewards have no place in the format, and a process has one initial state in it; several begin
with equal chances.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

from oddsmith.errors import OddsmithError
from oddsmith.model.formats.flat import with_identifiers
from oddsmith.model.formats.ordered import in_order
from oddsmith.model.formats.spell import AT_ONCE, Pieces, number
from oddsmith.model.model import Model
from oddsmith.runtime.whole_files import replacing

NO_NAME = "tau"
"""The action of a choice that has none."""
RESERVED = (
    NO_NAME,
    "delta",
    "act",
    "sum",
    "dist",
    "proc",
    "cons",
    "sort",
    "struct",
    "eqn",
    "block",
)
"""Words of mCRL2 that an action cannot be called."""


def write(process: Model, path: Path) -> tuple[str, ...]:
    """Write a process for mCRL2; gives notes."""
    process, _ = with_identifiers(in_order(process), "Aldebaran", RESERVED)
    pieces = Pieces()
    exact = process.chance.exact or [Fraction(float(x)) for x in process.chance.values]
    # A chance, then the next target; after the last target, nothing but the bracket.
    chance = pieces.all([f" {x.numerator}/{x.denominator} " for x in exact])
    end, begin = pieces(")\n"), pieces("(")
    names = [name or NO_NAME for name in process.actions]
    action = pieces.all([f',"{name}",' for name in names])[process.move]
    width = np.diff(process.row)
    with replacing(path) as file:
        file.write(f"des ({_start(process)},{process.choices},{process.states})\n".encode())
        step = max(1, AT_ONCE * process.choices // max(process.transitions, 1))
        for first in range(0, process.choices, step):
            last = min(first + step, process.choices)
            t0, t1 = process.row[first], process.row[last]
            at = np.arange(last - first) * 3 + 2 * (process.row[first:last] - t0)
            tokens = np.empty(3 * (last - first) + 2 * (t1 - t0), np.int64)
            tokens[at] = begin
            tokens[at + 1] = number(process.chooser[first:last])
            tokens[at + 2] = action[first:last]
            lane = np.repeat(at + 3 - 2 * (process.row[first:last] - t0), width[first:last])
            target = lane + 2 * np.arange(t1 - t0)
            tokens[target] = number(process.col[t0:t1])
            tokens[target + 1] = chance[process.chance.index[t0:t1]]
            tokens[target[process.row[first + 1 : last + 1] - 1 - t0] + 1] = end
            pieces.write(file, tokens)
    return ("Aldebaran has no labels, variables or rewards: they are not in the file.",)


def _start(process: Model) -> str:
    """The initial state, or the initial states with equal chances."""
    if not len(process.initial):
        raise OddsmithError(f"{process.name} has no initial state, and an .aut file needs one.")
    return f" 1/{len(process.initial)} ".join(str(state) for state in process.initial)
