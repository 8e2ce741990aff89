# mypy: disable-error-code="untyped-decorator"
"""Compiled learning by self-play; `learn.py` says how it works.

States are rows as their movers see them (`relative`) or as they are; the worth of a state is by
seats from its mover on, x(s, q) as in `problem.py`. What has been learned is in these arrays:

- `keys`: the words of every state met, in the order they were met; `table`: a hash table of
  their numbers + 1; `worth` (states × seats); `action`, the best move;
- `tiles` (slots × seats): the weights that make guesses for all other states, see
  `policies/tiles.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import uint64

from oddsmith.ahead import kernel
from oddsmith.model.row_kernels import mix, pack, turn_view
from oddsmith.model.rule_calls import (
    FAILED,
    at,
    die_of,
    legal,
    mover_of,
    play,
    scores_into,
    winner_code,
)
from oddsmith.policies.tiles import guess, tile
from oddsmith.solve.simulate.kernels import below, next_bits

DONE, BROKEN = range(2)


# Guesses ------------------------------------------------------------------------------------------


@kernel
def correct(
    row: Any, low: Any, shift: Any, tiles: Any, prior: float, seen: Any, rate: float, out: Any
) -> None:
    """Move the guess for a state towards what was seen."""
    guess(row, low, shift, tiles, prior, out)
    for level in range(len(shift)):
        slot = tile(row, low, shift, level, len(tiles))
        for q in range(len(out)):
            tiles[slot, q] += rate / len(shift) * (seen[q] - out[q])


# One step ahead -----------------------------------------------------------------------------------


@kernel
def find(words: Any, keys: Any, table: Any, direct: bool) -> Any:
    """The number of the state with these words; -1 - its place in the table if it is new.

    Direct: the one word is the place in the table. Otherwise open addressing, linear probing.
    """
    if direct:
        number = np.int64(table[words[0]]) - 1
        return number if number >= 0 else -1 - words[0]
    mask = len(table) - 1
    place = mix(words) & mask
    while table[place] != 0:
        number = np.int64(table[place]) - 1
        same = True
        for i in range(len(words)):
            if keys[number, i] != words[i]:
                same = False
                break
        if same:
            return number
        place = (place + 1) & mask
    return -1 - place


@kernel
def pay(steps: Any, players: int, scored: bool, row: Any, code: int, scores: Any, out: Any) -> Any:
    """What each player gets where the game is over; whether that could be told."""
    if scored:
        if scores_into(steps, row, at(scores)) == FAILED:
            return False
        for p in range(players):
            out[p] = scores[p]
        return True
    winners = 0
    for p in range(players):
        winners += (code >> p) & 1
    for p in range(players):
        if winners > 0:
            out[p] = ((code >> p) & 1) / winners
        else:
            out[p] = 1 / players if players > 1 else 0.0
    return True


@kernel
def best_move(
    steps: Any, players: int, relative: bool, scored: bool, turn: int, seats: Any, low: Any,
    radix: Any, word: Any, moves: int, faces: Any, weights: Any, die_start: Any, die_total: Any,
    keys: Any, table: Any, direct: bool, worth: Any, tiles: Any, shift: Any,
    prior: float, row: Any, mover: int, new: Any, words: Any, scratch: Any, scores: Any,
    each: Any, sums: Any, best: Any,
) -> Any:  # fmt: skip
    """The move with the best outlook for the mover, -1 if rules are broken; its worth in `best`."""
    row_at, new_at = at(row), at(new)
    faces_at, face_size = at(faces), 8 * faces.shape[1]
    found = -1
    for move in range(moves):
        allowed = legal(steps, move, row_at)
        if allowed == 0:
            continue
        die = die_of(steps, move, row_at)
        if allowed == FAILED or die == FAILED:
            return -1
        begin, end = 0, 1
        if die >= 0:
            begin, end = die_start[die], die_start[die + 1]
        for q in range(players):
            sums[q] = 0.0
        for face in range(begin, end):
            if play(steps, move, row_at, faces_at + face * face_size, new_at) == FAILED:
                return -1
            first = 0  # the player whose worth is each[0]
            if relative:
                first = turn_view(new, turn, seats, scratch)
            if not pack(new, low, radix, word, words):
                return -1
            code = winner_code(steps, new_at)
            if code >= 0:
                if not pay(steps, players, scored, new_at, code, scores, each):
                    return -1
            elif code < -1:
                return -1
            else:
                if not relative:
                    first = mover_of(steps, new_at)
                number = find(words, keys, table, direct)
                if number >= 0:
                    for q in range(players):
                        each[q] = worth[number, q]
                else:
                    guess(new, low, shift, tiles, prior, each)
            chance = weights[face] / die_total[die] if die >= 0 else 1.0
            for q in range(players):
                seat = mover + q - first
                if seat < 0:
                    seat += players
                elif seat >= players:
                    seat -= players
                sums[q] += chance * each[seat]
        if found < 0 or sums[0] > best[0]:
            found = move
            for q in range(players):
                best[q] = sums[q]
    return found


# Learning -----------------------------------------------------------------------------------------


@kernel
def learn(
    steps: Any, players: int, relative: bool, scored: bool, turn: int, seats: Any, low: Any,
    radix: Any, word: Any, moves: int, faces: Any, weights: Any, die_start: Any, die_total: Any,
    keys: Any, table: Any, direct: bool, worth: Any, tiles: Any, shift: Any,
    prior: float, cumulative: Any, action: Any, start: Any, stream: Any, games: int, max_moves: int,
    explore: float, rate: float, counts: Any, last: Any, signals: Any,
) -> Any:  # fmt: skip
    """Play some games and look back upon each; returns a reason.

    `counts`: [0] games played, [1] states met, [2] moves made, [3] games cut off, [4] the least
    that anybody got. `last` is the state that play is in, for errors.
    """
    columns = len(start)
    rows = np.empty((max_moves + 1, columns), np.int64)
    rows_at, row_size = at(rows), 8 * columns
    faces_at, face_size = at(faces), 8 * faces.shape[1]
    made, turns = np.empty(max_moves, np.int64), np.empty(max_moves, np.int64)
    movers = np.empty(max_moves + 1, np.int64)
    options = np.empty(moves, np.int64)
    new, scratch = np.empty(columns, np.int64), np.empty(max(columns, 8), np.int64)
    words, scores = np.empty(keys.shape[1], np.int64), np.empty(players, np.int64)
    each, sums, best = np.empty(players), np.empty(players), np.empty(players)
    seen, turned = np.empty(players), np.empty(players)
    for _ in range(games):
        if signals[-1] != 0:
            return DONE
        rows[0] = start
        if relative:
            turn_view(rows[0], turn, seats, scratch)
        t = 0
        while True:
            row = rows[t]
            last[:] = row
            if not pack(row, low, radix, word, words):
                return BROKEN
            row_at = rows_at + t * row_size
            code = winner_code(steps, row_at)
            if code < -1:
                return BROKEN
            movers[t] = 0
            if code >= 0:
                if not pay(steps, players, scored, row_at, code, scores, seen):
                    return BROKEN
                for amount in seen:
                    counts[4] = min(counts[4], amount)
                break
            if not relative:
                movers[t] = mover_of(steps, row_at)
                if movers[t] < 0 or movers[t] >= players:
                    return BROKEN
            if t == max_moves:
                seen[:] = 1 / players if players > 1 else 0.0
                if scored:
                    seen[:] = counts[4]
                counts[3] += 1
                break
            many = 0
            for move in range(moves):
                allowed = legal(steps, move, row_at)
                if allowed == FAILED:
                    return BROKEN
                if allowed != 0:
                    options[many] = move
                    many += 1
            if many == 0:
                return BROKEN
            chosen = options[0]
            if many > 1:
                if (next_bits(stream) >> uint64(11)) * 2.0**-53 < explore:
                    chosen = options[below(stream, many)]
                else:
                    number = find(words, keys, table, direct)
                    if number >= 0:
                        chosen = np.int64(action[number])
                    else:
                        chosen = best_move(
                            steps, players, relative, scored, turn, seats, low, radix, word, moves,
                            faces, weights, die_start, die_total, keys, table, direct,
                            worth, tiles, shift, prior, row, movers[t], new, words,
                            scratch, scores, each, sums, best,
                        )  # fmt: skip
                        if chosen < 0:
                            return BROKEN
            face = 0
            die = die_of(steps, chosen, row_at)
            if die == FAILED:
                return BROKEN
            if die >= 0:
                drawn = below(stream, die_total[die])
                face, high = die_start[die], die_start[die + 1] - 1
                while face < high:
                    middle = (face + high) // 2
                    if cumulative[middle] > drawn:
                        high = middle
                    else:
                        face = middle + 1
            roll_at, next_at = faces_at + face * face_size, rows_at + (t + 1) * row_size
            if play(steps, chosen, row_at, roll_at, next_at) == FAILED:
                return BROKEN
            if relative:
                turns[t] = turn_view(rows[t + 1], turn, seats, scratch)
            made[t] = chosen
            t += 1
            signals[1] += 1
        counts[2] += t
        for j in range(t - 1, -1, -1):
            row = rows[j]
            last[:] = row
            move = best_move(
                steps, players, relative, scored, turn, seats, low, radix, word, moves, faces,
                weights, die_start, die_total, keys, table, direct, worth, tiles, shift,
                prior, row, movers[j], new, words, scratch, scores, each, sums, best,
            )  # fmt: skip
            if move < 0:
                return BROKEN
            by = turns[j] if relative else movers[j + 1] - movers[j]
            for q in range(players):
                turned[q] = seen[(q - by) % players]
            for q in range(players):  # what came of a move that is not the best says nothing
                seen[q] = turned[q] if made[j] == move else best[q]
            correct(row, low, shift, tiles, prior, seen, rate, turned)
            pack(row, low, radix, word, words)
            number = find(words, keys, table, direct)
            if number < 0:
                if counts[1] == len(keys):
                    continue
                place = -1 - number
                number = np.int64(counts[1])
                table[place] = number + 1
                keys[number] = words
                counts[1] += 1
            for q in range(players):
                worth[number, q] = best[q]
            action[number] = move
            signals[1] += 1
        counts[0] += 1
        signals[0] = counts[0]
    return DONE
