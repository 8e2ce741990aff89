# mypy: disable-error-code="untyped-decorator"
"""Rows of numbers, as states are for rules: packed, hashed, turned to their movers' view."""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel


@kernel
def pack(row: Any, low: Any, radix: Any, word: Any, words: Any) -> Any:
    """Pack a row into words; False if a number is out of its range."""
    words[:] = 0
    for i in range(len(row)):
        digit = row[i] - low[i]
        if digit < 0 or digit >= radix[i]:
            return False
        words[word[i]] = words[word[i]] * radix[i] + digit
    return True


@kernel
def unpack(words: Any, low: Any, radix: Any, word: Any, scratch: Any, row: Any) -> None:
    """Unpack words into a row."""
    for i in range(len(words)):
        scratch[i] = words[i]
    for i in range(len(row) - 1, -1, -1):
        rest = scratch[word[i]] // radix[i]
        row[i] = scratch[word[i]] - rest * radix[i] + low[i]
        scratch[word[i]] = rest


@kernel
def turn_view(row: Any, turn: int, seats: Any, scratch: Any) -> Any:
    """Turn a row to its mover's view in place; the number of seats it was turned by."""
    lane = row[turn]
    players = seats.shape[1]
    if 0 < lane < players:
        for f in range(seats.shape[0]):
            for i in range(players):
                scratch[i] = row[seats[f, i]]
            for i in range(players):
                source = i + lane
                if source >= players:
                    source -= players
                row[seats[f, i]] = scratch[source]
        row[turn] = 0
    return lane


@kernel
def mix(words: Any) -> Any:
    """Hash words (the finaliser of splitmix64, word by word)."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for i in range(len(words)):
        h ^= np.uint64(words[i])
        h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        h ^= h >> np.uint64(31)
    return np.int64(h & np.uint64(0x7FFFFFFFFFFFFFFF))
