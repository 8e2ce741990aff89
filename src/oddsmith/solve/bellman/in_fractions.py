"""Policy iteration in fractions, component by component.

The equation is that of `docs/method.md`, over nodes (s, q): node s * seats + q is state s as the
player q seats after its mover sees it, and

    x(s, q) = g(c) + Σ p(t) x(t, q - k),    c = the pick of s,

with k the seats that the view turns by. Where play under the picks never stops it is worth what
`endless` says, and infinitely much if something is earned there.

A component is *evaluated* under its picks: the strong components of what the picks leave are
solved in turn, by substitution or p-adic lifting. Then the sides improve their picks, a side only
when those before it have nothing left to improve (Hoffman and Karp, Management Sci. 12 (1966)
359-370). A pick is improved

- for a choice that is better in fractions; or
- where choices as good as the picks can keep play in an end component for ever, and that is
  better. When no choice is better, all nodes of an end component are worth the same to the side
  that could stay there (the least of them is a mean of others), so nothing else is overlooked; or
- for who wants little, where the picks are worth infinitely much, by choices that lead on to where
  it is less. There must be such: what is worth infinitely much by all choices is *fixed* before.

**Why that is the value.** Improved picks make no new closed class but by the second rule: in one,
the mean of g + P x - x under its stationary distribution is the mean of g ≥ 0; so there can be no
improvement for who wants little, and for who wants much only if something is earned, which makes
the class infinite. So the values of picks only improve, and at the end x = T x, with no end
component in which to stay is better: by the theorem of `docs/method.md` in both directions, x is
the value. With more than two sides it is an equilibrium, if there is an end at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from oddsmith.model import graph
from oddsmith.model.model import Model
from oddsmith.runtime.progress import Progress, Silent
from oddsmith.solve.exact.rational import flint_fraction


class GoesRoundError(Exception):
    """Picks are improved for ever; names a state."""

    def __init__(self, state: int) -> None:
        super().__init__(f"picks go round near state {state}")
        self.state = state


class OnDemand(dict[int, Any]):
    """Fractions by their numbers, made when first looked at."""

    def __init__(self, make: Callable[[int], Any]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, number: int) -> Any:
        value = self[number] = self.make(number)
        return value


@dataclass(frozen=True, eq=False)
class Equation:
    """Choices in compressed rows, with FLINT fractions; `row` and the others can be indexed."""

    choice: Any
    row: Any
    col: Any
    index: Any
    """For each transition the number of its chance."""
    chance: Any
    """The chances by their numbers."""
    gain: Any = None
    """What each choice earns, at least nothing; None if nothing is earned."""
    endless: Any = None
    """What play without an end is worth; None if that is infinitely much."""
    seats: int = 1
    turn: Any = ()
    """With several seats, how many of them each transition turns the view by."""

    @classmethod
    def of(cls, model: Model, gain: Any, endless: Any, seats: int = 1, turn: Any = ()) -> Equation:
        """The equation of a model whose chances are known as fractions."""
        chance = model.chance
        assert chance.exact is not None
        return cls(
            model.choice.tolist(), model.row.tolist(), model.col.tolist(), chance.index.tolist(),
            [flint_fraction(value) for value in chance.exact], gain, endless, seats, turn,
        )  # fmt: skip


@dataclass(frozen=True)
class Side:
    """Those who decide together, and what they want."""

    maximise: bool = True
    who: int | None = None
    """The states of this owner; None: all, each for who decides in it."""


@dataclass(eq=False)
class Solver:
    """Values under picks, for states whose components are solved in turn; None is infinity."""

    equation: Equation
    x: Any
    """By node; what is known before, and what was solved."""
    pick: Any
    """By state: the number of a choice."""
    sides: Sequence[Side]
    """In the order in which they improve their picks."""
    owner: Any = None
    """Who decides in each state, if there are several sides."""
    rounds: int = 1_000
    progress: Progress = field(default_factory=Silent)

    def __post_init__(self) -> None:
        from flint import fmpq

        self.zero = fmpq(0)
        self.reluctant = [side for side in self.sides if not side.maximise]
        of = self.equation
        self.choice, self.row, self.col, self.turn = of.choice, of.row, of.col, of.turn
        self.index, self.chance, self.gain, self.seats = of.index, of.chance, of.gain, of.seats

    def solve(self, fixed: Any) -> None:
        """Solve for all states but those that are fixed."""
        from oddsmith.solve.bellman import components

        of = self.equation
        choice = np.asarray(of.choice, np.int64)
        order, bounds = components.components(
            np.asarray(of.row, np.int64)[choice], np.asarray(of.col, np.int32), fixed
        )
        states, cuts, known = order.tolist(), bounds.tolist(), fixed.tolist()
        for k, first in enumerate(cuts[:-1]):
            s, alone = states[first], cuts[k + 1] - first == 1
            if k % 4096 == 0 or not alone:
                self.progress.update("solving exactly", first, len(states))
            if known[s]:
                continue
            if alone and self.seats == 1 and self.choice[s + 1] - self.choice[s] == 1:
                self._one(s)
            else:
                self.component(states[first : cuts[k + 1]])

    def component(self, states: Sequence[int]) -> None:
        """Improve the picks in a component until nobody has better ones."""
        for _ in range(self.rounds):
            self._evaluate(states)
            if self.reluctant and any(self._lead_out(states, side) for side in self.reluctant):
                self._evaluate(states)
            if not any(self._improve(states, side) for side in self.sides):
                return
        raise GoesRoundError(states[0])

    def worth(self, c: int, q: int = 0) -> Any:
        """What a choice is worth to a seat, given what nodes are."""
        value = self.zero if self.gain is None else self.gain[c]
        for e in range(self.row[c], self.row[c + 1]):
            there = self.x[self.node(e, q)]
            if there is None:
                return None
            value += self.chance[self.index[e]] * there
        return value

    def node(self, e: int, q: int) -> int:
        """Where a transition leads, seen from a seat."""
        if self.seats == 1:
            return int(self.col[e])
        return int(self.col[e]) * self.seats + (q - int(self.turn[e])) % self.seats

    def _decides(self, side: Side, s: int) -> bool:
        """Whether a side has a choice in a state."""
        return self.choice[s + 1] - self.choice[s] > 1 and (
            side.who is None or self.owner[s] == side.who
        )

    # Better picks ---------------------------------------------------------------------------

    def _improve(self, states: Sequence[int], side: Side) -> bool:
        """Better picks for a side, if there are any."""
        deciding = [s for s in states if self._decides(side, s)]
        changed = False
        ties: dict[int, list[int]] = {}
        for s in deciding:
            here = best = self.x[s * self.seats]
            better = None
            ties[s] = []
            for c in range(self.choice[s], self.choice[s + 1]):
                value = self.worth(c)
                if less(best, value) if side.maximise else less(value, best):
                    best, better = value, c
                elif value is here or value == here:
                    ties[s].append(c)
            if better is not None:
                self.pick[s], changed = better, True
        return changed or (bool(deciding) and self._stay(states, side, ties))

    def _stay(self, states: Sequence[int], side: Side, ties: dict[int, list[int]]) -> bool:
        """Keep play in end components where that is better for a side; whether it is anywhere."""
        endless, seats = self.equation.endless, self.seats

        def prefers(value: Any) -> bool:
            return less(value, endless) if side.maximise else less(endless, value)

        nodes = [(s, q) for s in states for q in self._seats_of(side, s)]
        if not [n for n in nodes if prefers(self.x[n[0] * seats + n[1]])]:
            return False
        number = {s * seats + q: i for i, (s, q) in enumerate(nodes)}
        choice, row, origin = [0], [0], []
        col: list[int | None] = []
        for s, q in nodes:
            for c in ties[s] if q == 0 and s in ties else [self.pick[s]]:
                if self.gain is not None and self.gain[c] != 0:
                    continue
                span = range(self.row[c], self.row[c + 1])
                inside = [number.get(self.node(e, q)) for e in span]
                if None in inside:
                    continue
                col += inside
                row.append(len(col))
                origin.append((s, c, q == 0))
            choice.append(len(row) - 1)
        if not origin:
            return False
        staying = False
        for members, choices in graph.end_components(
            np.array(choice), np.array(row), np.array(col, np.int32)
        ):
            s, q = nodes[members[0]]
            if prefers(self.x[s * seats + q]):
                for s, c, own in (origin[i] for i in choices):
                    if own and s in ties and self.pick[s] != c:
                        self.pick[s], staying = c, True
        return staying

    def _seats_of(self, side: Side, s: int) -> Sequence[int]:
        """The seats from which a side sees a state."""
        if side.who is None or self.seats == 1:
            return range(self.seats)
        return [(side.who - int(self.owner[s])) % self.seats]

    def _lead_out(self, states: Sequence[int], side: Side) -> bool:
        """Where play is worth infinitely much, picks by which it is less; whether any.

        Backward from states where it is less, by choices that lead to nothing infinite. (There is
        one seat: with several nothing is earned, and play that never ends is worth a number.)
        """
        if self.seats > 1:
            return False
        bad = {s for s in states if self.x[s] is None}
        if not bad:
            return False
        entering: dict[int, list[tuple[int, int]]] = {}
        for s in bad:
            own = self._decides(side, s)
            for c in range(self.choice[s], self.choice[s + 1]) if own else [self.pick[s]]:
                targets = [int(t) for t in self.col[self.row[c] : self.row[c + 1]]]
                if any(self.x[t] is None and t not in bad for t in targets):
                    continue
                for t in targets:
                    entering.setdefault(t, []).append((s, c))
        frontier = [t for t in entering if t not in bad]
        for t in frontier:  # grows as states are reached
            for s, c in entering.get(t, []):
                if s in bad:
                    bad.discard(s)
                    self.pick[s] = c
                    frontier.append(s)
        return bool(frontier)

    # Values under picks -----------------------------------------------------------------------

    def _evaluate(self, states: Sequence[int]) -> None:
        """The values of a component under its picks."""
        for part in self._parts(states) if len(states) > 1 else [states]:
            if len(part) == self.seats == 1:
                self._one(part[0])
            else:
                self._several(part)

    def _parts(self, states: Sequence[int]) -> list[Sequence[int]]:
        """The strong components that the picks leave of a component, successors first."""
        from oddsmith.solve.bellman import components

        number = {s: i for i, s in enumerate(states)}
        row, col = [0], []
        for s in states:
            c = self.pick[s]
            targets = (number.get(int(t)) for t in self.col[self.row[c] : self.row[c + 1]])
            col += [t for t in targets if t is not None]
            row.append(len(col))
        order, bounds = components.components(
            np.array(row, np.int64), np.array(col, np.int32), np.zeros(len(states), bool)
        )
        listed, cuts = [states[i] for i in order.tolist()], bounds.tolist()
        return [listed[cuts[k] : cuts[k + 1]] for k in range(len(cuts) - 1)]

    def _one(self, s: int) -> None:
        """The value of a state alone that is seen from one seat."""
        c = self.pick[s]
        value: Any = self.zero if self.gain is None else self.gain[c]
        earning, stay = value != 0, self.zero
        for e in range(self.row[c], self.row[c + 1]):
            t, chance = self.col[e], self.chance[self.index[e]]
            if t == s:
                stay += chance
            elif value is not None:
                there = self.x[t]
                value = None if there is None else value + chance * there
        if stay == 1:
            self.x[s] = None if earning else self.equation.endless
        else:
            self.x[s] = value / (1 - stay) if value is not None and stay else value

    def _several(self, states: Sequence[int]) -> None:
        """The values of states that lead to one another, or of one that has several seats."""
        seats = self.seats
        number = {s: i for i, s in enumerate(states)}
        inner: list[list[tuple[int, Any]]] = []
        outer: list[Any] = []
        closed, finite, earning = True, True, False
        for s in states:
            c = self.pick[s]
            earned = self.zero if self.gain is None else self.gain[c]
            earning = earning or earned != 0
            for q in range(seats):
                inside: list[tuple[int, Any]] = []
                outside = earned
                for e in range(self.row[c], self.row[c + 1]):
                    there = self.node(e, q)
                    at = number.get(there // seats)
                    chance = self.chance[self.index[e]]
                    if at is not None:
                        inside.append((at * seats + there % seats, chance))
                        continue
                    closed = False
                    value = self.x[there]
                    if value is None:
                        finite = False
                    elif finite:
                        outside += chance * value
                inner.append(inside)
                outer.append(outside)
        nodes = [s * seats + q for s in states for q in range(seats)]
        if closed:
            value = None if earning else self.equation.endless
            values = [value] * len(nodes)
        elif not finite:  # all of them come there with positive chance
            values = [None] * len(nodes)
        else:
            values = self._linear(inner, outer)
        for node, value in zip(nodes, values, strict=True):
            self.x[node] = value

    def _linear(self, inner: list[list[tuple[int, Any]]], outer: list[Any]) -> list[Any]:
        """The solution of x = P x + b."""
        if not any(inner):
            return outer
        from oddsmith.solve.exact.linear import solve_chain

        solved = solve_chain(inner, [[value] for value in outer], self.progress)
        return [value for (value,) in solved]


def less(one: Any, other: Any) -> bool:
    """Whether one value is less than another; None is infinity."""
    return one is not None and (other is None or bool(one < other))
