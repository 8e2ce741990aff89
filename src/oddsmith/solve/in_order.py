# mypy: disable-error-code="untyped-decorator"
"""I - P = L U in the order of the states, given up where it fills in.

What is left of a row, 1 - Σ p(t), is not negative: I - P is an M-matrix whose diagonal outweighs
its rows, and elimination that always takes the diagonal is stable: entries at most double (N. J.
Higham, Accuracy and Stability of Numerical Algorithms, theorem 9.9). So no pivot is looked for.
Where play moves slowly and states are numbered breadth-first, their order leaves the factors nearly
as sparse as the matrix, and to look for a better one takes longer than to eliminate.

A row is eliminated at a time (J. R. Gilbert and T. Peierls, SIAM J. Sci. Stat. Comput. 9, 1988):
subtracted from row i are the rows of those states before i that are reached from it through rows of
U, in the reverse of the order in which a depth-first search leaves them. That takes time in
proportion to the products.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel


@kernel
def twice(numbers: Any) -> Any:
    """An array with room for twice as many numbers."""
    more = np.empty(2 * len(numbers), numbers.dtype)
    for i in range(len(numbers)):
        more[i] = numbers[i]
    return more


@kernel
def eliminate(row: Any, col: Any, value: Any, limit: int) -> Any:
    """L and U in one matrix, from the rows of P: how many rows came about, and the rows.

    The diagonal is that of U (that of L is 1); the third array says where it stands. Rows are
    missing where there would be more entries than the limit, or where rounding leaves nothing of a
    pivot.
    """
    size = len(row) - 1
    start, middle = np.zeros(size + 1, np.int64), np.zeros(size, np.int64)
    to, entry = np.empty(len(col) + 2 * size, np.int32), np.empty(len(col) + 2 * size, np.float64)
    x, seen = np.zeros(size, np.float64), np.full(size, -1, np.int64)
    stack, place = np.empty(size, np.int64), np.empty(size, np.int64)
    order, later = np.empty(size, np.int64), np.empty(size, np.int64)
    done, used = 0, 0
    for i in range(size):
        first, new = size, 0
        seen[i] = i
        x[i] = 1.0
        for e in range(row[i], row[i + 1]):
            c = col[e]
            x[c] -= value[e]
            if seen[c] == i:
                continue
            seen[c] = i
            if c > i:
                later[new] = c
                new += 1
                continue
            depth = 0
            stack[0], place[0] = c, middle[c] + 1
            while depth >= 0:
                k = stack[depth]
                if place[depth] == start[k + 1]:
                    first -= 1
                    order[first] = k
                    depth -= 1
                    continue
                t = to[place[depth]]
                place[depth] += 1
                if seen[t] != i:
                    seen[t] = i
                    if t > i:
                        later[new] = t
                        new += 1
                    else:
                        depth += 1
                        stack[depth], place[depth] = t, middle[t] + 1
        if len(to) - used < size:
            to, entry = twice(to), twice(entry)
        for r in range(first, size):
            k = order[r]
            factor = x[k] / entry[middle[k]]
            x[k] = 0.0
            to[used], entry[used] = k, factor
            used += 1
            for e in range(middle[k] + 1, start[k + 1]):
                x[to[e]] -= factor * entry[e]
        middle[i] = used
        to[used], entry[used] = i, x[i]
        x[i] = 0.0
        used += 1
        for n in range(new):
            to[used], entry[used] = later[n], x[later[n]]
            x[later[n]] = 0.0
            used += 1
        start[i + 1] = used
        if used > limit or not entry[middle[i]] > 0.0:
            break
        done += 1
    return done, start, middle, to[:used], entry[:used]


@kernel
def solved(start: Any, middle: Any, to: Any, entry: Any, b: Any) -> Any:
    """The solution of L U x = b."""
    x = b.copy()
    for i in range(len(middle)):
        known = x[i]
        for e in range(start[i], middle[i]):
            known -= entry[e] * x[to[e]]
        x[i] = known
    for i in range(len(middle) - 1, -1, -1):
        known = x[i]
        for e in range(middle[i] + 1, start[i + 1]):
            known -= entry[e] * x[to[e]]
        x[i] = known / entry[middle[i]]
    return x
