"""A new board: the commented template, written where a person wants it."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from oddsmith.errors import OptionError


def write_template(path: str) -> None:
    """Write the template to a file that is not there yet."""
    if not path.lower().endswith(".toml"):
        raise OptionError(f"A board's file must end in .toml: try {path}.toml.")
    text = (files("oddsmith.rules.board") / "template.toml").read_text(encoding="utf-8")
    try:
        with Path(path).open("x", encoding="utf-8") as file:
            file.write(text.replace("board.toml", path))
    except FileExistsError:
        raise OptionError(f"{path} is there already: choose another name.") from None
    except OSError as error:
        raise OptionError(f"{path} cannot be written: {error.strerror}.") from None
    except ValueError:
        raise OptionError(f"{path!r} cannot be the name of a file.") from None
