"""Who plays how: from a model with decisions to the Markov chain that some policies make of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Unpack

import numpy as np

from oddsmith.errors import NoEquilibriumError, OptionError
from oddsmith.model.explore import Subject
from oddsmith.model.model import ROUNDED, Model
from oddsmith.model.opened import refuse_without_wins
from oddsmith.model.subject import model_of
from oddsmith.policies.policy import Policy, as_policy, usual_policy
from oddsmith.policies.restrict import FREE, restrict
from oddsmith.policies.table import NO_MOVE, Table
from oddsmith.questions import door
from oddsmith.questions.settings import Settings, Solving
from oddsmith.rules.game import Game
from oddsmith.solve.endless import of_play
from oddsmith.solve.engines.graph import plays_exactly
from oddsmith.solve.play.chances import WorthBounds
from oddsmith.solve.play.exact import solve_exactly
from oddsmith.solve.play.optimal import Solution, solve
from oddsmith.solve.play.problem import Problem, game_problem, response_problem


@dataclass
class Played:
    """The chain that policies make of a model, and what is to be said about them."""

    chain: Model
    policies: tuple[Policy, ...]
    notes: list[str]
    worth: dict[int, WorthBounds] = field(default_factory=dict)
    """What the start is worth if they are played, by player, where finding them has proved it."""


def profile(model: Model, play: Any, settings: Settings, everywhere: bool = False) -> Played:
    """The chain of a game in which the players play as `play` says.

    It holds the states that play can come to, or all of them if it is to be known `everywhere`.
    """
    game = model.origin
    wanted = [as_policy(game, each) for each in each_player(game, play)]
    notes: list[str] = []
    if "optimal" in wanted:
        best = optimal_table(model, settings)
        notes += best.how
        wanted = [best if each == "optimal" else each for each in wanted]
    if "best-response" in wanted:
        return _with_response(model, wanted, settings, notes)
    policies = [each for each in wanted if isinstance(each, Policy)]
    first = policies[0]
    if all(each is first for each in policies) and first.any_seat:
        chain = restrict(model, lambda states: first.decide(model, states), everywhere)
    else:
        chain = restricted(model, policies, everywhere)
    worth = {}
    if isinstance(first, Table) and all(each is first for each in policies):
        worth = _worth_at_start(first, model)
    return Played(chain, tuple(policies), [_described(policies), *notes], worth)


def _worth_at_start(table: Table, model: Model) -> dict[int, WorthBounds]:
    """What the start of a model is proved to be worth to the players, if they play by its table."""
    found, start = table.solution, model.start
    if found is None or table.model is not model or not np.isfinite(found.upper[start]).all():
        return {}
    if table.player is not None:
        seats = {table.player: 0}
    else:
        mover = model.start_lane if model.shift is not None else int(model.mover[start])
        seats = {(mover + q) % len(model.players): q for q in range(len(model.players))}
    return {player: WorthBounds(*found.interval(start, q)) for player, q in seats.items()}


def each_player(game: Game, play: Any) -> list[Any]:
    """One policy a player, from one for all or one each."""
    if play is None:
        play = "optimal"
    if isinstance(play, str):
        play = [part for part in play.split(",") if part.strip()]
    if not isinstance(play, Sequence):
        play = [play]
    if len(play) == 1:
        return list(play) * game.players
    if len(play) != game.players:
        raise OptionError(
            f"{game.name} has {game.players} player{'s' * (game.players > 1)}, but {len(play)} "
            f"ways to play were given: give one for all, or one for each."
        )
    return list(play)


def _described(policies: Sequence[Policy]) -> str:
    names = [policy.name for policy in policies]
    return f"play: {names[0]}" if len(set(names)) == 1 else "play: " + " v ".join(names)


def restricted(model: Model, policies: Sequence[Policy | None], everywhere: bool = False) -> Model:
    """The full model with every player's decisions made, but for one who has no policy yet."""
    full = model.unfolded()

    def decide(states: Any) -> Any:
        found = np.full(len(states), FREE, np.int64)
        for player, policy in enumerate(policies):
            mine = np.nonzero(full.mover[states] == player)[0]
            if policy is not None and len(mine):
                found[mine] = policy.decide(full, states[mine])
        return found

    return restrict(full, decide, everywhere)


def _with_response(model: Model, wanted: Sequence[Any], settings: Settings, notes: Any) -> Played:
    if list(wanted).count("best-response") > 1:
        raise OptionError("Only one player can play the best response: to what would it be?")
    player = list(wanted).index("best-response")
    others = [None if p == player else each for p, each in enumerate(wanted)]
    table, left = _response(model, others, player, settings)
    chain = restrict(left, lambda states: table.decide(left, states))
    policies = tuple(table if each is None else each for each in others)
    worth = _worth_at_start(table, left)
    return Played(chain, policies, [_described(policies), *notes, *table.how], worth)


def _response(
    model: Model, others: Sequence[Policy | None], player: int, settings: Settings
) -> tuple[Table, Model]:
    left = restricted(model, others)
    problem = response_problem(left, player, of_play(model))
    return _table(problem, settings, "best response", player), left


def optimal_table(model: Model, settings: Settings) -> Table:
    """Optimal play of a model, as a policy.

    Interchangeable players are first taken to play alike. Where no equilibrium is found so,
    there may still be one in which they do not: it is looked for seat by seat.
    """
    try:
        return _optimal(model, settings)
    except NoEquilibriumError as error:
        finding = error.finding
    if model.shift is not None:
        try:
            return _optimal(model.unfolded(), settings)
        except NoEquilibriumError as error:
            finding = f"{error.finding} It was looked for with the same moves for every seat too."
    raise NoEquilibriumError(finding, _instead(model.origin))


def _optimal(model: Model, settings: Settings) -> Table:
    return _table(game_problem(model), settings, "optimal")


def _instead(game: Game) -> str:
    """What can be asked where there is no optimal play."""
    name = usual_policy(game).name
    each = ",".join(["best-response", *[name] * (game.players - 1)])
    return f"Say how each player plays: --play {name} for all, or one for each, as --play {each}."


def _table(problem: Problem, settings: Settings, name: str, player: int | None = None) -> Table:
    model, exact = problem.model, None
    largest = int(np.diff(problem.bounds).max(initial=0)) * problem.seats
    in_fractions = plays_exactly(settings, model.states, largest)
    found = solve(
        problem, tolerance=settings.tolerance, rough=in_fractions, progress=settings.progress,
        certify=settings.method != "float" and not in_fractions,
    )  # fmt: skip
    if in_fractions:
        exact, ties = solve_exactly(found, settings.progress)
        found.x = np.array([[float(v) for v in values] for values in exact], np.float64)
        how = [f"{name}: exact, {found.decisions:,} decisions, {ties:,} of them ties"]
    else:
        how = [*found.how, decisions_note(found)]
    if model.rounded:
        how.append(ROUNDED)
    error = 0.0 if exact is not None else float(max(found.lower.max(), found.upper.max()))
    action = np.full(model.states, NO_MOVE, np.uint8)
    live = np.nonzero(np.diff(model.choice) > 0)[0]
    action[live] = model.move[found.picks[live]]
    table = Table(
        model.origin,
        model.names,
        action,
        found.x,
        relative=model.shift is not None,
        name=name,
        player=player,
        error=error,
        exact=exact,
        how=tuple(how),
    )
    table.model = model
    table.solution = found
    return table


def decisions_note(found: Solution) -> str:
    """How sure the decisions are, for people."""
    if not found.decisions:
        return "nothing to decide"
    narrow = int(np.argmin(found.margin))
    state = found.problem.model.state(narrow)
    text = f"{found.decisions:,} decisions, "
    if len(found.undecided):
        first = found.problem.model.state(int(found.undecided[0]))
        most = float((found.lower + found.upper).max())
        near = (
            f"either move is best to within {most:.1e}" if np.isfinite(most) else "without bounds"
        )
        text += (
            f"{len(found.undecided):,} too close to call, such as {first!r} ({near}, and the odds "
            f"are those of the one taken; method='exact' settles it)"
        )
    else:
        text += f"all certain; the closest by {found.margin[narrow]:.2g}, in {state!r}"
    if found.problem.seats > 2 and found.regret:
        text += f"; nobody gains more than {found.regret:.1e} by playing otherwise"
    return text


@door.question
def optimal(game: Subject, **settings: Unpack[Solving]) -> Table:
    """Optimal play: what to do in every state, and what that is worth.

    Alone or against one opponent it is the best there is; with more players it is an equilibrium:
    nobody does better by leaving it alone. Keywords are those of `Settings`; `method="exact"`
    gives fractions.

    >>> from oddsmith import game, optimal
    >>> best = optimal(game("piglet", goal=2))
    >>> print(best.advice(best.game.start())[0])
    flip: 4/7
    """
    wanted = Settings(**settings)
    return optimal_table(decidable(game, wanted), wanted)


@door.question
def best_response(
    game: Subject, against: Any, player: int = 0, **settings: Unpack[Solving]
) -> Table:
    """The best that a player (0 for the first) can do against others who play by fixed policies."""
    wanted = Settings(**settings)
    model = decidable(game, wanted)
    others = len(model.players) - 1
    if not 0 <= player <= others:
        raise OptionError(f"{model.name} has no player {player}: they are 0 to {others}.")
    given = list(against) if isinstance(against, list | tuple) else [against] * others
    if len(given) != others:
        raise OptionError(f"{model.name} needs {others} opponents, not {len(given)}.")
    given.insert(player, "best-response")
    policy = profile(model, given, wanted).policies[player]
    assert isinstance(policy, Table)
    return policy


def decidable(subject: Subject, settings: Settings) -> Model:
    """The model of which best play is asked: somebody can win."""
    model = model_of(subject, settings)
    refuse_without_wins(model)
    return model
