# mypy: disable-error-code="untyped-decorator"
"""A matrix factored modulo a prime, component by component.

Unknowns that depend on each other (a strong component) are eliminated together: sparse lower and
upper factors, around a dense inverse where elimination would fill up. Entries between components
are not touched: the components are solved in turn, those that depend on nothing else first, and
what is known then is substituted. Unknowns are numbered in the order in which they are solved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.model import graph
from oddsmith.model.spans import spans
from oddsmith.solve.exact import dense
from oddsmith.solve.exact.eliminate import eliminate

DENSE_SHARE = 0.3
"""When so much of what is left is no zero, the rest is inverted as a dense matrix.

Measured: a dense entry takes half the memory of a sparse one and a fiftieth of the time to make."""

SMALL_COMPONENT = 200
"""Components of up to so many unknowns are eliminated all together, and to the end."""


@dataclass(frozen=True, eq=False)
class Factors:
    """The factors of a matrix; rows and columns are numbered by `order`."""

    prime: int
    order: Any
    """The unknowns in the order in which they are numbered."""
    bounds: Any
    """Component c has the numbers bounds[c] … bounds[c + 1] - 1,"""
    eliminated: Any
    """of which those before eliminated[c] were eliminated; the others are dense."""
    pivots: Any
    """The inverses of the pivots; 1 in the dense rests."""
    lower: tuple[Any, Any, Any]
    """Sparse rows: multipliers, and entries of components that are solved before."""
    upper: tuple[Any, Any, Any]
    rests: tuple[tuple[Any, Any, Any], ...]
    """The dense rests, component by component, as (row, col, value) of their entries."""

    @property
    def dense_sizes(self) -> Any:
        """Of each component, the unknowns that were left to dense algebra."""
        return self.bounds[1:] - self.eliminated

    @property
    def entries(self) -> int:
        """The numbers that a solution reads."""
        dense = int((self.dense_sizes.astype(np.int64) ** 2).sum())
        return len(self.lower[1]) + len(self.upper[1]) + dense


def factor(
    row: Any, col: Any, value: Any, p: int, early: Any, density: float = DENSE_SHARE
) -> Factors | None:
    """Factor a sparse matrix of residues; None where a pivot vanishes modulo this prime."""
    n = len(row) - 1
    component, count = graph.strong_components(row, col)
    source = np.repeat(np.arange(n), np.diff(row))
    inside = component[source] == component[col]
    sizes = np.bincount(component, minlength=count)
    large = np.flatnonzero(sizes > SMALL_COMPONENT)
    groups = [np.flatnonzero(sizes[component] <= SMALL_COMPONENT)]
    groups += [np.flatnonzero(component == c) for c in large]
    parts = []
    for group, share in zip(groups, [2.0] + [density] * len(large), strict=True):
        found = _eliminate(group, row, col, value, inside, p, early, share)
        if found is None:
            return None
        parts.append(found)
    # Later components first; inside one, by elimination, then the dense rest.
    rank = np.empty(n, np.int64)
    dense_row = np.zeros(n, bool)
    for part in parts:
        rank[part.order] = np.arange(len(part.order))
        dense_row[part.order[part.done :]] = True
    order = np.lexsort((rank, dense_row, -component))
    place = np.empty(n, np.int32)
    place[order] = np.arange(n)
    bounds = np.concatenate([[0], np.cumsum(sizes[::-1])]).astype(np.int64)
    dense_count = np.bincount(component[dense_row], minlength=count)[::-1]
    pivots = np.ones(n, np.int64)
    for part in parts:
        pivots[place[part.order[: part.done]]] = part.pivots
    between = (source[~inside], col[~inside], value[~inside])
    lower = _rows(n, place, [between, *(part.lower for part in parts)])
    upper = _rows(n, place, [part.upper for part in parts])
    eliminated = bounds[1:] - dense_count
    rests = []
    for part in parts[:0:-1]:
        if part.done < len(part.order):
            first = eliminated[count - 1 - component[part.order[0]]]
            i, j, entry = part.rest
            rests.append((place[i] - first, place[j] - first, entry.astype(np.uint32)))
    return Factors(p, order, bounds, eliminated, pivots, lower, upper, tuple(rests))


@dataclass(frozen=True, eq=False)
class _Part:
    """What the elimination of some components gave, as entries by unknowns."""

    order: Any
    done: int
    pivots: Any
    lower: tuple[Any, Any, Any]
    upper: tuple[Any, Any, Any]
    rest: tuple[Any, Any, Any]


def _eliminate(
    group: Any, row: Any, col: Any, value: Any, inside: Any, p: int, early: Any, density: float
) -> _Part | None:
    """Eliminate some unknowns from each other; None where a pivot vanishes."""
    entries = spans(row[group], row[group + 1] - row[group])
    entries = entries[inside[entries]]
    number = np.full(len(row) - 1, -1, np.int32)
    number[group] = np.arange(len(group))
    belongs = np.searchsorted(row, entries, side="right") - 1
    local_row = np.searchsorted(number[belongs], np.arange(len(group) + 1)).astype(np.int64)
    order, done, start, length, cols, values, pivots, ends, below, factors = eliminate(
        local_row, number[col[entries]], value[entries], p, density, early[group]
    )
    if done < 0:
        return None
    unknown = group[order]
    kept = int(ends[done])
    lower = (
        group[below[:kept]], np.repeat(unknown[:done], np.diff(ends[: done + 1])), factors[:kept]
    )  # fmt: skip

    def listed(which: Any) -> tuple[Any, Any, Any]:
        entries = spans(start[which], length[which])
        return np.repeat(group[which], length[which]), group[cols[entries]], values[entries]

    return _Part(
        unknown, int(done), pivots[order[:done]], lower, listed(order[:done]), listed(order[done:])
    )


def _rows(n: int, place: Any, lists: list[tuple[Any, Any, Any]]) -> tuple[Any, Any, Any]:
    """Lists of entries by unknowns as sparse rows by numbers."""
    source, target, value = (np.concatenate(parts) for parts in zip(*lists, strict=True))
    at = place[source]
    by_row = np.argsort(at, kind="stable")
    row = np.searchsorted(at[by_row], np.arange(n + 1)).astype(np.int64)
    return row, place[target[by_row]].astype(np.int32), value[by_row].astype(np.uint32)


def dense_inverses(factors: Factors, watch: dense.Watch | None = None) -> tuple[Any, Any] | None:
    """The inverses of the dense rests as one array of uint32, and where each begins in it.

    None where a rest has no inverse modulo this prime. `watch`: see `dense.invert`.
    """
    sizes = factors.dense_sizes
    begin = np.concatenate([[0], np.cumsum(sizes.astype(np.int64) ** 2)]).astype(np.int64)
    found = np.empty(begin[-1], np.uint32)
    for c, (i, j, value) in zip(np.flatnonzero(sizes), factors.rests, strict=True):
        matrix = np.zeros((sizes[c], sizes[c]), np.int64)
        matrix[i, j] = value
        if not dense.invert(matrix, factors.prime, watch):
            return None
        found[begin[c] : begin[c + 1]] = matrix.ravel()
    return found, begin


@kernel
def solve(
    b: Any, p: int, bounds: Any, eliminated: Any, pivots: Any, low_row: Any, low_col: Any,
    low_value: Any, up_row: Any, up_col: Any, up_value: Any, inverse: Any, begin: Any, spare: Any,
) -> None:  # fmt: skip
    """Replace b (unknowns by their numbers × columns, residues) by the solution.

    Sums of products are kept in [0, p²): a product is subtracted, and p² added where that made
    it negative. In a dense part, low and high halves of the products are summed apart.
    """
    columns = b.shape[1]
    square = p * p
    for c in range(len(eliminated)):
        first, done, last = bounds[c], eliminated[c], bounds[c + 1]
        for i in range(first, last):
            for q in range(columns):
                sum_ = b[i, q]
                for e in range(low_row[i], low_row[i + 1]):
                    sum_ -= np.int64(low_value[e]) * b[low_col[e], q]
                    sum_ += (sum_ >> 63) & square
                sum_ = sum_ if sum_ < p else sum_ % p
                b[i, q] = sum_ if pivots[i] == 1 else sum_ * pivots[i] % p
        size = last - done
        for q in range(columns):
            for j in range(size):
                spare[q, j] = b[done + j, q]
        for i in range(size):
            entries = inverse[begin[c] + i * size : begin[c] + (i + 1) * size]
            for q in range(columns):
                given = spare[q, :size]
                low, high = np.uint64(0), np.uint64(0)
                for j in range(size):  # 32 bits times 32 bits: four at a time on most machines
                    product = np.uint64(entries[j]) * np.uint64(given[j])
                    low += product & np.uint64(0xFFFFFFFF)
                    high += product >> np.uint64(32)
                residue = np.int64(high % np.uint64(p)) << 32
                b[done + i, q] = (residue % p + np.int64(low % np.uint64(p))) % p
        for k in range(done - 1, first - 1, -1):
            for q in range(columns):
                sum_ = b[k, q]
                for e in range(up_row[k], up_row[k + 1]):
                    sum_ -= np.int64(up_value[e]) * b[up_col[e], q]
                    sum_ += (sum_ >> 63) & square
                b[k, q] = sum_ if sum_ < p else sum_ % p
