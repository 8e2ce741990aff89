"""Where the pieces land: the chance to come to a set of states ever, and how many times.

A *visit* begins when play enters the set from outside (or starts in it); a piece that stays on a
square while others move visits it once. With y the expected visits of states by the forward
solve, the expected number of entries is the sum of y(s) P(s → set) over s outside the set. The
chance of ever being there is a reachability question: the set counts as an end with value 1.

Where play goes on for ever (and counts as a draw) it comes to every state of its class infinitely
often: a set that has some of them is come to for sure, and entered infinitely often if it does not
have all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Unpack

import numpy as np

from oddsmith.ask.odds import length_error, lifting_plan
from oddsmith.errors import OptionError
from oddsmith.model import graph
from oddsmith.model.condition import matching
from oddsmith.model.explore import Subject
from oddsmith.model.model import Model
from oddsmith.model.subject import subject_of
from oddsmith.questions import door
from oddsmith.questions.case import Case
from oddsmith.questions.question import Question
from oddsmith.questions.settings import Keywords, Settings
from oddsmith.results.answer import Answer
from oddsmith.results.result import Result
from oddsmith.results.visits import Visit
from oddsmith.solve import plan
from oddsmith.solve.chain import Chain, boundary
from oddsmith.solve.engines.graph import Prepared
from oddsmith.solve.rounding import UNIT
from oddsmith.solve.sweeps import backward, forward

COLUMNS = 16
"""Sets whose chances are swept together."""


VISITS = Question("visits", "where play comes to, and how often", ("visits",), 2_000_000)


@door.question
def visits(
    subject: Subject,
    *,
    of: str | None = None,
    where: Callable[[Any], bool] | str | None = None,
    player: int | None = None,
    **settings: Unpack[Keywords],
) -> Result:
    """The chance of ever being somewhere, and the expected number of visits.

    - `of`: a number of the state, such as `positions[0]`: each value it takes is a set;
    - `where`: a predicate of states, or a text such as `positions[0]=31 & turn=1`: one set;
    - neither: the squares of a player's piece (1, the first, unless told), where the game says
      which field that is.

    Visits are counted until the game is over; a deadlock is an end. Where play goes on for ever
    (`endless="draw"`) it comes to every state there, and enters what it can leave again and again.

    Other keywords are those of `Settings`.

    >>> from oddsmith import game, visits
    >>> chutes = game("chutes-and-ladders")
    >>> second = visits(chutes, where=lambda s: s.positions[0] == 2)  # by a first throw of 2
    >>> print(second.visits[0].ever.exact)
    1/6
    """
    chosen = Settings(**settings)
    subject = subject_of(subject, chosen)
    asked_for = {"of": of, "where": where, "player": player}
    named = [name for name, value in asked_for.items() if value is not None]
    if len(named) > 1:
        raise OptionError(
            f"Visits of what? Give one of `of` (each value of a number), `where` (a condition) and "
            f"`player` (the squares of a piece), not {' and '.join(named)}."
        )
    if not (where is None or isinstance(where, str) or callable(where)):
        raise OptionError(
            f"`where` is a condition, such as 'turn=1', or a function of the state, not {where!r}."
        )
    player = player if player is not None else 1
    game = subject.origin if isinstance(subject, Model) else subject
    if not 1 <= player <= game.players:
        raise OptionError(f"There is no player {player}: {game.name} has {game.players}.")
    if chosen.method == "exact" and chosen.checkpoint is not None:
        raise OptionError("Visits in fractions have no checkpoint: leave it out.")
    sets = of is not None or where is not None
    on_chain = partial(_visits, of=of, where=where, player=player)
    return plan.answer(Case(VISITS, subject, chosen, on_chain, player=player, sets=sets))


def _visits(prepared: Prepared, of: str | None, where: Any, player: int) -> Result:
    """The visits from a chain."""
    settings, chain = prepared.settings, prepared.chain.unfolded()
    group, names = _sets(chain.model, of, where, player)
    if prepared.method == "exact":
        times = _for_ever(chain, group, _times_exact(prepared, chain, group, len(names)))
        chances = _ever_exact(prepared, chain, group, len(names))
        rows = tuple(Visit(*row) for row in zip(names, chances, times, strict=True))
        return prepared.result(["p-adic lifting"], visits=rows)
    visits = forward(chain, settings.tolerance, settings.solver, settings.progress)
    times = _for_ever(chain, group, _times(prepared, visits, group, len(names)))
    chances = _ever(prepared, visits.chain, group, len(names))
    rows = tuple(Visit(*row) for row in zip(names, chances, times, strict=True))
    return prepared.result([visits.method], interrupted=visits.interrupted, visits=rows)


def _sets(model: Model, of: str | None, where: Any, player: int | None) -> tuple[Any, list[str]]:
    """For each state the number of the set it is in, or -1; and the sets' names."""
    if isinstance(where, str):
        return np.where(matching(model.names, where), 0, -1), [where]
    if where is not None:
        return np.where(model.where(where), 0, -1), [getattr(where, "__name__", "where")]
    if of is None:
        if not model.origin.squares:
            raise OptionError(
                f"{model.name} does not say where its pieces stand: name a number of its "
                f"state, such as {_example(model)!r}, or give a predicate."
            )
        return _places(model, model.names.column(f"{model.origin.squares}[{(player or 1) - 1}]"))
    kept, group = np.unique(model.names.column(of), return_inverse=True)
    return group, [f"{of} = {value}" for value in kept]


def _places(model: Model, positions: Any) -> tuple[Any, list[str]]:
    """Positions by the places they are; a square and its waiting room are one."""
    kept, index = np.unique(positions, return_inverse=True)
    names = [model.origin.place(int(position)) for position in kept]
    number = {name: i for i, name in enumerate(dict.fromkeys(names))}
    return np.array([number[name] for name in names])[index], list(number)


def _example(model: Model) -> str:
    return "turn" if model.names.why_no_rows else model.names.columns[0]


def _come_to(chain: Chain, group: Any, sets: Any) -> Any:
    """States × sets: whether play that is over, or goes on for ever, in a state is in the set."""
    worth = group[:, None] == sets[None, :]
    if chain.endless.any():
        component, count = graph.strong_components(chain.model.state_row, chain.model.col)
        touched = np.zeros((count, len(sets)), np.bool_)
        np.logical_or.at(touched, component[chain.endless], worth[chain.endless])
        worth[chain.endless] = touched[component[chain.endless]]
    return worth


def _for_ever(chain: Chain, group: Any, times: list[Answer]) -> list[Answer]:
    """Entries into sets, infinitely many where play that never ends goes in and out of them."""
    expected = list(times)
    source = np.repeat(np.arange(chain.model.states), np.diff(chain.model.state_row))
    into = group[chain.model.col]
    entered = chain.endless[source] & (group[source] != into) & (into >= 0)
    for number in np.unique(into[entered]):
        expected[number] = Answer.infinite()
    return expected


def _times(prepared: Prepared, visits: Any, group: Any, count: int) -> list[Answer]:
    """Expected number of entries into each set."""
    chain, model = visits.chain, visits.chain.model
    row = model.state_row
    source = np.repeat(np.arange(model.states), np.diff(row))
    y = np.zeros(model.states)
    y[chain.order] = visits.y[:, 0]
    total = np.ones(model.states)
    total[chain.order] = chain.total
    enters = (group[source] != group[model.col]) & (group[model.col] >= 0)
    chance = y[source[enters]] * model.weight[enters] / total[source[enters]]
    times = np.bincount(group[model.col[enters]], chance, minlength=count)
    if group[model.start] >= 0:
        times[group[model.start]] += 1
    if prepared.method == "float":
        return [Answer(float(t)) for t in times]
    # A plain sum of m terms is off by at most (m + 8) u times their sum.
    rounding = (np.count_nonzero(enters) + 8) * UNIT
    error = length_error(visits, prepared.settings)
    return [Answer.within(float(t), error + rounding * float(t)) for t in times]


def _times_exact(prepared: Prepared, chain: Chain, group: Any, count: int) -> list[Answer]:
    """Expected number of entries into each set, as a fraction."""
    from oddsmith.solve.exact.values import start_values

    model = chain.model
    source = np.repeat(np.arange(model.states), np.diff(model.state_row))
    place, into = chain.place[source], group[model.col]
    enters = (group[source] != into) & (into >= 0) & (place >= 0)
    earned = np.zeros((chain.size, count), np.int64)
    np.add.at(earned, (place[enters], into[enters]), model.weight[enters].astype(np.int64))
    nothing = np.zeros((model.states, count), np.int64)
    expected, _ = start_values(
        chain, nothing, earned, lifting_plan(prepared.settings, prepared.model.origin, kept=False)
    )
    began = int(group[model.start])
    return [Answer.of_fraction(times + int(of == began)) for of, times in enumerate(expected)]


def _ever(prepared: Prepared, chain: Chain, group: Any, count: int) -> list[Answer]:
    """Chance of ever entering each set, some sets at a time."""
    start, chances = chain.model.start, []
    for first in range(0, count, COLUMNS):
        last = min(count, first + COLUMNS)
        sets = np.arange(first, last)
        worth = _come_to(chain, group, sets) & (chain.outcome >= 0)[:, None]
        pin = np.where((group >= first) & (group < last), group - first, -1)[chain.order]
        swept = backward(
            chain,
            boundary(chain, worth.astype(float)),
            pin=pin.astype(np.int64),
            tolerance=prepared.settings.tolerance,
            solver=prepared.settings.solver,
            progress=prepared.settings.progress,
            certify=prepared.method == "certified",
        )
        place = chain.place[start]
        for q in range(last - first):
            if group[start] == first + q:
                chances.append(Answer.within(1.0, 0.0, high=1.0))
            elif place < 0:
                chances.append(Answer.within(float(worth[start, q]), 0.0, high=1.0))
            elif prepared.method == "float":
                chances.append(Answer(float(swept.x[place, q])))
            else:
                error = float(swept.error[place, q])
                chances.append(Answer.within(float(swept.x[place, q]), error, high=1.0))
    return chances


def _ever_exact(prepared: Prepared, chain: Chain, group: Any, count: int) -> list[Answer]:
    """Chance of ever entering each set, as a fraction."""
    from oddsmith.solve.exact.values import start_values

    nothing = np.zeros((chain.size, 1), np.int64)
    lifting = lifting_plan(prepared.settings, prepared.model.origin, kept=False)

    def chance(of: int) -> Answer:
        inside = group == of
        worth = _come_to(chain, group, np.array([of])).astype(np.int64)
        worths, _ = start_values(chain, worth, nothing, lifting, ~inside[chain.order], most=1.0)
        return Answer.of_fraction(worths[0])

    return [chance(of) for of in range(count)]
