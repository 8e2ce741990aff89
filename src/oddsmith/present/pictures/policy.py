"""Pictures of a policy: each finds how a player plays and has it drawn. See `by_name.py`.

`play` says who plays how, as in `odds`; whose policy is drawn is `player` (1 for the first), by
default the one who plays the best response, or else the first. The other options are those of the
drawing.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from oddsmith.errors import OptionError
from oddsmith.model.condition import matching
from oddsmith.model.model import GOES_ON, Model
from oddsmith.policies.policy import as_policy
from oddsmith.policies.table import NO_MOVE, Table
from oddsmith.present.pictures.kind import picture as named
from oddsmith.questions.settings import Settings
from oddsmith.rules.game import Game
from oddsmith.runtime.progress import Progress
from oddsmith.show.drawings import policy, policy_space
from oddsmith.show.drawings.cells import cells_of
from oddsmith.show.drawings.policy_look import number_of
from oddsmith.show.pictures.spec import Picture
from oddsmith.solve.play.judge import table_of
from oddsmith.solve.play.profile import decidable, each_player


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
        model = decidable(game, Settings(progress=progress))
        players = len(model.players)
        if player is not None and not 1 <= player <= players:
            raise OptionError(f"{model.name} has no player {player}: they are 1 to {players}.")
        seat = None if player is None else player - 1
        _check(model, play, axes, options)
        return drawing(table_of(model, play, seat, progress=progress), **options)

    axes = [name for name in inspect.signature(drawing).parameters if name in ("x", "y", "z")]
    keyword = inspect.Parameter.KEYWORD_ONLY
    shared = list(inspect.signature(picture).parameters.values())[:-1]
    own = [
        p.replace(kind=keyword) for p in list(inspect.signature(drawing).parameters.values())[1:]
    ]
    picture.__doc__, picture.__name__ = drawing.__doc__, drawing.__name__
    picture.__annotations__ = typing.get_type_hints(picture) | typing.get_type_hints(drawing)
    picture.__signature__ = inspect.Signature([*shared, *own])  # type: ignore[attr-defined]
    return named("choices", of_models=True)(picture)


def _check(model: Model, play: Any, axes: Sequence[str], options: Mapping[str, Any]) -> None:
    """Refuse, before anything is solved, what the drawing would refuse."""
    game = model.origin
    for each in each_player(game, play):
        as_policy(game, each)
    if options.get("compare") is not None:
        as_policy(game, options["compare"])
    if options.get("move") is not None:
        number_of(game, options["move"])
    if options.get("where"):
        matching(model.names, options["where"])
    if play in (None, "optimal") and not model.is_chain:
        action = np.where(model.winners != GOES_ON, NO_MOVE, 0).astype(np.uint8)
        worth = np.full((model.states, game.players), 1 / game.players)
        relative = model.shift is not None
        undecided = Table(game, model.names, action, worth, relative=relative)
        undecided.model = model
        cells_of(undecided, [options.get(name) for name in axes], options.get("where"))


section = _asked(policy.section)
surface = _asked(policy_space.surface)
reachable = _asked(policy_space.reachable)
moves = _asked(policy_space.moves)
contours = _asked(policy_space.contours)
