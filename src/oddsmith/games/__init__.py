"""The catalogue: one file a game, Python or a board. It uses the public API alone, as a user's own
file would."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import Any

from oddsmith.errors import OptionError
from oddsmith.rules.board.game import board_class
from oddsmith.rules.game import Game
from oddsmith.rules.loading import class_in_file, only_game
from oddsmith.rules.options import suggestion

MODEL_FILES = (".prism", ".pm", ".nm", ".sm", ".smg", ".tra", ".drn", ".umb")


def catalogue() -> tuple[str, ...]:
    """The names of all games, without importing any. What games share begins with `_`."""
    found = [module.name for module in pkgutil.iter_modules(__path__)]
    modules = [name.replace("_", "-") for name in found if not name.startswith("_")]
    boards = [path.stem for path in Path(__file__).parent.glob("*.toml")]
    return tuple(sorted(modules + boards))


def game(name: str, **options: Any) -> Game:
    """A game by name, or a user's own by file: `game("my.py:Pig")`, `game("board.toml")`.

    >>> from oddsmith import game
    >>> game("goose", players=3)
    Goose(players=3)
    """
    if not isinstance(name, str):
        raise OptionError(f"A game's name is a text, such as 'goose' or 'my.py:Pig', not {name!r}.")
    return game_class(name)(**options)


def game_class(name: str) -> type[Game]:
    """The class of a game, by name (or a part of it that only one has), or by file."""
    if name.lower().endswith(".toml"):
        return board_class(name)
    if ".py" in name:
        return class_in_file(name)
    if name.lower().endswith(MODEL_FILES):
        raise OptionError(
            f"{name} is a model, not a game: it is for oddsmith check, solve, length, visits, "
            f"values, policy, duel, tournament, explore, plot, export and simulate."
        )
    names = catalogue()
    wanted = name.lower().replace("_", "-")
    matches = [n for n in names if n == wanted] or [
        n for n in names if wanted in n or wanted == "".join(part[0] for part in n.split("-"))
    ]
    beside = [] if wanted in names else files_called(name)
    if beside and len(matches) == 1:
        raise OptionError(
            f"{name!r} could be the game {matches[0]} of the catalogue or the file {beside[0]} "
            f"here: write {matches[0]} or {beside[0]}."
        )
    if len(matches) != 1:
        hint = suggestion(name, matches or names).replace("it has", "there are")
        if beside:
            hint = f"but there is a file {beside[0]} here: write {beside[0]}."
        elif Path(name).suffix or Path(name).name != name:
            hint = "a file of rules ends in .py, one of a board in .toml."
        raise OptionError(f"There is no game {name!r}: {hint}")
    board = Path(__file__).parent / f"{matches[0]}.toml"
    if board.is_file():
        return board_class(board.name, board.read_text(encoding="utf-8"), matches[0])
    module = importlib.import_module(f"oddsmith.games.{matches[0].replace('-', '_')}")
    return only_game(vars(module), module.__name__, matches[0])


def files_called(name: str) -> list[str]:
    """Files of rules in this folder that somebody could mean by a name without its ending.

    They are never run for it: whoever names a game does not ask for a program to be started.
    """
    if not name or Path(name).name != name:
        return []
    return [file for file in (f"{name}.py", f"{name}.toml") if Path(file).is_file()]
