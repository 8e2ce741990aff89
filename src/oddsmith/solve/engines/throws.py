"""Throws: lengths of a board whose turns can be without a throw, by its chain written out."""

from __future__ import annotations

from dataclasses import replace

from oddsmith.questions import limits
from oddsmith.questions.case import Case
from oddsmith.results.offers import Offer
from oddsmith.results.result import Result
from oddsmith.solve.engines.lattice import offer_of_board

NAME = "throws"


def offers(case: Case) -> list[Offer]:
    """What writing out the chain of a board offers."""
    settings = case.settings
    because = "a board's chain, written out, counts throws without storing the graph"
    offer = offer_of_board(case, NAME, because)
    if not case.question.turn_by_turn:
        return [Offer(NAME, offer.method, why_not="it counts lengths alone")]
    if not offer.is_open or offer.refusal:
        return [offer]
    from oddsmith.solve.lattice.answers import counts_turns
    from oddsmith.solve.lattice.throws import entries

    board = case.lattice
    if case.turns or counts_turns(board, case.turns):
        return [replace(offer, why_not="every turn that counts has one throw: a lattice does")]
    many = entries(board.track, board.players)
    offer = replace(offer, size=f"{many:,} entries", memory=40 * many, seconds=6e-7 * many)
    if case.by_name or settings.precision != "float64" or settings.checkpoint is not None:
        return [replace(offer, why_not="a lattice was asked for")]
    if many > limits.WRITTEN_OUT:
        return [replace(offer, why_not=f"more than {limits.WRITTEN_OUT:,} entries")]
    return [offer]


def answer(case: Case) -> Result:
    """The lengths, played forward throw by throw."""
    from oddsmith.solve.lattice import throws

    return throws.length(case.lattice, case.settings, case.tail)
