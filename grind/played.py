"""Programs as play: who wins, how long it lasts and what is best, of the model that a program is.

Where players win is drawn with the model, as conditions; the reference is the plain model with its
ends, walked in fractions.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from grind import decide
from grind.game_questions import METHODS, Asker, _reachable, _worths
from grind.models import Program, State
from grind.plain import Choice, Plain
from grind.tally import Tally
from grind.walk import random_walk, walk
from oddsmith import odds, optimal
from oddsmith.model.subject import subject_of
from oddsmith.questions.settings import Settings


def ask_played(program: Program, model: Plain, data: dict[str, Any], tally: Tally) -> None:
    """Everything about one program as play."""
    guards = [guard or [[0, 3, 0]] for guard in data["wins"]]
    if program.game:
        guards = (guards * 2)[:2]
    ended = opened(program, model, guards)
    subject = subject_of(program.text, Settings(win=[program.condition(one) for one in guards]))
    dice = Random(program.text)
    tally.same("played: states", sorted(map(tuple, subject.names)), sorted(ended.names))  # type: ignore[type-var,union-attr]
    for method in METHODS:
        one = Player({"shape": "program"}, subject, ended, tally, method, dice)  # type: ignore[arg-type]
        tally.attempt(one.of_chance if all(len(c) < 2 for c in ended.choices) else one.of_decisions)


def opened(program: Program, model: Plain, guards: list[list[list[int]]]) -> Plain:
    """The plain model with ends: where somebody has won, or nothing happens any more."""
    choices: list[list[Choice]] = []
    winners: list[tuple[int, ...] | None] = []
    for s, name in enumerate(model.names):
        won = tuple(p for p, guard in enumerate(guards) if program.holds(guard, name))  # type: ignore[arg-type]
        still = all(t == s for choice in model.choices[s] for _, t in choice.outcomes)
        choices.append([] if won or still else model.choices[s])
        winners.append(won if won or still else None)
    # In the text of a game the second of the players stands first; else one decides everywhere.
    owner = [1 - p for p in model.owner] if program.game else [0] * model.size
    ended = replace(model, choices=choices, winners=winners, owner=owner, players=len(guards))
    return only(ended, sorted(_reachable(ended)))


def only(model: Plain, kept: list[int]) -> Plain:
    """Some states of a model, which nothing leaves."""
    number = {s: i for i, s in enumerate(kept)}
    choices = [
        [replace(c, outcomes=[(p, number[t]) for p, t in c.outcomes]) for c in model.choices[s]]
        for s in kept
    ]
    parts = (model.owner, model.names, model.winners)
    owner, names, winners = ([part[s] for s in kept] for part in parts)
    return replace(
        model, choices=choices, owner=owner, names=names, winners=winners,
        start=number[model.start],
    )  # fmt: skip


class Player(Asker):
    """Questions about a program as play; the game is its model."""

    def of_chance(self) -> None:
        """Nobody decides."""
        self.tally.attempt(self.ask_walk, walk(self.model, [0] * self.model.size), " of play", {})

    def of_decisions(self) -> None:
        """Somebody does: at random, or as well as possible."""
        found = random_walk(self.model)
        self.tally.attempt(self.ask_walk, found, " of play at random", {"play": "random"})
        self.tally.attempt(self.ask_best)

    def ask_best(self) -> None:
        """Optimal play, by all policies."""
        model = self.model
        if model.players > 2:
            return
        side = [True, False][: model.players]
        try:
            truth = decide.value(model, side, lambda picks: _worths(walk(model, picks), 0))
        except decide.TooMany:
            return
        settings = self.settings | {"endless": "draw"}
        table = optimal(self.game, **settings)
        if truth is None or self.unproved(table):
            return
        loss = self.loss(table, model.names[model.start])
        share = odds(self.game, **settings).win
        self.ask_share("odds of play, optimal", share, truth[model.start], loss)

    def state(self, name: State) -> Any:
        """The state with some values."""
        return next(state for state in self.game.names if tuple(state) == tuple(name))  # type: ignore[attr-defined]
