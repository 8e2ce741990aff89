"""Where a certificate's model comes from: a question that can be asked again, from its text.

A source is what a certificate keeps of the rules: a game of the catalogue by its name and options,
a board or a PRISM model by its whole text. A game in Python, or a model in another tool's file, is
named only: whoever verifies has to give it again, because nothing that a certificate names is
loaded or run.

A board or a model may call itself what it likes, and rules given by `--rules` too: `whose_rules`
says whether they are those of the catalogue's game of that name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from oddsmith.errors import OddsmithError, OptionError
from oddsmith.quoting import printable, quoted
from oddsmith.rules.digest import rules_digest
from oddsmith.rules.game import Game

Source = dict[str, Any]


def game_source(game: Game, ask: str, endless: str) -> Source:
    """The source of a game's certificate."""
    from oddsmith.games import catalogue
    from oddsmith.rules.board.game import Board

    found: Source = {"kind": "python", "name": type(game).__name__}
    if isinstance(game, Board):
        found = {"kind": "board", "name": type(game).__name__, "text": game.file.text}
        found["file"] = printable(game.file.path)  # a board without a name is called by its file
    elif type(game).__module__.startswith("oddsmith.games.") and game.key() in catalogue():
        found = {"kind": "game", "name": game.key()}
    options = {key: _spelled(value) for key, value in game.options.items()}
    found |= {"options": options, "symmetry": None, "ask": ask, "endless": endless}
    if found["kind"] != "python":
        again = game_of(found, None)
        if title_of(again) != title_of(game) or rules_digest(again) != rules_digest(game):
            raise OddsmithError(
                f"{game.name} cannot be written into a certificate: what would be kept of its "
                f"rules is not the same game."
            )
    return found


def title_of(game: Game) -> str:
    """A game and its options, for people."""
    players = f", {game.players} players" if game.players > 1 else ""
    options = "".join(f", {name} {value}" for name, value in game.described.items())
    return printable(f"{game.name}{players}{options}")


def _spelled(value: Any) -> str:
    """An option as text that `from_text` reads."""
    if isinstance(value, tuple):
        return ",".join(str(x) for x in value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def game_of(source: Source, rules: str | None) -> Game:
    """The game of a source; `rules` names it where the source has no text of it."""
    from oddsmith.games import game_class
    from oddsmith.rules.board.game import board_class

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
        file = source.get("file", "the board in the certificate")
        if not isinstance(file, str) or not file.isprintable():
            raise OptionError("The certificate does not say which file its board was in.")
        return board_class(file, source["text"], name).from_text(options)
    from oddsmith.games import catalogue

    if source["kind"] != "game" or name not in catalogue():
        raise OptionError(
            f"The rules of {quoted(name)} are not in the certificate: name their file by --rules, "
            f"or leave them out with --no-rules."
        )
    return game_class(name).from_text(options)


@dataclass(frozen=True)
class Whose:
    """Whose rules a certificate was proved for."""

    where: str
    """certificate (they are in the file), catalogue, or given (by `--rules`)."""
    key: str | None = None
    """The game of the catalogue that has this name, if there is one."""
    same: bool = False
    """Whether that game has the same rules."""

    def __str__(self) -> str:
        told = {
            "certificate": "those in the certificate",
            "catalogue": f"those of the catalogue ({self.key})",
            "given": "those given by --rules",
        }[self.where]
        if self.where == "catalogue" or self.key is None:
            return told
        if self.same:
            return f"{told}, the same as the catalogue's {self.key}"
        return f"{told}, NOT the rules of the catalogue's {self.key}"


def whose_rules(source: Source, rules: str | None, game: Game | None) -> Whose:
    """Whose rules were run again; a model that is no game (None) is none of the catalogue's.

    The catalogue's game is given the options that the title says, and no others: what else a board
    sets otherwise than the catalogue's is a change of its rules.
    """
    from oddsmith.games import catalogue, game_class

    where = "certificate" if rules is None else "given"
    if source["kind"] == "game" and rules is None and game is not None:
        return Whose("catalogue", game.key(), True)
    named = str(source.get("name")) if game is None else game.name
    for key in catalogue():
        theirs = game_class(key)
        if not any(_calls(named, name) for name in (key, theirs.title, theirs.__name__)):
            continue
        if game is None:
            return Whose(where, key)
        said = {"players": game.players} | game.described
        try:
            other = theirs.from_text({name: _spelled(value) for name, value in said.items()})
        except OptionError:
            return Whose(where, key)
        return Whose(where, key, rules_digest(game) == rules_digest(other))
    return Whose(where)


def _calls(named: str, name: str) -> bool:
    """Whether people would take the one for the other: the same letters, or all of its words.

    >>> _calls("Game of the GOOSE (2 players)", "Game of the Goose"), _calls("Spigot", "Pig")
    (True, False)
    """
    mine, theirs = _words(named), _words(name)
    some = range(len(mine) - len(theirs) + 1)
    return "".join(mine) == "".join(theirs) or any(
        mine[i : i + len(theirs)] == theirs for i in some
    )


def _words(name: str) -> list[str]:
    """A name without what people do not read: case, signs, how letters are made."""
    plain = unicodedata.normalize("NFKD", name).casefold()
    letters = (x if x.isalnum() else " " for x in plain if not unicodedata.combining(x))
    return "".join(letters).split()


def model_source(
    model: Any, constants: Mapping[str, Any], definitions: str, text: str
) -> Source | None:
    """The source of a model's certificate; None if the model is a game."""
    from oddsmith.model.reading import PRISM_SUFFIXES, is_model_file
    from oddsmith.runtime.reading import read_text

    asked: Source = {"property": text, "definitions": definitions}
    asked["constants"] = {k: _constant(v) for k, v in constants.items()}
    if isinstance(model, str) and "\n" in model:
        return {"kind": "prism", "name": "the model", "text": model} | asked
    if not isinstance(model, str | Path) or not is_model_file(model):
        return None
    name = printable(Path(model).name)
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
