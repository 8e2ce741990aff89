"""Any policy as a table: its move in every state, what that is worth, and what it gives away.

A table that optimal play or a best response has made knows all this already. For a policy by a
rule the opponents' decisions are made, the rule is asked in every state that its player can
then come to, and the chain that comes of it is solved. The margin of a state is what the rule's
move is worth more than the best other one, if the rule is followed afterwards: negative where
the rule errs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from oddsmith.errors import OptionError
from oddsmith.model.explore import Subject, explore
from oddsmith.model.model import Model
from oddsmith.policies.policy import Policy
from oddsmith.policies.restrict import RANDOM, restrict
from oddsmith.policies.table import NO_MOVE, Table
from oddsmith.questions.keywords import checked
from oddsmith.questions.settings import Settings, Solving
from oddsmith.solve.endless import of_play
from oddsmith.solve.play.optimal import Solution, set_margins, solve
from oddsmith.solve.play.problem import game_problem, response_problem
from oddsmith.solve.play.profile import decidable, each_player, profile, restricted


@checked
def table_of(
    subject: Subject, play: Any = None, player: int | None = None, **settings: Unpack[Solving]
) -> Table:
    """How a player (0 for the first) plays, as a table; keywords are those of `Settings`.

    `play` is what `odds` takes: a policy for all, or one for each player. If no player is named,
    it is the one who plays the best response, or else the first.

    >>> from oddsmith import game
    >>> cautious = table_of(game("piglet", goal=3), "hold-at-1")
    >>> cautious.name, cautious.player
    ('hold-at-1', 0)
    """
    wanted = Settings(**settings)
    model = decidable(subject, wanted)
    game = model.origin
    if player is None:
        each = each_player(game, play)
        player = each.index("best-response") if "best-response" in each else 0
    if not 0 <= player < game.players:
        raise OptionError(f"{game.name} has no player {player}: they are 0 to {game.players - 1}.")
    if model.is_chain:
        raise OptionError(f"{game.name} leaves nothing to decide: there is no way to play it.")
    policies = profile(model, play, wanted).policies
    mine = policies[player]
    return with_model(mine) if isinstance(mine, Table) else _judged(model, policies, player, wanted)


def _judged(model: Model, policies: Sequence[Policy], player: int, settings: Settings) -> Table:
    """The table of a policy by a rule, for one player against the others."""
    policy = policies[player]
    others = [None if p == player else each for p, each in enumerate(policies)]
    if any(isinstance(each, Table) and each.player is not None for each in others):
        raise OptionError(
            f"The policy {policy.name} cannot be judged in every state: the best response to it "
            f"does not know those that it never comes to."
        )
    left = restricted(model, others)
    pick = np.zeros(left.states, np.uint8)
    choosing = np.nonzero(np.diff(left.choice) > 1)[0]
    made = policy.decide(left, choosing)
    if (made == RANDOM).any():
        raise OptionError(f"The policy {policy.name} has no best moves: it takes any, at random.")
    pick[choosing] = made - left.choice[choosing]
    chain = restrict(left, lambda states: left.choice[states] + pick[states], everywhere=True)
    found = solve(
        response_problem(chain, player, of_play(model)),
        tolerance=settings.tolerance,
        certify=settings.method != "float",
        progress=settings.progress,
    )
    judged = Solution(
        response_problem(left, player, of_play(model)), found.x, pick, found.lower,
        found.upper, margin=np.empty(0), certain=np.empty(0, bool), how=found.how,
    )  # fmt: skip
    set_margins(judged)
    return _table(left, judged, policy.name, player)


def _table(model: Model, found: Solution, name: str, player: int) -> Table:
    action = np.full(model.states, NO_MOVE, np.uint8)
    live = np.nonzero(np.diff(model.choice) > 0)[0]
    action[live] = model.move[found.picks[live]]
    error = float(max(found.lower.max(), found.upper.max()))
    table = Table(
        model.origin, model.names, action, found.x,
        relative=False, name=name, player=player, error=error, how=tuple(found.how),
    )  # fmt: skip
    table.model, table.solution = model, found
    return table


def with_model(table: Table) -> Table:
    """A table that was read from a file, with the model of its game, margins and bounds again."""
    if table.model is not None:
        return table
    game = table.game
    if table.foreign:
        raise OptionError(
            f"The policy {table.name} was read from a file that you have not written (its seal is "
            f"not yours), so what it says of the worth of states is not believed: make it anew."
        )
    if table.player is not None:
        raise OptionError(
            f"The policy {table.name} was read from a file that does not say how the others play: "
            f"make it anew, with best_response."
        )
    model = explore(game, symmetry=table.relative)
    live = np.nonzero(np.diff(model.choice) > 0)[0]
    pick = np.zeros(model.states, np.uint8)
    pick[live] = table.decide(model, live) - model.choice[live]
    places = table.places(model, np.arange(model.states))
    x = np.ascontiguousarray(table.worth[places])
    bound = np.full_like(x, table.error)
    found = Solution(
        game_problem(model), x, pick, bound, bound, margin=np.empty(0), certain=np.empty(0, bool)
    )
    set_margins(found)
    again = Table(
        game, model.names, table.action[places], x, relative=table.relative, name=table.name,
        error=table.error, how=table.how,
    )  # fmt: skip
    again.model, again.solution = model, found
    return again
