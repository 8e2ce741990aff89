"""Krylov methods for A x = b when all that is at hand is the product of A with a vector.

A Krylov method looks for x in the span of r, A r, A² r, … where r = b - A x₀. For the
nonsymmetric matrices I - P of Markov chains there is a choice between GMRES, which minimises
the residual but stores every direction until it restarts, and methods with short recurrences,
BiCGSTAB and IDR(s), whose memory stays fixed. IDR(s) makes its residuals lie in a sequence of
nested spaces

    G₀ = the full Krylov space,    G_{j+1} = (I - ω_{j+1} A) (G_j ∩ P^⊥),

where P is a fixed space of s vectors, the shadow space. By the IDR theorem the dimension falls
with every step (in general by s, for s + 1 products with A) until only 0 is left, so that exact
arithmetic needs at most n + n/s products; BiCGSTAB, closely related to IDR(1), needs 2n.

All three methods here are interchangeable, through `KRYLOV` too, and run under one driver,
which believes no method about its own residual: a recurrence drifts away from b - A x, and most
after the large intermediate residuals that these methods are known for. When a method stops
(converged by its own account, broken down, diverged) the driver computes the true residual and
has the method solve A d = b - A x for a correction d, until the true residual is small, the
iterations are spent, or corrections no longer help. The solution returned is the best one seen.

References
----------
P. Sonneveld and M. B. van Gijzen, IDR(s): a family of simple and fast algorithms for solving
    large nonsymmetric systems of linear equations, SIAM J. Sci. Comput. 31 (2008) 1035-1062.
M. B. van Gijzen and P. Sonneveld, Algorithm 913: an elegant IDR(s) variant that efficiently
    exploits biorthogonality properties, ACM Trans. Math. Softw. 38 (2011) article 5.
G. L. G. Sleijpen and H. A. van der Vorst, Maintaining convergence properties of BiCGstab methods
    in finite precision arithmetic, Numer. Algorithms 10 (1995) 203-223.
H. A. van der Vorst, Bi-CGSTAB, SIAM J. Sci. Stat. Comput. 13 (1992) 631-644.
Y. Saad and M. H. Schultz, GMRES, SIAM J. Sci. Stat. Comput. 7 (1986) 856-869.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Operator = Callable[[Vector], Vector]
Callback = Callable[[int, float], None]

SHADOW_SEED: Final = 2011
"""Seed of the shadow space, so that a solve gives the same digits every time."""

MOST_STALLED: Final = 3
"""Corrections in a row that may fail to halve the residual before the driver gives up."""


@dataclass(frozen=True, eq=False)
class KrylovOutcome:
    """What a Krylov method found, and how good it truly is."""

    x: Vector
    iterations: int
    """Products with A that the method made: what its iterations cost, whichever it is."""
    residual: float
    """‖b - A x‖ / ‖b‖ in the 2-norm, computed afresh from x."""
    converged: bool
    """Whether `residual` is within the tolerance."""


class KrylovMethod(Protocol):
    """The signature that the methods share; see `idrs` for the arguments."""

    def __call__(
        self,
        matvec: Operator,
        b: Vector,
        x0: Vector | None = None,
        *,
        tolerance: float,
        max_iterations: int,
        precondition: Operator | None = None,
        callback: Callback | None = None,
    ) -> KrylovOutcome:
        """Solve A x = b."""


def idrs(
    matvec: Operator,
    b: Vector,
    x0: Vector | None = None,
    *,
    s: int = 4,
    tolerance: float,
    max_iterations: int,
    precondition: Operator | None = None,
    callback: Callback | None = None,
) -> KrylovOutcome:
    """Solve A x = b by IDR(s) with biorthogonalisation, in 3 s and a few vectors of memory.

    `matvec` multiplies by A and `precondition`, where given, approximately by its inverse;
    neither may change its argument. The solve starts at `x0` (or zero) and stops when
    ‖b - A x‖ ≤ tolerance ‖b‖ or after `max_iterations` products with A. `callback` is told,
    as the method goes, the number of products so far and the relative residual.

    >>> outcome = idrs(lambda v: 2.0 * v, np.ones(3), tolerance=1e-12, max_iterations=10)
    >>> outcome.x.round(12).tolist(), outcome.converged
    ([0.5, 0.5, 0.5], True)
    """

    def correct(problem: _Problem, residual: Vector, target: float) -> Vector:
        return _idr_sweeps(problem, residual, target, s)

    problem = _Problem(matvec, precondition, callback, max_iterations)
    return _solve(correct, problem, b, x0, tolerance)


def bicgstab(
    matvec: Operator,
    b: Vector,
    x0: Vector | None = None,
    *,
    tolerance: float,
    max_iterations: int,
    precondition: Operator | None = None,
    callback: Callback | None = None,
) -> KrylovOutcome:
    """Solve A x = b by SciPy's BiCGSTAB, called as `idrs` is.

    SciPy does not pass the residual on, so each call of `callback` costs a product with A.
    """
    from scipy.sparse import linalg

    def correct(problem: _Problem, residual: Vector, target: float) -> Vector:
        return _scipy(linalg.bicgstab, problem, residual, target, maxiter=problem.left // 2)

    problem = _Problem(matvec, precondition, callback, max_iterations, shortest=2)
    return _solve(correct, problem, b, x0, tolerance)


def gmres(
    matvec: Operator,
    b: Vector,
    x0: Vector | None = None,
    *,
    restart: int = 40,
    tolerance: float,
    max_iterations: int,
    precondition: Operator | None = None,
    callback: Callback | None = None,
) -> KrylovOutcome:
    """Solve A x = b by SciPy's GMRES, started anew every `restart` products; called as `idrs` is.

    Memory is `restart` vectors and a few. `callback` is called once a restart.
    """
    from scipy.sparse import linalg

    def correct(problem: _Problem, residual: Vector, target: float) -> Vector:
        depth = min(restart, problem.left - 1)  # SciPy adds a product, for the residual
        cycles = problem.left // (depth + 1)
        options = {"restart": depth, "maxiter": cycles, "callback_type": "x"}
        return _scipy(linalg.gmres, problem, residual, target, **options)

    problem = _Problem(matvec, precondition, callback, max_iterations, shortest=2)
    return _solve(correct, problem, b, x0, tolerance)


KRYLOV: Final[dict[str, KrylovMethod]] = {"idr": idrs, "bicgstab": bicgstab, "gmres": gmres}


# The driver ---------------------------------------------------------------------------------


@dataclass
class _Problem:
    """The operators of one solve, and how far it has come."""

    matvec: Operator
    preconditioner: Operator | None
    callback: Callback | None
    max_iterations: int
    shortest: int = 1
    """Products that the method needs at least."""
    iterations: int = 0
    corrections: int = 0
    level: float = 1.0
    """Relative residual at the start of the present correction."""

    @property
    def left(self) -> int:
        """Products that may still be made."""
        return self.max_iterations - self.iterations

    def product(self, v: Vector) -> Vector:
        """A v, counted."""
        self.iterations += 1
        return self.matvec(v)

    def precondition(self, v: Vector) -> Vector:
        """The preconditioner's guess at the solution of A z = v."""
        return v if self.preconditioner is None else self.preconditioner(v)

    def report(self, residual: float) -> None:
        """Pass on a residual of the present correction, whose right-hand side has norm 1."""
        if self.callback is not None:
            self.callback(self.iterations, residual * self.level)


_Correct = Callable[[_Problem, Vector, float], Vector]
"""A method as the driver sees it: (problem, r, target) -> d with ‖r - A d‖ ≤ target, ‖r‖ = 1."""


def _solve(
    correct: _Correct, problem: _Problem, b: Vector, x0: Vector | None, tolerance: float
) -> KrylovOutcome:
    """Correct x until its true residual is within the tolerance or no longer falls.

    Everything is relative to the largest entry of b, so that no norm under- or overflows, and
    corrections are asked for right-hand sides of norm 1, because SciPy's methods test for
    breakdown against absolute thresholds.
    """
    unit = float(np.max(np.abs(b), initial=0.0))
    if unit == 0.0:
        return KrylovOutcome(np.zeros(b.size), 0, 0.0, True)
    b = np.asarray(b, np.float64) / unit
    x = np.zeros_like(b) if x0 is None else np.asarray(x0, np.float64) / unit
    residual = b if x0 is None else b - problem.matvec(x)
    scale = float(np.linalg.norm(b))
    problem.level = float(np.linalg.norm(residual)) / scale
    stalled = 0
    # A method that diverges overflows; what comes of it is refused below, without a warning.
    with np.errstate(all="ignore"):
        while (
            problem.level > tolerance
            and problem.left >= problem.shortest
            and stalled < MOST_STALLED
        ):
            size = problem.level * scale
            correction = correct(problem, residual / size, tolerance / problem.level)
            problem.corrections += 1
            corrected = x + size * correction
            new_residual = b - problem.matvec(corrected)
            level = float(np.linalg.norm(new_residual)) / scale
            stalled = 0 if level < problem.level / 2 else stalled + 1
            if level < problem.level:
                x, residual, problem.level = corrected, new_residual, level
    return KrylovOutcome(unit * x, problem.iterations, problem.level, problem.level <= tolerance)


def _scipy(
    method: Any, problem: _Problem, residual: Vector, target: float, **options: Any
) -> Vector:
    """Solve A d = residual by a method of `scipy.sparse.linalg`."""
    from scipy.sparse.linalg import LinearOperator

    def operator(apply: Operator) -> Any:
        # SciPy works in place on what it is given, hence the copy.
        return LinearOperator((residual.size,) * 2, lambda v: np.array(apply(v)), dtype=np.float64)

    def watch(x: Vector) -> None:
        problem.report(float(np.linalg.norm(residual - problem.matvec(x))))

    x, _ = method(
        operator(problem.product),
        residual,
        rtol=0.0,
        atol=target,
        M=None if problem.preconditioner is None else operator(problem.preconditioner),
        callback=None if problem.callback is None else watch,
        **options,
    )
    return np.asarray(x, np.float64)


# IDR(s) -------------------------------------------------------------------------------------


def _idr_sweeps(problem: _Problem, r: Vector, target: float, s: int) -> Vector:
    """Solve A x = r from zero by IDR(s); the algorithm of van Gijzen & Sonneveld (2011).

    The names are the paper's: uᵢ are directions with images gᵢ = A uᵢ in G_j, μ = Pᵀ[g₁ … g_s]
    is kept lower triangular by biorthogonalisation, and φ = Pᵀr. One sweep makes s steps
    inside G_j, each of which makes r orthogonal to one more shadow vector, and then the step
    into G_{j+1}. On breakdown the sweeps end early, and the driver's next correction draws
    another shadow space.
    """
    shadow = _shadow_space(r.size, s, problem.corrections)
    s = len(shadow)
    x, r = np.zeros_like(r), r.copy()
    u, g, mu = np.zeros_like(shadow), np.zeros_like(shadow), np.eye(s)
    omega = 1.0
    while True:
        phi = shadow @ r
        for k in range(s):
            gamma = np.linalg.solve(mu[k:, k:], phi[k:])
            v = problem.precondition(r - gamma @ g[k:])
            u[k] = omega * v + gamma @ u[k:]
            g[k] = problem.product(u[k])
            if not _biorthogonalise(k, shadow, u, g, mu):
                return x
            beta = phi[k] / mu[k, k]
            x += beta * u[k]
            r -= beta * g[k]
            phi[k + 1 :] -= beta * mu[k + 1 :, k]
            if _finished(problem, r, target):
                return x
        v = problem.precondition(r)
        t = problem.product(v)
        omega = _omega(t, r)
        x += omega * v
        r -= omega * t
        if _finished(problem, r, target) or omega == 0.0:
            return x


def _shadow_space(n: int, s: int, draw: int) -> Vector:
    """Draw s random orthonormal vectors of length n (no more than n), as rows."""
    rng = np.random.default_rng([SHADOW_SEED, draw])
    basis, _ = np.linalg.qr(rng.standard_normal((n, min(s, n))))
    return np.ascontiguousarray(basis.T)


def _biorthogonalise(k: int, shadow: Vector, u: Vector, g: Vector, mu: Vector) -> bool:
    """Make g_k orthogonal to the shadow vectors before k, u_k with it; fill column k of μ.

    False on breakdown: g_k is orthogonal to shadow vector k too, as far as rounding can tell.
    """
    for i in range(k):
        alpha = (shadow[i] @ g[k]) / mu[i, i]
        g[k] -= alpha * g[i]
        u[k] -= alpha * u[i]
    mu[k:, k] = shadow[k:] @ g[k]
    return bool(abs(mu[k, k]) > np.finfo(np.float64).eps * np.linalg.norm(g[k]))


def _omega(t: Vector, r: Vector, kappa: float = 0.7) -> float:
    """Choose the step that shortens r - ω t, without letting it become too small.

    The minimiser is ω = tᵀr / tᵀt = ρ ‖r‖ / ‖t‖, where ρ is the cosine between t and r. When
    ρ is small the next sweep loses its accuracy, so |ρ| is raised to κ (Sleijpen & van der
    Vorst 1995; κ = 0.7 is theirs). 0 on breakdown, when A has annihilated r.
    """
    t_norm, r_norm = float(np.linalg.norm(t)), float(np.linalg.norm(r))
    if t_norm == 0.0:
        return 0.0
    cosine = float(t @ r) / (t_norm * r_norm)
    return math.copysign(max(abs(cosine), kappa), cosine) * r_norm / t_norm


def _finished(problem: _Problem, r: Vector, target: float) -> bool:
    """Report the residual; true when it is small enough, lost to overflow, or time is up."""
    residual = float(np.linalg.norm(r))
    problem.report(residual)
    return not target < residual < np.inf or problem.left <= 0
