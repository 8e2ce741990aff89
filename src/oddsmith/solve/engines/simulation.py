"""Simulation: games of any size, estimates with intervals, so only where it is asked for."""

from __future__ import annotations

from oddsmith.questions.case import Case
from oddsmith.results.offers import Offer
from oddsmith.results.result import Result

NAME = "simulation"


def offers(case: Case) -> list[Offer]:
    """What playing at random offers."""
    question, asked_for = case.question, case.settings.method == "estimate"
    why_not = rather = ""
    if not asked_for and question.no_estimates:
        why_not = "it plays from one state and counts ends"
    elif not asked_for:
        rather = "estimates are given where they are asked for"
    because, refusal = "--method estimate was asked for", question.no_estimates
    offer = Offer(NAME, "estimate", "nothing", None, None, why_not, rather, because, refusal)
    return [offer]


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
