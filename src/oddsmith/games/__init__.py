"""The catalogue: one file a game, Python or a board. It uses the public API alone, as a user's own
file would."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
import sys
import traceback
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from oddsmith.errors import OddsmithError, OptionError
from oddsmith.rules.board import board_class
from oddsmith.rules.game import Game
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
        return _from_file(name)
    if name.lower().endswith(MODEL_FILES):
        raise OptionError(
            f"{name} is a model, not a game: it is for oddsmith check, export and simulate."
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
    return _only_game(vars(module), module.__name__, matches[0])


def files_called(name: str) -> list[str]:
    """Files of rules in this folder that somebody could mean by a name without its ending.

    They are never run for it: whoever names a game does not ask for a program to be started.
    """
    if not name or Path(name).name != name:
        return []
    return [file for file in (f"{name}.py", f"{name}.toml") if Path(file).is_file()]


class _AsItIs(SourceFileLoader):
    """Loads a file as it is now: Python's kept byte code may be that of before an edit, if that was
    within a second and left the file as long as it was."""

    def get_code(self, fullname: str) -> CodeType | None:
        return self.source_to_code(self.get_data(self.path), self.path)


def load_module(path_text: str) -> ModuleType:
    """A user's own Python file, loaded; whatever is wrong with it is one sentence."""
    path = Path(path_text)
    if not path.is_file():
        raise OptionError(f"There is no file {path_text!r}.")
    name = f"oddsmith_user_{path.stem}"
    loader = _AsItIs(name, str(path)) if path.suffix == ".py" else None
    found = importlib.util.spec_from_file_location(name, path, loader=loader)
    if found is None or found.loader is None:
        raise OptionError(f"{path_text} is not a Python file.")
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    try:
        found.loader.exec_module(module)
    except OddsmithError:
        raise
    except OSError as error:
        raise OptionError(f"{path_text} cannot be read: {error.strerror}.") from None
    except SyntaxError as error:
        place = f", line {error.lineno}" if error.lineno else ""
        written = f": {error.text.strip()}" if error.text else "."
        raise OptionError(f"{path_text}{place}: {error.msg}{written}") from None
    except (Exception, SystemExit) as error:
        lines = [
            f.lineno for f in traceback.extract_tb(error.__traceback__) if f.name == "<module>"
        ]
        place = f", line {lines[-1]}," if lines else ""
        raise OptionError(
            f"{path_text}{place} fails when it is loaded: {type(error).__name__}: "
            f"{' '.join(str(error).split())}."
        ) from None
    return module


def _from_file(spec: str) -> type[Game]:
    """The class named in `file.py:Class`, or the only one in `file.py`."""
    path_text, _, class_name = spec.partition(":")
    module = load_module(path_text)
    name = module.__name__
    if not class_name:
        return _only_game(vars(module), name, path_text)
    wanted = getattr(module, class_name, None)
    if not (inspect.isclass(wanted) and issubclass(wanted, Game)):
        known = [k for k, v in vars(module).items() if _is_game(v, name)]
        raise OptionError(
            f"{path_text} has no game {class_name!r}: {suggestion(class_name, known)}"
        )
    return wanted


def _is_game(value: Any, module: str) -> bool:
    return inspect.isclass(value) and issubclass(value, Game) and value.__module__ == module


def _only_game(names: dict[str, Any], module: str, where: str) -> type[Game]:
    found = [value for value in names.values() if _is_game(value, module)]
    if len(found) != 1:
        if not found:
            raise OptionError(f"{where} holds no game: write one, as in `class MyGame(Game):`.")
        listed = ", ".join(value.__name__ for value in found)
        raise OptionError(
            f"{where} must hold one game, but holds {listed}: name one, as in {where}:MyGame."
        )
    return found[0]  # type: ignore[no-any-return]
