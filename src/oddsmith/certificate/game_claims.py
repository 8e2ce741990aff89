"""The claims of a game: who wins, a draw, the length, scores; what optimal play is worth.

In a game of chance they are about its chain. Where players decide, the first claim is that of
optimal play, what every state is worth to every player (as in `solve/play/problem.py`), and the
others are about play by its policy.

A win of a player is worth 1 to him where play stops, and play that never stops is worth nothing to
anybody; but it is a draw, so of a draw it is worth 1. The length is what is earned by moves that
count; a closed class in which none counts adds nothing to it.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from oddsmith.certificate.claim import Claim, ClaimedNumber, Graph, graph_of_model
from oddsmith.model.ends import where_play_stays
from oddsmith.model.graph import strong_components
from oddsmith.model.model import Model

ZERO, ONE = Fraction(0), Fraction(1)


def game_claims(model: Model, ask: str, endless: str = "error") -> tuple[Graph, list[Claim]]:
    """The graph of a game and what is claimed of it; `ask` is odds, or play for its worth alone."""
    from oddsmith.solve.play.problem import game_problem

    if model.is_chain:
        shift = None
    else:
        shift = game_problem(model).shift if len(model.players) > 1 else None
    graph = graph_of_model(model, shift)
    claims = [] if model.is_chain else [_worth(model)]
    if ask == "odds":
        claims += [*_wins(model), _draw(model)]
        if endless == "error" or not _goes_on(model):
            claims.append(_length(model))
        claims += _scores(model)
    return graph, claims


def _goes_on(model: Model) -> bool:
    """Whether a game of chance can go on for ever, counting moves: it has no length then."""
    if not model.is_chain:
        return True
    component, count = strong_components(model.state_row, model.col)
    return bool(where_play_stays(model, component, count).for_ever.any())


def _over(model: Model) -> Any:
    return np.asarray(model.winners) >= 0


def _players(model: Model, what: str, mover: int | None = None) -> tuple[ClaimedNumber, ...]:
    """The start as each player sees it, from the seat of who begins (0: seats are players)."""
    players = len(model.players)
    first = (model.start_lane if mover is None else mover) % players
    return tuple(
        ClaimedNumber(what.format(p + 1), model.start, (p - first) % players)
        for p in range(players)
    )


def _by_seats(model: Model, about: str, each: str, worth: Any) -> list[Claim]:
    """One claim with seats if the model is mover-relative, else one claim a player."""
    stop = _over(model)
    if model.shift is not None:
        numbers = _players(model, each)
        return [Claim(about, numbers, stop, worth, ZERO, seats=len(model.players))]
    return [
        Claim(
            each.format(p + 1),
            (ClaimedNumber(each.format(p + 1), model.start),),
            stop,
            [(row[p],) for row in worth],
            ZERO,
        )
        for p in range(len(model.players))
    ]


def _wins(model: Model) -> list[Claim]:
    bits = np.asarray(model.winners)[_over(model)].tolist()
    players = range(len(model.players))
    worth = [tuple(Fraction(b >> p & 1) for p in players) for b in bits]
    return _by_seats(model, "the chance to win", "player {} wins", worth)


def _scores(model: Model) -> list[Claim]:
    if model.scores is None:
        return []
    scores = np.asarray(model.scores)[_over(model)].tolist()
    worth = [tuple(Fraction(int(x)) for x in row) for row in scores]
    return _by_seats(model, "the score", "score of player {}", worth)


def _draw(model: Model) -> Claim:
    stop = _over(model)
    drawn = [(Fraction(int(b == 0)),) for b in np.asarray(model.winners)[stop].tolist()]
    return Claim("a draw", (ClaimedNumber("a draw", model.start),), stop, drawn, ONE)


def _length(model: Model) -> Claim:
    stop = _over(model)
    gain = [Fraction(int(x)) for x in model.counts.tolist()]
    nothing = [(ZERO,)] * int(stop.sum())
    return Claim("length", (ClaimedNumber("length", model.start),), stop, nothing, ZERO, gain=gain)


def _worth(model: Model) -> Claim:
    """What optimal play is worth: nobody does better by leaving the policy alone."""
    stop, players = _over(model), len(model.players)
    what = "what the game is worth to player {}"
    mover = model.start_lane if model.shift is not None else int(model.mover[model.start])
    claim = Claim(
        "optimal play",
        _players(model, what, mover),
        stop,
        _shares(model, stop),
        Fraction(1, players) if players > 1 else ZERO,
        seats=players,
        upper_free=True,
    )
    if model.scores is None:
        return claim
    least = min((x for row in claim.worth for x in row), default=ZERO)
    return replace(claim, endless=min(least, ZERO))


def _shares(model: Model, stop: Any) -> list[tuple[Fraction, ...]]:
    """What each player (as the state sees them) gets where the game is over."""
    players = len(model.players)
    if model.scores is not None:
        scores = np.asarray(model.scores)[stop].tolist()
        return [tuple(Fraction(int(x)) for x in row) for row in scores]
    found = []
    for bits in np.asarray(model.winners)[stop].tolist():
        count = bits.bit_count()
        if count:
            found.append(tuple(Fraction(bits >> p & 1, count) for p in range(players)))
        else:
            found.append((Fraction(1, players) if players > 1 else ZERO,) * players)
    return found
