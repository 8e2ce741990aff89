# mypy: disable-error-code="untyped-decorator"
"""Rules in Python as a filler: every legal move with every roll, in a batch of states.

What it does is written once for all games and reaches the rules by the addresses of their native
functions (`rule_calls.py`); how states are packed is in `rules/layout.py`. A state is packed into
the words of its layout, the mover in seat 0 where players are interchangeable, or where the game
numbers its states itself, into its rank and a hash of its numbers: a state that is met again with
another hash, or does not come back from its rank, shows that ranks do not tell states apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import array_at, kernel
from oddsmith.model.explorer import batch as b
from oddsmith.model.native.calls import pointer
from oddsmith.model.row_kernels import mix, pack, turn_view, unpack
from oddsmith.model.rule_calls import (
    FAILED,
    die_of,
    legal,
    mover_of,
    play,
    rank_of,
    scores_into,
    unrank_into,
    winner_code,
)

BROKEN, BAD_RANK, NOT_BACK = range(b.OWN, b.OWN + 3)
"""Why a state is not expanded: the rules raise or say what they may not, or their numbers are
beyond 64 bits; a move leads to a rank below zero; the state does not come back from its rank."""

OWN = (
    ("game", np.int64), ("steps", np.int64), ("low", np.int64), ("radix", np.int64),
    ("word", np.int64), ("seats", np.int64), ("faces", np.int64), ("weights", np.int64),
    ("die_start", np.int64), ("die_total", np.int64), ("row", np.int64), ("new", np.int64),
    ("scratch", np.int64),
)  # fmt: skip
"""What the filler has of its own: the numbers below, tables, and room for some rows."""

(GAME, STEPS, LOW, RADIX, WORD, SEATS, FACES, WEIGHTS, DIE_START, DIE_TOTAL, ROW, NEW,
 SCRATCH) = range(13)  # fmt: skip

PLAYERS, MOVES, TURN, RANKED, SCORED, SYMMETRIC, WIDEST, FACE_SIZE = range(8)
"""The numbers in `game`: players, moves, the column that says whose turn it is, whether the game
has ranks, scores, interchangeable players, the most outcomes of a state, bytes of a face."""


@kernel
def fill(own: Any, where: Any, first: Any, last: Any) -> Any:
    """Expand some states of a game; see `explorer/batch.py`."""
    o, w = b.table_at(own, len(OWN)), b.table_at(where, len(b.ARRAYS))
    game, steps = b.longs(o, GAME), b.longs(o, STEPS)
    low, radix, word = b.longs(o, LOW), b.longs(o, RADIX), b.longs(o, WORD)
    players, symmetric, ranked = game[PLAYERS], game[SYMMETRIC] != 0, game[RANKED] != 0
    fields = o[SEATS, 1] // players
    seats = array_at(pointer(o[SEATS, 0]), (fields, players), np.int64)
    weights, die_start = b.longs(o, WEIGHTS), b.longs(o, DIE_START)
    die_total = b.longs(o, DIE_TOTAL)
    row, new, scratch = b.longs(o, ROW), b.longs(o, NEW), b.longs(o, SCRATCH)
    row_at, new_at, faces_at = o[ROW, 0], o[NEW, 0], o[FACES, 0]
    keys, packed, signals = b.longs(w, b.KEYS), b.longs(w, b.PACKED), b.reals(w, b.SIGNALS)
    num, den, turns = b.longs(w, b.NUM), b.longs(w, b.DEN), b.bytes_of(w, b.SEATS)
    choice_end, choice_action = b.longs(w, b.CHOICE_END), b.ints(w, b.CHOICE_ACTION)
    state_end, player = b.longs(w, b.STATE_END), b.players_of(w, b.PLAYER)
    ended, settings = b.longs(w, b.ENDED), b.longs(w, b.SETTINGS)
    words, ends = settings[b.WORDS], settings[b.ENDS]
    columns, room = len(low), len(num)
    n, c = 0, 0
    for index in range(first, last):
        i = index - first
        signals[0] = index
        if n + game[WIDEST] > room or c + game[MOVES] > room:
            return i, b.WIDE, n, c, 0
        key = keys[index * words : (index + 1) * words]
        if ranked:
            if unrank_into(steps, key[0], row_at) == FAILED or mix(row) != key[1]:
                return i, NOT_BACK, n, c, 0
        else:
            unpack(key, low, radix, word, scratch, row)
        code = winner_code(steps, row_at)
        player[i] = 0
        ended[i * ends] = code
        for k in range(1, ends):
            ended[i * ends + k] = 0
        if code != -1:
            if code < 0:
                return i, BROKEN, n, c, 0
            if game[SCORED] != 0:
                scores_at = w[b.ENDED, 0] + 8 * (i * ends + 1)
                if scores_into(steps, row_at, scores_at) == FAILED:
                    return i, BROKEN, n, c, 0
            state_end[i] = c
            continue
        mover = mover_of(steps, row_at)
        if mover < 0 or mover >= players:
            return i, BROKEN, n, c, 0
        player[i] = mover
        outcomes, choices = n, c
        for move in range(game[MOVES]):
            allowed = legal(steps, move, row_at)
            if allowed == 0:
                continue
            die = die_of(steps, move, row_at)
            if allowed == FAILED or die == FAILED:
                return i, BROKEN, n, c, 0
            begin, end = 0, 1
            if die >= 0:
                begin, end = die_start[die], die_start[die + 1]
            for face in range(begin, end):
                if play(steps, move, row_at, faces_at + face * game[FACE_SIZE], new_at) == FAILED:
                    return i, BROKEN, outcomes, choices, 0
                lane = turn_view(new, game[TURN], seats, scratch) if symmetric else 0
                if lane < 0 or lane >= players:
                    return i, BROKEN, outcomes, choices, 0
                to = packed[n * words : (n + 1) * words]
                if ranked:
                    for k in range(columns):
                        if new[k] < low[k] or new[k] >= low[k] + radix[k]:
                            return i, BROKEN, outcomes, choices, 0
                    to[0] = rank_of(steps, new_at)
                    if to[0] < 0:
                        reason = BROKEN if to[0] == FAILED else BAD_RANK
                        return i, reason, outcomes, choices, 0
                    to[1] = mix(new)
                elif not pack(new, low, radix, word, to):
                    return i, BROKEN, outcomes, choices, 0
                num[n] = weights[face] if die >= 0 else 1
                den[n] = die_total[die] if die >= 0 else 1
                turns[n] = lane
                n += 1
            choice_action[c] = move
            choice_end[c] = n
            c += 1
        if c == choices:
            return i, BROKEN, outcomes, choices, 0
        state_end[i] = c
    return last - first, b.DONE, n, c, 0
