"""Who decides: all pure memoryless policies, tried one after another.

In finite games of two sides with chances to reach a set, total rewards and long-run means, pure
memoryless policies are enough for both (Condon 1992; Filar and Vrieze, 1997). `value` tries them
all, from both sides; where the two orders do not meet, there is no reference.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from grind.plain import Plain

Number = Fraction | float
"""A fraction, or infinity."""


class TooMany(Exception):  # noqa: N818
    """There are more policies than are worth trying."""


def policies(model: Plain, deciders: Sequence[bool]) -> Iterator[dict[int, int]]:
    """All ways to choose in the states of some owners (deciders[owner])."""
    mine = [s for s, c in enumerate(model.choices) if len(c) > 1 and deciders[model.owner[s]]]
    for picks in itertools.product(*(range(len(model.choices[s])) for s in mine)):
        yield dict(zip(mine, picks, strict=True))


def count(model: Plain) -> int:
    """How many policies all players together have."""
    return math.prod(max(1, len(c)) for c in model.choices)


def value(
    model: Plain,
    maximisers: Sequence[bool],
    worth: Callable[[list[int]], Sequence[Number]],
    limit: int = 600,
) -> list[Number] | None:
    """What the maximisers can force from every state against all others; None if not determined.

    `worth(picks)` is what every state is worth if all choose by the picks.
    """
    if count(model) > limit:
        raise TooMany
    others = [not one for one in maximisers]
    mine, theirs = list(policies(model, maximisers)), list(policies(model, others))
    table = []
    for one in mine:
        row = []
        for other in theirs:
            picks = [0] * model.size
            for s, c in (one | other).items():
                picks[s] = c
            row.append(list(worth(picks)))
        table.append(row)
    states = range(model.size)
    low = [max(min(cell[s] for cell in row) for row in table) for s in states]
    high = [min(max(row[j][s] for row in table) for j in range(len(theirs))) for s in states]
    return low if low == high else None
