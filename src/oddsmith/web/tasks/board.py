"""Board: everything that the workshop shows of a board, the quickest first.

Odds, then lengths, then squares; each is given away as soon as it is known. On a board where a
turn changes only the mover's token all of it comes from its lattice; on others the states are
explored once and asked three times.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property
from typing import Any

from oddsmith.errors import EndlessError, LimitError, OptionError
from oddsmith.questions.settings import Settings
from oddsmith.results.answer import in_json
from oddsmith.results.distribution import quantile_in_json
from oddsmith.results.result import Result
from oddsmith.rules.board.game import Board
from oddsmith.solve.lattice.sweep import EndlessLattice
from oddsmith.web.tasks import Watcher
from oddsmith.web.tasks.requested import Bounds, requested_board

GLANCE = 1_000_000
"""Lattices of more numbers are simulated first, so that there is something to look at."""
GLANCE_GAMES = 100_000
SQUARES = 20_000_000
"""Lattices of more numbers are not swept again for the squares."""
FINE_NUMBERS, FINE_TAIL, COARSE_TAIL = 20_000, 1e-12, 1e-8
"""Up to so many states lengths are played to the fine tail, beyond to the coarse one."""
EVERYWHERE = 300_000
"""Boards of more states, where they are explored, are not asked for the chances of each."""
KEPT = 16

Parts = dict[str, Any]
_known: OrderedDict[str, Parts] = OrderedDict()
"""What this worker has said of boards: the original is asked for again at every change."""


def board(request: dict[str, Any], watcher: Watcher, bounds: Bounds) -> dict[str, Any]:
    """All parts of a board, and of the one it is compared with."""
    from oddsmith.ask.compare import rule_changes

    players = request.get("players")
    asked = requested_board(request["text"], players)
    changes: list[str] = []
    other: Board | None = None
    if request.get("original") is not None:
        other = requested_board(request["original"], players)
        changes = rule_changes(other, asked)
    compared = None if other is None else _known.get(_key(other))

    def tell(parts: Parts) -> None:
        watcher.partial(parts | {"changes": changes, "original": compared})

    found = _parts(asked, watcher, bounds, tell)
    if other is not None and compared is None:
        compared = found if not changes else _parts(other, watcher, bounds, lambda parts: None)
    return found | {"changes": changes, "original": compared}


def _key(board: Board) -> str:
    return json.dumps([board.file.text, board.players])


def _parts(board: Board, watcher: Watcher, bounds: Bounds, tell: Callable[[Parts], None]) -> Parts:
    """Odds, lengths and squares, from what is known or anew."""
    known = _known.get(_key(board))
    if known is not None:
        _known.move_to_end(_key(board))
        return known
    survey = Survey(board, watcher, bounds)
    parts: Parts = {"odds": None, "lengths": None, "squares": None, "method": None, "how": []}
    for odds in _ending(board, survey.odds()):
        parts |= {"odds": _odds(odds), "method": odds.method, "how": list(odds.evidence.how)}
        tell(dict(parts))
    parts["lengths"] = _or_nothing(parts, lambda: _lengths(survey.length(), odds))
    tell(dict(parts))
    parts["squares"] = _or_nothing(parts, survey.squares)
    _known[_key(board)] = parts
    while len(_known) > KEPT:
        _known.popitem(last=False)
    return parts


def _ending(board: Board, results: Iterator[Result]) -> Iterator[Result]:
    """The results; a board that can be played for ever is refused in the words of its board."""
    try:
        yield from results
    except EndlessError as error:
        places = ", ".join(
            f"player {player} on {board.square_of[position]}"
            for player, position in enumerate(getattr(error.state, "positions", ()), start=1)
        )
        where = f" once the pieces stand so: {places}" if places else ""
        raise EndlessError(
            f"This board can be played for ever: nobody can win any more{where}. Change a "
            f"square, the dice, or what happens where pieces meet.",
            error.state,
        ) from None


def _or_nothing(parts: Parts, ask: Callable[[], Any]) -> Any:
    """An answer, or nothing where it is too much to ask; why not is said."""
    try:
        return ask()
    except (LimitError, EndlessError, EndlessLattice, OptionError) as error:
        parts["how"].append(str(error))
        return None


def _odds(found: Result) -> dict[str, Any]:
    return {
        "win": [answer.to_dict() for answer in found.win],
        "draw": None if found.draw is None else found.draw.to_dict(),
        "length": None if found.duration is None else found.duration.to_dict(),
    }


def _lengths(result: Result, odds: Result) -> dict[str, Any]:
    mean = odds.duration or result.duration
    return {
        "mean": None if mean is None else in_json(mean.value),
        "quantiles": {str(level): quantile_in_json(at) for level, at in result.quantiles.items()},
        "distribution": [[length, chance] for length, chance in result.distribution],
        "unit": "throws",
    }


class Survey:
    """The questions of the workshop, for one board: of its lattice, or of its states.

    Where a turn can change more than the mover's token, the states are explored, once.
    """

    def __init__(self, board: Board, watcher: Watcher, bounds: Bounds) -> None:
        self.board, self.watcher, self.bounds = board, watcher, bounds
        self.swept = not board.why_no_lattice
        self.numbers = board.track.size**board.players if self.swept else 0
        self.large = self.swept and board.track.interacts and self.numbers > GLANCE
        """Whether games are played for what takes too long to solve."""

    @cached_property
    def subject(self) -> Any:
        """What is asked about: the board, or all of its states."""
        from oddsmith.model.explore import explore

        if self.swept:
            return self.board
        return explore(self.board, max_states=self.bounds.states, progress=self.watcher)

    @cached_property
    def simulated(self) -> Result:
        """Estimates from games."""
        from oddsmith.solve.simulate.run import simulate

        return simulate(self.board, games=GLANCE_GAMES, progress=self.watcher)

    def odds(self) -> Iterator[Result]:
        """Who wins how often: estimates first where the sweep takes long, then bounds if it can."""
        from oddsmith.ask.odds import odds

        if self.large:
            yield self.simulated
        try:
            yield odds(self.subject, progress=self.watcher)
        except (LimitError, MemoryError):
            self.large |= not self.swept
            yield self.simulated

    def length(self) -> Result:
        """How long games take, in throws; of large boards, what games say."""
        from oddsmith.ask.length import length

        if self.large:
            return self.simulated
        tail = FINE_TAIL if self.numbers <= FINE_NUMBERS else COARSE_TAIL
        settings: dict[str, Any] = {"tail": tail} if self.swept else {}
        return length(self.subject, progress=self.watcher, **settings)

    def squares(self) -> list[dict[str, Any]]:
        """What the squares are to the first player: arrivals or visits, and chances from there."""
        many = self.large or (not self.swept and self.subject.full_states > EVERYWHERE)
        if (self.numbers > SQUARES) if self.swept else many:
            raise LimitError("The squares of so large a board are not looked at one by one.")
        fine = self.numbers <= FINE_NUMBERS
        settings: dict[str, Any] = {"method": "float", "tolerance": 1e-9 if fine else 1e-6}
        settings["progress"] = self.watcher
        seen, chance = (self._swept if self.swept else self._explored)(settings)
        rules, places = self.board.rules, {visit.where: visit for visit in seen.visits}
        found = []
        for square in range(rules.start, rules.finish + 1):
            visit = places.get(self.board.place(square))
            line = {
                "number": square,
                "times": 0.0 if visit is None else visit.times.value,
                "ever": None if visit is None or visit.ever is None else visit.ever.value,
                "chance": 1.0 if square == rules.finish else chance.get(square),
            }
            found.append(line)
        return found

    def _swept(self, settings: dict[str, Any]) -> tuple[Result, dict[int, float]]:
        """Arrivals of the first token, and its chances from each square."""
        from oddsmith.ask.visits import visits
        from oddsmith.solve.lattice.values import chances_of_first

        board = self.board
        try:
            seen = visits(board, engine="lattice", **settings)
        except OptionError:  # a token can come from a square into its own waiting room
            seen = visits(board, max_states=self.bounds.states, **settings)
        worth = chances_of_first(board, Settings(**settings))
        chance: dict[int, float] = {}
        for code, value in zip(board.track.codes, worth, strict=True):
            square = int(board.square_of[code])
            if int(code) == square or square not in chance:  # waiting rooms only where all wait
                chance[square] = float(value)
        return seen, chance

    def _explored(self, settings: dict[str, Any]) -> tuple[Result, dict[int, float]]:
        """Visits of the first token, and its chances from each square."""
        from oddsmith.ask.values import values
        from oddsmith.ask.visits import visits

        seen = visits(self.subject, **settings)
        found = values(self.subject, **settings).values
        assert found is not None
        chance: dict[int, float] = {}
        start = self.board.start()
        for square in range(self.board.rules.start, self.board.rules.finish):
            state = start._replace(positions=(square, *start.positions[1:]))
            with suppress(IndexError, ValueError):  # no play comes to it
                chance[square] = found.answers(found.states.place(state))["win 1"].value
        return seen, chance
