"""Calls of Python's own functions on values of play: what stands for which, and its arguments."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from oddsmith.model.step import arithmetic, tuples
from oddsmith.model.step.expressions import evaluate, gathered, reading
from oddsmith.model.step.function import Frame
from oddsmith.model.step.values import Known, Refused, Value, items_of

Special = Callable[[Frame, ast.Call], Value]
BUILTINS: dict[Any, Special] = {}
"""What stands for a function; `builtin_numbers.py` and its like declare it."""

Comprehension = ast.ListComp | ast.GeneratorExp


def builtin(*functions: Any) -> Callable[[Special], Special]:
    """Declare what stands for a function of Python's."""

    def declare(special: Special) -> Special:
        for function in functions:
            BUILTINS[function] = special
        return special

    return declare


def span_or_value(frame: Frame, node: ast.expr) -> Value:
    """What is gone through: a range may have ends that are only known in play."""
    if isinstance(node, ast.Name):
        return reading(frame, node)
    if isinstance(node, ast.GeneratorExp):
        return _collected(frame, node)
    return evaluate(frame, node)


def _collected(frame: Frame, node: Comprehension) -> Value:
    from oddsmith.model.step.loops import collected

    return gathered(collected(frame, node), tuple)


def gone_through(frame: Frame, node: ast.expr) -> tuple[Value, ...]:
    """The items of an argument that is gone through."""
    value = span_or_value(frame, node)
    if isinstance(value, Known) and not isinstance(value.value, tuple | list):
        try:
            return tuple(tuples.plain(one) for one in value.value)
        except TypeError:
            frame.code.fail()
    return items_of(arithmetic.present(frame.code, value))


def as_written(
    frame: Frame, node: ast.Call, *names: str
) -> tuple[list[ast.expr], dict[str, Value]]:
    """Arguments as written, and those by name."""
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        raise Refused("a star in such a call")
    named = {}
    for keyword in node.keywords:
        if keyword.arg not in names:
            raise Refused(f"the argument {keyword.arg} in such a call")
        named[keyword.arg] = evaluate(frame, keyword.value)
    return node.args, named


def looked_at(frame: Frame, node: ast.Call) -> list[Value]:
    """Arguments that are looked at: a list may be, too."""
    found: list[Value] = []
    if node.keywords:
        raise Refused("an argument by name in such a call")
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            found += items_of(reading(frame, argument.value))
        else:
            found.append(reading(frame, argument))
    return found


def check_count(frame: Frame, values: Sequence[Any], *counts: int) -> None:
    """Python raises where the number of arguments is wrong."""
    if len(values) not in counts:
        frame.code.fail()


def computed(frame: Frame, function: Any, values: Sequence[Value]) -> Value:
    """What Python says of known values; what raises fails in play."""
    try:
        return tuples.plain(function(*(value.value for value in values)))  # type: ignore[union-attr]
    except Exception:
        frame.code.fail()
