"""Transitions in order: within a choice by target, no target twice.

Formats are read by tools that want it so. Chances of equal targets are added, exactly.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from oddsmith.model.amounts import Amounts, Ints
from oddsmith.model.model import Model


def in_order(process: Model) -> Model:
    """The same process, its transitions in order; the process itself if they are."""
    row, col = process.row, process.col
    if not len(col):
        return process
    chooser = np.repeat(np.arange(process.choices), np.diff(row))
    same = chooser[1:] == chooser[:-1]
    rising = np.diff(col.astype(np.int64)) > 0
    if bool(np.all(rising | ~same)):
        return process
    order = np.argsort(chooser * process.states + col, kind="stable")
    col, index = col[order], process.chance.index[order]
    again = np.zeros(len(col), bool)
    again[1:] = (chooser[1:] == chooser[:-1]) & (col[1:] == col[:-1])
    if not again.any():
        chance = replace(process.chance, index=index)
        return replace(process, col=col, chances=chance)
    first = np.flatnonzero(~again)
    counts = np.bincount(chooser[first], minlength=process.choices)
    return replace(
        process,
        row=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        col=col[first],
        chances=_merged(process.chance, index, first),
    )


def _merged(old: Amounts, index: Ints, first: npt.NDArray[np.int64]) -> Amounts:
    """Sums of runs of chances, the sums that are new added to the table."""
    merged, values = index[first].copy(), list(old.values)
    exact = None if old.exact is None else list(old.exact)
    known: dict[tuple[int, ...], int] = {}
    last = np.append(first[1:], len(index))
    for i in np.flatnonzero(last - first > 1):
        run = tuple(sorted(index[first[i] : last[i]].tolist()))
        merged[i] = known.setdefault(run, len(values))
        if known[run] == len(values):
            values.append(float(sum(values[k] for k in run)))
            if exact is not None:
                exact.append(sum((exact[k] for k in run), Fraction(0)))
    return Amounts(merged, np.array(values), exact)
