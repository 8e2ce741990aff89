"""A second look at a model: a sample of its states, played again by the interpreter.

Whatever explored a model, some of its states are played again when it is done, spread over the
whole of it and more of them the larger it is, and what comes of it is compared row by row: who has
won, who moves, which moves are legal, where they lead with which chances. That catches rules that
do not say the same twice (they throw dice of their own, or remember something), compiled rules that
do not mean what the same Python means, and promises of the rules that only hold at first: players
who are declared interchangeable must be so in every state (of compiled models `symmetry.py` looks).

A model of whose states a share q is wrong passes a sample of k with chance (1 - q)^k: with 1,000
states played again, one wrong in a hundred is missed with chance 4e-5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import OddsmithError, RuleError
from oddsmith.model.model import Model
from oddsmith.model.names import mover_view, turned
from oddsmith.results import contradiction
from oddsmith.rules import interpret
from oddsmith.rules.game import Game
from oddsmith.rules.layout import Layout

Choice = tuple[int, int, tuple[tuple[Any, int, int], ...]]
"""The number of a move, the sum of its weights, and where it leads: (state, seats, weight)."""

Row = tuple[int, int, tuple[int, ...], tuple[Choice, ...]]
"""Who has won, who moves, the scores, the choices."""


def row_of_rules(game: Game, layout: Layout | str, state: Any, symmetric: bool) -> Row:
    """What the rules say in a state: every legal move with every roll, played by the interpreter.

    Outcomes that lead to the same state are merged into the first of them.
    """
    won = interpret.winners(game, state)
    score: tuple[int, ...] = ()
    if game.has_score:
        ended = won != interpret.GOES_ON
        score = interpret.scores(game, state) if ended else (0,) * game.players
    if won != interpret.GOES_ON:
        return won, 0, score, ()
    mover = interpret.mover(game, state)
    choices = []
    for number, action in interpret.legal_actions(game, state):
        merged: dict[tuple[Any, int], int] = {}
        for weight, _, new in interpret.outcomes(game, layout, action, state):
            key = mover_view(game, new) if symmetric else (new, 0)
            merged[key] = merged.get(key, 0) + weight
        outcomes = tuple((view, lane, weight) for (view, lane), weight in merged.items())
        choices.append((number, sum(merged.values()), outcomes))
    return won, mover, score, tuple(choices)


def row_of_model(model: Model, index: int) -> Row:
    """What a model says in a state."""
    first, last = int(model.choice[index]), int(model.choice[index + 1])
    choices = []
    for number in range(first, last):
        begin, end = int(model.row[number]), int(model.row[number + 1])
        views = model.names.take(model.col[begin:end])
        lanes = [0] * (end - begin) if model.shift is None else model.shift[begin:end].tolist()
        outcomes = tuple(zip(views, lanes, model.weight[begin:end].tolist(), strict=True))
        choices.append((int(model.move[number]), int(model.total[number]), outcomes))
    score = () if model.scores is None else tuple(model.scores[index].tolist())
    return int(model.winners[index]), int(model.mover[index]), score, tuple(choices)


def sample(states: int, seats: int, compiled: bool) -> npt.NDArray[np.int64]:
    """Numbers of states spread over a model, the first and the last among them.

    Of a compiled model all up to 32, then more as its size grows: interpreting a state costs some
    hundred times as much as compiled rules, and seats times that where its symmetry is checked, so
    32 + n / (16384 seats) of n keep below two per cent. Of an interpreted one, one in twenty.
    """
    size = 32 + states // (16384 * seats) if compiled else 1 + states // 20
    return np.unique(np.linspace(0, states - 1, min(states, size)).round().astype(np.int64))


def replay(model: Model, layout: Layout | str) -> None:
    """Play a sample of a model's states again; an error if anything else comes of it."""
    game, symmetric = model.origin, model.shift is not None
    compiled = model.compile_seconds > 0
    for index in sample(model.states, game.players if symmetric else 1, compiled).tolist():
        state = model.names[index]
        with interpret.time_limit(game, state):
            rules = row_of_rules(game, layout, state, symmetric)
        found = row_of_model(model, index)
        if rules != found:
            _differ(game, layout, state, symmetric, found, compiled)
        if symmetric and compiled:
            check_symmetry(game, layout, state)
    if symmetric and not compiled:
        for index in range(model.states):
            check_symmetry(game, layout, model.names[index])


def _differ(
    game: Game, layout: Layout | str, state: Any, symmetric: bool, found: Row, compiled: bool
) -> None:
    """The error for a state in which something else comes of playing it again."""
    again, once_more = (row_of_rules(game, layout, state, symmetric) for _ in range(2))
    if again != once_more or not compiled:
        moves = " or ".join(["winner", *(action.name for action in game.actions)])
        raise interpret.changed(game, f"{moves} gave something else in {state!r} when asked again")
    contradiction.refuse(
        f"the compiled rules of {game.name} do not say what they say in Python: in {state!r} they "
        f"give {shown(game, found)}, and Python gives {shown(game, again)}",
        {"state": repr(state), "compiled": repr(found), "interpreted": repr(again)},
    )


def shown(game: Game, row: Row) -> str:
    """A row in words."""
    won, mover, score, choices = row
    if won != interpret.GOES_ON:
        winners = [str(p + 1) for p in range(game.players) if won >> p & 1]
        ended = f"won by {' and '.join(winners)}" if winners else "a draw"
        return f"{ended}, scores {score}" if score else ended
    moves = [
        f"{game.actions[number].name} to "
        + ", ".join(f"{view!r} {weight}/{total}" for view, _, weight in outcomes)
        for number, total, outcomes in choices
    ]
    return f"player {mover + 1}: {'; '.join(moves)}"


def check_symmetry(game: Game, layout: Layout | str, state: Any) -> None:
    """Check a declared symmetry: from any other seat the rules must say the same, turned."""
    here = _behaviour(game, layout, state, 0)
    for seats in range(1, game.players):
        other = turned(game, state, seats)
        try:
            there = _behaviour(game, layout, other, -seats)
        except OddsmithError:
            there = None
        if here != there:
            names = {game.actions[found[0]].name for found in here if isinstance(here, list)}
            raise RuleError(
                f"{type(game).__name__} declares its players interchangeable, but "
                f"{' or '.join(['winner', *sorted(names)])} in {state!r} and in {other!r} are not "
                f"the same turned by {seats} seat{'s' * (seats > 1)}."
            )


def _behaviour(game: Game, layout: Layout | str, state: Any, seats: int) -> Any:
    """What the rules say in a state, turned by some seats: winners, or the outcomes of moves."""
    won = interpret.winners(game, state)
    if won != interpret.GOES_ON:
        return {
            (player + seats) % game.players for player in range(game.players) if won >> player & 1
        }
    return [
        (number, weight, turned(game, new, seats))
        for number, action in interpret.legal_actions(game, state)
        for weight, _, new in interpret.outcomes(game, layout, action, state)
    ]
