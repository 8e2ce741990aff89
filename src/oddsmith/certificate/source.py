"""Where a certificate's model comes from: a question that can be asked again, from its text.

A source is what a certificate keeps of the rules: a game of the catalogue by its name and options,
a board or a PRISM model by its whole text. A game in Python, or a model in another tool's file, is
named only: whoever verifies has to give it again, because nothing that a certificate names is
loaded or run.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from oddsmith.errors import OptionError
from oddsmith.rules.game import Game

Source = dict[str, Any]


def game_source(game: Game, ask: str, endless: str) -> Source:
    """The source of a game's certificate."""
    from oddsmith.games import catalogue
    from oddsmith.rules.board import Board

    found: Source = {"kind": "python", "name": type(game).__name__}
    if isinstance(game, Board):
        found = {"kind": "board", "name": type(game).__name__, "text": game.file.text}
    elif type(game).__module__.startswith("oddsmith.games.") and game.key() in catalogue():
        found = {"kind": "game", "name": game.key()}
    options = {key: _spelled(value) for key, value in game.options.items()}
    return found | {"options": options, "symmetry": None, "ask": ask, "endless": endless}


def title_of(game: Game) -> str:
    """A game and its options, for people."""
    players = f", {game.players} players" if game.players > 1 else ""
    options = "".join(f", {name} {value}" for name, value in game.described.items())
    return f"{game.name}{players}{options}"


def _spelled(value: Any) -> str:
    """An option as text that `from_text` reads."""
    if isinstance(value, tuple):
        return ",".join(str(x) for x in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def game_of(source: Source, rules: str | None) -> Game:
    """The game of a source; `rules` names it where the source has no text of it."""
    from oddsmith.games import game_class
    from oddsmith.rules.board import board_class

    options = source.get("options")
    if not isinstance(options, dict) or not all(isinstance(v, str) for v in options.values()):
        raise OptionError("The certificate does not say which options its game has.")
    if rules is not None:
        return game_class(rules).from_text(options)
    name = source.get("name")
    if not isinstance(name, str):
        raise OptionError("The certificate does not name its game.")
    if source["kind"] == "board":
        if not isinstance(source.get("text"), str):
            raise OptionError("The certificate has no text of its board.")
        return board_class("the board in the certificate", source["text"], name).from_text(options)
    from oddsmith.games import catalogue

    if source["kind"] != "game" or name not in catalogue():
        raise OptionError(
            f"The rules of {name[:80]} are not in the certificate: name their file by --rules, or "
            f"leave them out with --no-rules."
        )
    return game_class(name).from_text(options)


def model_source(
    model: Any, constants: Mapping[str, Any], definitions: str, text: str
) -> Source | None:
    """The source of a model's certificate; None if the model is a game."""
    from oddsmith.properties.ask import PRISM_SUFFIXES, is_model_file
    from oddsmith.rules.prism import read_text

    asked: Source = {"property": text, "definitions": definitions}
    asked["constants"] = {k: _constant(v) for k, v in constants.items()}
    if isinstance(model, str) and "\n" in model:
        return {"kind": "prism", "name": "the model", "text": model} | asked
    if not isinstance(model, str | Path) or not is_model_file(model):
        return None
    name = Path(model).name
    if Path(model).suffix.lower() in PRISM_SUFFIXES:
        return {"kind": "prism", "name": name, "text": read_text(model)} | asked
    return {"kind": "file", "name": name} | asked


def model_title(source: Source) -> str:
    """A model and its constants, for people."""
    constants = source.get("constants", {})
    return ", ".join([source["name"], *(f"{k}={v}" for k, v in constants.items())])


def _constant(value: Any) -> str | bool:
    return value if isinstance(value, bool) else str(Fraction(value))


def constants_of(source: Source) -> dict[str, Fraction | bool]:
    """The values of constants in a source."""
    found = source.get("constants", {})
    if not isinstance(found, dict):
        raise OptionError("The certificate does not say which values its constants have.")
    try:
        return {k: v if isinstance(v, bool) else Fraction(str(v)[:1000]) for k, v in found.items()}
    except (ValueError, ZeroDivisionError):
        raise OptionError("A constant of the certificate is no number.") from None
