"""Who sits at the table: what only the whole model can say about the players of a game."""

from __future__ import annotations

import numpy as np

from oddsmith.errors import RuleError
from oddsmith.model.model import Model
from oddsmith.rules import interpret


def check_seats(model: Model) -> None:
    """Refuse decisions that are nobody's, and players whom the rules have forgotten.

    The interpreter sees the first in the states that it plays; this sees all. The second is for
    more players than usual, which the user has set: one who neither moves nor wins is none.
    """
    game = model.origin
    several = np.nonzero(np.diff(model.choice) > 1)[0]
    if len(several) and not game.knows_mover:
        first = int(several[0])
        moves = model.move[model.choice[first] : model.choice[first + 1]]
        named = [game.actions[int(number)].name for number in moves]
        raise interpret.no_mover(game, model.state(first), named)
    if model.shift is not None or game.players <= game.declared_options()["players"][1]:
        return
    won = int(np.bitwise_or.reduce(model.winners[model.winners > 0], initial=0))
    movers = set(np.unique(model.mover[model.winners == interpret.GOES_ON]).tolist())
    idle = [p for p in range(game.players) if p not in movers and not won >> p & 1]
    if idle:
        raise RuleError(
            f"With {game.players} players, player {idle[0] + 1} of {game.name} neither moves nor "
            f"wins in any state: the rules seem to be written for another number of players."
        )
