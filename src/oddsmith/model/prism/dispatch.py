"""Which commands to look at in a state: a tree of switches instead of a test of every guard.

Exports and board models have thousands of commands such as `turn=1 & p1=17 & …`. The variable
that says most about the guards of a list of commands becomes a switch, every case of it again a
list to split; what is left are the few commands whose guards must be tested.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from oddsmith.model.prism.guards import comparison, operands
from oddsmith.rules.prism.expression import Expression

T = TypeVar("T")

Wanted = Mapping[int, frozenset[int]]
"""The values that variables must have for a guard to hold, for the variables it pins down."""

FEW = 2
"""A switch must spare so many tests in a typical state, or guards are tested one by one."""


@dataclass
class Node(Generic[T]):
    """A switch on a variable (none in a leaf), then what does not depend on it."""

    here: list[T] = field(default_factory=list)
    variable: int | None = None
    cases: dict[int, Node[T]] = field(default_factory=dict)
    rest: Node[T] | None = None

    @property
    def plain(self) -> bool:
        """Whether it is only a list."""
        return self.variable is None


def wanted_by(guard: Expression) -> dict[int, frozenset[int]]:
    """The variables that a guard pins down to a few values.

    >>> from fractions import Fraction
    >>> from oddsmith.rules.prism.expression import Binary, Constant, Read
    >>> wanted_by(Binary("=", Read(3), Constant(Fraction(7))))
    {3: frozenset({7})}
    """
    found: dict[int, frozenset[int]] = {}
    for term in operands(guard, "&"):
        variable, values = _one_of(term)
        if variable is not None:
            found[variable] = found[variable] & values if variable in found else values
    return found


def _one_of(term: Expression) -> tuple[int | None, frozenset[int]]:
    """(variable, values) of `x=1` or `x=1 | x=2`."""
    chosen, values = None, set()
    for one in operands(term, "|"):
        variable, operator, value = comparison(one)
        if variable is None or operator != "=" or chosen not in (None, variable):
            return None, frozenset()
        chosen = variable
        values.add(value)
    return chosen, frozenset(values)


def any_of(several: Sequence[Wanted]) -> dict[int, frozenset[int]]:
    """What all of several guards pin down, each in its way."""
    if not several:
        return {}
    common = set(several[0]).intersection(*several[1:])
    return {v: frozenset().union(*(one[v] for one in several)) for v in common}


def all_of(several: Sequence[Wanted]) -> dict[int, frozenset[int]]:
    """What guards that must hold together pin down."""
    found: dict[int, frozenset[int]] = {}
    for one in several:
        for v, values in one.items():
            found[v] = found[v] & values if v in found else values
    return found


def split(items: Sequence[tuple[T, Wanted]]) -> Node[T]:
    """The tree for a list of things with what they want."""
    best = _best(items)
    if best is None:
        return Node([thing for thing, _ in items])
    cases: dict[int, list[tuple[T, Wanted]]] = defaultdict(list)
    rest = []
    for thing, wanted in items:
        if best not in wanted:
            rest.append((thing, wanted))
            continue
        less = {v: values for v, values in wanted.items() if v != best}
        for value in sorted(wanted[best]):
            cases[value].append((thing, less))
    node = Node([], best, {value: split(found) for value, found in cases.items()})
    if rest:
        node.rest = split(rest)
    return node


def _best(items: Sequence[tuple[T, Wanted]]) -> int | None:
    """The variable to switch on; None if no switch spares enough."""
    if len(items) <= FEW:
        return None
    pinned: Counter[int] = Counter()
    copies: Counter[int] = Counter()
    values: dict[int, set[int]] = defaultdict(set)
    for _, wanted in items:
        for v, allowed in wanted.items():
            pinned[v] += 1
            copies[v] += len(allowed)
            values[v] |= allowed
    spared = {
        v: pinned[v] - copies[v] / max(1, len(values[v]))
        for v in pinned
        if copies[v] <= 4 * pinned[v]
    }
    if not spared:
        return None
    best = max(spared, key=lambda v: (spared[v], -v))
    return best if spared[best] >= FEW else None
