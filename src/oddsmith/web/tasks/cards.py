"""Cards: the games of the catalogue as data."""

from __future__ import annotations

import inspect
import typing
from typing import Any, Literal

from oddsmith.errors import OddsmithError
from oddsmith.games import catalogue
from oddsmith.present.pictures.by_name import PICTURES, pictures_of
from oddsmith.rules.board.game import Board
from oddsmith.rules.game import MAX_PLAYERS, Game
from oddsmith.rules.options import describe_options, describe_policies
from oddsmith.show.board_json import drawing_of
from oddsmith.web.tasks import Watcher
from oddsmith.web.tasks.requested import Bounds, catalogue_class

WORDS = {int: "number", float: "decimal", bool: "flag", str: "text"}
OPTIMAL = {"name": "optimal", "says": "The best there is, worked out before the game."}
RANDOM = {"name": "random", "says": "Any legal move, each as likely."}


def cards(request: dict[str, Any], watcher: Watcher, bounds: Bounds) -> dict[str, Any]:
    """The cards of all games, by name."""
    return {key: _short(key, catalogue_class(key)) for key in catalogue()}


def card(request: dict[str, Any], watcher: Watcher, bounds: Bounds) -> dict[str, Any]:
    """One game's card, with its rules and its board."""
    key = request["game"]
    cls = catalogue_class(key)
    found = _short(key, cls) | {"rules": inspect.getdoc(cls) or "", "board_file": None}
    found["pictures"] = [
        {"name": name, "says": PICTURES[name].says}
        for name in pictures_of(cls(), found["decisions"])
    ]
    if issubclass(cls, Board):
        found["board_file"] = {
            "text": cls.file.text,
            "tables": cls.file.data,
            "drawing": drawing_of(cls()),
        }
    return found


def _short(key: str, cls: type[Game]) -> dict[str, Any]:
    game = cls()
    fewest, most = _players(cls, game.players)
    decides = bool(cls.named_policies()) or _decides(game)
    return {
        "key": key,
        "title": game.name,
        "summary": (inspect.getdoc(cls) or "").split("\n\n")[0].replace("\n", " "),
        "players": game.players,
        "fewest_players": fewest,
        "most_players": most,
        "decisions": decides,
        "board": isinstance(game, Board),
        "score": game.has_score,
        "options": options(cls),
        "policies": _policies(cls) if decides else [],
    }


def options(cls: type[Game]) -> list[dict[str, Any]]:
    """The options of a game, with what a page needs to ask for them."""
    declared = cls.declared_options()
    rows = describe_options(declared)
    return [
        {"name": name, "takes": takes, "default": default} | _kind(declared[name][0])
        for name, takes, default in rows
        if name != "players"
    ]


def _kind(annotation: Any) -> dict[str, Any]:
    if typing.get_origin(annotation) is Literal:
        return {"kind": "choice", "choices": [str(value) for value in typing.get_args(annotation)]}
    if typing.get_origin(annotation) is tuple:
        return {"kind": "list", "choices": []}
    return {"kind": WORDS.get(annotation, "text"), "choices": []}


def _players(cls: type[Game], usual: int) -> tuple[int, int]:
    """The fewest and the most players that the game takes, all numbers between them included."""
    if issubclass(cls, Board):
        return 1, MAX_PLAYERS
    fewest = most = usual
    while fewest > 1 and _takes(cls, fewest - 1):
        fewest -= 1
    while most < MAX_PLAYERS and _takes(cls, most + 1):
        most += 1
    return fewest, most


def _takes(cls: type[Game], players: int) -> bool:
    try:
        cls(players=players)
    except OddsmithError:
        return False
    return True


def _decides(game: Game) -> bool:
    from oddsmith.solve.simulate.decisions import has_decisions

    return has_decisions(game)


def _policies(cls: type[Game]) -> list[dict[str, str]]:
    """The ways to play that the computer knows: two that every game has, and its own."""
    own = describe_policies(cls.named_policies())
    return [OPTIMAL, RANDOM, *({"name": name, "says": says} for name, says in own)]
