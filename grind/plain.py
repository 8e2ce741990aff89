"""Plain: a small model as lists, and Markov chains solved in fractions.

This is the reference that solvers are compared with, so nothing of Oddsmith is used here: states
are numbered, a choice is a list of (chance, target), and linear systems are solved by Gaussian
elimination. It is slow and meant for some dozen states.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

Outcomes = list[tuple[Fraction, int]]
Vector = list[Fraction]


@dataclass
class Choice:
    """What a player may do in a state: where it leads, and what it earns."""

    outcomes: Outcomes
    counts: int = 1
    """What it adds to the length of a game."""
    name: str = ""
    earns: dict[str, Fraction] = field(default_factory=dict)


@dataclass
class Plain:
    """States with choices; a state without choices is an end."""

    choices: list[list[Choice]]
    owner: list[int]
    """Who decides in each state."""
    start: int = 0
    names: list[object] = field(default_factory=list)
    winners: list[tuple[int, ...] | None] = field(default_factory=list)
    """Of a game: who has won (nobody: a draw), or None where it goes on."""
    scores: list[tuple[int, ...] | None] | None = None
    players: int = 1
    state_rewards: dict[str, Vector] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Number of states."""
        return len(self.choices)


Chain = list[Outcomes]
"""The outcomes of every state; an end has none."""


def chain_of(model: Plain, picks: Sequence[int]) -> Chain:
    """The chain in which state s takes its choice picks[s]."""
    return [c[picks[s]].outcomes if c else [] for s, c in enumerate(model.choices)]


def reaches(chain: Chain, goal: set[int], through: set[int] | None = None) -> set[int]:
    """The states from which the goal can be reached, by way of `through` only."""
    before: list[list[int]] = [[] for _ in chain]
    for s, outcomes in enumerate(chain):
        for p, t in outcomes:
            if p:
                before[t].append(s)
    found, todo = set(goal), list(goal)
    while todo:
        for s in before[todo.pop()]:
            if s not in found and (through is None or s in through):
                found.add(s)
                todo.append(s)
    return found


def closed_classes(chain: Chain) -> list[set[int]]:
    """The recurrent classes; an end is one of its own."""
    forward: list[set[int]] = []
    for s in range(len(chain)):
        found, todo = {s}, [s]
        while todo:
            for p, t in chain[todo.pop()]:
                if p and t not in found:
                    found.add(t)
                    todo.append(t)
        forward.append(found)
    classes: list[set[int]] = []
    for s, found in enumerate(forward):
        if all(s in forward[t] for t in found) and not any(s in one for one in classes):
            classes.append(found)
    return classes


def solve(rows: list[dict[int, Fraction]], right: list[Vector]) -> list[Vector]:
    """The solutions x of rows · x = right (one column each), by elimination in fractions."""
    rows = [dict(row) for row in rows]
    right = [list(row) for row in right]
    order: list[tuple[int, int]] = []
    left = set(range(len(rows)))
    for column in range(len(rows)):
        pivot = min((r for r in left if rows[r].get(column)), key=lambda r: len(rows[r]))
        left.discard(pivot)
        order.append((column, pivot))
        scale = rows[pivot][column]
        rows[pivot] = {c: v / scale for c, v in rows[pivot].items()}
        right[pivot] = [v / scale for v in right[pivot]]
        for r in range(len(rows)):
            factor = rows[r].get(column)
            if r == pivot or not factor:
                continue
            for c, v in rows[pivot].items():
                value = rows[r].get(c, Fraction(0)) - factor * v
                if value:
                    rows[r][c] = value
                else:
                    rows[r].pop(c, None)
            right[r] = [a - factor * b for a, b in zip(right[r], right[pivot], strict=True)]
    return [right[pivot] for _, pivot in order]


def chances(chain: Chain, worth: dict[int, Vector]) -> list[Vector]:
    """The mean, from every state, of the worth of the first state that has one; 0 if none comes."""
    columns = len(next(iter(worth.values()))) if worth else 1
    nothing = [Fraction(0)] * columns
    found = [list(worth.get(s, nothing)) for s in range(len(chain))]
    open_states = [s for s in reaches(chain, set(worth)) if s not in worth]
    place = {s: i for i, s in enumerate(open_states)}
    rows, right = [], []
    for s in open_states:
        row, b = {place[s]: Fraction(1)}, list(nothing)
        for p, t in chain[s]:
            if t in place:
                row[place[t]] = row.get(place[t], Fraction(0)) - p
            elif t in worth:
                b = [x + p * y for x, y in zip(b, worth[t], strict=True)]
        rows.append({c: v for c, v in row.items() if v})
        right.append(b)
    for s, values in zip(open_states, solve(rows, right), strict=True):
        found[s] = values
    return found


def reach(chain: Chain, goal: set[int], through: set[int] | None = None) -> Vector:
    """The chance to come to the goal from every state, by way of `through` only."""
    cut = [o if through is None or s in through or s in goal else [] for s, o in enumerate(chain)]
    one = {s: [Fraction(1)] for s in goal}
    return [v[0] for v in chances(cut, one)] if one else [Fraction(0)] * len(chain)


def totals(chain: Chain, earned: Vector, stop: set[int]) -> list[Fraction | None]:
    """What is earned on the way to `stop`, None (infinite) where that may never end.

    A closed class in which nothing is earned any more ends the earning as well.
    """
    cut = [[] if s in stop else o for s, o in enumerate(chain)]
    quiet = set(stop)
    endless: set[int] = set()
    for one in closed_classes(cut):
        if any(earned[s] for s in one if s not in stop):
            endless |= one
        else:
            quiet |= one
    bad = reaches(cut, endless)
    states = [s for s in range(len(chain)) if s not in quiet and s not in bad]
    place = {s: i for i, s in enumerate(states)}
    rows = []
    for s in states:
        row = {place[s]: Fraction(1)}
        for p, t in cut[s]:
            if t in place:
                row[place[t]] = row.get(place[t], Fraction(0)) - p
        rows.append({c: v for c, v in row.items() if v})
    solved = solve(rows, [[earned[s]] for s in states])
    found: list[Fraction | None] = [None if s in bad else Fraction(0) for s in range(len(chain))]
    for s, value in zip(states, solved, strict=True):
        found[s] = value[0]
    return found
