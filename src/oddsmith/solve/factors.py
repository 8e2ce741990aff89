"""Sparse LU factors, and the products that go with them.

The factors are SuperLU's (Demmel, Eisenstat, Gilbert, Li and Liu, SIAM J. Matrix Anal. Appl. 20,
1999), which comes with SciPy. Of SciPy nothing but that library is loaded: importing scipy.sparse
takes longer than factoring most matrices here, and longer than Storm takes for a small model.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]

_SUPERLU = "scipy.sparse.linalg._dsolve._superlu"


class Rows:
    """A sparse matrix by rows: row i has `value` in columns `col` from row[i] to row[i + 1]."""

    def __init__(self, row: Ints, col: Ints, value: Floats, width: int) -> None:
        self.row, self.col, self.value, self.width = row, col, value, width
        self.height = len(row) - 1
        self.source = np.repeat(np.arange(self.height), np.diff(row))

    def __matmul__(self, x: Floats) -> Floats:
        return np.bincount(self.source, self.value * x[self.col], self.height).astype(
            np.float64, copy=False
        )

    def take(self, rows: Ints) -> Rows:
        """Some of the rows."""
        lengths = np.diff(self.row)[rows]
        row = np.concatenate(([0], np.cumsum(lengths)))
        place = np.arange(row[-1]) + np.repeat(self.row[rows] - row[:-1], lengths)
        return Rows(row, self.col[place], self.value[place], self.width)

    def band(self) -> int:
        """How far from the diagonal entries lie at most."""
        return int(np.abs(self.source - self.col).max(initial=0))


LITTLE = 8
"""In the order of the states factors may have up to so many times the entries of the matrix. On
grids, where that order is a bad one, 1,600 states have 13 times as many and take as long by either;
components of a shared coin (up to 40,000 states) have twice as many and take a third of the time.
"""


def factors_of_rest(inner: Rows) -> Any:
    """The factors of I - P, where the chances in a row of P are at most one: they `solve(b)`.

    A matrix that is singular to working precision is a RuntimeError.
    """
    from oddsmith.solve.in_order import eliminate

    size, row = inner.height, inner.row.astype(np.int64, copy=False)
    limit = LITTLE * (size + len(inner.value))
    done, *parts = eliminate(row, inner.col.astype(np.int32, copy=False), inner.value, limit)
    if done == size:
        return InOrder(parts)
    states = np.arange(size)
    return factors(
        np.concatenate((states, inner.source)),
        np.concatenate((states, inner.col)),
        np.concatenate((np.ones(size), -inner.value)),
        size,
    )


class InOrder:
    """Factors in the order of the unknowns; see `in_order.py`."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts

    def solve(self, b: Floats) -> Floats:
        """The solution for a right side."""
        from oddsmith.solve.in_order import solved

        found: Floats = solved(*self.parts, np.ascontiguousarray(b, np.float64))
        return found


def factors(row: Ints, col: Ints, value: Floats, size: int) -> Any:
    """The factors of a square matrix that has entries in places; entries in one place add up.

    They `solve(b)`, and by `solve(b, "T")` the transposed equation. A matrix that is singular to
    working precision is a RuntimeError.

    Columns are not put together before they have the same entries (`Relax`), and fewer are taken
    at once than is usual (`PanelSize`): for components of a few thousand states, of which models
    have hundreds, that is a quarter of the time, and nothing to large ones.
    """
    key, place = np.unique(col.astype(np.int64) * size + row, return_inverse=True)
    entries = np.bincount(place, value, len(key))
    start = np.zeros(size + 1, np.intc)
    np.cumsum(np.bincount(key // size, minlength=size), out=start[1:])
    within = (key % size).astype(np.intc)
    library = _superlu()
    if library is None:
        from scipy.sparse import csc_array
        from scipy.sparse.linalg import splu

        return splu(csc_array((entries, within, start), (size, size)), relax=1, panel_size=4)
    options: dict[str, Any] = {"ColPerm": "COLAMD", "Relax": 1, "PanelSize": 4}
    return library.gstrf(
        size, len(key), entries, within, start, csc_construct_func=None, ilu=False, options=options
    )


@cache
def _superlu() -> Any:
    """SuperLU as SciPy calls it; None where SciPy keeps it in another place."""
    if _SUPERLU not in sys.modules:
        if os.name == "nt":
            import scipy  # says where its libraries are  # noqa: F401
        package = find_spec("scipy")
        places = [] if package is None else package.submodule_search_locations or []
        folders = [str(Path(place, "sparse", "linalg", "_dsolve")) for place in places]
        spec = PathFinder.find_spec(_SUPERLU, folders)
        if spec is None or spec.loader is None:
            return None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[_SUPERLU] = module
    return sys.modules[_SUPERLU]
