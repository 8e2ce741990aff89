"""Interpreted play of a batch of games; the same games as the compiled kernel plays."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Any

from oddsmith.errors import LimitError, OptionError
from oddsmith.rules import interpret
from oddsmith.rules.game import Action, Game
from oddsmith.rules.layout import Layout
from oddsmith.solve.simulate.stream import Stream


def play_batch(
    game: Game, layout: Layout | str, games: int, seed: int, batch: int, max_moves: int
) -> list[tuple[int, int]]:
    """Play some games: the winner bits and the length of each."""
    stream = Stream(seed, batch)
    start = interpret.first_state(game)
    return [play_game(game, layout, start, stream, max_moves) for _ in range(games)]


def play_game(
    game: Game, layout: Layout | str, state: Any, stream: Stream, max_moves: int
) -> tuple[int, int]:
    """Play one game to its end: winner bits and length."""
    length = free = 0
    power, mark = 1, None
    for moves in range(max_moves + 1):
        winners = interpret.winners(game, state)
        if winners != interpret.GOES_ON:
            return winners, length
        if moves == max_moves:
            break
        with interpret.time_limit(game, state):
            action = only_move(game, state)
            die = interpret.die_for(game, action, state)
            before = state
            if die is None:
                state = interpret.play(game, layout, action, state)
            else:
                drawn = stream.below(die.total)
                face = die.faces[bisect_right(list(accumulate(die.weights)), drawn)]
                state = interpret.play(game, layout, action, state, face)
        length += action.counts
        if die is not None or action.counts:
            free, power = 0, 1
            continue
        if free == 0:
            mark = before
        free += 1
        if state == mark:
            return 0, length
        if free == power:
            mark, power, free = state, 2 * power, 1
    raise too_long(game, max_moves, state)


def only_move(game: Game, state: Any) -> Action:
    """The one legal move of a game of pure chance."""
    found = interpret.legal_actions(game, state)
    if len(found) > 1:
        raise decision(game, state)
    return found[0][1]


def decision(game: Game, state: Any) -> OptionError:
    """The error for a game that is not pure chance."""
    names = " and ".join(action.name for _, action in interpret.legal_actions(game, state))
    return OptionError(
        f"{game.name} lets a player choose between {names} in {state!r}: so far only games of "
        f"pure chance can be simulated."
    )


def too_long(game: Game, max_moves: int, state: Any) -> LimitError:
    """The error for a game that does not end."""
    return LimitError(
        f"A game of {game.name} did not end within {max_moves:,} moves (it was in {state!r}): "
        f"can it end at all? Raise max_moves if it can."
    )
