"""Keywords of the public functions: declared once, shown by `help`, checked before any work.

A function that ends with `**settings: Unpack[Keywords]` takes all of `settings.py` besides its
own; `checked` gives it the signature and the docstring that say so. A keyword that there is not
is refused with the one that was meant, and a value of another type with what it must be, before a
state is explored.
"""

from __future__ import annotations

import functools
import inspect
import numbers
import typing
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

from oddsmith.errors import OptionError
from oddsmith.questions.settings import KEYWORDS, Keyword, Keywords, Settings, Solving
from oddsmith.rules.options import suggestion

P = ParamSpec("P")
R = TypeVar("R")

TYPES: dict[str, tuple[tuple[type, ...], str]] = {
    "int": ((numbers.Integral,), "a whole number"),
    "float": ((numbers.Real,), "a number"),
    "bool": ((bool,), "True or False"),
    "str": ((str,), "a text"),
}
"""What is checked: an annotation as it is written, the types that fit it, and its words."""


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Check the keywords of a public function, and show all of them in its signature."""
    signature = inspect.signature(function)
    parameters = list(signature.parameters.values())
    settings = _settings(parameters[-1])
    if settings:
        own = {one.name for one in parameters}
        settings = {name: one for name, one in settings.items() if name not in own}
        parameters[-1:] = [one.parameter for one in settings.values()]
    positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    rest = [p for p in parameters if p.kind is p.VAR_POSITIONAL]
    named = {p.name: p for p in parameters if p.kind is not inspect.Parameter.VAR_POSITIONAL}
    has_any = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)

    @functools.wraps(function)
    def ask(*arguments: P.args, **given: P.kwargs) -> R:
        placed = dict(zip(positional, arguments, strict=False))
        check(function.__name__, named, placed | given, has_any)
        for one in rest:
            for value in arguments[len(positional) :]:
                _check_type(one, value)
        return function(*arguments, **given)

    ask.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    if settings:
        lines = [f"{name}: {one.says}." for name, one in settings.items()]
        said = inspect.cleandoc(function.__doc__ or "")
        ask.__doc__ = "\n".join([said, "", "Settings", "--------", *lines])
    return ask


def _settings(last: inspect.Parameter) -> dict[str, Keyword]:
    """The settings that a function's last parameter stands for: `**settings: Unpack[Solving]`."""
    shared = {f"Unpack[{kind.__name__}]": kind for kind in (Keywords, Solving)}
    kind = shared.get(str(last.annotation))
    if last.kind is not inspect.Parameter.VAR_KEYWORD or kind is None:
        return {}
    names = typing.get_type_hints(kind)
    return {name: one for name, one in KEYWORDS.items() if name in names}


def check(
    function: str,
    known: Mapping[str, inspect.Parameter],
    given: Mapping[str, Any],
    has_others: bool = False,
) -> None:
    """Refuse a keyword that there is not, and a value of another type than it has."""
    for name, value in given.items():
        if name not in known:
            if has_others:
                continue
            hint = suggestion(name, [one for one, p in known.items() if p.default is not p.empty])
            raise OptionError(f"{function} has no keyword {name!r}: {hint}")
        _check_type(known[name], value)


def _check_type(parameter: inspect.Parameter, value: Any) -> None:
    wrong = why_wrong(str(parameter.annotation), value)
    if wrong is not None:
        whole = isinstance(value, float) and value.is_integer() and "whole" in wrong
        advice = f": write {int(value)}" if whole else ""
        raise OptionError(f"{parameter.name} must be {wrong}, not {value!r}{advice}.")


def why_wrong(annotation: str, value: Any) -> str | None:
    """What a value must be instead, if its type is one that can be told from the annotation.

    >>> why_wrong("int | None", 1e4), why_wrong("int | None", None), why_wrong("Model", 3)
    ('a whole number', None, None)
    """
    kinds = [part.strip() for part in annotation.split("|")]
    if value is None and "None" in kinds:
        return None
    kinds = [kind for kind in kinds if kind != "None"]
    if not kinds or not all(kind in TYPES for kind in kinds):
        return None
    if isinstance(value, bool) and "bool" not in kinds:
        return TYPES[kinds[0]][1]
    if any(isinstance(value, TYPES[kind][0]) for kind in kinds):
        return None
    return " or ".join(TYPES[kind][1] for kind in kinds)


def table() -> str:
    """The settings as a table in Markdown: what the guide has, which a test compares."""
    lines = ["| keyword | default | |", "|---|---|---|"]
    for name, one in KEYWORDS.items():
        default = "" if name == "progress" else f"`{one.parameter.default!r}`"
        lines.append(f"| `{name}` | {default} | {one.says} |")
    return "\n".join(lines)


assert set(typing.get_type_hints(Settings)) == set(KEYWORDS), "settings are declared twice"
