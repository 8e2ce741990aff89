"""A digest of the rules: equal for equal rules, different as soon as anything they use differs.

It covers the game's class and its bases, its options, and every value that the rules can reach:
the functions they call, constants and tables of their modules and of modules of those, what
properties of the game give, what closures hold. It goes into every result as evidence, and it is
the key under which compiled rules are kept, so it must change whenever the compiled code could.

A function stands for what runs, not for what its file says now: its source is used (without
comments, layout and docstring, and the same under every version of Python) if compiling that file
gives the code that is in memory; if the file was edited since, or there is none, its byte code is.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import linecache
import sys
from collections import namedtuple
from collections.abc import Iterator
from enum import Enum
from functools import cached_property, lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from oddsmith.dice import Die
from oddsmith.rules.origin import Origin
from oddsmith.version import __version__

if TYPE_CHECKING:
    from oddsmith.rules.game import Game


BOARDS = ("oddsmith.rules.board.game", "oddsmith.rules.board.walk")
"""Where the rules of boards are: in the library, but rules."""

_NAMEDTUPLE = namedtuple("_NAMEDTUPLE", ())
"""What every NamedTuple has besides its fields; kept, for a class that is collected is emptied."""


def rules_digest(game: Game | Origin) -> str:
    """Sixteen hexadecimal digits that stand for these rules with these options."""
    if isinstance(game, Origin):
        return game.digest
    told = _Description()
    parts = [game.identity]
    for base in type(game).__mro__:
        if not _is_ours(base) and base is not object:
            parts += [f"{k}={told.describe(v)}" for k, v in _members(base)]
    parts += told.attributes(game)
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _is_ours(thing: Any) -> bool:
    """Whether a function or class is the library's or Python's own, not part of the rules."""
    return _is_known(getattr(thing, "__module__", None) or "")


def _is_known(module: str) -> bool:
    package = module.partition(".")[0]
    rules = module.startswith("oddsmith.games") or module in BOARDS
    library = package == "oddsmith" and not rules
    return library or package in sys.stdlib_module_names or package in ("numpy", "numba")


def _is_oddsmith(thing: Any) -> bool:
    return (getattr(thing, "__module__", None) or "").startswith("oddsmith.")


def _members(cls: type) -> list[tuple[str, Any]]:
    """What a class holds, but for the ways to play and what rolls are called: no rules, those."""
    found = [(k, v) for k, v in vars(cls).items() if not k.startswith("__") and k != "roll_name"]
    return sorted((k, v) for k, v in found if type(v).__name__ != "NamedPolicy")


class _Description:
    """Texts that stand for values; functions are followed into what they refer to."""

    def __init__(self) -> None:
        self.seen: dict[int, Any] = {}
        """What has been described, by its address; kept, so that no other gets that address."""
        self.names: set[str] = set()
        """All names that the rules use."""

    def describe(self, value: Any) -> str:
        """A text that stands for a value."""
        function = getattr(value, "function", None)
        if isinstance(function, FunctionType):  # a Move
            parts = [function, value.dice, value.when, value.counts]
            if value.each is not None:
                parts.append(value.each)
            return "move(" + ", ".join(map(self.describe, parts)) + ")"
        for inner in ("func", "fget", "__func__", "py_func"):  # cached_property, property, …, numba
            if isinstance(getattr(value, inner, None), FunctionType):
                return self.describe(getattr(value, inner))
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, ModuleType):
            return f"module {value.__name__}"
        return self._value(value)

    def attributes(self, game: Game) -> list[str]:
        """What the attributes of the game that rules name have for a value: tables, mostly."""
        found = []
        for name in sorted(self.names):
            kept = inspect.getattr_static(type(game), name, None)
            held = kept is None and name in vars(game) and not _is_oddsmith(type(game))
            if not held and not isinstance(kept, property | cached_property):
                continue
            function = getattr(kept, "func", getattr(kept, "fget", None))
            if _is_oddsmith(function):
                continue  # made of the options and of code that is described, nothing else
            try:
                found.append(f"{name} is {self.describe(getattr(game, name))}")
            except Exception as error:  # the rules will meet it, and say so
                found.append(f"{name} raises {type(error).__name__}")
        return found

    def _value(self, value: Any) -> str:
        if isinstance(value, Die):
            return f"die {value.digest}"
        if isinstance(value, tuple | list):
            return f"{type(value).__name__}({', '.join(map(self.describe, value))})"
        if isinstance(value, dict):
            items = (f"{self.describe(k)}: {self.describe(v)}" for k, v in value.items())
            return f"{{{', '.join(items)}}}"
        if isinstance(value, set | frozenset):
            return f"{type(value).__name__}{sorted(map(self.describe, value))}"
        if hasattr(value, "tobytes"):  # an array
            kept = hashlib.sha256(value.tobytes()).hexdigest()
            return f"array {value.dtype.str} {value.shape} {kept}"
        text = repr(value)
        if " at 0x" not in text:
            return text
        if id(value) in self.seen or not hasattr(value, "__dict__"):
            return type(value).__name__
        self.seen[id(value)] = value
        return f"{type(value).__name__} {self.describe(vars(value))}"

    def _class(self, cls: type) -> str:
        """A class by its members: an enumeration's values, a NamedTuple's fields and defaults."""
        if id(cls) in self.seen or _is_ours(cls):
            return f"class {cls.__qualname__}"
        self.seen[id(cls)] = cls
        if issubclass(cls, Enum):
            return f"enumeration {[(member.name, member.value) for member in cls]}"
        members = _members(cls)
        if hasattr(cls, "_field_defaults"):
            made = vars(_NAMEDTUPLE).keys() - {"_fields", "_field_defaults"}
            made |= set(cls._fields)  # type: ignore[attr-defined]
            members = [(name, value) for name, value in members if name not in made]
        return f"class {cls.__qualname__} {[(k, self.describe(v)) for k, v in members]}"

    def _function(self, function: FunctionType) -> str:
        if id(function) in self.seen:
            return function.__qualname__
        self.seen[id(function)] = function
        if _is_ours(function):
            return f"{function.__module__}.{function.__qualname__} of {__version__}"
        parts = [_text(function), self.describe(function.__defaults__)]
        parts.append(self.describe(function.__kwdefaults__))
        names = _names(function.__code__)
        self.names |= names
        for name in sorted(names & function.__globals__.keys()):
            if name.startswith("__"):  # where a file lies is no rule
                continue
            value = function.__globals__[name]
            parts.append(f"{name}: {self.describe(value)}")
            if isinstance(value, ModuleType):
                parts += self._module(value, names)
        cells = zip(function.__closure__ or (), function.__code__.co_freevars, strict=True)
        for cell, name in cells:
            if name != "__class__":
                parts.append(f"{name}: {self.describe(cell.cell_contents)}")
        return "; ".join(parts)

    def _module(self, module: ModuleType, names: set[str]) -> Iterator[str]:
        """What a function can mean by its names in a module, and in the modules in it."""
        if _is_known(module.__name__) or id(module) in self.seen:
            return
        self.seen[id(module)] = module
        for name in sorted(names & vars(module).keys()):
            value = vars(module)[name]
            yield f"{module.__name__}.{name}: {self.describe(value)}"
            if isinstance(value, ModuleType):
                yield from self._module(value, names)
        self.seen.pop(id(module))  # another function may use other names of it


def _names(code: CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names


def _text(function: FunctionType) -> str:
    """The source of a function if that is what runs, else its byte code."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    lines = tuple(linecache.getlines(code.co_filename, function.__globals__))
    found = _sources(lines, code.co_filename) if lines else {}
    texts = found.get(code)
    return _byte_code(code) if texts is None else texts


@lru_cache(64)
def _sources(lines: tuple[str, ...], file: str) -> dict[CodeType, str]:
    """The functions of a file: their code, and their source without comments and docstrings.

    Lambdas that begin on one line stand for each other: a change in one changes all.
    """
    try:
        tree = ast.parse("".join(lines), file)
        whole = compile(tree, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return {}
    texts: dict[int, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(part.lineno for part in node.decorator_list)])
            if ast.get_docstring(node) is not None:
                node.body = node.body[1:] or [ast.Pass()]
            node.decorator_list = []
            texts.setdefault(first, []).append(ast.unparse(node))
        elif isinstance(node, ast.Lambda):
            texts.setdefault(node.lineno, []).append(ast.unparse(node))
    return {
        code: "; ".join(texts[code.co_firstlineno])
        for code in _codes(whole)
        if code.co_firstlineno in texts
    }


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _byte_code(code: CodeType) -> str:
    constants = [_byte_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return f"{code.co_code.hex()} {constants} {code.co_names} {code.co_varnames} {code.co_freevars}"
