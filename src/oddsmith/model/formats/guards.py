"""Guards: short conditions on variables that tell classes of states apart.

Given the variables of some states and a class for each, a decision diagram is grown: a node asks
for one variable and cuts its values into stretches, each with a node of its own; a node whose
states are all of one class asks nothing. The variable asked for is the one that leaves the fewest
pairs of a value and a class. Neighbouring values with the same node below share a stretch. Read
from its root, the diagram gives a condition for each class: true for every state of the class,
false for every other state given, and whatever it happens to be for values that no state has.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.model.dense import dense
from oddsmith.model.variables import Variable

Columns = Sequence[npt.NDArray[np.int64]]
Ints = npt.NDArray[Any]

TRUE = "true"


def conditions(variables: Sequence[Variable], columns: Columns, classes: Ints) -> dict[int, str]:
    """For each class, a condition that holds in its states and in no others of these."""
    if not len(classes):
        return {}
    grown = _Diagram(variables, columns, classes)
    root = grown.node(np.arange(len(classes)), tuple(range(len(variables))))
    return grown.read(root)


def condition(variables: Sequence[Variable], columns: Columns, there: npt.NDArray[np.bool_]) -> str:
    """A condition that holds in a set of states and in no others."""
    return conditions(variables, columns, there.astype(np.int64)).get(1, "false")


def exactly(variables: Sequence[Variable], columns: Columns, members: Ints) -> str:
    """A condition that holds for the values of these states and for no others whatever.

    Values of a variable that leave the same to be said of the variables after it are said together.
    """
    rows = sorted(set(zip(*(column[members].tolist() for column in columns), strict=True)))
    return _exactly(variables, rows, 0)


def _exactly(variables: Sequence[Variable], rows: list[tuple[int, ...]], first: int) -> str:
    if first == len(variables):
        return TRUE
    v = variables[first]
    below: dict[str, list[int]] = {}
    for value, some in groupby(rows, key=itemgetter(first)):
        below.setdefault(_exactly(variables, list(some), first + 1), []).append(value)
    found = []
    for text, values in below.items():
        runs = _runs(values)
        cuts = tuple(sorted({x for a, b in runs for x in (a, b + 1)} - {v.low, v.high + 1}))
        here = TRUE
        if runs != [(v.low, v.high)]:
            places = [bisect_right(cuts, a) for a, _ in runs]
            here = " | ".join(_stretch(v, cuts, p, p) for p in places)
        parts = [part for part in (here, text) if part != TRUE]
        found.append(" & ".join(_bracketed(part, "|") for part in parts) or TRUE)
    if len(found) == 1:
        return found[0]
    return " | ".join(_bracketed(text, "&") for text in found)


@dataclass(frozen=True)
class _Leaf:
    """A node whose states are of one class."""

    kind: int


@dataclass(frozen=True)
class _Fork:
    """A node that asks for a variable: stretch i has the values from cuts[i-1] below cuts[i]."""

    variable: int
    cuts: tuple[int, ...]
    below: tuple[int, ...]


class _Diagram:
    """A decision diagram; equal nodes are one node."""

    def __init__(self, variables: Sequence[Variable], columns: Columns, classes: Ints) -> None:
        self.variables = variables
        self.columns = columns
        _, self.classes = np.unique(classes, return_inverse=True)
        self.named = np.unique(classes)
        self.nodes: list[_Leaf | _Fork] = []
        self.number: dict[_Leaf | _Fork, int] = {}
        self._read: dict[int, dict[int, str]] = {}

    def _keep(self, node: _Leaf | _Fork) -> int:
        number = self.number.setdefault(node, len(self.nodes))
        if number == len(self.nodes):
            self.nodes.append(node)
        return number

    def node(self, states: Ints, free: tuple[int, ...]) -> int:
        """The node that tells these states apart, asking for variables that are free."""
        classes = self.classes[states]
        if len(states) == 1 or bool(np.all(classes == classes[0])):
            return self._keep(_Leaf(int(classes[0])))
        variable = self._best(states, classes, free)
        rest = tuple(v for v in free if v != variable)
        values = self.columns[variable][states]
        order = _order(values)
        ordered = values[order]
        begin = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        grouped, kinds = states[order], classes[order]
        kind = np.minimum.reduceat(kinds, begin)
        pure = kind == np.maximum.reduceat(kinds, begin)
        again = np.append(False, pure[1:] & pure[:-1] & (kind[1:] == kind[:-1]))
        ends = np.append(begin[1:], len(order))
        cuts: list[int] = []
        below: list[int] = []
        for i in np.flatnonzero(~again):
            if pure[i]:
                child = self._keep(_Leaf(int(kind[i])))
            else:
                child = self.node(grouped[begin[i] : ends[i]], rest)
            if below and below[-1] == child:
                continue
            if below:
                cuts.append(int(ordered[begin[i]]))
            below.append(child)
        return below[0] if not cuts else self._keep(_Fork(variable, tuple(cuts), tuple(below)))

    def _best(self, states: Ints, classes: Ints, free: tuple[int, ...]) -> int:
        """The variable that leaves the fewest pairs of a value and a class."""
        best, found = -1, (1 << 62, 1 << 62)
        there, compact = dense(classes)
        for v in free:
            values = self.columns[v][states]
            low = int(values.min())
            if low == int(values.max()):
                continue
            shifted = values - low
            score = (_different(shifted * len(there) + compact), _different(shifted))
            if score < found:
                best, found = v, score
        assert best >= 0, "states with the same values are of different classes"
        return best

    def read(self, root: int) -> dict[int, str]:
        """The condition of each class."""
        return {int(self.named[kind]): text for kind, text in self._conditions(root).items()}

    def _conditions(self, number: int) -> dict[int, str]:
        if number in self._read:
            return self._read[number]
        node = self.nodes[number]
        if isinstance(node, _Leaf):
            found = {node.kind: TRUE}
        else:
            parts: dict[int, dict[str, list[int]]] = {}
            for stretch, child in enumerate(node.below):
                for kind, text in self._conditions(child).items():
                    parts.setdefault(kind, {}).setdefault(text, []).append(stretch)
            found = {kind: self._either(node, texts) for kind, texts in parts.items()}
        self._read[number] = found
        return found

    def _either(self, node: _Fork, texts: dict[str, list[int]]) -> str:
        """The stretches that lead to each condition below, and that condition."""
        found = []
        for text, stretches in texts.items():
            here = self._among(node, stretches)
            if here == TRUE or text == TRUE:
                found.append(text if here == TRUE else here)
            else:
                found.append(f"{_bracketed(here, '|')} & {_bracketed(text, '|')}")
        if len(found) == 1:
            return found[0]
        return " | ".join(_bracketed(text, "&") for text in found)

    def _among(self, node: _Fork, stretches: list[int]) -> str:
        """That the variable is in one of some stretches, or in none of the others."""
        count = len(node.below)
        if len(stretches) == count:
            return TRUE
        inside = _runs(stretches)
        outside = _runs([i for i in range(count) if i not in set(stretches)])
        v = self.variables[node.variable]
        if len(inside) <= len(outside):
            return " | ".join(_stretch(v, node.cuts, *run) for run in inside)
        return " & ".join(_not_stretch(v, node.cuts, *run) for run in outside)


def _different(numbers: Ints) -> int:
    """How many different numbers there are, none negative."""
    if int(numbers.max()) < 8 * len(numbers) + 1024:
        return int(np.count_nonzero(np.bincount(numbers)))
    return len(np.unique(numbers))


def _order(values: Ints) -> Ints:
    """The order of whole numbers; the numbers of most variables are short, and sorted faster."""
    shifted = values - values.min()
    short = int(shifted.max()) < 1 << 16
    return np.argsort(shifted.astype(np.uint16) if short else shifted, kind="stable")


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    """Numbers in order as runs from and to."""
    runs: list[tuple[int, int]] = []
    for i in numbers:
        if runs and runs[-1][1] == i - 1:
            runs[-1] = (runs[-1][0], i)
        else:
            runs.append((i, i))
    return runs


def _bracketed(text: str, inside: str) -> str:
    """Brackets around a text in which an operator stands outside all brackets."""
    depth = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and letter == inside:
            return f"({text})"
    return text


def _stretch(v: Variable, cuts: tuple[int, ...], first: int, last: int) -> str:
    low = None if first == 0 else cuts[first - 1]
    high = None if last == len(cuts) else cuts[last] - 1
    if v.is_bool:
        return v.name if low is not None else f"!{v.name}"
    if low is None:
        return f"{v.name}={v.low}" if high == v.low else f"{v.name}<={high}"
    if high is None:
        return f"{v.name}={v.high}" if low == v.high else f"{v.name}>={low}"
    if low == high:
        return f"{v.name}={low}"
    return f"({v.name}>={low} & {v.name}<={high})"


def _not_stretch(v: Variable, cuts: tuple[int, ...], first: int, last: int) -> str:
    text = _stretch(v, cuts, first, last)
    if v.is_bool:
        return text[1:] if text.startswith("!") else f"!{text}"
    low = None if first == 0 else cuts[first - 1]
    high = None if last == len(cuts) else cuts[last] - 1
    if low is None:
        return f"{v.name}>{high}"
    if high is None:
        return f"{v.name}<{low}"
    if low == high:
        return f"{v.name}!={low}"
    return f"({v.name}<{low} | {v.name}>{high})"
