# mypy: disable-error-code="untyped-decorator"
"""Sparse Gaussian elimination modulo a prime, in an order that keeps the fill small.

The pivot is always a diagonal entry: the matrices are T - W of a chain that ends (M-matrices, or
the same with weights turned by roots of unity), whose leading minors do not vanish in any order.
Among the diagonal entries the one of least Markowitz cost (r - 1)(c - 1) is next, r and c being
the entries left in its row and column (H. M. Markowitz, Management Sci. 3 (1957) 255-269). That
follows the direction of a game: squares that are only passed go first and make no fill, states
with one successor are just substituted. A symmetric order (minimum degree, nested dissection)
would not see it. When what is left is no longer sparse, it is left to dense algebra.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.solve.exact.modular import inverse

SMALL_ROW = 8
"""Rows of up to so many entries are eliminated however dense the rest is."""


@kernel(inline="always")
def _push(keys: Any, items: Any, size: int, key: int, item: int) -> int:
    at = size
    while at > 0:
        parent = (at - 1) >> 1
        if keys[parent] <= key:
            break
        keys[at], items[at] = keys[parent], items[parent]
        at = parent
    keys[at], items[at] = key, item
    return size + 1


@kernel(inline="always")
def _drop_first(keys: Any, items: Any, size: int) -> int:
    size -= 1
    key, item = keys[size], items[size]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[at], items[at] = keys[child], items[child]
        at = child
    keys[at], items[at] = key, item
    return size


@kernel
def eliminate(row: Any, col: Any, value: Any, p: int, density: float, early: Any) -> Any:
    """Eliminate until the rest has this share of entries; unknowns that are `early` go first.

    Gives the order of elimination, how many were eliminated, the rows that were left when their
    unknown was eliminated (scaled to a one on the diagonal, which is not kept), the inverses of
    the pivots, the multipliers (by eliminated unknown), and the rest as rows. A pivot that is
    zero modulo p ends it: then nothing is eliminated. Room that is not used is zero.
    """
    n = len(row) - 1
    entries = row[n]
    # Rows: entries of row i are at start[i] … start[i] + length[i] - 1 of a pool that grows.
    start, length, room = np.zeros(n, np.int64), np.zeros(n, np.int64), np.empty(n, np.int64)
    pool = 4 * entries + 1024
    cols, values, used = np.zeros(pool, np.int32), np.zeros(pool, np.int64), 0
    count = np.zeros(n, np.int64)  # entries of a column in rows that are left
    for i in range(n):
        size = row[i + 1] - row[i]
        start[i], length[i], room[i] = used, size, size + 2
        for e in range(size):
            cols[used + e], values[used + e] = col[row[i] + e], value[row[i] + e]
            count[col[row[i] + e]] += 1
        used += size + 2
    # Columns: the rows that have an entry there, eliminated ones among them.
    top, height, high = np.empty(n, np.int64), np.zeros(n, np.int64), count + 2
    rows, taken = np.empty(4 * entries + 1024 + 2 * n, np.int32), 0
    for j in range(n):
        top[j] = taken
        taken += high[j]
    for i in range(n):
        for e in range(row[i], row[i + 1]):
            rows[top[col[e]] + height[col[e]]] = i
            height[col[e]] += 1
    keys, items, queued = np.empty(8 * n + 1024, np.int64), np.empty(8 * n + 1024, np.int64), 0
    cost = np.empty(n, np.int64)
    for i in range(n):
        cost[i] = -1 if early[i] else (length[i] - 1) * (count[i] - 1)
        queued = _push(keys, items, queued, cost[i], i)
    order, inverses = np.zeros(n, np.int64), np.zeros(n, np.int64)
    left, done, live = np.ones(n, np.bool_), 0, entries
    where = np.full(n, -1, np.int64)
    below, factor = np.zeros(entries + 1024, np.int32), np.zeros(entries + 1024, np.int64)
    ends, kept = np.zeros(n + 1, np.int64), 0
    while queued > 0:
        key, k = keys[0], items[0]
        queued = _drop_first(keys, items, queued)
        if not left[k] or key != cost[k]:
            continue
        now = (length[k] - 1) * (count[k] - 1)
        if key >= 0 and now > key:
            cost[k] = now
            queued = _push(keys, items, queued, now, k)
            continue
        rest = n - done
        if key >= 0 and live > density * rest * rest and length[k] > SMALL_ROW:
            break
        s, size = start[k], length[k]
        at = -1
        for e in range(s, s + size):
            if cols[e] == k:
                at = e
        if at < 0 or values[at] == 0:
            done = -1
            break
        scale = inverse(values[at], p)
        size -= 1
        cols[at], values[at] = cols[s + size], values[s + size]
        length[k], left[k], order[done], inverses[k] = size, False, k, scale
        for e in range(s, s + size):
            values[e] = values[e] * scale % p
            count[cols[e]] -= 1
        live -= size + 1
        for q in range(top[k], top[k] + height[k]):
            i = rows[q]
            if not left[i]:
                continue
            si, have = start[i], length[i] - 1
            for e in range(si, si + have + 1):
                where[cols[e]] = e
            at = where[k]
            where[k] = -1
            multiplier = values[at]
            if at != si + have:
                cols[at], values[at] = cols[si + have], values[si + have]
                where[cols[at]] = at
            live -= 1
            if kept == len(below):
                below = np.concatenate((below, np.zeros(kept, np.int32)))
                factor = np.concatenate((factor, np.zeros(kept, np.int64)))
            below[kept], factor[kept] = i, multiplier
            kept += 1
            need = have
            for e in range(s, s + size):
                if where[cols[e]] < 0:
                    need += 1
            if need > room[i]:
                wide = need + need // 2 + 4
                if used + wide > len(cols):
                    more = max(len(cols), wide)
                    cols = np.concatenate((cols, np.zeros(more, np.int32)))
                    values = np.concatenate((values, np.zeros(more, np.int64)))
                for e in range(have):
                    cols[used + e], values[used + e] = cols[si + e], values[si + e]
                    where[cols[si + e]] = used + e
                si, start[i], room[i] = used, used, wide
                used += wide
            for e in range(s, s + size):
                c = cols[e]
                product = multiplier * values[e] % p
                at = where[c]
                if at >= 0:
                    difference = values[at] - product
                    values[at] = difference + p if difference < 0 else difference
                    continue
                cols[si + have], values[si + have] = c, p - product if product else 0
                where[c] = si + have
                have += 1
                live += 1
                count[c] += 1
                if height[c] == high[c]:
                    tall = 2 * high[c] + 4
                    if taken + tall > len(rows):
                        rows = np.concatenate((rows, np.empty(max(len(rows), tall), np.int32)))
                    kept_rows = 0
                    for r in range(top[c], top[c] + height[c]):
                        if left[rows[r]]:
                            rows[taken + kept_rows] = rows[r]
                            kept_rows += 1
                    top[c], height[c], high[c] = taken, kept_rows, tall
                    taken += tall
                rows[top[c] + height[c]] = i
                height[c] += 1
            for e in range(si, si + have):
                where[cols[e]] = -1
            length[i] = have
        done += 1
        ends[done] = kept
        if queued + size + height[k] > len(keys):
            queued = 0
            for i in range(n):
                if left[i]:
                    cost[i] = cost[i] if cost[i] < 0 else (length[i] - 1) * (count[i] - 1)
                    queued = _push(keys, items, queued, cost[i], i)
            continue
        for e in range(s, s + size):
            i = cols[e]
            now = (length[i] - 1) * (count[i] - 1)
            if now < cost[i]:
                cost[i] = now
                queued = _push(keys, items, queued, now, i)
        for q in range(top[k], top[k] + height[k]):
            i = rows[q]
            now = (length[i] - 1) * (count[i] - 1)
            if left[i] and now < cost[i]:
                cost[i] = now
                queued = _push(keys, items, queued, now, i)
    if done >= 0:
        at = done
        for i in range(n):
            if left[i]:
                order[at] = i
                at += 1
    return order, done, start, length, cols, values, inverses, ends, below, factor
