"""Interpreted play of a batch of games; the same games as the compiled kernel plays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from oddsmith.errors import LimitError, OptionError
from oddsmith.policies.policy import Policy
from oddsmith.rules import interpret
from oddsmith.rules.game import Game
from oddsmith.rules.layout import Layout
from oddsmith.rules.moves import Action
from oddsmith.solve.simulate.stream import Stream


def play_batch(
    game: Game,
    layout: Layout | str,
    games: int,
    seed: int,
    batch: int,
    max_moves: int,
    policies: Sequence[Policy] = (),
) -> list[tuple[int, int, Any]]:
    """Play some games: the winner bits, the length and the last state of each."""
    stream = Stream(seed, batch)
    start = interpret.first_state(game)
    return [play_game(game, layout, start, stream, max_moves, policies) for _ in range(games)]


def play_game(
    game: Game,
    layout: Layout | str,
    state: Any,
    stream: Stream,
    max_moves: int,
    policies: Sequence[Policy] = (),
) -> tuple[int, int, Any]:
    """Play one game to its end: winner bits, length, last state."""
    winners, length, state = moves(game, layout, state, stream, max_moves, policies)
    if winners == interpret.GOES_ON:
        raise too_long(game, max_moves, state)
    return winners, length, state


def moves(
    game: Game,
    layout: Layout | str,
    state: Any,
    stream: Stream,
    most: int,
    policies: Sequence[Policy] = (),
) -> tuple[int, int, Any]:
    """Play one game to its end or for so many moves: winner bits, length, last state."""
    length = free = 0
    power, mark = 1, None
    for number in range(most + 1):
        winners = interpret.winners(game, state)
        if winners != interpret.GOES_ON:
            return winners, length, state
        if number == most:
            break
        with interpret.time_limit(game, state):
            action = chosen(game, state, policies, stream) if policies else only_move(game, state)
            die = interpret.die_for(game, action, state)
            before = state
            if die is None:
                state = interpret.play(game, layout, action, state)
            else:
                state = interpret.play(game, layout, action, state, stream.face(die))
        length += action.counts
        if die is not None or action.counts:
            free, power = 0, 1
            continue
        if free == 0:
            mark = before
        free += 1
        if state == mark:
            return 0, length, state
        if free == power:
            mark, power, free = state, 2 * power, 1
    return interpret.GOES_ON, length, state


def chosen(game: Game, state: Any, policies: Sequence[Policy], stream: Stream) -> Action:
    """The move that the mover's policy makes."""
    legal = dict(interpret.legal_actions(game, state))
    if len(legal) == 1:
        return next(iter(legal.values()))
    policy = policies[interpret.mover(game, state)]
    number = policy.move(game, state)
    if number is None:
        return list(legal.values())[stream.below(len(legal))]
    if number not in legal:
        raise policy.refusal(game, state, game.actions[number].name)
    return legal[number]


def only_move(game: Game, state: Any) -> Action:
    """The one legal move of a game of pure chance."""
    found = interpret.legal_actions(game, state)
    if len(found) > 1:
        raise decision(game, state)
    return found[0][1]


def decision(game: Game, state: Any) -> OptionError:
    """The error for a game that turns out not to be pure chance."""
    names = " and ".join(action.name for _, action in interpret.legal_actions(game, state))
    return OptionError(
        f"{game.name} lets a player choose between {names} in {state!r}: say how they play, such "
        f"as play='random' or play='optimal' (--play)."
    )


def too_long(game: Game, max_moves: int, state: Any) -> LimitError:
    """The error for a game that does not end."""
    return LimitError(
        f"A game of {game.name} did not end within {max_moves:,} moves (it was in {state!r}): "
        f"can it end at all? If it can, raise --steps (max_moves)."
    )
