"""Rules asked elsewhere: in processes of their own, in which Python orders sets in other ways.

A text has another hash in every process, so a set of texts (or of None, or of members of an Enum)
is gone through in another order each time a program runs. Rules that do so may say one thing today
and another tomorrow, and asking twice in one process cannot tell. Where rules of a file hold or
make sets, some states are played again by other processes, and all must say the same.
"""

from __future__ import annotations

import dis
import hashlib
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from types import CodeType, FunctionType
from typing import Any

from oddsmith.errors import OddsmithError, RuleError
from oddsmith.model.model import Model
from oddsmith.model.replay import row_of_rules, sample
from oddsmith.rules.game import Game
from oddsmith.rules.layout import layout_of
from oddsmith.rules.loading import class_in_file, file_of

PROCESSES = 4
"""How many others are asked: one time in sixteen all see the same first of two entries of a set."""

MOST_STATES = 64
SECONDS = 10.0
"""A process that takes longer says nothing."""

MAKES = {"BUILD_SET", "SET_ADD", "SET_UPDATE"}
NAMES = {"set", "frozenset"}
CHILD = "from oddsmith.model.elsewhere import answer; answer()"


def check_elsewhere(model: Model) -> None:
    """Refuse rules that hang on the process they run in, as far as that can be seen."""
    game = model.origin
    where = file_of(game)
    if not where or not any(map(_has_sets, _functions(game))):
        return
    picked = sample(model.states, game.players, compiled=True)[:MOST_STATES]
    states = model.names.take(picked)
    try:
        told = pickle.dumps((where, game.options)) + pickle.dumps(states)
    except (pickle.PicklingError, AttributeError, TypeError):
        return
    mine = said(game, states)
    for there in _answers(told):
        for state, one, other in zip(states, mine, there, strict=False):
            if one != other:
                raise RuleError(
                    f"The rules of {game.name} say one thing in one process and another in the "
                    f"next, in {state!r}: they go through a set, whose order is another each time "
                    f"Python starts. Sort it, or use a tuple."
                )


def _answers(told: bytes) -> Iterator[list[str]]:
    """What other processes say; nothing of one that fails or takes too long."""
    others: list[subprocess.Popen[bytes]] = []
    try:
        others.extend(map(_start, range(1, PROCESSES + 1)))
        for process in others:
            yield process.communicate(told, SECONDS)[0].decode().split()
    except (OSError, subprocess.TimeoutExpired):
        return
    finally:
        for process in others:
            process.kill()
            process.communicate()


def _start(seed: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"PYTHONHASHSEED": str(seed)},
    )


def answer() -> None:
    """What the other process does: a digest for each state, a line each."""
    where, options = pickle.load(sys.stdin.buffer)
    game = class_in_file(where)(**options)  # first, for the states are of a class of its file
    print("\n".join(said(game, pickle.load(sys.stdin.buffer))))


def said(game: Game, states: Sequence[Any]) -> list[str]:
    """What the rules say in some states, in whatever order they say it."""
    layout = layout_of(game, game.start())
    found = []
    for state in states:
        try:
            won, mover, score, choices = row_of_rules(game, layout, state, False)
            moves = sorted((n, total, sorted(map(repr, outs))) for n, total, outs in choices)
            text = repr((won, mover, score, moves))
        except OddsmithError as error:
            text = type(error).__name__
        found.append(hashlib.sha256(text.encode()).hexdigest())
    return found


# Whether there are sets --------------------------------------------------------------------------


def _functions(game: Game) -> Iterator[FunctionType]:
    """The functions that rules of a file reach by their names."""
    left = [v for cls in type(game).__mro__ for v in vars(cls).values()]
    seen: set[int] = set()
    while left:
        value = left.pop()
        for inner in ("function", "func", "fget", "__func__", "when", "each"):
            left += [getattr(value, inner)] if hasattr(value, inner) else []
        if not isinstance(value, FunctionType) or id(value) in seen:
            continue
        seen.add(id(value))
        package = value.__module__.partition(".")[0]
        if package in ("oddsmith", "numpy") or package in sys.stdlib_module_names:
            continue
        yield value
        left += [value.__globals__.get(name) for name in value.__code__.co_names]


def _has_sets(function: FunctionType) -> bool:
    """Whether a function makes a set, or names one whose order is not always the same."""
    named = (function.__globals__.get(name) for name in function.__code__.co_names)
    return _makes_sets(function.__code__) or any(map(_is_unsteady, named))


def _is_unsteady(value: Any) -> bool:
    """Whether something is a set whose order another process may have otherwise."""
    return isinstance(value, set | frozenset) and not all(isinstance(x, int) for x in value)


def _makes_sets(code: CodeType) -> bool:
    steps = list(dis.get_instructions(code))
    for step, after in zip(steps, [*steps[1:], None], strict=True):
        if step.opname in MAKES or step.argval in NAMES:
            return True
        if _is_unsteady(step.argval) and (after is None or after.opname != "CONTAINS_OP"):
            return True
    return any(_makes_sets(one) for one in code.co_consts if isinstance(one, CodeType))
