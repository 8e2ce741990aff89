"""What the graph of a model decides before any number is computed.

Whether a probability is 0 or 1 depends only on which transitions are possible, never on how
likely they are, and so does the order in which the parts of a model can be solved. Everything
here therefore looks at edges alone.

A Markov chain is a compressed sparse row graph: the successors of state s are
`col[row[s]:row[s + 1]]`, and a terminal state has none. A decision process has one level more:
state s owns the choices `choice[s]` to `choice[s + 1]`, and the possible outcomes of choice c
are `col[row[c]:row[c + 1]]`, at least one. The graph of its states is `(row[choice], col)`.
States that are left without a move, terminal or not, simply stay where they are.

Nothing recurses, and the work space is integers, linear in the edges, so that a graph of 10^8
edges fits. The time is linear too, except that `end_components` repeats linear
passes while it still cuts something off: in practice a handful, at worst one per state.

References
----------
R. Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1 (1972) 146-160.
D. Pearce, A space-efficient algorithm for finding strongly connected components, Inf. Model.
    Lett. 116 (2016) 47-52.
C. Baier and J.-P. Katoen, Principles of Model Checking, MIT Press 2008: sections
    10.1.1 and 10.1.2 (Markov chains), 10.6.1 (decision processes), 10.6.3 (end components).
V. Forejt, M. Kwiatkowska, G. Norman and D. Parker, Automated verification techniques for
    probabilistic systems, SFM 2011, section 4.1: the name Prob0E.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.integer[Any]]
Bools = NDArray[np.bool_]
Csr = tuple[Ints, Ints]


# Any graph ----------------------------------------------------------------------------------


def transpose(row: Ints, col: Ints) -> Csr:
    """Turn every edge round; each list of predecessors is in ascending order.

    >>> row_t, col_t = transpose(np.array([0, 2, 3, 3]), np.array([1, 2, 2]))
    >>> row_t.tolist(), col_t.tolist()
    ([0, 0, 1, 3], [0, 0, 1])
    """
    return _predecessors(row, col, row.size - 1)


def reachable(row: Ints, col: Ints, sources: Ints) -> Bools:
    """States that play can come to from one of `sources`, the sources included."""
    from oddsmith.model import graph_kernels

    seen = np.zeros(row.size - 1, np.bool_)
    seen[sources] = True
    graph_kernels.search(row, col, np.flatnonzero(seen), seen)
    return seen


def can_reach(row: Ints, col: Ints, target: Bools, through: Bools | None = None) -> Bools:
    """States with a path to `target` on which every state before the target is in `through`.

    Target states count, whether `through` allows them or not: these are the states that
    satisfy ∃(through U target).
    """
    return _backward(transpose(row, col), target, through)


def strong_components(row: Ints, col: Ints) -> tuple[NDArray[np.int32], int]:
    """Component of every state and their number, in topological order.

    Two states share a component when each can reach the other. Every edge leads to the same
    component or to one with a higher number, so solving backward from the last component
    meets no value that is not known yet.

    >>> component, count = strong_components(np.array([0, 1, 3, 3]), np.array([1, 0, 2]))
    >>> component.tolist(), count
    ([0, 0, 1], 2)
    """
    from oddsmith.model import graph_kernels

    component = np.zeros(row.size - 1, np.int32)
    count = int(graph_kernels.strong_components(row, col, np.empty(0, np.bool_), component))
    return component, count


def closed_components(row: Ints, col: Ints, component: Ints, count: int) -> Bools:
    """Which components no edge leaves (bottom components); a terminal state is one."""
    from oddsmith.model import graph_kernels

    closed = np.ones(count, np.bool_)
    graph_kernels.open_components(row, col, component, closed)
    return closed


# Markov chains ------------------------------------------------------------------------------


def recurrent_classes(row: Ints, col: Ints) -> list[Ints]:
    """Closed components in which play goes on for ever, each as its states in ascending order.

    A chain ends with probability 1 in a terminal state if and only if none of these can be
    reached (Baier & Katoen, section 10.1.2).

    >>> [c.tolist() for c in recurrent_classes(np.array([0, 2, 2, 3]), np.array([1, 2, 2]))]
    [[2]]
    """
    component, count = strong_components(row, col)
    closed = closed_components(row, col, component, count)
    states = np.flatnonzero(closed[component] & (_lengths(row) > 0))
    return sorted(_grouped(states, component[states]), key=_first)


def prob0(row: Ints, col: Ints, target: Bools) -> Bools:
    """States of a Markov chain that reach `target` with probability 0: no path leads there."""
    return ~can_reach(row, col, target)


def prob1(row: Ints, col: Ints, target: Bools) -> Bools:
    """States of a Markov chain that reach `target` with probability 1.

    In a finite chain the target is missed with positive probability exactly when some path
    that avoids it comes to a state from which it is out of reach.
    """
    transposed = transpose(row, col)
    lost = ~_backward(transposed, target)
    return ~_backward(transposed, lost, through=~target)


# Decision processes -------------------------------------------------------------------------


def prob0_min(choice: Ints, row: Ints, col: Ints, target: Bools) -> Bools:
    """States from which some policy reaches `target` with probability 0 (Prob0E).

    The complement is the least set that holds the target and every state all of whose choices
    may enter the set.
    """
    from oddsmith.model import graph_kernels

    process = _Entered.of(choice, row, col)
    forced = target.copy()
    barred = np.zeros(process.owner.size, np.bool_)
    graph_kernels.attract(*process, np.flatnonzero(target), forced, barred, _lengths(choice))
    return ~forced


def end_components(choice: Ints, row: Ints, col: Ints) -> list[tuple[Ints, Ints]]:
    """Maximal end components: (states, choices) in which a player can keep play for ever.

    An end component is a set of states with some choices of each that never leave the set and
    join all of it strongly. Under any policy, the states and choices that occur infinitely
    often form one with probability 1 (Baier & Katoen, section 10.6.3).

    >>> choice, row, col = np.array([0, 2, 3]), np.array([0, 1, 2, 3]), np.array([0, 1, 1])
    >>> [(s.tolist(), c.tolist()) for s, c in end_components(choice, row, col)]
    [([0], [0]), ([1], [2])]
    """
    from oddsmith.model import graph_kernels

    usable = np.ones(row.size - 1, np.bool_)
    member = graph_kernels.end_components(
        choice.astype(np.int64), row.astype(np.int64), col.astype(np.int32), usable
    )
    states, choices = np.flatnonzero(member >= 0), np.flatnonzero(usable)
    groups = zip(
        _grouped(states, member[states]),
        _grouped(choices, member[_owner(choice)[choices]]),
        strict=True,
    )
    return sorted(groups, key=lambda component: _first(component[0]))


# Parts --------------------------------------------------------------------------------------


class _Entered(NamedTuple):
    """The choices that may enter each state (compressed sparse rows), and whose they are."""

    entering_row: Ints
    entering: Ints
    owner: Ints

    @classmethod
    def of(cls, choice: Ints, row: Ints, col: Ints) -> "_Entered":
        """Turn the edges of a decision process round."""
        return cls(*_predecessors(row, col, choice.size - 1), _owner(choice))


def _predecessors(row: Ints, col: Ints, count: int) -> Csr:
    """For each of `count` states, the rows (states or choices) with an edge into it."""
    from oddsmith.model import graph_kernels

    row_t = np.zeros(count + 1, np.int64)
    col_t: Ints = np.empty(col.size, np.int32 if row.size <= 2**31 else np.int64)
    graph_kernels.transpose(row, col, row_t, col_t)
    return row_t, col_t


def _backward(transposed: Csr, target: Bools, through: Bools | None = None) -> Bools:
    """`can_reach` on a graph already turned round."""
    from oddsmith.model import graph_kernels

    # States that are not allowed pass for seen, so that the search never enters them.
    seen = target.copy() if through is None else target | ~through
    graph_kernels.search(*transposed, np.flatnonzero(target), seen)
    return seen if through is None else seen & (target | through)


def _lengths(offsets: Ints) -> NDArray[np.int64]:
    """How many edges (or choices) lie between one offset and the next."""
    return np.diff(offsets).astype(np.int64, copy=False)


def _owner(choice: Ints) -> NDArray[np.int32]:
    """The state that each choice belongs to."""
    return np.repeat(np.arange(choice.size - 1, dtype=np.int32), _lengths(choice))


def _grouped(members: Ints, labels: Ints) -> list[Ints]:
    """Split `members` by label, in order of the labels; each group keeps the order it had."""
    if members.size == 0:
        return []
    order = np.argsort(labels, kind="stable")
    bounds = np.flatnonzero(np.diff(labels[order])) + 1
    return np.split(members[order], bounds)


def _first(members: Ints) -> int:
    return int(members[0])
