# mypy: disable-error-code="untyped-decorator"
"""Compiled loops for `oddsmith.model.graph`: linear time, no recursion, integer work space.

The kernels live apart because importing numba costs most of a second; `graph` imports this
module inside its functions. They trust their arguments (`graph` prepares them), accept any
integer type, and write only to the arrays their docstrings name.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from oddsmith.ahead import kernel

Ints = NDArray[np.integer[Any]]
Bools = NDArray[np.bool_]


@kernel
def transpose(row: Ints, col: Ints, row_t: Ints, col_t: Ints) -> None:
    """Fill `row_t` (zeros on entry) and `col_t` with the edges turned round: a counting sort.

    The edges are placed last to first, so that each count falls to the start of its own list
    and every list comes out in ascending order.
    """
    for e in range(col.size):
        row_t[col[e]] += 1
    for t in range(1, row_t.size):
        row_t[t] += row_t[t - 1]
    for s in range(row.size - 2, -1, -1):
        for e in range(np.int64(row[s + 1]) - 1, np.int64(row[s]) - 1, -1):
            t = col[e]
            row_t[t] -= 1
            col_t[row_t[t]] = s


@kernel
def search(row: Ints, col: Ints, seeds: Ints, seen: Bools) -> None:
    """Mark in `seen` all that `seeds` (distinct, already seen) reach through unseen states."""
    stack = np.empty(seen.size, np.int32)
    top = seeds.size
    stack[:top] = seeds
    while top > 0:
        top -= 1
        s = stack[top]
        for e in range(row[s], row[s + 1]):
            t = col[e]
            if not seen[t]:
                seen[t] = True
                stack[top] = t
                top += 1


@kernel
def strong_components(row: Ints, col: Ints, stop: Bools, label: Ints) -> int:
    """Fill `label` (zeros on entry) with component numbers and return how many there are.

    States in `stop` (one entry a state, or none) are taken to have no edges.

    Pearce's form of Tarjan's algorithm. `label[s]` is 0 before s is visited; then the least
    visit number known to be reachable from s; at last the number of its component. Component
    numbers count down from n and visit numbers are given back as components close, so a closed
    state always carries a higher label than an open one and needs no mark of its own.

    A state is either on the path of the depth-first search or waiting, finished, for its
    component to close; so one array holds the path (growing from the front) and the waiting
    states (growing from the back).
    """
    n = label.size
    cursor = np.empty(n, np.int64)
    is_root = np.empty(n, np.bool_)
    stack = np.empty(n, np.int32)
    waiting = n
    visit = 1
    number = n
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
            end = np.int64(row[s] if len(stop) > 0 and stop[s] else row[s + 1])
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
                # Go down this edge. It is looked at again on the way back, for the child's label.
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
                waiting += 1
                visit -= 1
            label[s] = number
            visit -= 1
            number -= 1
    for s in range(n):
        label[s] -= number + 1
    return n - number


@kernel
def open_components(row: Ints, col: Ints, component: Ints, closed: Bools) -> None:
    """Clear `closed` (all set on entry) for every component that an edge leaves."""
    for s in range(component.size):
        own = component[s]
        for e in range(row[s], row[s + 1]):
            if component[col[e]] != own:
                closed[own] = False
                break


@kernel
def attract(
    entering_row: Ints,
    entering: Ints,
    owner: Ints,
    seeds: Ints,
    attracted: Bools,
    barred: Bools,
    options: Ints,
) -> None:
    """Bar every choice that may enter an attracted state; attract states with no option left.

    Starts from `seeds` (distinct, already attracted) and updates `attracted`, `barred` and
    `options`, the number of choices each state has left. A state that had none to begin with
    is never attracted.
    """
    stack = np.empty(attracted.size, np.int32)
    top = seeds.size
    stack[:top] = seeds
    while top > 0:
        top -= 1
        t = stack[top]
        for e in range(entering_row[t], entering_row[t + 1]):
            c = entering[e]
            if barred[c]:
                continue
            barred[c] = True
            s = owner[c]
            options[s] -= 1
            if options[s] == 0 and not attracted[s]:
                attracted[s] = True
                stack[top] = s
                top += 1


@kernel
def end_components(choice: Ints, row: Ints, col: Ints, usable: Bools) -> Ints:
    """The number of the maximal end component of each state, -1 for none.

    Only choices that are `usable` count; an outcome of -1 is outside, so such a choice is in no end
    component. Choices outside every end component are cleared in `usable`. Each pass bars the
    choices that leave their strong component; states that have none left are in no end component,
    nor is a choice that may lead to one. What is left when nothing is barred any more are the
    maximal end components (Baier & Katoen, Principles of Model Checking, Algorithm 47).
    """
    n = choice.size - 1
    label = np.zeros(n, np.int32)
    edge_row, edges = np.zeros(n + 1, np.int64), np.empty(col.size, np.int32)
    owner, left = np.empty(usable.size, np.int32), np.zeros(n, np.int64)
    entering_row, entering = np.zeros(n + 1, np.int64), np.empty(col.size, np.int32)
    for s in range(n):
        for c in range(choice[s], choice[s + 1]):
            owner[c] = s
            for e in range(row[c], row[c + 1]):
                if col[e] < 0:
                    usable[c] = False
            left[s] += usable[c]
            if usable[c]:
                for e in range(row[c], row[c + 1]):
                    entering_row[col[e] + 1] += 1
    for t in range(n):
        entering_row[t + 1] += entering_row[t]
    cursor = entering_row[:n].copy()
    for c in range(usable.size):
        if usable[c]:
            for e in range(row[c], row[c + 1]):
                entering[cursor[col[e]]] = c
                cursor[col[e]] += 1
    lost, stack, top = np.zeros(n, np.bool_), np.empty(n, np.int32), 0
    for s in range(n):
        if left[s] == 0:
            lost[s] = True
            stack[top] = s
            top += 1
    while True:
        while top > 0:
            top -= 1
            t = stack[top]
            for k in range(entering_row[t], entering_row[t + 1]):
                c = entering[k]
                if usable[c]:
                    usable[c] = False
                    left[owner[c]] -= 1
                    if left[owner[c]] == 0:
                        lost[owner[c]] = True
                        stack[top] = owner[c]
                        top += 1
        filled = 0
        for s in range(n):
            label[s] = 0
            edge_row[s] = filled
            for c in range(choice[s], choice[s + 1]):
                if usable[c]:
                    for e in range(row[c], row[c + 1]):
                        edges[filled] = col[e]
                        filled += 1
        edge_row[n] = filled
        strong_components(edge_row, edges, lost, label)
        barred = False
        for s in range(n):
            for c in range(choice[s], choice[s + 1]):
                if usable[c]:
                    for e in range(row[c], row[c + 1]):
                        if label[col[e]] != label[s]:
                            usable[c] = False
                            barred = True
                            left[s] -= 1
                            if left[s] == 0:
                                lost[s] = True
                                stack[top] = s
                                top += 1
                            break
        if not barred:
            break
    for s in range(n):
        if lost[s]:
            label[s] = -1
    return label
