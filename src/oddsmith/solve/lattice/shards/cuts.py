"""Where the numbers of an array in slabs are, and how it is cut anew.

The array's axes are in some `order` of the tokens, and it is cut along the first axis: a slab
holds positions a to b of token order[0] and all positions of the others. A turn of any other token
needs nothing from outside a slab. Before a turn of order[0] the array is cut anew, along another
token's axis: every slab is cut into W pieces along that axis, and each new slab is put together
from one piece of every old one,

    old[a..b, middle, c..d]  ->  new[c..d, a..b, middle].

The token whose turn is farthest off becomes the first: the one that has just played. With turns
in the order 0, 1, 2, … that is the token of the last axis, so the order rotates; backward it is
the other neighbour. So this happens once every N - 1 turns, and every number travels once:
8 S^N (1 - 1/W) bytes go from worker to worker every N - 1 turns, W the number of slabs. Tokens
obey the same rules, so that kernels need to know only which axis moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

Order = tuple[int, ...]
Box = tuple[tuple[int, int], ...]
"""A part of an array: on each axis the first position, and the one after the last."""


def axes_of(order: Order, wanted: Order) -> Order:
    """Which axes of an array make one in the order that is wanted."""
    return tuple(order.index(token) for token in wanted)


class Cuts:
    """An array of size^players numbers in slabs; the cuts are the same in every order."""

    def __init__(self, size: int, players: int, shards: int) -> None:
        self.size, self.players, self.shards = size, players, shards
        self._cuts = [size * i // shards for i in range(shards + 1)]

    def sides(self, shard: int) -> tuple[int, int]:
        """The positions of the first token in a slab."""
        return self._cuts[shard], self._cuts[shard + 1]

    def shape(self, shard: int) -> tuple[int, ...]:
        """The shape of a slab."""
        first, last = self.sides(shard)
        return (last - first, *(self.size,) * (self.players - 1))

    def stretches(
        self, order: Order, movers: Sequence[int], step: int
    ) -> Iterator[tuple[Order, list[int]]]:
        """Turns that can be played one after the other in slabs, and the order of their axes."""
        found = list[int]()
        for mover in movers:
            if self.shards > 1 and mover == order[0]:
                if found:
                    yield order, found
                far = (mover - step) % self.players
                order, found = (far, *(token for token in order if token != far)), []
            found.append(mover)
        yield order, found

    def pieces(self, order: Order, wanted: Order) -> Iterator[list[tuple[int, Box]]]:
        """For each slab in the order wanted its pieces: from which slab, and which box of it."""
        axis = order.index(wanted[0])
        for new in range(self.shards):
            found: list[tuple[int, Box]] = []
            for old in range(self.shards):
                box = [(0, side) for side in self.shape(old)]
                if axis != 0:
                    box[axis] = self.sides(new)
                elif new != old:
                    continue
                found.append((old, tuple(box)))
            yield found

    def places(self, order: Order, indices: Any) -> Iterator[tuple[int, Any]]:
        """Where numbers are: slabs, and places in them."""
        tokens = np.unravel_index(indices, (self.size,) * self.players)
        digits = [tokens[token] for token in order]
        for shard in range(self.shards):
            first, last = self.sides(shard)
            here = (digits[0] >= first) & (digits[0] < last)
            if here.any():
                inside = (digits[0][here] - first, *(digit[here] for digit in digits[1:]))
                yield shard, np.ravel_multi_index(inside, self.shape(shard))

    def parts(self, order: Order, box: Box) -> Iterator[tuple[int, Box, Box]]:
        """The parts of a box that slabs have: which slab, where in it, where in the box.

        Sides are in the order of the slab's axes where they are in a slab, else in that of the
        players.
        """
        split = order[0]
        for shard in range(self.shards):
            first, last = self.sides(shard)
            low, high = max(first, box[split][0]), min(last, box[split][1])
            if low < high:
                inside = [(low - first, high - first), *(box[token] for token in order[1:])]
                place = [(0, b - a) for a, b in box]
                place[split] = (low - box[split][0], high - box[split][0])
                yield shard, tuple(inside), tuple(place)


def boxes(start: int, stop: int, size: int, axes: int) -> Iterator[Box]:
    """A stretch of an array of size^axes numbers as boxes, one after the other.

    >>> list(boxes(2, 10, 4, 2))
    [((0, 1), (2, 4)), ((1, 2), (0, 4)), ((2, 3), (0, 2))]
    >>> list(boxes(0, 8, 4, 2))
    [((0, 2), (0, 4))]
    """
    if start >= stop:
        return
    if axes == 1:
        yield ((start, stop),)
        return
    inner = size ** (axes - 1)
    row, whole = start // inner, (0, size)
    if start % inner or stop < (row + 1) * inner:
        end = min(stop, (row + 1) * inner)
        for box in boxes(start - row * inner, end - row * inner, size, axes - 1):
            yield ((row, row + 1), *box)
        yield from boxes(end, stop, size, axes)
        return
    last = stop // inner
    yield ((row, last), *[whole] * (axes - 1))
    yield from boxes(last * inner, stop, size, axes)
