"""One function, translated and compiled by itself, to be called beside Python's own."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from oddsmith.model.native.machine import Machine
from oddsmith.model.step.code import Code, Unreachable
from oddsmith.model.step.program import Program
from oddsmith.model.step.steps import SPEED
from oddsmith.model.step.values import (
    Known,
    Shape,
    computed,
    made_of,
    refs_of,
    shape_of,
    words_of,
)

MOST_WORDS = 1024


class Stopped(Exception):  # noqa: N818
    """The compiled function has stopped: Python raises, or goes on beyond 64 bits."""


def compiled(rule: Any, *like: Any) -> Callable[..., Any]:
    """A function compiled for arguments like these; `Refused` if it cannot be."""
    program, code, shape = Program(), Code(), None
    shapes = [computed(shape_of(Known(one))) for one in like]
    count, values = 0, []
    for one in shapes:
        refs = []
        for word in words_of(one):
            place = code.op(f"getelementptr i64, ptr %in, i64 {count}")
            loaded = code.op(f"load {'i64' if word == 'i1' else word}, ptr {place}")
            refs.append(code.op(f"icmp ne i64 {loaded}, 0") if word == "i1" else loaded)
            count += 1
        values.append(made_of(one, iter(refs)))
    try:
        value = program.call(code, rule, values)
        shape = shape_of(value)
        for n, (word, ref) in enumerate(zip(words_of(shape), refs_of(value, shape), strict=True)):
            place = code.op(f"getelementptr i64, ptr %out, i64 {n}")
            kind, kept = (word, ref)
            if word == "i1":
                kind, kept = "i64", code.op(f"zext i1 {ref} to i64")
            code.do(f"store {kind} {kept}, ptr {place}")
        assert code.at is not None
        code.at.end = "ret i64 0"
    except Unreachable:
        pass
    if code.fails:
        code.block("failed").end = "ret i64 1"
    text = f"define i64 @rule(ptr %in, ptr %out) {{\n{code.text()}\n}}\n"
    machine = Machine(f"{program.text()}\n{text}", SPEED)
    call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(machine.address("rule"))

    def run(*arguments: Any) -> Any:
        words = [w for one, s in zip(arguments, shapes, strict=True) for w in _words(one, s)]
        taken = np.array([*words, 0], np.int64)
        given = np.zeros(MOST_WORDS, np.int64)
        if call(taken.ctypes.data, given.ctypes.data):
            raise Stopped
        return None if shape is None else _value(iter(given.tolist()), shape)

    run.machine = machine  # type: ignore[attr-defined]
    return run


def _words(value: Any, shape: Shape) -> Iterator[int]:
    if shape[0] == "several":
        for one, part in zip(value, shape[2], strict=True):
            yield from _words(one, part)
    elif shape[0] == "real":
        yield int(np.float64(value).view(np.int64))
    elif shape[0] != "known":
        yield int(value)


def _value(words: Iterator[int], shape: Shape) -> Any:
    match shape[0]:
        case "known":
            return shape[1].value
        case "whole":
            return next(words)
        case "truth":
            return bool(next(words))
        case "real":
            return float(np.int64(next(words)).view(np.float64))
        case "pick":
            return shape[1][next(words)].value
        case "several":
            items, kind = [_value(words, part) for part in shape[2]], shape[1]
            return kind(*items) if hasattr(kind, "_fields") else kind(items)
    none, value = next(words), _value(words, shape[1])
    return None if none else value
