"""Checked: from numbers found in a file to a process that keeps its promises.

Chances are positive and at most one, and those of a choice sum to one. Where they do not because
the file has rounded decimals (the sum is off by at most `ROUNDING`), they are divided by their
sum, exactly, and a note says so; what is further off is an error that names the state.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.model.amounts import Amounts, Bools
from oddsmith.model.dense import Int64s as Int64s
from oddsmith.model.formats.numerals import amounts
from oddsmith.model.variables import Layout, Valuations, Variable
from oddsmith.runtime import memory
from oddsmith.runtime.whole_files import FormatError

ROUNDING = Fraction(1, 100_000)
MOST_STATES = (1 << 31) - 1

Where = Callable[[int], str]
"""Where in a file a choice stands, for the beginning of a sentence: `model.tra:7`."""


def chances(
    row: Int64s,
    index: npt.NDArray[Any],
    exact: Sequence[Fraction],
    chooser: npt.NDArray[Any],
    where: Where,
) -> tuple[Amounts, tuple[str, ...]]:
    """The chances of all transitions, checked; and notes."""
    bad = np.array([not 0 < x <= 1 + ROUNDING for x in exact], bool)
    if len(index) and bad[index].any():
        at = int(np.flatnonzero(bad[index])[0])
        choice = int(np.searchsorted(row, at, side="right")) - 1
        raise FormatError(
            f"{where(choice)}: {_shown(exact[int(index[at])])} in state {chooser[choice]} is not a "
            "chance: it must be more than 0 and at most 1."
        )
    kind, sums = _sums(row, index, exact)
    off = np.array([abs(x - 1) > ROUNDING for x in sums], bool)
    if len(kind) and off[kind].any():
        choice = int(np.flatnonzero(off[kind])[0])
        raise FormatError(
            f"{where(choice)}: the chances of a choice in state {chooser[choice]} sum to "
            f"{_shown(sums[int(kind[choice])])}, not to 1."
        )
    rounded = np.array([x != 1 for x in sums], bool)
    if not len(kind) or not rounded[kind].any():
        return amounts(index, exact), ()
    count = int(np.count_nonzero(rounded[kind]))
    note = (
        f"The chances of {count:,} of {len(kind):,} choices sum to one only up to rounding; "
        "they were divided by their sum."
    )
    return _divided(row, index, exact, kind, sums), (note,)


def _shown(value: Fraction) -> str:
    return f"{float(value):.12g}"


def _sums(
    row: Int64s, index: npt.NDArray[Any], exact: Sequence[Fraction]
) -> tuple[Int64s, list[Fraction]]:
    """Which of the different sums each choice has; choices with equal chances are summed once.

    Choices are told apart by the sum of random numbers that stand for their chances: two
    different choices agree with a chance of 2^-64.
    """
    if len(row) < 2:
        return np.empty(0, np.int64), []
    marks = np.random.default_rng().integers(0, 1 << 63, len(exact), np.uint64)
    mark = np.add.reduceat(marks[index], row[:-1])
    _, first, same = np.unique(mark, return_index=True, return_inverse=True)
    number: dict[Fraction, int] = {}
    parts = [(x.numerator, x.denominator) for x in exact]
    of_mark = [
        number.setdefault(_sum(parts, index[row[c] : row[c + 1]].tolist()), len(number))
        for c in first
    ]
    return np.array(of_mark, np.int64)[same], list(number)


def _sum(parts: list[tuple[int, int]], places: list[int]) -> Fraction:
    """The sum of some fractions; those with equal denominators are added as whole numbers."""
    tops: dict[int, int] = {}
    for place in places:
        top, bottom = parts[place]
        tops[bottom] = tops.get(bottom, 0) + top
    return sum((Fraction(top, bottom) for bottom, top in tops.items()), Fraction(0))


def _divided(
    row: Int64s,
    index: npt.NDArray[Any],
    exact: Sequence[Fraction],
    kind: Int64s,
    sums: Sequence[Fraction],
) -> Amounts:
    """Every chance divided by the sum of its choice."""
    key = np.repeat(kind, np.diff(row)) * len(exact) + index
    keys, place = np.unique(key, return_inverse=True)
    number: dict[Fraction, int] = {}
    found = [
        number.setdefault(exact[k % len(exact)] / sums[k // len(exact)], len(number))
        for k in keys.tolist()
    ]
    return amounts(np.array(found, np.int32)[place], list(number))


def valuations_of(
    names: Sequence[str], columns: Sequence[npt.NDArray[Any]], bools: Sequence[bool]
) -> Valuations:
    """Variables from their values in every state; low and high are what occurs."""
    variables = [
        Variable(name, 0, 1, True) if truth else Variable(name, int(x.min()), int(x.max()))
        for name, x, truth in zip(names, columns, bools, strict=True)
    ]
    layout = Layout(variables)
    return Valuations(layout, layout.pack(columns))


def ints(numbers: array[int]) -> Int64s:
    """Numbers that were read one by one, as an array."""
    return np.frombuffer(numbers, np.int64) if len(numbers) else np.empty(0, np.int64)


def initial_states(path: Path, labels: Mapping[str, Bools]) -> Int64s:
    """The states with the label "init": at least one."""
    initial = np.flatnonzero(labels["init"]).astype(np.int64)
    if not len(initial):
        raise FormatError(f'{path}: no state has the label "init".')
    return initial


def loop_notes(loops: int) -> tuple[str, ...]:
    """What is said of deadlocks that were read."""
    return (f"{loops:,} states without transitions got a loop.",) if loops else ()


def is_int64(text: str) -> bool:
    """Whether a text is a whole number of 64 bits."""
    whole = re.fullmatch(r"-?[0-9]{1,19}", text) is not None
    return whole and -(1 << 63) <= int(text) < 1 << 63


def numbered(states: int) -> Valuations:
    """One variable `s`, the number of the state."""
    return valuations_of(["s"], [np.arange(states, dtype=np.int64)], [False])


def check_memory(path: Path, sets: int, states: int) -> None:
    """Refuse more labels or rewards than memory holds."""
    memory.require(
        9 * sets * states,
        f"{path}: {sets:,} labels and rewards of {states:,} states",
        "leave some of them out",
    )


def check_count(where: str, count: int, what: str, size: int, least: int) -> None:
    """Refuse an announced count that a file of some size cannot hold."""
    if count > MOST_STATES or count * least > size + least:
        raise FormatError(
            f"{where}: {count:,} {what} are announced, more than a file of {size:,} bytes holds."
        )
