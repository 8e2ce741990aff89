# mypy: disable-error-code="untyped-decorator"
"""One component by itself: what its graph decides, and equations for the rest.

`bounds.py` says which states are decided by the graph and why; `prepare` does so and returns
equations between *nodes*: states, or whole end components. An option of a node is a choice of one
of its states, the chance of staying in the node taken out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.model.graph_kernels import end_components
from oddsmith.solve.bellman.size import LEAST
from oddsmith.solve.rounding import UNIT


@kernel
def gather(
    states: Any, choice: Any, row: Any, col: Any, index: Any, values: Any, gain: Any, lower: Any,
    upper: Any, place: Any,
) -> Any:  # fmt: skip
    """A component with its own numbers; what lies outside is summed into constants.

    Targets are local numbers, -1 for all of the outside. `outside` has for each option the sums of
    chance × bound over the outside, the least and the greatest bound there; `infinite` says
    whether something there is infinite. That is known from the lower bound alone: an upper bound
    is also infinite where nothing better could be proved.
    """
    size = len(states)
    for i in range(size):
        place[states[i]] = i
    options, edges = 0, 0
    for i in range(size):
        s = states[i]
        options += choice[s + 1] - choice[s]
        edges += row[choice[s + 1]] - row[choice[s]]
    rows = np.empty(size + 1, np.int64)
    option_row = np.empty(options + 1, np.int64)
    target = np.empty(edges, np.int32)
    chance = np.empty(edges, np.float64)
    earned = np.zeros(options)
    outside = np.zeros((options, 4))
    infinite = np.zeros(options, np.bool_)
    terms = np.empty(options, np.int64)
    o, filled = 0, 0
    rows[0] = 0
    option_row[0] = 0
    for i in range(size):
        s = states[i]
        for c in range(choice[s], choice[s + 1]):
            terms[o] = row[c + 1] - row[c]
            if len(gain) > 0:
                earned[o] = gain[c]
            least, greatest, leaves = np.inf, 0.0, 0.0
            for e in range(row[c], row[c + 1]):
                t = col[e]
                p = values[index[e]]
                if place[t] >= 0:
                    target[filled] = place[t]
                    chance[filled] = p
                    filled += 1
                else:
                    leaves += p
                    outside[o, 0] += p * lower[t]
                    outside[o, 1] += p * upper[t]
                    least = min(least, lower[t])
                    greatest = max(greatest, upper[t])
                    infinite[o] = infinite[o] or lower[t] == np.inf
            if outside[o, 0] < LEAST:  # products may have lost digits, and are divided later
                outside[o, 0] = 0.0
            if greatest > 0.0:
                outside[o, 1] = max(outside[o, 1], LEAST)
            outside[o, 2], outside[o, 3] = least, greatest
            if leaves > 0.0:
                target[filled] = -1
                chance[filled] = leaves
                filled += 1
            o += 1
            option_row[o] = filled
        rows[i + 1] = o
    for i in range(size):
        place[states[i]] = -1
    return rows, option_row, target[:filled], chance[:filled], earned, outside, infinite, terms


@kernel
def entered(rows: Any, row: Any, target: Any) -> Any:
    """Whose each option is, and for each node the options that may lead to it."""
    size, options = len(rows) - 1, len(row) - 1
    owner = np.empty(options, np.int32)
    count = np.zeros(size + 1, np.int64)
    for i in range(size):
        for o in range(rows[i], rows[i + 1]):
            owner[o] = i
            for e in range(row[o], row[o + 1]):
                if target[e] >= 0:
                    count[target[e] + 1] += 1
    for i in range(size):
        count[i + 1] += count[i]
    entering = np.empty(count[size], np.int32)
    cursor = count[:size].copy()
    for o in range(options):
        for e in range(row[o], row[o + 1]):
            if target[e] >= 0:
                entering[cursor[target[e]]] = o
                cursor[target[e]] += 1
    return owner, count, entering


@kernel
def surely_leaving(rows: Any, row: Any, target: Any, allowed: Any) -> Any:
    """Nodes that can leave with probability one by allowed options, staying among such nodes.

    Options that may lead to a node that cannot are no longer allowed (cleared).
    """
    size = len(rows) - 1
    owner, count, entering = entered(rows, row, target)
    inside = np.ones(size, np.bool_)
    stack = np.empty(size, np.int32)
    while True:
        seen = np.zeros(size, np.bool_)
        top = 0
        for o in range(len(allowed)):
            if allowed[o] and not seen[owner[o]]:
                for e in range(row[o], row[o + 1]):
                    if target[e] < 0:
                        seen[owner[o]] = True
                        stack[top] = owner[o]
                        top += 1
                        break
        while top > 0:
            top -= 1
            t = stack[top]
            for k in range(count[t], count[t + 1]):
                o = entering[k]
                if allowed[o] and not seen[owner[o]]:
                    seen[owner[o]] = True
                    stack[top] = owner[o]
                    top += 1
        changed = False
        for i in range(size):
            if inside[i] and not seen[i]:
                inside[i] = False
                changed = True
                for o in range(rows[i], rows[i + 1]):
                    allowed[o] = False
                for k in range(count[i], count[i + 1]):
                    allowed[entering[k]] = False
        if not changed:
            return inside


@kernel
def avoiding(rows: Any, row: Any, target: Any, worthless: Any) -> Any:
    """Nodes that can stay among themselves and a worthless outside: the greatest such set."""
    size = len(rows) - 1
    kept = worthless.copy()
    options = np.zeros(size, np.int64)
    owner, count, entering = entered(rows, row, target)
    for o in range(len(kept)):
        options[owner[o]] += kept[o]
    inside = np.ones(size, np.bool_)
    stack = np.empty(size, np.int32)
    top = 0
    for i in range(size):
        if options[i] == 0:
            inside[i] = False
            stack[top] = i
            top += 1
    while top > 0:
        top -= 1
        t = stack[top]
        for k in range(count[t], count[t + 1]):
            o = entering[k]
            if kept[o]:
                kept[o] = False
                s = owner[o]
                options[s] -= 1
                if options[s] == 0:
                    inside[s] = False
                    stack[top] = s
                    top += 1
    return inside


@kernel
def fill(states: Any, lower: Any, upper: Any, value: float) -> None:
    """Decide a whole component."""
    for i in range(len(states)):
        lower[states[i]] = value
        upper[states[i]] = value


@kernel
def prepare(
    states: Any, choice: Any, row: Any, col: Any, index: Any, values: Any, gain: Any,
    endless: float, maximise: bool, lower: Any, upper: Any, place: Any,
) -> Any:  # fmt: skip
    """Decide what the graph decides (written to the bounds); equations for the other nodes.

    `endless` is what play without an end is worth, infinitely much if it earns: at least nothing;
    for one who wants little, nothing or infinitely much. A collapsed end component in which to
    stay is worth a number above nothing has that as one more option.

    Returns for each state its node (-1 if decided), then per node its options, per option the
    nodes it leads to with their chances and the chance to leave them all, the constants for both
    bounds, the factors that move a sum down or up beyond its rounding, and bounds that hold for all
    nodes.
    """
    rows, option_row, target, chance, earned, outside, infinite, terms = gather(
        states, choice, row, col, index, values, gain, lower, upper, place
    )
    size, options = len(states), len(terms)
    member = np.full(size, -1, np.int32)
    usable = np.ones(options, np.bool_)
    decided = np.zeros(size, np.bool_)
    worth = np.zeros(size)
    nothing_left = (
        member, np.zeros(1, np.int64), np.zeros(1, np.int64), np.empty(0, np.int32),
        np.empty(0, np.float64), np.empty(0, np.float64), np.empty(0, np.float64),
        np.empty(0, np.float64), np.empty(0, np.float64), np.empty(0, np.float64), 0.0, 0.0,
    )  # fmt: skip
    leaves = np.zeros(options, np.bool_)
    closed, endless_exit, earning, worthless = True, False, False, True
    for o in range(options):
        leaves[o] = outside[o, 2] < np.inf or outside[o, 3] > 0.0
        closed = closed and not leaves[o]
        endless_exit = endless_exit or infinite[o]
        earning = earning or earned[o] > 0.0
        worthless = worthless and not (leaves[o] and outside[o, 3] > 0.0)
    chain, staying = options == size, False

    if closed and (not earning or chain or endless == np.inf):
        fill(states, lower, upper, np.inf if earning else endless)
        return nothing_left
    if worthless and not earning and endless == 0.0:
        fill(states, lower, upper, 0.0)
        return nothing_left
    if (maximise or chain) and endless_exit:
        fill(states, lower, upper, np.inf)
        return nothing_left
    if not chain:
        if maximise:
            inner = np.ones(options, np.bool_)
            member = end_components(rows, option_row, target, inner)
            for o in range(options):
                if inner[o] and (endless == np.inf or earned[o] > 0.0):
                    fill(states, lower, upper, np.inf)
                    return nothing_left
                usable[o] = not inner[o]
                staying = staying or (inner[o] and endless > 0.0)
            if endless <= 1.0 and not earning and (outside[:, 3] <= 1.0).all():
                certain = np.ones(options, np.bool_)
                for o in range(options):
                    certain[o] = not leaves[o] or outside[o, 2] == 1.0
                sure = surely_leaving(rows, option_row, target, certain)
                for i in range(size):
                    if sure[i]:
                        decided[i] = True
                        lower[states[i]] = upper[states[i]] = worth[i] = 1.0
        elif endless == 0.0:
            zero = np.ones(options, np.bool_)
            for o in range(options):
                zero[o] = not (leaves[o] and outside[o, 3] > 0.0)
            idle = avoiding(rows, option_row, target, zero)
            for i in range(size):
                if idle[i]:
                    decided[i] = True
                    lower[states[i]] = upper[states[i]] = 0.0
        else:
            for o in range(options):
                usable[o] = not infinite[o]
            finite = surely_leaving(rows, option_row, target, usable)
            for i in range(size):
                if not finite[i]:
                    decided[i] = True
                    lower[states[i]] = upper[states[i]] = np.inf
            costless = np.zeros(options, np.bool_)
            for o in range(options):
                costless[o] = usable[o] and earned[o] == 0.0
                costless[o] = costless[o] and not (leaves[o] and outside[o, 3] > 0.0)
            idle = surely_leaving(rows, option_row, target, costless)
            for i in range(size):
                if idle[i]:
                    decided[i] = True
                    lower[states[i]] = upper[states[i]] = 0.0
            free = np.zeros(options, np.bool_)
            for o in range(options):
                free[o] = usable[o] and earned[o] == 0.0
            member = end_components(rows, option_row, target, free)
            for o in range(options):
                usable[o] = usable[o] and not free[o]

    if worthless and not earning and not staying:
        for i in range(size):
            if not decided[i]:
                lower[states[i]] = upper[states[i]] = 0.0
        return nothing_left

    # Nodes: end components that are one, and the other states.
    nodes = 0
    seen = np.full(size, -1, np.int32)
    node = np.full(size, -1, np.int32)
    stays = np.zeros(size, np.bool_)
    for i in range(size):
        if decided[i]:
            continue
        if member[i] >= 0:
            if seen[member[i]] < 0:
                seen[member[i]] = nodes
                stays[nodes] = staying
                nodes += 1
            node[i] = seen[member[i]]
        else:
            node[i] = nodes
            nodes += 1
    # States by node, then their options.
    new_rows = np.zeros(nodes + 1, np.int64)
    for i in range(size):
        if node[i] >= 0:
            for o in range(rows[i], rows[i + 1]):
                new_rows[node[i] + 1] += usable[o]
    for g in range(nodes):
        new_rows[g + 1] += new_rows[g]
    cursor = new_rows[:nodes].copy()
    which = np.empty(new_rows[nodes], np.int64)
    for i in range(size):
        if node[i] >= 0:
            for o in range(rows[i], rows[i + 1]):
                if usable[o]:
                    which[cursor[node[i]]] = o
                    cursor[node[i]] += 1
    # Equations, with the chance to stay in the node taken out.
    made = len(which) + (nodes if staying else 0)
    new_row = np.zeros(made + 1, np.int64)
    new_col = np.empty(len(target), np.int32)
    p = np.empty(len(target), np.float64)
    out, low, high = np.empty(made), np.empty(made), np.empty(made)
    down, up = np.empty(made), np.empty(made)
    kept_rows = np.zeros(nodes + 1, np.int64)
    filled, kept = 0, 0
    floor, cap = np.inf, 0.0
    for g in range(nodes):
        for k in range(new_rows[g], new_rows[g + 1]):
            o = which[k]
            leave, known, gone = 0.0, 0.0, 0.0
            begin = filled
            for e in range(option_row[o], option_row[o + 1]):
                t = target[e]
                if t >= 0 and node[t] == g:
                    continue
                leave += chance[e]
                if t < 0 or node[t] < 0:
                    gone += chance[e]
                if t >= 0 and node[t] < 0:
                    # Decided states are worth nothing or one: no option left leads to others.
                    known += chance[e] * worth[t]
                    floor = min(floor, worth[t])
                    cap = max(cap, worth[t])
                elif t >= 0:
                    new_col[filled] = node[t]
                    p[filled] = chance[e]
                    filled += 1
            if leave == 0.0:
                continue  # it only stays, which is never better: see `bounds.py`
            for e in range(begin, filled):
                p[e] /= leave
            out[kept] = gone / leave
            low[kept] = (outside[o, 0] + earned[o] + known) / leave
            high[kept] = (outside[o, 1] + earned[o] + known) / leave
            off = (2 * terms[o] + 12) * UNIT  # of a sum, over the sum of its chances
            down[kept], up[kept] = 1.0 - off, 1.0 + off
            if leaves[o]:
                floor = min(floor, outside[o, 2])
                cap = max(cap, outside[o, 3])
            kept += 1
            new_row[kept] = filled
        if stays[g]:
            out[kept], low[kept], high[kept] = 1.0, endless, endless
            down[kept] = up[kept] = 1.0
            floor, cap = min(floor, endless), max(cap, endless)
            kept += 1
            new_row[kept] = filled
        kept_rows[g + 1] = kept
        if kept_rows[g + 1] == kept_rows[g]:
            floor = 0.0  # a node without options: play stays there and earns nothing
    if earning or endless == np.inf:
        cap = np.inf
    if floor == np.inf:
        floor = 0.0
    for i in range(size):
        member[i] = node[i]
    return (
        member, kept_rows, new_row[: kept + 1], new_col[:filled], p[:filled], out[:kept],
        low[:kept], high[:kept], down[:kept], up[:kept], floor, cap,
    )  # fmt: skip
