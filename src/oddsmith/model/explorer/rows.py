# mypy: disable-error-code="untyped-decorator"
"""The loop of exploration: have a batch of states expanded, number what comes of them, write rows.

There is room for whatever a batch may bring before it is expanded, so none is ever given up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.model.explorer import batch as b
from oddsmith.model.explorer.numbers import add_fractions, intern
from oddsmith.model.explorer.states import number_all
from oddsmith.model.native.calls import call_kernel

SCANNED = 24
"""Choices with more outcomes find those with the same state by a small table, not by a scan."""


@kernel(forceinline=True)
def write_rows(where: Any, first: Any, states: Any, whole: Any, turning: Any) -> Any:
    """Write the rows of expanded states; False if a sum of chances is too long.

    `whole` and `turning` are settings: the code is made once where they are not, as in programs.

    Outcomes of a choice that lead to the same state (with the same turn of the view) are one. In
    `seen` is the transition that met a state last, by its hash: none of this choice if it lies
    before those of the choice, so nothing has to be cleared.
    """
    settings, sizes = b.longs(where, b.SETTINGS), b.longs(where, b.SIZES)
    state_end, choice_end = b.longs(where, b.STATE_END), b.longs(where, b.CHOICE_END)
    choice_action, also = b.ints(where, b.CHOICE_ACTION), b.longs(where, b.ALSO)
    num, den, reals = b.longs(where, b.NUM), b.longs(where, b.DEN), b.reals(where, b.NUM)
    seats, number = b.bytes_of(where, b.SEATS), b.ints(where, b.NUMBER)
    player, ended = b.players_of(where, b.PLAYER), b.longs(where, b.ENDED)
    spot, seen = b.longs(where, b.SPOT), b.longs(where, b.SEEN)
    choice, row, col = b.longs(where, b.CHOICE), b.longs(where, b.ROW), b.ints(where, b.COL)
    shift, total = b.bytes_of(where, b.SHIFT), b.longs(where, b.TOTAL)
    action, owner = b.ints(where, b.ACTION), b.players_of(where, b.OWNER)
    end, extra, dead = b.longs(where, b.END), b.longs(where, b.EXTRA), b.ints(where, b.DEAD)
    pairs, places = b.longs(where, b.PAIRS), b.ints(where, b.PLACES)
    numbers, used = b.longs(where, b.NUMBERS), b.longs(where, b.USED)
    chance_u8, chance_u16 = b.bytes_of(where, b.CHANCE), b.shorts(where, b.CHANCE)
    chance_u32, chance_i64 = b.entries(where, b.CHANCE), b.longs(where, b.CHANCE)
    exact = settings[b.CHANCES] == b.EXACT
    width, ends = settings[b.BYTES], settings[b.ENDS]
    owners, actions = settings[b.OWNERS] != 0, settings[b.ACTIONS] != 0
    loops = settings[b.LOOPS] != 0
    many = b.longs(where, b.FRAME)[5]
    edges, choices = sizes[b.EDGES], sizes[b.CHOICES]
    mask = len(seen) - 1
    o, q, x = 0, 0, 0
    for i in range(states):
        state = first + i
        choice[state] = choices
        if owners:
            owner[state] = player[i]
        for k in range(ends):
            end[state * ends + k] = ended[i * ends + k]
        if loops and q == state_end[i]:
            dead[sizes[b.DEADS]] = state
            sizes[b.DEADS] += 1
            row[choices] = edges
            col[edges] = state
            chance_u32[edges] = 0
            if actions:
                action[choices] = 0
            edges += 1
            choices += 1
        while q < state_end[i]:
            begin, last = edges, choice_end[q]
            row[choices] = begin
            if actions:
                action[choices] = choice_action[q]
            if whole:
                total[choices] = den[o]
            while actions and x < many and also[2 * x] == q:
                extra[2 * sizes[b.EXTRAS]] = choices
                extra[2 * sizes[b.EXTRAS] + 1] = also[2 * x + 1]
                sizes[b.EXTRAS] += 1
                x += 1
            few = last - o <= SCANNED
            while o < last:
                t = number[o] - 1
                lane = np.int64(seats[o]) if turning else 0
                twin = -1
                if few:
                    for e in range(begin, edges):
                        if col[e] == t and (not turning or shift[e] == lane):
                            twin = e
                else:
                    place = ((np.int64(t) + lane) * 0x9E3779B1 >> 8) & mask
                    while seen[place] >= begin:
                        e = seen[place]
                        if col[e] == t and (not turning or shift[e] == lane):
                            twin = e
                            break
                        place = (place + 1) & mask
                    if twin < 0:
                        seen[place] = edges
                if twin < 0:
                    col[edges] = t
                    if turning:
                        shift[edges] = lane
                    spot[edges - begin] = o
                    edges += 1
                else:
                    p = spot[twin - begin]
                    if whole:
                        num[p] += num[o]
                    elif exact:
                        num[p], den[p], fits = add_fractions(num[p], den[p], num[o], den[o])
                        if not fits:
                            return False
                    else:
                        reals[p] += reals[o]
                o += 1
            for e in range(begin, edges):
                p = spot[e - begin]
                if not whole:
                    chance_u32[e] = intern(num[p], den[p], pairs, places, numbers, used)
                elif width == 1:
                    chance_u8[e] = num[p]
                elif width == 2:
                    chance_u16[e] = num[p]
                elif width == 4:
                    chance_u32[e] = num[p]
                else:
                    chance_i64[e] = num[p]
            choices += 1
            q += 1
    sizes[b.EDGES] = edges
    sizes[b.CHOICES] = choices
    sizes[b.AT] = first + states
    choice[first + states] = choices
    row[choices] = edges
    return True


@kernel(forceinline=True)
def fits(sizes: Any, limits: Any, used: Any) -> Any:
    """Whether there is room for another batch."""
    for k in range(b.USED_PAIRS):
        if sizes[k] > limits[k]:
            return False
    return used[0] <= limits[b.USED_PAIRS] and used[1] <= limits[b.USED_NUMBERS]


@kernel
def advance(fill: Any, own: Any, where: Any, budget: Any) -> Any:
    """Explore until there is a reason to stop; see `batch.py`."""
    sizes, limits = b.longs(where, b.SIZES), b.longs(where, b.LIMITS)
    used, frame = b.longs(where, b.USED), b.longs(where, b.FRAME)
    signals, batch = b.reals(where, b.SIGNALS), where[b.PLAYER, 1]
    table, settings = np.int64(where.ctypes.data), b.longs(where, b.SETTINGS)
    whole, turning = settings[b.CHANCES] == b.WHOLE, settings[b.TURNING] != 0
    spent = 0
    while sizes[b.AT] < sizes[b.COUNT]:
        if spent >= budget or signals[-1] != 0:
            return b.PAUSED
        if not fits(sizes, limits, used):
            return b.NO_ROOM
        first = sizes[b.AT]
        last = min(sizes[b.COUNT], first + sizes[b.BATCH])
        frame[1], frame[2], frame[3], frame[4] = own, table, first, last
        if call_kernel(fill, where[b.FRAME, 0]) != 0:
            return b.NO_MEMORY
        done, reason, outcomes = frame[1], frame[2], frame[3]
        if done == 0:
            return reason
        if first + done < last:
            sizes[b.BATCH] = done
        elif sizes[b.BATCH] < batch:
            sizes[b.BATCH] = min(2 * sizes[b.BATCH], batch)
        count = number_all(where, outcomes)
        if count < 0:
            return -count
        if whole:
            write_rows(where, first, done, True, turning)
        elif not write_rows(where, first, done, False, False):
            return b.TOO_LONG
        sizes[b.COUNT] = count
        spent += outcomes + done
    return b.DONE
