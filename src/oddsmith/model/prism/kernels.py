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

from oddsmith.ahead import array_at, kernel
from oddsmith.model.prism import frame as f
from oddsmith.model.prism.combine import combine, even_out_records
from oddsmith.model.prism.intern import add_fractions, intern

SCANNED = 24
"""Choices with more outcomes find those with the same state by a small table, not by a scan."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX = np.uint64(0xBF58476D1CE4E5B9)


@kernel(forceinline=True)
def hash_words(packed: Any, at: Any, words: Any) -> Any:
    """A hash of a packed state."""
    h = packed[at] * GOLDEN
    h ^= h >> np.uint64(32)
    for w in range(1, words):
        h = (h ^ packed[at + w]) * MIX
        h ^= h >> np.uint64(29)
    return h * GOLDEN


@kernel(forceinline=True)
def same_words(a: Any, i: Any, b: Any, j: Any, words: Any) -> Any:
    """Whether two packed states are equal."""
    for w in range(words):  # noqa: SIM110 (compiled)
        if a[i + w] != b[j + w]:
            return False
    return True


@kernel(forceinline=True)
def tag_of(h: Any, bits: Any) -> Any:
    """The part of a hash that an entry of the table has next to its number."""
    return ((h >> np.uint64(32)) << np.uint64(bits)) & np.uint64(0xFFFFFFFF)


@kernel(forceinline=True)
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


@kernel
def rehash(keys: Any, words: Any, count: Any, table: Any, bits: Any) -> None:
    """Enter all states into an empty table."""
    mask = len(table) - 1
    for number in range(count):
        h = hash_words(keys, number * words, words)
        place = np.int64(h >> np.uint64(64 - bits))
        while table[place] != 0:
            place = (place + 1) & mask
        table[place] = tag_of(h, bits) | np.uint64(number + 1)


@kernel
def enter(
    packed: Any, count: Any, words: Any, keys: Any, table: Any, bits: Any, sizes: Any, numbers: Any
) -> None:
    """Number states, for those that play begins in."""
    for i in range(count):
        h = hash_words(packed, i * words, words)
        number = find_or_add(packed, i * words, words, h, keys, table, bits, sizes[f.COUNT])
        if number == sizes[f.COUNT]:
            sizes[f.COUNT] += 1
        numbers[i] = number


@kernel(forceinline=True)
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


@kernel
def write_rows(
    where: Any, first: Any, states: Any, kind: Any, exact: Any, keep_actions: Any
) -> Any:
    """Write the rows of combined states; False if a sum of chances is too long.

    Outcomes of a choice that lead to the same state are one.
    """
    state_end, choice_end = f.longs(where, f.STATE_END), f.longs(where, f.CHOICE_END)
    choice_action = f.ints(where, f.CHOICE_ACTION)
    choice_player = f.ints(where, f.CHOICE_PLAYER)
    num, den, num_reals = f.longs(where, f.NUM), f.longs(where, f.DEN), f.reals(where, f.NUM)
    found, spot, seen = f.ints(where, f.FOUND), f.longs(where, f.SPOT), f.ints(where, f.SEEN)
    choice, row, col = f.longs(where, f.CHOICE), f.longs(where, f.ROW), f.ints(where, f.COL)
    chance, action, dead = f.ints(where, f.CHANCE), f.ints(where, f.ACTION), f.ints(where, f.DEAD)
    owner = array_at(f.pointer(where[f.OWNER, 0]), (where[f.OWNER, 1],), np.int8)
    pairs, places = f.longs(where, f.PAIRS), f.ints(where, f.PLACES)
    numbers, used = f.longs(where, f.NUMBERS), f.longs(where, f.USED)
    sizes = f.longs(where, f.SIZES)
    edges, choices = sizes[f.EDGES], sizes[f.CHOICES]
    o, q = 0, 0
    for i in range(states):
        choice[first + i] = choices
        if kind == f.SMG:
            owner[first + i] = choice_player[q] if q < state_end[i] else 0
        if q == state_end[i]:  # a deadlock: a loop with chance one
            dead[sizes[f.DEADLOCKS]] = first + i
            sizes[f.DEADLOCKS] += 1
            row[choices] = edges
            col[edges] = first + i
            chance[edges] = 0
            if keep_actions:
                action[choices] = 0
            edges += 1
            choices += 1
        while q < state_end[i]:
            begin, last = edges, choice_end[q]
            row[choices] = begin
            if keep_actions:
                action[choices] = choice_action[q]
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
                            return False
                    else:
                        num_reals[p] += num_reals[o]
                o += 1
            if mask != 0:
                seen[: mask + 1] = 0
            for e in range(begin, edges):
                p = spot[e - begin]
                chance[e] = intern(num[p], den[p], pairs, places, numbers, used)
            choices += 1
            q += 1
    sizes[f.EDGES] = edges
    sizes[f.CHOICES] = choices
    sizes[f.AT] = first + states
    choice[first + states] = choices
    row[choices] = edges
    return True


@kernel
def fits(
    where: Any, states: Any, outcomes: Any, choices: Any, words: Any, kind: Any, keep_actions: Any
) -> Any:
    """Whether the arrays have room for so many more states expanded, outcomes and choices."""
    sizes, used = f.longs(where, f.SIZES), f.longs(where, f.USED)
    count, done = sizes[f.COUNT] + outcomes, sizes[f.AT] + states
    rows, edges = sizes[f.CHOICES] + choices, sizes[f.EDGES] + outcomes + states
    return (
        count * words <= where[f.KEYS, 1]
        and 2 * count <= where[f.TABLE, 1]
        and done < where[f.CHOICE, 1]
        and (kind != f.SMG or done <= where[f.OWNER, 1])
        and rows < where[f.ROW, 1]
        and (not keep_actions or rows <= where[f.ACTION, 1])
        and edges <= where[f.COL, 1]
        and edges <= where[f.CHANCE, 1]
        and sizes[f.DEADLOCKS] + states <= where[f.DEAD, 1]
        and 2 * (used[0] + 2 * outcomes) <= where[f.PLACES, 1]
        and 2 * (used[1] + outcomes) <= where[f.NUMBERS, 1]
    )


@kernel
def advance(
    expand: Any, words: Any, kind: Any, exact: Any, keep_actions: Any, budget: Any, bits: Any,
    where: Any,
) -> Any:  # fmt: skip
    """Explore until there is a reason to stop; see `frame.py` for the reasons and for `where`."""
    ctx, ends, sizes = f.longs(where, f.CTX), f.longs(where, f.ENDS), f.longs(where, f.SIZES)
    packed, hashes = f.words_of(where, f.PACKED), f.words_of(where, f.HASHES)
    found, keys = f.ints(where, f.FOUND), f.words_of(where, f.KEYS)
    table = array_at(f.pointer(where[f.TABLE, 0]), (where[f.TABLE, 1],), np.uint32)
    spent = 0
    while sizes[f.AT] < sizes[f.COUNT]:
        if spent >= budget:
            return f.PAUSED
        first, count = sizes[f.AT], sizes[f.COUNT]
        last = min(count, first + min(sizes[f.BATCH], len(ends)))
        ctx[0] = 0
        ctx[1] = 0
        ctx[2] = 0
        batch = f.call_expand(expand, where[f.CTX, 0], where[f.KEYS, 0], first, last)
        if batch == 0:
            if ctx[2] == 0:
                return f.WIDE
            return f.TOO_LONG if ctx[2] == 2 else f.FAILED
        if 2 * (sizes[f.EXTRAS] + ends[batch - 1]) > where[f.EXTRA, 1]:
            sizes[f.NEEDED] = ends[batch - 1]
            return f.NO_ROOM
        right, wrong = even_out_records(where, first, batch, words, exact)
        done, trouble, n, c, extras, deadlocks, overlaps, overlap = combine(
            where, first, right, words, kind, exact, keep_actions
        )
        if done == 0:
            return trouble if trouble != 0 else wrong
        if done < batch:
            sizes[f.BATCH] = done
        elif sizes[f.BATCH] < len(ends):
            sizes[f.BATCH] *= 2
        if not fits(where, done, n, c + deadlocks, words, kind, keep_actions):
            sizes[f.NEEDED] = n + c + done
            return f.NO_ROOM
        sizes[f.EXTRAS] = extras
        if overlaps > 0 and sizes[f.OVERLAPS] == 0:
            sizes[f.FIRST_OVERLAP] = overlap
        sizes[f.OVERLAPS] += overlaps
        if words == 1:
            count = find_all(packed, n, 1, hashes, found, keys, table, bits, count)
        else:
            count = find_all(packed, n, words, hashes, found, keys, table, bits, count)
        if not write_rows(where, first, done, kind, exact, keep_actions):
            return f.TOO_LONG
        sizes[f.COUNT] = count
        spent += n + done
    return f.DONE
