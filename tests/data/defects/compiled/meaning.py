"""One construct of plain Python each (option kind); after `n` steps the chance depends on it."""

import math
from typing import NamedTuple

import numpy as np

from oddsmith import Game, d6, move, put

BITS = 0x9E3779B97F4A7C15
TABLE = np.array([3, 1, 4, 1, 5, 9, 2, 6])


def unset(n):
    if n < 150:
        bonus = 1
    return n * bonus


class Meaning(Game):
    players: int = 1
    kind: int = 0

    class State(NamedTuple):
        n: int = 0
        over: int = 0

    def winner(self, s):
        return 0 if s.over == 1 else -1 if s.over == 2 else None

    def odd(self, n):
        """A number from 0 to 5 made of n in some way."""
        kind = self.kind
        if kind == 0:  # a shift by more than 63
            return (0b101101 >> n % 128) & 1
        if kind == 1:  # a negative power
            return int(1000 * 2 ** -(n % 10)) % 6
        if kind == 2:  # beyond 64 bits, and back
            return (n * 10**9) ** 2 // 10**18 % 6
        if kind == 3:  # a constant of 64 bits
            return BITS % (n + 7) % 6
        if kind == 4:  # the order of a set
            for x in {n % 7, n * 5 % 23, 40 - n % 40}:
                return x % 6
            return 0
        if kind == 5:  # not of a truth value
            return (~(n % 3 == 0)) % 6
        if kind == 6:  # round to digits
            return int(round(n * 0.005 + 1, 2) * 100 + 0.5) % 6
        if kind == 7:  # put a number among truth values
            return sum(put((True, False, True), n % 3, n % 6)) % 6
        if kind == 8:  # a sum beyond 64 bits
            return sum((2**62, 2**62, n)) % 6
        if kind == 9:  # a name that is not set
            return unset(n) % 6
        if kind == 10:  # beyond the end of an array
            return int(TABLE[n % 9 if n > 130 else n % 8]) % 6
        if kind == 11:  # powers
            return 3 ** (n % 60) % 7 % 6
        if kind == 12:  # square root of a negative number
            return int(math.sqrt(130 - n) if n > 100 else 3) % 6
        if kind == 13:  # a negative shift
            return (1 << (140 - n if n > 100 else 3)) % 6
        if kind == 14:  # big int compared with a float
            return int(2**53 + n % 2 == float(2**53)) * 3
        return 0

    @move(dice=d6)
    def go(self, s, r):
        if s.n >= 200:
            return s._replace(over=2)
        if r == 6 and self.odd(s.n) == 1:
            return s._replace(over=1)
        if r == 5 and self.odd(s.n) == 0:
            return s._replace(over=2)
        return s._replace(n=s.n + 1)
