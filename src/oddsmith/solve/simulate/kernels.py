# mypy: disable-error-code="untyped-decorator"
"""Compiled play of a batch of games; the same games as `play.py` plays interpreted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import uint64

from oddsmith.ahead import kernel
from oddsmith.model.rule_calls import (
    FAILED,
    at,
    die_of,
    legal,
    play,
    scores_into,
    winner_code,
)

DONE, BROKEN, DECISION, TOO_LONG, STOPPED = range(5)


@kernel
def next_bits(s: Any) -> Any:
    """The next 64 bits of xoshiro256++."""
    x = s[0] + s[3]
    result = ((x << uint64(23)) | (x >> uint64(41))) + s[0]
    t = s[1] << uint64(17)
    s[2] ^= s[0]
    s[3] ^= s[1]
    s[1] ^= s[2]
    s[0] ^= s[3]
    s[2] ^= t
    s[3] = (s[3] << uint64(45)) | (s[3] >> uint64(19))
    return result


@kernel
def below(s: Any, n: Any) -> Any:
    """A number from 0 to n-1, each equally likely."""
    bound = uint64(n)
    least = (~bound + uint64(1)) % bound
    while True:
        drawn = next_bits(s)
        if drawn >= least:
            return np.int64(drawn % bound)


@kernel
def walk_batch(
    games: int, stream: Any, start: int, start_lane: int, players: int, row: Any, col: Any,
    weight: Any, total: Any, shift: Any, counts: Any, winners: Any, scores: Any, max_moves: int,
    wins: Any, lengths: Any, sums: Any, score_sums: Any, signals: Any,
) -> Any:  # fmt: skip
    """Walk on a Markov chain some times, from the start to an end; tallies as in `play_batch`.

    Live states have one choice each, numbered in the order of the states. In a mover-relative
    chain the seat of the mover is carried along. Returns (reason, last state).
    """
    choice_of = np.empty(len(row) - 1, np.int64)
    count = 0
    for state in range(len(row) - 1):
        choice_of[state] = count
        if winners[state] < 0:
            count += 1
    turning = len(shift) > 0
    for _ in range(games):
        if signals[-1] != 0:
            return STOPPED, start
        s, lane = np.int64(start), np.int64(start_lane)
        length, moves = np.int64(0), 0
        while winners[s] < 0:
            if moves >= max_moves:
                return TOO_LONG, s
            c = choice_of[s]
            drawn = below(stream, total[c])
            e = row[s]
            while drawn >= np.int64(weight[e]):
                drawn -= np.int64(weight[e])
                e += 1
            if turning:
                lane = (lane + np.int64(shift[e])) % players
            length += np.int64(counts[c])
            moves += 1
            s = np.int64(col[e])
        code = winners[s]
        if code == 0:
            wins[players] += 1
        for p in range(players):
            at = (p + lane) % players if turning else p
            if (code >> p) & 1:
                wins[at] += 1
            if len(scores) > 0:
                score_sums[at, 0] += scores[s, p]
                score_sums[at, 1] += np.float64(scores[s, p]) * np.float64(scores[s, p])
        lengths[min(length, len(lengths) - 1)] += 1
        sums[0] += length
        sums[1] += length * length
    return DONE, start


@kernel
def play_batch(
    steps: Any, games: int, stream: Any, start: Any, players: int, counts: Any, max_moves: int,
    faces: Any, cumulative: Any, die_start: Any, die_total: Any,
    lowest: Any, radix: Any, scored: bool,
    wins: Any, lengths: Any, sums: Any, score_sums: Any, last: Any, signals: Any,
) -> int:  # fmt: skip
    """Play some games; add to wins (players, then draws), the histogram of lengths and sums.

    `last` is the state that play is in, for errors. Sums are the lengths and their squares, and
    where the game has scores, those and their squares.
    """
    columns = len(start)
    scores = np.zeros(players, np.int64)
    row, mark = np.empty(columns, np.int64), np.empty(columns, np.int64)
    row_at, last_at = at(row), at(last)
    faces_at, face_size = at(faces), 8 * faces.shape[1]
    for _ in range(games):
        if signals[-1] != 0:
            return STOPPED
        signals[0] += 1
        row[:] = start
        length, moves, free, power = 0, 0, 0, 1
        while True:
            last[:] = row
            code = winner_code(steps, last_at)
            if code < -1:
                return BROKEN
            if code >= 0:
                break
            chosen = -1
            for move in range(len(counts)):
                allowed = legal(steps, move, last_at)
                if allowed == FAILED:
                    return BROKEN
                if allowed != 0:
                    if chosen >= 0:
                        return DECISION
                    chosen = move
            if chosen < 0:
                return BROKEN
            die = die_of(steps, chosen, last_at)
            if die == FAILED:
                return BROKEN
            face = 0
            if die >= 0:
                drawn = below(stream, die_total[die])
                low, high = die_start[die], die_start[die + 1] - 1
                while low < high:
                    middle = (low + high) // 2
                    if cumulative[middle] > drawn:
                        high = middle
                    else:
                        low = middle + 1
                face = low
            if play(steps, chosen, last_at, faces_at + face * face_size, row_at) == FAILED:
                return BROKEN
            for i in range(columns):
                if row[i] < lowest[i] or row[i] >= lowest[i] + radix[i]:
                    return BROKEN
            length += counts[chosen]
            moves += 1
            signals[1] += 1
            if moves > max_moves:
                return TOO_LONG
            # Moves without dice that do not count and come back to a state: a deadlock, found
            # by Brent's algorithm.
            if die >= 0 or counts[chosen] != 0:
                free, power = 0, 1
                continue
            if free == 0:
                mark[:] = last
            free += 1
            same = True
            for i in range(columns):
                if row[i] != mark[i]:
                    same = False
            if same:
                code = 0
                last[:] = row
                break
            if free == power:
                mark[:] = row
                power *= 2
                free = 1
        if scored:
            if scores_into(steps, last_at, at(scores)) == FAILED:
                return BROKEN
            for p in range(players):
                score_sums[p, 0] += scores[p]
                score_sums[p, 1] += np.float64(scores[p]) * np.float64(scores[p])
        if code == 0:
            wins[players] += 1
        for p in range(players):
            if (code >> p) & 1:
                wins[p] += 1
        lengths[min(length, len(lengths) - 1)] += 1
        sums[0] += length
        sums[1] += length * length
    return DONE
