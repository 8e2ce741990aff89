# mypy: disable-error-code="untyped-decorator"
"""The strong components of a process in the order in which they can be solved, and their parts.

A component is complete after all that it leads to, which is the order in which values become
known. States at which the question stops have no edges here: they are components of their own and
cut others apart.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oddsmith.ahead import kernel
from oddsmith.model.graph_kernels import strong_components


@kernel
def components(row: Any, col: Any, stop: Any) -> Any:
    """All states component by component, successors first; where each component begins.

    Inside a component states are in descending order: numbered breadth-first, those far from the
    start come first, which is a good order to sweep in.
    """
    n = len(row) - 1
    label = np.zeros(n, np.int32)
    count = strong_components(row, col, stop, label)
    bounds = np.zeros(count + 1, np.int32)
    for s in range(n):
        bounds[count - label[s]] += 1
    for k in range(count):
        bounds[k + 1] += bounds[k]
    place = bounds[:count].copy()
    order = np.empty(n, np.int32)
    for s in range(n - 1, -1, -1):
        k = count - 1 - label[s]
        order[place[k]] = s
        place[k] += 1
    return order, bounds
