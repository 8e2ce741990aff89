# mypy: disable-error-code="untyped-decorator"
"""States by number: each packed state gets the next number when it is first met.

Where the different codes are few, a state's first word is its place in a table of numbers (and
further words must then be the same whenever it is met). Otherwise open addressing: an entry of the
table has a number (plus one) in its low bits and the rest of the upper half of the hash, after what
is its place, in the others. So nearly every comparison with a state is with the right one, and
memory is read for no other. All states of a batch are looked up together, in passes, so that the
processor waits for many places of memory at once instead of one after another.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.model.explorer import batch as b

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX = np.uint64(0xBF58476D1CE4E5B9)


@kernel(forceinline=True)
def bits_of(table: Any) -> Any:
    """How many bits of a hash are its place in the table, whose size is a power of two."""
    bits, size = 0, len(table)
    while size > 1:
        size >>= 1
        bits += 1
    return bits


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
def same_words(one: Any, i: Any, other: Any, j: Any, words: Any) -> Any:
    """Whether two packed states are equal."""
    for w in range(words):  # noqa: SIM110 (compiled)
        if one[i + w] != other[j + w]:
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
    """The number of a state by its hash; it is `count` if the state is new, and then entered."""
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
def rehash(keys: Any, words: Any, count: Any, table: Any) -> None:
    """Enter all states into an empty table."""
    mask, bits = len(table) - 1, bits_of(table)
    for number in range(count):
        h = hash_words(keys, number * words, words)
        place = np.int64(h >> np.uint64(64 - bits))
        while table[place] != 0:
            place = (place + 1) & mask
        table[place] = tag_of(h, bits) | np.uint64(number + 1)


@kernel(forceinline=True)
def number_hashed(
    packed: Any, n: Any, words: Any, hashes: Any, number: Any, keys: Any, table: Any, count: Any
) -> Any:
    """The numbers (plus one) of many states; how many states there are then."""
    bits, low = bits_of(table), np.uint64(len(table) - 1)
    for o in range(n):
        h = hash_words(packed, o * words, words)
        hashes[o] = h
        entry = np.uint64(table[np.int64(h >> np.uint64(64 - bits))])
        number[o] = np.int32(entry & low) if entry & ~low == tag_of(h, bits) else np.int32(0)
    for o in range(n):
        at = np.int64(number[o]) - 1
        if at >= 0 and not same_words(keys, at * words, packed, o * words, words):
            number[o] = 0
    for o in range(n):
        if number[o] == 0:
            at = find_or_add(packed, o * words, words, hashes[o], keys, table, bits, count)
            number[o] = at + 1
            if at == count:
                count += 1
    return count


@kernel(forceinline=True)
def number_direct(
    packed: Any, n: Any, words: Any, number: Any, keys: Any, table: Any, count: Any, sizes: Any
) -> Any:
    """The same by the places of states in the table; a reason, negative, where that cannot be."""
    largest = np.uint64(0)
    for o in range(n):
        largest = max(largest, packed[o * words])
    if largest >= np.uint64(len(table)):
        sizes[b.NEEDED] = np.int64(largest)
        return -b.BEYOND
    for o in range(n):
        number[o] = np.int32(table[np.int64(packed[o * words])])
    for o in range(n):
        if number[o] == 0:
            place = np.int64(packed[o * words])
            if table[place] == 0:
                for w in range(words):
                    keys[count * words + w] = packed[o * words + w]
                count += 1
                table[place] = count
            number[o] = np.int32(table[place])
        if words > 1:
            at = (np.int64(number[o]) - 1) * words
            if not same_words(keys, at, packed, o * words, words):
                sizes[b.NEEDED] = o
                return -b.CLASH
    return count


@kernel
def number_all(where: Any, n: Any) -> Any:
    """The numbers (plus one) of all states in `packed`; how many states there are then, or minus
    the reason why that cannot be said."""
    settings, sizes = b.longs(where, b.SETTINGS), b.longs(where, b.SIZES)
    packed, hashes = b.words_of(where, b.PACKED), b.words_of(where, b.HASHES)
    number, keys, table = (
        b.ints(where, b.NUMBER),
        b.words_of(where, b.KEYS),
        b.entries(where, b.TABLE),
    )
    count, words = sizes[b.COUNT], settings[b.WORDS]
    if settings[b.DIRECT] != 0:
        return number_direct(packed, n, words, number, keys, table, count, sizes)
    if words == 1:
        return number_hashed(packed, n, 1, hashes, number, keys, table, count)
    return number_hashed(packed, n, words, hashes, number, keys, table, count)
