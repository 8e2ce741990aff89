"""The states that play begins in: given by values, or by a condition that they satisfy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from oddsmith.errors import LimitError
from oddsmith.model.process import Valuations
from oddsmith.rules.prism.emit import Bounds, narrowed
from oddsmith.rules.prism.evaluate import StateFailureError, failed, truths
from oddsmith.rules.prism.interpret import variables_read
from oddsmith.rules.prism.native import Native

MOST = 1 << 26
"""Combinations of values to look at."""


def initial_states(native: Native) -> npt.NDArray[np.uint64]:
    """The packed initial states, in order of their values.

    Variable by variable: every term of the condition is tested as soon as all it reads is known,
    on all combinations at once.
    """
    program, layout = native.program, native.layout
    if program.initial is None:
        return layout.pack([np.array([v.initial]) for v in program.variables])
    bounds = narrowed(program.initial, layout)
    packed = np.zeros((1, layout.words), np.uint64)
    tests: list[list[int]] = [[] for _ in range(len(program.variables) + 1)]
    for i, term in enumerate(native.init_terms):
        tests[max((v + 1 for v in variables_read(term)), default=0)].append(i)
    packed = _satisfying(native, packed, tests[0])
    for number in range(len(program.variables)):
        packed = _satisfying(native, _with(native, packed, number, bounds), tests[number + 1])
    return packed


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
