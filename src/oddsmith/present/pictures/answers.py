"""Pictures of answers: each asks a question about a game and has it drawn; see `pictures`."""

from __future__ import annotations

import re
from typing import Any, get_origin

from oddsmith.errors import LimitError, OptionError
from oddsmith.model.model import Model
from oddsmith.present.pictures.kind import picture
from oddsmith.questions.case import lattice_numbers
from oddsmith.results.answer import Answer
from oddsmith.results.result import Result
from oddsmith.rules.board.changes import first_throws
from oddsmith.rules.board.game import Board
from oddsmith.rules.game import Game
from oddsmith.rules.options import parse_option, suggestion
from oddsmith.runtime.progress import Progress
from oddsmith.show.board_json import drawing_of
from oddsmith.show.drawings.heading import setting, small_print
from oddsmith.show.pictures.spec import Picture, Scale

MOST_PLACES = 400
"""Places of a board whose pairs are drawn."""

MOST_VALUES = 60
"""Values of a rule that are solved for a picture."""

MOST_PLAYERS = 4
"""Up to how many players a board is solved for a picture, unless told."""


@picture("boards")
def board(game: Game, *, progress: Progress) -> Picture:
    """The board, and what its squares do."""
    from oddsmith.show.drawings.board import board as drawn

    shown = _as_board(game, "board")
    thrown = ", ".join(first_throws(shown.rules))
    small = setting(game.players, game.described)
    return drawn(
        drawing_of(shown), game.name, small + (f" · first throw {thrown}" if thrown else "")
    )


def _as_board(game: Game, picture: str) -> Board:
    if isinstance(game, Board):
        return game
    raise OptionError(
        f"{game.name} is no race along the squares of a board: there is no picture {picture} of it."
    )


# Squares ------------------------------------------------------------------------------------


@picture("boards", of_models=True)
def visits(
    game: Game | Model,
    *,
    progress: Progress,
    player: int | None = None,
    of: str | None = None,
    play: str | None = None,
) -> Picture:
    """How often a piece comes to each square.

    With `of`, a number of the state to each of its values.
    """
    from oddsmith.ask.visits import visits as counted

    # A lattice counts arrivals without asking whether there is one.
    rules: Any = game.origin if isinstance(game, Model) else game
    boards = of is None and not isinstance(game, Model) and game.players > 2
    counts = boards and lattice_numbers(rules)
    engine = "lattice" if counts else "auto"
    found = counted(game, player=player, of=of, play=play, engine=engine, progress=progress)
    return visits_drawn(rules if of is None else None, found, player or 1)


def visits_drawn(game: Game | None, found: Result, player: int = 1) -> Picture:
    """Visits that were counted: on the board where there is one, else as bars."""
    from oddsmith.show.drawings.board import heat
    from oddsmith.show.drawings.visits import bars

    if not isinstance(game, Board):
        return bars(found)
    times = squares_of(game, {visit.where: visit.times for visit in found.visits})
    ever = squares_of(
        game, {visit.where: visit.ever for visit in found.visits if visit.ever is not None}
    )
    told = {at: f"{answer.value:.4f} visits" for at, answer in times.items()}
    for at, answer in ever.items():
        told[at] += f", ever: {100 * answer.value:.2f} %"
    number = {at: answer.value for at, answer in times.items()}
    most = max(value for at, value in number.items() if at != game.begin)
    begin = number[game.begin]
    beyond = f"the start, {begin:.2f}, is beyond the scale" if begin > most else ""
    whose = "the piece" if game.players == 1 else f"player {player}'s piece"
    return heat(
        drawing_of(game),
        number,
        f"{game.name}: how often {whose} comes to a square",
        small_print(found, "expected visits in a game", beyond),
        scale=Scale(low=0.0, high=most, label="expected visits"),
        told=told,
    )


def squares_of(game: Board, places: dict[str, Answer]) -> dict[int, Answer]:
    """Answers by the number of a square, from answers by the names of places."""
    rules = game.rules
    named = {game.place(number): number for number in range(rules.start, rules.finish + 1)}
    return {named[place]: answer for place, answer in places.items()}


@picture("boards")
def chances(game: Game, *, progress: Progress) -> Picture:
    """Player 1's chance to win from each square.

    He is to move, and all others are on the start.
    """
    from oddsmith.show.drawings.board import heat

    shown = _as_board(game, "chances")
    chance, found = chances_by_square(shown, progress)
    others = "player 2" if game.players == 2 else "all others"
    return heat(
        drawing_of(shown),
        {at: answer.value for at, answer in chance.items()},
        f"{game.name}: player 1's chance to win from each square",
        small_print(found, f"in %, player 1 to move, {others} on the start"),
        scale=Scale(label="player 1 wins", format="percent"),
        told={at: f"player 1 wins: {100 * a.value:.4f} %" for at, a in chance.items()},
    )


def chances_by_square(game: Board, progress: Progress) -> tuple[dict[int, Answer], Result]:
    """Player 1's chance from each square where a token can stand, the others on the start.

    Play from the start need not come to such a position, so these are explored besides.
    """
    from oddsmith.ask.values import values

    if game.players == 1:
        raise OptionError(
            f"Alone, the player of {game.name} always wins: ask for more players, with -n 2."
        )
    stands = [code for code in sorted(game.walk.landings) if code <= game.goal]
    states = {code: game.State((code, *[game.begin] * (game.players - 1)), 0) for code in stands}
    study = type(type(game).__name__, (type(game),), {"positions": lambda self: states.values()})
    asked = study(**game.described, players=game.players)
    engine = "auto" if game.why_no_lattice else "lattice"
    found = values(asked, method="certified", engine=engine, symmetry=False, progress=progress)
    assert found.values is not None
    return {code: found.values[state]["win 1"] for code, state in states.items()}, found


# Two tokens ---------------------------------------------------------------------------------


@picture("boards")
def tokens(game: Game, *, progress: Progress, quantity: str | None = None) -> Picture:
    """The chances of two tokens, as surfaces."""
    from oddsmith.ask.values import values
    from oddsmith.show.drawings.tokens import QUANTITIES, can_be_drawn, grid_of
    from oddsmith.show.drawings.tokens import tokens as drawn

    if not can_be_drawn(game):
        raise OptionError(
            f"The picture tokens is of two players with a piece each on squares, and nothing else "
            f"to remember: {game.name} with {setting(game.players, {})} is not."
        )
    if quantity is not None and quantity not in QUANTITIES:
        listed = ", ".join(f"{name} ({says})" for name, says in QUANTITIES.items())
        raise OptionError(f"There is no quantity {quantity!r} of two tokens: choose {listed}.")
    if isinstance(game, Board) and game.track.size > MOST_PLACES:
        raise LimitError(
            f"{game.name} has {game.track.size:,} places: pairs of up to {MOST_PLACES} are drawn."
        )
    found = values(game, method="certified", progress=progress)
    grid = grid_of(game, found)
    title = f"{game.name}: the chances of two tokens"
    small = small_print(found, "player 1 walks to the back, player 2 to the right")
    return drawn(grid, title, small, () if quantity is None else (quantity,))


# Lengths and seats --------------------------------------------------------------------------


@picture("games", of_models=True)
def length(
    game: Game,
    *,
    progress: Progress,
    cumulative: bool = False,
    up_to: int | None = None,
    play: str | None = None,
) -> Picture:
    """How long games last, with quantiles.

    With `up_to`, for each number of players up to it.
    """
    from oddsmith.ask.length import length as asked
    from oddsmith.show.drawings.lengths import lengths

    games = [game] if up_to is None else games_of_players(game, up_to)
    found = [asked(one, play=play, progress=progress) for one in games]
    return lengths(found, cumulative=cumulative)


@picture("games", of_models=True)
def seats(
    game: Game, *, progress: Progress, up_to: int | None = None, play: str | None = None
) -> Picture:
    """Who wins, by seat and number of players.

    For 2 players up to `up_to`; unless told up to 4 on a board, else for as many as the game has.
    """
    from oddsmith.ask.odds import odds
    from oddsmith.show.drawings.seats import seats as drawn

    games = [game]
    if up_to is not None or isinstance(game, Board):
        games = games_of_players(game, MOST_PLAYERS if up_to is None else up_to)
    return drawn([odds(one, play=play, progress=progress) for one in games])


def games_of_players(game: Game, up_to: int) -> list[Game]:
    """The game for 2 players up to a number, as far as it can be played by so many."""
    if not isinstance(game, Game):
        raise OptionError(f"{game.name} is a model, made for its players: leave up_to out.")
    found = []
    for players in range(2, up_to + 1):
        try:
            found.append(_varied(game, {"players": players}))
        except OptionError:
            continue
    if not found:
        raise OptionError(f"{game.name} cannot be played by 2 players or more, up to {up_to}.")
    return found


def _varied(game: Game, changes: dict[str, Any]) -> Game:
    """The game with other options."""
    own = game.described | {"players": game.players} if isinstance(game, Board) else game.options
    return type(game)(**{**own, **changes})


# One rule -----------------------------------------------------------------------------------


@picture("games")
def sensitivity(
    game: Game, *, progress: Progress, vary: str | None = None, play: str | None = None
) -> Picture:
    """The odds as one rule varies.

    `vary` is `inn.wait=0..5`, `goal=20..100:20` or `goal=20,50`.
    """
    from oddsmith.ask.odds import odds
    from oddsmith.show.drawings.sensitivity import sensitivity as drawn

    if vary is None:
        raise OptionError(
            "What varies? Name an option and its values: vary (--vary) is like inn.wait=0..5."
        )
    rule, values = varied_rule(game, vary)
    games = [_varied(game, {rule: value}) for value in values]
    found = [odds(one, play=play, progress=progress) for one in games]
    return drawn(rule, game.options[rule], values, found)


def varied_rule(game: Game, text: str) -> tuple[str, list[Any]]:
    """A rule and its values, from a text."""
    rule, equals, listed = (part.strip() for part in text.partition("="))
    if not equals or not listed:
        raise OptionError(f"What varies is written like inn.wait=0..5 or goal=20,50, not {text!r}.")
    declared = game.declared_options()
    if rule not in declared:
        raise OptionError(f"{game.name} has no option {rule!r}: {suggestion(rule, declared)}")
    if rule == "players":
        raise OptionError("The number of players varies in the picture seats, with --up-to.")
    values = _values(type(game).__name__, rule, declared[rule][0], listed)
    if not 2 <= len(values) <= MOST_VALUES:
        raise OptionError(
            f"{rule} must vary over 2 to {MOST_VALUES} values, and {listed!r} has {len(values)}."
        )
    return rule, values


def _values(game: str, rule: str, kind: Any, text: str) -> list[Any]:
    found = re.fullmatch(r"(-?\d{1,9})\.\.(-?\d{1,9})(?::(\d{1,9}))?", text)
    if found and kind in (int, float):
        first, last, step = int(found[1]), int(found[2]), int(found[3] or 1)
        if first >= last or step == 0:
            raise OptionError(f"{text} is no range: write the lower end first, as in 0..5.")
        return list(range(first, last + 1, step))
    between = ";" if get_origin(kind) is tuple else ","
    parts = [part.strip() for part in text.split(between) if part.strip()]
    return list(dict.fromkeys(parse_option(game, rule, kind, part) for part in parts))
