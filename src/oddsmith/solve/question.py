"""What all questions share: from a game to a chain that can be solved, and from numbers back."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Literal

from oddsmith import memory
from oddsmith.errors import OptionError
from oddsmith.model.explore import Engine, check_engine, explore
from oddsmith.model.model import Model
from oddsmith.progress import Progress, Silent
from oddsmith.result import Evidence, Method, Result
from oddsmith.rules.digest import rules_digest
from oddsmith.rules.game import Game, check_game
from oddsmith.solve.chain import Chain, Endless, make_chain
from oddsmith.solve.sweeps import Solver, check_solver
from oddsmith.version import __version__

Wanted = Literal["auto", "exact", "certified", "float", "estimate"]
METHODS: tuple[Wanted, ...] = ("auto", "exact", "certified", "float", "estimate")

EXACT_STATES, EXACT_COMPONENT = 1000, 400
"""Up to so many states, and so many that depend on each other, `auto` answers with fractions."""


@dataclass
class Settings:
    """How a question is to be answered; every question takes these as keywords.

    - `method`: auto, exact, certified, float, or (for odds) estimate;
    - `solver`: auto, gauss-seidel, lu, idr, bicgstab or gmres, for certified and float;
    - `tolerance`: how far from the truth a certified chance may be;
    - `endless`: what a play that can go on for ever is: an error, or a draw;
    - `engine`, `symmetry`, `max_states`: see `explore`;
    - `progress`: who watches.
    """

    method: Wanted = "auto"
    solver: Solver = "auto"
    tolerance: float = 1e-12
    endless: Endless = "error"
    engine: Engine = "auto"
    symmetry: bool = True
    max_states: int | None = None
    progress: Progress = field(default_factory=Silent)

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise OptionError(
                f"There is no method {self.method!r}: choose one of {', '.join(METHODS)}."
            )
        check_solver(self.solver)
        check_engine(self.engine)
        if self.endless not in ("error", "draw"):
            raise OptionError(f"Endless play is an error or a draw, not {self.endless!r}.")
        if not 0 < self.tolerance < 1:
            raise OptionError(
                f"The tolerance must be between 0 and 1, such as 1e-12, not {self.tolerance}."
            )


@dataclass
class Asked:
    """A question about a game, its chain made, the clock running."""

    settings: Settings
    model: Model
    chain: Chain
    began: float

    @property
    def method(self) -> Method:
        """The method asked for, or the one that `auto` picks."""
        if self.settings.method == "estimate":
            raise OptionError("This question is answered by solving: simulate gives estimates.")
        if self.settings.method != "auto":
            return self.settings.method
        small = self.model.full_states <= EXACT_STATES
        small = small and self.chain.largest * self.chain.lanes <= EXACT_COMPONENT
        return "exact" if small else "certified"

    def result(self, how: list[str], interrupted: bool = False, **parts: Any) -> Result:
        """The result with these parts, and the evidence."""
        game, model = self.model.game, self.model
        folded = model.full_states != model.states
        explored = f"explored: {model.how}"
        if folded:
            explored += f", {model.states:,} mover-relative states"
        evidence = Evidence(
            method=self.method,
            how=(explored, *self.chain.notes, *how),
            states=model.full_states,
            transitions=model.full_transitions,
            seconds=time.perf_counter() - self.began,
            compile_seconds=model.compile_seconds,
            peak_memory_mb=memory.peak_mb(),
            version=__version__,
            digest=rules_digest(game),
            interrupted=interrupted,
        )
        options = {name: value for name, value in game.options.items() if name != "players"}
        return Result(game.key(), game.name, game.players, options, evidence, **parts)


def ask(subject: Game | Model, settings: Settings) -> Asked:
    """Explore the game (unless its model is given) and decide what the graph decides."""
    began = time.perf_counter()
    if isinstance(subject, Model):
        model = subject
    else:
        model = explore(
            check_game(subject),
            engine=settings.engine,
            symmetry=settings.symmetry,
            max_states=settings.max_states,
            progress=settings.progress,
        )
    numbers = model.states * model.lanes
    needed = 5 * 8 * numbers + 6 * model.transitions
    memory.require(needed, f"Solving {model.game.name}", "simulate instead")
    return Asked(settings, model, make_chain(model, settings.endless), began)
