"""Track: one token's walk along a board as tables of numbers.

What a token can do in its turn depends on where it stands, on the throw, and on which squares
the other tokens occupy. On a board where a turn changes only the mover's token that is all there
is to know, and it fits into a few small tables:

- a *position* is a square, or a waiting room of a square (so many turns to rest); the finish is
  none. There are S of them, only those that a token can come to from the start;
- an *entry* says: from position `source` a throw of chance `weight / total` leads to position
  `target` (-1: the finish) if the square `tested` is free (-1: whatever is there), else the token
  stays where it is;
- a token in a waiting room does not throw, it goes to `rest[position]`;
- a token on a square with `hold` throws only while another token is on that square.

With these tables a turn of one player multiplies each fibre of the joint distribution along
that player's axis by a matrix that depends on the squares of the others only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

FINISH = -1
ANY = -1
"""As a tested square: the token moves whoever stands there."""


@dataclass(frozen=True, eq=False)
class Track:
    """One token's walk. Squares are numbered 0 to squares - 1, in no particular order."""

    codes: Any
    """The board's number of each position: a square's own, or a waiting room's."""
    square: Any
    """Each position's square (a number below `squares`)."""
    squares: int
    start: int
    """The position tokens start in."""
    source: Any
    target: Any
    tested: Any
    weight: Any
    """Entries, ordered by source; equal ones are merged."""
    total: int
    """The sum of the weights of each position that throws."""
    rest: Any
    """Where a token in a waiting room goes; -1 for every other position."""
    hold: Any
    """Whether a token there throws only in company."""

    @property
    def size(self) -> int:
        """S, the number of positions."""
        return len(self.codes)

    @cached_property
    def interacts(self) -> bool:
        """Whether tokens disturb each other at all."""
        return bool((self.tested != ANY).any() or self.hold.any())

    @cached_property
    def rests(self) -> bool:
        """Whether some turns pass without a throw."""
        return bool((self.rest >= 0).any() or self.hold.any())

    @cached_property
    def arrivals(self) -> Any:
        """Chance matrix [source, target] of entries blocked by their own target's square."""
        own = (self.target >= 0) & (self.tested == self.square[self.target])
        return self._matrix(own)

    @cached_property
    def unconditional(self) -> Any:
        """Chance matrix [source, target] of entries that nobody can block."""
        return self._matrix((self.target >= 0) & (self.tested == ANY))

    @cached_property
    def special(self) -> tuple[tuple[int, int, int, float], ...]:
        """Entries (source, target, tested, chance) blocked by another square than their own."""
        own = (self.target >= 0) & (self.tested == self.square[self.target])
        odd = np.nonzero((self.tested != ANY) & ~own)[0]
        return tuple(
            (
                int(self.source[e]),
                int(self.target[e]),
                int(self.tested[e]),
                float(self.weight[e]) / self.total,
            )
            for e in odd
        )

    @cached_property
    def blocked(self) -> Any:
        """Chance [source, square] of a throw that is not played when the square is occupied."""
        found = np.zeros((self.size, self.squares))
        for e in np.nonzero(self.tested != ANY)[0]:
            found[self.source[e], self.tested[e]] += self.weight[e]
        return found / self.total

    @cached_property
    def finishing(self) -> Any:
        """Chance to finish from each position, by entries that nobody can block."""
        done = (self.target == FINISH) & (self.tested == ANY)
        return np.bincount(self.source[done], self.weight[done], self.size) / self.total

    @property
    def terms(self) -> int:
        """The most numbers that are added up for one number of a turn's result."""
        into = np.bincount(self.target[self.target >= 0], minlength=self.size)
        out = np.bincount(self.source, minlength=self.size)
        return int(into.max(initial=0) + out.max(initial=0)) + 2

    def _matrix(self, chosen: Any) -> Any:
        found = np.zeros((self.size, self.size))
        np.add.at(found, (self.source[chosen], self.target[chosen]), self.weight[chosen])
        return found / self.total
