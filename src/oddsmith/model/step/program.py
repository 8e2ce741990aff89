"""All functions of a game's rules, each translated for the shapes it is called with."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

from oddsmith.model.native.numbers import Whole, literal, table
from oddsmith.model.step.arithmetic import Number
from oddsmith.model.step.code import MOST_LINES, Code, bounds
from oddsmith.model.step.function import Frame
from oddsmith.model.step.source import definition_of
from oddsmith.model.step.values import (
    Known,
    Real,
    Refused,
    Several,
    Shape,
    Value,
    all_known,
    joined,
    made_of,
    refs_of,
    shape_of,
    words_of,
)

DEEPEST = 60
"""So deep may functions call each other."""

NEAR = 1 << 40
"""Arguments within it need fewer checks: functions are translated apart for them."""


class Made:
    """A function that is translated: what it takes, what it gives, whether it can fail."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.shape: Shape | None = None
        self.fails = False
        self.value: Value | None = None
        """What it gives, if that is known."""
        self.low: Value | None = None


class Program:
    """The functions and tables of one game."""

    def __init__(self) -> None:
        self.functions: dict[Any, Made] = {}
        self.tables: dict[tuple[int, ...], tuple[str, int]] = {}
        self.reals: dict[str, str] = {}
        self.texts: list[str] = []
        self.lines = 0
        self.depth = 0
        self.kept: list[Any] = []
        """Objects that keys of functions name by their place in memory."""

    def text(self) -> str:
        """The whole module."""
        return "\n".join(self.texts) + "\n"

    # Tables -------------------------------------------------------------------------------------

    def load(self, code: Code, numbers: Sequence[int], at: str) -> Whole:
        """A number of a table, at a place that is in range."""
        key = tuple(numbers)
        if key not in self.tables:
            name = f"@t{len(self.tables)}"
            text, bits = table(name, numbers)
            self.texts.append(text)
            self.tables[key] = name, bits
        return Whole(code.entry(*self.tables[key], at), min(numbers), max(numbers))

    def load_real(self, code: Code, numbers: Sequence[float], at: str) -> Real:
        """A float of a table, at a place that is in range."""
        entries = ", ".join(f"double {literal(n)}" for n in numbers)
        name = self.reals.get(entries)
        if name is None:
            name = self.reals[entries] = f"@r{len(self.reals)}"
            self.texts.append(f"{name} = internal constant [{len(numbers)} x double] [{entries}]")
        place = code.op(f"getelementptr double, ptr {name}, i64 {at}")
        return Real(code.op(f"load double, ptr {place}"))

    # Functions ------------------------------------------------------------------------------------

    def call(self, code: Code, function: FunctionType, arguments: Sequence[Value]) -> Value:
        """Call a function of the rules with values for all its parameters."""
        made = self._translated(function, arguments)
        words = [
            f"{word} {ref}"
            for value in arguments
            for word, ref in zip(
                words_of(shape_of(value)), refs_of(value, shape_of(value)), strict=True
            )
        ]
        assert made.shape is not None
        gives = list(words_of(made.shape))
        if not gives and not made.fails:
            return made_of(made.shape, iter(()))
        kind = f"{{{', '.join(['i1', *gives])}}}"
        found = code.op(f"call {kind} {made.name}({', '.join(words)})")
        if made.fails:
            code.fail_if(code.op(f"extractvalue {kind} {found}, 0"))
        refs = [code.op(f"extractvalue {kind} {found}, {n + 1}") for n in range(len(gives))]
        assert made.value is not None
        return _with_bounds(made_of(made.shape, iter(refs)), made.value)

    def _translated(self, function: FunctionType, arguments: Sequence[Value]) -> Made:
        arguments = [_coarse(value) for value in arguments]
        key = (function, tuple(map(_key, arguments)))
        made = self.functions.get(key)
        if made is None:
            self.kept += (value.value for value in arguments if isinstance(value, Known))
            made = self.functions[key] = Made(f"@f{len(self.functions)}")
            try:
                self._translate(function, arguments, made)
            except BaseException:
                del self.functions[key]
                raise
        if made.shape is None:
            raise Refused(f"{function.__name__}, which calls itself,")
        return made

    def _translate(self, function: FunctionType, arguments: Sequence[Value], made: Made) -> None:
        from oddsmith.model.step.expressions import evaluate
        from oddsmith.model.step.statements import run

        node = definition_of(function)
        code, taken, names = Code(), [], {}
        for parameter, value in zip(parameters_of(function), arguments, strict=True):
            refs = [code.name() for _ in words_of(shape_of(value))]
            taken += [
                f"{word} {ref}" for word, ref in zip(words_of(shape_of(value)), refs, strict=True)
            ]
            names[parameter] = _with_bounds(made_of(shape_of(value), iter(refs)), value)
        frame = Frame(self, code, function, names)
        self.depth += 1
        if self.depth > DEEPEST:
            raise Refused(f"{function.__name__}, which calls so many others in turn,")
        if isinstance(node, ast.Lambda):
            value = evaluate(frame, node.body)
            if code.at is not None:
                frame.returns.append((code.at, value))
        else:
            run(frame, node.body)
            if code.at is not None:
                frame.returns.append((code.at, Known(None)))
        self.depth -= 1
        self._finish(code, frame, taken, made)

    def _finish(self, code: Code, frame: Frame, taken: list[str], made: Made) -> None:
        """The end of a function, where all that it gives meets."""
        value = code.meet(frame.returns) if frame.returns else Known(None)
        shape = shape_of(value)
        gives = list(words_of(shape))
        kind = f"{{{', '.join(['i1', *gives])}}}"
        if code.at is not None:
            whole = "undef"
            for n, (word, ref) in enumerate(
                zip(["i1", *gives], ["false", *refs_of(value, shape)], strict=True)
            ):
                whole = code.op(f"insertvalue {kind} {whole}, {word} {ref}, {n}")
            code.at.end = f"ret {kind} {whole}"
        if code.fails:
            failed = code.block("failed")
            undefined = ", ".join(f"{word} undef" for word in gives)
            rest = f", {undefined}" if gives else ""
            failed.end = f"ret {kind} {{i1 true{rest}}}"
        body = code.text()
        self.lines += body.count("\n")
        if self.lines > MOST_LINES:
            raise Refused("so much code")
        self.texts.append(f"define internal {kind} {made.name}({', '.join(taken)}) {{\n{body}\n}}")
        made.shape, made.fails, made.value = shape, code.fails, value


def parameters_of(function: FunctionType) -> list[str]:
    """The names of a function's parameters in order; those that take many are refused."""
    code = function.__code__
    if code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        raise Refused(f"{function.__name__}, which takes any number of arguments,")
    if code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE):
        raise Refused(f"the generator {function.__name__}")
    return list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def bound(
    function: FunctionType, given: Sequence[Value], named: Mapping[str, Value]
) -> list[Value]:
    """Values for all parameters: those given, then those named, then the defaults."""
    names, count = parameters_of(function), function.__code__.co_argcount
    positional = function.__code__.co_posonlyargcount
    defaults: dict[str, Any] = dict(function.__kwdefaults__ or {})
    usual = function.__defaults__ or ()
    defaults |= dict(zip(names[count - len(usual) : count], usual, strict=True))
    found: dict[str, Value] = dict(zip(names[:count], given, strict=False))
    if len(given) > count or any(
        name not in names or name in found or name in names[:positional] for name in named
    ):
        raise Refused(f"a call of {function.__name__} that does not fit")
    found |= named
    for name in names:
        if name not in found:
            if name not in defaults:
                raise Refused(f"a call of {function.__name__} without {name}")
            found[name] = Known(defaults[name])
    return [found[name] for name in names]


def known_call(function: Any, given: Sequence[Value], named: Mapping[str, Value]) -> Value | None:
    """What Python computes if all is known; None if it is not, or if that raises."""
    if not all_known([*given, *named.values()]):
        return None
    try:
        return Known(
            function(
                *(v.value for v in given),  # type: ignore[union-attr]
                **{k: v.value for k, v in named.items()},  # type: ignore[union-attr]
            )
        )
    except Exception:
        return None


# Arguments ----------------------------------------------------------------------------------------


def _coarse(value: Value) -> Value:
    """A value with bounds that are one of three, so that functions are translated seldom."""
    if isinstance(value, Whole):
        if value.low >= 0 and value.high <= NEAR:
            return Whole(value.ref, 0, NEAR)
        if value.low >= -NEAR and value.high <= NEAR:
            return Whole(value.ref, -NEAR, NEAR)
        return Whole(value.ref)
    if isinstance(value, Several):
        return Several(tuple(map(_coarse, value.items)), value.kind)
    return value


def _key(value: Value) -> Any:
    """What tells arguments apart for which a function is translated differently."""
    if isinstance(value, Known):
        if type(value.value) in (int, bool, str, type(None)):
            return (type(value.value), value.value)
        return ("object", id(value.value))
    if isinstance(value, Whole):
        return bounds(value)
    if isinstance(value, Several):
        return (value.kind, tuple(map(_key, value.items)))
    return shape_of(value)


def _with_bounds(value: Value, like: Value) -> Value:
    """A value with the bounds of one of the same shape."""
    if isinstance(value, Whole) and isinstance(like, Whole):
        return Whole(value.ref, like.low, like.high)
    if isinstance(value, Several) and isinstance(like, Several):
        parts = zip(value.items, like.items, strict=True)
        return Several(tuple(_with_bounds(one, other) for one, other in parts), value.kind)
    return value


__all__ = ["Made", "Number", "Program", "bound", "joined", "known_call", "parameters_of"]
