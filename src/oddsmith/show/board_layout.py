"""Where the squares of a board lie when it is drawn.

- `spiral`: from the lower left round the edge and inwards, as on a Goose board; the finish takes
  what is left in the middle;
- `serpentine`: rows from the bottom up, to the right and back to the left, as in Snakes and
  Ladders; a start with number 0 is off the board, beside the first square.

Both put squares into a grid: x grows to the right, y downwards, and a square is 1 wide (the
finish of a spiral is larger). Consecutive squares have an edge in common.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

Corner = tuple[float, float]
Rectangle = tuple[int, int, int, int]
"""The left and the upper edge, the width and the height."""


@dataclass(frozen=True)
class Place:
    """A square on the drawing: its middle, and its corners in order."""

    number: int
    x: float
    y: float
    angle: float
    """How it is turned, in degrees; 0 is upright."""
    corners: tuple[Corner, ...]


@dataclass(frozen=True)
class BoardLayout:
    """All squares of a board from the start to the finish, within width × height."""

    style: str
    width: float
    height: float
    places: tuple[Place, ...]

    def __getitem__(self, number: int) -> Place:
        """The place of a square."""
        return self.places[number - self.places[0].number]


def board_layout(start: int, finish: int, style: str) -> BoardLayout:
    """The places of all squares from start to finish.

    >>> goose = board_layout(0, 63, "spiral")
    >>> goose.width, goose.height, goose[0].x, goose[0].y
    (8.0, 9.0, 0.5, 8.5)
    """
    found = _spiral(finish - start + 1) if style == "spiral" else _serpentine(start, finish)
    places = tuple(_place(start + i, *found[i]) for i in range(len(found)))
    width = max(x + w for x, _, w, _ in found)
    height = max(y + h for _, y, _, h in found)
    return BoardLayout(style, float(width), float(height), places)


def _place(number: int, x: int, y: int, width: int, height: int) -> Place:
    left, top, right, bottom = float(x), float(y), float(x + width), float(y + height)
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return Place(number, (left + right) / 2, (top + bottom) / 2, 0.0, corners)


# Rows ---------------------------------------------------------------------------------------


def _serpentine(start: int, finish: int) -> list[Rectangle]:
    off_board = start == 0
    count = finish - start + (0 if off_board else 1)
    columns = _columns(count)
    rows = -(-count // columns)
    left = 1 if off_board else 0
    found = [(0, rows - 1, 1, 1)] if off_board else []
    for i in range(count):
        row, along = divmod(i, columns)
        column = along if row % 2 == 0 else columns - 1 - along
        found.append((left + column, rows - 1 - row, 1, 1))
    return found


def _columns(count: int) -> int:
    """How many squares make a row: about the square root, so that the last row is full if it can.

    >>> [_columns(count) for count in (1, 20, 30, 63, 97, 100)]
    [1, 5, 6, 9, 10, 10]
    """
    root = math.ceil(math.sqrt(count))
    nearby = range(root, max(root, math.floor(1.5 * root)) + 1)
    return min(nearby, key=lambda columns: (-count % columns > 0, columns))


# Spiral -------------------------------------------------------------------------------------


def _spiral(count: int) -> list[Rectangle]:
    width, height = _best_grid(count)
    cells = _inwards(width, height)
    squares = [(*next(cells), 1, 1) for _ in range(count - 1)]
    return [*squares, _middle(width, height, count - 1)]


def _runs(width: int, height: int) -> Iterator[tuple[int, int, int, int]]:
    """The straight runs of a spiral: what is left before each (left, top, width, height)."""
    left, top = 0, 0
    turn = 0
    while width > 0 and height > 0:
        yield left, top, width, height
        if turn == 0:  # along the bottom
            height -= 1
        elif turn == 1:  # up the right side
            width -= 1
        elif turn == 2:  # back along the top
            top, height = top + 1, height - 1
        else:  # down the left side
            left, width = left + 1, width - 1
        turn = (turn + 1) % 4


def _inwards(width: int, height: int) -> Iterator[tuple[int, int]]:
    """The cells of a grid along a spiral from the lower left."""
    for turn, (left, top, w, h) in enumerate(_runs(width, height)):
        right, bottom = left + w - 1, top + h - 1
        if turn % 4 == 0:
            yield from ((x, bottom) for x in range(left, right + 1))
        elif turn % 4 == 1:
            yield from ((right, y) for y in range(bottom, top - 1, -1))
        elif turn % 4 == 2:
            yield from ((x, top) for x in range(right, left - 1, -1))
        else:
            yield from ((left, y) for y in range(top, bottom + 1))


def _middle(width: int, height: int, taken: int) -> Rectangle:
    """The rectangle for the finish, after so many cells: as large as what is left allows.

    Within a run, it is as wide as the rest of the run and as deep as the rectangle the run is in.
    """
    for turn, (left, top, w, h) in enumerate(_runs(width, height)):
        run = w if turn % 2 == 0 else h
        if taken >= run:
            taken -= run
        elif turn % 4 == 0:
            return left + taken, top, w - taken, h
        elif turn % 4 == 1:
            return left, top, w, h - taken
        elif turn % 4 == 2:
            return left, top, w - taken, h
        else:
            return left, top + taken, w, h - taken
    raise AssertionError("the grid has too few cells")


@lru_cache(1024)
def _best_grid(count: int) -> tuple[int, int]:
    """The grid that leaves a nearly square finish in the middle and few cells empty.

    >>> _best_grid(64)  # 63 squares, and three by three for the finish
    (8, 9)
    """
    root = math.isqrt(count)
    sizes = range(max(1, root - 2), root + 6)
    grids = [(w, h) for w in sizes for h in sizes if w * h >= count]
    roomy = max(1, min(count // 7, 9 + count // 100))

    def cost(grid: tuple[int, int]) -> tuple[float, tuple[int, int]]:
        _, _, w, h = _middle(*grid, count - 1)
        cells = math.prod(grid)
        empty = cells - (count - 1) - w * h
        too_large, too_small = max(0, w * h - roomy), roomy - min(roomy, w * h)
        stretched = 16 * (max(grid) / min(grid) - 1) + 1.5 * (max(w, h) / min(w, h) - 1)
        return 0.7 * empty + too_large + 0.3 * too_small + stretched, grid

    return min(grids, key=cost)
