# mypy: disable-error-code="untyped-decorator"
"""The strong components of a process in the order in which they can be solved, and their parts.

A component is complete after all that it leads to, which is the order in which values become
known. States at which the question stops have no edges here: they are components of their own and
cut others apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.model.graph_kernels import strong_components


@kernel
def components(row: Any, col: Any, stop: Any) -> Any:
    """All states component by component, successors first; where each component begins.

    Inside a component states are in descending order: numbered breadth-first, those far from the
    start come first, which is a good order to sweep in.
    """
    n = len(row) - 1
    label = np.zeros(n, np.int32)
    count = strong_components(row, col, stop, label)
    bounds = np.zeros(count + 1, np.int32)
    for s in range(n):
        bounds[count - label[s]] += 1
    for k in range(count):
        bounds[k + 1] += bounds[k]
    place = bounds[:count].copy()
    order = np.empty(n, np.int32)
    for s in range(n - 1, -1, -1):
        k = count - 1 - label[s]
        order[place[k]] = s
        place[k] += 1
    return order, bounds


@kernel
def end_components(choice: Any, row: Any, col: Any, usable: Any) -> Any:
    """For each node of a small process the number of its maximal end component, -1 for none.

    Only options that are `usable` count; a target of -1 is outside, so such an option is in no
    end component. Options outside every end component are cleared in `usable`. Passes of strong
    components, each barring what leaves its own, until nothing is left to bar (Baier & Katoen,
    Principles of Model Checking, Algorithm 47).
    """
    n = len(choice) - 1
    edge_row = np.empty(n + 1, np.int64)
    edges = np.empty(len(col), np.int32)
    member = np.full(n, -1, np.int32)
    nothing = np.zeros(n, np.bool_)
    for o in range(len(usable)):
        for e in range(row[o], row[o + 1]):
            if col[e] < 0:
                usable[o] = False
    while True:
        filled = 0
        for s in range(n):
            edge_row[s] = filled
            for o in range(choice[s], choice[s + 1]):
                if usable[o]:
                    for e in range(row[o], row[o + 1]):
                        edges[filled] = col[e]
                        filled += 1
        edge_row[n] = filled
        order, bounds = components(edge_row, edges, nothing)
        for k in range(len(bounds) - 1):
            for i in range(bounds[k], bounds[k + 1]):
                member[order[i]] = k
        changed = False
        for s in range(n):
            for o in range(choice[s], choice[s + 1]):
                if usable[o]:
                    for e in range(row[o], row[o + 1]):
                        if member[col[e]] != member[s]:
                            usable[o] = False
                            changed = True
                            break
        if not changed:
            break
    for s in range(n):
        some = False
        for o in range(choice[s], choice[s + 1]):
            if usable[o]:
                some = True
        if not some:
            member[s] = -1
    return member
