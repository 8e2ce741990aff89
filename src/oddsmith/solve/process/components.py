# mypy: disable-error-code="untyped-decorator"
"""The strong components of a process in the order in which they can be solved, and their parts.

A component is complete after all that it leads to, which is the order in which values become
known. States at which the question stops have no edges here: they are components of their own and
cut others apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def components(row: Any, col: Any, stop: Any) -> Any:
    """All states component by component, successors first; where each component begins.

    Inside a component states are in descending order: numbered breadth-first, those far from the
    start come first, which is a good order to sweep in.

    D. Pearce, Inf. Process. Lett. 116 (2016) 47-52, as in `oddsmith.model.graph_kernels`: labels
    are visit numbers while a state is open, and count down from n when its component closes.
    """
    n = len(row) - 1
    label = np.zeros(n, np.int32)
    cursor = np.empty(n, np.int64)
    is_root = np.empty(n, np.bool_)
    stack = np.empty(n, np.int32)
    order = np.empty(n, np.int32)
    bounds = np.empty(n + 1, np.int32)
    waiting, visit, number = n, 1, n
    filled, count = 0, 0
    bounds[0] = 0
    for start in range(n):
        if label[start] != 0:
            continue
        stack[0] = start
        depth = 1
        label[start] = visit
        visit += 1
        cursor[start] = row[start]
        is_root[start] = True
        while depth > 0:
            s = stack[depth - 1]
            lowest = label[s]
            e = cursor[s]
            end = row[s] if stop[s] else row[s + 1]
            while e < end:
                low = label[col[e]]
                if low == 0:
                    break
                if low < lowest:
                    lowest = low
                    is_root[s] = False
                e += 1
            label[s] = lowest
            if e < end:
                cursor[s] = e
                child = col[e]
                stack[depth] = child
                depth += 1
                label[child] = visit
                visit += 1
                cursor[child] = row[child]
                is_root[child] = True
                continue
            depth -= 1
            if not is_root[s]:
                waiting -= 1
                stack[waiting] = s
                continue
            while waiting < n and label[stack[waiting]] >= lowest:
                label[stack[waiting]] = number
                filled += 1
                waiting += 1
                visit -= 1
            label[s] = number
            filled += 1
            visit -= 1
            number -= 1
            count += 1
            bounds[count] = filled
    place = stack
    place[:count] = bounds[:count]
    for s in range(n - 1, -1, -1):
        k = n - label[s]
        order[place[k]] = s
        place[k] += 1
    return order, bounds[: count + 1].copy()


@njit(cache=True, nogil=True)
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
