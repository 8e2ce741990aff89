"""Pictures of a policy: each finds how a player plays and has it drawn. See `oddsmith.pictures`.

`play` says who plays how, as in `odds`; whose policy is drawn is `player` (1 for the first), by
default the one who plays the best response, or else the first. The other options are those of the
drawing.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from typing import Any

from oddsmith.errors import OptionError
from oddsmith.progress import Progress
from oddsmith.rules.game import Game
from oddsmith.show.drawings import policy, policy_space
from oddsmith.show.picture.spec import Picture
from oddsmith.solve.play.judge import table_of


def _asked(drawing: Callable[..., Picture]) -> Callable[..., Picture]:
    """The picture of a game whose drawing takes a policy's table: it has the options of both."""

    def picture(
        game: Game,
        *,
        progress: Progress,
        play: str | None = None,
        player: int | None = None,
        **options: Any,
    ) -> Picture:
        if player is not None and not 1 <= player <= game.players:
            raise OptionError(f"{game.name} has no player {player}: they are 1 to {game.players}.")
        seat = None if player is None else player - 1
        return drawing(table_of(game, play, seat, progress=progress), **options)

    keyword = inspect.Parameter.KEYWORD_ONLY
    shared = list(inspect.signature(picture).parameters.values())[:-1]
    own = [
        p.replace(kind=keyword) for p in list(inspect.signature(drawing).parameters.values())[1:]
    ]
    picture.__doc__, picture.__name__ = drawing.__doc__, drawing.__name__
    picture.__annotations__ = typing.get_type_hints(picture) | typing.get_type_hints(drawing)
    picture.__signature__ = inspect.Signature([*shared, *own])  # type: ignore[attr-defined]
    return picture


section = _asked(policy.section)
surface = _asked(policy_space.surface)
reachable = _asked(policy_space.reachable)
moves = _asked(policy_space.moves)
contours = _asked(policy_space.contours)
