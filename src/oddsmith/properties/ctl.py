"""`E [path]` and `A [path]`: whether some path, or every path, satisfies a formula.

These look at the graph alone: a path counts however unlikely it is. E[G a] is the greatest set of
states of a with a successor in the set, which is what a player can keep who may pick every
transition. All else follows from E[a U b] (backward search), E[G a] and E[X a]:

    E[!(a U b)] = E[!b U (!a & !b)] | E[G !b]       A[path] = !E[!path]

Reference
---------
C. Baier and J.-P. Katoen, Principles of Model Checking, MIT Press 2008, section 6.2.4.
"""

from __future__ import annotations

import numpy as np

from oddsmith.model.amounts import Bools
from oddsmith.model.graph import can_reach, prob0_min
from oddsmith.model.model import Model
from oddsmith.properties.paths import Until


def some_next(process: Model, target: Bools) -> Bools:
    """E [X target]."""
    hits = np.flatnonzero(target[process.col])
    sources = np.searchsorted(process.state_row, hits, side="right") - 1
    found = np.zeros(process.states, np.bool_)
    found[sources] = True
    return found


def some_path(process: Model, until: Until) -> Bools:
    """E of an until formula, or of the negation of one."""
    if not until.negated:
        return can_reach(process.state_row, process.col, until.right, until.left)
    spoiled = can_reach(process.state_row, process.col, ~until.left & ~until.right, ~until.right)
    return spoiled | _some_always(process, ~until.right)


def _some_always(process: Model, inside: Bools) -> Bools:
    """E[G inside]: every transition is a choice of its own."""
    single = np.arange(process.transitions + 1)
    return prob0_min(process.state_row, single, process.col, ~inside)
