"""The value of every state: each player's chance, the draw and the moves left from there."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from oddsmith.errors import OptionError
from oddsmith.model import graph
from oddsmith.model.model import Model
from oddsmith.result import Result, StateValues
from oddsmith.rules.game import Game
from oddsmith.solve.chain import Chain
from oddsmith.solve.lattice import engine as lattice
from oddsmith.solve.lattice.sweep import EndlessLattice
from oddsmith.solve.question import ask
from oddsmith.solve.settings import Settings
from oddsmith.solve.sweeps import backward

LARGE = 2_000_000
"""Boards with more states are answered by their lattice."""


def values(subject: Game | Model, **settings: Any) -> Result:
    """The odds from every state that can be reached, certified, by their names.

    Keywords are those of `Settings`; the method is certified, or float.

    >>> from oddsmith import game, values
    >>> race = game("coin-race")
    >>> ahead = race.State((1, 0), 1)
    >>> chance = values(race).values[ahead]["win 1"]  # V = (1/2 + V/2)/2 + (2/3)/2, so 7/9
    >>> chance.lower < 7 / 9 < chance.upper
    True
    """
    if settings.get("method", "auto") == "auto":
        settings["method"] = "certified"
    wanted = Settings(**settings)
    if wanted.method not in ("certified", "float"):
        raise OptionError(
            "The values of all states are certified or float (exact: odds, estimates: simulate)."
        )
    if lattice.is_chosen(subject, wanted, small=LARGE):
        from oddsmith.solve.lattice.values import values as lattice_values

        with suppress(EndlessLattice):
            return lattice_values(subject, wanted)
        wanted.engine = "auto"
    asked = ask(subject, wanted, everywhere=True)
    chain = asked.chain.unfolded()
    model = chain.model
    players = model.game.players
    ends = _ends(chain)
    b = boundary(chain, ends)
    b[:, -1] = chain.length
    found = backward(
        chain,
        b,
        tolerance=wanted.tolerance,
        solver=wanted.solver,
        progress=wanted.progress,
        certify=asked.method == "certified",
    )
    value, error = ends.copy(), np.zeros_like(ends)
    value[chain.order], error[chain.order] = found.x, found.error
    for q in range(players + 1):  # what the graph decides is exactly 0 or 1
        for decided, known in ((graph.prob0, 0.0), (graph.prob1, 1.0)):
            states = decided(model.state_row, model.col, ends[:, q] == 1.0)
            value[states, q], error[states, q] = known, 0.0
    columns = (*(f"win {p + 1}" for p in range(players)), "draw", "length")
    table = StateValues(model.names, columns, value, error)
    return asked.result([found.method], values=table)


def _ends(chain: Chain) -> Any:
    """What each state is worth where the game is over: states × (players, draw, length)."""
    players = chain.model.game.players
    worth = np.zeros((chain.model.states, players + 2))
    for p in range(players):
        worth[:, p] = (chain.outcome > 0) & (chain.outcome >> p & 1 == 1)
    worth[:, players] = chain.outcome == 0
    return worth


def boundary(chain: Chain, worth: Any) -> Any:
    """What one move earns from each live state by ending the game."""
    from oddsmith.solve import kernels

    model = chain.model
    b = np.zeros((chain.size, worth.shape[1]))
    kernels.boundary(chain.order, model.state_row, model.col, model.weight, chain.total, worth, b)
    return b
