"""A result as a picture: of what it holds, whatever holds most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oddsmith.errors import OptionError
from oddsmith.model.names import Names
from oddsmith.results.result import Result
from oddsmith.show.drawings.heading import small_print
from oddsmith.show.pictures.spec import Picture

if TYPE_CHECKING:
    from oddsmith.rules.game import Game


def picture_of(result: Result) -> Picture:
    """The picture of a result: values of states, visits, lengths, or who wins."""
    from oddsmith.show.drawings.lengths import lengths
    from oddsmith.show.drawings.seats import seats
    from oddsmith.show.drawings.tokens import can_be_drawn, grid_of, tokens
    from oddsmith.show.drawings.visits import bars

    if result.values is not None:
        names = result.values.states
        game: Game = names.game
        if isinstance(names, Names) and can_be_drawn(game):
            title = f"{result.title}: the chances of two tokens"
            return tokens(grid_of(game, result), title, small_print(result))
        raise OptionError(
            f"There is no picture of all values of {result.title}: only of two pieces on squares."
        )
    if result.visits:
        return bars(result)
    if result.distribution:
        return lengths([result])
    if result.win or result.score:
        return seats([result])
    raise OptionError(f"There is nothing to draw in this result about {result.title}.")
