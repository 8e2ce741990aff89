"""Pictures of how games are solved: convergence, value iteration, a folded plane, the states.

Each function asks the solver what the picture needs and has it drawn; see `by_name.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.errors import LimitError, OptionError
from oddsmith.model.explore import explore
from oddsmith.model.model import GOES_ON, Model
from oddsmith.model.names import mover_view
from oddsmith.present.pictures.kind import picture
from oddsmith.rules import interpret
from oddsmith.rules.game import Game, check_game
from oddsmith.rules.layout import layout_of, leaves
from oddsmith.rules.state_text import parse_state
from oddsmith.runtime.progress import Progress
from oddsmith.show.drawings.heading import setting
from oddsmith.show.pictures.spec import Picture

MOST_LINES = 24
"""States whose value iteration is drawn, a line each."""

MOST_NODES = 80
"""States that are drawn as a graph."""

MOST_FOLDED = 20_000
"""States of a game whose equations are looked at,"""

MOST_SEARCHED = 2_000
"""States among which a fold is looked for."""

SEARCHED_MOVES = 64

CHANGE = 1e-4
"""Value iteration is drawn until a round changes no value by more."""

MOST_ROUNDS = 400

FEW_ROLLS = 3
"""Rolls that are written at an arrow; of more, how many."""


@picture("games")
def convergence(
    game: Game, *, progress: Progress, play: Any = None, endless: str = "error"
) -> Picture:
    """How bounds close while it is solved."""
    from oddsmith.ask.convergence import convergence as followed
    from oddsmith.show.drawings.convergence import convergence_picture

    found = followed(game, play=play, endless=endless, progress=progress)
    small = setting(game.players, game.described)
    if found.notes:  # the first note says who plays how
        small += f", {found.notes[0]}"
    return convergence_picture(found, game.name, small)


@picture("choices")
def iteration(game: Game, *, progress: Progress) -> Picture:
    """Value iteration, a line a state."""
    from oddsmith.questions.settings import Settings
    from oddsmith.results.digits import short_fraction
    from oddsmith.show.drawings.iteration import iteration_picture
    from oddsmith.solve.play.iteration import Equations
    from oddsmith.solve.play.problem import game_problem
    from oddsmith.solve.play.profile import optimal_table

    model = _small(game, 100 * MOST_LINES, "value iteration is drawn with a line a state", progress)
    equations = Equations(game_problem(model))
    live = equations.live
    if len(live) > MOST_LINES:
        raise LimitError(
            f"{game.name} has {len(live):,} states in which the game goes on: value iteration is "
            f"drawn with a line each for {MOST_LINES} at most. Options that make it smaller help."
        )
    table = optimal_table(model, Settings(progress=progress))
    limits = [float(table.worth[s, 0]) for s in live]
    exact = table.exact
    written = [f"{v:.4g}" for v in limits]
    if exact is not None:
        written = [short_fraction(exact[s][0]) for s in live]
    names = [short_name(model, int(s)) for s in live]
    return iteration_picture(
        equations.rounds(MOST_ROUNDS, CHANGE)[:, live],
        names,
        limits,
        written,
        title=game.name,
        small=f"{setting(game.players, game.described)}; dashes: the solution",
        fields=field_names(model),
        percent=not game.has_score,
    )


@picture("choices")
def fold(
    game: Game, *, progress: Progress, state: str | None = None, unknowns: str | None = None
) -> Picture:
    """An equation of optimal play as a folded plane.

    `state` is a state as text; `unknowns` are two states that it depends on, with `;` between.
    """
    from oddsmith.questions.settings import Settings
    from oddsmith.show.drawings.fold import fold_picture
    from oddsmith.solve.play.iteration import Equations, fold_of
    from oddsmith.solve.play.problem import game_problem
    from oddsmith.solve.play.profile import optimal_table

    no_fold = OptionError(
        f"A fold is drawn for games of one or two players who go for the win, which {game.name} "
        f"is not."
    )
    if game.has_score:
        raise no_fold
    model = _small(game, MOST_FOLDED, "a fold is looked for among fewer", progress)
    problem = game_problem(model)
    if model.is_chain:
        raise OptionError(f"{game.name} leaves nothing to decide: no equation of it has a fold.")
    if not (problem.seats == 1 or problem.zero_sum):
        raise no_fold
    equations, x = Equations(problem), optimal_table(model, Settings(progress=progress)).worth
    asked = None if state is None else _number(model, parse_state(game, state), state)
    if asked is not None and model.choice[asked + 1] - model.choice[asked] < 2:
        raise OptionError(f"There are no two moves to choose from in {state}: name another state.")
    pair = None
    if unknowns is not None:
        if asked is None:
            raise OptionError("Unknowns are those of an equation: give its state too.")
        pair = _unknowns(model, equations.planes(asked)[0], unknowns)
    several = np.nonzero(np.diff(model.choice) > 1)[0][:MOST_SEARCHED]
    tried = several if asked is None else [asked]
    folds = [fold_of(equations, x, int(s), pair) for s in tried if asked is not None or _few(
        model, int(s))]  # fmt: skip
    found = max(
        (f for f in folds if f is not None), key=lambda f: round(f.balance(), 6), default=None
    )
    if found is None or (asked is None and found.balance() == 0.0):
        raise OptionError(
            f"No equation of {game.name} that was looked at folds over two unknowns: name a state."
        )
    return fold_picture(
        found,
        short_name(model, found.state),
        [short_name(model, u) for u in found.unknowns],
        title=game.name,
        small=setting(game.players, game.described),
        fields=field_names(model),
    )


def _small(game: Game, most: int, why: str, progress: Progress, **how: Any) -> Model:
    """The model of a game that is small enough for a picture."""
    try:
        return explore(check_game(game), max_states=most, progress=progress, **how)
    except LimitError:
        raise LimitError(
            f"{game.name} has more than {most:,} states, and {why}: take options that make it "
            f"smaller."
        ) from None


def _few(model: Model, state: int) -> bool:
    """Whether a state leads to few enough others to try all their pairs."""
    return bool(model.state_row[state + 1] - model.state_row[state] <= SEARCHED_MOVES)


def _number(model: Model, state: Any, text: str) -> int:
    """The number of a state, as its mover sees it where the model is so."""
    seen = mover_view(model.origin, state)[0] if model.shift is not None else state
    try:
        return model.find(seen)
    except KeyError:
        raise OptionError(f"{text} is a state that play never comes to.") from None


def _unknowns(model: Model, depends: Any, text: str) -> tuple[int, int]:
    texts = [part.strip() for part in text.split(";") if part.strip()]
    if len(texts) != 2:
        raise OptionError(f"Unknowns are two states with ; between them, not {text!r}.")
    one, two = (_number(model, parse_state(model.origin, part), part) for part in texts)
    for number, part in ((one, texts[0]), (two, texts[1])):
        if number not in depends or one == two:
            names = ", ".join(short_name(model, int(u)) for u in depends)
            raise OptionError(
                f"{part} cannot be one of two unknowns of this equation: they are {names} "
                f"({field_names(model)})."
            )
    return one, two


@picture("games")
def states(game: Game, *, progress: Progress) -> Picture:
    """The states of a small game as a graph."""
    from oddsmith.show.drawings.states import Edge, Node, states_picture

    advice = "so many cannot be seen (oddsmith export … dot writes a file for Graphviz)"
    model = _small(game, MOST_NODES, advice, progress, symmetry=False)
    numbers = {model.state(s): s for s in range(model.states)}
    layout = layout_of(game, interpret.first_state(game))
    nodes, labels = [], dict[tuple[int, int], list[str]]()
    for s in range(model.states):
        state, over = model.state(s), int(model.winners[s])
        mover = None if over != GOES_ON else int(model.mover[s])
        nodes.append(Node(short_name(model, s), mover, _ended(game, over)))
        if over != GOES_ON:
            continue
        legal = interpret.legal_actions(game, state)
        for _, action in legal:
            for _, roll, after in interpret.outcomes(game, layout, action, state):
                words = [action.name] if len(legal) > 1 or roll is None else []
                words += [] if roll is None else [game.roll_name(roll)]
                labels.setdefault((s, numbers[after]), []).append(" ".join(words))
    edges = [Edge(a, b, _listed(rolls)) for (a, b), rolls in labels.items()]
    return states_picture(
        nodes,
        edges,
        title=game.name,
        small=f"{setting(game.players, game.described)}, {len(nodes)} states",
        fields=field_names(model),
        players=game.players,
    )


def _ended(game: Game, winners: int) -> str:
    if winners == GOES_ON:
        return ""
    if winners == 0:
        return "draw" if game.players > 1 else "lost"
    won = [str(p + 1) for p in range(game.players) if winners >> p & 1]
    if game.players == 1:
        return "won"
    return f"{' and '.join(won)} win" + "s" * (len(won) == 1)


def _listed(rolls: list[str]) -> str:
    rolls = list(dict.fromkeys(rolls))
    return ", ".join(rolls) if len(rolls) <= FEW_ROLLS else f"{len(rolls)} rolls"


# Words --------------------------------------------------------------------------------------


def short_name(model: Model, state: int) -> str:
    """A state by its numbers alone; whose turn it is goes without saying if the mover is first."""
    return ",".join(str(int(value)) for _, value in _told(model, state))


def field_names(model: Model) -> str:
    """What the numbers of a short name are."""
    names = [name for name, _ in _told(model, model.start)]
    return ", ".join(names) + (" (the mover first)" if model.shift is not None else "")


def _told(model: Model, state: int) -> list[tuple[str, Any]]:
    alone = model.shift is not None or len(model.players) == 1
    return [(n, v) for n, v in leaves(model.state(state)) if not (alone and n == "turn")]
