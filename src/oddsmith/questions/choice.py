"""The one place that chooses: who does a part of the work.

Whoever can answer a question, explore a game, play it at random or solve its equations makes an
offer, with what speaks against it. `choose` takes the first offer against which nothing speaks, so
their order is the preference; what a person asked for by name speaks against all others. Offers
count work and look at no clock: the same command takes the same road on a busy machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

from oddsmith.errors import OptionError
from oddsmith.results.offers import Choice, Offer

ANSWER = "answer"
"""The part of the work that is the whole: which engine answers."""

_choices: ContextVar[dict[str, Choice] | None] = ContextVar("choices", default=None)


def choose(part: str, offers: list[Offer]) -> Offer:
    """The offer that is taken; an error if it was asked for by name and cannot."""
    taken = next((offer for offer in offers if offer.is_open), None)
    if taken is None:
        reasons = "; ".join(f"{offer.engine} {offer.says}" for offer in offers)
        raise OptionError(f"Nobody can do this part of the work ({part}): {reasons}.")
    if taken.refusal:
        raise OptionError(taken.refusal)
    made = _choices.get()
    if made is not None:
        made[part] = Choice.of(part, offers, taken)
    return taken


def by_name(name: str, offers: list[Offer], said: str = "") -> list[Offer]:
    """Offers of which one was asked for by its name: that speaks against all others."""
    said = said or f"--engine {name} was asked for"
    return [
        replace(each, rather="", because=said)
        if each.engine == name
        else replace(each, rather="" if each.why_not else said)
        for each in offers
    ]


@contextmanager
def written_down() -> Iterator[dict[str, Choice]]:
    """Keep the choices that are made in here, by the parts of the work; the last one of each."""
    made: dict[str, Choice] = {}
    token = _choices.set(made)
    try:
        yield made
    finally:
        _choices.reset(token)
