"""Compiling a game: what kernels need to know of it, and why it cannot be compiled if not."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numba import typeof

from oddsmith.dice import Die
from oddsmith.errors import NotCompilable, OddsmithError
from oddsmith.model.numba_types import CompiledGame, roll_salt
from oddsmith.model.plain_operators import REFUSED
from oddsmith.rules import interpret
from oddsmith.rules.game import Action, Game
from oddsmith.rules.layout import leaves

if TYPE_CHECKING:
    from oddsmith.model.explore import Interpreted

T = TypeVar("T")

MOST_LOOKED_AT = 5_000
"""In how many states dice that depend on the state are looked for."""


def cached_call(kernel: Any, call: Callable[[], T]) -> T:
    """Call a kernel; if Numba's cache was written by another version of this library, renew it."""
    try:
        return call()
    except (AttributeError, ImportError, EOFError, pickle.UnpicklingError):
        kernel._cache.flush()
        return call()


@contextmanager
def refusals() -> Iterator[None]:
    """Turn whatever ends a compilation into a reason of one line: no rule is run here."""
    try:
        yield
    except (OddsmithError, NotCompilable, MemoryError):
        raise
    except Exception as error:  # Numba's own errors, and errors in Numba
        raise NotCompilable(_reason(str(error)) or type(error).__name__) from None


def _reason(message: str) -> str:
    """The telling line of a message of Numba's, and the place in the rules it is about."""
    refused = re.search(rf"{REFUSED}(.*)", message)
    if refused:
        return f"{refused[1]} is not compiled: it would not mean what it means in Python"
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    telling = [line for line in lines if re.match(TELLING, line)]
    places = [line for line in lines if re.match(r'File ".*", line \d+', line)]
    places = [place for place in places if "oddsmith/model/" not in place]
    reason = (telling or lines or [""])[-1].rstrip(".:")
    return f"{reason}, {places[-1].rstrip(':')}" if places else reason


TELLING = (
    r"(Unknown attribute|Untyped global|Cannot unify|Invalid use|Use of unsupported|"
    r"No implementation of function|Unsupported|Cannot determine|cannot|.*not supported)"
)


def compile_game(search: Interpreted) -> tuple[CompiledGame, DiceTable]:
    """A game ready for kernels; `search` has interpreted its first states."""
    if isinstance(search.layout, str):
        raise NotCompilable(search.layout)
    for name, value in leaves(search.origin):
        if isinstance(value, Enum):
            raise NotCompilable(f"field {name} holds members of {type(value).__name__}")
    shapes: list[Any] = []
    seen = _rolls_by_state(search)
    for action in search.game.actions:
        if action.die is not None:
            shapes.append(_shape(action.name, action.die))
        elif action.dice is not None:
            shapes.append(seen.get(action.method, 0))
        else:
            shapes.append(None)
    compiled = CompiledGame(search.game, search.origin, tuple(shapes))
    fixed = [(action.die, None) for action in search.game.actions if action.die is not None]
    return compiled, DiceTable(search.game, list(dict.fromkeys(fixed)))


def _rolls_by_state(search: Interpreted) -> dict[str, Any]:
    """One roll of each move whose dice depend on the state, where one was legal so far."""
    game, found = search.game, dict[str, Any]()
    missing = {action.method for action in game.actions if action.dice is not None}
    for state, won in zip(search.states, search.winners[:MOST_LOOKED_AT], strict=False):
        if not missing:
            break
        if won == interpret.GOES_ON:
            for _, action in interpret.legal_actions(game, state):
                if action.method in missing:
                    die = interpret.die_for(game, action, state)
                    assert die is not None
                    found[action.method] = die.faces[0]
                    missing.discard(action.method)
    return found


def _shape(move: str, die: Die[Any]) -> Any:
    """A face that stands for the shape of all faces of a die."""
    numbers = [number for face in die.faces for number in _flat(face)]
    if not all(isinstance(number, int) for number in numbers):
        raise NotCompilable(f"the rolls of {move} are not whole numbers")
    if any(abs(number) >= 1 << 63 for number in numbers):
        raise NotCompilable(f"the rolls of {move} are beyond 64 bits")
    if len({str(typeof(face)) for face in die.faces}) != 1:
        raise NotCompilable(f"the rolls of {move} are not all of one shape")
    return die.faces[0]


def _flat(face: Any) -> list[Any]:
    return [n for part in face for n in _flat(part)] if isinstance(face, tuple) else [face]


class DiceTable:
    """All the dice of a game as arrays: the faces as rows of numbers, their weights.

    Entries are a die and, if it was thrown where dice depend on the state, the shape of the rolls
    of that move: one die may be read with several shapes (`roll_salt`).
    """

    NO_DICE, BY_STATE = -1, -2

    def __init__(self, game: Game, entries: list[tuple[Die[Any], Any]]) -> None:
        self.game, self.entries = game, entries
        self.dice = dice = [die for die, _ in entries]
        rows = [[int(n) for n in _flat(face)] for die in dice for face in die.faces] or [[0]]
        width = max(1, max(len(row) for row in rows))
        self.faces = np.array([row + [0] * (width - len(row)) for row in rows], np.int64)
        self.weights = np.array([w for die in dice for w in die.weights] or [1], np.int64)
        sums = [np.cumsum(die.weights, dtype=np.int64) for die in dice]
        self.cumulative = np.concatenate(sums) if sums else np.ones(1, np.int64)
        self.start = np.cumsum([0] + [len(die) for die in dice]).astype(np.int64)
        self.total = np.array([die.total for die in dice] or [1], np.int64)
        keys = [-1 if kind is None else die.digest ^ roll_salt(kind) for die, kind in entries]
        self.digest = np.array(keys or [-1], np.int64)
        self.fixed = np.array([self._fixed(action) for action in game.actions], np.int64)

    def _fixed(self, action: Action) -> int:
        if action.die is not None:
            return self.entries.index((action.die, None))
        return self.BY_STATE if action.dice is not None else self.NO_DICE

    def with_dice_of(self, compiled: CompiledGame, state: Any) -> DiceTable:
        """The table with the dice that depend on the state and are thrown in this one."""
        entries = list(self.entries)
        for number, action in interpret.legal_actions(self.game, state):
            die = interpret.die_for(self.game, action, state)
            kind = compiled.roll_types[number]
            if action.dice is None or die is None or (die, kind) in entries:
                continue
            _shape(action.name, die)
            if any(typeof(face) != kind for face in die.faces):
                raise NotCompilable(
                    f"the rolls of {action.name} change their shape ({die.faces[0]!r} in "
                    f"{state!r}): give all its dice faces of one shape"
                )
            entries.append((die, kind))
        return DiceTable(self.game, entries)
