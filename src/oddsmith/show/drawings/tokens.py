"""Two tokens on one board: the chances from every pair of places, from above and in space.

Figure 4.2 of J. F. Groote, F. Wiedijk, H. Zantema, A Probabilistic Analysis of the Game of the
Goose, SIAM Review 58 (2016), for any board of two players: player 1 walks to the back, player 2 to
the right. Only places where a token can stand are there, and the finish.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from oddsmith.results.result import Result
from oddsmith.rules.game import Game
from oddsmith.show.pictures.spec import Axis, Floats, Heat, Panel, Picture, Scale, Surface

QUANTITIES = {
    "first": "player 1 wins, and is to move",
    "second": "player 1 wins, and player 2 is to move",
    "draw": "a draw: nobody ever wins",
}
"""What can be drawn of two tokens, and what it is called."""

VIEW = (34.0, -112.0)
MOST_TICKS = 9


@dataclass(frozen=True, eq=False)
class TokenGrid:
    """A chance for each pair of places (`chance[place of player 1, place of player 2]`).

    Not a number where play never comes to.
    """

    places: Sequence[str]
    first: Floats
    second: Floats
    draw: Floats

    @classmethod
    def of(
        cls, places: Sequence[str], at: tuple[Any, Any], turn: Any, columns: dict[str, Any]
    ) -> TokenGrid:
        """From states: each player's place by its number, whose turn it is, and the values.

        The state listed first counts where several are one pair. A game that is over has one value
        whoever would be to move.
        """
        size = len(places)
        # The last write stays, so the first state is written last.
        order = np.arange(len(turn))[::-1]
        one, two, mover = at[0][order], at[1][order], turn[order]
        over = (columns["length"] == 0)[order]

        def spread(column: str, player: int) -> Floats:
            found = np.full((size, size), np.nan)
            for there in (over, mover == player):
                found[one[there], two[there]] = columns[column][order][there]
            return found

        draw = spread("draw", 0)
        return cls(
            places,
            spread("win 1", 0),
            spread("win 1", 1),
            np.where(np.isnan(draw), spread("draw", 1), draw),
        )


def can_be_drawn(game: Game) -> bool:
    """Whether a state is no more than two places and whose turn it is."""
    fields = getattr(game.State, "_fields", ())
    start = getattr(game.start(), game.squares, None) if game.squares else None
    single = isinstance(start, tuple) and all(isinstance(place, int) for place in start)
    return game.players == 2 and single and set(fields) == {game.squares, "turn"}


def grid_of(game: Game, result: Result) -> TokenGrid:
    """The values of a game of two tokens by the places where they stand."""
    assert result.values is not None
    names = result.values.states
    codes = np.stack([names.column(f"{game.squares}[{seat}]") for seat in (0, 1)])
    kept, number = np.unique(codes, return_inverse=True)
    places = list(dict.fromkeys(game.place(int(code)) for code in kept))
    index = {place: i for i, place in enumerate(places)}
    at = np.array([index[game.place(int(code))] for code in kept])[number.reshape(codes.shape)]
    # Where a square has waiting rooms, its own state comes first: the lowest number.
    order = np.lexsort((codes[1], codes[0]))
    columns = {name: result.values.value[order, q] for q, name in enumerate(result.values.columns)}
    return TokenGrid.of(places, (at[0][order], at[1][order]), names.column("turn")[order], columns)


def tokens(grid: TokenGrid, title: str, small: str = "", quantities: Sequence[str] = ()) -> Picture:
    """Each quantity from above and in space; without a draw there are two."""
    shown = list(quantities) or ["first", "second"]
    if not quantities and np.nanmax(grid.draw) > 0:
        shown.append("draw")
    panels: list[Panel] = []
    for quantity in shown:
        chance = getattr(grid, quantity)
        panels += [_above(grid, chance, quantity), _in_space(grid, chance)]
    return Picture(
        title,
        panels,
        small=small,
        columns=2,
        size=(11.0, 4.3 * len(shown) + 0.8),
        alt=f"{title}: " + "; ".join(QUANTITIES[quantity] for quantity in shown),
    )


def _above(grid: TokenGrid, chance: Floats, quantity: str) -> Panel:
    edges = np.arange(len(grid.places) + 1) - 0.5
    text = [
        [
            f"player 1 on {one}, player 2 on {two}: {100 * value:.3f} %"
            for two, value in zip(grid.places, row, strict=True)
        ]
        for one, row in zip(grid.places, chance, strict=True)
    ]
    x, y = _axes(grid)
    scale = Scale(low=0.0, high=1.0, label="chance", format="percent")
    return Panel(
        [Heat(edges, edges, chance, scale, text)], x=x, y=y, title=QUANTITIES[quantity], equal=True
    )


def _in_space(grid: TokenGrid, chance: Floats) -> Panel:
    middles = np.arange(len(grid.places), dtype=float)
    x, y = _axes(grid)
    scale = Scale(low=0.0, high=1.0, bar=False, format="percent")
    return Panel(
        [Surface(middles, middles, chance, scale)],
        x=x,
        y=y,
        z=Axis("chance", low=0.0, high=1.0, format="percent"),
        views=(VIEW,),
        aspect=(1.0, 1.0, 0.7),
    )


def _axes(grid: TokenGrid) -> tuple[Axis, Axis]:
    ticks = _ticks(grid.places)
    low, high = -0.5, len(grid.places) - 0.5
    return (
        Axis("player 2 on", low=low, high=high, ticks=ticks),
        Axis("player 1 on", low=low, high=high, ticks=ticks),
    )


def _ticks(places: Sequence[str]) -> tuple[tuple[float, str], ...]:
    """The places that are named; where none or many are, some at equal distances."""
    named = [i for i, place in enumerate(places) if "(" in place]
    if not 3 <= len(named) <= MOST_TICKS:
        step = -(-len(places) // MOST_TICKS)
        named = list(range(0, len(places), step))
    return tuple((float(i), places[i].split(" ")[0]) for i in named)
