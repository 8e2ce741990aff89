"""Sparse LU and Krylov methods, component by component, on a plain chain.

They take over components in which sweeps converge slowly: a random walk of n squares needs some
n² of them, one factorisation is enough.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from oddsmith.errors import OddsmithError
from oddsmith.solve import krylov
from oddsmith.solve.chain import Chain, Floats

Direct = Literal["lu", "idr", "bicgstab", "gmres"]

KRYLOV_ITERATIONS = 5000


class ComponentSolver:
    """Solves single components of a chain; seats are disregarded (see `Chain.unfolded`)."""

    def __init__(self, chain: Chain) -> None:
        from scipy.sparse import csr_array

        self.chain = chain
        source = np.repeat(np.arange(chain.size), np.diff(chain.row))
        chance = chain.weight / chain.total[source]
        # From triples, so that the matrix has arrays of its own, with equal entries added up.
        self.matrix = csr_array((chance, (source, chain.col)), shape=(chain.size, chain.size))
        self.solved: dict[tuple[int, Direct], int] = {}
        """Components solved by each method, with the products with the matrix they took."""
        self._factors: dict[int, Any] = {}

    def places(self, c: int) -> slice:
        """The places of a component."""
        return slice(int(self.chain.bounds[c]), int(self.chain.bounds[c + 1]))

    def forward(self, c: int, y: Floats, r: Floats, method: Direct) -> None:
        """Move the residual of component c into y, and what flows out of it onward."""
        inside = self.places(c)
        visits = self._solve(c, r[inside, 0], method, transposed=True)
        y[inside, 0] += visits
        out = self.matrix[inside].T @ visits
        out[inside] = 0.0
        r[inside, 0] = 0.0
        r[:, 0] += out

    def backward(self, c: int, x: Floats, b: Floats, pin: Any, method: Direct) -> None:
        """Set x in component c from the values of later components."""
        inside = self.places(c)
        later = x.copy()
        later[inside] = 0.0
        right = b[inside] + self.matrix[inside] @ later
        if not len(pin):
            for q in range(x.shape[1]):
                x[inside, q] = self._solve(c, right[:, q], method, transposed=False)
            return
        from scipy.sparse import eye_array

        block = self.matrix[inside, inside]
        for q in range(x.shape[1]):  # each pinned column has a matrix of its own
            free = np.nonzero(pin[inside] != q)[0]
            held = np.nonzero(pin[inside] == q)[0]
            known = right[free, q] + block[free][:, held] @ x[inside, q][held]
            part = eye_array(len(free)) - block[free][:, free]
            x[inside.start + free, q] = _factors(part).solve(known) if len(free) else known

    def _solve(self, c: int, right: Any, method: Direct, transposed: bool) -> Any:
        from scipy.sparse import eye_array

        block = self.matrix[self.places(c), self.places(c)]
        self.solved.setdefault((c, method), 0)
        if method == "lu":
            if c not in self._factors:
                self._factors[c] = _factors(eye_array(block.shape[0]) - block)
            return self._factors[c].solve(right, trans="T" if transposed else "N")
        factor = block.T.tocsr() if transposed else block
        found = krylov.KRYLOV[method](
            lambda v: v - factor @ v, right, tolerance=1e-14, max_iterations=KRYLOV_ITERATIONS
        )
        self.solved[c, method] += found.iterations
        return found.x

    def describe(self) -> list[str]:
        """What was solved how, for people."""
        lines = []
        for method in NAMES:
            costs = [cost for (_, used), cost in self.solved.items() if used == method]
            if costs:
                parts = f"{NAMES[method]} in {len(costs)} component{'s' * (len(costs) > 1)}"
                lines.append(parts + (f", {sum(costs)} products" if sum(costs) else ""))
        return lines


def _factors(matrix: Any) -> Any:
    """The LU factors of a matrix that has an inverse, if floating point can tell."""
    from scipy.sparse.linalg import splu

    try:
        return splu(matrix.tocsc())
    except RuntimeError:  # singular to working precision
        raise OddsmithError(
            f"Floating point cannot solve this: play leaves {matrix.shape[0]:,} states so seldom "
            f"that it is too close to a game that never ends. Ask for fractions, method='exact'."
        ) from None


NAMES: dict[Direct, str] = {
    "lu": "sparse LU",
    "idr": "IDR(4)",
    "bicgstab": "BiCGSTAB",
    "gmres": "GMRES(40)",
}
