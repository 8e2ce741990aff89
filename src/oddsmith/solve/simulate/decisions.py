"""Simulation of games in which players decide: policies against policies.

A game that can be explored is played on its model: the policies make a Markov chain of it, and a
game is a walk on the chain. One that is too large is played by its rules, the policies asked
state by state.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from oddsmith.errors import LimitError, OptionError
from oddsmith.model import graph
from oddsmith.model.ends import where_play_stays
from oddsmith.model.explore import explore
from oddsmith.model.explore_interpreted import Interpreted
from oddsmith.model.model import Model
from oddsmith.policies.policy import Policy, as_policy
from oddsmith.questions import limits
from oddsmith.questions.choice import by_name, choose
from oddsmith.questions.settings import Settings, nothing_to_decide
from oddsmith.results.offers import Offer
from oddsmith.rules import interpret
from oddsmith.rules.game import Game
from oddsmith.rules.layout import layout_of
from oddsmith.runtime.progress import Progress, Silent
from oddsmith.runtime.watch import Workers
from oddsmith.solve.play.profile import each_player, profile
from oddsmith.solve.simulate import play as plain
from oddsmith.solve.simulate.run import (
    BATCH,
    ROUND,
    InterpretedTable,
    Tally,
    batches,
    new_tally,
)
from oddsmith.solve.simulate.stream import seed_of_batch


def has_decisions(game: Game) -> bool:
    """Whether a player can choose in one of the first states."""
    if len(game.actions) < 2:
        return False
    start = interpret.first_state(game)
    search = Interpreted(game, layout_of(game, start), start, False, None, Silent())
    search.run(0)
    return any(b - a > 1 for a, b in zip(search.choice, search.choice[1:], strict=False))


def decision_table(
    subject: Game | Model,
    play: Any,
    limit: int,
    seed: int,
    engine: str,
    max_moves: int,
    progress: Progress,
) -> Any:
    """Where games between policies are played."""
    game = subject.origin if isinstance(subject, Model) else subject
    if not isinstance(game, Game) and engine != "auto":
        raise OptionError(f"{game.name} is a model, without rules: choose the engine auto.")
    if engine not in ("auto", "interpreted", "compiled"):
        raise OptionError(f"{game.name} leaves decisions to its players: choose another engine.")
    if isinstance(subject, Model) and subject.is_chain and play is None:
        choose("simulate", _offers(engine))
        return ModelTable(subject, seed, max_moves, f"on its model of {subject.states:,} states")
    wanted = [as_policy(game, each) for each in each_player(game, play)]
    why_not = ""
    if engine != "interpreted":
        choose("simulate", _offers(engine))
        try:
            model = (
                subject
                if isinstance(subject, Model)
                else explore(game, max_states=limits.MODEL_STATES, progress=progress)
            )
            if model.is_chain:
                raise nothing_to_decide(game)
            # The chances need not be certified: they are about to be estimated.
            played = profile(model, wanted, Settings(method="certified", progress=progress))
            how = f"on its model of {model.states:,} states; {played.notes[0]}"
            return ModelTable(played.chain, seed, max_moves, how)
        except LimitError as error:
            if engine == "compiled" or not all(isinstance(each, Policy) for each in wanted):
                raise
            why_not = str(error)
    choose("simulate", _offers(engine, why_not))
    missing = [each for each in wanted if not isinstance(each, Policy)]
    if missing:
        raise OptionError(
            f"{missing[0]} play has to be computed first: simulate with engine='auto', or give "
            f"another policy."
        )
    layout = layout_of(game, interpret.first_state(game))
    names = " v ".join(dict.fromkeys(str(each.name) for each in wanted))  # type: ignore[union-attr]
    how = f"interpreted; play: {names}"
    return InterpretedTable(game, layout, limit, seed, max_moves, how, tuple(wanted))


def _offers(engine: str, why_not: str = "") -> list[Offer]:
    """Who could play the games between policies; `why_not` is why not on a model."""
    offers = [Offer("compiled", why_not=why_not), Offer("interpreted", because="it is too large")]
    if engine != "auto":
        return by_name(engine, offers)
    return [replace(offers[0], because="a game is a walk on its stored states"), offers[1]]


class ModelTable:
    """Walks on a Markov chain, a thread a core. A deadlock is an end, as it is to the solvers."""

    look = round = ROUND * BATCH

    def __init__(self, chain: Model, seed: int, max_moves: int, how: str) -> None:
        self.chain, self.seed, self.max_moves = chain, seed, max_moves
        self.workers = Workers()
        self.how = f"{how}, on {self.workers.count} cores"
        self.shift = np.empty(0, np.uint8) if chain.shift is None else chain.shift
        stuck = where_play_stays(
            chain, *graph.strong_components(chain.state_row, chain.col)
        ).deadlock
        goes_on = ~stuck[chain.chooser]
        self.counts, self.total = chain.counts[goes_on], np.asarray(chain.total)[goes_on]
        self.winners = np.where(stuck, 0, chain.winners)
        players = len(chain.players)
        self.scores = np.empty((0, players), np.int64) if chain.scores is None else chain.scores

    def play(self, first: int, games: int) -> Iterator[Tally]:
        """Play games first, first + 1, … in batches; tallies in order."""
        jobs = [
            self.workers.submit(partial(self.play_one, batch, size))
            for batch, size in batches(first, games)
        ]
        for job in jobs:
            yield job.result()

    def play_one(self, batch: int, games: int) -> Tally:
        """Play one batch."""
        from oddsmith.solve.simulate import kernels

        chain, players = self.chain, len(self.chain.players)
        tally = new_tally(players)
        reason, last = kernels.walk_batch(
            games, seed_of_batch(self.seed, batch), chain.start, chain.start_lane, players,
            chain.state_row, chain.col, chain.weight, self.total, self.shift, self.counts,
            self.winners, self.scores, self.max_moves, tally.wins, tally.lengths, tally.sums,
            tally.scores, self.workers.signals,
        )  # fmt: skip
        if reason == kernels.STOPPED:
            raise KeyboardInterrupt
        if reason == kernels.TOO_LONG:
            raise plain.too_long(chain.origin, self.max_moves, chain.state(int(last)))
        tally.games = games
        return tally

    def close(self) -> None:
        """Stop."""
        self.workers.close()
