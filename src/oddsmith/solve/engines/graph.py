"""The graph: the states, explored and stored; fractions, or floats with bounds or without.

Fractions are taken where they are cheap or asked for. All questions share the way from a game to a
chain that can be solved, and from numbers back; what they do with the chain is their own
(`Case.on_chain`, in `ask/`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from oddsmith.errors import EndlessError
from oddsmith.model.model import ROUNDED, Model
from oddsmith.model.subject import model_of
from oddsmith.questions import door, limits
from oddsmith.questions.case import Case, Size, most_states
from oddsmith.questions.choice import ANSWER, by_name, choose
from oddsmith.questions.settings import Settings, nothing_to_decide
from oddsmith.results.evidence import Evidence, Method
from oddsmith.results.offers import Offer
from oddsmith.results.result import Result
from oddsmith.rules.digest import rules_digest
from oddsmith.rules.game import Game
from oddsmith.runtime import memory
from oddsmith.solve.chain import Chain, make_chain
from oddsmith.solve.play.chances import WorthBounds, proved_chances
from oddsmith.version import __version__

NAME = "graph"


def offers(case: Case) -> list[Offer]:
    """What storing the states offers: fractions, or floats."""
    size, said = case.explored, "known once it is explored"
    small = size is None or size.is_small
    if size is not None:
        said = f"{size.states:,} states"
    elif most_states(case.subject):
        states, track = most_states(case.subject), case.lattice.track
        size = Size(states, states * len(track.source) // track.size, states)
        said = f"at most {states:,} states"
    named = "a lattice was asked for" if case.by_name else ""
    refusal = "" if case.declined else _refusal(case.settings)
    return [
        replace(
            each,
            size=said,
            rather=named or each.rather,
            refusal=refusal,
            **({} if size is None else size.costs(each.method)),
        )
        for each in by_method(case.settings, small)
    ]


def by_method(settings: Settings, small: bool) -> list[Offer]:
    """What can be said of a chain, or of best play: fractions, or floats."""
    wanted = settings.method
    floats = Offer(NAME, "float" if wanted == "float" else "certified")
    exact = Offer(NAME, "exact", because="fractions are affordable, and say more")
    if wanted == "auto":
        if not small:
            exact = replace(exact, rather="too large for fractions unasked: --exact gives them")
        return [exact, replace(floats, because="it is too large for fractions unasked")]
    said = f"--method {wanted} was asked for"
    return [
        replace(each, because=said) if each.method == wanted else replace(each, rather=said)
        for each in (exact, floats)
    ]


def plays_exactly(settings: Settings, states: int, largest: int) -> bool:
    """Whether best play is found in fractions; `largest` numbers depend on each other."""
    wanted, small = settings.method, limits.affords_fractions(states, largest)
    if wanted == "auto":
        return choose("best play", by_method(settings, small)).method == "exact"
    taken = "certified" if wanted == "estimate" else wanted
    offers = [Offer("exact"), Offer("float" if wanted == "float" else "certified")]
    said = f"the question takes {taken} play"
    return choose("best play", by_name(taken, offers, said)).engine == "exact"


def _refusal(settings: Settings) -> str:
    """What is said of a lattice alone is refused where none answers."""
    sweeps = "sweeps of a board's lattice"
    name, digits = settings.precision, settings.method == "exact"  # digits are kept too
    said = {
        f"--checkpoint is for {sweeps}": settings.checkpoint is not None and not digits,
        f"--scratch is for {sweeps}": settings.scratch is not None,
        f"--precision {name} is for a board's lattice": name != "float64",
    }
    without = "this is answered without one: leave it out, or ask for --engine lattice."
    return next((f"{what}, and {without}" for what, given in said.items() if given), "")


def answer(case: Case) -> Result:
    """The answer from the chain of all states."""
    prepared = prepare(case.subject, case.settings, case.everywhere)
    case.explored = prepared.size
    return case.on_chain(prepared)


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
    def size(self) -> Size:
        """How large the chain is."""
        model, chain = self.explored, self.chain
        small = limits.affords_fractions(self.model.full_states, chain.largest * chain.lanes)
        equations = chain.size * chain.lanes
        return Size(model.full_states, model.full_transitions, equations, small)

    @cached_property
    def method(self) -> Method:
        """The method asked for, or the one that `auto` picks."""
        return cast(Method, choose(ANSWER, by_method(self.settings, self.size.is_small)).method)

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


def prepare(subject: Game | Model, settings: Settings, everywhere: bool = False) -> Prepared:
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
