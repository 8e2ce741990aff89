"""Chains of any size with whole weights, to see how exact solving grows with them.

A chain has live states 0, 1, …, of which 0 is the start, and two ends, won and lost. The shapes
differ in how entangled states are, which decides the fill of an elimination, and in their weights,
which decide how long the answer is. A random graph is the worst case: it has no small separators,
so a constant share of it ends up in dense algebra.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

WON, LOST = -1, -2
"""The two ends, where a transition names its target."""

Row = dict[int, int]
"""The transitions of one state: weights by target."""


@dataclass(frozen=True, eq=False)
class WeightedChain:
    """Transitions between live states in compressed rows, and the weights that leave them."""

    row: Any
    col: Any
    weight: Any
    won: Any
    lost: Any

    @property
    def states(self) -> int:
        """The live states."""
        return len(self.row) - 1

    @property
    def total(self) -> Any:
        """The sum of a state's weights, those that leave included."""
        inner = np.zeros(self.states, np.int64)
        np.add.at(inner, np.repeat(np.arange(self.states), np.diff(self.row)), self.weight)
        return inner + self.won + self.lost

    @property
    def questions(self) -> Any:
        """Right-hand sides of (T - W) x = c: the chance to win, and the mean number of steps."""
        return np.column_stack((self.won, self.total))

    def rows(self) -> list[Row]:
        """The transitions state by state, the ends included."""
        found = []
        for s in range(self.states):
            here = slice(self.row[s], self.row[s + 1])
            row = dict(zip(self.col[here].tolist(), self.weight[here].tolist(), strict=True))
            ends = {WON: int(self.won[s]), LOST: int(self.lost[s])}
            found.append(row | {end: weight for end, weight in ends.items() if weight})
        return found


def of_rows(rows: Iterable[Row]) -> WeightedChain:
    """A chain from the transitions of its states."""
    starts, cols, weights, won, lost = [0], [], [], [], []
    for row in rows:
        for target in sorted(target for target in row if target >= 0):
            cols.append(target)
            weights.append(row[target])
        starts.append(len(cols))
        won.append(row.get(WON, 0))
        lost.append(row.get(LOST, 0))
    arrays = (np.array(numbers, np.int64) for numbers in (starts, cols, weights, won, lost))
    return WeightedChain(*arrays)


def _added(*steps: tuple[int, int]) -> Row:
    """A row from (target, weight) in which targets may occur twice."""
    row: Row = {}
    for target, weight in steps:
        row[target] = row.get(target, 0) + weight
    return row


def expander(states: int, seed: int = 1, degree: int = 4) -> WeightedChain:
    """A random graph: every state goes to a few others anywhere, a hundredth of them also ends."""
    random = np.random.default_rng(seed)

    def row(s: int) -> Row:
        targets = random.integers(0, states, degree).tolist()
        steps = list(zip(targets, random.integers(1, 7, degree).tolist(), strict=True))
        # On the way from the start every state is met, so there is one component.
        steps.append(((s + 1) % states, 1))
        if random.random() < 0.01 or s == states - 1:
            steps.append((WON if random.random() < 0.5 else LOST, 1))
        return _added(*steps)

    return of_rows(row(s) for s in range(states))


def local(states: int, seed: int = 1, reach: int = 10, degree: int = 6) -> WeightedChain:
    """Random jumps of bounded reach along a line: won past its end, lost before its beginning."""
    random = np.random.default_rng(seed)

    def row(s: int) -> Row:
        jumps = [1, -1, *random.integers(-reach, reach + 1, degree - 2).tolist()]
        weights = random.integers(1, 7, degree).tolist()
        ends = (LOST if s + jump < 0 else WON for jump in jumps)
        targets = (
            s + jump if 0 <= s + jump < states else end
            for jump, end in zip(jumps, ends, strict=True)
        )
        return _added(*zip(targets, weights, strict=True))

    return of_rows(row(s) for s in range(states))


def ruin(states: int) -> WeightedChain:
    """A gambler with half the bank's money bets on red, 18 to 19, until somebody has nothing.

    The start is the middle: state 0 is the middle, odd states lie above it, even ones below.
    """

    def at(money: int) -> int:
        if not 0 < money <= states:
            return WON if money > 0 else LOST
        away = money - (states + 1) // 2
        return 2 * away - 1 if away > 0 else -2 * away

    rows: list[Row] = [{} for _ in range(states)]
    for money in range(1, states + 1):
        rows[at(money)] = {at(money + 1): 18, at(money - 1): 19}
    return of_rows(rows)


def grid(states: int, seed: int = 1) -> WeightedChain:
    """A walk on a square grid, won on the right, lost on the left, reflected above and below.

    Every place has its own weights; with the same everywhere, only the columns would count.
    """
    random = np.random.default_rng(seed)
    side = round(states**0.5)
    middle = side * (side // 2) + side // 2
    number = {middle: 0, 0: middle}

    def at(x: int, y: int) -> int:
        if not 0 <= x < side:
            return LOST if x < 0 else WON
        place = side * min(max(y, 0), side - 1) + x
        return number.get(place, place)

    rows: list[Row] = [{} for _ in range(side * side)]
    for y in range(side):
        for x in range(side):
            targets = (at(x + 1, y), at(x - 1, y), at(x, y + 1), at(x, y - 1))
            weights = random.integers(1, 5, 4).tolist()
            rows[at(x, y)] = _added(*zip(targets, weights, strict=True))
    return of_rows(rows)


def board(states: int, seed: int = 1) -> WeightedChain:
    """One token on a long board with two dice: every tenth square throws it back some squares.

    Won on the last square, lost on one trap in every two hundred squares.
    """
    random = np.random.default_rng(seed)
    throw = {total: 6 - abs(7 - total) for total in range(2, 13)}
    back = {s: s - int(random.integers(1, min(s, 60) + 1)) for s in range(13, states, 10)}

    def at(square: int) -> int:
        if square >= states:
            return WON
        if square % 200 == 199:
            return LOST
        return back.get(square, square)

    return of_rows(
        _added(*((at(s + thrown), weight) for thrown, weight in throw.items()))
        for s in range(states)
    )


def blocks(states: int, seed: int = 1, size: int = 50) -> WeightedChain:
    """Random components of some fifty states, each left for the next: block-triangular."""
    random = np.random.default_rng(seed)

    def row(s: int) -> Row:
        first = s - s % size
        last = min(first + size, states)
        targets = random.integers(first, last, 3).tolist()
        steps = [(target, int(random.integers(1, 7))) for target in targets]
        steps.append((first + (s + 1 - first) % (last - first), 1))
        if s % 5 == 0:
            onward = min(last + int(random.integers(0, size)), states)
            steps.append((onward if onward < states else WON, 2))
        if s % 35 == 0:
            steps.append((LOST, 1))
        return _added(*steps)

    return of_rows(row(s) for s in range(states))


SHAPES: dict[str, Callable[[int], WeightedChain]] = {
    "gambler's ruin": ruin,
    "board": board,
    "blocks of 50": blocks,
    "random, local": local,
    "grid": grid,
    "random graph": expander,
}
"""The shapes by name, in the order of their entanglement."""
