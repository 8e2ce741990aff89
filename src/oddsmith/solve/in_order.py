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
    """The factors of I - P, from the rows of P: how many rows came about; the rows of L and of U.

    The diagonal of U is by itself, that of L is 1. Rows are missing where the factors have more
    entries than the limit, or where rounding leaves nothing of a pivot.
    """
    size = len(row) - 1
    below, above = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    below_col, below_value = (
        np.empty(len(col) + size, np.int32),
        np.empty(len(col) + size, np.float64),
    )
    above_col, above_value = (
        np.empty(len(col) + size, np.int32),
        np.empty(len(col) + size, np.float64),
    )
    diagonal = np.zeros(size, np.float64)
    x = np.zeros(size, np.float64)
    seen = np.full(size, -1, np.int64)
    stack, place, order = (
        np.empty(size, np.int64),
        np.empty(size, np.int64),
        np.empty(size, np.int64),
    )
    done, used, new = 0, 0, 0
    for i in range(size):
        used, new, first = below[i], above[i], size
        if len(below_col) - used < i:
            below_col, below_value = twice(below_col), twice(below_value)
        if len(above_col) - new < size - i:
            above_col, above_value = twice(above_col), twice(above_value)
        seen[i] = i
        x[i] = 1.0
        for e in range(row[i], row[i + 1]):
            c = col[e]
            x[c] -= value[e]
            if seen[c] == i:
                continue
            seen[c] = i
            if c > i:
                above_col[new] = c
                new += 1
                continue
            depth = 0
            stack[0], place[0] = c, above[c]
            while depth >= 0:
                k = stack[depth]
                if place[depth] == above[k + 1]:
                    first -= 1
                    order[first] = k
                    depth -= 1
                    continue
                t = above_col[place[depth]]
                place[depth] += 1
                if seen[t] != i:
                    seen[t] = i
                    if t > i:
                        above_col[new] = t
                        new += 1
                    else:
                        depth += 1
                        stack[depth], place[depth] = t, above[t]
        for r in range(first, size):
            k = order[r]
            factor = x[k] / diagonal[k]
            x[k] = 0.0
            below_col[used], below_value[used] = k, factor
            used += 1
            for e in range(above[k], above[k + 1]):
                x[above_col[e]] -= factor * above_value[e]
        for e in range(above[i], new):
            above_value[e] = x[above_col[e]]
            x[above_col[e]] = 0.0
        diagonal[i] = x[i]
        x[i] = 0.0
        below[i + 1], above[i + 1] = used, new
        if used + new > limit or not diagonal[i] > 0.0:
            break
        done += 1
    below_col, below_value = below_col[:used], below_value[:used]
    above_col, above_value = above_col[:new], above_value[:new]
    return done, below, below_col, below_value, above, above_col, above_value, diagonal


@kernel
def solved(
    below: Any, below_col: Any, below_value: Any, above: Any, above_col: Any, above_value: Any,
    diagonal: Any, b: Any,
) -> Any:  # fmt: skip
    """The solution of L U x = b."""
    size = len(diagonal)
    x = np.empty(size, np.float64)
    for i in range(size):
        known = b[i]
        for e in range(below[i], below[i + 1]):
            known -= below_value[e] * x[below_col[e]]
        x[i] = known
    for i in range(size - 1, -1, -1):
        known = x[i]
        for e in range(above[i], above[i + 1]):
            known -= above_value[e] * x[above_col[e]]
        x[i] = known / diagonal[i]
    return x
