"""A game made ready for all questions of a report: explored once, solved once, or simulated."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from oddsmith.errors import LimitError
from oddsmith.questions import limits
from oddsmith.questions.case import most_states
from oddsmith.results.result import Result
from oddsmith.rules.game import Game
from oddsmith.runtime.progress import Progress


@dataclass(frozen=True)
class Limits:
    """How much work a report may take."""

    states: int = 1_000_000
    """States of a game that is explored; a larger one is simulated."""
    numbers: int = 40_000_000
    """Numbers of a board's lattice; a larger board is simulated."""
    squares: int = 2_000_000
    """Numbers of a lattice up to which squares are asked about and lengths are not simulated."""
    cheap: int = 100_000
    """States of a game with another number of players, of which the seats are compared."""
    seats: int = 20_000_000
    """The same for the numbers of a board's lattice."""
    converged: int = 350_000
    """States up to which it is shown how a solve converges."""
    games: int = 100_000
    """Games of a simulation on tables or machine code."""
    interpreted_games: int = 4_000
    """Games where players decide and the game is too large: each is played by plain rules."""


class ReportSubject:
    """A game and what has been found about it."""

    def __init__(self, game: Game, limits: Limits, progress: Progress) -> None:
        self.game, self.limits, self.progress = game, limits, progress
        self.began = time.perf_counter()
        self.why_simulated = ""
        """Why answers are estimates, if they are."""

    @cached_property
    def lattice(self) -> int:
        """How many states a board with a lattice has at most; 0 for a game that has none."""
        return most_states(self.game)

    @cached_property
    def subject(self) -> Any:
        """What questions are about: a model, a board with a lattice, or None to be simulated."""
        from oddsmith.model.explore import explore

        if self.lattice > limits.REPORTED_STATES:
            if self.lattice <= self.limits.numbers:
                return self.game
            self.why_simulated = f"its lattice has {self.lattice:,} numbers"
            return None
        try:
            return explore(self.game, max_states=self.limits.states, progress=self.progress)
        except LimitError:
            self.why_simulated = f"it has more than {self.limits.states:,} states"
            return None

    @cached_property
    def decides(self) -> bool:
        """Whether players have something to decide."""
        from oddsmith.model.model import Model
        from oddsmith.solve.simulate.decisions import has_decisions

        if isinstance(self.subject, Model):
            return not self.subject.is_chain
        return has_decisions(self.game)

    @cached_property
    def table(self) -> Any:
        """Optimal play."""
        from oddsmith.questions.settings import Settings
        from oddsmith.solve.play.profile import optimal_table

        if self.subject is None:
            raise LimitError(
                f"{self.game.name} is too large to be solved, for {self.why_simulated}; "
                f"`oddsmith learn {self.game.key()}` finds a good way to play by itself."
            )
        return optimal_table(self.subject, Settings(progress=self.progress))

    @property
    def settings(self) -> dict[str, Any]:
        """What questions are asked with."""
        found: dict[str, Any] = {"progress": self.progress}
        return found | ({"play": self.table} if self.decides else {})

    @cached_property
    def simulated(self) -> Result:
        """Games played, where the game is too large to be solved."""
        from oddsmith.policies.policy import usual_policy
        from oddsmith.solve.simulate.run import simulate

        if not self.decides:
            return simulate(self.game, games=self.limits.games, progress=self.progress)
        return simulate(
            self.game,
            games=self.limits.interpreted_games,
            engine="interpreted",
            play=usual_policy(self.game),
            progress=self.progress,
        )

    @cached_property
    def odds(self) -> Result:
        """Who wins."""
        from oddsmith.ask.odds import odds

        if self.subject is None:
            return self.simulated
        return odds(self.subject, **self.settings)


def telling_section(table: Any) -> tuple[str, str, str] | None:
    """Two numbers of the state, the others as at the start, along which best moves differ most.

    Gives both names and the condition that fixes the others; None where no section tells anything.
    """
    from oddsmith.policies import regions

    if table.names.why_no_rows:
        return None
    rows, names = table.names.rows, table.names.columns
    start = rows[regions.parts(table)[0].start]
    decided, same = regions.decided(table), rows == start
    found = (0, ("", "", ""))
    for i, j in combinations(range(len(names)), 2):
        others = [k for k in range(len(names)) if k not in (i, j)]
        moves = table.action[decided & same[:, others].all(axis=1)]
        counts = np.bincount(moves, minlength=1)
        minority = int(counts.sum() - counts.max())
        if minority > found[0]:
            fixed = [f"{names[k]}={start[k]}" for k in others if len(np.unique(rows[:, k])) > 1]
            found = minority, (names[i], names[j], " & ".join(fixed))
    return found[1] if found[0] else None
