"""Rules to model: interpreted for any Python, compiled for speed; both give the same model.

States are found breadth first from the start and numbered in the order they are met; the choices
of a state come in the order of its moves, the outcomes of a choice in the order of the die's
faces, outcomes that lead to the same state merged into the first of them.

`auto` interprets the first outcomes, which is the whole work for a small game and costs no
compilation. A larger game is then compiled, if its rules are inside the compiler's part of Python
and its states are rows of whole numbers; if not, interpretation goes on and the model says why. How
far the interpreter goes is counted, not timed: the same game takes the same engine on any machine.
"""

from __future__ import annotations

import time
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from oddsmith.errors import LimitError, NotCompilable, OptionError, RuleError
from oddsmith.model.model import Model
from oddsmith.model.names import Names, mover_view
from oddsmith.model.replay import replay, row_of_rules
from oddsmith.model.seats import check_seats
from oddsmith.questions.keywords import checked
from oddsmith.rules import interpret
from oddsmith.rules.game import Game, check_game
from oddsmith.rules.layout import FREE, Layout, layout_of, leaves
from oddsmith.runtime.progress import Progress, Silent

Engine = Literal["auto", "interpreted", "compiled"]
ENGINES = ("auto", "interpreted", "compiled")

TASTE = 6_000
"""How many moves and outcomes `auto` interprets before it compiles: about as long as that takes.

Measured on two cores: 25,000 moves and outcomes a second interpreted, 0.1 to 0.6 s to import the
compiler and compile the rules of a game.
"""

LARGE_CODES = 100_000
"""A game whose fields allow so many states is taken to be large."""


@checked
def explore(
    game: Game,
    *,
    engine: Engine = "auto",
    symmetry: bool = True,
    max_states: int | None = None,
    progress: Progress | None = None,
) -> Model:
    """The model of a game: every state that can be reached, every choice, every chance.

    With `symmetry`, a game that declares its players interchangeable is explored as the mover
    sees it (see `Model`).
    """
    check_engine(engine)
    start = interpret.first_state(check_game(game))
    layout = layout_of(game, start)
    search = Interpreted(game, layout, start, symmetry, max_states, progress or Silent())
    budget = {"auto": _taste(layout), "interpreted": None, "compiled": 0}[engine]
    if search.run(budget) and engine != "compiled":
        model = search.model("interpreted")
    else:
        model = _compiled(search, engine)
    replay(model, layout)
    check_seats(model)
    return model


def _compiled(search: Interpreted, engine: Engine) -> Model:
    """The model by compiled rules, or if they cannot be compiled, by the interpreter after all."""
    from oddsmith.model.explore_compiled import explore_compiled

    try:
        return explore_compiled(search)
    except NotCompilable as reason:
        if engine == "compiled":
            raise RuleError(f"{search.game.name} cannot be compiled: {reason}.") from None
        search.run(None)
        return search.model(f"interpreted, some 100 times slower than compiled: {reason}")


def check_engine(engine: str) -> None:
    """Refuse an engine that does not exist."""
    if engine not in ENGINES:
        raise OptionError(f"There is no engine {engine!r}: choose one of {', '.join(ENGINES)}.")


def _taste(layout: Layout | str) -> int:
    """How much to interpret first: hardly anything where ranges of fields promise many states."""
    known = isinstance(layout, Layout) and all(c.radix < FREE for c in layout.columns)
    large = known and not 0 < layout.codes < LARGE_CODES  # type: ignore[union-attr]
    return TASTE // 2 if large else TASTE


class Interpreted:
    """Breadth-first search by the plain interpreter; can stop after a while and go on."""

    def __init__(
        self,
        game: Game,
        layout: Layout | str,
        start: Any,
        symmetry: bool,
        max_states: int | None,
        progress: Progress,
    ) -> None:
        self.game, self.layout, self.progress = game, layout, progress
        self.max_states = max_states
        self.symmetric = bool(symmetry and game.interchangeable and game.players > 1)
        self.origin = start
        self.start, self.start_lane = self._view(start)
        self.number: dict[Any, int] = {self.start: 0}
        self.states = [self.start]
        for state in interpret.further_states(game, layout):
            view, _ = self._view(state)
            if self.number.setdefault(view, len(self.states)) == len(self.states):
                self.states.append(view)
        self.begun = len(self.states)
        """The states that exploration begins with."""
        self.choice, self.row = [0], [0]
        self.col: list[int] = []
        self.weight: list[int] = []
        self.shift: list[int] = []
        self.total: list[int] = []
        self.action: list[int] = []
        self.owner: list[int] = []
        self.winners: list[int] = []
        self.scores: list[tuple[int, ...]] = []

    def _view(self, state: Any) -> tuple[Any, int]:
        return mover_view(self.game, state) if self.symmetric else (state, 0)

    def run(self, budget: int | None) -> bool:
        """Search for so many moves and outcomes (None: to the end); whether it is complete."""
        began = time.perf_counter()
        while len(self.winners) < len(self.states):
            done = len(self.winners)
            # The first states are always interpreted: that words errors and shows the dice.
            if budget is not None and done >= 100 and len(self.total) + len(self.col) > budget:
                return False
            if done % 1000 == 999:
                spent = time.perf_counter() - began
                self.progress.update("exploring", done, None, f"{done / spent:,.0f} states/s")
            with interpret.time_limit(self.game, self.states[done]):
                self.expand(self.states[done])
            check_limit(self.game, len(self.states), self.max_states)
        return True

    def expand(self, state: Any) -> None:
        """Play every legal move with every roll in one state; number the states that come of it."""
        won, mover, score, choices = row_of_rules(self.game, self.layout, state, self.symmetric)
        self.winners.append(won)
        self.owner.append(mover)
        if self.game.has_score:
            self.scores.append(score)
        for number, total, outcomes in choices:
            for view, lane, weight in outcomes:
                target = self.number.setdefault(view, len(self.states))
                if target == len(self.states):
                    self.states.append(view)
                self.col.append(target)
                self.shift.append(lane)
                self.weight.append(weight)
            self.total.append(total)
            self.action.append(number)
            self.row.append(len(self.col))
        self.choice.append(len(self.total))

    def model(self, how: str) -> Model:
        """The model that was found."""
        packed, objects = None, None
        layout = self.layout
        if isinstance(layout, Layout):
            rows = [list(leaves(state)) for state in self.states]
            layout = _still_fits(layout, rows)
            if isinstance(layout, Layout):
                packed = layout.pack(np.array([[v for _, v in row] for row in rows], np.int64))
        if packed is None:
            objects = tuple(self.states)
        return Model(
            game=self.game,
            names=Names(self.game, layout, packed=packed, objects=objects),
            choice=np.array(self.choice, np.int64),
            row=np.array(self.row, np.int64),
            col=np.array(self.col, np.int32),
            weight=np.array(self.weight, weight_type(max(self.total, default=1), len(self.weight))),
            total=np.array(self.total, np.int64),
            action=np.array(self.action, np.uint8),
            owner=np.array(self.owner, np.int8),
            winners=np.array(self.winners, np.int64),
            scores=np.array(self.scores, np.int64) if self.game.has_score else None,
            shift=np.array(self.shift, np.uint8) if self.symmetric else None,
            how=how,
            start_lane=self.start_lane,
        )


def _still_fits(layout: Layout, rows: list[list[tuple[str, Any]]]) -> Layout | str:
    """The layout if all states have it (it was read off the first), or the reason why not."""
    shape = [column.name for column in layout.columns]
    for row in rows:
        if [name for name, _ in row] != shape:
            return "tuples inside its states change their length"
        for name, value in row:
            if not isinstance(value, int):
                return f"field {name} holds {type(value).__name__} values, not whole numbers"
    return layout


def smallest(largest: int) -> npt.DTypeLike:
    """The smallest dtype that holds weights up to a number."""
    for dtype in (np.uint8, np.uint16, np.uint32):
        if largest <= np.iinfo(dtype).max:
            return dtype
    return np.int64


SMALL_TRANSITIONS = 1_000_000


def weight_type(largest: int, count: int) -> npt.DTypeLike:
    """The type of a model's weights: the smallest, but one for all models that are small.

    Kernels are compiled for each type they meet.
    """
    return np.int64 if count <= SMALL_TRANSITIONS else smallest(largest)


def check_limit(game: Game, states: int, max_states: int | None) -> None:
    """Stop at the limit that the user set."""
    if max_states is not None and states > max_states:
        raise LimitError(
            f"{game.name} has more than {max_states:,} states, the limit that was set: raise "
            f"--max-states (max_states), or simulate instead."
        )
