"""Model: the states of a game, the choices in them and the chances of each choice.

A model is a finite game graph in compressed rows. State s has the choices
`choice[s] … choice[s+1]-1`; choice c leads to the states `col[row[c]:row[c+1]]` with the integer
weights `weight[row[c]:row[c+1]]`, whose sum is `total[c]`: the chance of a transition is
weight / total, an exact fraction. Where no state has more than one choice the model is a Markov
chain. A state without choices is over; `winners` says who won there, as the bits of a number
(0 for a draw, -1 while the game goes on).

**Mover-relative models.** When players differ by their seat only, a state and the same state
seen from another seat behave alike. Exploration then keeps one of each N: the state as its mover
sees it, the mover in seat 0. Each transition carries a `shift`: how many seats the view turns.
The full chain is the N-fold cover with states (s, j), j the seat of the mover, and transitions
(s, j) → (t, j + shift mod N). Sweeps run on the quotient with N numbers a state; `unfolded`
builds the cover where a plain chain is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from oddsmith.model.names import Names
from oddsmith.results.shown import Shown
from oddsmith.runtime.frozen import freeze, read_only

if TYPE_CHECKING:
    from oddsmith.rules.game import Game

Ints = npt.NDArray[np.integer[Any]]
Bools = npt.NDArray[np.bool_]

GOES_ON = -1
"""The entry of `winners` for a state in which the game goes on."""

SMALL_TRANSITIONS = 1_000_000
"""Models with no more have one type of weights: kernels are compiled for each that they meet."""


@dataclass(frozen=True, eq=False, repr=False)
class Model(Shown):
    """A game as a graph; see the module's docstring."""

    game: Game
    names: Names
    choice: Ints
    row: Ints
    col: Ints
    weight: Ints
    total: Ints
    action: Ints
    owner: Ints
    winners: Ints
    shift: Ints | None = None
    scores: Ints | None = None
    """What each player has scored where the game is over (states × players), if it has scores."""
    how: str = ""
    """How the model was made, for people: interpreted or compiled, and why."""
    compile_seconds: float = 0.0
    """Seconds spent compiling the rules, or loading them from the cache of compiled rules."""

    base: Ints | None = None
    """In an unfolded model, the number that each state has in the mover-relative one."""

    start: int = 0
    start_lane: int = 0
    """In a mover-relative model, the seat of the player who begins."""

    def __post_init__(self) -> None:
        freeze(self)

    def __str__(self) -> str:
        states, transitions = self.full_states, self.full_transitions
        return f"{self.game.name}: {states:,} states, {transitions:,} transitions"

    @property
    def states(self) -> int:
        """Number of states stored."""
        return len(self.choice) - 1

    @property
    def choices(self) -> int:
        """Number of choices stored."""
        return len(self.row) - 1

    @property
    def transitions(self) -> int:
        """Number of transitions stored."""
        return len(self.col)

    @property
    def lanes(self) -> int:
        """Views of each stored state: the number of players if mover-relative, else 1."""
        return self.game.players if self.shift is not None else 1

    @cached_property
    def state_row(self) -> Ints:
        """Row pointers of the graph on states, all choices of a state together."""
        return read_only(self.row[self.choice])

    @cached_property
    def rewards(self) -> dict[str, Ints]:
        """What each choice earns: `length` is one where the move counts, `turns` always one."""
        counts = np.array([a.counts for a in self.game.actions], np.uint8)
        return {"length": counts[self.action], "turns": np.ones(self.choices, np.uint8)}

    @cached_property
    def labels(self) -> dict[str, Bools]:
        """Named sets of states: over, draw, and a win of each player."""
        sets = {"over": self.winners != GOES_ON, "draw": self.winners == 0}
        for player in range(self.game.players):
            won = (self.winners > 0) & (self.winners >> player & 1 == 1)
            sets[f"player {player + 1} wins"] = won
        return sets

    @property
    def is_chain(self) -> bool:
        """Whether nobody ever has a decision to make."""
        return self.choices == int(np.count_nonzero(np.diff(self.choice)))

    @property
    def memory(self) -> int:
        """Bytes the arrays take."""
        names = self.names.packed if self.names.packed is not None else self.names.ranks
        arrays = [self.choice, self.row, self.col, self.weight, self.total, self.action]
        optional = [self.owner, self.winners, self.shift, names]
        return sum(a.nbytes for a in arrays + optional if a is not None)

    def state(self, index: int) -> Any:
        """The state with a number, by its own name."""
        return self.names[index]

    def find(self, state: Any) -> int:
        """The number of a state; KeyError if it is never reached."""
        return self._numbers[state]

    @cached_property
    def _numbers(self) -> dict[Any, int]:
        return {self.names[i]: i for i in range(self.states)}

    def where(self, predicate: Callable[[Any], bool]) -> Bools:
        """The set of states that satisfy a predicate."""
        found = (bool(predicate(self.names[i])) for i in range(self.states))
        return np.fromiter(found, bool, self.states)

    @cached_property
    def lane_reached(self) -> Bools:
        """In a mover-relative model, which (state, seat) of the full chain are reached."""
        from oddsmith.model import kernels

        if self.shift is None:
            return read_only(np.ones((self.states, 1), bool))
        reached: Bools = kernels.reached_lanes(
            self.state_row, self.col, self.shift, self.lanes, self.start, self.start_lane
        )
        return read_only(reached)

    @property
    def full_states(self) -> int:
        """Number of states of the full chain."""
        return int(np.count_nonzero(self.lane_reached))

    @property
    def full_transitions(self) -> int:
        """Number of transitions of the full chain."""
        degree = np.diff(self.state_row).astype(np.int64)
        return int(degree @ self.lane_reached.sum(axis=1))

    def unfolded(self) -> Model:
        """The full chain of a mover-relative model; the model itself if it is not one."""
        return self if self.shift is None else self._unfolded

    @cached_property
    def _unfolded(self) -> Model:
        from oddsmith.model import kernels

        assert self.shift is not None
        players = self.game.players
        base, lane = np.nonzero(self.lane_reached)
        number = np.full((self.states, players), -1, np.int32)
        number[base, lane] = np.arange(len(base), dtype=np.int32)
        counts = np.diff(self.choice)[base]
        choice = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        old = np.repeat(self.choice[:-1][base] - choice[:-1], counts) + np.arange(choice[-1])
        row = np.concatenate([[0], np.cumsum(np.diff(self.row)[old])]).astype(np.int64)
        col, weight = kernels.unfold_transitions(
            old, np.repeat(lane, counts), row, self.row, self.col, self.weight, self.shift, number
        )
        return Model(
            game=self.game,
            names=self.names.turned(base, lane),
            choice=choice,
            row=row,
            col=col,
            weight=weight,
            total=self.total[old],
            action=self.action[old],
            owner=lane.astype(self.owner.dtype),
            winners=turn_winners(self.winners[base], lane, players),
            scores=None if self.scores is None else turn_scores(self.scores[base], lane, players),
            how=self.how,
            compile_seconds=self.compile_seconds,
            base=base.astype(np.int32),
            start=int(number[self.start, self.start_lane]),
        )


def turn_scores(scores: Ints, lane: Ints, players: int) -> Ints:
    """Scores of mover-relative states for a mover in seat `lane`."""
    seat = (np.arange(players)[None, :] - lane[:, None]) % players
    return np.take_along_axis(scores, seat, axis=1)


def turn_winners(winners: Ints, lane: Ints, players: int) -> Ints:
    """Winner sets of mover-relative states for a mover in seat `lane`: bits turned by lane."""
    bits = winners.astype(np.int64)
    turned = ((bits << lane) | (bits >> (players - lane))) & ((1 << players) - 1)
    return np.where(bits > 0, turned, bits).astype(winners.dtype)


def weight_type(largest: int, count: int) -> npt.DTypeLike:
    """The type of a model's weights: the smallest, but one for all models that are small."""
    return np.int64 if count <= SMALL_TRANSITIONS else smallest(largest)


def smallest(largest: int) -> npt.DTypeLike:
    """The smallest dtype that holds weights up to a number."""
    for dtype in (np.uint8, np.uint16, np.uint32):
        if largest <= np.iinfo(dtype).max:
            return dtype
    return np.int64
