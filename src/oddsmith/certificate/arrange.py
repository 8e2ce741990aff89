"""The choices of each state in an order of their own, whoever found them.

Compiled and interpreted exploration of a PRISM program agree on the choices of a state, but not
always on their order. Here they are put in the order of their outcomes, then of what they earn;
choices that agree in both are the same.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from oddsmith.model.amounts import Amounts
from oddsmith.model.model import Model
from oddsmith.model.spans import spans


def arranged(process: Model) -> Model:
    """The same process, the choices of every state in order."""
    if process.is_chain or process.chance.exact is None:
        return process
    names = sorted(process.rewards)
    earning = [found for name in names if (found := process.rewards[name].choice) is not None]
    choice, row = process.choice.tolist(), process.row.tolist()
    col, index = process.col.tolist(), process.chance.index.tolist()
    exact = process.chance.exact

    def key(c: int) -> Any:
        outcomes = [(col[e], *_pair(exact[index[e]])) for e in range(row[c], row[c + 1])]
        return sorted(outcomes), [_number(found, c) for found in earning]

    old = np.arange(process.choices)
    for s in np.flatnonzero(np.diff(process.choice) > 1).tolist():
        old[choice[s] : choice[s + 1]] = sorted(range(choice[s], choice[s + 1]), key=key)
    lengths = np.diff(process.row)[old]
    new_row = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    edges = spans(process.row[:-1][old], lengths)
    return replace(
        process,
        row=new_row,
        col=process.col[edges],
        chances=replace(process.chance, index=process.chance.index[edges]),
        rewards={
            name: replace(found, choice=_taken(found.choice, old))
            for name, found in process.rewards.items()
        },
        action=None if process.action is None else process.action[old],
    )


def _pair(number: Fraction) -> tuple[int, int]:
    return number.numerator, number.denominator


def _number(found: Amounts, c: int) -> Any:
    if found.exact is None:
        return float(found.values[found.index[c]])
    return _pair(found.fraction(c))


def _taken(found: Amounts | None, old: Any) -> Amounts | None:
    return None if found is None else replace(found, index=found.index[old])
