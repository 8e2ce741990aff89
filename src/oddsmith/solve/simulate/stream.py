"""Random numbers: xoshiro256++ (Blackman & Vigna, ACM TOMS 47 (2021), article 36).

One stream a batch of games, seeded by numpy's SeedSequence from the seed and the batch's number:
streams are independent, and the games of a batch do not depend on who plays them or when. The
same algorithm is in `kernels.py` for compiled play, so both engines play the same games.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.dice import Die

MASK = (1 << 64) - 1


def seed_of_batch(seed: int, batch: int) -> npt.NDArray[np.uint64]:
    """The state of the stream of one batch."""
    words = np.random.SeedSequence(seed, spawn_key=(batch,)).generate_state(4, np.uint64)
    return words.astype(np.uint64)


class Stream:
    """The stream of one batch, for interpreted play."""

    def __init__(self, seed: int, batch: int) -> None:
        self.s = [int(word) for word in seed_of_batch(seed, batch)]

    def next(self) -> int:
        """The next 64 random bits."""
        s = self.s
        result = (_rotate((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = _rotate(s[3], 45)
        return result

    def below(self, n: int) -> int:
        """A number from 0 to n-1, each equally likely (draws that would favour some are redone)."""
        least = ((1 << 64) - n) % n
        while True:
            drawn = self.next()
            if drawn >= least:
                return drawn % n

    def face(self, die: Die[Any]) -> Any:
        """A face of a die, each by its chance."""
        return die.faces[bisect_right(list(accumulate(die.weights)), self.below(die.total))]


def _rotate(x: int, k: int) -> int:
    return ((x << k) | (x >> (64 - k))) & MASK
