"""Questions about random boards, asked of the graph, the lattice and the simulation."""

from __future__ import annotations

import math
import re
import tempfile
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

from grind.boards import Board, NoBoard
from grind.tally import Tally
from grind.walk import Walk, walk
from oddsmith import game, length, odds, simulate, values, visits
from oddsmith.errors import OddsmithError

MOST_STATES = 140
HORIZON = 8
GAMES = 2000
LATTICE = re.compile("[Ll]attice")


def grind(data: dict[str, Any], tally: Tally) -> None:
    """Ask everything about one board."""
    board = Board(data)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "drawn.toml")
        path.write_text(board.text)
        try:
            made = game(str(path))
        except OddsmithError as error:
            tally.refusal(str(error).replace(str(path), ""))
            return
        try:
            model = board.plain(MOST_STATES)
        except NoBoard:
            tally.differs("no end", "a token is sent on without an end, and the board is accepted")
            return
        if model is not None:
            dice = Random(board.text)
            found = walk(model, [0] * model.size)
            tally.attempt(ask_graph, made, found, tally, dice)
            tally.attempt(ask_lattice, made, found, tally)
            if dice.random() < 0.2:
                tally.attempt(ask_simulation, made, found, tally)


def ask_graph(made: Any, found: Walk, tally: Tally, dice: Random) -> None:
    """The rules, interpreted, with and without symmetry, in fractions and with bounds."""
    never = found.odds[found.model.start][-1]
    for method in ("exact", "certified"):
        settings: dict[str, Any] = {"method": method, "engine": "interpreted"}
        settings |= {"endless": "draw" if never else "error", "symmetry": dice.random() < 0.7}
        tally.attempt(ask_odds, made, found, tally, settings)
        if found.ends_within(300):
            tally.attempt(ask_length, made, found, tally, settings)
        tally.attempt(ask_visits, made, found, tally, settings)
        if found.model.size <= 60:
            tally.attempt(ask_values, made, found, tally, settings)


def ask_odds(made: Any, found: Walk, tally: Tally, settings: dict[str, Any]) -> None:
    """Who wins, and how long it takes."""
    how = "lattice " if settings["engine"] == "lattice" else ""
    start, players = found.model.start, found.model.players
    result = odds(made, **settings)
    for p in range(players):
        tally.number(f"{how}odds", result.win[p], found.odds[start][p])
    tally.number(f"{how}draw", result.draw, found.odds[start][players])
    tally.number(f"{how}length", result.duration, found.length[start])


def ask_length(made: Any, found: Walk, tally: Tally, settings: dict[str, Any]) -> None:
    """The distribution of the length."""
    result = length(made, **settings)
    tally.number("length: mean", result.duration, found.length[found.model.start])
    tally.spread("length", result, found.variance)
    said, reached = dict(result.distribution), Fraction(0)
    for k, p in enumerate(found.distribution(HORIZON)):
        before, reached = reached, reached + p
        close = abs(said.get(k, 0.0) - p) <= 1e-12
        tally.same("length: chance", (k, close), (k, True))
        for level, share in (
            (0.05, Fraction(1, 20)),
            (0.5, Fraction(1, 2)),
            (0.95, Fraction(19, 20)),
        ):
            if before < share <= reached:
                tally.same("length: quantile", result.quantiles[level], k)


def ask_visits(made: Any, found: Walk, tally: Tally, settings: dict[str, Any]) -> None:
    """How often the first token comes to a square."""
    names: Any = found.model.names
    for square in (1, 2):
        result = visits(
            made, where=lambda s, k=square: made.square_of[s.positions[0]] == k, **settings
        )
        ever, times = found.visits(lambda s, k=square: names[s][0][0][0] == k)  # type: ignore[misc]
        tally.number("visits: ever", result.visits[0].ever, ever)
        tally.number("visits: times", result.visits[0].times, times)


def ask_values(made: Any, found: Walk, tally: Tally, settings: dict[str, Any]) -> None:
    """The odds from every state in which nobody rests."""
    table = values(made, **settings).values
    number = {(s.positions, s.turn): i for i, s in enumerate(table.states)}
    for s, state in enumerate(found.model.names):
        tokens, turn = state  # type: ignore[misc]
        if any(rest for _, rest in tokens):
            continue
        place = number.get((tuple(square for square, _ in tokens), turn))
        if place is None and found.model.winners[s] is not None:
            continue  # nobody moves there: whose turn it would be does not matter
        tally.same("values: states", place is not None, True)
        if place is not None:
            said = table.answers(place)
            for p in range(found.model.players):
                tally.number("values", said[f"win {p + 1}"], found.odds[s][p])
            tally.number("values: length", said["length"], found.length[s])


def ask_lattice(made: Any, found: Walk, tally: Tally) -> None:
    """The lattice, where the board has one."""
    if found.odds[found.model.start][-1]:
        return
    settings = {"method": "certified", "engine": "lattice"}
    try:
        ask_odds(made, found, tally, settings)
    except OddsmithError as error:
        if not LATTICE.search(str(error)):
            raise
        tally.refusal(str(error).partition(" because ")[2])


def ask_simulation(made: Any, found: Walk, tally: Tally) -> None:
    """Games at random, where the board can be played by its tables: within six deviations."""
    if not found.ends_within(200):
        return
    try:
        result = simulate(made, games=GAMES, seed=GAMES, engine="board")
    except OddsmithError as error:
        if "cannot be played by the engine" not in str(error):
            raise
        tally.refusal(str(error).partition("the engine")[2])
        return
    for p in range(found.model.players):
        truth = found.odds[found.model.start][p]
        off = abs(result.win[p].value - float(truth))
        allowed = 6 * math.sqrt(float(truth * (1 - truth)) / GAMES) + 1e-9
        tally.same("simulation", (off <= allowed, p), (True, p))
