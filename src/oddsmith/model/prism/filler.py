# mypy: disable-error-code="untyped-decorator"
"""A program as a filler: from the records of enabled commands to the outcomes of choices.

The program's own code (`native.py`) says which commands are enabled in a batch of states and what
they do; here they become choices. A joint of several parts has a choice for every combination of
one enabled command a part; its outcomes are all combinations of their updates. As updates of
different parts change different variables, a combined outcome is the state with all the changes
made, in any order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.model.explorer import batch as b
from oddsmith.model.explorer.numbers import add_fractions, times_fractions
from oddsmith.model.native.calls import call4

FAILED, MIXED, ODD_SUM = range(b.OWN, b.OWN + 3)
"""Why a state is not expanded: an error in it; choices of two players; chances that do not sum to
one."""

OWN = (
    ("program", np.int64), ("ctx", np.int64), ("slot_joint", np.int32), ("slot_part", np.int32),
    ("slot_first", np.int64), ("slot_last", np.int64), ("row_keep", np.uint64),
    ("row_add", np.uint64), ("row_chance", np.int64), ("joint_parts", np.int32),
    ("joint_action", np.int32), ("joint_player", np.int32), ("records", np.int64),
    ("outcomes", np.int64), ("ends", np.int64), ("group", np.int64), ("odometer", np.int64),
    ("old", np.uint64),
)  # fmt: skip
"""What the filler has of its own: the numbers below, the tables of `slots.py`, the frame and the
buffers of `updates.py`, and room for the parts of a joint and for a state."""

(PROGRAM, CTX, SLOT_JOINT, SLOT_PART, SLOT_FIRST, SLOT_LAST, ROW_KEEP, ROW_ADD, ROW_CHANCE,
 JOINT_PARTS, JOINT_ACTION, JOINT_PLAYER, RECORDS, OUTCOMES, ENDS, GROUP, ODOMETER,
 OLD) = range(18)  # fmt: skip

(EXPAND, KIND, OVERLAPS, FIRST_OVERLAP, UNEVEN, FIRST_UNEVEN, UNEVEN_SLOT,
 OF_PROGRAM) = range(8)  # fmt: skip
"""The numbers in `program`: the address of its code, what it is; states with overlapping commands
and the first of them; whether chances were scaled, where first and for which slot."""

DTMC, MDP, SMG = range(3)

TOLERANCE = 1e-5
"""As in PRISM: chances may miss a sum of one by so much; they are scaled."""

SLOT = 0xFFFFFFFF
"""The bits of a record's first word that are its slot."""


@kernel(forceinline=True)
def even_out(outcomes: Any, reals: Any, exact: Any, first: Any, last: Any, words: Any) -> Any:
    """Make the chances of outcomes sum to one: 0 they did, 1 nearly, ODD_SUM or TOO_LONG."""
    stride = words + 2
    if not exact:
        total = 0.0
        for o in range(first, last):
            total += reals[o * stride + words]
        if abs(total - 1.0) <= 1e-12:
            return 0
        if not abs(total - 1.0) <= TOLERANCE:
            return ODD_SUM
        for o in range(first, last):
            reals[o * stride + words] /= total
        return 1 if abs(total - 1.0) > 1e-9 else 0
    num, den, fits = np.int64(0), np.int64(1), True
    for o in range(first, last):
        at = o * stride + words
        num, den, fits = add_fractions(num, den, outcomes[at], outcomes[at + 1])
        if not fits:
            return b.TOO_LONG
    if num == den:
        return 0
    if abs(float(num) / float(den) - 1.0) > TOLERANCE:
        return ODD_SUM
    for o in range(first, last):
        at = o * stride + words
        p, q, fits = times_fractions(outcomes[at], outcomes[at + 1], den, num)
        if not fits:
            return b.TOO_LONG
        outcomes[at] = p
        outcomes[at + 1] = q
    return 1


@kernel
def even_out_records(own: Any, first: Any, states: Any, words: Any, exact: Any) -> Any:
    """Check the chances of all commands; (states that are right, what is wrong in the next)."""
    records, outcomes = b.longs(own, RECORDS), b.longs(own, OUTCOMES)
    reals, slot_last = b.reals(own, OUTCOMES), b.longs(own, SLOT_LAST)
    ends, program = b.longs(own, ENDS), b.longs(own, PROGRAM)
    r = 0
    for i in range(states):
        while r < ends[i]:
            slot = records[2 * r] & SLOT
            if slot_last[slot] < 0:
                code = even_out(
                    outcomes, reals, exact, records[2 * r] >> 32, records[2 * r + 1], words
                )
                if code == 1:
                    if program[UNEVEN] == 0:
                        program[FIRST_UNEVEN] = first + i
                        program[UNEVEN_SLOT] = slot
                    program[UNEVEN] = 1
                elif code > 1:
                    return i, code
            r += 1
    return states, 0


@kernel(forceinline=True)
def multiply(
    own: Any, where: Any, record: Any, n: Any, size: Any, home: Any, words: Any, exact: Any,
    room: Any,
) -> Any:  # fmt: skip
    """Combine the outcomes n … n+size with those of a record; how many there are then.

    The first record of a choice finds none: it starts from the state itself. Negative: a reason
    to stop.
    """
    records, outcomes = b.longs(own, RECORDS), b.longs(own, OUTCOMES)
    slot_first, slot_last = b.longs(own, SLOT_FIRST), b.longs(own, SLOT_LAST)
    row_keep, row_add = b.words_of(own, ROW_KEEP), b.words_of(own, ROW_ADD)
    row_chance, row_reals = b.longs(own, ROW_CHANCE), b.reals(own, ROW_CHANCE)
    reals, old = b.reals(own, OUTCOMES), b.words_of(own, OLD)
    packed, keys = b.words_of(where, b.PACKED), b.words_of(where, b.KEYS)
    num, den, num_reals = b.longs(where, b.NUM), b.longs(where, b.DEN), b.reals(where, b.NUM)
    stride = words + 2
    slot = records[2 * record] & SLOT
    known = slot_last[slot] >= 0
    first, last = slot_first[slot], slot_last[slot]
    if not known:
        first, last = records[2 * record] >> 32, records[2 * record + 1]
    many = last - first
    if float(max(size, 1)) * float(many) > float(room):
        return -b.WIDE
    if size == 0:
        for o in range(many):
            to = (n + o) * words
            if known:
                at = (first + o) * words
                for w in range(words):
                    packed[to + w] = (keys[home + w] & row_keep[at + w]) + row_add[at + w]
                num[n + o] = row_chance[2 * (first + o)]
                den[n + o] = row_chance[2 * (first + o) + 1]
            else:
                at = (first + o) * stride
                for w in range(words):
                    packed[to + w] = keys[home + w] + np.uint64(outcomes[at + w])
                num[n + o] = outcomes[at + words]
                den[n + o] = outcomes[at + words + 1]
        return many
    for k in range(size - 1, -1, -1):  # from the last, as the product is written over them
        top, bottom, real = num[n + k], den[n + k], num_reals[n + k]
        for w in range(words):
            old[w] = packed[(n + k) * words + w]
        for o in range(many - 1, -1, -1):
            to = n + k * many + o
            if known:
                at = (first + o) * words
                for w in range(words):
                    packed[to * words + w] = (old[w] & row_keep[at + w]) + row_add[at + w]
                p, q = row_chance[2 * (first + o)], row_chance[2 * (first + o) + 1]
                factor = row_reals[2 * (first + o)]
            else:
                at = (first + o) * stride
                for w in range(words):
                    packed[to * words + w] = old[w] + np.uint64(outcomes[at + w])
                p, q, factor = outcomes[at + words], outcomes[at + words + 1], reals[at + words]
            if not exact:
                num_reals[to] = real * factor
                den[to] = 0
            elif p == q:
                num[to], den[to] = top, bottom
            else:
                num[to], den[to], fits = times_fractions(top, bottom, p, q)
                if not fits:
                    return -b.TOO_LONG
    return size * many


@kernel
def combine(
    own: Any, where: Any, first: Any, states: Any, words: Any, kind: Any, exact: Any
) -> Any:
    """The choices of expanded states and their outcomes; what a filler answers."""
    records, ends, program = b.longs(own, RECORDS), b.longs(own, ENDS), b.longs(own, PROGRAM)
    slot_joint, slot_part = b.ints(own, SLOT_JOINT), b.ints(own, SLOT_PART)
    joint_parts = b.ints(own, JOINT_PARTS)
    joint_action, joint_player = b.ints(own, JOINT_ACTION), b.ints(own, JOINT_PLAYER)
    group, odometer = b.longs(own, GROUP), b.longs(own, ODOMETER)
    choice_end, state_end = b.longs(where, b.CHOICE_END), b.longs(where, b.STATE_END)
    choice_action, player = b.ints(where, b.CHOICE_ACTION), b.players_of(where, b.PLAYER)
    num, den, num_reals = b.longs(where, b.NUM), b.longs(where, b.DEN), b.reals(where, b.NUM)
    also = b.longs(where, b.ALSO)
    room = len(num)
    n, c, x, r = 0, 0, 0, 0
    for i in range(states):
        n0, c0, trouble = n, c, 0
        home = (first + i) * words
        player[i] = 0
        while r < ends[i]:
            # The records of one joint, and where those of each part begin.
            joint = slot_joint[records[2 * r] & SLOT]
            after, groups = r + 1, 1
            group[0] = r
            if joint_parts[joint] > 1:
                part = slot_part[records[2 * r] & SLOT]
                while after < ends[i] and slot_joint[records[2 * after] & SLOT] == joint:
                    if slot_part[records[2 * after] & SLOT] != part:
                        part = slot_part[records[2 * after] & SLOT]
                        group[groups] = after
                        groups += 1
                    after += 1
            group[groups] = after
            for g in range(groups):
                odometer[g] = group[g]
            if c == c0:
                player[i] = joint_player[joint]
            elif kind == SMG and joint_player[joint] != player[i]:
                trouble = MIXED
            g = 0
            while g >= 0:  # every combination of one record a part
                size = 0
                for g in range(groups):
                    size = multiply(own, where, odometer[g], n, size, home, words, exact, room - n)
                    if size < 0:
                        return i, -size, n0, c0, x
                if c == room:
                    return i, b.WIDE, n0, c0, x
                n += size
                choice_end[c] = n
                choice_action[c] = joint_action[joint]
                c += 1
                g = groups - 1
                while g >= 0:
                    odometer[g] += 1
                    if odometer[g] < group[g + 1]:
                        break
                    odometer[g] = group[g]
                    g -= 1
            r = after
        k = c - c0
        if kind == DTMC and k > 1:
            for o in range(n0, n):
                if exact:
                    num[o], den[o], fits = times_fractions(num[o], den[o], 1, k)
                    if not fits:
                        trouble = b.TOO_LONG
                else:
                    num_reals[o] /= k
        if trouble != 0:
            return i, trouble, n0, c0, x
        if kind == DTMC and k > 1:
            if program[OVERLAPS] == 0:
                program[FIRST_OVERLAP] = first + i
            program[OVERLAPS] += 1
            for q in range(c0, c):
                also[2 * x] = c0
                also[2 * x + 1] = choice_action[q]
                x += 1
            choice_action[c0] = -1
            c = c0 + 1
            choice_end[c0] = n
        state_end[i] = c
    return states, 0, n, c, x


@kernel
def fill(own: Any, where: Any, first: Any, last: Any) -> Any:
    """Expand some states of a program; see `explorer/batch.py`."""
    o, w = b.table_at(own, len(OWN)), b.table_at(where, len(b.ARRAYS))
    program, ctx, settings = b.longs(o, PROGRAM), b.longs(o, CTX), b.longs(w, b.SETTINGS)
    words, exact = settings[b.WORDS], settings[b.CHANCES] == b.EXACT
    ctx[0], ctx[1], ctx[2] = 0, 0, 0
    states = call4(program[EXPAND], o[CTX, 0], w[b.KEYS, 0], first, last)
    if states == 0:
        reason = b.WIDE if ctx[2] == 0 else b.TOO_LONG if ctx[2] == 2 else FAILED
        return 0, reason, 0, 0, 0
    right, wrong = even_out_records(o, first, states, words, exact)
    done, trouble, outcomes, choices, also = combine(
        o, w, first, right, words, program[KIND], exact
    )
    return done, trouble if done < right else wrong, outcomes, choices, also
