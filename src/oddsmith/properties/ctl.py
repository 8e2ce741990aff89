"""`E [path]` and `A [path]`: whether some path, or every path, satisfies a formula.

These look at the graph alone: a path counts however unlikely it is. E[G a] is the greatest set of
states of a with a successor in the set, which is what a player can keep who may pick every
transition. All else follows from E[a U b] (backward search), E[G a] and E[X a]:

    A[X a] = !E[X !a]            A[a U b] = !E[!b U (!a & !b)] & !E[G !b]
    E[a W b] = E[a U b] | E[G a]    a R b = b W (a & b)

Reference
---------
C. Baier and J.-P. Katoen, Principles of Model Checking, MIT Press 2008, section 6.2.4.
"""

from __future__ import annotations

import numpy as np

from oddsmith.model.amounts import Bools
from oddsmith.model.graph import can_reach, prob0_min
from oddsmith.model.model import Model


def some_path(process: Model, operator: str, left: Bools, right: Bools) -> Bools:
    """E [left operator right]; `left` is not looked at for X, F and G."""
    match operator:
        case "X":
            return _some_next(process, right)
        case "F":
            return can_reach(process.state_row, process.col, right)
        case "G":
            return _some_always(process, right)
        case "U":
            return can_reach(process.state_row, process.col, right, left)
        case "W":
            return some_path(process, "U", left, right) | _some_always(process, left)
    return some_path(process, "W", right, left & right)


def every_path(process: Model, operator: str, left: Bools, right: Bools) -> Bools:
    """A [left operator right]: no path satisfies the contrary."""
    match operator:
        case "X" | "F" | "G":
            dual = {"X": "X", "F": "G", "G": "F"}[operator]
            return ~some_path(process, dual, left, ~right)
        case "U":
            spoiled = some_path(process, "U", ~right, ~left & ~right)
            return ~(spoiled | _some_always(process, ~right))
        case "W":
            return ~some_path(process, "U", left & ~right, ~left & ~right)
    return ~some_path(process, "U", ~left, ~right)


def _some_next(process: Model, target: Bools) -> Bools:
    hits = np.flatnonzero(target[process.col])
    sources = np.searchsorted(process.state_row, hits, side="right") - 1
    found = np.zeros(process.states, np.bool_)
    found[sources] = True
    return found


def _some_always(process: Model, inside: Bools) -> Bools:
    """E[G inside]: every transition is a choice of its own."""
    single = np.arange(process.transitions + 1)
    return prob0_min(process.state_row, single, process.col, ~inside)
