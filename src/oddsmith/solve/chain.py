"""Chain: a Markov chain made ready for solving, and the mathematics that solvers share.

Let P be the transition matrix. The graph decides first (Baier & Katoen, Principles of Model
Checking, 10.1): a state from which an end can be reached is *transient* (live); closed classes
without an end are where play stays for ever. A closed class in which no move counts any more is
a deadlock, and that is a draw: nobody can do anything, the game is over. In one in which moves go
on counting, the game never ends: there is no answer, unless that is to count as a draw
(`endless="draw"`). Such a game has no end all the same: its length is infinite, and so is the
*expected* length wherever it can be come to at all (`may_last_for_ever`).

On live states, with P restricted to them, I - P is invertible (an M-matrix):

- forward, y = e + Pᵀ y: the expected number of visits of each state, e the start. One such solve
  gives the chance of every outcome and the expected length, as sums over y;
- backward, x = b + P x: the value of every state, for one question.

**Bounds.** Let r = e - (I - Pᵀ) ỹ be the residual of an approximate ỹ. The chance of an outcome
is off by exactly the sum of r(s) V(s), where V(s), the true chance from s, is in [0, 1]: so by at
most ‖r‖₁. The expected length is off by at most the sum of |r(s)| u(s) for any u ≥ 0 with
(I - P) u ≥ 1, since such a u is at least the expected number of turns from s. For a backward
solve, |x - x̃| ≤ u max |r(s)| / ((I - P) u)(s), for any u with (I - P) u > 0 (the comparison
principle of M-matrices; Neumaier, Interval Methods for Systems of Equations, 3.6). All
residuals are computed with a bound on their own rounding, so these hold in floating point; they
hold for the answer of any solver, which is why solvers need not be trusted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from oddsmith.errors import EndlessError
from oddsmith.model import graph
from oddsmith.model.ends import where_play_stays
from oddsmith.model.model import GOES_ON, Model
from oddsmith.runtime.frozen import freeze

Floats = npt.NDArray[np.float64]
Endless = Literal["error", "draw"]


@dataclass(frozen=True, eq=False)
class Chain:
    """The live part of a Markov chain, its states put in the order in which sweeps visit them.

    Live states are numbered by their *place*: component by component in topological order,
    inside a component as breadth-first search met them. (Depth-first orders need a third of the
    sweeps but scatter the successors of a state over memory, and lose on large chains.) `row`,
    `col` and `weight` are the transitions between places.
    """

    model: Model
    outcome: npt.NDArray[np.int64]
    """For each state of the model: winner bits where it is over (0 for a draw), -1 if live."""
    order: npt.NDArray[np.int64]
    """The state at each place."""
    place: npt.NDArray[np.int32]
    """The place of each state, -1 if it is not live."""
    bounds: npt.NDArray[np.int64]
    """Component c has the places bounds[c] … bounds[c+1]-1."""
    row: Any
    col: Any
    weight: Any
    shift: Any
    """Seats the view turns by in each transition; empty in a plain chain."""
    notes: tuple[str, ...]
    endless: npt.NDArray[np.bool_]
    """Of each state of the model: whether play stays here for ever and moves go on counting."""

    @cached_property
    def may_last_for_ever(self) -> npt.NDArray[np.bool_]:
        """Of each state of the model: whether a game without an end can come of it.

        That has a chance above zero then, so the expected length from there is infinite.
        """
        if not self.endless.any():
            return self.endless
        return graph.can_reach(self.model.state_row, self.model.col, self.endless)

    @property
    def length_is_infinite(self) -> bool:
        """Whether the expected length of the game is infinite."""
        return bool(self.may_last_for_ever[self.model.start])

    def __post_init__(self) -> None:
        freeze(self)

    @property
    def size(self) -> int:
        """Number of live states."""
        return len(self.order)

    @property
    def lanes(self) -> int:
        """Numbers a state: the players if mover-relative, else 1."""
        return self.model.lanes

    @cached_property
    def total(self) -> Floats:
        """Sum of the weights of all of each state's transitions, those that end it included."""
        choice = self.model.choice[self.order]
        return self.model.total[choice].astype(np.float64)

    @cached_property
    def length(self) -> Floats:
        """What the move in each state adds to the length of the game."""
        choice = self.model.choice[self.order]
        return self.model.counts[choice].astype(np.float64)

    @cached_property
    def leave(self) -> Floats:
        """Weight of each state's transitions to other states, or to itself in another seat."""
        return self._leaving(self.shift == 0 if self.lanes > 1 else None)

    @cached_property
    def leave_any_seat(self) -> Floats:
        """Weight of each state's transitions to other states."""
        return self._leaving(None) if self.lanes > 1 else self.leave

    def _leaving(self, among: npt.NDArray[np.bool_] | None) -> Floats:
        """Totals less self-loops, subtracted as integers: the difference may be small."""
        source = np.repeat(np.arange(self.size, dtype=np.int32), np.diff(self.row))
        loops = source == self.col
        if among is not None:
            loops &= among
        rest = self.model.total[self.model.choice[self.order]].astype(np.int64)
        np.subtract.at(rest, source[loops], self.weight[loops].astype(np.int64))
        return rest.astype(np.float64)

    @property
    def largest(self) -> int:
        """Number of states in the largest component."""
        return int(np.diff(self.bounds).max(initial=0))

    def unfolded(self) -> Chain:
        """The plain chain behind a mover-relative one."""
        if self.lanes == 1:
            return self
        plain = make_chain(self.model.unfolded(), "draw")
        return plain.counting_all() if "counts_all" in self.__dict__ else plain

    def counting_all(self) -> Chain:
        """The same chain with every move counted, also those that the game does not count."""
        other = replace(self)
        vars(other).update({"length": np.ones(self.size), "counts_all": True})
        return other

    def start_vector(self) -> Floats:
        """The start as a vector over places and lanes."""
        e = np.zeros((self.size, self.lanes))
        place = self.place[self.model.start]
        if place >= 0:
            e[place, self.model.start_lane if self.lanes > 1 else 0] = 1.0
        return e


def make_chain(model: Model, endless: Endless = "error") -> Chain:
    """Decide what the graph decides; refuse games that never end."""
    from oddsmith.solve import kernels

    assert model.is_chain, "policies make a chain of a model with decisions: see play/profile.py"
    row, col = model.state_row, model.col
    component, count = graph.strong_components(row, col)
    outcome, going_on, notes = _outcomes(model, component, count, endless)
    live = np.nonzero(outcome == GOES_ON)[0]
    order = live[np.argsort(component[live], kind="stable")]
    cuts = np.nonzero(np.diff(component[order]))[0] + 1
    bounds = np.concatenate([[0], cuts, [len(order)]]) if len(order) else np.zeros(1)
    place = np.full(model.states, -1, np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    shift = model.shift if model.shift is not None else np.empty(0, np.uint8)
    new_row, new_col, new_weight, new_shift = kernels.restrict(
        order, place, row, col, model.weight, shift
    )
    return Chain(
        model=model,
        outcome=outcome,
        order=order,
        place=place,
        bounds=bounds.astype(np.int64),
        row=new_row,
        col=new_col,
        weight=new_weight,
        shift=new_shift,
        notes=notes,
        endless=going_on,
    )


def _outcomes(
    model: Model, component: Any, count: int, endless: Endless
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_], tuple[str, ...]]:
    """Who has won in each state, where play goes on for ever, and what to say of that."""
    stays = where_play_stays(model, component, count)
    outcome = model.winners.astype(np.int64)
    stuck = stays.deadlock | stays.for_ever
    if not stuck.any():
        return outcome, stuck, ()
    outcome[stuck] = 0
    _, first = np.unique(component[stuck], return_index=True)
    classes = np.nonzero(stuck)[0][first]
    endless_classes = [int(s) for s in classes if stays.for_ever[s]]
    if endless_classes and endless == "error":
        raise EndlessError(
            f"{model.name} can go on for ever: once in {model.state(endless_classes[0])!r}, "
            f"no end can be reached. Let winner end it, or count it as a draw "
            f"(--endless draw, or endless='draw').",
            state=model.state(endless_classes[0]),
        )
    deadlocks = [int(s) for s in classes if stays.deadlock[s]]
    notes = []
    if deadlocks:
        notes.append(f"draw by deadlock, found in the graph: {_shown(model, deadlocks)}")
    if endless_classes:
        where = _shown(model, endless_classes)
        notes.append(f"draw by play without end, of infinite length, found in the graph: {where}")
    return outcome, stays.for_ever, tuple(notes)


def _shown(model: Model, states: list[int]) -> str:
    return ", ".join(repr(model.state(s)) for s in states[:3])


def boundary(chain: Chain, worth: Any) -> Any:
    """What one move earns from each live state by ending the game."""
    from oddsmith.solve import kernels

    model = chain.model
    b = np.zeros((chain.size, worth.shape[1]))
    kernels.boundary(chain.order, model.state_row, model.col, model.weight, chain.total, worth, b)
    return b
