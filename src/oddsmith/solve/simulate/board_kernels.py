# mypy: disable-error-code="untyped-decorator"
"""Compiled play of boards from tables: see `board.py` for the tables and the random numbers.

One kernel for all boards, compiled once. Throws are drawn ahead, some blocks at a time, in a loop
without branches that the compiler turns into vector instructions (if `philox` is inlined before
it looks); how many tokens stand on each square is counted, so that whether another one is there
takes one look.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import int64, uint32, uint64

from oddsmith.ahead import kernel
from oddsmith.solve.simulate.board import FIELD, KEY_STEPS, MULTIPLIERS, ROUNDS, WORD

DONE, TOO_LONG, STOPPED = range(3)

BLOCKS = 16
"""Blocks drawn at a time."""

HALF = uint64(WORD)
MULTIPLIER_A, MULTIPLIER_B = uint64(MULTIPLIERS[0]), uint64(MULTIPLIERS[1])
STEP_A, STEP_B = uint32(KEY_STEPS[0]), uint32(KEY_STEPS[1])
ONE, ZERO = uint64(1), uint64(0)
SQUARE, TESTED = uint64(FIELD), uint64(2 * FIELD)
POSITION = uint64((1 << FIELD) - 1)
TOKEN = uint64((1 << 2 * FIELD) - 1)
"""Where a token stands, in one number: its position, and its square above that."""


@kernel(inline="always")
def philox(a: Any, b: Any, c: Any, d: Any, low: Any, high: Any) -> Any:
    """A block of Philox4x32-10 from the counter a, b, c, d and the key low, high."""
    for _ in range(ROUNDS):
        p, q = uint64(a) * MULTIPLIER_A, uint64(c) * MULTIPLIER_B
        a, b = uint32(uint32(q >> HALF) ^ b ^ low), uint32(q)
        c, d = uint32(uint32(p >> HALF) ^ d ^ high), uint32(p)
        low, high = uint32(low + STEP_A), uint32(high + STEP_B)
    return a, b, c, d


@kernel
def draw(numbers: Any, game: Any, block: Any, low: Any, high: Any, total: Any, least: Any) -> Any:
    """The throws of some blocks of a game from `block` on; how many there are."""
    first, second = uint32(game), uint32(game >> HALF)
    again = False
    for i in range(BLOCKS):
        a, b, c, d = philox(first, second, uint32(block + uint64(i)), uint32(0), low, high)
        p, q, r, s = uint64(a) * total, uint64(b) * total, uint64(c) * total, uint64(d) * total
        again |= (uint32(p) < least) | (uint32(q) < least)
        again |= (uint32(r) < least) | (uint32(s) < least)
        numbers[4 * i] = uint32(p >> HALF)
        numbers[4 * i + 1] = uint32(q >> HALF)
        numbers[4 * i + 2] = uint32(r >> HALF)
        numbers[4 * i + 3] = uint32(s >> HALF)
    if again:
        return draw_again(numbers, game, block, low, high, total, least)
    return uint64(4 * BLOCKS)


@kernel
def draw_again(
    numbers: Any, game: Any, block: Any, low: Any, high: Any, total: Any, least: Any
) -> Any:
    """The same where some words must not be used: the others close ranks."""
    first, second = uint32(game), uint32(game >> HALF)
    count = 0
    for i in range(BLOCKS):
        for word in philox(first, second, uint32(block + uint64(i)), uint32(0), low, high):
            product = uint64(word) * total
            if uint32(product) >= least:
                numbers[count] = uint32(product >> HALF)
                count += 1
    return uint64(count)


@kernel
def search(last: Any, row: Any, position: Any, number: Any) -> Any:
    """The entry of a position that a number chooses, by bisection."""
    low, high = row[position], row[position + ONE] - ONE
    while low < high:
        middle = (low + high) >> ONE
        if last[middle] >= number:
            high = middle
        else:
            low = middle + ONE
    return low


@kernel
def play_games(
    first: Any, games: Any, low: Any, high: Any, players: int, max_moves: int,
    entries: Any, last: Any, row: Any, direct: bool, start: Any, first_hold: Any, first_room: Any,
    finish: Any, squares: int, total: Any, least: Any,
    wins: Any, lengths: Any, sums: Any, positions: Any, signals: Any,
) -> int:  # fmt: skip
    """Play games first, first + 1, …; add to wins (players, then draws), lengths and sums.

    Sums are the lengths and their squares; `positions` is where the tokens of a game that is too
    long stand.
    """
    everybody = uint64(players)
    tokens = np.empty(players, np.uint64)
    there = np.zeros(squares + 2, np.int32)  # tokens on each square, nowhere, and on the finish
    numbers = np.empty(4 * BLOCKS, np.uint32)
    for game in range(first, first + games):
        tokens[:] = start
        there[:] = 0
        there[start >> SQUARE] = players
        block, used, drawn, before = ZERO, ZERO, ZERO, ZERO
        player, idle = ZERO, ZERO
        turns = 0
        while True:
            while used == drawn:
                if signals[-1] != 0:
                    return STOPPED
                before += used
                used, drawn = ZERO, draw(numbers, game, block, low, high, total, least)
                block += uint64(BLOCKS)
            token = tokens[player]
            position, square = token & POSITION, token >> SQUARE
            if position >= first_room:
                entry = position * total if direct else row[position]
                token = entries[entry] & TOKEN
                there[square] -= 1
                there[token >> SQUARE] += 1
                tokens[player] = token
                idle = ZERO
            elif position >= first_hold and there[square] == 1:
                idle += ONE
            else:
                number = numbers[used]
                used += ONE
                idle = ZERO
                if direct:
                    chosen = entries[position * total + uint64(number)]
                else:
                    chosen = entries[search(last, row, position, number)]
                tested = chosen >> TESTED
                occupied = uint64(there[tested]) > uint64(tested == square)
                token = token if occupied else chosen & TOKEN
                there[square] -= 1
                there[token >> SQUARE] += 1
                tokens[player] = token
            turns += 1
            if (token & POSITION == finish) | (idle == everybody) | (turns == max_moves):
                break
            player += ONE
            if player == everybody:
                player = ZERO
        if token & POSITION == finish:
            wins[player] += 1
        elif idle == everybody:
            wins[players] += 1
        else:
            for p in range(players):
                positions[p] = int64(tokens[p] & POSITION)
            return TOO_LONG
        length = int64(before + used)
        lengths[min(length, len(lengths) - 1)] += 1
        sums[0] += length
        sums[1] += length * length
    return DONE
