"""Model: states, choices and the chances of each choice, whatever they were made of.

A model is a finite graph in compressed rows. State s has the choices `choice[s] … choice[s+1]-1`;
choice c leads to the states `col[row[c]:row[c+1]]` with the chances `chances[row[c]:row[c+1]]`,
exact fractions as a rule (`amounts.py`). Where no state has more than one choice the model is a
Markov chain (`dtmc`), with choices of one a decision process (`mdp`); in a turn-based game (`smg`)
every state has an owner who decides.

Games, boards, programs in PRISM's language and the files of other tools all become this, and
everything else is said by names: `labels` are sets of states, `rewards` what states and choices
earn. What a game says about itself is among them (`of_rules.py`): the labels `over`, `draw`,
`win1`, `win2` …, the rewards `turns`, `length`, `score1`, `score2` ….

**Where play is over.** A state without choices is over: that is what rules say, and `winners` reads
off the labels who has won there. Languages know no end: a state in which nothing happens any more
has a loop. Questions about a game take the first form, a model checker the second: `opened.py` and
`closed.py` lead from one to the other, with the same states.

**Mover-relative models.** When players differ by their seat only, a state and the same state
seen from another seat behave alike. Exploration then keeps one of each N: the state as its mover
sees it, the mover in seat 0. Each transition carries a `shift`: how many seats the view turns.
The full chain is the N-fold cover with states (s, j), j the seat of the mover, and transitions
(s, j) → (t, j + shift mod N). Sweeps run on the quotient with N numbers a state; `unfolded`
builds the cover where a plain chain is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from oddsmith.model.amounts import Amounts, Bools, Ints, Rewards, Weights
from oddsmith.model.names import Names
from oddsmith.model.variables import Valuations
from oddsmith.results.shown import Shown
from oddsmith.runtime.frozen import freeze, read_only

Kind = Literal["dtmc", "mdp", "smg"]

GOES_ON = -1
"""The entry of `winners` for a state in which the game goes on."""

ROUNDED = "its numbers are decimals that may be rounded: the answers are those of what is written"
"""What is said of models that were read from decimals."""

SMALL_TRANSITIONS = 1_000_000
"""Models with no more have one type of weights: kernels are compiled for each that they meet."""


@dataclass(frozen=True, eq=False)
class Seats:
    """How the view of a mover-relative model turns."""

    count: int
    shift: Ints
    """How many seats the view turns in each transition."""
    begins: int = 0
    """The seat of the player who begins."""

    def __post_init__(self) -> None:
        freeze(self)


@dataclass(frozen=True, eq=False, repr=False)
class Model(Shown):
    """A Markov chain, decision process or turn-based game; see the module's docstring."""

    kind: Kind
    choice: Ints
    row: Ints
    col: Ints
    chances: Amounts | Weights
    initial: npt.NDArray[np.int64]
    """The initial states, in ascending order."""
    names: Names
    labels: Mapping[str, Bools] = field(default_factory=dict)
    """Named sets of states."""
    rewards: Mapping[str, Rewards] = field(default_factory=dict)
    actions: tuple[str, ...] = ("",)
    action: Ints | None = None
    """Which of the actions each choice has; None where all have the first."""
    players: tuple[str, ...] = ()
    owner: Ints | None = None
    """In a game, the player who decides in each state."""
    name: str = "the model"
    notes: tuple[str, ...] = ()
    """Warnings: overlapping commands, deadlocks that got a loop."""
    rounded: bool = False
    """Whether it was read from decimals or floats that are likely to be rounded fractions."""
    seats: Seats | None = None
    """In a mover-relative model, how the view turns."""
    origin: Any = None
    """What the model was made of, for who speaks of it: a game, or nothing."""
    how: str = ""
    """How the model was made, for people: interpreted or compiled, and why."""
    compile_seconds: float = 0.0
    """Seconds spent compiling the rules, or loading them from the cache of compiled rules."""
    base: Ints | None = None
    """In an unfolded model, the number that each state has in the mover-relative one."""
    source: Model | None = None
    """In an opened model that was explored by itself, the one that it was opened from."""

    def __post_init__(self) -> None:
        freeze(self)

    def __str__(self) -> str:
        states, transitions = self.full_states, self.full_transitions
        return f"{self.name}: {states:,} states, {transitions:,} transitions"

    # The graph ------------------------------------------------------------------------------

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
    def start(self) -> int:
        """The initial state, of a model with one."""
        return int(self.initial[0])

    @cached_property
    def is_chain(self) -> bool:
        """Whether nobody ever has a decision to make."""
        return self.choices == int(np.count_nonzero(np.diff(self.choice)))

    @cached_property
    def state_row(self) -> Ints:
        """Row pointers of the graph on states, all choices of a state together."""
        same = self.choices == self.states and self.is_chain
        return self.row if same else read_only(self.row[self.choice])

    @cached_property
    def chooser(self) -> npt.NDArray[np.int32]:
        """The state that each choice belongs to."""
        numbers = np.arange(self.states, dtype=np.int32)
        return read_only(np.repeat(numbers, np.diff(self.choice)))

    # Chances --------------------------------------------------------------------------------

    @cached_property
    def chance(self) -> Amounts:
        """The chance of each transition."""
        return self.chances.amounts(self.row)

    @cached_property
    def _weights(self) -> Weights:
        return self.chances.weights(self.row)

    @property
    def weight(self) -> Ints:
        """The chance of each transition as a whole number, over the `total` of its choice."""
        return self._weights.weight

    @property
    def total(self) -> Ints:
        """What the weights of each choice add up to."""
        return self._weights.total

    # Who wins, what counts, what is scored --------------------------------------------------

    @cached_property
    def winners(self) -> Ints:
        """Who has won, as the bits of a number: 0 for a draw, -1 where play goes on."""
        bits = np.where(self.labels["over"], 0, GOES_ON).astype(np.int64)
        for player in range(len(self.players)):
            bits[self.labels[f"win{player + 1}"]] |= 1 << player
        return read_only(bits)

    @cached_property
    def counts(self) -> Ints:
        """What each choice adds to the length of the game: 1 where the move counts, else 0."""
        earned = self.rewards["length"].choice
        assert earned is not None
        return read_only(earned.floats.astype(np.uint8))

    @cached_property
    def scores(self) -> Ints | None:
        """What each player has scored in each end (states × players), if the game has scores."""
        if "score1" not in self.rewards:
            return None
        columns = [self.rewards[f"score{p + 1}"].state for p in range(len(self.players))]
        return read_only(
            np.column_stack([c.floats.astype(np.int64) for c in columns if c is not None])
        )

    # Who does what --------------------------------------------------------------------------

    @cached_property
    def mover(self) -> Ints:
        """Who moves in each state."""
        return read_only(np.zeros(self.states, np.int8)) if self.owner is None else self.owner

    @cached_property
    def move(self) -> Ints:
        """Which of the actions each choice has."""
        return read_only(np.zeros(self.choices, np.int32)) if self.action is None else self.action

    # States by name -------------------------------------------------------------------------

    def state(self, index: int) -> Any:
        """The state with a number, by its own name."""
        return self.names[index]

    def describe(self, state: int) -> str:
        """One state for people, as languages write it where the model is closed."""
        names = self.valuations if "init" in self.labels else self.names
        return names.describe(state)

    def find(self, state: Any) -> int:
        """The number of a state; KeyError if it is never reached."""
        return int(self._numbers[state])

    @cached_property
    def _numbers(self) -> dict[Any, int]:
        from oddsmith.results.states import numbered

        return numbered(self.names)

    def where(self, predicate: Callable[[Any], bool]) -> Bools:
        """The set of states that satisfy a predicate."""
        found = (bool(predicate(self.names[i])) for i in range(self.states))
        return np.fromiter(found, bool, self.states)

    @cached_property
    def valuations(self) -> Valuations:
        """What every variable is in every state, as languages and files have it."""
        if isinstance(self.names, Valuations):
            return self.names
        from oddsmith.model.closed import valuations_of

        return valuations_of(self.names)

    @cached_property
    def digest(self) -> str:
        """Sixteen hexadecimal digits: another model, others (`digest.py`)."""
        from oddsmith.model.digest import model_digest

        return model_digest(self)

    @property
    def memory(self) -> int:
        """Bytes the arrays take."""
        chances = (
            [self.chances.index, self.chances.values]
            if isinstance(self.chances, Amounts)
            else [self.chances.weight, self.chances.total]
        )
        arrays = [self.choice, self.row, self.col, *chances, *self.labels.values()]
        shift = None if self.seats is None else self.seats.shift
        arrays += [a for a in (self.action, self.owner, shift) if a is not None]
        return int(sum(a.nbytes for a in arrays)) + self.names.nbytes

    # Views from seats -----------------------------------------------------------------------

    @property
    def shift(self) -> Ints | None:
        """In a mover-relative model, how many seats the view turns in each transition."""
        return None if self.seats is None else self.seats.shift

    @property
    def lanes(self) -> int:
        """Views of each stored state: the number of players if mover-relative, else 1."""
        return 1 if self.seats is None else self.seats.count

    @property
    def start_lane(self) -> int:
        """In a mover-relative model, the seat of the player who begins."""
        return 0 if self.seats is None else self.seats.begins

    @cached_property
    def lane_reached(self) -> Bools:
        """In a mover-relative model, which (state, seat) of the full chain are reached."""
        from oddsmith.model import lane_kernels

        if self.shift is None:
            return read_only(np.ones((self.states, 1), bool))
        reached: Bools = lane_kernels.reached_lanes(
            self.state_row, self.col, self.shift, self.lanes, self.start, self.start_lane
        )
        return read_only(reached)

    @property
    def full_states(self) -> int:
        """Number of states of the full chain."""
        return self.states if self.seats is None else int(np.count_nonzero(self.lane_reached))

    @property
    def full_transitions(self) -> int:
        """Number of transitions of the full chain."""
        if self.seats is None:
            return self.transitions
        degree = np.diff(self.state_row).astype(np.int64)
        return int(degree @ self.lane_reached.sum(axis=1))

    def unfolded(self) -> Model:
        """The full chain of a mover-relative model; the model itself if it is not one."""
        return self if self.seats is None else self._unfolded

    @cached_property
    def _unfolded(self) -> Model:
        from oddsmith.model.unfold import unfolded

        return unfolded(self)

    def closed(self) -> Model:
        """The model as a model checker sees it: a loop where play is over (`closed.py`)."""
        return self if "init" in self.labels else self.source or self._closed

    def opened(self, wins: Sequence[str] = ()) -> Model:
        """The model as a question about play sees it: nothing happens where play is over."""
        if "init" not in self.labels:
            return self
        from oddsmith.model.opened import opened

        return opened(self, wins)

    @cached_property
    def _closed(self) -> Model:
        from oddsmith.model.closed import closed

        return closed(self)


def weight_type(largest: int, count: int) -> npt.DTypeLike:
    """The type of a model's weights: the smallest, but one for all models that are small."""
    return np.int64 if count <= SMALL_TRANSITIONS else smallest(largest)


def smallest(largest: int) -> npt.DTypeLike:
    """The smallest dtype that holds weights up to a number."""
    for dtype in (np.uint8, np.uint16, np.uint32):
        if largest <= np.iinfo(dtype).max:
            return dtype
    return np.int64
