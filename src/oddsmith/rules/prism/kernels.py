# mypy: disable-error-code="untyped-decorator"
"""The loop of exploration: expand states, find or number their successors, write the rows.

A batch of states is expanded by the program's own code (see `native.py`); then all successors of
the batch are looked up together, which lets the processor wait for many places of memory at once
instead of one after another. A batch that does not fit the arrays is given up before it changes
anything; the driver makes room and calls again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import carray, njit, types
from numba.extending import intrinsic

from oddsmith.rules.prism.intern import (
    BIGGEST,
    add_fractions,
    gcd,
    intern,
    times_fractions,
)

DONE, PAUSED, NO_ROOM, WIDE, FAILED, TOO_LONG, MIXED, ODD_SUM = range(8)
"""Why `advance` returns: finished; time to look around; arrays too small; one state has too many
outcomes for the buffers; an error in the state AT; fractions too long for 64 bits; choices of two
players in one state; chances that do not sum to one."""

(COUNT, AT, CHOICES, EDGES, BATCH, EXTRA, DEADLOCKS, OVERLAPS, FIRST_OVERLAP,
 UNEVEN, FIRST_UNEVEN, UNEVEN_SLOT, NEEDED, SIZES) = range(14)  # fmt: skip
"""The counters of an exploration; AT is the first state not yet expanded."""

ARRAYS = (
    ("ctx", np.int64),
    ("slot_joint", np.int32),
    ("slot_part", np.int32),
    ("slot_first", np.int64),
    ("slot_last", np.int64),
    ("row_keep", np.uint64),
    ("row_add", np.uint64),
    ("row_chance", np.int64),
    ("joint_parts", np.int32),
    ("joint_action", np.int32),
    ("joint_player", np.int32),
    ("records", np.int64),
    ("outcomes", np.int64),
    ("ends", np.int64),
    ("packed", np.uint64),
    ("num", np.int64),
    ("den", np.int64),
    ("hashes", np.uint64),
    ("found", np.int32),
    ("spot", np.int64),
    ("seen", np.int32),
    ("choice_end", np.int64),
    ("choice_action", np.int32),
    ("choice_player", np.int32),
    ("state_end", np.int64),
    ("group", np.int64),
    ("odometer", np.int64),
    ("keys", np.uint64),
    ("table", np.uint32),
    ("choice", np.int64),
    ("row", np.int64),
    ("col", np.int32),
    ("chance", np.int32),
    ("action", np.int32),
    ("owner", np.int8),
    ("extra", np.int64),
    ("dead", np.int32),
    ("pairs", np.int64),
    ("places", np.int32),
    ("numbers", np.int64),
    ("used", np.int64),
    ("sizes", np.int64),
)
"""The arrays of `advance`, with their types."""

TOLERANCE = 1e-5
SCANNED = 24
"""Choices with more outcomes find those with the same state by a small table, not by a scan."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX = np.uint64(0xBF58476D1CE4E5B9)


@intrinsic  # type: ignore[untyped-decorator, unused-ignore]
def call_expand(
    typing_context: Any, address: Any, ctx: Any, states: Any, first: Any, last: Any
) -> Any:
    """Call the program's `expand` at an address."""
    signature = types.int64(*[types.int64] * 5)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from llvmlite import ir

        word = ir.IntType(64)
        function = ir.FunctionType(word, [word] * 4).as_pointer()
        return builder.call(builder.inttoptr(arguments[0], function), arguments[1:])

    return signature, generate


@intrinsic  # type: ignore[untyped-decorator, unused-ignore]
def pointer(typing_context: Any, address: Any) -> Any:
    """An address as a pointer."""
    signature = types.voidptr(types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from numba.core import cgutils

        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return signature, generate


@njit(cache=True, nogil=True, forceinline=True)
def hash_words(packed: Any, at: Any, words: Any) -> Any:
    """A hash of a packed state."""
    h = packed[at] * GOLDEN
    h ^= h >> np.uint64(32)
    for w in range(1, words):
        h = (h ^ packed[at + w]) * MIX
        h ^= h >> np.uint64(29)
    return h * GOLDEN


@njit(cache=True, nogil=True, forceinline=True)
def same_words(a: Any, i: Any, b: Any, j: Any, words: Any) -> Any:
    """Whether two packed states are equal."""
    for w in range(words):
        if a[i + w] != b[j + w]:
            return False
    return True


@njit(cache=True, nogil=True, forceinline=True)
def tag_of(h: Any, bits: Any) -> Any:
    """The part of a hash that an entry of the table has next to its number."""
    return ((h >> np.uint64(32)) << np.uint64(bits)) & np.uint64(0xFFFFFFFF)


@njit(cache=True, nogil=True, forceinline=True)
def find_or_add(
    packed: Any, at: Any, words: Any, h: Any, keys: Any, table: Any, bits: Any, count: Any
) -> Any:
    """The number of a state; it is `count` if the state is new, and then it is entered.

    An entry of the table has a number (plus one) in its low bits and the rest of the upper half
    of the hash, after what is its place, in the others: so nearly every comparison with a state
    is with the right one, and memory is read for no other.
    """
    mask = len(table) - 1
    place = np.int64(h >> np.uint64(64 - bits))
    low = np.uint64(mask)
    tag = tag_of(h, bits)
    while True:
        entry = np.uint64(table[place])
        if entry == 0:
            table[place] = tag | np.uint64(count + 1)
            for w in range(words):
                keys[count * words + w] = packed[at + w]
            return count
        if entry & ~low == tag:
            number = np.int64(entry & low) - 1
            if same_words(keys, number * words, packed, at, words):
                return number
        place = (place + 1) & mask


@njit(cache=True, nogil=True)
def rehash(keys: Any, words: Any, count: Any, table: Any, bits: Any) -> None:
    """Enter all states into an empty table."""
    mask = len(table) - 1
    for number in range(count):
        h = hash_words(keys, number * words, words)
        place = np.int64(h >> np.uint64(64 - bits))
        while table[place] != 0:
            place = (place + 1) & mask
        table[place] = tag_of(h, bits) | np.uint64(number + 1)


@njit(cache=True, nogil=True)
def enter(
    packed: Any, count: Any, words: Any, keys: Any, table: Any, bits: Any, sizes: Any, numbers: Any
) -> None:
    """Number states, for those that play begins in."""
    for i in range(count):
        h = hash_words(packed, i * words, words)
        number = find_or_add(packed, i * words, words, h, keys, table, bits, sizes[COUNT])
        if number == sizes[COUNT]:
            sizes[COUNT] += 1
        numbers[i] = number


@njit(cache=True, nogil=True, forceinline=True)
def find_all(
    packed: Any, n: Any, words: Any, hashes: Any, found: Any, keys: Any, table: Any, bits: Any,
    count: Any,
) -> Any:  # fmt: skip
    """The numbers (plus one) of many states; how many states there are then.

    Three passes, so that the processor waits for many places of memory at once.
    """
    low = np.uint64(len(table) - 1)
    for o in range(n):
        h = hash_words(packed, o * words, words)
        hashes[o] = h
        entry = np.uint64(table[np.int64(h >> np.uint64(64 - bits))])
        found[o] = np.int32(entry & low) if entry & ~low == tag_of(h, bits) else np.int32(0)
    for o in range(n):
        number = np.int64(found[o]) - 1
        if number >= 0 and not same_words(keys, number * words, packed, o * words, words):
            found[o] = 0
    for o in range(n):
        if found[o] == 0:
            number = find_or_add(packed, o * words, words, hashes[o], keys, table, bits, count)
            found[o] = number + 1
            if number == count:
                count += 1
    return count


@njit(cache=True, nogil=True, forceinline=True)
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
            return TOO_LONG
    if num == den:
        return 0
    if abs(float(num) / float(den) - 1.0) > TOLERANCE:
        return ODD_SUM
    for o in range(first, last):
        at = o * stride + words
        p, q, fits = times_fractions(outcomes[at], outcomes[at + 1], den, num)
        if not fits:
            return TOO_LONG
        outcomes[at] = p
        outcomes[at + 1] = q
    return 1


@njit(cache=True, nogil=True)
def advance(
    expand: Any, words: Any, kind: Any, exact: Any, keep_actions: Any, budget: Any, bits: Any,
    where: Any,
) -> Any:  # fmt: skip
    """Explore until there is a reason to return; see the constants above.

    `where` has the address and the length of every array, in the order of ARRAYS: an array made
    from them has no owner, and so no owner is counted, by the thousand, in the loops.
    """
    ctx = carray(pointer(where[0, 0]), (where[0, 1],), np.int64)
    slot_joint = carray(pointer(where[1, 0]), (where[1, 1],), np.int32)
    slot_part = carray(pointer(where[2, 0]), (where[2, 1],), np.int32)
    slot_first = carray(pointer(where[3, 0]), (where[3, 1],), np.int64)
    slot_last = carray(pointer(where[4, 0]), (where[4, 1],), np.int64)
    row_keep = carray(pointer(where[5, 0]), (where[5, 1],), np.uint64)
    row_add = carray(pointer(where[6, 0]), (where[6, 1],), np.uint64)
    row_chance = carray(pointer(where[7, 0]), (where[7, 1],), np.int64)
    joint_parts = carray(pointer(where[8, 0]), (where[8, 1],), np.int32)
    joint_action = carray(pointer(where[9, 0]), (where[9, 1],), np.int32)
    joint_player = carray(pointer(where[10, 0]), (where[10, 1],), np.int32)
    records = carray(pointer(where[11, 0]), (where[11, 1],), np.int64)
    outcomes = carray(pointer(where[12, 0]), (where[12, 1],), np.int64)
    ends = carray(pointer(where[13, 0]), (where[13, 1],), np.int64)
    packed = carray(pointer(where[14, 0]), (where[14, 1],), np.uint64)
    num = carray(pointer(where[15, 0]), (where[15, 1],), np.int64)
    den = carray(pointer(where[16, 0]), (where[16, 1],), np.int64)
    hashes = carray(pointer(where[17, 0]), (where[17, 1],), np.uint64)
    found = carray(pointer(where[18, 0]), (where[18, 1],), np.int32)
    spot = carray(pointer(where[19, 0]), (where[19, 1],), np.int64)
    seen = carray(pointer(where[20, 0]), (where[20, 1],), np.int32)
    choice_end = carray(pointer(where[21, 0]), (where[21, 1],), np.int64)
    choice_action = carray(pointer(where[22, 0]), (where[22, 1],), np.int32)
    choice_player = carray(pointer(where[23, 0]), (where[23, 1],), np.int32)
    state_end = carray(pointer(where[24, 0]), (where[24, 1],), np.int64)
    group = carray(pointer(where[25, 0]), (where[25, 1],), np.int64)
    odometer = carray(pointer(where[26, 0]), (where[26, 1],), np.int64)
    keys = carray(pointer(where[27, 0]), (where[27, 1],), np.uint64)
    table = carray(pointer(where[28, 0]), (where[28, 1],), np.uint32)
    choice = carray(pointer(where[29, 0]), (where[29, 1],), np.int64)
    row = carray(pointer(where[30, 0]), (where[30, 1],), np.int64)
    col = carray(pointer(where[31, 0]), (where[31, 1],), np.int32)
    chance = carray(pointer(where[32, 0]), (where[32, 1],), np.int32)
    action = carray(pointer(where[33, 0]), (where[33, 1],), np.int32)
    owner = carray(pointer(where[34, 0]), (where[34, 1],), np.int8)
    extra = carray(pointer(where[35, 0]), (where[35, 1],), np.int64)
    dead = carray(pointer(where[36, 0]), (where[36, 1],), np.int32)
    pairs = carray(pointer(where[37, 0]), (where[37, 1],), np.int64)
    places = carray(pointer(where[38, 0]), (where[38, 1],), np.int32)
    numbers = carray(pointer(where[39, 0]), (where[39, 1],), np.int64)
    used = carray(pointer(where[40, 0]), (where[40, 1],), np.int64)
    sizes = carray(pointer(where[41, 0]), (where[41, 1],), np.int64)
    reals = carray(pointer(outcomes.ctypes.data), (len(outcomes),), np.float64)
    num_reals = carray(pointer(num.ctypes.data), (len(num),), np.float64)
    chance_reals = carray(pointer(row_chance.ctypes.data), (len(row_chance),), np.float64)
    spent = 0
    stride = words + 2
    room = len(num)
    while True:
        first, count = sizes[AT], sizes[COUNT]
        if first >= count:
            return DONE
        if spent >= budget:
            return PAUSED
        batch = min(count - first, sizes[BATCH], len(ends))
        ctx[0] = 0
        ctx[1] = 0
        ctx[2] = 0
        batch = call_expand(expand, ctx.ctypes.data, keys.ctypes.data, first, first + batch)
        if batch == 0:
            if ctx[2] == 0:
                return WIDE
            return TOO_LONG if ctx[2] == 2 else FAILED
        total_records = ends[batch - 1]
        if sizes[EXTRA] + total_records > len(extra) // 2:
            sizes[NEEDED] = total_records
            return NO_ROOM
        # Combine the parts of joints into the outcomes of choices.
        n, c, x = 0, 0, sizes[EXTRA]
        deadlocks, overlaps, overlap = 0, 0, 0
        done = 0
        r = 0
        trouble = 0
        for i in range(batch):
            n0, c0, x0 = n, c, x
            home = (first + i) * words
            last_record = ends[i]
            while r < last_record:
                slot = records[2 * r] & 0xFFFFFFFF
                joint = slot_joint[slot]
                r2, groups = r + 1, 1
                group[0] = r
                if joint_parts[joint] > 1:
                    part = slot_part[slot]
                    while r2 < last_record:
                        other = records[2 * r2] & 0xFFFFFFFF
                        if slot_joint[other] != joint:
                            break
                        if slot_part[other] != part:
                            part = slot_part[other]
                            group[groups] = r2
                            groups += 1
                        r2 += 1
                group[groups] = r2
                for q in range(r, r2):
                    slot = records[2 * q] & 0xFFFFFFFF
                    if slot_last[slot] < 0:
                        code = even_out(
                            outcomes, reals, exact, records[2 * q] >> 32, records[2 * q + 1], words
                        )
                        if code == 1:
                            if sizes[UNEVEN] == 0:
                                sizes[FIRST_UNEVEN] = first + i
                                sizes[UNEVEN_SLOT] = slot
                            sizes[UNEVEN] += 1
                        elif code > 1:
                            trouble = code
                            break
                if trouble != 0:
                    break
                for g in range(groups):
                    odometer[g] = group[g]
                while True:
                    size = 1
                    for g in range(groups):
                        q = odometer[g]
                        slot = records[2 * q] & 0xFFFFFFFF
                        fixed = slot_last[slot] >= 0
                        if fixed:
                            o1, o2 = slot_first[slot], slot_last[slot]
                        else:
                            o1, o2 = records[2 * q] >> 32, records[2 * q + 1]
                        many = o2 - o1
                        if float(size) * float(many) > float(room - n):
                            trouble = WIDE
                            break
                        if g == 0:
                            for o in range(many):
                                to = (n + o) * words
                                if fixed:
                                    at = (o1 + o) * words
                                    for w in range(words):
                                        packed[to + w] = (
                                            keys[home + w] & row_keep[at + w]
                                        ) + row_add[at + w]
                                    num[n + o] = row_chance[2 * (o1 + o)]
                                    den[n + o] = row_chance[2 * (o1 + o) + 1]
                                else:
                                    at = (o1 + o) * stride
                                    for w in range(words):
                                        packed[to + w] = keys[home + w] + np.uint64(
                                            outcomes[at + w]
                                        )
                                    num[n + o] = outcomes[at + words]
                                    den[n + o] = outcomes[at + words + 1]
                        else:
                            for k in range(size - 1, -1, -1):
                                a, b, real = num[n + k], den[n + k], num_reals[n + k]
                                for w in range(words):
                                    hashes[w] = packed[(n + k) * words + w]
                                for o in range(many - 1, -1, -1):
                                    to = n + k * many + o
                                    if fixed:
                                        at = (o1 + o) * words
                                        for w in range(words):
                                            packed[to * words + w] = (
                                                hashes[w] & row_keep[at + w]
                                            ) + row_add[at + w]
                                        p, q2 = (
                                            row_chance[2 * (o1 + o)],
                                            row_chance[2 * (o1 + o) + 1],
                                        )
                                        factor = chance_reals[2 * (o1 + o)]
                                    else:
                                        at = (o1 + o) * stride
                                        for w in range(words):
                                            packed[to * words + w] = hashes[w] + np.uint64(
                                                outcomes[at + w]
                                            )
                                        p, q2 = outcomes[at + words], outcomes[at + words + 1]
                                        factor = reals[at + words]
                                    if exact:
                                        if p == q2:
                                            num[to], den[to] = a, b
                                        else:
                                            num[to], den[to], fits = times_fractions(a, b, p, q2)
                                            if not fits:
                                                trouble = TOO_LONG
                                    else:
                                        num_reals[to] = real * factor
                                        den[to] = 0
                        size *= many
                    if trouble != 0:
                        break
                    n += size
                    choice_end[c] = n
                    choice_action[c] = joint_action[joint]
                    choice_player[c] = joint_player[joint]
                    c += 1
                    if c == len(choice_end):
                        trouble = WIDE
                        break
                    g = groups - 1
                    while g >= 0:
                        odometer[g] += 1
                        if odometer[g] < group[g + 1]:
                            break
                        odometer[g] = group[g]
                        g -= 1
                    if g < 0:
                        break
                if trouble != 0:
                    break
                r = r2
            if trouble != 0:
                n, c, x = n0, c0, x0
                break
            k = c - c0
            if kind == 0 and k > 1:
                if overlaps == 0:
                    overlap = first + i
                overlaps += 1
                for o in range(n0, n):
                    if exact:
                        num[o], den[o], fits = times_fractions(num[o], den[o], 1, k)
                        if not fits:
                            trouble = TOO_LONG
                    else:
                        num_reals[o] /= k
                if keep_actions:
                    for q in range(c0, c):
                        extra[2 * x] = sizes[CHOICES] + c0 + deadlocks
                        extra[2 * x + 1] = choice_action[q]
                        x += 1
                    choice_action[c0] = -1
                c = c0 + 1
                choice_end[c0] = n
            elif kind == 2:
                for q in range(c0 + 1, c):
                    if choice_player[q] != choice_player[c0]:
                        trouble = MIXED
            if trouble != 0:
                n, c, x = n0, c0, x0
                break
            if k == 0:
                deadlocks += 1
            state_end[i] = c
            done += 1
        if done == 0:
            return trouble
        if done < batch:
            sizes[BATCH] = max(1, done)
        elif sizes[BATCH] < len(ends):
            sizes[BATCH] = min(len(ends), 2 * sizes[BATCH])
        if (
            (count + n) * words > len(keys)
            or 2 * (count + n) > len(table)
            or first + done >= len(choice)
            or (kind == 2 and first + done > len(owner))
            or sizes[CHOICES] + c + deadlocks >= len(row)
            or (keep_actions and sizes[CHOICES] + c + deadlocks > len(action))
            or sizes[EDGES] + n + deadlocks > len(col)
            or sizes[EDGES] + n + deadlocks > len(chance)
            or sizes[DEADLOCKS] + deadlocks > len(dead)
            or 2 * (used[0] + 2 * n + 4) > len(places)
            or 2 * (used[1] + n + 2) > len(numbers)
        ):
            sizes[NEEDED] = n + c + done + 8
            return NO_ROOM
        sizes[EXTRA] = x
        if overlaps > 0:
            if sizes[OVERLAPS] == 0:
                sizes[FIRST_OVERLAP] = overlap
            sizes[OVERLAPS] += overlaps
        if words == 1:
            count = find_all(packed, n, 1, hashes, found, keys, table, bits, count)
        else:
            count = find_all(packed, n, words, hashes, found, keys, table, bits, count)
        # Write the rows; outcomes of a choice that lead to the same state are one.
        edges, choices = sizes[EDGES], sizes[CHOICES]
        o, q = 0, 0
        for i in range(done):
            choice[first + i] = choices
            if kind == 2:
                owner[first + i] = choice_player[q] if q < state_end[i] else 0
            if q == state_end[i]:
                dead[sizes[DEADLOCKS]] = first + i
                sizes[DEADLOCKS] += 1
                row[choices] = edges
                col[edges] = first + i
                chance[edges] = 0
                if keep_actions:
                    action[choices] = 0
                edges += 1
                choices += 1
            while q < state_end[i]:
                begin = edges
                row[choices] = begin
                if keep_actions:
                    action[choices] = choice_action[q]
                last = choice_end[q]
                mask = 0
                if last - o > SCANNED:
                    mask = 63
                    while mask < 2 * (last - o):
                        mask = 2 * mask + 1
                while o < last:
                    t = found[o] - 1
                    twin = -1
                    if mask == 0:
                        for e in range(begin, edges):
                            if col[e] == t:
                                twin = e
                    else:
                        place = (np.int64(t) * 0x9E3779B1) & mask
                        while seen[place] != 0 and col[begin + seen[place] - 1] != t:
                            place = (place + 1) & mask
                        if seen[place] != 0:
                            twin = begin + seen[place] - 1
                        else:
                            seen[place] = edges - begin + 1
                    if twin < 0:
                        col[edges] = t
                        spot[edges - begin] = o
                        edges += 1
                    else:
                        p = spot[twin - begin]
                        if exact:
                            num[p], den[p], fits = add_fractions(num[p], den[p], num[o], den[o])
                            if not fits:
                                return TOO_LONG
                        else:
                            num_reals[p] += num_reals[o]
                    o += 1
                if mask != 0:
                    for place in range(mask + 1):
                        seen[place] = 0
                for e in range(begin, edges):
                    p = spot[e - begin]
                    chance[e] = intern(num[p], den[p], pairs, places, numbers, used)
                choices += 1
                q += 1
        spent += n + done
        sizes[COUNT] = count
        sizes[AT] = first + done
        sizes[EDGES] = edges
        sizes[CHOICES] = choices
        choice[first + done] = choices
        row[choices] = edges
