"""Turns of the joint distribution, written down from their definition: slow and plain."""

import math
from itertools import product
from typing import Any

import numpy as np

from oddsmith.rules.board.track import ANY, FINISH, Track

Entries = list[list[tuple[float, int, int]]]


def entries(track: Track) -> Entries:
    """The throws from each position, as (chance, target, tested square)."""
    found: Entries = [[] for _ in range(track.size)]
    for e, source in enumerate(track.source):
        found[source].append(
            (float(track.weight[e]) / track.total, int(track.target[e]), int(track.tested[e]))
        )
    return found


def resting_place(track: Track, position: int, occupied: set[int]) -> int | None:
    """Where a token goes that does not throw, or None if it throws."""
    if track.rest[position] >= 0:
        return int(track.rest[position])
    if track.hold[position] and int(track.square[position]) not in occupied:
        return position
    return None


def _fibres(track: Track, players: int, mover: int) -> Any:
    """Each fibre along the mover's axis: its index, and the squares that others occupy."""
    for others in product(range(track.size), repeat=players - 1):
        index = (*others[:mover], slice(None), *others[mover:])
        yield index, {int(track.square[other]) for other in others}


def forward_turn(track: Track, array: Any, mover: int) -> tuple[Any, float, float, float, Any]:
    """A turn: the new array, mass that finished, threw and rested, and arrivals by position."""
    new = np.zeros(array.shape)
    throws = entries(track)
    finished: list[float] = []
    threw: list[float] = []
    rested: list[float] = []
    arrivals: list[list[float]] = [[] for _ in range(track.size)]
    for index, occupied in _fibres(track, array.ndim, mover):
        before, after = array[index], new[index]
        for position in range(track.size):
            mass = float(before[position])
            place = resting_place(track, position, occupied)
            if place is not None:
                after[place] += mass
                rested.append(mass)
                continue
            threw.append(mass)
            for chance, target, tested in throws[position]:
                if tested != ANY and tested in occupied:
                    after[position] += chance * mass
                elif target == FINISH:
                    finished.append(chance * mass)
                else:
                    after[target] += chance * mass
                    if target != position:
                        arrivals[target].append(chance * mass)
    sums = [math.fsum(terms) for terms in (finished, threw, rested)]
    return new, *sums, np.array([math.fsum(terms) for terms in arrivals])


def backward_turn(
    track: Track, values: Any, mover: int, win_reward: float, throw_reward: float
) -> Any:
    """What each state is worth before a turn, given what states are worth after it."""
    new = np.zeros(values.shape)
    throws = entries(track)
    for index, occupied in _fibres(track, values.ndim, mover):
        after, before = values[index], new[index]
        for position in range(track.size):
            place = resting_place(track, position, occupied)
            if place is not None:
                before[position] = after[place]
                continue
            worth = throw_reward
            for chance, target, tested in throws[position]:
                if tested != ANY and tested in occupied:
                    worth += chance * float(after[position])
                elif target == FINISH:
                    worth += chance * win_reward
                else:
                    worth += chance * float(after[target])
            before[position] = worth
    return new
