"""The plan: which engine answers a question, by which method, and why not another.

Every engine says what it could answer, what that would cost, and what speaks against it; of these
offers `questions/choice.py` takes one, and the engine that made it answers. `--engine` and
`--method` speak in the offers, `--explain` shows all of them and every other choice that was made
on the way: who explored, who played at random, who solved the equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from oddsmith.questions.case import Case
from oddsmith.questions.choice import ANSWER, choose, written_down
from oddsmith.results.offers import Offer, Plan
from oddsmith.results.result import Result
from oddsmith.solve.engines import graph, lattice, simulation, throws
from oddsmith.solve.lattice.sweep import EndlessLattice


class Engine(Protocol):
    """A way to compute answers: a module of `engines/`."""

    NAME: str

    def offers(self, case: Case) -> list[Offer]:
        """What it could answer, a method each."""

    def answer(self, case: Case) -> Result:
        """The answer."""


ENGINES: Sequence[Engine] = (throws, lattice, graph, simulation)
"""Earlier ones are preferred: more special, and so faster."""


def answer(case: Case) -> Result:
    """The answer by the engine whose offer is taken, with the plan if that is to be shown."""
    with written_down() as choices:
        try:
            found = _taken(case).answer(case)
        except EndlessLattice:  # then the general engine says where
            case.declined, case.settings.engine = (
                "play need not end, and the graph says where",
                "auto",
            )
            found = _taken(case).answer(case)
        _taken(case)  # with the sizes that are known by now
    if not case.settings.explain:
        return found
    plan = Plan(case.question.says, choices.pop(ANSWER), tuple(choices.values()))
    return replace(found, evidence=replace(found.evidence, plan=plan))


def _taken(case: Case) -> Engine:
    """The engine that answers."""
    offers = {offer: engine for engine in ENGINES for offer in engine.offers(case)}
    return offers[choose(ANSWER, list(offers))]
