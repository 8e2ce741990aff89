"""A policy's file: the states as numbers, a byte a move, what every state is worth, and a seal.

The moves of a policy are what they are, whoever wrote them: questions about it are answered by
solving. What its states are *worth* is a claim, and no number is certified because a file says so.
So the worths of a file are believed if this user has written it (`runtime/seal.py`); else they have
no bounds, and nobody is advised by them. Whatever a file holds, it is a policy of the right shapes
or refused in one sentence.
"""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from oddsmith.errors import LimitError, OddsmithError, OptionError
from oddsmith.model.names import GameNames
from oddsmith.quoting import quoted
from oddsmith.rules import interpret
from oddsmith.rules.digest import rules_digest
from oddsmith.rules.game import Game
from oddsmith.rules.layout import Layout, layout_of
from oddsmith.rules.origin import Origin
from oddsmith.runtime import memory
from oddsmith.runtime.reading import require_plain
from oddsmith.runtime.seal import Seal
from oddsmith.runtime.whole_files import replacing
from oddsmith.version import __version__

if TYPE_CHECKING:
    from oddsmith.policies.table import Table

FORMAT = "oddsmith policy 1"
NO_MOVE = 255
LONGEST = 1 << 16
"""Letters of what a file says of itself at most."""


def save(table: Table, path: str | Path) -> None:
    """Write a policy to a file."""
    meta = {
        "format": FORMAT,
        "version": __version__,
        "game": table.game.key(),
        "options": {name: str(value) for name, value in table.game.options.items()},
        "digest": rules_digest(table.game),
        "name": table.name,
        "relative": table.relative,
        "player": table.player,
        "error": table.error_kept if math.isfinite(table.error) else None,
    }
    arrays = {"action": table.action, "worth": table.worth, **table.kept(), **table.states_kept()}
    arrays["meta"] = np.array(json.dumps(meta))
    seal = "" if table.foreign else _seal_of(arrays)
    try:
        with replacing(Path(path)) as file:
            np.savez_compressed(file, seal=np.array(seal), **arrays)
    except OddsmithError as error:
        raise OptionError(str(error).replace("could not be", "cannot be")) from None


def load(path: str | Path, game: Game, kinds: tuple[type[Table], Callable[[], Any]]) -> Table:
    """Read a policy that `save` has written, for a game with the same rules.

    `kinds` are the class of a plain table, and what gives that of one that was learned.
    """
    arrays = _arrays(path)
    seal = arrays.pop("seal", None)
    meta = _meta(path, arrays)
    if meta["digest"] != rules_digest(game):
        changed = quoted(", ".join(f"{k}={v}" for k, v in meta["options"].items()))
        of = quoted(meta["game"]) + (f" with {changed}" if changed else "")
        raise OptionError(
            f"{path} is a policy for other rules: it was made for {of}, rules "
            f"{quoted(meta['digest'])}, and these are {rules_digest(game)}."
        )
    layout: Layout | str = "they are those of a model"
    if not isinstance(game, Origin):
        layout = layout_of(game, interpret.first_state(game))
    if not _fits(arrays, meta, game, layout):
        raise OptionError(f"{path} is a policy with parts missing or damaged: save it again.")
    foreign = seal is None or _seal_of(arrays) != str(seal)
    bound = math.inf if foreign or meta["error"] is None else float(meta["error"])
    kind, more = kinds[0], {}
    if "tiles" in arrays:
        kind = kinds[1]()
        more = {name: arrays[name] for name in ("tiles", "shift")}
        more["prior"] = float(arrays["prior"])
    if "codes" in arrays:
        names = GameNames(game, layout, packed=arrays["codes"].reshape(-1, 1))
    else:
        texts = arrays["states"].tolist()
        names = GameNames(game, "they are known by their texts", objects=Texts(texts))
    table = kind(
        game, names, arrays["action"], arrays["worth"], relative=meta["relative"],
        name=meta["name"], player=meta["player"], error=bound, **more,
    )  # fmt: skip
    table.foreign = foreign
    if "codes" not in arrays:
        table.__dict__["_numbers"] = ByText({text: i for i, text in enumerate(texts)})
    return table


def _arrays(path: str | Path) -> dict[str, Any]:
    """The arrays in a file; what would fill the memory, or holds anything else, is refused."""
    require_plain(path)
    try:
        with Path(path).open("rb") as file:
            with zipfile.ZipFile(file) as parts:
                memory.require(sum(part.file_size for part in parts.infolist()), f"{path}", "")
            file.seek(0)
            loaded = np.load(file, allow_pickle=False)
            return {name: loaded[name] for name in loaded.files}
    except FileNotFoundError:
        raise OptionError(f"There is no file {quoted(repr(str(path)))}.") from None
    except LimitError:
        raise OptionError(f"{path} unpacks to more than there is memory for.") from None
    except OSError as error:
        raise OptionError(f"{path} cannot be read: {error.strerror or quoted(error)}.") from None
    except Exception:  # whatever numpy, zipfile and zlib think of what is no such file
        raise OptionError(
            f"{path} is not a policy that Oddsmith has saved, or it is damaged."
        ) from None


WANTED: dict[str, Callable[[Any], bool]] = {
    "digest": lambda x: isinstance(x, str),
    "game": lambda x: isinstance(x, str),
    "name": lambda x: isinstance(x, str) and 0 < len(x) < 200 and x.isprintable(),
    "options": lambda x: isinstance(x, dict),
    "relative": lambda x: isinstance(x, bool),
    "player": lambda x: x is None or type(x) is int,
    "error": lambda x: x is None or (type(x) in (int, float) and 0 <= x < math.inf),
}
"""What a file says of itself, and how."""


def _meta(path: str | Path, arrays: dict[str, Any]) -> dict[str, Any]:
    """What a file says of itself."""
    try:
        text = arrays["meta"]
        if text.shape != () or text.dtype.kind != "U" or len(str(text)) > LONGEST:
            raise ValueError
        meta = json.loads(str(text))
    except (KeyError, ValueError, RecursionError):
        raise OptionError(
            f"{path} is not a policy that Oddsmith has saved, or it is damaged."
        ) from None
    if not isinstance(meta, dict) or meta.get("format") != FORMAT:
        raise OptionError(f"{path} is not a policy that this version can read.")
    if not all(name in meta and fits(meta[name]) for name, fits in WANTED.items()):
        raise OptionError(f"{path} is a policy with parts missing or damaged: save it again.")
    return meta


def _fits(arrays: dict[str, Any], meta: dict[str, Any], game: Game, layout: Any) -> bool:
    """Whether arrays are those of a table of this game: their types, shapes and ranges."""
    player = meta["player"]
    if not (player is None or 0 <= player < game.players):
        return False
    if meta["relative"] and not game.interchangeable:
        return False
    packed = "codes" in arrays
    if packed and not (isinstance(layout, Layout) and layout.words == 1):
        return False
    states = arrays.get("codes" if packed else "states")
    action, worth = arrays.get("action"), arrays.get("worth")
    if states is None or action is None or worth is None:
        return False
    seats = game.players if player is None else 1
    shapes = (
        states.ndim == 1 and len(states) > 0
        and (states.dtype == np.int64 if packed else states.dtype.kind == "U")
        and action.shape == states.shape and action.dtype == np.uint8
        and worth.shape == (len(states), seats) and worth.dtype == np.float64
    )  # fmt: skip
    if not shapes or not ((action < len(game.actions)) | (action == NO_MOVE)).all():
        return False
    if packed and not ((states >= 0) & (states < layout.codes)).all():
        return False
    if not np.isfinite(worth).all():
        return False
    if not game.has_score and ((worth < -1) | (worth > 2)).any():
        return False
    return "tiles" not in arrays or (packed and _can_guess(arrays, game, layout))


def _can_guess(arrays: dict[str, Any], game: Game, layout: Layout) -> bool:
    """Whether what was learned of states that were not met is of the shapes that kernels read."""
    tiles, shift, prior = (arrays.get(name) for name in ("tiles", "shift", "prior"))
    if tiles is None or shift is None or prior is None:
        return False
    slots = len(tiles) if tiles.ndim == 2 else 0
    return bool(
        slots > 0 and slots & (slots - 1) == 0
        and tiles.shape[1] == game.players and tiles.dtype == np.float64
        and np.isfinite(tiles).all()
        and shift.ndim == 2 and shift.shape[1] == len(layout.columns) and shift.dtype == np.int64
        and ((shift >= 0) & (shift < 64)).all()
        and prior.shape == () and prior.dtype == np.float64 and np.isfinite(prior)
    )  # fmt: skip


def _seal_of(arrays: dict[str, Any]) -> str:
    """The user's seal of some arrays; empty where there is no key to be had."""
    try:
        seal = Seal()
    except OddsmithError:
        return ""
    parts = []
    for name, array in sorted(arrays.items()):
        shape = f"{name} {array.dtype.str} {array.shape} {array.nbytes}\n"
        parts += [shape.encode(), np.ascontiguousarray(array).tobytes()]
    return seal.of(b"".join(parts))


class Texts(list[str]):
    """States of which only the text is known."""


class ByText(dict[str, int]):
    """Numbers of states by their text."""

    def get(self, key: Any, default: Any = None) -> Any:
        """The number of a state."""
        return super().get(repr(key), default)
