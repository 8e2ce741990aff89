"""A digest of the rules: equal for equal rules, different as soon as anything they use differs.

It covers the game's class and its bases, the functions and constants its rules refer to, and
the options. It goes into every result as evidence, and it is the key under which compiled rules
are cached, so it must change whenever the compiled code could.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
import textwrap
from collections import namedtuple
from enum import Enum
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from oddsmith.dice import Die
from oddsmith.version import __version__

if TYPE_CHECKING:
    from oddsmith.rules.game import Game


@lru_cache(256)
def rules_digest(game: Game) -> str:
    """Sixteen hexadecimal digits that stand for these rules with these options."""
    seen: set[int] = set()
    parts = [game.identity]
    for base in type(game).__mro__:
        if not _is_ours(base) and base is not object:
            parts += [f"{k}={_describe(v, seen)}" for k, v in _members(base)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _is_ours(thing: Any) -> bool:
    """Whether a function or class is the library's or Python's own, not part of the rules."""
    module = getattr(thing, "__module__", None) or ""
    package = module.partition(".")[0]
    rules = module.startswith("oddsmith.games") or module == "oddsmith.rules.board"
    library = package == "oddsmith" and not rules
    return library or package in sys.stdlib_module_names or package in ("numpy", "numba")


def _members(cls: type) -> list[tuple[str, Any]]:
    """What a class holds, but for the ways to play and what rolls are called: no rules, those."""
    found = [(k, v) for k, v in vars(cls).items() if not k.startswith("__") and k != "roll_name"]
    return sorted((k, v) for k, v in found if type(v).__name__ != "NamedPolicy")


def _describe(value: Any, seen: set[int]) -> str:
    """A text that stands for a value; functions are followed into what they refer to."""
    function = getattr(value, "function", None)
    if isinstance(function, FunctionType):  # a Move
        parts = [function, value.dice, value.when, value.counts]
        if value.each is not None:
            parts.append(value.each)
        return "move(" + ", ".join(_describe(part, seen) for part in parts) + ")"
    for inner in ("func", "fget", "__func__", "py_func"):  # cached_property, property, …, numba
        if isinstance(getattr(value, inner, None), FunctionType):
            return _describe(getattr(value, inner), seen)
    if isinstance(value, FunctionType):
        return _describe_function(value, seen)
    if isinstance(value, Die):
        return f"die {value.digest}"
    if isinstance(value, tuple | list):
        return "(" + ", ".join(_describe(item, seen) for item in value) + ")"
    if isinstance(value, type):
        return _describe_class(value, seen)
    if isinstance(value, ModuleType):
        return f"module {value.__name__}"
    if hasattr(value, "tobytes"):  # an array
        return hashlib.sha256(value.tobytes()).hexdigest()
    text = repr(value)
    return type(value).__name__ if " at 0x" in text else text


def _describe_class(cls: type, seen: set[int]) -> str:
    """A class by its members: an enumeration's values, a NamedTuple's fields and defaults."""
    if id(cls) in seen or _is_ours(cls):
        return f"class {cls.__qualname__}"
    seen.add(id(cls))
    if issubclass(cls, Enum):
        return f"enumeration {[(member.name, member.value) for member in cls]}"
    members = _members(cls)
    if hasattr(cls, "_field_defaults"):
        made = set(vars(namedtuple("Made", cls._fields))) - {"_field_defaults"}  # type: ignore[attr-defined]
        members = [(name, value) for name, value in members if name not in made]
    return f"class {cls.__qualname__} {[(k, _describe(v, seen)) for k, v in members]}"


def _describe_function(function: FunctionType, seen: set[int]) -> str:
    if id(function) in seen:
        return function.__qualname__
    seen.add(id(function))
    if _is_ours(function):
        return f"{function.__module__}.{function.__qualname__} of {__version__}"
    parts = [_source(function), repr(function.__defaults__)]
    names = _names(function.__code__)
    for name in sorted(names & function.__globals__.keys()):
        value = function.__globals__[name]
        parts.append(f"{name}: {_describe(value, seen)}")
        if isinstance(value, ModuleType):
            used = sorted(name for name in names if name in vars(value))
            parts += [f"{name}: {_describe(vars(value)[name], seen)}" for name in used]
    for cell, name in zip(function.__closure__ or (), function.__code__.co_freevars, strict=True):
        if name != "__class__":
            parts.append(f"{name}: {_describe(cell.cell_contents, seen)}")
    return "; ".join(parts)


def _names(code: CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names


def _source(function: FunctionType) -> str:
    """The function without comments, layout and docstring; its byte code if it has no source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, SyntaxError, TypeError):
        return _byte_code(function.__code__)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def _byte_code(code: CodeType) -> str:
    constants = [_byte_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return f"{code.co_code.hex()} {constants} {code.co_names}"
