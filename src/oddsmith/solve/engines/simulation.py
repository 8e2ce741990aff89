"""Simulation: games of any size, estimates with intervals, so only where it is asked for."""

from __future__ import annotations

from dataclasses import replace

from oddsmith.questions.case import Case
from oddsmith.results.offers import Offer
from oddsmith.results.result import Result

NAME = "simulation"


def offers(case: Case) -> list[Offer]:
    """What playing at random offers."""
    offer = Offer(NAME, "estimate", "nothing", because="--method estimate was asked for")
    refusal = case.question.no_estimates
    if case.settings.method == "estimate":
        return [replace(offer, refusal=refusal)]
    if refusal:
        return [replace(offer, why_not="it plays from one state and counts ends")]
    return [replace(offer, rather="estimates are given where they are asked for")]


def answer(case: Case) -> Result:
    """The estimates."""
    from oddsmith.errors import OptionError
    from oddsmith.model.model import Model
    from oddsmith.rules.game import check_game
    from oddsmith.rules.origin import Origin
    from oddsmith.solve.simulate.run import simulate

    subject, settings = case.subject, case.settings
    if isinstance(subject, Model) and isinstance(subject.origin, Origin):
        raise OptionError(
            f"{subject.name} is a model, and estimates are those of games: solve it by another "
            f"method, or ask simulate for a property of it."
        )
    game = check_game(subject.origin if isinstance(subject, Model) else subject)
    engine = {"lattice": "board"}.get(settings.engine, settings.engine)
    by = {"cluster": settings.cluster, "progress": settings.progress, "play": settings.play}
    return simulate(game, engine=engine, **by)  # type: ignore[arg-type]
