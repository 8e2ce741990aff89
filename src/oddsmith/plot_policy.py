"""Pictures of a policy: each finds how a player plays and has it drawn. See `oddsmith.pictures`.

`play` says who plays how, as in `odds`; whose policy is drawn is `player` (1 for the first), by
default the one who plays the best response, or else the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from oddsmith.errors import OptionError
from oddsmith.progress import Progress
from oddsmith.rules.game import Game
from oddsmith.show.drawings import policy, policy_space
from oddsmith.show.picture.spec import Picture
from oddsmith.solve.play.judge import table_of
from oddsmith.solve.play.regions import By
from oddsmith.solve.play.table import Table


def _table(game: Game, play: str | None, player: int | None, progress: Progress) -> Table:
    if player is not None and not 1 <= player <= game.players:
        raise OptionError(f"{game.name} has no player {player}: they are 1 to {game.players}.")
    return table_of(game, play, None if player is None else player - 1, progress=progress)


def section(
    game: Game,
    *,
    progress: Progress,
    play: str | None = None,
    player: int | None = None,
    x: str | None = None,
    y: str | None = None,
    where: str | None = None,
    compare: str | None = None,
    by: By = "one",
    labels: Mapping[str, str] | None = None,
) -> Picture:
    """A map of the best moves along two numbers of the state, the others fixed by `where`."""
    table = _table(game, play, player, progress)
    return policy.section(table, x, y, where=where, compare=compare, by=by, labels=labels)


def surface(
    game: Game,
    *,
    progress: Progress,
    play: str | None = None,
    player: int | None = None,
    x: str | None = None,
    y: str | None = None,
    z: str | None = None,
    move: str | None = None,
    where: str | None = None,
    labels: Mapping[str, str] | None = None,
) -> Picture:
    """The faces between states with different best moves, or those of one move."""
    table = _table(game, play, player, progress)
    return policy_space.surface(table, x, y, z, move=move, where=where, labels=labels)


def reachable(
    game: Game,
    *,
    progress: Progress,
    play: str | None = None,
    player: int | None = None,
    x: str | None = None,
    y: str | None = None,
    z: str | None = None,
    where: str | None = None,
    by: By = "one",
    labels: Mapping[str, str] | None = None,
) -> Picture:
    """The states that play can come to, if one player follows the policy, or if all do."""
    table = _table(game, play, player, progress)
    return policy_space.reachable(table, x, y, z, where=where, by=by, labels=labels)


def moves(
    game: Game,
    *,
    progress: Progress,
    play: str | None = None,
    player: int | None = None,
    move: str | None = None,
    x: str | None = None,
    y: str | None = None,
    z: str | None = None,
    where: str | None = None,
    by: By = "one",
    labels: Mapping[str, str] | None = None,
) -> Picture:
    """The states that play can come to and in which a move is best: by default the first one."""
    table = _table(game, play, player, progress)
    return policy_space.moves(table, move, x, y, z, where=where, by=by, labels=labels)


def contours(
    game: Game,
    *,
    progress: Progress,
    play: str | None = None,
    player: int | None = None,
    x: str | None = None,
    y: str | None = None,
    z: str | None = None,
    levels: Sequence[float] | None = None,
    where: str | None = None,
    labels: Mapping[str, str] | None = None,
) -> Picture:
    """The faces between states that are worth more and less than some levels."""
    table = _table(game, play, player, progress)
    return policy_space.contours(table, x, y, z, levels=levels, where=where, labels=labels)
