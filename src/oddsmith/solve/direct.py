"""Sparse LU and Krylov methods, component by component, on a plain chain.

They replace sweeps in components where sweeps converge slowly (a random walk of n squares needs
some n² of them). Small components are swept all the same: a factorisation each would cost more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from oddsmith.errors import OptionError
from oddsmith.solve import krylov
from oddsmith.solve.chain import Chain, Floats

Direct = Literal["lu", "idr", "bicgstab", "gmres"]

SMALL = 32
"""Components up to this size are swept."""

KRYLOV_ITERATIONS = 5000


class ComponentSolver:
    """Solves the large components of a chain; the sweeps of `sweep` do the rest."""

    def __init__(self, chain: Chain, method: Direct) -> None:
        from scipy.sparse import csr_array

        if chain.lanes != 1:
            raise OptionError("LU and Krylov methods need the unfolded chain.")
        self.chain, self.method = chain, method
        source = np.repeat(np.arange(chain.size), np.diff(chain.row))
        chance = chain.weight / chain.total[source]
        self.matrix = csr_array((chance, chain.col, chain.row), shape=(chain.size, chain.size))
        self.factors: dict[tuple[int, bool], Any] = {}
        self.iterations = 0

    def segments(self) -> Iterator[tuple[int, int, bool]]:
        """The components as runs (first, last, is one large component), in order."""
        large = np.nonzero(np.diff(self.chain.bounds) > SMALL)[0]
        before = 0
        for c in large:
            if c > before:
                yield before, int(c), False
            yield int(c), int(c) + 1, True
            before = int(c) + 1
        if before < len(self.chain.bounds) - 1:
            yield before, len(self.chain.bounds) - 1, False

    def places(self, c: int) -> slice:
        """The places of a component."""
        return slice(int(self.chain.bounds[c]), int(self.chain.bounds[c + 1]))

    def forward(self, c: int, y: Floats, r: Floats) -> None:
        """Move the residual of component c into y, and what flows out of it onward."""
        inside = self.places(c)
        visits = self._solve(c, r[inside, 0], transposed=True)
        y[inside, 0] += visits
        out = self.matrix[inside].T @ visits
        out[inside] = 0.0
        r[inside, 0] = 0.0
        r[:, 0] += out

    def backward(self, c: int, x: Floats, b: Floats) -> None:
        """Set x in component c from the values of later components."""
        inside = self.places(c)
        x[inside] = 0.0
        right = b[inside] + self.matrix[inside] @ x
        for column in range(x.shape[1]):
            x[inside, column] = self._solve(c, right[:, column], transposed=False)

    def _solve(self, c: int, right: Any, transposed: bool) -> Any:
        from scipy.sparse import eye_array
        from scipy.sparse.linalg import splu

        key = (c, transposed and self.method != "lu")
        if key not in self.factors:
            block = self.matrix[self.places(c), self.places(c)]
            if self.method == "lu":
                self.factors[key] = splu((eye_array(block.shape[0]) - block).tocsc())
            else:
                self.factors[key] = block.T.tocsr() if transposed else block.tocsr()
        factor = self.factors[key]
        if self.method == "lu":
            return factor.solve(right, trans="T" if transposed else "N")
        found = krylov.KRYLOV[self.method](
            lambda v: v - factor @ v, right, tolerance=1e-14, max_iterations=KRYLOV_ITERATIONS
        )
        self.iterations += found.iterations
        return found.x
