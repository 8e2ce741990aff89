"""Whether rules know how many players there are.

`players` is an option that every game has, but rules that never ask for it are written for one
number: with another, some would neither move nor win. So the code of a game is looked through for
the word, its helpers included; rules that cannot be looked through are trusted.
"""

from __future__ import annotations

from types import CodeType, FunctionType, ModuleType
from typing import Any

WORD = "players"


def knows_players(cls: type) -> bool:
    """Whether anything that the rules of a class can reach asks for the number of players."""
    seen: set[int] = set()
    own = [
        base for base in cls.__mro__ if base.__module__ not in ("builtins", "oddsmith.rules.game")
    ]
    return any(_asks(value, seen) for base in own for value in vars(base).values())


def _asks(value: Any, seen: set[int]) -> bool:
    """Whether a member of a class, or what it refers to, has the word in its code."""
    if id(value) in seen:
        return False
    seen.add(id(value))
    if isinstance(value, FunctionType):
        return _function_asks(value, seen)
    if isinstance(value, type):
        foreign = value.__module__.partition(".")[0] in ("builtins", "typing", "oddsmith")
        return not foreign and any(_asks(item, seen) for item in vars(value).values())
    inner = ("func", "fget", "__func__", "__wrapped__", "py_func", "function", "when", "each")
    parts = [getattr(value, name, None) for name in (*inner, "dice", "rule")]
    return any(isinstance(part, FunctionType) and _asks(part, seen) for part in parts)


def _function_asks(function: FunctionType, seen: set[int]) -> bool:
    names, constants = _words(function.__code__)
    if WORD in names or WORD in constants:
        return True
    reach: list[Any] = [cell.cell_contents for cell in function.__closure__ or () if _full(cell)]
    known = function.__globals__
    reach += [known[name] for name in names if name in known]
    modules = [one for one in reach if isinstance(one, ModuleType)]
    reach += [vars(one)[name] for one in modules for name in names if name in vars(one)]
    return any(_asks(one, seen) for one in reach if _is_theirs(one))


def _full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:  # it is filled later
        return False


def _is_theirs(value: Any) -> bool:
    """Whether a function or class is part of somebody's rules, not of a library."""
    module = getattr(value, "__module__", None) or ""
    own = module.startswith("oddsmith.games")
    return own or module.partition(".")[0] not in ("oddsmith", "numpy", "numba", "typing")


def _words(code: CodeType) -> tuple[set[str], set[Any]]:
    """The names and the texts in some code and in the functions inside it."""
    names = {*code.co_names, *code.co_freevars}
    constants = {one for one in code.co_consts if isinstance(one, str)}
    for one in code.co_consts:
        if isinstance(one, CodeType):
            more_names, more_constants = _words(one)
            names |= more_names
            constants |= more_constants
    return names, constants
