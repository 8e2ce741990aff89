"""Games on boards in plain Python, throw by throw: what the kernels are tested against."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from oddsmith.solve.simulate.board import (
    KEY_STEPS,
    MULTIPLIERS,
    ROUNDS,
    WORD,
    Tables,
    key_of,
)

MASK = (1 << WORD) - 1

Philox = tuple[int, int, int, int]


def philox(counter: Philox, key: tuple[int, int]) -> Philox:
    """A block of Philox4x32-10.

    >>> [f"{word:08x}" for word in philox((0, 0, 0, 0), (0, 0))]
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    a, b, c, d = counter
    low, high = key
    for _ in range(ROUNDS):
        p, q = a * MULTIPLIERS[0], c * MULTIPLIERS[1]
        a, b, c, d = (q >> WORD) ^ b ^ low, q & MASK, (p >> WORD) ^ d ^ high, p & MASK
        low, high = (low + KEY_STEPS[0]) & MASK, (high + KEY_STEPS[1]) & MASK
    return a, b, c, d


def throws(game: int, key: tuple[int, int], total: int) -> Iterator[int]:
    """The throws of a game: numbers below the total."""
    least, block = (1 << WORD) % total, 0
    while True:
        for word in philox((game & MASK, game >> WORD, block, 0), key):
            if word * total & MASK >= least:
                yield word * total >> WORD
        block += 1


@dataclass(frozen=True)
class Played:
    """One game: who won (None: a draw, or not at an end), how long it was and where it ended."""

    winner: int | None
    length: int
    positions: list[int]
    turns: int
    ended: bool


def play_plainly(tables: Tables, players: int, seed: int, game: int, max_moves: int) -> Played:
    """Play one game in plain Python: the same game that the kernels play."""
    drawn = throws(game, key_of(seed), tables.total)
    parts = (tables.row, tables.last, tables.target, tables.tested, tables.square)
    row, last, target, tested, square_of = (part.tolist() for part in parts)
    at, square = [tables.start] * players, [square_of[tables.start]] * players
    length = idle = 0
    for turn in range(max_moves):
        me = turn % players
        mine, others = at[me], square[:me] + square[me + 1 :]
        if tables.first_hold <= mine < tables.first_room and square[me] not in others:
            idle += 1
            if idle == players:
                return Played(None, length, at, turn + 1, True)
            continue
        idle = number = 0
        if mine < tables.first_room:
            number = next(drawn)
            length += 1
        entry = bisect_left(last, number, row[mine], row[mine + 1])
        if tested[entry] in others:
            continue
        at[me] = target[entry]
        if at[me] == tables.finish:
            return Played(me, length, at, turn + 1, True)
        square[me] = square_of[at[me]]
    return Played(None, length, at, max_moves, False)
