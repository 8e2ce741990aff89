"""The lattice: the numbers of a board of N tokens, certified or plain, without a stored graph."""

from __future__ import annotations

from dataclasses import replace

from oddsmith.questions import limits
from oddsmith.questions.case import Case, lattice_numbers, most_states, why_no_lattice
from oddsmith.questions.settings import nothing_to_decide
from oddsmith.results.offers import Offer
from oddsmith.results.result import Result
from oddsmith.rules.board.game import Board
from oddsmith.rules.game import Game

NAME = "lattice"


def offers(case: Case) -> list[Offer]:
    """What the lattice of a board offers."""
    offer = offer_of_board(case, NAME, "a board's lattice answers without storing the graph")
    if not offer.is_open or offer.refusal:
        return [offer]
    from oddsmith.solve.lattice.engine import one_is_enough

    if not case.everywhere and one_is_enough(case.lattice, case.settings):
        positions = case.lattice.track.size
        seconds = limits.LATTICE_SECONDS * positions
        offer = replace(
            offer, size=f"{positions:,} positions", memory=8 * positions, seconds=seconds
        )
    if case.question.turn_by_turn and not case.by_name:
        from oddsmith.solve.lattice.answers import counts_turns

        few = most_states(case.subject) <= limits.GRAPH_STATES
        if few and not counts_turns(case.lattice, case.turns):
            offer = replace(offer, rather="it counts turns, and some have no throw")
    if case.sets:
        refusal = (
            f"A lattice counts the arrivals of a token: name the player, not a condition, or "
            f"explore {case.subject.name} with --engine compiled."
        )
        offer = replace(offer, refusal=refusal)
    return [offer]


def answer(case: Case) -> Result:
    """The answer by sweeps of the lattice."""
    from oddsmith.solve.lattice import answers

    board, settings = case.lattice, case.settings
    if case.question.name == "odds":
        return answers.odds(board, settings)
    if case.question.name == "length":
        return answers.length(board, settings, case.turns, case.tail)
    if case.question.name == "visits":
        return answers.visits(board, settings, case.player)
    from oddsmith.solve.lattice.values import values

    return values(board, settings)


def offer_of_board(case: Case, name: str, because: str) -> Offer:
    """What any engine for boards offers, and what speaks against all of them."""
    settings, subject = case.settings, case.subject
    method = "float" if settings.method == "float" else "certified"
    offer = Offer(name, method, because=because)
    if case.lifts:
        return replace(offer, rather="--engine cuda lifts the digits of fractions")
    if settings.method == "estimate":
        return replace(offer, rather="--method estimate is not what it gives")
    if settings.play is not None and isinstance(subject, Board):
        return replace(offer, refusal=str(nothing_to_decide(subject)))
    if case.declined or case.question.lattice_from is None:
        return replace(offer, why_not=case.declined or "it does not know this question")
    why_not = why_no_lattice(subject)
    if why_not:
        refusal = _refusal(case) if case.by_name else ""
        return replace(offer, refusal=refusal, why_not="" if refusal else why_not)
    numbers = lattice_numbers(subject)
    offer = replace(
        offer,
        size=f"{numbers:,} numbers",
        memory=limits.LATTICE_COPIES * numbers * (4 if settings.precision == "float32" else 8),
        seconds=limits.LATTICE_SECONDS * numbers,
    )
    if case.by_name:
        if settings.method != "exact":
            return offer
        refusal = "A lattice gives certified answers: exact ones take --engine auto or cuda."
        return replace(offer, refusal=refusal)
    if settings.method == "exact":
        return replace(offer, rather="--method exact is not what it gives")
    for option, usual in (("engine", "auto"), ("solver", "auto"), ("symmetry", True)):
        if getattr(settings, option) != usual:
            said = f"--{option} {getattr(settings, option)}"
            return replace(
                offer, rather=f"{said if option != 'symmetry' else '--no-symmetry'} is the graph's"
            )
    if settings.max_states is not None:
        return replace(offer, rather="--max-states is the graph's")
    if most_states(subject) <= case.question.lattice_from:
        return replace(offer, rather="the graph says more of so few states")
    return offer


def _refusal(case: Case) -> str:
    subject = case.subject
    if isinstance(subject, Board):
        why = subject.why_no_lattice
        return f"{subject.name} has no lattice, because {why}: leave --engine out."
    name = subject.name if isinstance(subject, Game) else "A model"
    return f"{name} is no board of squares, so it has no lattice: leave --engine out."
