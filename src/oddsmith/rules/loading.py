"""Rules from a person's own Python file: loaded as it is now, every mistake one sentence."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import traceback
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from oddsmith.errors import OddsmithError, OptionError
from oddsmith.rules.game import Game
from oddsmith.rules.options import suggestion
from oddsmith.runtime.reading import require_plain

OWN = "oddsmith_user_"
"""How the modules of files are called that are not of a package."""


class _AsItIs(SourceFileLoader):
    """Loads a file as it is now: Python's kept byte code may be that of before an edit, if that was
    within a second and left the file as long as it was."""

    def get_code(self, fullname: str) -> CodeType | None:
        return self.source_to_code(self.get_data(self.path), self.path)


def load_module(path_text: str) -> ModuleType:
    """A user's own Python file, loaded; whatever is wrong with it is one sentence."""
    path = Path(path_text)
    if path.exists():
        require_plain(path)
    else:
        raise OptionError(f"There is no file {path_text!r}.")
    name = f"{OWN}{path.stem}"
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


def class_in_file(spec: str) -> type[Game]:
    """The class named in `file.py:Class`, or the only one in `file.py`."""
    path_text, _, class_name = spec.partition(":")
    module = load_module(path_text)
    name = module.__name__
    if not class_name:
        return only_game(vars(module), name, path_text)
    wanted = getattr(module, class_name, None)
    if not (inspect.isclass(wanted) and issubclass(wanted, Game)):
        known = [k for k, v in vars(module).items() if _is_game(v, name)]
        raise OptionError(
            f"{path_text} has no game {class_name!r}: {suggestion(class_name, known)}"
        )
    return wanted


def _is_game(value: Any, module: str) -> bool:
    return inspect.isclass(value) and issubclass(value, Game) and value.__module__ == module


def only_game(names: dict[str, Any], module: str, where: str) -> type[Game]:
    """The only game among the names of a module."""
    found = [value for value in names.values() if _is_game(value, module)]
    if len(found) != 1:
        if not found:
            raise OptionError(f"{where} holds no game: write one, as in `class MyGame(Game):`.")
        listed = ", ".join(value.__name__ for value in found)
        raise OptionError(
            f"{where} must hold one game, but holds {listed}: name one, as in {where}:MyGame."
        )
    return found[0]  # type: ignore[no-any-return]


def file_of(game: Game) -> str:
    """The file that a person has named instead of a game, if any."""
    module = sys.modules.get(type(game).__module__)
    own = module is not None and module.__name__.startswith(OWN)
    if not own or module is None or not module.__file__:
        return ""
    return f"{Path(module.__file__).resolve()}:{type(game).__qualname__}"
