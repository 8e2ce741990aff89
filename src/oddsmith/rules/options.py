"""Options of a game: typed class attributes, given by keyword or as text (`--set goal=50`).

An option is an annotated class attribute with a default. Its annotation is one of `int`,
`float`, `bool`, `str`, `tuple[int, ...]` or a `Literal` of the values allowed.
"""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, ClassVar, Literal

from oddsmith.errors import OptionError

TRUE, FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


def declared_options(cls: type) -> dict[str, tuple[Any, Any]]:
    """Every option of a class and its bases: name -> (annotation, default)."""
    options: dict[str, tuple[Any, Any]] = {}
    for base in reversed(cls.__mro__):
        for name, annotation in _annotations(base).items():
            if not name.startswith("_") and name in vars(base):
                options[name] = (annotation, vars(base)[name])
    return options


@lru_cache
def _annotations(base: type) -> dict[str, Any]:
    """The types of a class's own attributes, evaluated once, without those of the class alone."""
    namespace = {**vars(sys.modules.get(base.__module__, typing)), **vars(typing)}
    found = {}
    for name, annotation in vars(base).get("__annotations__", {}).items():
        if isinstance(annotation, str):
            annotation = _evaluate(annotation, namespace)
        if typing.get_origin(annotation) is not ClassVar and annotation is not ClassVar:
            found[name] = annotation
    return found


def _evaluate(annotation: str, namespace: dict[str, Any]) -> Any:
    """Resolve an annotation that `from __future__ import annotations` turned into text."""
    holder = type("Holder", (), {"__annotations__": {"it": annotation}})
    try:
        return typing.get_type_hints(holder, globalns=namespace)["it"]
    except (NameError, TypeError):
        # get_type_hints refuses a bare ClassVar; a name it cannot see is not an option's type.
        return ClassVar


def suggestion(word: str, known: Iterable[str]) -> str:
    """The tail of an error about an unknown word: the nearest known one, or all of them."""
    import difflib

    known = sorted(known)
    near = difflib.get_close_matches(word, known, n=1)
    if near:
        return f"did you mean {near[0]!r}?"
    return "it has " + ", ".join(known) + "." if known else "it has none."


def check_option(game: str, name: str, annotation: Any, value: Any) -> Any:
    """The value if it fits the annotation, else an error that says what would."""
    if _fits(annotation, value):
        return tuple(value) if isinstance(value, list) else value
    raise OptionError(
        f"Option {name} of {game} cannot be {value!r}: it is {_describe(annotation)}."
    )


def _fits(annotation: Any, value: Any) -> bool:
    if typing.get_origin(annotation) is Literal:
        return any(value == known and type(value) is type(known) for known in _values(annotation))
    if typing.get_origin(annotation) is tuple:
        item = typing.get_args(annotation)[0]
        return isinstance(value, tuple | list) and all(_fits(item, one) for one in value)
    if annotation is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if annotation is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, annotation)


def _values(annotation: Any) -> tuple[Any, ...]:
    return typing.get_args(annotation)


def _describe(annotation: Any) -> str:
    if typing.get_origin(annotation) is Literal:
        return "one of " + ", ".join(str(value) for value in _values(annotation))
    if typing.get_origin(annotation) is tuple:
        return "a list of whole numbers such as 3,5,8"
    words = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}
    return words.get(annotation, str(annotation))


def parse_option(game: str, name: str, annotation: Any, text: str) -> Any:
    """The value that a text stands for: parsed by the option's type, never evaluated."""
    try:
        if typing.get_origin(annotation) is Literal:
            return next(value for value in _values(annotation) if str(value) == text)
        if typing.get_origin(annotation) is tuple:
            return tuple(int(part) for part in text.replace(" ", "").split(",") if part)
        if annotation is bool:
            if text.lower() not in TRUE + FALSE:
                raise ValueError
            return text.lower() in TRUE
        return annotation(text)
    except (ValueError, StopIteration):
        short = " of less than 4,300 digits" if text.lstrip("-").isdigit() else ""  # as Python has
        raise OptionError(
            f"Option {name} of {game} cannot be {text!r}: it is {_describe(annotation)}{short}."
        ) from None


def describe_options(options: Mapping[str, tuple[Any, Any]]) -> list[tuple[str, str, str]]:
    """Rows of (name, what it takes, default) for the command line's listing."""
    return [(name, _describe(kind), str(default)) for name, (kind, default) in options.items()]


def describe_policies(policies: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Rows of (name with its parameters, what it does) of the ways to play that a game names."""
    rows = []
    for name, policy in policies.items():
        parameters = list(inspect.signature(policy.rule).parameters.values())[2:]
        defaults = "".join("" if p.default is p.empty else f"-{p.default}" for p in parameters)
        rows.append((name + defaults, (inspect.getdoc(policy.rule) or "").split("\n")[0]))
    return rows
