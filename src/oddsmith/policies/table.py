"""Table: a policy that knows the move in every state, and what every state is worth.

`table_file.py` keeps it in a compact file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import OptionError
from oddsmith.model.model import GOES_ON, Model
from oddsmith.model.names import Names, mover_view
from oddsmith.policies import table_file
from oddsmith.policies.policy import Policy, States
from oddsmith.policies.table_file import NO_MOVE as NO_MOVE
from oddsmith.results import gate
from oddsmith.results.answer import Answer
from oddsmith.results.digits import nonzero_float
from oddsmith.results.states import numbered
from oddsmith.rules import interpret
from oddsmith.rules.digest import rules_digest
from oddsmith.rules.game import Game
from oddsmith.rules.layout import Layout, layout_of
from oddsmith.rules.origin import Origin
from oddsmith.rules.state_text import check_given

if TYPE_CHECKING:
    from oddsmith.solve.play.optimal import Solution


@dataclass(frozen=True)
class Advice:
    """A legal move and what it is worth to the mover, if everybody then plays by the table."""

    move: str
    worth: Answer
    margin: float
    """How much better it is than the best other move; negative if another is better."""

    @property
    def loss(self) -> float:
        """What the best move is worth more than this one: 0 for the best, and for as good ones."""
        return max(0.0, -self.margin)

    def __str__(self) -> str:
        return f"{self.move}: {self.worth}"


def ranked(moves: Sequence[tuple[str, Answer]]) -> list[Advice]:
    """Moves with their worths as advice, the best first: by fractions, where those are known."""
    values = [answer.value if answer.exact is None else answer.exact for _, answer in moves]
    order = sorted(range(len(moves)), key=lambda i: values[i], reverse=True)
    listed = []
    for i in order:
        others = [value for j, value in enumerate(values) if j != i]
        margin = nonzero_float(values[i] - max(others)) if others else math.inf
        listed.append(Advice(*moves[i], margin))
    return listed


class Table(Policy):
    """A policy by states; see the module's docstring.

    `names` are its states, `action` the number of the move in each (NO_MOVE where the game is
    over), `worth` (states × seats) what each is worth to the mover and the seats after him, or,
    in a table for one `player` only (states × 1), to that player. `error` bounds the error of
    every worth. In a table that is `relative` states are as the mover sees them, seat 0 his.
    """

    def __init__(
        self,
        game: Game,
        names: Names,
        action: npt.NDArray[np.uint8],
        worth: npt.NDArray[np.float64],
        *,
        relative: bool,
        name: str = "optimal",
        player: int | None = None,
        error: float = math.inf,
        exact: list[tuple[Fraction, ...]] | None = None,
        how: tuple[str, ...] = (),
    ) -> None:
        gate.table(game, worth, error, exact)
        self.game, self.names, self.action, self.worth = game, names, action, worth
        self.relative, self.name, self.player = relative, name, player
        self.error, self.exact, self.how = error, exact, how
        self.any_seat = relative
        self.model: Model | None = None
        self.foreign = False
        """Whether it was read from a file that somebody else has written: see `table_file.py`."""
        self.solution: Solution | None = None
        """Where it comes from, if it was not loaded: with margins and bounds of every state."""

    def __len__(self) -> int:
        return len(self.names)

    # Asking it ------------------------------------------------------------------------------

    def move(self, game: Game, state: Any) -> int | None:
        """The move in a state."""
        place = self.index(state)
        number = int(self.action[place])
        if number == NO_MOVE:
            raise OptionError(f"The game is over in {state!r}: there is no move to make.")
        if self.player is not None and not isinstance(game, Origin):
            self._check_mover(interpret.mover(game, state), state)
        elif self.player is not None and self.model is not None:
            self._check_mover(int(self.model.mover[place]), state)
        return number

    def decide(self, model: Model, states: States) -> States:
        """The moves in some states of a model."""
        places = states if model is self.model else self.places(model, states)
        missing = np.nonzero((places < 0) | (self.action[places] == NO_MOVE))[0]
        if len(missing):
            raise self._unknown(model.state(int(states[missing[0]])))
        if self.player is not None and len(states):
            movers = model.mover[states]
            other = int(np.argmax(movers != self.player))
            self._check_mover(int(movers[other]), model.state(int(states[other])))
        return self.choices(model, states, self.action[places].astype(np.int64))

    def index(self, state: Any) -> int:
        """The number of a state in the table."""
        view = mover_view(self.game, state)[0] if self.relative else state
        if self._layout is None:
            place = self._numbers.get(view, -1)
        else:
            row = self._layout.row(view)
            fits = len(row) == len(self._layout.columns)
            place = int(self._find(np.array([row], np.int64))[0]) if fits else -1
        if place < 0:
            raise self._unknown(state)
        return place

    def advice(self, state: Any) -> list[Advice]:
        """Every legal move with its worth to the mover, the best first.

        >>> from oddsmith import game, optimal
        >>> best = optimal(game("piglet", goal=2), method="exact")
        >>> [(a.move, str(a.worth.exact)) for a in best.advice(best.game.start())]
        [('flip', '4/7'), ('hold', '3/7')]
        """
        if isinstance(self.game, Origin):
            return self._advice_by_rows(state)
        check_given(self.game, state)
        if interpret.winners(self.game, state) != GOES_ON:
            return []
        mover = interpret.mover(self.game, state)
        self._check_mover(mover, state)
        worths = []
        layout = layout_of(self.game, interpret.first_state(self.game))
        for _, action in interpret.legal_actions(self.game, state):
            outcomes = interpret.outcomes(self.game, layout, action, state)
            worths.append((action.name, self._worth_of(outcomes, mover)))
        return ranked(worths)

    def _advice_by_rows(self, state: Any) -> list[Advice]:
        """The same of a state of a model that was no game's: by its rows."""
        place, model = self.index(state), self.model
        if model is None:
            raise OptionError(f"The policy {self.name} was read from a file: it has no advice.")
        mover = int(model.mover[place])
        self._check_mover(mover, state)
        worths = []
        for c in range(int(model.choice[place]), int(model.choice[place + 1])):
            span = range(int(model.row[c]), int(model.row[c + 1]))
            outcomes = [(int(model.weight[e]), None, model.state(int(model.col[e]))) for e in span]
            worths.append((model.actions[int(model.move[c])], self._worth_of(outcomes, mover)))
        return ranked(worths)

    def _check_mover(self, mover: int, state: Any) -> None:
        if self.player is not None and mover != self.player:
            raise OptionError(
                f"The policy {self.name} is for player {self.player + 1}, but player {mover + 1} "
                f"moves in {state!r}."
            )

    def frame(self) -> Any:
        """Every state as a pandas DataFrame; see `oddsmith.policies.regions.columns`."""
        from oddsmith.policies import regions

        return regions.frame(self)

    def _worth_of(self, outcomes: list[tuple[int, Any, Any]], mover: int) -> Answer:
        total = sum(weight for weight, _, _ in outcomes)
        places = [(weight, *self._seat(state, mover)) for weight, _, state in outcomes]
        if self.exact is not None:
            sum_ = sum((w * self.exact[i][q] for w, i, q in places), Fraction(0))
            return Answer.of_fraction(sum_ / total)
        value = math.fsum(w * float(self.worth[i, q]) for w, i, q in places) / total
        if not math.isfinite(self.error):
            return Answer(value)
        rounding = 1e-15 * max(1.0, *(abs(float(self.worth[i, q])) for _, i, q in places))
        low = 0.0 if not self.game.has_score else -math.inf
        high = 1.0 if not self.game.has_score else math.inf
        return Answer.within(value, self.error + rounding, low=low, high=high)

    def _seat(self, state: Any, player: int) -> tuple[int, int]:
        """Where the worth of a state to a player stands in the table."""
        place = self.index(state)
        if self.worth.shape[1] == 1:
            return place, 0
        if self.relative:
            return place, (player - state.turn) % self.game.players
        if isinstance(self.game, Origin):
            assert self.model is not None
            mover = int(self.model.mover[place])  # 0 where play is over
        else:
            over = interpret.winners(self.game, state) != GOES_ON
            mover = 0 if over else interpret.mover(self.game, state)
        return place, (player - mover) % self.game.players

    def check(self, game: Game) -> None:
        """Refuse a game with other rules."""
        if rules_digest(game) != rules_digest(self.game):
            raise OptionError(
                f"The policy {self.name} is for {self.game!r}; the rules of {game!r} are others."
            )

    def _unknown(self, state: Any) -> OptionError:
        return OptionError(
            f"The policy {self.name} does not know {state!r}: it is a state that play by this "
            f"policy's rules never reaches."
        )

    @property
    def error_kept(self) -> float:
        """How far the floats of the table are from the truth: fractions are not kept."""
        if self.exact is None:
            return self.error
        return self.error + float(np.abs(self.worth).max(initial=0.0)) * 2.0**-53

    def kept(self) -> dict[str, Any]:
        """What a file keeps beside the table."""
        return {}

    # Finding states -------------------------------------------------------------------------

    @cached_property
    def _numbers(self) -> dict[Any, int]:
        return numbered(self.names.take(np.arange(len(self.names))))

    @cached_property
    def _layout(self) -> Layout | None:
        """The layout of the game's states, if they are rows that pack into one word."""
        if isinstance(self.game, Origin):
            return None
        layout = layout_of(self.game, interpret.first_state(self.game))
        if not isinstance(layout, Layout) or self.names.why_no_rows:
            return None
        return layout if layout.words == 1 else None

    @cached_property
    def _sorted(self) -> tuple[Any, Any]:
        """The codes of all states, sorted, and the place of each."""
        codes = self._codes(self.names.rows)
        order = np.argsort(codes)
        return codes[order], order

    def _codes(self, rows: Any) -> Any:
        assert self._layout is not None
        return self._layout.pack(rows)[:, 0]

    def places(self, model: Model, states: States) -> States:
        """The numbers in the table of some states of a model; -1 for one it does not know."""
        self.check(model.origin)
        if self._layout is None or model.names.why_no_rows:
            named = model.names.take(states)
            if self.relative and model.shift is None:
                named = [mover_view(self.game, state)[0] for state in named]
            return np.array([self._numbers.get(state, -1) for state in named], np.int64)
        names = model.names.subset(states)
        rows = names.rows
        if self.relative and model.shift is None:
            rows = _views(self._layout, rows, self.game.players)
        return self._find(rows)

    def _find(self, rows: Any) -> States:
        """The numbers of rows in the table; -1 for one it does not know."""
        assert self._layout is not None
        codes, order = self._sorted
        digits = rows - self._layout.low
        inside = ((digits >= 0) & (digits < self._layout.radix)).all(axis=1)
        wanted = self._codes(rows)
        place = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
        return np.where(inside & (codes[place] == wanted), order[place], -1)

    # Keeping it -----------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the policy to a file."""
        table_file.save(self, path)

    def states_kept(self) -> dict[str, Any]:
        """The states as a file keeps them: as numbers, or by their texts."""
        if self._layout is not None:
            return {"codes": self._codes(self.names.rows)}
        texts = list(self._numbers)
        by_text = isinstance(self._numbers, table_file.ByText)
        return {"states": np.array(texts if by_text else [repr(s) for s in texts])}

    @classmethod
    def load(cls, path: str | Path, game: Game) -> Table:
        """Read a policy that `save` has written, for a game with the same rules."""

        def learned() -> Any:
            from oddsmith.policies.learned import Learned

            return Learned

        return table_file.load(path, game, (cls, learned))


def _views(layout: Layout, rows: Any, players: int) -> Any:
    """Rows of states as their movers see them."""
    rows = rows.copy()
    turn = [column.name for column in layout.columns].index("turn")
    lane = rows[:, turn]
    for seats in layout.seats():
        source = (np.arange(players)[None, :] + lane[:, None]) % players
        rows[:, seats] = np.take_along_axis(rows[:, seats], source, axis=1)
    rows[:, turn] = 0
    return rows
