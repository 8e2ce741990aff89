# mypy: disable-error-code="untyped-decorator"
"""From the records of enabled commands to the outcomes of choices.

A joint of several parts has a choice for every combination of one enabled command a part; its
outcomes are all combinations of their updates. As updates of different parts change different
variables, a combined outcome is the state with all the changes made, in any order.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.model.prism import frame as f
from oddsmith.model.prism.intern import add_fractions, times_fractions

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
            return f.ODD_SUM
        for o in range(first, last):
            reals[o * stride + words] /= total
        return 1 if abs(total - 1.0) > 1e-9 else 0
    num, den, fits = np.int64(0), np.int64(1), True
    for o in range(first, last):
        at = o * stride + words
        num, den, fits = add_fractions(num, den, outcomes[at], outcomes[at + 1])
        if not fits:
            return f.TOO_LONG
    if num == den:
        return 0
    if abs(float(num) / float(den) - 1.0) > TOLERANCE:
        return f.ODD_SUM
    for o in range(first, last):
        at = o * stride + words
        p, q, fits = times_fractions(outcomes[at], outcomes[at + 1], den, num)
        if not fits:
            return f.TOO_LONG
        outcomes[at] = p
        outcomes[at + 1] = q
    return 1


@kernel
def even_out_records(where: Any, first: Any, states: Any, words: Any, exact: Any) -> Any:
    """Check the chances of all commands; (states that are right, what is wrong in the next)."""
    records, outcomes, reals = (
        f.longs(where, f.RECORDS),
        f.longs(where, f.OUTCOMES),
        f.reals(where, f.OUTCOMES),
    )
    slot_last, ends, sizes = (
        f.longs(where, f.SLOT_LAST),
        f.longs(where, f.ENDS),
        f.longs(where, f.SIZES),
    )
    r = 0
    for i in range(states):
        while r < ends[i]:
            slot = records[2 * r] & SLOT
            if slot_last[slot] < 0:
                code = even_out(
                    outcomes, reals, exact, records[2 * r] >> 32, records[2 * r + 1], words
                )
                if code == 1:
                    if sizes[f.UNEVEN] == 0:
                        sizes[f.FIRST_UNEVEN] = first + i
                        sizes[f.UNEVEN_SLOT] = slot
                    sizes[f.UNEVEN] = 1
                elif code > 1:
                    return i, code
            r += 1
    return states, 0


@kernel(forceinline=True)
def multiply(
    where: Any, record: Any, n: Any, size: Any, home: Any, words: Any, exact: Any, room: Any
) -> Any:
    """Combine the outcomes n … n+size with those of a record; how many there are then.

    The first record of a choice finds none: it starts from the state itself. Negative: a reason
    to stop.
    """
    records, outcomes = f.longs(where, f.RECORDS), f.longs(where, f.OUTCOMES)
    slot_first, slot_last = f.longs(where, f.SLOT_FIRST), f.longs(where, f.SLOT_LAST)
    row_keep, row_add = f.words_of(where, f.ROW_KEEP), f.words_of(where, f.ROW_ADD)
    row_chance, row_reals = f.longs(where, f.ROW_CHANCE), f.reals(where, f.ROW_CHANCE)
    packed, keys, old = (
        f.words_of(where, f.PACKED),
        f.words_of(where, f.KEYS),
        f.words_of(where, f.HASHES),
    )
    num, den, num_reals = f.longs(where, f.NUM), f.longs(where, f.DEN), f.reals(where, f.NUM)
    reals = f.reals(where, f.OUTCOMES)
    stride = words + 2
    slot = records[2 * record] & SLOT
    known = slot_last[slot] >= 0
    first, last = slot_first[slot], slot_last[slot]
    if not known:
        first, last = records[2 * record] >> 32, records[2 * record + 1]
    many = last - first
    if float(max(size, 1)) * float(many) > float(room):
        return -f.WIDE
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
        a, b, real = num[n + k], den[n + k], num_reals[n + k]
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
                num[to], den[to] = a, b
            else:
                num[to], den[to], fits = times_fractions(a, b, p, q)
                if not fits:
                    return -f.TOO_LONG
    return size * many


@kernel
def combine(
    where: Any, first: Any, states: Any, words: Any, kind: Any, exact: Any, keep_actions: Any
) -> Any:
    """The choices of expanded states and their outcomes.

    Returns the number of states done, why it stopped there, the numbers of outcomes and choices,
    entries in `extra`, deadlocks, states with overlapping commands, and the first of those.
    """
    records, ends = f.longs(where, f.RECORDS), f.longs(where, f.ENDS)
    slot_joint, slot_part = f.ints(where, f.SLOT_JOINT), f.ints(where, f.SLOT_PART)
    joint_parts = f.ints(where, f.JOINT_PARTS)
    joint_action, joint_player = f.ints(where, f.JOINT_ACTION), f.ints(where, f.JOINT_PLAYER)
    choice_end, state_end = f.longs(where, f.CHOICE_END), f.longs(where, f.STATE_END)
    choice_action = f.ints(where, f.CHOICE_ACTION)
    choice_player = f.ints(where, f.CHOICE_PLAYER)
    group, odometer = f.longs(where, f.GROUP), f.longs(where, f.ODOMETER)
    num, den, num_reals = f.longs(where, f.NUM), f.longs(where, f.DEN), f.reals(where, f.NUM)
    extra, sizes = f.longs(where, f.EXTRA), f.longs(where, f.SIZES)
    room = len(num)
    n, c, x, r = 0, 0, sizes[f.EXTRAS], 0
    deadlocks, overlaps, overlap = 0, 0, 0
    for i in range(states):
        n0, c0, trouble = n, c, 0
        home = (first + i) * words
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
            g = 0
            while g >= 0:  # every combination of one record a part
                size = 0
                for g in range(groups):
                    size = multiply(where, odometer[g], n, size, home, words, exact, room - n)
                    if size < 0:
                        return i, -size, n0, c0, x, deadlocks, overlaps, overlap
                n += size
                choice_end[c] = n
                choice_action[c] = joint_action[joint]
                choice_player[c] = joint_player[joint]
                c += 1
                if c == len(choice_end):
                    return i, f.WIDE, n0, c0, x, deadlocks, overlaps, overlap
                g = groups - 1
                while g >= 0:
                    odometer[g] += 1
                    if odometer[g] < group[g + 1]:
                        break
                    odometer[g] = group[g]
                    g -= 1
            r = after
        k = c - c0
        if kind == f.SMG:
            for q in range(c0 + 1, c):
                if choice_player[q] != choice_player[c0]:
                    trouble = f.MIXED
        elif kind == f.DTMC and k > 1:
            for o in range(n0, n):
                if exact:
                    num[o], den[o], fits = times_fractions(num[o], den[o], 1, k)
                    if not fits:
                        trouble = f.TOO_LONG
                else:
                    num_reals[o] /= k
        if trouble != 0:
            return i, trouble, n0, c0, x, deadlocks, overlaps, overlap
        if kind == f.DTMC and k > 1:
            if overlaps == 0:
                overlap = first + i
            overlaps += 1
            if keep_actions:
                for q in range(c0, c):
                    extra[2 * x] = sizes[f.CHOICES] + c0 + deadlocks
                    extra[2 * x + 1] = choice_action[q]
                    x += 1
                choice_action[c0] = -1
            c = c0 + 1
            choice_end[c0] = n
        if k == 0:
            deadlocks += 1
        state_end[i] = c
    return states, 0, n, c, x, deadlocks, overlaps, overlap
