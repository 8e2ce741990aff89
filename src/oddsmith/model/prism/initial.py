"""The states that play begins in: given by values, or by a condition that they satisfy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from oddsmith.errors import LimitError
from oddsmith.model.prism.evaluate import StateFailureError, failed, truths
from oddsmith.model.prism.guards import Bounds, narrowed, operands
from oddsmith.model.prism.native import Native
from oddsmith.model.variables import Valuations
from oddsmith.rules.prism.expression import Binary, Expression
from oddsmith.rules.prism.interpret import variables_read

MOST = 1 << 26
"""Combinations of values to look at."""
MOST_ALTERNATIVES = 1 << 14
"""Alternatives that a condition is taken apart into."""


def initial_states(native: Native) -> npt.NDArray[np.uint64]:
    """The packed initial states, in order of their values.

    Variable by variable: every term of the condition is tested as soon as all it reads is known,
    on all combinations at once. Where these are too many, the condition is taken apart into
    alternatives, each of which may say the values of more variables.
    """
    program, layout = native.program, native.layout
    if program.initial is None:
        return layout.pack([np.array([v.initial]) for v in program.variables])
    tests: list[list[int]] = [[] for _ in range(len(program.variables) + 1)]
    for i, term in enumerate(native.init_terms):
        tests[max((v + 1 for v in variables_read(term)), default=0)].append(i)
    try:
        return _within(native, narrowed(program.initial, layout), tests)
    except LimitError:
        several = _alternatives(program.initial)
        if len(several) == 1:
            raise
    found = np.concatenate([_within(native, narrowed(one, layout), tests) for one in several])
    columns = [layout.unpack(found, v) for v in range(len(program.variables))]
    found = found[np.lexsort(columns[::-1])]
    again = np.append(False, (found[1:] == found[:-1]).all(axis=1))
    once: npt.NDArray[np.uint64] = found[~again[: len(found)]]
    return once


def _within(native: Native, bounds: Bounds, tests: list[list[int]]) -> npt.NDArray[np.uint64]:
    """The initial states within bounds on variables."""
    packed = np.zeros((1, native.layout.words), np.uint64)
    packed = _satisfying(native, packed, tests[0])
    for number in range(len(tests) - 1):
        packed = _satisfying(native, _with(native, packed, number, bounds), tests[number + 1])
    return packed


def _alternatives(e: Expression) -> list[Expression]:
    """Conditions of which one must hold: (a | b) & c gives a & c and b & c."""
    parts = operands(e, "|")
    if len(parts) > 1:
        found = [one for part in parts for one in _alternatives(part)]
        return found if len(found) <= MOST_ALTERNATIVES else [e]
    found = []
    for part in operands(e, "&"):
        several = _alternatives(part) if isinstance(part, Binary) and part is not e else [part]
        if len(found) * len(several) > MOST_ALTERNATIVES:
            several = [part]
        found = [Binary("&", a, b) for a in found for b in several] if found else several
    return found


def _with(
    native: Native, packed: npt.NDArray[np.uint64], number: int, bounds: Bounds
) -> npt.NDArray[np.uint64]:
    """All states with every value of one more variable."""
    layout, v = native.layout, native.layout.variables[number]
    lo, hi = bounds.get(number, (v.low, v.high))
    if len(packed) * (hi - lo + 1) > MOST:
        raise LimitError(
            f"init … endinit in {native.program.source}: more than {MOST:,} combinations of "
            "values would have to be tried. Say more of the variables' values with =, joined "
            "by &."
        )
    values = np.arange(lo - v.low, hi - v.low + 1, dtype=np.uint64)
    wider = np.repeat(packed, len(values), axis=0)
    wider[:, layout.word[number]] += np.tile(values << np.uint64(layout.shift[number]), len(packed))
    return wider


def _satisfying(
    native: Native, packed: npt.NDArray[np.uint64], tests: list[int]
) -> npt.NDArray[np.uint64]:
    for i in tests:
        try:
            packed = packed[truths(native.machine, f"init{i}", packed)]
        except StateFailureError as failure:
            valuations = Valuations(native.layout, packed)
            raise failed(native.init_terms[i], valuations, failure.state) from None
    return packed
