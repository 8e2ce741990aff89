"""x = b + P x in floating point: the values of settled picks, where sweeps are slow.

**Refined in differences.** If play leaves once in 10^12 steps, the pivots of LU are 1 - p with few
digits left, and so are its answers. But the residual can be known well: with out(s) the chance to
leave the unknowns, a sum without subtractions,

    r(s) = b(s) - out(s) x(s) + Σ p(t) (x(t) - x(s)),

where the differences of neighbours are exact if they are close (Sterbenz). Corrections by the same
factors then converge for as long as each at least halves the last (Higham, Accuracy and Stability
of Numerical Algorithms, 12).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from oddsmith.model.amounts import Floats
from oddsmith.questions import limits
from oddsmith.solve.factors import Rows, factors_of_rest

Solve = Callable[[Floats, Floats], Floats | None]

NARROW = 200

SELDOM = 1e-6
"""Where play leaves with smaller chances than this, candidates by LU are refined."""

REFINEMENTS = 12


def holds(unknowns: int, band: int) -> bool:
    """Whether equations are few enough for sparse LU, or their band narrow enough."""
    return unknowns <= limits.DECISION_LU or band <= NARROW


def linear_solver(inner: Rows, out: Floats, below: float = np.inf) -> Solve | None:
    """How to solve (I - P) x = b, given b and a guess: by sparse LU, or IDR(s) if that is large.

    `inner` is P, `out` what is left of each row. States that lie close to those they lead to (a
    narrow band) have a sparse LU at any size. Solutions by LU are refined where some row has less
    left than `below`.
    """
    if holds(inner.height, inner.band()):
        try:
            lu = factors_of_rest(inner)
        except RuntimeError:  # singular to working precision
            return None
        if out.min(initial=1.0, where=out > 0) >= below:
            return lambda b, guess: _finite(lu.solve(b))

        def residual(b: Floats, x: Floats) -> Floats:
            steps = inner.value * (x[inner.col] - x[inner.source])
            return b - out * x + np.bincount(inner.source, steps, inner.height)

        return lambda b, guess: _refined(lu.solve, residual, b)

    from scipy.sparse import csr_array

    from oddsmith.solve.krylov import idrs

    chances = csr_array((inner.value, inner.col, inner.row), (inner.height, inner.width))

    def iterate(b: Floats, guess: Floats) -> Floats | None:
        made = idrs(lambda x: x - chances @ x, b, guess, tolerance=1e-13, max_iterations=3_000)
        return _finite(made.x) if made.residual < 1e-6 else None

    return iterate


def _refined(
    solve: Callable[[Floats], Floats], residual: Callable[[Floats, Floats], Floats], b: Floats
) -> Floats | None:
    """A solution with corrections by its residual, while each is at most half the last."""
    x, last = solve(b), np.inf
    for _ in range(REFINEMENTS):
        step = solve(residual(b, x))
        size = float(np.abs(step).max(initial=0.0))
        if not size <= last / 2:  # also if it is no number
            break
        x, last = x + step, size
        if size <= 2.0**-52 * float(np.abs(x).max(initial=0.0)):
            break
    return _finite(x)


def _finite(x: Floats) -> Floats | None:
    return x if bool(np.isfinite(x).all()) else None
