"""Expressions in all states of a process at once, compiled.

`Read(n)` is variable n of the valuations, wherever they come from. Numbers are exact; where a
fraction is too long for 64 bits, or not a fraction, the answer is in floating point.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from oddsmith.errors import OddsmithError
from oddsmith.model.amounts import Amounts, Bools
from oddsmith.model.explorer.numbers import MANY, Numbers
from oddsmith.model.native.machine import Machine
from oddsmith.model.native.numbers import OVERFLOW
from oddsmith.model.prism.arithmetic import NotRationalError
from oddsmith.model.prism.jit import sum_function, truth_function
from oddsmith.model.prism.long_numbers import amounts_of, evaluated
from oddsmith.model.variables import Valuations
from oddsmith.rules.prism.expression import Expression
from oddsmith.rules.prism.interpret import evaluate
from oddsmith.rules.prism.source import Rejected

BLOCK = 1 << 22
"""States between two chances for Ctrl-C."""

_EACH = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)


class TooLongError(Exception):
    """Numbers too long for 64 bits."""


class StateFailureError(Exception):
    """An expression has no value in a state."""

    def __init__(self, state: int) -> None:
        super().__init__(state)
        self.state = state


def call_each(
    machine: Machine, name: str, packed: npt.NDArray[np.uint64], out: npt.NDArray[Any]
) -> None:
    """Run a function of `jit.each_state` on packed states (states × words)."""
    assert packed.flags.c_contiguous
    function = _EACH(machine.address(name))
    code = int(function(packed.ctypes.data, len(packed), out.ctypes.data))
    if code >= 0:
        if code & 3 == OVERFLOW:
            raise TooLongError
        raise StateFailureError(code >> 2)


def _blocks(packed: npt.NDArray[np.uint64], size: int) -> Iterator[tuple[int, Any]]:
    for first in range(0, len(packed), size):
        yield first, packed[first : first + size]


def truths(machine: Machine, name: str, packed: npt.NDArray[np.uint64]) -> Bools:
    """What a function made by `truth_function` says of every state."""
    result = np.empty(len(packed), np.bool_)
    for first, block in _blocks(packed, BLOCK):
        try:
            call_each(machine, name, block, result[first : first + len(block)])
        except StateFailureError as failure:
            raise StateFailureError(first + failure.state) from None
    return result


def amounts(machine: Machine, name: str, packed: npt.NDArray[np.uint64]) -> tuple[Amounts, int]:
    """What a function made by `sum_function` says of every state; the first negative, or -1."""
    index = np.empty(len(packed), np.int32)
    pairs = np.empty(2 * min(MANY, len(packed)), np.int64)
    numbers, negative = Numbers(), -1
    for first, block in _blocks(packed, MANY):
        try:
            call_each(machine, name, block, pairs)
        except StateFailureError as failure:
            raise StateFailureError(first + failure.state) from None
        found = numbers.add(pairs, index[first : first + len(block)])
        if found >= 0 and negative < 0:
            negative = first + found
    return numbers.amounts(index), negative


def evaluate_bool(expression: Expression, valuations: Valuations) -> Bools:
    """Whether an expression holds, for every state."""

    def compute(reals: bool) -> Bools:
        text = truth_function("f", valuations.layout, expression, reals)
        return truths(Machine(text, speed=0), "f", valuations.packed)

    found: Bools = _computed(compute, expression, valuations)
    return found


def evaluate_amounts(expression: Expression, valuations: Valuations) -> Amounts:
    """The value of an expression that is a number, for every state."""

    def compute(reals: bool) -> Amounts:
        text = sum_function("f", valuations.layout, [(None, expression)], reals)
        return amounts(Machine(text, speed=0), "f", valuations.packed)[0]

    found: Amounts = _computed(compute, expression, valuations)
    return found


def _computed(
    compute: Callable[[bool], Any], expression: Expression, valuations: Valuations
) -> Any:
    """The result of a computation, with fractions or else without; errors name the state."""
    for reals in (False, True):
        try:
            return compute(reals)
        except (NotRationalError, TooLongError):
            exact = None if reals else evaluated(expression, valuations)
            if exact is not None:
                truths = all(isinstance(value, bool) for value in exact)
                return np.array(exact, bool) if truths else amounts_of(exact)
        except StateFailureError as failure:
            raise failed(expression, valuations, failure.state) from None
    raise OddsmithError("This expression has numbers beyond 64 bits.")


def failed(expression: Expression, valuations: Valuations, state: int) -> OddsmithError:
    """The error that says why an expression has no value in a state."""
    why = "this expression has numbers beyond 64 bits."
    try:
        evaluate(expression, valuations.values(state))
    except Rejected as rejected:
        why = rejected.message
    where = valuations.describe(state) or f"number {state}"
    return OddsmithError(f"In state {where}: {why}")
