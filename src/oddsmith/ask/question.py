"""What all questions share: from a game to a chain that can be solved, and from numbers back."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from oddsmith.errors import EndlessError
from oddsmith.model.model import ROUNDED, Model
from oddsmith.model.subject import model_of
from oddsmith.questions import door
from oddsmith.questions.settings import Settings, nothing_to_decide
from oddsmith.results.evidence import Evidence, Method
from oddsmith.results.result import Result
from oddsmith.rules.digest import rules_digest
from oddsmith.rules.game import Game
from oddsmith.runtime import memory
from oddsmith.solve.chain import Chain, make_chain
from oddsmith.solve.plan import method_of
from oddsmith.solve.play.chances import WorthBounds, proved_chances
from oddsmith.version import __version__


@dataclass
class Prepared:
    """A question about a game, its chain made, the clock running."""

    settings: Settings
    model: Model
    chain: Chain
    began: float
    explored: Model
    """The model before decisions were made; the model itself in a game of chance."""
    notes: tuple[str, ...] = ()
    win_bounds: dict[int, tuple[float, float]] = field(default_factory=dict)
    """Bounds on players' chances to win that finding their policies has proved already; see
    `play/chances.py`."""

    @property
    def method(self) -> Method:
        """The method asked for, or the one that `auto` picks."""
        return method_of(self.settings, self.model, self.chain)

    def result(self, how: list[str], interrupted: bool = False, **parts: Any) -> Result:
        """The result with these parts, and the evidence."""
        game, model = self.model.origin, self.explored
        folded = model.full_states != model.states
        explored = f"explored: {model.how}"
        if folded:
            explored += f", {model.states:,} mover-relative states"
        evidence = Evidence(
            method=self.method,
            how=(explored, *self.notes, *self.chain.notes, *how),
            states=model.full_states,
            transitions=model.full_transitions,
            decisions=int(np.count_nonzero(np.diff(model.choice) > 1)),
            seconds=time.perf_counter() - self.began,
            compile_seconds=model.compile_seconds,
            peak_memory_mb=memory.peak_mb(),
            version=__version__,
            digest=rules_digest(game),
            interrupted=interrupted,
        )
        parts["several_winners"] = several_winners(model.winners)
        door.about(self)
        return Result(game.key(), game.name, game.players, game.described, evidence, **parts)


def ask(subject: Game | Model, settings: Settings, everywhere: bool = False) -> Prepared:
    """Explore the game (unless its model is given) and decide what the graph decides.

    Where players decide, the chain holds the states that their policies can come to, or all if
    the question is about `everywhere`.
    """
    began = time.perf_counter()
    model = model_of(subject, settings)
    numbers = model.states * model.lanes
    needed = 5 * 8 * numbers + 6 * model.transitions
    memory.require(needed, f"Solving {model.name}", "simulate instead")
    explored, notes, endless = model, [], settings.endless
    said = list(model.notes)
    if model.rounded:
        said.append(ROUNDED)
    worth: dict[int, WorthBounds] = {}
    if not model.is_chain:
        from oddsmith.solve.play.profile import profile

        played = profile(model, settings.play, settings, everywhere)
        model, notes, worth = played.chain, played.notes, played.worth
        if everywhere:  # players may have reason to wait for ever where play never comes to
            endless = "draw"
    elif settings.play is not None:
        raise nothing_to_decide(model)
    try:
        chain = make_chain(model, endless)
    except EndlessError as error:
        if explored is model:
            raise
        message = f"If it is played so ({notes[0]}), {error}"
        raise EndlessError(message, error.state) from None
    win_bounds = proved_chances(worth, chain)
    said = list(dict.fromkeys([*said, *notes]))
    return Prepared(settings, model, chain, began, explored, tuple(said), win_bounds)


def several_winners(winners: Any) -> bool:
    """Whether a game with these ends can have several winners at once."""
    ends = np.unique(np.asarray(winners))
    return any(int(bits).bit_count() > 1 for bits in ends[ends > 0])
